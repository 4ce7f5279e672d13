"""Exact chances from what all players can see, by `games.odds`; nothing here looks under a cup."""

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeAlias

from dicetable import texts
from games import odds, six_shooter
from games.dice import FACES
from games.money_shot import MONEY_SHOT

Line: TypeAlias = tuple[str, str]
"""A description and its chance."""


def percent(chance: float | Fraction) -> str:
    """A chance for people: never 0 % or 100 % unless it is."""
    value = float(chance) * 100
    if value in (0.0, 100.0):
        return f"{value:.0f} %"
    if value < 0.1 or value > 99.9:
        return "< 0.1 %" if value < 1 else "> 99.9 %"
    return f"{value:.1f} %"


def liars_dice(position: dict[str, Any]) -> Sequence[Line]:
    """The chances that the standing bid and the next higher ones hold, for someone who sees no die."""
    bid, dice = position["bid"], position["on_table"]
    if bid is None:
        return [
            (texts.games.bid(count, 6), percent(odds.bid_holds((count, 6), dice)))
            for count in range(1, dice + 1)
        ][: texts.games.MOST_ODDS]
    quantity, face = bid["quantity"], bid["face"]
    return [
        (texts.games.bid(count, face), percent(odds.bid_holds((count, face), dice)))
        for count in range(quantity, min(quantity + 3, dice) + 1)
    ]


def sixes(position: dict[str, Any]) -> Sequence[Line]:
    """The chances that three fresh dice read at least the call, and more than the call."""
    call = position["call"]
    if call is None:
        return []
    value = call["value"]
    return [
        (texts.games.reads(value), percent(odds.reads_at_least(value))),
        (texts.games.beats(value), percent(odds.call_beaten(value))),
    ]


def six_shooter_odds(position: dict[str, Any]) -> Sequence[Line]:
    """The chance to bust with each die that the active seat has left."""
    seat = next((each for each in position["seats"] if each["seat"] == position["asked"]), None)
    if seat is None or seat["status"] != "in" or not seat["dice"]:
        return []
    target = position["options"].get("target", six_shooter.Options().target)
    thrown = {kind for kind, _ in seat["dice"]}
    return [
        (texts.games.busts(kind), percent(odds.bust(kind, seat["total"], target)))
        for kind in FACES
        if kind not in thrown
    ]


def money_shot(position: dict[str, Any]) -> Sequence[Line]:
    """The chances that the next d20 is a new peak, and that it is the money shot."""
    peak = position["peak"] or 0
    return [
        (texts.games.peak(peak), percent(odds.over_peak(peak))),
        (texts.games.money_shot(MONEY_SHOT), percent(odds.over_peak(MONEY_SHOT - 1))),
    ]


def six_by_6(position: dict[str, Any]) -> Sequence[Line]:
    """The chance of a rack in this turn, and its mean score and number of throws."""
    turn = position["turn"]
    if turn is None:
        return []
    found = odds.turn_odds(turn["posted"], turn["carry"])
    return [
        (texts.games.RACK, percent(found.rack)),
        (texts.games.MEAN_SCORE, f"{found.score:.1f}"),
        (texts.games.MEAN_THROWS, f"{found.throws:.1f}"),
    ]


BY_GAME: Final[Mapping[str, Callable[[dict[str, Any]], Sequence[Line]]]] = {
    "liars_dice": liars_dice,
    "sixes": sixes,
    "six_shooter": six_shooter_odds,
    "money_shot": money_shot,
    "six_by_6": six_by_6,
}


@lru_cache(maxsize=1)
def odds_of(snapshot: bytes | None) -> list[dict[str, str]]:
    """The chances in the game of a snapshot, `{"what", "chance"}` each; empty if there are none."""
    state = json.loads(snapshot or b"{}")
    chances = BY_GAME.get(str(state.get("game")))
    if chances is None or state.get("phase") != "play":
        return []
    position = {**state["position"], "asked": state["asked"], "options": state["options"]}
    return [{"what": what, "chance": chance} for what, chance in chances(position)]
