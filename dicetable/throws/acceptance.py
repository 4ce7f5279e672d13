"""Decides whether a throw is accepted. This is the only place that decides.

A state machine without I/O or a clock: observations, prompts and times go in, outcomes come out. The caller
carries them out. It knows nothing of any one game.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dicetable import texts
from dicetable.throws.baseline import remembered, unmoved
from dicetable.throws.outcomes import Accepted, NeedsConfirmation, ReadFrom, Rejected, Void, Waiting
from games import words
from games.dice import KINDS
from vision.motion.flight import Arrival
from vision.reading import Doubt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dicetable.eye.messages import Settled
    from dicetable.ledger.entries import LyingDie
    from dicetable.throws.awaited import Awaited
    from dicetable.throws.outcomes import Outcome
    from games.dice import Die, Kind
    from vision.motion.flight import Flight
    from vision.reading import DieReading, Reading

RETRY_S: Final = 2.0
"""A throw that could not be saved is accepted again after this time."""
REMINDER_S: Final = 6.0
"""How long a tray in which something moved may lie still without a new die before people are reminded."""
NOT_FLAT: Final = frozenset(
    {Doubt.COVERED, Doubt.CUT_BY_FRAME, Doubt.PILE, Doubt.UNKNOWN_DIE, Doubt.PART_OF_THE_TRAY}
)
"""Why a die that was thrown is thrown again; with any other doubt its value can be confirmed, if it has one.

