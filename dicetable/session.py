"""Matches what the eye saw to what the game waits for. Everything that plays a game goes through here.

Takes readings, gives the next state of the match or a plain sentence why not. Knows no camera, no panel
driver and no clock, and nothing of any one game beyond its prompts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dicetable import texts
from games.prompts import OverPrompt, RevealPrompt, ThrowPrompt
from games.requests import Dice
from vision.agreement import overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.game import Event
    from games.match import Match
    from vision.reading import DieReading, Reading

UNMOVED = 0.7
"""Overlap of its box now and then (intersection over union) from which a die counts as lying unmoved."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A reading that the game has taken: the dice that counted and what came of them."""

    dice: tuple[DieReading, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A reading that changed nothing, and the sentence that says why and what to do."""

    text: str


class Session:
    """One match at the table.

    `match` is the game so far. `lying` are all dice as they lay at the last accepted reading: those of them
    that still lie there unmoved do not count in the next one.
    """

    def __init__(self, match: Match, lying: Sequence[DieReading] = ()) -> None:
        self.match = match
        self.lying: tuple[DieReading, ...] = tuple(lying)

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return isinstance(self.match.prompt, OverPrompt)

    def offer(self, reading: Reading, revision: int | None = None) -> Accepted | Refused:
        """Takes a reading of still dice if it is beyond doubt what was thrown, else says why not.

        Args:
            reading: all dice in view.
            revision: the match's revision when the dice were thrown; a reading of an earlier one is stale.

        Raises:
            games.errors.Stale: the match has gone on since `revision`.
        """
        self.match.check_revision(revision)
        prompt = self.match.prompt
        if not isinstance(prompt, ThrowPrompt | RevealPrompt):
            return Refused(texts.NO_DICE_DUE)
        unmoved = [die for die in reading.dice if lies_as_before(die, self.lying)]
        fresh = [die for die in reading.dice if die not in unmoved]
        due = prompt.count if isinstance(prompt, ThrowPrompt) else len(prompt.dice)
        if why := doubts(fresh) or misfit(fresh, due, prompt.dice):
            return Refused(why)
        if 0 < len(unmoved) < len(self.lying) - due:
            return Refused(texts.SET_ASIDE_MOVED)
        self.match = self.match.apply(Dice([(die.kind, die.value) for die in fresh]))
        self.lying = reading.dice
        return Accepted(tuple(fresh), self.match.events)


def lies_as_before(die: DieReading, lying: Sequence[DieReading]) -> bool:
    """Whether the die lies where one lay, showing the same, if what it shows can be told at all."""
    return any(
        overlap(die.box, old.box) >= UNMOVED
        and (not die.sure or (die.kind, die.value) == (old.kind, old.value))
        for old in lying
    )


def doubts(dice: Sequence[DieReading]) -> str | None:
    """The sentence about dice that lean or could not be read, if there are any."""
    if cocked := [die for die in dice if die.cocked]:
        return texts.leaning(cocked[0].kind)
    if unsure := [die for die in dice if not die.sure]:
        likely = [f"{die.kind} {die.value}" for die in unsure if die.value is not None]
        return texts.unsure(len(unsure), likely)
    return None


def misfit(dice: Sequence[DieReading], due: int, kinds: Sequence[str]) -> str | None:
    """The sentence about a wrong kind or number of dice, if it is wrong."""
    spare = list(kinds)
    for die in dice:
        if die.kind not in kinds:
            return texts.wrong_kind(str(die.kind), kinds)
        if die.kind in spare:
            spare.remove(die.kind)
    if len(dice) != due:
        return texts.wrong_count(len(dice), due)
    if len(spare) != len(kinds) - due:
        extra = next(
            die.kind for die in dice if sum(d.kind == die.kind for d in dice) > kinds.count(str(die.kind))
        )
        return texts.wrong_kind(f"second {extra}", kinds)
    return None
