"""The things on the simulated table: dice, cups and hands, as people throw, cover, place and take them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

import numpy as np
from numpy.random import Generator

from games.dice import Kind
from hardware.ports import Clock
from hardware.simulated import path, physics, places
from hardware.simulated.cup import PLACES_MM, ROOM_MM, Cup, dice_under
from hardware.simulated.die import Die, Lying
from hardware.simulated.faults import ActiveFaults, ThrowFaults
from hardware.simulated.hand import Visit, along, each_in_turn, over, sweep
from hardware.simulated.hand_sprite import PEOPLE
from hardware.simulated.path import STEPS_PER_S, Clip, Release, dropped, slid, still
from hardware.simulated.places import USUAL_DEG, cocked
from hardware.simulated.throw import DrawnThrow, Style, random_throw

PAUSE_S = 0.15
"""Pause between two actions."""
REMEMBERED_S = 10.0
"""How long removed objects are remembered, because late frames show them."""
PUSH_S = 0.3
GUESSES = 4
TRIES = 6
"""How often a throw is repeated because a die came to rest on a marker or on another die: once in fifty
throws."""
BOUNCES = 0.35, 0.55
"""The part of its speed with which a die leaves the table's floor: soft felt, or a hard one."""
REACH_MM = 40.0
"""The distance of the fingertips beyond the middle of dice that a hand covers."""


@dataclass
class Roll:
    """A die on its path and then at rest, on the table until `gone_s`; `printed`: only a picture of one."""

    clip: Clip
    start_s: float
    in_tray: bool = True
    printed: bool = False
    gone_s: float = inf