One that plainly lies cocked has none; of one that may lie flat, people see whether it does.
"""
HARDLY_A_VALUE: Final = NOT_FLAT | {Doubt.NOT_READ, Doubt.ODD_SIZE, Doubt.FRAMES_DISAGREE}
"""With any other doubt a die shows most likely what was read."""


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
        """Which dice of the reading are not in the baseline."""
        return tuple(i for i, number in enumerate(self.numbers) if number is None)

    @property
    def fresh_dice(self) -> tuple[DieReading, ...]:
        """Those dice."""
        return tuple(self.reading.dice[i] for i in self.fresh)


class Acceptance:
    """The outcome of each reading, given the prompt and the baseline.

    Report what happens, in the order of time. Each report returns the outcome that is to be carried out now,
    or None if nothing follows. All times are in seconds on the clock of the eye's messages.

    Dice of the baseline that are seen to be taken up are remembered, so that a die that was only pushed is
    never taken for one that was thrown. Where throws are strict, one die that a hand set down, turned or
    touched makes a throw void: its dice join the baseline, and no throw counts as long as one of them lies
    where it lay. For dice that were not seen to roll, with no hand at them, another seat vouches.

    Args:
        strict: whether dice that a hand set down make a throw void.

    Attributes:
        awaited: the dice that the prompt waits for; None if it waits for none.
        seen: how the tray was read since it came to rest; None while something moves or nothing is seen.
        arrived: the dice that came since the baseline was set, and how: what happened to them last.
        confirming: the throw that people are asked about, as long as its dice lie untouched.
        needs_consent: a hand came over dice before they were read, or took up dice that people were asked
            about: another seat has to agree to a new throw.
        shown: in a strict reveal, what its dice showed at each look since the cup was lifted …
        likely: … what they most likely showed, with those that were doubted …
        touched: … and whether one was touched before it was read.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.awaited: Awaited | None = None
        self.prompt_s = float("-inf")
        self.seen: Settled | None = None
        self.decided: Settled | None = None
        self.confirmed_from: Settled | None = None
        self.confirming: NeedsConfirmation | None = None
        self.baseline: tuple[LyingDie, ...] = ()
        self.arrived: tuple[tuple[LyingDie, Arrival], ...] = ()
        self.taken_up: set[int] = set()
        self.replaced: set[int] = set()
        self.void: set[int] = set()
        self.shown: set[tuple[Die, ...]] = set()
        self.likely: set[tuple[Die, ...]] = set()
        self.in_sight = self.moved = self.knocked = self.needs_consent = self.held = self.touched = False
        self.retry_s: float | None = None
        self.reminder_s: float | None = None

    # What the game and the panel report.

    def prompt(self, awaited: Awaited | None, now_s: float) -> Outcome | None:
        """The game waits for other dice, or for none.

        What lay in the tray before a prompt to throw is no throw. What is revealed may lie there already.
        """
        if awaited != self.awaited:
            self.nothing_revealed()
        self.confirming = self.confirmed_from = None
        self.awaited, self.prompt_s, self.reminder_s = awaited, now_s, None
        return self.decide(now_s, early=True)

    def set_baseline(self, dice: Sequence[LyingDie] | None) -> None:
        """A throw was saved or a game began, and these dice lay there; None if nobody could see which did.

        Then the next reading only shows what lies there.
        """
        self.rebase(dice or ())
        self.needs_consent = False
        self.in_sight = dice is not None
        self.decided, self.retry_s = self.seen, None

    def not_saved(self, now_s: float) -> None:
        """An accepted throw could not be saved: it is accepted again later, if it still lies there."""
        self.retry_s = now_s + RETRY_S

    def hold(self, now_s: float, *, held: bool) -> Outcome | None:
        """The game is interrupted, or goes on: meanwhile no dice are accepted, but they may be thrown."""
        if held == self.held:
            return None
        self.held = held
        return self.decide(now_s)

    def lose_sight(self) -> None:
        """Dice may come to lie in the tray unnoticed: those of the next reading do not count."""
        self.in_sight, self.decided = False, None

    def consent(self) -> None:
        """Another seat agrees to a new throw after a hand came over the dice."""
        self.needs_consent = False

    def nobody_agreed(self, confirming: NeedsConfirmation) -> Void:
        """Another seat did not agree to a throw that people were asked about: it is void."""
        found = self.compared(confirming.reading)
        self.make_void(found)
        self.decided = self.seen
        return Void(texts.throws.nobody_agreed(len(confirming.dice)), confirming.reading, found.fresh)

    # What the eye reports.

    def blind(self) -> None:
        """The camera gives no frames."""
        self.seen = self.reminder_s = None

    def unsettled(self) -> None:
        """Something moves in the tray, or hides it."""
        self.seen = self.reminder_s = None
        self.moved = True

    def settled(self, seen: Settled, now_s: float) -> Outcome | None:
        """The tray lies still and was read."""
        self.seen, self.reminder_s = seen, None
        if self.confirmed_from is not None and not seen.unchanged(self.confirmed_from):
            self.confirming = self.confirmed_from = None
            self.needs_consent = True
        early = seen.time_s < self.prompt_s
        self.note_replaced(seen)
        if not early:
            self.note_flight(seen)
        return self.decide(now_s, early=early)

    def note_flight(self, seen: Settled) -> None:
        """Notes how dice came since the baseline was set, also while none are accepted."""
        flight, dice = seen.flight, seen.reading.dice
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
        if self.strict and self.awaited is not None and not self.awaited.reveal:
            self.knocked |= flight.knocked
            self.needs_consent |= flight.interfered

    def arrivals(self, dice: Sequence[DieReading]) -> list[Arrival]:
        """How each die came since the baseline was set; it LAY there if that is not known."""
        numbers = unmoved(dice, [die for die, _ in self.arrived])
        return [Arrival.LAY if number is None else self.arrived[number][1] for number in numbers]

    def note_replaced(self, seen: Settled) -> None:
        """Notes where a new die lies in the place of an old one that was taken up and shows the same.

        The place was seen empty between the two: a cup that is put over an old die does not make it new.
        """
        if self.strict and seen.flight is not None and seen.flight.anew:
            numbers = unmoved(seen.reading.dice, self.baseline)
            self.replaced.update(
                number
                for number, anew in zip(numbers, seen.flight.anew, strict=True)
                if number in self.taken_up and anew
            )

    def tick(self, now_s: float) -> Outcome | None:
        """Time goes by."""
        if self.retry_s is not None and now_s >= self.retry_s:
            self.retry_s = self.decided = None
            return self.decide(now_s)
        if self.reminder_s is not None and now_s >= self.reminder_s and not self.held:
            self.reminder_s = None
            if self.awaited is not None and self.seen is not None:
                count, old = self.awaited.counts[0], bool(self.seen.reading.dice)
                return Waiting(texts.throws.nothing_new(count, old=old, reveal=self.awaited.reveal))
        return None

    # The decision.

    def decide(self, now_s: float, *, early: bool = False) -> Outcome | None:
        """The outcome of what lies still in the tray, once; `early`: it lay there before the prompt."""
        seen, awaited = self.seen, self.awaited
        if seen is None or seen is self.decided:
            return None
        if early and self.in_sight and awaited is not None and not awaited.reveal:
            self.decided = seen
            return self.too_early(seen.reading)
        if self.held:
            return None
        outcome = self.judge(seen, awaited)
        if isinstance(outcome, Accepted | Void):
            self.decided = seen
        if isinstance(outcome, NeedsConfirmation):
            self.confirming, self.confirmed_from = outcome, seen
        if outcome == Waiting() and awaited is not None and self.moved:
            self.reminder_s = now_s + REMINDER_S
        return outcome

    def too_early(self, reading: Reading) -> Outcome:
        """The outcome of what lay in the tray before the prompt: all of it joins the baseline."""
        numbers = unmoved(reading.dice, self.baseline)
        self.rebase(remembered(reading.dice), numbers)
        return Rejected(texts.throws.TOO_EARLY, reading) if None in numbers else Waiting()

    def judge(self, seen: Settled, awaited: Awaited | None) -> Outcome:
        """The outcome of a reading, by the baseline and by what happened since it was set."""
        found = self.compared(seen.reading)
        if not self.in_sight:
            return self.first_sight(seen, found, awaited)
        if not found.fresh:
            return self.nothing_fresh(found, awaited)
        if awaited is None:
            return Waiting()
        if self.strict and not awaited.reveal:
            return self.judge_strictly(seen, found, awaited)
        if self.strict:
            return self.judge_reveal(seen, found, awaited)
        return self.judge_friendly(seen, found, awaited)

    def first_sight(self, seen: Settled, found: Comparison, awaited: Awaited | None) -> Outcome:
        """The outcome of the first reading after nobody could see the tray: it becomes the baseline."""
        self.rebase(remembered(seen.reading.dice), found.numbers)
        self.in_sight, self.decided = True, seen
        self.shown.add(shown(found.fresh_dice))
        self.touched = seen.touched
        if found.fresh and awaited is not None:
            return Rejected(texts.throws.not_seen(reveal=awaited.reveal), seen.reading)
        return Waiting()

    def nothing_fresh(self, found: Comparison, awaited: Awaited | None) -> Outcome:
        """The outcome where no die came into the tray; dice may have been taken up."""
        self.taken_up = (self.taken_up | found.gone) - (found.left - self.replaced)
        if awaited is None or awaited.reveal:
            self.nothing_revealed()
            return Waiting()
        if self.needs_consent:
            return Rejected(texts.throws.HAND_OVER_DICE, found.reading)
        if found.left and not found.gone and self.moved:
            return Rejected(texts.throws.nothing_thrown(awaited.counts[0]), found.reading)
        return Waiting()

    def judge_friendly(self, seen: Settled, found: Comparison, awaited: Awaited) -> Outcome:
        """The outcome of fresh dice, however they came to lie there."""
        fresh = found.fresh_dice
        why = doubts(fresh, reveal=awaited.reveal)
        if why := why or misfit(fresh, awaited, len(found.left) - len(awaited.aside)):
            return Rejected(why, found.reading)
        if self.pushed(found, awaited):
            if awaited.reveal:
                self.taken_up |= found.gone
            return Rejected(texts.throws.old_die_moved(reveal=awaited.reveal), found.reading)
        read_from = ReadFrom(seen.time_s, found.fresh)
        unseen: tuple[int, ...] = ()
        if not awaited.reveal and seen.flight is not None and seen.flight.followed:
            arrivals = self.arrivals(found.reading.dice)
            unseen = tuple(
                at for at, i in enumerate(found.fresh) if arrivals[i] in (Arrival.HANDLED, Arrival.UNSEEN)
            )
        ids = tuple(die.die_id for die in fresh)
        return Accepted(values(fresh), remembered(found.reading.dice), seen.evidence, read_from, unseen, ids)

    def judge_reveal(self, seen: Settled, found: Comparison, awaited: Awaited) -> Outcome:
        """The outcome of dice that are revealed where throws are strict: what they showed first counts.

        Nobody touches them before they are read. Then cocked or doubtful ones are laid right, but what was
        once seen has to be there; people agree about what was only likely.
        """
        self.touched |= seen.touched
        outcome = self.judge_friendly(seen, found, awaited)
        now = shown(found.fresh_dice)
        turned = lacks(now, self.shown)
        if isinstance(outcome, Accepted):
            why = texts.throws.TOUCHED if self.touched else texts.throws.TURNED if turned else None
            why = why or (texts.throws.OTHER_VALUE if lacks(now, self.likely) else None)
            return Rejected(why, found.reading) if why else outcome
        if not turned and len(found.fresh) <= awaited.counts[-1] and not self.pushed(found, awaited):
            self.shown.add(now)
            self.likely.add(likely(found.fresh_dice))
        return outcome

    def judge_strictly(self, seen: Settled, found: Comparison, awaited: Awaited) -> Outcome:
        """The outcome of fresh dice where throws are strict."""
        reading, fresh = found.reading, found.fresh_dice
        unfair = self.unfair(found, seen.flight)
        if why := unfair or self.unfit(found, awaited):
            self.make_void(found)
            unread = not unfair and any(die.doubt and not (die.cocked or die.value) for die in fresh)
            return Void(why, reading, found.fresh, unread)
        baseline = remembered(reading.dice)
        read_from = ReadFrom(seen.time_s, found.fresh)
        arrivals = self.arrivals(reading.dice)
        unsure = tuple(i for i, die in enumerate(fresh) if not die.sure)
        unseen = tuple(at for at, i in enumerate(found.fresh) if arrivals[i] is Arrival.UNSEEN)
        ids = tuple(die.die_id for die in fresh)
        if not unsure and not unseen:
            return Accepted(values(fresh), baseline, seen.evidence, read_from, (), ids)
        from_left = sorted(range(len(reading.dice)), key=lambda i: reading.dice[i].box[0])
        ranks = tuple(from_left.index(i) + 1 for i in found.fresh)
        positions_mm = tuple(die.position_mm for die in fresh)
        return NeedsConfirmation(
            values(fresh),
            baseline,
            unsure,
            ranks,
            positions_mm,
            ids,
            reading,
            read_from,
            seen.evidence,
            unseen,
        )

    def unfair(self, found: Comparison, flight: Flight | None) -> str | None:
        """The sentence about fresh dice that a hand set down, or that came with what makes a throw void."""
        if flight is None:
            return texts.throws.EMPTY_FIRST
        if self.needs_consent:
            return texts.throws.HAND_OVER_DICE
        arrivals = self.arrivals(found.reading.dice)
        if placed := sum(arrivals[i] in (Arrival.HANDLED, Arrival.LAY) for i in found.fresh):
            return texts.throws.placed(placed)
        return texts.throws.old_die_moved(reveal=False) if self.knocked else None

    def unfit(self, found: Comparison, awaited: Awaited) -> str | None:
        """The sentence about a fair throw that is not the one awaited, or that nobody could confirm."""
        hard = [
            die
            for die in found.fresh_dice
            if die.doubt in NOT_FLAT or (die.doubt and not (die.kind and die.value))
        ]
        why = doubts(hard, reveal=False)
        due = len(found.left) - len(awaited.aside)
        why = why or misfit(found.fresh_dice, awaited, due)
        if not why and found.left & self.void:
            why = texts.throws.left_lying(len(found.left & self.void))
        return texts.throws.void(why, len(found.fresh) + max(0, due)) if why else None

    def pushed(self, found: Comparison, awaited: Awaited) -> bool:
        """Whether one of the fresh dice may be an old one that was only pushed.

        It cannot be if no die left its place unseen that is of a kind with a fresh one. Otherwise all that
        was thrown must have been taken up here, and nothing that counts as it lies may be among it.
        """
        thrown = Counter(die.kind for die in found.fresh_dice)
        unseen = Counter(self.baseline[number].kind for number in found.gone)
        unknown = unseen.pop(None, 0)
        if not unknown and not any(kind in thrown for kind in unseen):
            return False
        seen = Counter(self.baseline[number].kind for number in self.taken_up - found.left)
        others = thrown - unseen
        new = others - seen
        if unseen - thrown or others.total() < unknown or new.total() > unknown + seen[None]:
            return True
        old = {
            number: (self.baseline[number].kind, self.baseline[number].value)
            for number in found.gone | found.left
        }
        taken, stay = Counter(old[number] for number in found.gone), Counter(old.values())
        return any(
            stay[die] - taken[die] < min(count, stay[die]) for die, count in Counter(awaited.aside).items()
        )

    # The baseline.

    def compared(self, reading: Reading) -> Comparison:
        """The reading against the baseline; a die that was seen to be thrown is none of the baseline.

        Nor is one that is revealed where an old one was taken up, even if it shows the same.
        """
        thrown = unmoved(reading.dice, [die for die, how in self.arrived if how is Arrival.THROWN])
        others = [die for die, number in zip(reading.dice, thrown, strict=True) if number is None]
        there = iter(unmoved(others, self.baseline))
        same = [next(there) if number is None else None for number in thrown]
        reveal = self.awaited is not None and self.awaited.reveal
        numbers = tuple(None if reveal and number in self.replaced else number for number in same)
        left = frozenset(number for number in numbers if number is not None)
        gone = frozenset(range(len(self.baseline))) - self.taken_up - left
        return Comparison(reading, numbers, left, gone)

    def rebase(self, dice: Iterable[LyingDie], numbers: Sequence[int | None] = ()) -> None:
        """Makes these dice the baseline; `numbers` are their numbers in the old one."""
        self.void = {i for i, number in enumerate(numbers) if number in self.void}
        self.baseline = tuple(dice)
        self.arrived = ()
        self.taken_up, self.replaced = set(), set()
        self.nothing_revealed()
        self.moved = self.knocked = False
        self.confirming = self.confirmed_from = None

    def nothing_revealed(self) -> None:
        """No dice that are revealed next were seen yet."""
        self.shown.clear()
        self.likely.clear()
        self.touched = False

    def make_void(self, found: Comparison) -> None:
        """All dice join the baseline, and the fresh ones are void."""
        self.rebase(remembered(found.reading.dice), found.numbers)
        self.void.update(found.fresh)


