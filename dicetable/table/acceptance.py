"""Decides whether a throw is accepted, or asks people, whose answers `confirm_throw` takes.

`Acceptance` is a state machine without I/O or a clock: observations, prompts and times go in, outcomes come
out, and the caller carries them out. It knows nothing of any one game. Each rule takes a reading as compared
with the baseline, and remembers only what it needs of those before.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from common import texts
from dicetable.ledger.entries import DieDetails, LyingDie
from dicetable.table.baseline import Baseline, Comparison, remembered, unmoved
from dicetable.table.table_state import Awaited
from games import words
from games.dice import ALIKE, EVERY_KIND, Die, Kind
from vision.reading import Arrival, DieReading, Doubt, Reading, Settled

RETRY_S: Final = 2.0
"""A throw that could not be saved is accepted again after this time."""
REMINDER_S: Final = 6.0
"""How long a tray in which something moved may lie still without a new die before people are reminded."""
THROWN_AGAIN: Final = frozenset({Doubt.COVERED, Doubt.CUT_BY_FRAME, Doubt.PILE, Doubt.UNKNOWN_DIE})
"""Why a die that was thrown is thrown again; with any other doubt people are asked what it shows.

So is one that plainly lies cocked, without a value; of one that may lie flat, people see whether it does.
"""
HARDLY_A_VALUE: Final = THROWN_AGAIN | {Doubt.NOT_READ, Doubt.ODD_SIZE, Doubt.FRAMES_DISAGREE}
"""The doubts with which a die may show another value; with any other it shows most likely what was read."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing was thrown; `text` reminds people of what is awaited, if it is time to."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class ThrownDie:
    """A die of a throw.

    Attributes:
        number: its place in the reading, from 0.
        reading: the die as it was read.
        kind, value: what it counts as; until people have said so, the likeliest. The value is None where none
            was read.
        details: what else the ledger will have of it; `vouched_by` of a die that was not seen to roll is
            "nobody" until a seat vouches.
    """

    number: int
    reading: DieReading
    kind: Kind
    value: int | None
    details: DieDetails

    @property
    def unseen(self) -> bool:
        """Whether it was not seen to roll."""
        return self.details.vouched_by is not None


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice in the tray that are the throw the prompt waits for.

    Attributes:
        settled: the tray as it was read, with all its dice.
        dice: those that were thrown.
    """

    settled: Settled
    dice: tuple[ThrownDie, ...]

    @property
    def faces(self) -> tuple[Die, ...]:
        """Kind and value of each die that has a value: all of them unless some are unsure."""
        return tuple((die.kind, die.value) for die in self.dice if die.value is not None)

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(die.number for die in self.dice)

    @property
    def unseen(self) -> tuple[ThrownDie, ...]:
        return tuple(die for die in self.dice if die.unseen)

    @property
    def baseline(self) -> tuple[LyingDie, ...]:
        """All dice in the tray, as the ledger remembers them."""
        return remembered(self.settled.reading.dice)

    def rank(self, die: ThrownDie) -> int:
        """The place of a die among all dice in the tray, from the left, from 1."""
        dice = self.settled.reading.dice
        from_left = sorted(range(len(dice)), key=lambda number: dice[number].box[0])
        return from_left.index(die.number) + 1


class Accepted(Throw):
    """A throw that counts."""


class NeedsConfirmation(Throw):
    """A throw that another seat decides about: some dice are unsure or were not seen to roll."""

    @property
    def unsure(self) -> tuple[ThrownDie, ...]:
        """The dice whose values another seat has to confirm."""
        return tuple(die for die in self.dice if not die.reading.sure)


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

    def judge(self, settled: Settled, comparison: Comparison, awaited: Awaited, before: Baseline) -> Outcome:
        fresh = comparison.fresh_dice
        why = doubts(fresh, reveal=awaited.reveal)
        kinds = [die.kind for die in fresh]
        if why := why or misfit(kinds, awaited, len(comparison.left) - len(awaited.aside)):
            return Rejected(why, comparison.reading)
        if before.pushed(comparison, awaited):
            if awaited.reveal:
                before.taken_up |= comparison.gone
            return Rejected(texts.throws.old_die_moved(reveal=awaited.reveal), comparison.reading)
        flight = None if awaited.reveal else settled.flight
        unseen: set[int] = set()
        if flight is not None and (flight.followed or settled.photograph):
            arrivals = before.arrivals(comparison.reading.dice)
            unseen = {i for i in comparison.fresh if arrivals[i] in (Arrival.HANDLED, Arrival.UNSEEN)}
        return Accepted(settled, thrown_dice(comparison, values(fresh), unseen))


class Reveal(Friendly):
    """Dice that are revealed where throws are strict: what they showed first counts.

    They must not be touched before they are read. Afterwards people may lay cocked or doubtful ones flat, but
    what was once seen has to be there; people agree about what was only likely.

    Attributes:
        shown: what the sure dice showed at each look since the cup was lifted.
        likely: what all dice most likely showed at each of these looks, the doubted ones too.
        touched: whether a die was touched before it was read.
        known: all were read at least likely: a touch can change nothing any more.
    """

    def __init__(self) -> None:
        self.shown: set[tuple[Die, ...]] = set()
        self.likely: set[tuple[Die, ...]] = set()
        self.touched = self.known = False

    def judge(self, settled: Settled, comparison: Comparison, awaited: Awaited, before: Baseline) -> Outcome:
        self.touched |= settled.touched and not self.known
        outcome = super().judge(settled, comparison, awaited, before)
        now = shown(comparison.fresh_dice)
        turned = lacks(now, self.shown)
        if isinstance(outcome, Accepted):
            why = texts.throws.TOUCHED if self.touched else texts.throws.TURNED if turned else None
            why = why or (texts.throws.OTHER_VALUE if lacks(now, self.likely) else None)
            return Rejected(why, comparison.reading) if why else outcome
        self.known |= len(likely(comparison.fresh_dice)) == len(comparison.fresh) == awaited.counts[-1]
        if (
            not turned
            and len(comparison.fresh) <= awaited.counts[-1]
            and not before.pushed(comparison, awaited)
        ):
            self.shown.add(now)
            self.likely.add(likely(comparison.fresh_dice))
        return outcome

    def first_look(self, settled: Settled, comparison: Comparison) -> None:
        self.shown.add(shown(comparison.fresh_dice))
        self.touched = settled.touched

    def begin(self) -> None:
        """Forgets what was seen: other dice are revealed next."""
        self.shown.clear()
        self.likely.clear()
        self.touched = self.known = False


class Strict:
    """Judges throws: one die that a hand moved or turned after it lay still makes a throw void.

    For dice that were not seen to roll, as one that a hand may have set down, another seat vouches. It
    vouches for all dice if none lies where the tray was seen bare, because dice that count as they lie were
    there at the start.
    The dice of a void throw join the baseline, and no throw counts as long as one of them lies where it lay.

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
        self.void = {i for i, number in enumerate(numbers) if number in self.void}
        self.knocked = False

    def judge(self, settled: Settled, comparison: Comparison, awaited: Awaited, before: Baseline) -> Outcome:
        reading, fresh = comparison.reading, comparison.fresh_dice
        arrivals = before.arrivals(reading.dice)
        if settled.flight is None and awaited.aside:
            arrivals = [Arrival.UNSEEN] * len(arrivals)
        empty_first = settled.flight is None and not awaited.aside
        unfair = texts.throws.EMPTY_FIRST if empty_first else self.unfair(comparison, arrivals)
        dice = likeliest(fresh, awaited)
        if why := unfair or self.unfit(comparison, awaited, dice):
            unread = not unfair and any(die.doubt and not (die.cocked or die.value) for die in fresh)
            return Void(why, reading, comparison.fresh, unread)
        unseen = {i for i in comparison.fresh if arrivals[i] is Arrival.UNSEEN}
        outcome = Accepted if not unseen and all(die.sure for die in fresh) else NeedsConfirmation
        return outcome(settled, thrown_dice(comparison, dice, unseen))

    def unfair(self, comparison: Comparison, arrivals: Sequence[Arrival]) -> str | None:
        """The sentence about fresh dice that a hand set down, or that came with what makes a throw void."""
        if self.needs_consent:
            return texts.throws.HAND_OVER_DICE
        if placed := sum(arrivals[i] in (Arrival.HANDLED, Arrival.LAY) for i in comparison.fresh):
            return texts.throws.placed(placed)
        return texts.throws.old_die_moved(reveal=False) if self.knocked else None

    def unfit(
        self, comparison: Comparison, awaited: Awaited, dice: Sequence[tuple[Kind | None, int | None]]
    ) -> str | None:
        """The sentence about a fair throw that is not the awaited one, or that no seat could confirm."""
        hard = [
            die
            for die, (kind, value) in zip(comparison.fresh_dice, dice, strict=True)
            if die.doubt in THROWN_AGAIN or kind is None or (die.cocked and value is None)
        ]
        why = doubts(hard, reveal=False)
        due = len(comparison.left) - len(awaited.aside)
        why = why or misfit([kind for kind, _ in dice], awaited, due)
        if not why and comparison.left & self.void:
            why = texts.throws.left_lying(len(comparison.left & self.void))
        return texts.throws.void(why, len(comparison.fresh) + max(0, due)) if why else None


