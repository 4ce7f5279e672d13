"""The rules by which fresh dice are judged: friendly throws, dice that are revealed, strict throws.

Each rule takes a reading as compared with the baseline, and remembers only what it needs of those before.
`acceptance` applies them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from dicetable import texts
from dicetable.eye.messages import MOST_TAUGHT, Lesson, TaughtDie
from dicetable.ledger.entries import DieDetails, LyingDie, Thrown
from dicetable.table.baseline import Baseline, Comparison, remembered
from dicetable.table.table_state import Awaited
from games import words
from games.dice import KINDS, Die, Kind
from vision.reading import Arrival, DieReading, Doubt, Reading, Settled

NOT_FLAT: Final = frozenset(
    {Doubt.COVERED, Doubt.CUT_BY_FRAME, Doubt.PILE, Doubt.UNKNOWN_DIE, Doubt.PART_OF_THE_TRAY}
)
"""Why a die that was thrown is thrown again; with any other doubt people are asked what it shows.

So is one that plainly lies cocked, without a value; of one that may lie flat, people see whether it does.
"""
HARDLY_A_VALUE: Final = NOT_FLAT | {Doubt.NOT_READ, Doubt.ODD_SIZE, Doubt.FRAMES_DISAGREE}
"""With any other doubt a die shows most likely what was read."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing was thrown; `text` reminds people of what is awaited, if it is time to."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice in the tray that are the throw the prompt waits for.

    Attributes:
        seen: the tray as it was read, with all its dice.
        numbers: the places of the thrown dice in the reading, from 0.
        dice: their likeliest kinds and values; the value is None where none was read.
        unsure: the places in `dice` of those whose values another seat has to confirm.
        unseen: the places in `dice` of those that were not seen to roll.
    """

    seen: Settled
    numbers: tuple[int, ...]
    dice: tuple[tuple[Kind, int | None], ...]
    unsure: tuple[int, ...] = ()
    unseen: tuple[int, ...] = ()

    @property
    def read(self) -> tuple[Die, ...]:
        """The dice that have a value: all of them, if none is unsure."""
        return tuple((kind, value) for kind, value in self.dice if value is not None)

    @property
    def readings(self) -> tuple[DieReading, ...]:
        """The thrown dice as they were read."""
        return tuple(self.seen.reading.dice[number] for number in self.numbers)

    @property
    def baseline(self) -> tuple[LyingDie, ...]:
        """All dice in the tray, as the ledger remembers them."""
        return remembered(self.seen.reading.dice)

    def lesson(self, entry: Thrown, row: int, seed: int, revision: int) -> Lesson | None:
        """What the eye can learn now that the ledger has the throw in this row; None if nothing.

        Sure values teach, and those that another seat confirmed; a value that only the thrower confirmed
        does not.
        """
        details = entry.details or (DieDetails(),) * len(entry.dice)
        taught = tuple(
            TaughtDie(number, kind, value, confirmed=one.confirmed_by is not None)
            for number, (kind, value), one in zip(self.numbers, entry.dice, details, strict=True)
            if one.confirmed_by != "nobody"
        )
        return Lesson(self.seen.time_s, row, seed, revision, taught[:MOST_TAUGHT]) if taught else None

    def rank(self, at: int) -> int:
        """The place of one of `dice` among all dice in the tray, from the left, from 1."""
        dice = self.seen.reading.dice
        from_left = sorted(range(len(dice)), key=lambda number: dice[number].box[0])
        return from_left.index(self.numbers[at]) + 1


class Accepted(Throw):
    """A throw that counts."""


class NeedsConfirmation(Throw):
    """A throw that another seat decides about: some dice are unsure or were not seen to roll."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """Dice that do not count; `text` says why and what to do. `reading` is all that lies in the tray."""

    text: str
    reading: Reading


@dataclass(frozen=True, slots=True)
class Void:
    """A throw that has to be repeated whole.

    Attributes:
        text: why.
        reading: all that lies in the tray.
        fresh: the numbers of its dice in the reading.
        unread: the throw is fair, but the table cannot read a die, and has nothing to ask.
    """

    text: str
    reading: Reading
    fresh: tuple[int, ...] = ()
    unread: bool = False


Outcome: TypeAlias = Waiting | Accepted | NeedsConfirmation | Rejected | Void


class Friendly:
    """Fresh dice count however they came to lie there; those that were not seen to roll are marked."""

    def judge(self, seen: Settled, found: Comparison, awaited: Awaited, before: Baseline) -> Outcome:
        fresh = found.fresh_dice
        why = doubts(fresh, reveal=awaited.reveal)
        kinds = [die.kind for die in fresh]
        if why := why or misfit(kinds, awaited, len(found.left) - len(awaited.aside)):
            return Rejected(why, found.reading)
        if before.pushed(found, awaited):
            if awaited.reveal:
                before.taken_up |= found.gone
            return Rejected(texts.throws.old_die_moved(reveal=awaited.reveal), found.reading)
        unseen: tuple[int, ...] = ()
        if not awaited.reveal and seen.flight is not None and seen.flight.followed:
            arrivals = before.arrivals(found.reading.dice)
            unseen = tuple(
                at for at, i in enumerate(found.fresh) if arrivals[i] in (Arrival.HANDLED, Arrival.UNSEEN)
            )
        return Accepted(seen, found.fresh, values(fresh), unseen=unseen)


class Reveal(Friendly):
    """Dice that are revealed where throws are strict: what they showed first counts.

    They must not be touched before they are read. Afterwards people may lay cocked or doubtful ones flat, but
    what was once seen has to be there; people agree about what was only likely.

    Attributes:
        shown: what the dice showed at each look since the cup was lifted …
        likely: … what they most likely showed, with those that were doubted …
        touched: … and whether one was touched before it was read.
        known: all were read at least likely: a touch can change nothing any more.
    """

    def __init__(self) -> None:
        self.shown: set[tuple[Die, ...]] = set()
        self.likely: set[tuple[Die, ...]] = set()
        self.touched = self.known = False

    def judge(self, seen: Settled, found: Comparison, awaited: Awaited, before: Baseline) -> Outcome:
        self.touched |= seen.touched and not self.known
        outcome = super().judge(seen, found, awaited, before)
        now = shown(found.fresh_dice)
        turned = lacks(now, self.shown)
        if isinstance(outcome, Accepted):
            why = texts.throws.TOUCHED if self.touched else texts.throws.TURNED if turned else None
            why = why or (texts.throws.OTHER_VALUE if lacks(now, self.likely) else None)
            return Rejected(why, found.reading) if why else outcome
        self.known |= len(likely(found.fresh_dice)) == len(found.fresh) == awaited.counts[-1]
        if not turned and len(found.fresh) <= awaited.counts[-1] and not before.pushed(found, awaited):
            self.shown.add(now)
            self.likely.add(likely(found.fresh_dice))
        return outcome

    def first_look(self, seen: Settled, found: Comparison) -> None:
        """Notes the dice that are seen first; they do not count."""
        self.shown.add(shown(found.fresh_dice))
        self.touched = seen.touched

    def begin(self) -> None:
        """Forgets what was seen: other dice are revealed next."""
        self.shown.clear()
        self.likely.clear()
        self.touched = self.known = False


class Strict:
    """One die that a hand set down, turned or touched makes a throw void.

    For dice that were not seen to roll, with no hand at them, another seat vouches. It vouches for all dice
    while dice that count as they lie keep the tray from being seen empty, as after a restart. The dice of a
    void throw join the baseline, and no throw counts as long as one of them lies where it lay.

    Attributes:
        void: the numbers of those dice in the baseline.
        knocked: a die of the baseline left its place although no hand took it.
        needs_consent: a hand came over dice before they were read, or took up dice that people were asked
            about: another seat has to agree to a new throw.
    """

    def __init__(self) -> None:
        self.void: set[int] = set()
        self.knocked = self.needs_consent = False

    def rebased(self, numbers: Sequence[int | None]) -> None:
        """The baseline changes; `numbers` are the places of its dice in the old one."""
        self.void = {i for i, number in enumerate(numbers) if number in self.void}
        self.knocked = False

    def judge(self, seen: Settled, found: Comparison, awaited: Awaited, before: Baseline) -> Outcome:
        reading, fresh = found.reading, found.fresh_dice
        arrivals = before.arrivals(reading.dice)
        if seen.flight is None and awaited.aside:
            arrivals = [Arrival.UNSEEN] * len(arrivals)
        empty_first = seen.flight is None and not awaited.aside
        unfair = texts.throws.EMPTY_FIRST if empty_first else self.unfair(found, arrivals)
        dice = likeliest(fresh, awaited)
        if why := unfair or self.unfit(found, awaited, dice):
            unread = not unfair and any(die.doubt and not (die.cocked or die.value) for die in fresh)
            return Void(why, reading, found.fresh, unread)
        unsure = tuple(i for i, die in enumerate(fresh) if not die.sure)
        unseen = tuple(at for at, i in enumerate(found.fresh) if arrivals[i] is Arrival.UNSEEN)
        outcome = NeedsConfirmation if unsure or unseen else Accepted
        known = tuple((kind, value) for kind, value in dice if kind)
        return outcome(seen, found.fresh, known, unsure, unseen)

    def unfair(self, found: Comparison, arrivals: Sequence[Arrival]) -> str | None:
        """The sentence about fresh dice that a hand set down, or that came with what makes a throw void."""
        if self.needs_consent:
            return texts.throws.HAND_OVER_DICE
        if placed := sum(arrivals[i] in (Arrival.HANDLED, Arrival.LAY) for i in found.fresh):
            return texts.throws.placed(placed)
        return texts.throws.old_die_moved(reveal=False) if self.knocked else None

    def unfit(
        self, found: Comparison, awaited: Awaited, dice: Sequence[tuple[Kind | None, int | None]]
    ) -> str | None:
        """The sentence about a fair throw that is not the awaited one, or that no seat could confirm."""
        hard = [
            die
            for die, (kind, value) in zip(found.fresh_dice, dice, strict=True)
            if die.doubt in NOT_FLAT or kind is None or (die.cocked and value is None)
        ]
        why = doubts(hard, reveal=False)
        due = len(found.left) - len(awaited.aside)
        why = why or misfit([kind for kind, _ in dice], awaited, due)
        if not why and found.left & self.void:
            why = texts.throws.left_lying(len(found.left & self.void))
        return texts.throws.void(why, len(found.fresh) + max(0, due)) if why else None


def values(dice: Iterable[DieReading]) -> tuple[Die, ...]:
    """The kind and value of each die that has both."""
    return tuple((die.kind, die.value) for die in dice if die.kind and die.value)


def shown(dice: Iterable[DieReading]) -> tuple[Die, ...]:
    """What each die shows, if that is known."""
    return tuple(face for die in dice if (face := die.shows))


def likely(dice: Iterable[DieReading]) -> tuple[Die, ...]:
    """The kind and value of each die, where both are at least likely."""
    return values(die for die in dice if die.doubt not in HARDLY_A_VALUE)


def lacks(now: tuple[Die, ...], before: Iterable[tuple[Die, ...]]) -> bool:
    """Whether dice that were there before are missing now."""
    return any(Counter(dice) - Counter(now) for dice in before)


def doubts(dice: Sequence[DieReading], *, reveal: bool) -> str | None:
    """The sentence about unknown, cocked or unread dice, if there are any."""
    if unknown := [die for die in dice if die.doubt is Doubt.UNKNOWN_DIE]:
        return texts.throws.unknown_dice(len(unknown))
    if cocked := [die for die in dice if die.cocked]:
        return texts.throws.cocked(cocked[0].kind, reveal=reveal)
    if unsure := [die for die in dice if not die.sure]:
        likely = [words.die(str(die.kind), die.value) for die in unsure if die.value is not None]
        return texts.throws.unsure(len(unsure), likely, reveal=reveal)
    return None


def likeliest(dice: Sequence[DieReading], awaited: Awaited) -> tuple[tuple[Kind | None, int | None], ...]:
    """The kind and value of each die, if they were read.

    A die of unknown kind takes the kind that is missing, if only one can be.
    """
    lacking = Counter(awaited.kinds) - Counter(die.kind for die in dice if die.kind)
    only = next(iter(lacking)) if len(lacking) == 1 else None
    return tuple((die.kind or only, die.value) for die in dice)


def misfit(kinds: Sequence[Kind | None], awaited: Awaited, old: int) -> str | None:
    """The sentence about a wrong kind or number of dice; `old` ones to be thrown still lie unmoved."""
    allowed, ordered = Counter(awaited.kinds), sorted(set(awaited.kinds), key=KINDS.index)
    for kind, count in Counter(kinds).items():
        if kind is None or kind not in allowed:
            return texts.throws.wrong_kind(str(kind), ordered)
        if count > allowed[kind] and len(kinds) in awaited.counts:
            return texts.throws.wrong_kind(f"second {kind}", ordered)
    if len(kinds) in awaited.counts:
        return None
    missing = awaited.counts[0] - len(kinds)
    if 0 < missing <= old and not awaited.reveal:
        return texts.throws.left_lying(missing)
    return texts.throws.wrong_count(len(kinds), awaited.counts[0])
