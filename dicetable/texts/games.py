"""What games, their actions, scores and events are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dicetable.texts.counting import dice_count, points

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from games.dice import Die

NAMES = {
    "six_shooter": "Six Shooter",
    "liars_dice": "Liar's Dice",
    "sixes": "Sixes",
    "six_by_6": "Six By 6",
    "money_shot": "Money Shot",
}

ACTIONS = {
    "stick": "Stick",
    "buy": "Buy a die",
    "fade": "Fade",
    "bow_out": "Bow out",
    "challenge": "Challenge!",
    "accept": "Accept",
    "bet": "Bet",
    "bid": "Bid",
    "call": "Call",
    "recast": "Recast",
}

MANY = 10
"""More d6 than this are told by how many show each face."""


def action(kind: str, values: Sequence[int], fields: int) -> str:
    """An action as far as its numbers are chosen, such as `Bid 3 x 5s`; `fields` is how many it takes."""
    name = ACTIONS.get(kind, kind)
    if not fields:
        return name
    if not values:
        return f"{name}..."
    if kind == "bid":
        return f"{name} {values[0]} x {f'{values[1]}s' if len(values) > 1 else '?'}"
    return f"{name} {' '.join(map(str, values))}"


def six_by_6_turn(posted: int, carry: int) -> str:
    """How the turn stands."""
    return f"posted {posted} carry {carry}"


def has(total: int) -> str:
    """What a seat's open dice show together."""
    return f"has {total}"


FACTS: Mapping[str, Callable[[Any], str]] = {
    "turn": lambda turn: six_by_6_turn(turn["posted"], turn["carry"]),
    "bid": lambda bid: f"bid {bid['quantity']} x {bid['face']}s",
    "on_table": lambda count: f"of {dice_count(count)}",
    "call": lambda call: f"call {call['value']}",
    "pot": lambda chips: f"pot {chips}",
    "bet": lambda chips: f"bet {chips}",
    "peak": lambda face: f"peak {face}",
}
"""Of a game's public state: what everybody wants to know, by key; null says nothing."""

SCORES: Mapping[str, Callable[[int], str]] = {
    "chips": lambda chips: f"{chips} chips",
    "losses": lambda losses: f"lost {losses}",
    "total": lambda total: f"{total} pts",
    "dice": dice_count,
}
"""Of a seat in the public state: its score, by the first key that it has."""


def thrown_dice(dice: Sequence[Die]) -> str:
    """Dice as they were read, such as `6 6 1 1 2 3`, `d4:3 d12:7`, or `9x1 2x2` if they are many."""
    if len(dice) > MANY and all(kind == "d6" for kind, _ in dice):
        faces = [face for _, face in dice]
        return " ".join(f"{faces.count(face)}x{face}" for face in sorted(set(faces)))
    return " ".join(str(face) if kind == "d6" else f"{kind}:{face}" for kind, face in dice)


def thrown(event: Mapping[str, Any]) -> str:
    """What a throw came to, beyond its dice."""
    if "posted" in event:
        return f"{event['posted']} posted, +{event['earned']} carry"
    if "total" in event:
        return f"{event['seat']} has {event['total']}"
    if "score" in event:
        return f"{event['seat']} has {event['score']}"
    if "reading" in event:
        return f"{event['seat']} reads {event['reading']}"
    return f"{event['seat']} threw {event['face']}"


EVENTS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "thrown": thrown,
    "turn_over": lambda e: f"{e['seat']}: {'RACK! ' if e['rack'] else ''}{points(e['score'])}",
    "game_won": lambda e: f"game {e['game_no']}: {' '.join(e['winners'])}",
    "hand": lambda e: f"hand {e['hand']}: {e['button']}",
    "stick": lambda e: f"{e['seat']} sticks",
    "buy": lambda e: f"{e['seat']} buys a die",
    "bust": lambda e: f"{e['seat']} is bust",
    "pot": lambda e: f"{e['seat']} takes {e['chips']}",
    "shared": lambda e: f"pot of {e['chips']} shared",
    "round": lambda e: f"round {e['round']}: {e['active']}",
    "bet": lambda e: f"{e['seat']} bets {e['chips']}",
    "fade": lambda e: f"{e['seat']} fades {e['chips']}",
    "covers": lambda e: f"{e['seat']} covers",
    "bow_out": lambda e: f"{e['seat']} bows out",
    "peak": lambda e: f"{e['seat']}: peak {e['peak']}",
    "rolled_out": lambda e: f"{e['seat']} rolled out",
    "cast": lambda e: f"{e['seat']} casts {e['count']}",
    "bid": lambda e: f"{e['seat']} bids {e['quantity']}x{e['face']}s",
    "call": lambda e: f"{e['seat']} calls {e['value']}",
    "accept": lambda e: f"{e['seat']} accepts",
    "challenge": lambda e: f"{e['seat']} challenges",
    "revealed": lambda e: f"it was {e['reading']}" if "reading" in e else f"there are {e['count']}",
    "challenge_won": lambda e: f"{e['loser']} loses a die",
    "round_lost": lambda e: f"{e['seat']} loses round",
    "corrected": lambda e: f"now {thrown_dice(e['dice'])}",
    "stopped": lambda _: "play on from here",
}
"""Of a match's events: what happened, in one line."""
