"""The baseline: which dice lie where they lay when dice were last accepted, and how the others came.

It compares positions in millimetres, or boxes where there are none.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from dicetable.ledger.entries import LyingDie
from dicetable.table.table_state import Awaited
from vision.reading import Arrival, DieReading, Flight, Reading, Settled, iou

UNMOVED: Final = 0.7
"""IoU from which a die counts as lying unmoved under a camera that is not calibrated."""
UNMOVED_MM: Final = 3.0
"""A die counts as lying unmoved if its position has changed by no more than this.

More: a die that was nudged may pass for one that was not touched. Less: a shadow that counts as part of the
die in one reading and not in the next moves the middle of its box, by up to 2.3 mm.
"""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A reading against the baseline.

    Attributes:
        reading: all dice in the tray.
        numbers: for each die its number in the baseline if it lies there unmoved, else None.
        left: the numbers of those that lie unmoved.
        gone: the numbers of those that have left their place, apart from those seen to be taken up before.
    """

    reading: Reading
    numbers: tuple[int | None, ...]
    left: frozenset[int]
    gone: frozenset[int]

    @property
    def fresh(self) -> tuple[int, ...]:
        """The places in the reading of the dice that are not in the baseline."""
        return tuple(i for i, number in enumerate(self.numbers) if number is None)

    @property
    def fresh_dice(self) -> tuple[DieReading, ...]:
        return tuple(self.reading.dice[i] for i in self.fresh)


class Baseline:
    """The dice that lay in the tray when dice were last accepted or void, and what became of them since.

    It remembers which of them were seen to be taken up, so that a die that was only pushed never passes for
    one that was thrown.

    Attributes:
        dice: what lay there.
        arrived: the dice that came since, and how: what happened to them last.
        taken_up: the numbers of the dice that were seen to be taken up.
        replaced: the numbers of those in whose place another die lies that shows the same.
    """

    def __init__(self, dice: Iterable[LyingDie] = ()) -> None:
        self.dice = tuple(dice)
        self.arrived: tuple[tuple[LyingDie, Arrival], ...] = ()
        self.taken_up: set[int] = set()
        self.replaced: set[int] = set()

    def note_arrivals(self, flight: Flight | None, dice: Sequence[DieReading]) -> None:
        if flight is None:
            self.arrived = ()
            return
        arrived = zip(
            remembered(dice),
            (
                arrival_by_now(arrival, before, followed=flight.followed)
                for arrival, before in zip(flight.arrivals, self.arrivals(dice), strict=True)
            ),
            strict=True,
        )
        self.arrived = tuple((die, how) for die, how in arrived if how is not Arrival.LAY)

    def arrivals(self, dice: Sequence[DieReading]) -> list[Arrival]:
        """How each die came since the baseline was set; LAY if that is not known."""
        numbers = unmoved(dice, [die for die, _ in self.arrived])
        return [Arrival.LAY if number is None else self.arrived[number][1] for number in numbers]

    def note_replaced(self, settled: Settled) -> None:
        """Notes where a new die lies in the place of an old one that was taken up and shows the same.

        The place was seen empty between the two: a cup that is put over an old die does not make it new.
        """
        if settled.flight is not None and settled.flight.anew:
            numbers = unmoved(settled.reading.dice, self.dice)
            self.replaced.update(
                number
                for number, anew in zip(numbers, settled.flight.anew, strict=True)
                if number in self.taken_up and anew
            )

    def note_taken_up(self, comparison: Comparison) -> None:
        """Notes the dice that are gone, if no other came; those that lie there again were put back."""
        self.taken_up = (self.taken_up | comparison.gone) - (comparison.left - self.replaced)

    def compared(self, reading: Reading, *, reveal: bool) -> Comparison:
        """Compares the reading with the baseline; a die that was seen to be thrown matches no old one.

        Nor does one that is revealed where an old one was taken up, even if it shows the same.
        """
        thrown = unmoved(reading.dice, [die for die, how in self.arrived if how is Arrival.THROWN])
        others = [die for die, number in zip(reading.dice, thrown, strict=True) if number is None]
        # Dice seen to be thrown were taken out first: one that fell where an old one lay would pass for it.
        matched = iter(unmoved(others, self.dice))
        same = [next(matched) if number is None else None for number in thrown]
        numbers = tuple(None if reveal and number in self.replaced else number for number in same)
        left = frozenset(number for number in numbers if number is not None)
        gone = frozenset(range(len(self.dice))) - self.taken_up - left
        return Comparison(reading, numbers, left, gone)

    def pushed(self, comparison: Comparison, awaited: Awaited) -> bool:
        """Whether one of the fresh dice may be an old one that was only pushed.

        It cannot be if no die of a fresh one's kind left its place unseen. Otherwise all fresh dice must have
        been taken up here, and none that was set aside may be among them.
        """
        fresh = Counter(die.kind for die in comparison.fresh_dice)
        gone = Counter(self.dice[number].kind for number in comparison.gone)
        unknown = gone.pop(None, 0)  # an old die that was never read may be of any kind
        if not unknown and not any(kind in fresh for kind in gone):
            return False
        taken_up = Counter(self.dice[number].kind for number in self.taken_up - comparison.left)
        others = fresh - gone
        from_elsewhere = (others - taken_up).total() - unknown - taken_up[None]
        not_among_them = gone - fresh or others.total() < unknown
        return bool(not_among_them) or from_elsewhere > 0 or self.aside_has_moved(comparison, awaited)

    def aside_has_moved(self, comparison: Comparison, awaited: Awaited) -> bool:
        """Whether fewer of the dice that count as they lie still lie there than did."""
        still = Counter((self.dice[number].kind, self.dice[number].value) for number in comparison.left)
        gone = Counter((self.dice[number].kind, self.dice[number].value) for number in comparison.gone)
        return any(
            still[die] < min(count, still[die] + gone[die]) for die, count in Counter(awaited.aside).items()
        )


