"""Skill: what a decision gave away compared with the best one, where the exact odds of both are known.

They are known in Six Shooter once no other seat can buy any more: the hand to beat is final, and only dice
decide. All other decisions depend on something that nobody at the table knows: what lies under cups, or what
other players will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from games import odds
from games.dice import FACES
from games.requests import Act
from games.six_shooter import GAME, State

if TYPE_CHECKING:
    from games.dice import Kind
    from games.match import Match
    from games.requests import Request

REMEMBERED: Final = 20_000
"""Positions whose value is cached."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision for which the value of every choice is known.

    Attributes:
        seat: who decided.
        best: the expected number of chips to come with the best choice.
        chosen: the same with the choice that was made.
    """

    seat: str
    best: float
    chosen: float

    @property
    def loss(self) -> float:
        """How many chips it gave away on average."""
        return self.best - self.chosen


@dataclass(frozen=True, slots=True)
class Hand:
    """What stays as it is while one seat buys and nobody else can: `best` is (total, dice)."""

    target: int
    price: int
    best: tuple[int, int]


def decision(before: Match, request: Request) -> Decision | None:
    """The worth of what a seat of a match did; None where it is not known, or nothing was decided."""
    state = before.current
    if before.game != GAME.name or not isinstance(state, State) or not last_to_act(state):
        return None
    seat = state.turn
    hand = Hand(state.options.target, state.options.price, odds.rivals(state, seat).best)
    total, left, spare = state.total(seat), state.dice_left(seat), odds.dice_to_buy(state, seat)
    if state.phase == "act" and isinstance(request, Act):
        if not spare:
            return None
        sticks = Fraction(state.pot if odds.stick_wins(state, seat) else 0)
        buys = bought(hand, total, left, spare, state.pot)
        chosen = buys if request.action["type"] == "buy" else sticks
        return Decision(state.seats[seat], float(max(sticks, buys)), float(chosen))
    if state.phase == "bought" and not isinstance(request, Act) and len(left) > 1:
        worth = {kind: thrown(hand, total, left, kind, spare, state.pot) for kind in left}
        return Decision(state.seats[seat], float(max(worth.values())), float(worth[request.dice[0][0]]))
    return None


def last_to_act(state: State) -> bool:
    """Whether somebody is to decide or to choose a die, and all others that are in the hand have stuck."""
    return (
        state.phase in ("act", "bought") and state.seats_that_are("in") == [state.turn] and bool(state.stuck)
    )


@lru_cache(REMEMBERED)
def bought(hand: Hand, total: int, left: tuple[Kind, ...], spare: int, pot: int) -> Fraction:
    """The chips that buying a die brings on average, with chips for `spare` of those that are left."""
    after = pot + hand.price
    return max(thrown(hand, total, left, kind, spare - 1, after) for kind in left) - hand.price


@lru_cache(REMEMBERED)
def thrown(hand: Hand, total: int, left: tuple[Kind, ...], kind: Kind, spare: int, pot: int) -> Fraction:
    """The chips that throwing this die, which is paid, brings on average if the seat then goes on well."""
    others = tuple(other for other in left if other != kind)
    dice = len(FACES) - len(others)
    worth = Fraction(0)
    for face in range(1, min(FACES[kind], hand.target - total) + 1):
        wins = not others or (total + face, dice) > hand.best
        sticks = Fraction(pot if wins else 0)
        goes_on = bought(hand, total + face, others, spare, pot) if others and spare else sticks
        worth += max(sticks, goes_on)
    return worth / FACES[kind]
