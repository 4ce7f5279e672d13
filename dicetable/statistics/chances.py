"""Luck: what came beside what was to be expected, where the rules' exact odds are known.

Each game whose odds `games.odds` knows has a function here; of other games there is no luck to tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from games import odds
from games.money_shot import MONEY_SHOT
from games.prompts import RevealPrompt, ThrowPrompt
from games.requests import Act, Dice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from games.match import Match
    from games.requests import Request


@dataclass(frozen=True, slots=True)
class Chance:
    """One time that dice decided.

    Attributes:
        seat: whose luck it was.
        expected: the mean of what could come.
        came: what came.
        variance: of what could come; None where it is not known.
    """

    seat: str
    expected: float
    came: float
    variance: float | None

    @property
    def luck(self) -> float:
        """How much more came than was to be expected."""
        return self.came - self.expected


def whether(seat: str, chance: float, *, happened: bool) -> Chance:
    """Something good that happened or not."""
    return Chance(seat, chance, float(happened), chance * (1 - chance))


def six_by_6(_before: Match, after: Match, _dice: Dice) -> Iterator[Chance]:
    """The score of each turn, beside the mean of all turns."""
    for event in after.events:
        if event["event"] == "turn_over":
            yield Chance(event["seat"], odds.turn_odds(0, 0).score, float(event["score"]), None)


def six_shooter(before: Match, _after: Match, dice: Dice) -> Iterator[Chance]:
    """Not to bust with a bought die or the opening pair."""
    state = before.current
    seat, target = state.seats[state.turn], state.options.target
    total = state.total(state.turn)
    came = total + sum(face for _, face in dice.dice)
    kinds = [kind for kind, _ in dice.dice]
    if state.phase == "opening":
        bust = float(odds.opening_bust(kinds, target))
    else:
        bust = float(odds.bust(kinds[0], total, target))
    yield whether(seat, 1 - bust, happened=came <= target)


def money_shot(before: Match, _after: Match, dice: Dice) -> Iterator[Chance]:
    """A new peak or the money shot."""
    state = before.current
    face = dice.dice[0][1]
    least = MONEY_SHOT if state.fader is None else (state.peak or 0) + 1
    yield whether(state.seats[state.active], float(odds.peak_beaten(state)), happened=face >= least)


def liars_dice(before: Match, after: Match, _dice: Dice) -> Iterator[Chance]:
    """A challenge, for both seats, beside the odds of whoever sees no cup."""
    state = before.current
    for event in after.events:
        if event["event"] == "challenge_won" and state.bid is not None:
            holds = float(odds.bid_holds(state.bid, sum(state.dice)))
            bidder, challenger = state.seats[state.bidder], state.seats[state.turn]
            yield whether(bidder, holds, happened=event["seat"] == bidder)
            yield whether(challenger, 1 - holds, happened=event["seat"] == challenger)


BY_GAME: Final[dict[str, Callable[[Any, Any, Any], Iterator[Chance]]]] = {
    "six_by_6": six_by_6,
    "six_shooter": six_shooter,
    "money_shot": money_shot,
    "liars_dice": liars_dice,
}


def chances(before: Match, request: Request, after: Match) -> list[Chance]:
    """What the dice decided with one request."""
    known = BY_GAME.get(before.game)
    if known is None or isinstance(request, Act) or not isinstance(before.prompt, ThrowPrompt | RevealPrompt):
        return []
    return list(known(before, after, request))
