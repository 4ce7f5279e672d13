"""Simulated players that play each game by the odds, from the view of a person in that seat."""

from fractions import Fraction
from itertools import combinations
from typing import Any

from games import liars_dice, money_shot, odds, six_shooter, sixes
from games.dice import Kind
from games.game import PlayerView, Sharp
from games.prompts import ActPrompt, BetOffer, BidOffer, CallOffer, Offer, RecastOffer, ThrowPrompt
from games.requests import JsonObject


def offered(view: PlayerView, kind: type[Any]) -> Any:
    offers: tuple[Offer, ...] = view.prompt.actions if isinstance(view.prompt, ActPrompt) else ()
    return next((offer for offer in offers if isinstance(offer, kind)), None)


SAFE_BID = Fraction(3, 4)


def act_liars_dice(view: PlayerView) -> JsonObject:
    """Raises while that is safe, or challenges if the bid is likelier to fail than the raise to hold."""
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


def act_sixes(view: PlayerView) -> JsonObject:
    """Calls the truth if it is high enough, and challenges calls that a fresh cast would seldom reach.

    Without a look it casts all dice again, and calls what they reach as often as not.
    """
    state: sixes.State = view.state
    if offered(view, RecastOffer):
        if not view.cup:
            return {"type": "recast", "count": sixes.DICE}
        faces = odds.best_recast(state.call or 0, view.cup)[0]
        return {"type": "recast", "count": len(view.cup) - len(faces)}
    calls: CallOffer | None = offered(view, CallOffer)
    if calls and not view.cup:
        likely = [call for call in calls.calls if odds.reads_at_least(call) >= Fraction(1, 2)]
        return {"type": "call", "value": likely[-1] if likely else calls.calls[0]}
    if calls:
        truth = sixes.reading(view.cup)
        return {"type": "call", "value": truth if calls.allows(truth) else calls.calls[0]}
    if state.call == sixes.HIGHEST or odds.reads_at_least(state.call or 0) < Fraction(1, 2):
        return {"type": "challenge"}
    return {"type": "accept"}


def keep_sixes(view: PlayerView, count: int) -> tuple[int, ...]:
    """The faces that give the best chance of a higher reading."""
    options = combinations(view.cup, len(view.cup) - count)
    return max(options, key=lambda faces: odds.call_beaten(view.state.call, faces))


def act_six_shooter(view: PlayerView) -> JsonObject:
    """Sticks or buys, whichever is worth more chips."""
    state: six_shooter.State = view.state
    seat = state.turn
    purchases = odds.purchases(state, seat)
    best = max((purchase.win for purchase in purchases), default=Fraction(0))
    price = state.options.price
    worth_buying = best * (state.pot + price) - price
    return {"type": "buy" if purchases and worth_buying > stick_holds(state, seat) * state.pot else "stick"}


def stick_holds(state: six_shooter.State, seat: int) -> Fraction:
    """The probability that sticking wins, if each rival buys with probability one half whenever that pays."""
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


def pick_six_shooter(view: PlayerView, prompt: ThrowPrompt) -> tuple[Kind, ...]:
    """Opens with the highest pair that rarely busts; buys the die with the best chance to win."""
    state: six_shooter.State = view.state
    if state.phase == "opening":
        pairs = list(combinations(prompt.dice, prompt.count))
        tame = [pair for pair in pairs if odds.opening_bust(pair, state.options.target) < Fraction(1, 20)]
        return (tame or pairs)[-1 if tame else 0]
    against = odds.rivals(state, state.turn).best
    spare = 1 + odds.dice_to_buy(state, state.turn)
    total, left, target = state.total(state.turn), state.dice_left(state.turn), state.options.target
    return (max(left, key=lambda kind: odds.win_with(kind, total, left, spare, target, against)),)


def act_money_shot(view: PlayerView) -> JsonObject:
    """Bets the minimum, and only where the pot makes up for the risk."""
    state: money_shot.State = view.state
    bet: BetOffer | None = offered(view, BetOffer)
    seats_left = len(state.in_round())
    beaten = odds.peak_beaten(state)
    if bet is None:
        # The fader becomes active if the throw fails, or must beat a new peak.
        stake = min(state.bet or 0, state.chips[state.to_answer])
        leads = state.to_answer == state.leader
        share = 1 - beaten if leads and seats_left == 2 else Fraction(1, 2 * seats_left)
        return {"type": "fade" if share * (state.pot + stake) >= stake else "bow_out"}
    if state.peak is None:
        return {"type": "bet", "amount": bet.min}
    worth = beaten * state.pot / seats_left + Fraction(state.pot, money_shot.MONEY_SHOT)
    return {"type": "bet", "amount": bet.min} if worth >= bet.min else {"type": "bow_out"}


LIARS_DICE = Sharp(act_liars_dice)
MONEY_SHOT = Sharp(act_money_shot)
SIX_SHOOTER = Sharp(act_six_shooter, pick=pick_six_shooter)
SIXES = Sharp(act_sixes, keep=keep_sixes)
