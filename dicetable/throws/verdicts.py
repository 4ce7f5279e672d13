"""What strict throws make of each throw of a recording, if its number and kinds of dice are right.

It knows no game: any dice are awaited, all the time. What another seat would be asked about counts as agreed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from dicetable import texts
from dicetable.eye.messages import MOST_DICE
from dicetable.throws.acceptance import Acceptance
from dicetable.throws.awaited import Awaited
from dicetable.throws.baseline import arrival_by_now
from dicetable.throws.outcomes import Accepted, NeedsConfirmation, Rejected, Void
from games.dice import KINDS
from vision.observation import Reason
from vision.reading import Arrival

if TYPE_CHECKING:
    from dicetable.throws.outcomes import Outcome
    from vision.observation import Settled
    from vision.reading import DieReading

ANY: Final = Awaited(tuple(kind for kind in KINDS for _ in range(MOST_DICE)), tuple(range(1, MOST_DICE + 1)))


class Word(StrEnum):
    """The verdict on a throw."""

    COUNTS = "counts"
    VOUCH = "vouch"
    CONFIRM = "confirm"
    VOID = "void"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of the dice, each time the tray settled.

    Attributes:
        word: it is UNREAD, too, where there is no new die.
        reason: why it does not count, or what the panel asks; None if it counts.
        dice: all that lie in the tray, and how each came; those from before LAY there.
    """

    time_s: float
    word: Word
    reason: str | None
    dice: tuple[tuple[DieReading, Arrival], ...]


class Umpire:
    """Judges what the eye reports, in order; the tray counts as seen from the first report on."""

    def __init__(self) -> None:
        self.acceptance = Acceptance(strict=True)
        self.acceptance.set_baseline(())
        self.acceptance.prompt(ANY, float("-inf"))

    def unsettled(self, why: Reason) -> None:
        """Something moves in the tray, or hides it."""
        self.acceptance.unsettled()
        if why is Reason.CAMERA_MOVED:
            self.acceptance.lose_sight()

    def settled(self, seen: Settled) -> Verdict:
        """The tray lies still and was read."""
        outcome = self.acceptance.settled(seen, seen.time_s)
        if isinstance(outcome, Accepted | NeedsConfirmation):
            self.acceptance.set_baseline(outcome.baseline)
        self.acceptance.consent()
        fresh = new_dice(outcome)
        word, reason = judged(outcome)
        arrivals = [Arrival.UNSEEN] * len(seen.reading.dice)
        if seen.flight is not None:
            followed = seen.flight.followed
            arrivals = [arrival_by_now(how, Arrival.LAY, followed=followed) for how in seen.flight.arrivals]
        dice = tuple(
            (die, how if number in fresh else Arrival.LAY)
            for number, (die, how) in enumerate(zip(seen.reading.dice, arrivals, strict=True))
        )
        return Verdict(seen.time_s, word, reason, dice)


def new_dice(outcome: Outcome | None) -> tuple[int, ...]:
    """The numbers of the dice in the reading that were judged."""
    if isinstance(outcome, Void):
        return outcome.fresh
    if isinstance(outcome, Accepted | NeedsConfirmation) and outcome.read_from is not None:
        return outcome.read_from.numbers
    return ()


def judged(outcome: Outcome | None) -> tuple[Word, str | None]:
    """The verdict and its reason."""
    if isinstance(outcome, Accepted):
        return Word.COUNTS, None
    if isinstance(outcome, NeedsConfirmation):
        if not outcome.unsure:
            return Word.VOUCH, texts.throws.fair(len(outcome.unseen))
        asked = [
            texts.throws.which_value(texts.throws.which(kind, outcome.ranks[at]), value)
            for at, (kind, value) in enumerate(outcome.dice)
            if at in outcome.unsure
        ]
        asked += [texts.throws.vouches_too(len(outcome.unseen))] if outcome.unseen else []
        return Word.CONFIRM, " ".join(asked)
    if isinstance(outcome, Void):
        return (Word.UNREAD if outcome.unread else Word.VOID), outcome.text
    if isinstance(outcome, Rejected) and outcome.text != texts.throws.nothing_thrown(1):
        return Word.VOID, outcome.text
    return Word.UNREAD, texts.throws.NO_NEW_DICE
