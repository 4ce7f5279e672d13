"""Simulated players, from `random` to `sharp`. They decide from a `View`: what a person at that seat sees."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any

from games import liars_dice, money_shot, odds, six_shooter, sixes
from games.prompts import ActPrompt, BetOffer, BidOffer, CallOffer, Offer, RecastOffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from games.dice import Kind
    from games.prompts import ThrowPrompt
    from games.requests import JsonObject
    from games.tabletop import Player, View


class RandomPlayer:
    """Takes any legal choice; kinds of action first, then the number."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)  # noqa: S311 - a simulated player, and repeatable

    def act(self, view: View) -> JsonObject:
        """One of the actions that the prompt offers."""
        return self.answer(self.chance.choice(offers_in(view)))

    def answer(self, offer: Offer) -> JsonObject:
        """Any action that takes up the offer."""
        between = self.chance.randint
        match offer:
            case BetOffer():
                return {"type": "bet", "amount": between(offer.min, offer.max)}
            case RecastOffer():
                return {"type": "recast", "count": between(offer.min, offer.max)}
            case CallOffer():
                return {"type": "call", "value": self.chance.choice(offer.calls)}
            case BidOffer():
                # Bids in dictionary order are numbered 5 · quantity + face.
                number = between(5 * offer.min[0] + offer.min[1], 5 * offer.max[0] + offer.max[1])
                return {"type": "bid", "quantity": (number - 2) // 5, "face": (number - 2) % 5 + 2}
        return {"type": offer.type}

    def pick(self, view: View, prompt: ThrowPrompt) -> tuple[Kind, ...]:  # noqa: ARG002 - looks at nothing
        """Any of the dice."""
        return tuple(self.chance.sample(prompt.dice, prompt.count))

    def keep(self, view: View, count: int) -> tuple[int, ...]:
        """Any of the faces."""
        return tuple(self.chance.sample(view.cup, len(view.cup) - count))


class SharpPlayer:
    """Goes by the odds."""

    def act(self, view: View) -> JsonObject:
        """The action that its rule for the game thinks best."""
        return DECIDE[view.game](view)

    def pick(self, view: View, prompt: ThrowPrompt) -> tuple[Kind, ...]:
        """Alike dice as they come; in Six Shooter the dice with the best prospects."""
        if view.game == "six_shooter":
            return pick_six_shooter(view.state, prompt)
        return prompt.dice[: prompt.count]

    def keep(self, view: View, count: int) -> tuple[int, ...]:
        """The faces that give the best chance of a higher reading."""
        options = combinations(view.cup, len(view.cup) - count)
        return max(options, key=lambda kept: odds.call_beaten(view.state.call, kept))


class TipsyPlayer:
    """Decides sharply or at random, on the toss of a coin each time."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)  # noqa: S311 - a simulated player, and repeatable
        self.moods: tuple[Player, Player] = (RandomPlayer(seed), SharpPlayer())

    def act(self, view: View) -> JsonObject:
        """An action in the mood of the moment."""
        return self.chance.choice(self.moods).act(view)

    def pick(self, view: View, prompt: ThrowPrompt) -> tuple[Kind, ...]:
        """Dice in the mood of the moment."""
        return self.chance.choice(self.moods).pick(view, prompt)

    def keep(self, view: View, count: int) -> tuple[int, ...]:
        """Faces in the mood of the moment."""
        return self.chance.choice(self.moods).keep(view, count)


def offers_in(view: View) -> tuple[Offer, ...]:
    """What the prompt offers."""
    return view.prompt.actions if isinstance(view.prompt, ActPrompt) else ()


def offered(view: View, kind: type[Any]) -> Any:
    """The offer of that class, or None."""
    return next((offer for offer in offers_in(view) if isinstance(offer, kind)), None)


SAFE_BID = Fraction(3, 4)


def act_liars_dice(view: View) -> JsonObject:
    """Raises as high as is safe, or challenges if the bid is likelier to fail than the raise to hold."""
    state: liars_dice.State = view.state
    raises: BidOffer | None = offered(view, BidOffer)
    on_table = sum(state.dice)
    fails = Fraction(-1) if state.bid is None else 1 - odds.bid_holds(state.bid, on_table, view.cup)
    if raises is None:
        return {"type": "challenge"}
    bids = [
        (quantity, face)
        for quantity in range(raises.min[0], raises.max[0] + 1)
        for face in range(2, 7)
        if raises.allows(quantity, face)
    ]
    chances = {bid: odds.bid_holds(bid, on_table, view.cup) for bid in bids}
    safe = [bid for bid in bids if chances[bid] >= SAFE_BID]
    bid = max(safe) if safe else max(bids, key=lambda bid: chances[bid])
    if fails > chances[bid]:
        return {"type": "challenge"}
    return {"type": "bid", "quantity": bid[0], "face": bid[1]}


def act_sixes(view: View) -> JsonObject:
    """Calls the truth if it is high enough and challenges what a fresh cast would seldom show."""
    state: sixes.State = view.state
    if offered(view, RecastOffer):
        kept = odds.best_recast(state.call or 0, view.cup)[0]
        return {"type": "recast", "count": len(view.cup) - len(kept)}
    calls: CallOffer | None = offered(view, CallOffer)
    if calls:
        truth = sixes.reading(view.cup)
        return {"type": "call", "value": truth if calls.allows(truth) else calls.calls[0]}
    if state.call == sixes.HIGHEST or odds.reads_at_least(state.call or 0) < Fraction(1, 2):
        return {"type": "challenge"}
    return {"type": "accept"}


def act_six_shooter(view: View) -> JsonObject:
    """Sticks or buys, whichever is worth more chips."""
    state: six_shooter.State = view.state
    seat = state.turn
    purchases = odds.purchases(state, seat)
    best = max((purchase.win for purchase in purchases), default=Fraction(0))
    price = state.options.price
    worth_buying = best * (state.pot + price) - price
    return {"type": "buy" if purchases and worth_buying > stick_holds(state, seat) * state.pot else "stick"}


def stick_holds(state: six_shooter.State, seat: int) -> Fraction:
    """The chance that sticking wins, if each rival that may still buy does so half the time it pays."""
    if not odds.stick_wins(state, seat):
        return Fraction(0)
    mark = (state.total(seat), len(state.dice[seat]))
    holds = Fraction(1)
    for rival in state.seats_that_are("in"):
        spare = odds.dice_to_buy(state, rival)
        if rival != seat and spare:
            left, target = state.dice_left(rival), state.options.target
            chances = [odds.win_with(kind, state.total(rival), left, spare, target, mark) for kind in left]
            holds *= 1 - max(chances) / 2
    return holds


def pick_six_shooter(state: six_shooter.State, prompt: ThrowPrompt) -> tuple[Kind, ...]:
    """Opens with the highest pair that hardly ever busts; buys the die with the best chance to win."""
    if state.phase == "opening":
        pairs = list(combinations(prompt.dice, prompt.count))
        tame = [pair for pair in pairs if odds.opening_bust(pair, state.options.target) < Fraction(1, 20)]
        return (tame or pairs)[-1 if tame else 0]
    against = odds.rivals(state, state.turn).best
    spare = 1 + odds.dice_to_buy(state, state.turn)
    total, left, target = state.total(state.turn), state.dice_left(state.turn), state.options.target
    return (max(left, key=lambda kind: odds.win_with(kind, total, left, spare, target, against)),)


def act_money_shot(view: View) -> JsonObject:
    """Bets as little as it must, and only where the pot makes up for the risk."""
    state: money_shot.State = view.state
    bet: BetOffer | None = offered(view, BetOffer)
    seats_left = len(state.in_round())
    beaten = odds.peak_beaten(state)
    if bet is None:
        # The fader becomes active if the throw fails, or must beat a new peak.
        stake = min(state.bet or 0, state.chips[state.asked])
        leads = state.asked == state.leader
        share = 1 - beaten if leads and seats_left == 2 else Fraction(1, 2 * seats_left)
        return {"type": "fade" if share * (state.pot + stake) >= stake else "bow_out"}
    if state.peak is None:
        return {"type": "bet", "amount": bet.min}
    worth = beaten * state.pot / seats_left + Fraction(state.pot, money_shot.MONEY_SHOT)
    return {"type": "bet", "amount": bet.min} if worth >= bet.min else {"type": "bow_out"}


DECIDE: dict[str, Callable[[View], JsonObject]] = {
    "liars_dice": act_liars_dice,
    "money_shot": act_money_shot,
    "six_shooter": act_six_shooter,
    "sixes": act_sixes,
}

LEVELS: dict[str, Callable[[int], Player]] = {
    "random": RandomPlayer,
    "tipsy": TipsyPlayer,
    "sharp": lambda _seed: SharpPlayer(),
}
"""Players by how well they play; each is made from a seed."""