def arrival_by_now(arrival: Arrival, before: Arrival, *, followed: bool) -> Arrival:
    """How a die came since the baseline was set: its newest arrival, and the one that was known before.

    What was handled stays so while it is only lost from sight. `followed`: frames came fast enough to tell a
    throw.
    """
    if arrival is Arrival.LAY or (arrival is Arrival.UNSEEN and before is Arrival.HANDLED):
        return before
    return Arrival.UNSEEN if arrival is Arrival.THROWN and not followed else arrival


def values(dice: Iterable[DieReading]) -> tuple[Die, ...]:
    """The kind and value of each die that has both."""
    return tuple((die.kind, die.value) for die in dice if die.kind and die.value)


def shown(dice: Iterable[DieReading]) -> tuple[Die, ...]:
    """What dice show, of those of which that is known."""
    return tuple(face for die in dice if (face := die.shows))


def likely(dice: Iterable[DieReading]) -> tuple[Die, ...]:
    """The kind and value of each die, where both are at least likely."""
    return values(die for die in dice if die.doubt not in HARDLY_A_VALUE)


def lacks(now: tuple[Die, ...], before: Iterable[tuple[Die, ...]]) -> bool:
    """Whether dice that were there once are not there now."""
    return any(Counter(dice) - Counter(now) for dice in before)


