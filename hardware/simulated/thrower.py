"""What people at the simulated table do with dice: pick them up, throw them, cover them, lift cups."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from hardware.simulated import throwing
from hardware.simulated.cocked import USUAL_DEG, cocked
from hardware.simulated.cup import PLACES_MM, ROOM_MM, Cup, dice_under
from hardware.simulated.die import Pose
from hardware.simulated.hand import COMING_S, Visit, over, sweep
from hardware.simulated.rolling import STEPS_PER_S, Clip, dropped, rolled, still

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from games.dice import Kind
    from hardware.simulated.die import Die, Lying
    from hardware.simulated.spoiling import Spoiled

PAUSE_S = 0.15
"""Pause between two actions."""
REMEMBERED_S = 10.0
"""How long removed objects are remembered, because late frames show them."""
NUDGE_S = 0.4
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


class Thrower:
    """All dice, cups and hands of one table, as a function of time."""

    def __init__(self, rng: Generator, dice: dict[Kind, tuple[Die, ...]], *, real: bool) -> None:
        self.rng = rng
        self.dice = dice
        self.real = real
        self.rolls: list[Roll] = []
        self.cups: list[Cup] = []
        self.visits: list[Visit] = []
        self.settled_at_s = -inf

    @property
    def present(self) -> list[Roll]:
        """The dice in the tray once everything is still."""
        return [roll for roll in self.rolls if roll.gone_s == inf]

    def throw(
        self,
        now_s: float,
        kinds: Sequence[Kind],
        kept: set[int],
        values: Sequence[int] | None,
        spoiled: Spoiled,
    ) -> list[Lying]:
        """Picks up all dice except those kept (by number) and throws; returns how those in the tray lie."""
        self.forget(now_s)
        kinds, wanted = spoiled.dice(self.rng, kinds, values)
        lying = [roll.clip.lying for roll in self.present if roll.clip.lying.die.number in kept]
        clips, astray = self.ways(self.pick(kinds, kept), lying, wanted, spoiled)
        start_s = self.take_up(max(now_s, self.settled_at_s), kept)
        self.rolls += [Roll(clip, start_s) for clip in clips]
        self.rolls += [Roll(clip, start_s, in_tray=False) for clip in astray]
        ends = [start_s + clip.lasts_s for clip in (*clips, *astray)]
        self.settled_at_s = max((start_s, *ends))
        return [clip.lying for clip in clips]

    def ways(
        self, dice: Sequence[Die], kept: Sequence[Lying], values: Sequence[int | None], spoiled: Spoiled
    ) -> tuple[list[Clip], list[Clip]]:
        """The paths of the dice that end in the tray, and of those that do not."""
        gone = min(len(dice), spoiled.lost + spoiled.on_rim)
        marked = min(len(dice) - gone, spoiled.on_marker)
        main = len(dice) - gone - marked
        clips = throwing.thrown(self.rng, dice[:main], kept, values[:main], real=self.real)
        there = [*kept, *(clip.lying for clip in clips)]
        spots = throwing.on_markers(self.rng, dice[main : main + marked], there)
        clips += [rolled(self.rng, lying) for lying in spots]
        if rest := dice[main + len(spots) : main + marked]:
            clips += throwing.thrown(self.rng, rest, [*there, *spots], [None] * len(rest), real=self.real)
        lean = spoiled.cocked(self.rng)
        moving = min(main, lean + spoiled.touching)
        for i in range(moving):
            at_rest = [*kept, *(clip.lying for j, clip in enumerate(clips) if j < i or j >= moving)]
            later = [clip.lying for clip in clips[i + 1 : moving]]  # in the way, but they will move too
            if i < lean:
                tilts_deg = spoiled.tilts_deg or USUAL_DEG
                moved = cocked(self.rng, clips[i].lying, at_rest, tilts_deg, later=later)
            else:
                moved = throwing.touching(self.rng, clips[i].lying, at_rest, later=later)
            clips[i] = rolled(self.rng, moved)
        away = dice[main + marked :]
        astray = [throwing.lost(self.rng, die) for die in away[: spoiled.lost]]
        astray += throwing.on_rim(self.rng, away[spoiled.lost :])
        return clips, [rolled(self.rng, lying) for lying in astray]

    def take_up(self, start_s: float, kept: set[int]) -> float:
        """A hand picks up all dice except those kept; returns when the next action can begin."""
        taken = [roll for roll in self.present if roll.clip.lying.die.number not in kept]
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

    def cover(self, now_s: float, dice: Sequence[Die], values: Sequence[int | None]) -> list[Lying]:
        """Puts a cup with the dice under it on the tray."""
        self.forget(now_s)
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
        cup = Cup(free[0], max(now_s, self.settled_at_s), under)
        self.cups.append(cup)
        self.settled_at_s = cup.setting.end_s
        return under

    def lay(self, now_s: float, dice: Sequence[Lying]) -> None:
        """Picks up all dice and rolls these so that they come to rest as given."""
        self.forget(now_s)
        start_s = self.take_up(max(now_s, self.settled_at_s), set())
        clips = [rolled(self.rng, lying) for lying in dice]
        self.rolls += [Roll(clip, start_s) for clip in clips]
        self.settled_at_s = max([start_s, *(start_s + clip.lasts_s for clip in clips)])

    def leave(self, now_s: float, dice: Sequence[Lying]) -> None:
        """Places these dice as if they had always been there."""
        self.rolls += [Roll(still(lying), now_s) for lying in dice]

    def lift(self, now_s: float) -> list[Lying]:
        """Lifts every cup, one after the other."""
        shown: list[Lying] = []
        for cup in self.cups:
            if cup.lift_s == inf:
                cup.lift_s = max(now_s, self.settled_at_s)
                self.settled_at_s = cup.lifting.end_s
                self.rolls += [Roll(still(lying), cup.lift_s) for lying in cup.dice]
                shown += cup.dice
        return shown

    def nudge(self, now_s: float, by_mm: float) -> None:
        """A hand moves one of the dice at rest."""
        there = [roll.clip.lying for roll in self.present if roll.in_tray]
        if there:
            self.push(now_s, there[int(self.rng.integers(len(there)))], by_mm)

    def push(self, now_s: float, lying: Lying, by_mm: float) -> None:
        """A hand pushes that die by that distance."""
        there = [roll for roll in self.present if roll.in_tray]
        roll = next(roll for roll in there if roll.clip.lying.die.number == lying.die.number)
        before = roll.clip.lying
        after = throwing.pushed(self.rng, before, [r.clip.lying for r in there if r is not roll], by_mm)
        start_s = max(now_s, self.settled_at_s)
        x, y = before.at_mm
        visit = over(start_s, (x, y + 15), NUDGE_S)
        steps, way = int(NUDGE_S * STEPS_PER_S), after.pose.at_mm - before.pose.at_mm
        slide = Clip(steps, lambda i: Pose(before.pose.at_mm + way * (i / steps), before.pose.turn), after)
        self.visits.append(visit)
        roll.gone_s = start_s + COMING_S
        self.rolls.append(Roll(slide, roll.gone_s))
        self.settled_at_s = visit.end_s

    def put(
        self, now_s: float, dice: Sequence[Lying], *, high_mm: float = 0.0, printed: bool = False
    ) -> None:
        """A hand puts these dice down as given; they replace those of the same number.

        Args:
            now_s: when, or as soon as all earlier actions are over.
            dice: one or more.
            high_mm: the height above the tray at which the hand releases each die.
            printed: they are flat pictures of dice.
        """
        self.forget(now_s)
        visit, times = sweep(max(now_s, self.settled_at_s), [lying.at_mm for lying in dice])
        self.visits.append(visit)
        for lying, time_s in zip(dice, times, strict=True):
            for roll in self.present:
                if roll.clip.lying.die.number == lying.die.number:
                    roll.gone_s = time_s
            clip = dropped(lying, high_mm) if high_mm else still(lying)
            self.rolls.append(Roll(clip, time_s, printed=printed))
        self.settled_at_s = visit.end_s

    def take(self, now_s: float, numbers: set[int]) -> None:
        """A hand takes only these dice out of the tray."""
        self.forget(now_s)
        others = {roll.clip.lying.die.number for roll in self.present} - numbers
        self.settled_at_s = self.take_up(max(now_s, self.settled_at_s), others)

    def hover(self, start_s: float, stays_s: float, dice: Sequence[Lying] | None = None) -> None:
        """A hand moves over the middle of these dice, or of all in the tray, stays there and leaves."""
        dice = [roll.clip.lying for roll in self.present if roll.in_tray] if dice is None else dice
        there = [lying.at_mm for lying in dice]
        middle = np.mean(there, axis=0) if there else np.zeros(2)
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
        """A die of each kind from the set, none of those in use.

        Raises:
            ValueError: fewer dice lie there.
        """
        picked: list[Die] = []
        for kind in kinds:
            taken = used | {die.number for die in picked}
            free = [die for die in self.dice[kind] if die.number not in taken]
            if not free:
                raise ValueError(f"there are only {len(self.dice[kind])} {kind} at this table")
            picked.append(free[0])
        return picked

    def forget(self, now_s: float) -> None:
        """Forgets objects removed long ago."""
        past_s = now_s - REMEMBERED_S
        self.rolls = [roll for roll in self.rolls if roll.gone_s > past_s]
        self.cups = [cup for cup in self.cups if cup.lift_s == inf or cup.lifting.end_s > past_s]
        self.visits = [visit for visit in self.visits if visit.end_s > past_s]