def arrival_by_now(arrival: Arrival, before: Arrival, *, followed: bool) -> Arrival:
    """Combines a die's newest arrival with the one known before.

    A handled die stays handled while it is only lost from sight. `followed`: frames came fast enough to see
    a throw.
    """
    if arrival is Arrival.LAY or (arrival is Arrival.UNSEEN and before is Arrival.HANDLED):
        return before
    return Arrival.UNSEEN if arrival is Arrival.THROWN and not followed else arrival


def closeness(first: DieReading | LyingDie, second: DieReading | LyingDie) -> float:
    """How near two dice lie to each other; from 1 on they have the same position."""
    if first.position_mm is not None and second.position_mm is not None:
        return UNMOVED_MM / max(math.dist(first.position_mm, second.position_mm), 1e-6)
    return iou(first.box, second.box) / UNMOVED


def remembered(dice: Iterable[DieReading]) -> tuple[LyingDie, ...]:
    """The dice as the ledger remembers them; of one that is not sure only the position."""
    return tuple(
        LyingDie(
            die.kind if die.sure else None,
            die.value if die.sure else None,
            die.box,
            die.position_mm,
            die.die_id if die.sure else None,
        )
        for die in dice
    )


def unmoved(dice: Sequence[DieReading], baseline: Sequence[LyingDie]) -> list[int | None]:
    """The number of each die in the baseline if it lies there unmoved and shows the same, else None.

    No number is given twice. Where a die was or is not sure, its position alone decides.
    """
    free = set(range(len(baseline)))
    numbers: list[int | None] = []
    for die in dice:
        same = [
            number
            for number in free
            if closeness(die, baseline[number]) >= 1
            and (
                not die.sure
                or baseline[number].value is None
                or (die.kind, die.value) == (baseline[number].kind, baseline[number].value)
            )
        ]
        best = max(same, key=lambda number: closeness(die, baseline[number]), default=None)
        if best is not None:
            free.remove(best)
        numbers.append(best)
    return numbers