def doubts(dice: Sequence[DieReading], *, reveal: bool) -> str | None:
    """The sentence about dice that are not the table's, cocked or not read, if there are any."""
    if unknown := [die for die in dice if die.doubt is Doubt.UNKNOWN_DIE]:
        return texts.throws.unknown_dice(len(unknown), reveal=reveal)
    if cocked := [die for die in dice if die.cocked]:
        return texts.throws.cocked(cocked[0].kind, reveal=reveal)
    if unsure := [die for die in dice if not die.sure]:
        likely = [words.die(str(die.kind), die.value) for die in unsure if die.value is not None]
        return texts.throws.unsure(len(unsure), likely, reveal=reveal)
    return None


def misfit(dice: Sequence[DieReading], awaited: Awaited, old: int) -> str | None:
    """The sentence about a wrong kind or number of dice; `old` ones to be thrown still lie unmoved."""
    allowed = Counter(awaited.kinds)
    for kind, count in Counter(die.kind for die in dice).items():
        if kind is None or kind not in allowed:
            return texts.throws.wrong_kind(str(kind), ordered(awaited.kinds))
        if count > allowed[kind] and len(dice) in awaited.counts:
            return texts.throws.wrong_kind(f"second {kind}", ordered(awaited.kinds))
    if len(dice) in awaited.counts:
        return None
    missing = awaited.counts[0] - len(dice)
    if 0 < missing <= old and not awaited.reveal:
        return texts.throws.left_lying(missing)
    return texts.throws.wrong_count(len(dice), awaited.counts[0])


def ordered(kinds: Iterable[Kind]) -> list[Kind]:
    """Each kind once, d4 first."""
    return sorted(set(kinds), key=KINDS.index)
