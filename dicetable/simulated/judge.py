"""Compares a reading with the ground truth, which only a simulated table has."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from dicetable.simulated.hands import Hands
from hardware.simulated.die import Lying
from hardware.simulated.picture import Projection
from hardware.simulated.world import World, box_in_frame
from vision.reading import Box, DieReading, Reading

NOT_FOUND: Final = "not_found"
"""Counted among the doubts for a die that was not detected at all."""


@dataclass(frozen=True, slots=True)
class Score:
    """How a reading compares with the truth, in dice.

    `doubts` counts the dice asked about by reason. `cocked` counts the thrown dice that lie cocked, and
    `cocked_sure` those of them that are sure all the same. `wrong_cocked` counts the wrong dice that lie
    cocked, those of earlier throws too: no value would be right, of whichever of its faces.
    """

    right: int
    asked: int
    wrong: int
    doubts: Counter[str] = field(default_factory=Counter, compare=False)
    wrong_cocked: int = 0
    cocked: int = 0
    cocked_sure: int = 0


def judge(world: World, thrown: Sequence[Lying], reading: Reading, shown_s: float | None = None) -> Score:
    """Compares the reading of the thrown dice with the truth. A sure die where none lies counts as wrong.

    `shown_s` is the time that the frame shows; None for now.
    """
    view = world.lens.view_at(world.clock.now_s() if shown_s is None else shown_s)
    places = matched(world.lying, reading.dice, view)
    numbers = {die.die.number for die in thrown}
    right = doubted = wrong = wrong_cocked = cocked = cocked_sure = 0
    why: Counter[str] = Counter()
    for die in world.lying:
        at_place = places.get(die.die.number)
        read = None if at_place is None else reading.dice[at_place]
        fresh = die.die.number in numbers
        right_so = read is not None and (read.kind, read.value) == (die.kind, die.value)
        if not fresh and (read is None or not read.sure or right_so):
            continue
        cocked += fresh and die.value is None
        if read is None or not read.sure:
            doubted += 1
            why[NOT_FOUND if read is None or read.doubt is None else read.doubt] += 1
        elif right_so:
            right += 1
        else:
            wrong += 1
            wrong_cocked += die.value is None
            cocked_sure += fresh and die.value is None
    cocked_boxes = [box_in_frame(die, view) for die in world.lying if die.value is None]
    for i, read in enumerate(reading.dice):
        if read.sure and i not in places.values():
            wrong += 1
            wrong_cocked += any(holds(box, middle(read.box)) for box in cocked_boxes)  # its other face
    return Score(right, doubted, wrong, why, wrong_cocked, cocked, cocked_sure)


def matched(lying: Sequence[Lying], dice: Sequence[DieReading], view: Projection) -> dict[int, int]:
    """Which of `dice` each die is, by its number: the box with the centre of its top face, nearest first."""
    pairs = sorted(
        (off, die.die.number, i)
        for die in lying
        for i, die_read in enumerate(dice)
        if (off := off_middle(die, die_read, view)) is not None
    )
    places: dict[int, int] = {}
    for _, number, i in pairs:
        if number not in places and i not in places.values():
            places[number] = i
    return places


def reading_of(world: World, die: Lying, dice: Sequence[DieReading]) -> DieReading | None:
    """The die of the reading whose box holds the centre of this die's top face; the nearest of several."""
    view = world.lens.view_at(world.clock.now_s())
    off = {i: far for i, die_read in enumerate(dice) if (far := off_middle(die, die_read, view)) is not None}
    return dice[min(off, key=lambda i: off[i])] if off else None


def off_middle(die: Lying, reading: DieReading, view: Projection) -> float | None:
    """Pixels from the middle of the box to the centre of the die's top face; None if that is outside."""
    x, y = view.project(die.top_mm[None])[0].tolist()
    across, down = middle(reading.box)
    return abs(across - x) + abs(down - y) if holds(reading.box, (x, y)) else None


def holds(sides: Box, point: tuple[float, float]) -> bool:
    x, y, w, h = sides
    return x <= point[0] <= x + w and y <= point[1] <= y + h


def middle(sides: Box) -> tuple[float, float]:
    x, y, w, h = sides
    return x + w / 2, y + h / 2


class Honest:
    """Counts honest throws by outcome: those without an injected fault, whose dice all come to rest flat.

    A cocked die makes a throw void rightly; `judge` counts those.

    Attributes:
        summary: the number of `throws`; those `accepted` as they lay; those declared `void`; those accepted
            after another seat `confirmed` a die, or `vouched` for one with no value to confirm.
    """

    def __init__(self, hands: Hands) -> None:
        self.hands = hands
        self.summary = dict.fromkeys(("throws", "accepted", "void", "confirmed", "vouched"), 0)
        self.pending = False

    def begins(self) -> None:
        """A throw begins. It counts if no fault is active and all its dice will lie flat."""
        world = self.hands.world
        flat = all(die.value is not None for die in self.hands.thrown)
        self.pending = flat and not world.faults.all(world.clock.now_s())
        self.summary["throws"] += self.pending

    def spoiled(self) -> None:
        """A fault began before the throw was judged, so the throw does not count."""
        self.summary["throws"] -= self.pending
        self.pending = False

    def ends(self, *, accepted: bool, confirmed: bool = False, vouched: bool = False) -> None:
        """The table has accepted the throw or declared it void."""
        if self.pending:
            how = "confirmed" if confirmed else "vouched" if vouched else "accepted"
            self.summary[how if accepted else "void"] += 1
        self.pending = False