def thrown_dice(
    comparison: Comparison, faces: Sequence[tuple[Kind | None, int | None]], unseen: set[int]
) -> tuple[ThrownDie, ...]:
    """The fresh dice with the faces that they count as; `unseen` are numbers in the reading."""
    dice = []
    for number, die, (kind, value) in zip(comparison.fresh, comparison.fresh_dice, faces, strict=True):
        vouched_by: Literal["nobody"] | None = "nobody" if number in unseen else None
        details = DieDetails(die.position_mm, die.die_id, vouched_by=vouched_by)
        if kind is not None:
            dice.append(ThrownDie(number, die, kind, value, details))
    return tuple(dice)


def values(dice: Iterable[DieReading]) -> tuple[Die, ...]:
    return tuple(face for die in dice if (face := die.face))


def shown(dice: Iterable[DieReading]) -> tuple[Die, ...]:
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

    A die of unknown kind takes the kind that is missing, if only one can be. A doubtful one of a kind that is
    not due may be the one that looks like it.
    """
    likely = as_due(dice, awaited)
    lacking = Counter(awaited.kinds) - Counter(kind for kind, _ in likely if kind)
    only = next(iter(lacking)) if len(lacking) == 1 else None
    return tuple((kind or only, value) for kind, value in likely)


def as_due(dice: Sequence[DieReading], awaited: Awaited) -> list[tuple[Kind | None, int | None]]:
    """The dice with another kind for each doubtful one that looks like a die that is due instead.

    The value is open then, but for a 10, which both kinds bear.
    """
    kinds = Counter(die.kind for die in dice if die.kind)
    lacking = Counter(awaited.needed) - kinds
    room = Counter(awaited.kinds)
    taken: list[tuple[Kind | None, int | None]] = []
    for die in dice:
        like = ALIKE.get(die.kind) if die.kind and not die.sure else None
        if die.kind and like and (lacking[like] or (kinds[die.kind] > room[die.kind] and room[like])):
            kinds[die.kind] -= 1
            lacking[like] -= 1
            taken.append((like, 10 if die.value == 10 else None))
        else:
            taken.append((die.kind, die.value))
    return taken


def misfit(kinds: Sequence[Kind | None], awaited: Awaited, old: int) -> str | None:
    """The sentence about a wrong kind or number of dice; `old` ones to be thrown still lie unmoved."""
    allowed, ordered = Counter(awaited.kinds), sorted(set(awaited.kinds), key=EVERY_KIND.index)
    for kind, count in Counter(kinds).items():
        if kind is None or kind not in allowed:
            return texts.throws.wrong_kind(str(kind), ordered)
        if count > allowed[kind] and len(kinds) in awaited.counts:
            return texts.throws.wrong_kind(f"second {kind}", ordered)
    if len(kinds) in awaited.counts:
        lacking = Counter(awaited.needed) - Counter(kind for kind in kinds if kind)
        return texts.throws.wrong_kind(str(kinds[0]), awaited.needed) if lacking else None
    missing = awaited.counts[0] - len(kinds)
    if 0 < missing <= old and not awaited.reveal:
        return texts.throws.left_lying(missing)
    return texts.throws.wrong_count(len(kinds), awaited.counts[0])


class Acceptance:
    """The outcome of each reading, given the prompt and the baseline.

    Report what happens, in the order of time. Each report returns the outcome to carry out now, or None. All
    times are in seconds on the clock of the eye's messages.

    Args:
        strict: whether dice that a hand set down make a throw void.

    Attributes:
        awaited: the dice that the prompt waits for; None if it waits for none.
        last_settled: the tray as it was read since it came to rest; None while something moves or nothing is
            seen.
        before: what lay in the tray when dice were last accepted or void, and what became of it.
        confirming: the throw that people are asked about, as long as its dice lie untouched.
        friendly, reveal, strict_throws: the rules.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.awaited: Awaited | None = None
        self.prompt_s = float("-inf")
        self.last_settled: Settled | None = None
        self.decided: Settled | None = None
        self.confirming: NeedsConfirmation | None = None
        self.before = Baseline()
        self.friendly, self.reveal, self.strict_throws = Friendly(), Reveal(), Strict()
        self.baseline_known = self.moved = self.interrupted = False
        self.retry_s: float | None = None
        self.reminder_s: float | None = None

    @property
    def baseline(self) -> tuple[LyingDie, ...]:
        """The dice that lay in the tray when dice were last accepted or void."""
        return self.before.dice

    @property
    def needs_consent(self) -> bool:
        return self.strict_throws.needs_consent

    # What the game and the panel report.

    def prompt(self, awaited: Awaited | None, now_s: float) -> Outcome | None:
        """The game waits for other dice, or for none.

        What lay in the tray before a prompt to throw is no throw. What is revealed may lie there already.
        """
        if awaited != self.awaited:
            self.reveal.begin()
        self.confirming = None
        self.awaited, self.prompt_s, self.reminder_s = awaited, now_s, None
        return self.decide(now_s, early=True)

    def set_baseline(self, dice: Sequence[LyingDie] | None) -> None:
        """A throw was saved or a game began, with these dice in the tray; None if they are not known.

        Then the next reading only shows what lies there.
        """
        self.rebase(dice or ())
        self.strict_throws.needs_consent = False
        self.baseline_known = dice is not None
        self.decided, self.retry_s = self.last_settled, None

    def not_saved(self, now_s: float) -> None:
        """An accepted throw could not be saved: it is accepted again later, if the dice still lie there."""
        self.retry_s = now_s + RETRY_S

    def interrupt(self, now_s: float, *, interrupted: bool) -> Outcome | None:
        """The game is interrupted, or goes on: meanwhile dice may be thrown, but are not accepted."""
        if interrupted == self.interrupted:
            return None
        self.interrupted = interrupted
        return self.decide(now_s)

    def lose_sight(self) -> None:
        """Dice may come to lie in the tray unnoticed: those of the next reading do not count."""
        self.baseline_known, self.decided = False, None

    def consent(self) -> None:
        """Another seat agrees to a new throw after a hand came over the dice."""
        self.strict_throws.needs_consent = False

    def agreed(self, throw: NeedsConfirmation, dice: Sequence[ThrownDie]) -> Accepted:
        """People agreed to a throw that they were asked about: it counts, with the values of these dice."""
        return Accepted(throw.settled, tuple(dice))

    def nobody_agreed(self, throw: NeedsConfirmation) -> Void:
        """No other seat agreed to a throw that people were asked about: it is void."""
        comparison = self.compared(throw.settled.reading)
        self.make_void(comparison)
        self.decided = self.last_settled
        return Void(texts.throws.nobody_agreed(len(throw.dice)), throw.settled.reading, comparison.fresh)

    # What the eye reports.

    def blind(self) -> None:
        self.last_settled = self.reminder_s = None

    def unsettled(self) -> None:
        """Something moves in the tray, or hides it."""
        self.last_settled = self.reminder_s = None
        self.moved = True

    def settled(self, settled: Settled, now_s: float) -> Outcome | None:
        """The tray lies still and was read."""
        if self.strict and settled.photograph:
            return Rejected(texts.throws.PHOTOGRAPH, settled.reading) if settled.reading.dice else None
        self.last_settled, self.reminder_s = settled, None
        if self.confirming is not None and not settled.unchanged(self.confirming.settled):
            self.confirming = None
            self.strict_throws.needs_consent = True
        early = settled.time_s < self.prompt_s
        if self.strict:
            self.before.note_replaced(settled)
        if not early:  # how dice came is noted also while none are accepted
            self.before.note_arrivals(settled.flight, settled.reading.dice)
            strict_throw = self.strict and self.awaited is not None and not self.awaited.reveal
            if settled.flight is not None and strict_throw:
                self.strict_throws.knocked |= settled.flight.knocked
                self.strict_throws.needs_consent |= settled.flight.interfered
        return self.decide(now_s, early=early)

    def tick(self, now_s: float) -> Outcome | None:
        if self.retry_s is not None and now_s >= self.retry_s:
            self.retry_s = self.decided = None
            return self.decide(now_s)
        if self.reminder_s is not None and now_s >= self.reminder_s and not self.interrupted:
            self.reminder_s = None
            if self.awaited is not None and self.last_settled is not None:
                count, old = self.awaited.counts[0], bool(self.last_settled.reading.dice)
                return Waiting(texts.throws.nothing_new(count, old=old, reveal=self.awaited.reveal))
        return None

    # The decision.

    def decide(self, now_s: float, *, early: bool = False) -> Outcome | None:
        """The outcome of what lies still in the tray, once; `early`: it lay there before the prompt."""
        settled, awaited = self.last_settled, self.awaited
        if settled is None or settled is self.decided:
            return None
        if early and self.baseline_known and awaited is not None and not awaited.reveal:
            self.decided = settled
            numbers = unmoved(settled.reading.dice, self.baseline)
            self.rebase(remembered(settled.reading.dice), numbers)
            return Rejected(texts.throws.TOO_EARLY, settled.reading) if None in numbers else Waiting()
        if self.interrupted:
            return None
        outcome = self.judge(settled, awaited)
        if isinstance(outcome, Accepted | Void):
            self.decided = settled
        if isinstance(outcome, NeedsConfirmation):
            self.confirming = outcome
        if outcome == Waiting() and awaited is not None and self.moved:
            self.reminder_s = now_s + REMINDER_S
        return outcome

    def judge(self, settled: Settled, awaited: Awaited | None) -> Outcome:
        """The outcome of a reading, by the baseline and by what happened since it was set."""
        comparison = self.compared(settled.reading)
        if not self.baseline_known:
            return self.first_sight(settled, comparison, awaited)
        if not comparison.fresh:
            return self.nothing_fresh(comparison, awaited)
        if awaited is None:
            return Waiting()
        if not self.strict:
            return self.friendly.judge(settled, comparison, awaited, self.before)
        if awaited.reveal:
            return self.reveal.judge(settled, comparison, awaited, self.before)
        outcome = self.strict_throws.judge(settled, comparison, awaited, self.before)
        if isinstance(outcome, Void):
            self.make_void(comparison)
        return outcome

    def first_sight(self, settled: Settled, comparison: Comparison, awaited: Awaited | None) -> Outcome:
        """The outcome of the first reading of an unknown tray: it becomes the baseline."""
        self.rebase(remembered(settled.reading.dice), comparison.numbers)
        self.baseline_known, self.decided = True, settled
        self.reveal.first_look(settled, comparison)
        if comparison.fresh and awaited is not None:
            return Rejected(texts.throws.not_seen(reveal=awaited.reveal), settled.reading)
        return Waiting()

    def nothing_fresh(self, comparison: Comparison, awaited: Awaited | None) -> Outcome:
        """The outcome if no die came into the tray; dice may have been taken up."""
        self.before.note_taken_up(comparison)
        if awaited is None or awaited.reveal:
            self.reveal.begin()
            return Waiting()
        if self.needs_consent:
            return Rejected(texts.throws.HAND_OVER_DICE, comparison.reading)
        if comparison.left and not comparison.gone and self.moved:
            return Rejected(texts.throws.nothing_thrown(awaited.counts[0]), comparison.reading)
        return Waiting()

    # The baseline.

    def compared(self, reading: Reading) -> Comparison:
        return self.before.compared(reading, reveal=self.awaited is not None and self.awaited.reveal)

    def rebase(self, dice: Iterable[LyingDie], numbers: Sequence[int | None] = ()) -> None:
        """Makes these dice the baseline; `numbers` are their numbers in the old one."""
        self.strict_throws.rebased(numbers)
        self.before = Baseline(dice)
        self.reveal.begin()
        self.moved = False
        self.confirming = None

    def make_void(self, comparison: Comparison) -> None:
        """Adds all dice to the baseline, the fresh ones as void."""
        self.rebase(remembered(comparison.reading.dice), comparison.numbers)
        self.strict_throws.void.update(comparison.fresh)
