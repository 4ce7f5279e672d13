"""Decides whether a throw is accepted. This is the only place that decides.

A state machine without I/O or a clock: observations, prompts and times go in, outcomes come out. The caller
carries them out. It knows nothing of any one game. `throw_rules` has the rules that it applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from dicetable import texts
from dicetable.ledger.entries import LyingDie
from dicetable.table.baseline import Baseline, Comparison, remembered, unmoved
from dicetable.table.table_state import Awaited
from dicetable.table.throw_rules import (
    Accepted,
    Friendly,
    NeedsConfirmation,
    Outcome,
    Rejected,
    Reveal,
    Strict,
    Void,
    Waiting,
)
from vision.reading import Reading, Settled

RETRY_S: Final = 2.0
"""A throw that could not be saved is accepted again after this time."""
REMINDER_S: Final = 6.0
"""How long a tray in which something moved may lie still without a new die before people are reminded."""


class Acceptance:
    """The outcome of each reading, given the prompt and the baseline.

    Report what happens, in the order of time. Each report returns the outcome to carry out now, or None. All
    times are in seconds on the clock of the eye's messages.

    Args:
        strict: whether dice that a hand set down make a throw void.

    Attributes:
        awaited: the dice that the prompt waits for; None if it waits for none.
        seen: the tray as it was read since it came to rest; None while something moves or nothing is seen.
        before: what lay in the tray when dice were last accepted or void, and what became of it.
        confirming: the throw that people are asked about, as long as its dice lie untouched.
        friendly, reveal, strict_throws: the rules.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.awaited: Awaited | None = None
        self.prompt_s = float("-inf")
        self.seen: Settled | None = None
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
        self.decided, self.retry_s = self.seen, None

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

    def nobody_agreed(self, throw: NeedsConfirmation) -> Void:
        """No other seat agreed to a throw that people were asked about: it is void."""
        found = self.compared(throw.seen.reading)
        self.make_void(found)
        self.decided = self.seen
        return Void(texts.throws.nobody_agreed(len(throw.dice)), throw.seen.reading, found.fresh)

    # What the eye reports.

    def blind(self) -> None:
        self.seen = self.reminder_s = None

    def unsettled(self) -> None:
        """Something moves in the tray, or hides it."""
        self.seen = self.reminder_s = None
        self.moved = True

    def settled(self, seen: Settled, now_s: float) -> Outcome | None:
        """The tray lies still and was read."""
        self.seen, self.reminder_s = seen, None
        if self.confirming is not None and not seen.unchanged(self.confirming.seen):
            self.confirming = None
            self.strict_throws.needs_consent = True
        early = seen.time_s < self.prompt_s
        if self.strict:
            self.before.note_replaced(seen)
        if not early:  # how dice came is noted also while none are accepted
            self.before.note_arrivals(seen.flight, seen.reading.dice)
            strict_throw = self.strict and self.awaited is not None and not self.awaited.reveal
            if seen.flight is not None and strict_throw:
                self.strict_throws.knocked |= seen.flight.knocked
                self.strict_throws.needs_consent |= seen.flight.interfered
        return self.decide(now_s, early=early)

    def tick(self, now_s: float) -> Outcome | None:
        if self.retry_s is not None and now_s >= self.retry_s:
            self.retry_s = self.decided = None
            return self.decide(now_s)
        if self.reminder_s is not None and now_s >= self.reminder_s and not self.interrupted:
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
        if early and self.baseline_known and awaited is not None and not awaited.reveal:
            self.decided = seen
            return self.too_early(seen.reading)
        if self.interrupted:
            return None
        outcome = self.judge(seen, awaited)
        if isinstance(outcome, Accepted | Void):
            self.decided = seen
        if isinstance(outcome, NeedsConfirmation):
            self.confirming = outcome
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
        if not self.baseline_known:
            return self.first_sight(seen, found, awaited)
        if not found.fresh:
            return self.nothing_fresh(found, awaited)
        if awaited is None:
            return Waiting()
        if not self.strict:
            return self.friendly.judge(seen, found, awaited, self.before)
        if awaited.reveal:
            return self.reveal.judge(seen, found, awaited, self.before)
        outcome = self.strict_throws.judge(seen, found, awaited, self.before)
        if isinstance(outcome, Void):
            self.make_void(found)
        return outcome

    def first_sight(self, seen: Settled, found: Comparison, awaited: Awaited | None) -> Outcome:
        """The outcome of the first reading of an unknown tray: it becomes the baseline."""
        self.rebase(remembered(seen.reading.dice), found.numbers)
        self.baseline_known, self.decided = True, seen
        self.reveal.first_look(seen, found)
        if found.fresh and awaited is not None:
            return Rejected(texts.throws.not_seen(reveal=awaited.reveal), seen.reading)
        return Waiting()

    def nothing_fresh(self, found: Comparison, awaited: Awaited | None) -> Outcome:
        """The outcome if no die came into the tray; dice may have been taken up."""
        self.before.note_taken_up(found)
        if awaited is None or awaited.reveal:
            self.reveal.begin()
            return Waiting()
        if self.needs_consent:
            return Rejected(texts.throws.HAND_OVER_DICE, found.reading)
        if found.left and not found.gone and self.moved:
            return Rejected(texts.throws.nothing_thrown(awaited.counts[0]), found.reading)
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

    def make_void(self, found: Comparison) -> None:
        """Adds all dice to the baseline, the fresh ones as void."""
        self.rebase(remembered(found.reading.dice), found.numbers)
        self.strict_throws.void.update(found.fresh)