class TableTop:
    """All dice, cups and hands of one table, as a function of time.

    What people do begins when the previous action is over, at `settled_at_s`.
    """

    def __init__(
        self,
        rng: Generator,
        dice: dict[Kind, tuple[Die, ...]],
        clock: Clock,
        faults: ActiveFaults,
        *,
        real: bool,
        style: Style,
    ) -> None:
        self.rng = rng
        self.dice = dice
        self.clock = clock
        self.faults = faults
        self.real = real
        self.style = style
        self.bounces = float(rng.uniform(*BOUNCES))
        self.rolls: list[Roll] = []
        self.cups: list[Cup] = []
        self.visits: list[Visit] = []
        self.settled_at_s = clock.now_s()

    @property
    def present(self) -> list[Roll]:
        return [roll for roll in self.rolls if roll.gone_s == inf]

    @property
    def lying(self) -> list[Lying]:
        """Every die in the tray as it lies once all is still; not those under cups."""
        return [roll.clip.lying for roll in self.present if roll.in_tray]

    @property
    def astray(self) -> list[Lying]:
        return [roll.clip.lying for roll in self.present if not roll.in_tray]

    @property
    def rest_s(self) -> float:
        """When the last die comes to rest; the hand that threw may stay longer."""
        return max((roll.start_s + roll.clip.lasts_s for roll in self.present), default=self.settled_at_s)

    def next_s(self) -> float:
        """When the next action can begin; what is long over is forgotten."""
        now_s = self.clock.now_s()
        past_s = now_s - REMEMBERED_S
        self.rolls = [roll for roll in self.rolls if roll.gone_s > past_s]
        self.cups = [cup for cup in self.cups if cup.lift_s == inf or cup.lifting.end_s > past_s]
        self.visits = [visit for visit in self.visits if visit.end_s > past_s]
        return max(now_s, self.settled_at_s)

    def throw(
        self, kinds: Sequence[Kind], keep: Sequence[Lying] = (), values: Sequence[int] | None = None
    ) -> list[Lying]:
        """Throws after taking up all dice and cups but `keep`; returns how the dice in the tray will lie.

        With `values` the dice show these (and need no physics for it). Faults of throws strike here. Raises
        ValueError if there are too few dice, no room for them, or no such value.
        """
        spoiled = ThrowFaults.taken(self.faults, self.clock.now_s())
        start_s = self.next_s()
        numbers = {lying.die.number for lying in keep}
        kinds, wanted = spoiled.dice(self.rng, kinds, values)
        lying = [roll.clip.lying for roll in self.present if roll.clip.lying.die.number in numbers]
        dice = self.pick(kinds, numbers)
        if not dice:
            self.settled_at_s = self.take_up(start_s, numbers)
            return []
        throw, releases, clips, astray = self.ways(dice, lying, wanted, spoiled)
        self.begin(self.take_up(start_s, numbers), throw, releases, clips, astray)
        return [clip.lying for clip in clips]

    def begin(
        self,
        start_s: float,
        throw: DrawnThrow,
        releases: Sequence[Release],
        clips: Sequence[Clip],
        astray: Sequence[Clip],
    ) -> None:
        """The throw begins: a hand brings the dice and they go their ways."""
        visit, free_s = throw.hand
        free_step = round(free_s * STEPS_PER_S)
        if throw.style != "tower":
            self.visits.append(replace(visit, start_s=start_s))
            self.settled_at_s = start_s + visit.stops[-1].after_s
        for i, (clip, release) in enumerate(zip((*clips, *astray), releases, strict=True)):
            held = partial(throw.held_pose, visit, free_s, release)
            whole = clip.after(held, free_step + release.step)
            self.rolls.append(Roll(whole, start_s, in_tray=i < len(clips)))
            self.settled_at_s = max(self.settled_at_s, start_s + whole.lasts_s)

    def ways(
        self,
        dice: Sequence[Die],
        resting: Sequence[Lying],
        values: Sequence[int | None],
        spoiled: ThrowFaults,
    ) -> tuple[DrawnThrow, list[Release], list[Clip], list[Clip]]:
        """A throw, the release of each die, and the paths of those that end in the tray and of the others."""
        gone = min(len(dice), spoiled.lost + spoiled.on_rim)
        marked = min(len(dice) - gone, spoiled.on_marker)
        main = len(dice) - gone - marked
        throw, releases, clips = self.tossed(dice, dice[:main], resting, values[:main])
        occupied = [*resting, *(clip.lying for clip in clips)]
        spots = places.on_markers(self.rng, dice[main : main + marked], occupied)
        if rest := dice[main + len(spots) : main + marked]:
            spots += places.at_random(self.rng, rest, [*occupied, *spots])
        clips += [self.drawn(lying, releases[main + i]) for i, lying in enumerate(spots)]
        lean = spoiled.cocked(self.rng)
        moving = min(main, lean + spoiled.touching)
        for i in range(moving):
            at_rest = [*resting, *(clip.lying for j, clip in enumerate(clips) if j < i or j >= moving)]
            later = [clip.lying for clip in clips[i + 1 : moving]]  # in the way, but they will move too
            if i < lean:
                tilts_deg = spoiled.tilts_deg or USUAL_DEG
                moved = cocked(self.rng, clips[i].lying, at_rest, tilts_deg, later=later)
            else:
                moved = places.touching(self.rng, clips[i].lying, at_rest, later=later)
            clips[i] = self.drawn(moved, releases[i])
        away = dice[main + marked :]
        astray = [places.lost(self.rng, die) for die in away[: spoiled.lost]]
        astray += places.on_rim(self.rng, away[spoiled.lost :])
        off = [self.drawn(lying, releases[main + marked + i]) for i, lying in enumerate(astray)]
        return throw, releases, clips, off

    def tossed(
        self,
        all_dice: Sequence[Die],
        dice: Sequence[Die],
        resting: Sequence[Lying],
        values: Sequence[int | None],
    ) -> tuple[DrawnThrow, list[Release], list[Clip]]:
        """A throw of all dice, and the paths of the first of them to rest beside those `resting`.

        Dice with a given value never use physics.
        """
        real = self.real and bool(dice) and all(value is None for value in values)
        for _ in range(TRIES if real else 1):
            throw = random_throw(self.rng, self.style, PEOPLE)
            releases = throw.releases(self.rng, all_dice)
            if real:
                clips = physics.tumbled(dice, throw, releases[: len(dice)], resting, self.bounces)
                if not any(places.astray(clip.lying) for clip in clips):
                    break
            else:
                ends = self.ends(dice, releases, resting, values)
                clips = [self.drawn(lying, release) for lying, release in zip(ends, releases, strict=False)]
        return throw, releases, clips

    def ends(
        self,
        dice: Sequence[Die],
        releases: Sequence[Release],
        resting: Sequence[Lying],
        values: Sequence[int | None],
    ) -> list[Lying]:
        """Where dice come to rest without physics: of a few ways to lie the one they reach most easily."""
        ways = [places.at_random(self.rng, dice, resting, values) for _ in range(GUESSES)]
        return min(ways, key=lambda way: path.detour_mm(way, releases))

    def drawn(self, lying: Lying, release: Release) -> Clip:
        return path.drawn_path(self.rng, lying, release, self.bounces)

    def take_up(self, start_s: float, numbers: set[int]) -> float:
        """A hand picks up all dice except those kept; returns when the next action can begin."""
        taken = [roll for roll in self.present if roll.clip.lying.die.number not in numbers]
        cups = [cup for cup in self.cups if cup.lift_s == inf]
        for cup in cups:
            cup.lift_s, cup.dice = start_s, []
            start_s = cup.lifting.end_s
        if not taken:
            return start_s + PAUSE_S
        reachable = [roll.clip.lying.at_mm if roll.in_tray else (0.0, 40.0) for roll in taken]
        visit, times = sweep(start_s, reachable)
        self.visits.append(visit)
        for roll, time_s in zip(taken, times, strict=True):
            roll.gone_s = time_s
        return visit.end_s + PAUSE_S

    def cover(self, kinds: Sequence[Kind], values: Sequence[int] | None = None) -> list[Lying]:
        """Sets a cup on the tray; returns how the dice lie under it.

        Raises ValueError if there are too few dice, no room for the cup or in it, or no such value.
        """
        dice = self.pick(kinds, self.in_use)
        return self.cover_these(dice, values or [None] * len(dice))

    def cover_these(self, dice: Sequence[Die], values: Sequence[int | None]) -> list[Lying]:
        start_s = self.next_s()
        standing = [cup for cup in self.cups if cup.lift_s == inf]
        lying = [roll.clip.lying for roll in self.present]
        free = [
            place
            for place in PLACES_MM
            if all(cup.place_mm != place for cup in standing)
            and all(np.hypot(*np.subtract(d.at_mm, place)) > ROOM_MM + d.die.reach_mm + 3 for d in lying)
        ]
        if not free:
            raise ValueError("no room for another cup on the tray")
        under = dice_under(self.rng, dice, values, np.array(free[0]))
        cup = Cup(free[0], start_s, under)
        self.cups.append(cup)
        self.settled_at_s = cup.setting.end_s
        return under

    def lift_cups(self) -> list[Lying]:
        """Lifts every cup on the tray; returns the dice that are seen then."""
        shown: list[Lying] = []
        for cup in self.cups:
            if cup.lift_s == inf:
                cup.lift_s = max(self.clock.now_s(), self.settled_at_s)
                self.settled_at_s = cup.lifting.end_s
                self.rolls += [Roll(still(lying), cup.lift_s) for lying in cup.dice]
                shown += cup.dice
        return shown

    def reveal(self, dice: Sequence[Lying]) -> list[Lying]:
        """Clears the tray, sets a cup with these dice there and lifts it; returns how they lie.

        They show what they showed before, wherever that was. Raises ValueError if no cup holds them.
        """
        self.lay([])
        self.cover_these([lying.die for lying in dice], [lying.value for lying in dice])
        return self.lift_cups()

    def lay(self, dice: Sequence[Lying]) -> None:
        """Clears the tray, then rolls these dice onto it until they lie exactly like this."""
        start_s = self.take_up(self.next_s(), set())
        if not dice:
            self.settled_at_s = start_s
            return
        throw = random_throw(self.rng, self.style, PEOPLE)
        releases = throw.releases(self.rng, [lying.die for lying in dice])
        clips = [self.drawn(lying, release) for lying, release in zip(dice, releases, strict=True)]
        self.begin(start_s, throw, releases, clips, [])

    def leave(self, dice: Sequence[Lying]) -> None:
        """Adds dice that have been lying in the tray; the camera never saw them arrive."""
        self.rolls += [Roll(still(lying), self.clock.now_s()) for lying in dice]

    def nudge(self, at_s: float, by_mm: float) -> None:
        if dice := self.lying:
            self.push(at_s, dice[int(self.rng.integers(len(dice)))], by_mm)

    def push(self, at_s: float, lying: Lying, by_mm: float) -> None:
        rolls = [roll for roll in self.present if roll.in_tray]
        roll = next(roll for roll in rolls if roll.clip.lying.die.number == lying.die.number)
        before = roll.clip.lying
        after = places.pushed(self.rng, before, [r.clip.lying for r in rolls if r is not roll], by_mm)
        visit, touched_s = along(max(at_s, self.settled_at_s), before.at_mm, after.at_mm, PUSH_S)
        self.visits.append(visit)
        roll.gone_s = touched_s
        self.rolls.append(Roll(slid(before.pose, after, PUSH_S), touched_s))
        self.settled_at_s = visit.end_s

    def put(self, dice: Sequence[Lying], *, high_mm: float = 0.0, printed: bool = False) -> None:
        """A hand puts these dice, or flat pictures of them, down exactly so, or drops them from `high_mm`.

        They replace those of the same number.
        """
        visit, times = each_in_turn(self.next_s(), [lying.at_mm for lying in dice])
        self.visits.append(visit)
        for lying, time_s in zip(dice, times, strict=True):
            for roll in self.present:
                if roll.clip.lying.die.number == lying.die.number:
                    roll.gone_s = time_s
            clip = dropped(lying, high_mm) if high_mm else still(lying)
            self.rolls.append(Roll(clip, time_s, printed=printed))
        self.settled_at_s = visit.end_s

    def take(self, dice: Sequence[Lying]) -> None:
        """A hand takes only these dice out of the tray."""
        start_s = self.next_s()
        others = {roll.clip.lying.die.number for roll in self.present}
        self.settled_at_s = self.take_up(start_s, others - {lying.die.number for lying in dice})

    def hover(self, start_s: float, stays_s: float, dice: Sequence[Lying] | None = None) -> None:
        """A hand moves over the middle of these dice, or of all in the tray, stays there and leaves."""
        places_mm = [lying.at_mm for lying in (self.lying if dice is None else dice)]
        middle = np.mean(places_mm, axis=0) if places_mm else np.zeros(2)
        visit = over(start_s, (float(middle[0]), float(middle[1]) + REACH_MM), stays_s)
        self.visits.append(visit)
        self.settled_at_s = max(self.settled_at_s, visit.end_s)

    @property
    def in_use(self) -> set[int]:
        """The numbers of all dice on the table, including those under cups."""
        standing = [cup for cup in self.cups if cup.lift_s == inf]
        covered = {lying.die.number for cup in standing for lying in cup.dice}
        return covered | {roll.clip.lying.die.number for roll in self.present}

    def pick(self, kinds: Sequence[Kind], used: set[int]) -> list[Die]:
        """A die of each kind from the set, none of those in use; raises ValueError if there are too few."""
        picked: list[Die] = []
        for kind in kinds:
            taken = used | {die.number for die in picked}
            free = [die for die in self.dice[kind] if die.number not in taken]
            if not free:
                raise ValueError(f"there are only {len(self.dice[kind])} {kind} at this table")
            picked.append(free[0])
        return picked
