"""Exact chances from what all players can see; nothing here looks under a cup.

A game's own `Words` know them. Those of the first five games are here, by `games.odds`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from common.texts import games as texts
from games import odds
from games.dice import KINDS
from games.money_shot import MONEY_SHOT
from games.registry import find
from games.words import Odds, TableView, percent


def liars_dice(view: TableView) -> Sequence[Odds]:
    """The chances that the standing bid and the next higher ones hold, for someone who sees no die."""
    bid, dice = view.state["bid"], view.state["on_table"]
    if bid is None:
        return [
            (texts.bid(count, 6), percent(odds.bid_holds((count, 6), dice))) for count in range(1, dice + 1)
        ]
    quantity, face = bid["quantity"], bid["face"]
    return [
        (texts.bid(count, face), percent(odds.bid_holds((count, face), dice)))
        for count in range(quantity, min(quantity + 3, dice) + 1)
    ]


def sixes(view: TableView) -> Sequence[Odds]:
    """The chances that three fresh dice read at least the call, and more than the call."""
    call = view.state["call"]
    if call is None:
        return []
    value = call["value"]
    return [
        (texts.reads(value), percent(odds.reads_at_least(value))),
        (texts.beats(value), percent(odds.call_beaten(value))),
    ]


def six_shooter_odds(view: TableView) -> Sequence[Odds]:
    """The chance to bust with each die that the active seat has left."""
    seat = view.seat(view.to_act)
    if not seat or seat["status"] != "in" or not seat["dice"]:
        return []
    thrown = {kind for kind, _ in seat["dice"]}
    return [
        (texts.busts(kind), percent(odds.bust(kind, seat["total"], view.options.target)))
        for kind in KINDS
        if kind not in thrown
    ]


def money_shot(view: TableView) -> Sequence[Odds]:
    """The chances that the next d20 is a new peak, and that it is the money shot."""
    peak = view.state["peak"] or 0
    return [
        (texts.peak(peak), percent(odds.over_peak(peak))),
        (texts.money_shot(MONEY_SHOT), percent(odds.over_peak(MONEY_SHOT - 1))),
    ]


def six_by_6(view: TableView) -> Sequence[Odds]:
    """The chance of a rack in this turn, and its mean score and number of throws."""
    turn = view.state["turn"]
    if turn is None:
        return []
    chances = odds.turn_odds(turn["posted"], turn["carry"])
    return [
        (texts.RACK, percent(chances.rack)),
        (texts.MEAN_SCORE, f"{chances.score:.1f}"),
        (texts.MEAN_THROWS, f"{chances.throws:.1f}"),
    ]


BY_GAME: Final[Mapping[str, Callable[[TableView], Sequence[Odds]]]] = {
    "liars_dice": liars_dice,
    "sixes": sixes,
    "six_shooter": six_shooter_odds,
    "money_shot": money_shot,
    "six_by_6": six_by_6,
}


def odds_of(game: str, view: TableView) -> Sequence[Odds]:
    """The chances in a position of this game, the most telling first; empty if there are none."""
    return BY_GAME.get(game, find(game).words.odds)(view)[: texts.MOST_ODDS]
