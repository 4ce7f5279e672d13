"""Cheats that simulated throwers try in place of honest throws, and whether the table accepts the result."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from games.dice import VALUES, Kind
from hardware.simulated.die import Lying, on_table, settled, turn_showing
from hardware.simulated.faults import Fault, parse
from hardware.simulated.places import at_random
from hardware.simulated.world import World

SURPLUS = 4
PUSHED_MM = 18.0
LATE_S = 0.6
"""A die is turned within this time after it came to rest, or after the cup is gone."""
OPENS_S = -0.15
"""When that time begins: before it, the cup has not left the dice."""
DROPPED_MM = 20.0
OF_CUPS = frozenset({"cheat_cup"})
"""The cheats that are tried when a cup is lifted; all others are tried in place of a throw."""
LOOKS_S = 1.0
"""How long a hand stays over the dice."""
REACHING_S = 0.3
"""How long a hand takes to reach a die."""
REFUSED_S = 1.2
"""How long a cheat waits for the table to refuse the throw before going on."""


@dataclass
class Cheats:
    """The cheats of one table: those tried, and those accepted without another seat's word for them.

    One is `at_work` until an honest throw ends it; dice accepted from `counts_from_s` on are its result.
    """

    world: World
    faults: Sequence[Fault]
    seed: int
    tried: int = 0
    accepted: int = 0
    at_work: bool = False
    counts_from_s: float = 0.0
    steps: Iterator[float] | None = None
    by_name: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.chance = np.random.default_rng([self.seed, 29])

    def begins(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> bool:
        """Whether a cheat is tried in place of throwing these dice beside those that count as they lie."""
        return self.tries([fault for fault in self.faults if fault.name not in OF_CUPS], kinds, aside)

    def lifts(self, dice: Sequence[Lying]) -> bool:
        """Whether a cheat is tried in place of lifting a cup from these dice."""
        return self.tries([fault for fault in self.faults if fault.name in OF_CUPS], dice)

    def tries(self, faults: Sequence[Fault], *arguments: Sequence[Kind] | Sequence[Lying]) -> bool:
        self.at_work, self.steps = False, None
        for fault in faults:
            cheat: Callable[..., Iterator[float] | None] = getattr(self, fault.name)
            if self.chance.uniform() < fault.number and (steps := cheat(*arguments)) is not None:
                self.at_work, self.steps = True, steps
                self.counts_from_s = self.world.clock.now_s()
                self.tried += 1
                self.by_name[fault.name] += 1
                return True
        return False

    def goes_on(self) -> float | None:
        """Does the cheat's next step; returns until when to wait then, or None after the last."""
        return None if self.steps is None else next(self.steps, None)

    def took(self, now_s: float, *, confirmed: bool = False) -> None:
        """The table has accepted dice that it read; `confirmed`: another seat had its say about one."""
        if self.at_work and now_s >= self.counts_from_s and not confirmed:
            self.accepted += 1
        self.at_work, self.steps = False, None

    def ends(self) -> None:
        """An honest throw follows."""
        self.at_work, self.steps = False, None

    @property
    def settled_s(self) -> float:
        return self.world.settled_at_s

    # Each cheat yields, after each step, the time until which it then waits; None if it is not possible now.

    def cheat_place(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> Iterator[float]:
        """Sets all dice down."""
        yield self.put_anew(kinds, aside)

    def cheat_print(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> Iterator[float]:
        """Lays down pictures of dice."""
        yield self.put_anew(kinds, aside, printed=True)

    def cheat_drop(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> Iterator[float]:
        """Drops dice."""
        yield self.put_anew(kinds, aside, high_mm=DROPPED_MM)

    def put_anew(
        self, kinds: Sequence[Kind], aside: Sequence[Lying], *, high_mm: float = 0.0, printed: bool = False
    ) -> float:
        """Clears the tray but for the dice aside and puts dice down that show their highest faces."""
        self.world.throw([], aside)
        dice = self.world.pick(kinds, {lying.die.number for lying in aside})
        lying = at_random(self.chance, dice, aside, [VALUES[die.kind][-1] for die in dice])
        self.world.put(lying, high_mm=high_mm, printed=printed)
        return self.settled_s

    def cheat_turn(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> Iterator[float] | None:
        """Turns dice of the last throw in place."""
        old = self.lying_for(kinds, aside)
        return (
            None if old is None else self.one_step(lambda: self.world.put([self.turned(die) for die in old]))
        )

    def cheat_lift(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> Iterator[float] | None:
        """Lifts dice of the last throw and sets them down elsewhere."""
        old = self.lying_for(kinds, aside)
        if old is None:
            return None

        def lift() -> None:
            self.world.take(old)
            dice = [lying.die for lying in old]
            best = [VALUES[die.kind][-1] for die in dice]
            self.world.put(at_random(self.chance, dice, self.world.lying, best))

        return self.one_step(lift)

    def cheat_push(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> Iterator[float] | None:
        """Pushes one die of the last throw and throws the rest."""
        old = self.lying_for(kinds, aside)
        if old is None or len(old) < 2:
            return None

        def push() -> None:
            pushed = old[int(self.chance.integers(len(old)))]
            others = list(kinds)
            others.remove(pushed.die.kind)
            self.world.push(self.world.clock.now_s(), pushed, PUSHED_MM)
            (moved,) = [lying for lying in self.world.lying if lying.die.number == pushed.die.number]
            self.world.throw(others, [*aside, moved])

        return self.one_step(push)

    def cheat_surplus(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> Iterator[float]:
        """Throws too many dice, then takes out the worst."""
        more = [kinds[int(self.chance.integers(len(kinds)))] for _ in range(SURPLUS)]
        self.counts_from_s = float("inf")
        thrown = self.world.throw([*kinds, *more], aside)
        yield self.settled_s + REFUSED_S
        left = Counter(more)
        worst = []
        for lying in sorted(thrown, key=lambda lying: lying.value or 0):
            if left[lying.die.kind]:
                left[lying.die.kind] -= 1
                worst.append(lying)
        self.world.take(worst)
        self.counts_from_s = self.world.clock.now_s()
        yield self.settled_s

    def cheat_complete(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> Iterator[float]:
        """Throws all dice but one, and places that one: at once, or when the table asks for it."""
        last = int(self.chance.integers(len(kinds)))
        thrown = self.world.throw([kind for i, kind in enumerate(kinds) if i != last], aside)
        self.counts_from_s = self.world.rest_s
        at_once = self.chance.uniform() < 0.5
        yield self.world.rest_s - REACHING_S if at_once else self.settled_s + REFUSED_S
        in_tray = [*aside, *thrown]
        dice = self.world.pick([kinds[last]], {lying.die.number for lying in in_tray})
        self.world.settled_at_s = self.world.clock.now_s()
        self.world.put(at_random(self.chance, dice, in_tray, [VALUES[kinds[last]][-1]]))
        yield self.settled_s

    def cheat_fix(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> Iterator[float] | None:
        """Throws so that one die leans; turns the others before that one is thrown again."""
        if len(kinds) < 2:
            return None
        return self.fix(kinds, aside)

    def fix(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> Iterator[float]:
        self.counts_from_s = float("inf")
        self.world.inject(parse("leaning"))
        thrown = self.world.throw(kinds, aside)
        yield self.settled_s + REFUSED_S
        good = [lying for lying in thrown if lying.value is not None]
        bad = [lying for lying in thrown if lying.value is None]
        if not good or not bad:
            return
        self.counts_from_s = self.world.clock.now_s()
        turned = [self.turned(lying) for lying in good]
        self.world.put(turned)
        self.world.throw([lying.die.kind for lying in bad], [*aside, *turned])
        yield self.settled_s

    def cheat_late(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> Iterator[float]:
        """Turns a die just after it has come to rest."""
        thrown = self.world.throw(kinds, aside)
        late_s = float(self.chance.uniform(0.0, LATE_S))
        self.counts_from_s = float("inf")
        yield self.world.rest_s + late_s - REACHING_S
        worst = min(thrown, key=lambda lying: (lying.value or 0) / VALUES[lying.die.kind][-1])
        self.world.settled_at_s = self.world.clock.now_s()
        self.world.put([self.turned(worst)])
        self.counts_from_s = self.world.rolls[-1].start_s
        yield self.settled_s

    def cheat_cover(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> Iterator[float]:
        """Holds a hand over the dice before they can be read, looks, and throws again."""
        thrown = self.world.throw(kinds, aside)
        self.counts_from_s = float("inf")
        comes_s = self.world.rest_s - float(self.chance.uniform(0.0, REACHING_S))
        self.world.hover(comes_s, LOOKS_S, thrown)
        yield self.settled_s - REACHING_S
        again = {lying.die.number for lying in self.world.throw(kinds, aside)}
        rolls = [roll for roll in self.world.present if roll.clip.lying.die.number in again]
        self.counts_from_s = min(roll.start_s for roll in rolls)
        yield self.settled_s

    def cheat_cup(self, dice: Sequence[Lying]) -> Iterator[float] | None:
        """Turns a die after the cup was lifted from it."""
        try:
            shown = self.world.reveal(dice)
        except ValueError:  # they fit under no cup
            return None
        return self.after_the_lift(shown)

    def after_the_lift(self, shown: Sequence[Lying]) -> Iterator[float]:
        lifted_s = self.settled_s
        self.counts_from_s = lifted_s + float(self.chance.uniform(OPENS_S, LATE_S))
        yield self.counts_from_s - REACHING_S
        worst = min(shown, key=lambda lying: (lying.value or 0) / VALUES[lying.die.kind][-1])
        self.world.settled_at_s = self.world.clock.now_s()
        self.world.put([self.turned(worst)])
        yield self.settled_s

    def one_step(self, do: Callable[[], object]) -> Iterator[float]:
        do()
        yield self.settled_s

    def lying_for(self, kinds: Sequence[Kind], aside: Sequence[Lying]) -> list[Lying] | None:
        """The dice of the last throw that are due again, if all of them lie in the tray and no others do."""
        numbers = {lying.die.number for lying in aside}
        old = [lying for lying in self.world.lying if lying.die.number not in numbers]
        return old if old and Counter(lying.die.kind for lying in old) == Counter(kinds) else None

    def turned(self, lying: Lying) -> Lying:
        """The die in its place, with its highest face on top; another if that is there already."""
        most = VALUES[lying.die.kind][-1]
        value = most if lying.value != most else most - 1
        turn = turn_showing(self.chance, lying.die, value)
        x, y = lying.at_mm
        return settled(lying.die, on_table(lying.die, turn, float(x), float(y)))
