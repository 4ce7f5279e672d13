"""Random requests, right and wrong, made from a prompt in its JSON form; for the fuzzing tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.games.oracle_tales import FORMULAS

if TYPE_CHECKING:
    from random import Random

SIDES = {"d4": 4, "d6": 6, "d8": 8, "d10": 10, "d12": 12, "d20": 20}
SEATS = {
    "six_shooter": (2, 8),
    "liars_dice": (2, 8),
    "sixes": (3, 8),
    "six_by_6": (1, 8),
    "money_shot": (3, 8),
    "rolls": (1, 8),
    "ten_thousand": (2, 8),
    "yacht": (1, 8),
    "ship_captain_crew": (2, 8),
    "mexico": (2, 8),
    "mia": (2, 8),
    "midnight": (2, 8),
    "shut_the_box": (1, 8),
    "bar_dice": (2, 8),
}
# Small values, so that games end and seats run out; each option is left out now and then.
OPTIONS: dict[str, dict[str, tuple[object, ...]]] = {
    "six_shooter": {
        "chips": (2, 3, 4, 5, 8, 20),
        "ante": (1, 2),
        "price": (1, 2, 3, 7),
        "target": (1, 5, 9, 14, 21, 30, 60),
        "hands": (None, 1, 2, 3, 6),
    },
    "liars_dice": {"dice": (1, 2, 3, 4, 5, 6), "drinks": (0, 1, 3)},
    "sixes": {"rounds": (1, 2, 5, 10)},
    "six_by_6": {"sets": (1, 2, 3), "games": (1, 2, 3)},
    "money_shot": {
        "chips": (1, 2, 3, 5, 9, 30, 50),
        "min_bet": (1, 2, 3),
        "max_bet": (1, 2, 3, 5, 10, 40),
        "rounds": (None, 1, 2, 5, 12),
    },
    "rolls": {"rolls": (1, 2, 5), "formula": ("", *FORMULAS)},
    "ten_thousand": {
        "target": (1, 300, 1000, 3000),
        "opening": (0, 50, 300, 1000),
        "straight": (0, 100, 1500),
        "three_pairs": (0, 100, 1500),
        "hot_dice": (0, 1),
        "last_round": (0, 1),
        "rounds": (None, 1, 3),
    },
    "yacht": {"bonus": (0, 35), "joker": (0, 1), "rounds": (None, 1, 3, 20)},
    "ship_captain_crew": {"rounds": (1, 2, 5), "throws": (1, 2, 3, 4)},
    "mexico": {"lives": (1, 2, 6), "throws": (1, 2, 3), "price": (1, 2, 4), "rounds": (None, 1, 3)},
    "mia": {"lives": (1, 2, 6), "price": (1, 2, 4), "rounds": (None, 1, 3)},
    "midnight": {"rounds": (1, 2, 5)},
    "shut_the_box": {"rounds": (1, 2, 3), "one_die": (0, 1)},
    "bar_dice": {"wins": (1, 2, 3), "throws": (1, 2, 3), "rounds": (None, 1, 3)},
}
NAMES = ("ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal", "ä", "", " ", "\ud800", "a\x9b", "a" * 65)
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    3.0,
    2.5,
    10**9,
    10**9 + 1,
    2**53,
    "",
    "ann",
    "d6",
    [],
    {},
)


def new_game(rng: Random, game: str) -> dict[str, Any]:
    """A `new` request, legal more often than not."""
    few, many = SEATS[game]
    seats = rng.sample(NAMES[:9], rng.randint(few, rng.choice((few + 1, many))))
    given = [name for name in OPTIONS[game] if rng.random() < 0.7]
    options = {name: rng.choice(OPTIONS[game][name]) for name in given}
    if rng.random() < 0.4:
        options["first"] = rng.choice((*seats, None))
    message = {"op": "new", "game": game, "seats": seats, "options": options, "seed": rng.randrange(2**40)}
    for key in ("options", "seed"):
        if rng.random() < 0.1:
            del message[key]
    return message


def dice_for(rng: Random, prompt: dict[str, Any]) -> list[list[Any]]:
    if prompt["kind"] == "any":
        kinds = [rng.choice(list(SIDES)) for _ in range(rng.choice((1, 1, 2, 3, 30)))]
    else:
        kinds = prompt["dice"] if prompt["kind"] == "reveal" else rng.sample(prompt["from"], prompt["count"])
    # Now and then all dice are low, all high or all at an end: ties, busts, sixes alike, money shots.
    # Or they count down, one by one or in pairs: straights, three pairs, a ship with its crew.
    ends = rng.choice(((), (), (), (), (0,), (1,), (0, 1), None))
    if ends is None:
        step = rng.choice((1, 1, 2))
        dice = [[kind, SIDES[kind] - i // step % SIDES[kind]] for i, kind in enumerate(kinds)]
    elif ends:
        dice = [[kind, SIDES[kind] if rng.choice(ends) else 1] for kind in kinds]
    else:
        dice = [[kind, rng.randint(1, SIDES[kind])] for kind in kinds]
    return rng.sample(dice, len(dice))


def action_for(rng: Random, prompt: dict[str, Any]) -> dict[str, Any]:
    offer = rng.choice(prompt["actions"])
    action = {"type": offer["type"]}
    if offer["type"] == "bet":
        action["amount"] = rng.randint(offer["min"], rng.choice((offer["min"], offer["max"])))
    elif offer["type"] == "recast":
        action["count"] = rng.randint(offer["min"], offer["max"])
    elif offer["type"] == "call":
        action["value"] = rng.choice(offer["calls"][: rng.choice((3, 10, 56))])
    elif "values" in offer:
        action["value"] = rng.choice(offer["values"])
    elif offer["type"] == "bid":
        low, high = offer["min"], offer["max"]
        bids = [[q, f] for q in range(low[0], high[0] + 1) for f in range(2, 7) if low <= [q, f] <= high]
        action["quantity"], action["face"] = rng.choice(bids[: rng.choice((3, 12, 300))])
    return action


def right_request(rng: Random, prompt: dict[str, Any]) -> dict[str, Any]:
    """A request that answers the prompt, or `state`."""
    if rng.random() < 0.02:
        return {"op": "state"}
    if prompt["kind"] == "act":
        return {"op": "act", "seat": prompt["seat"], "action": action_for(rng, prompt)}
    return {"op": "dice", "dice": dice_for(rng, prompt)}


def wrong_request(rng: Random, game: str, prompt: dict[str, Any] | None) -> Any:
    """A request that is most likely refused: a wrong turn, a spoiled right one, or a spoiled new game."""
    how = rng.random()
    if how < 0.15:
        return spoiled(rng, new_spoiled(rng, game))
    if how < 0.25:
        dice = [[rng.choice((*SIDES, "d7")), rng.randint(0, 21)] for _ in range(rng.randint(0, 7))]
        return {"op": "dice", "dice": dice}
    if how < 0.4 or prompt is None or prompt["kind"] == "over":
        return any_action(rng, "ann" if prompt is None else prompt.get("seat", "ann"))
    message = right_request(rng, prompt)
    if message["op"] == "state" or how > 0.75:
        return spoiled(rng, message)
    return act_nearly(rng, message) if message["op"] == "act" else dice_nearly(rng, message)


def any_action(rng: Random, turn: str) -> dict[str, Any]:
    words = (
        *("bet", "stick", "buy", "bid", "challenge", "call", "accept", "recast", "fade", "bow_out", "fly"),
        *("keep", "bank", "roll", "stand", "score", "shut", "dice", "concede"),
    )
    action: dict[str, Any] = {"type": rng.choice(words)}
    for field in rng.sample(("amount", "count", "quantity", "face", "value"), rng.choice((0, 0, 1, 1, 2))):
        action[field] = rng.choice((*ODD, 2, 3, 4, 5, 6, 7, 666, 111))
    return {"op": "act", "seat": turn if rng.random() < 0.8 else rng.choice(NAMES), "action": action}


def act_nearly(rng: Random, message: dict[str, Any]) -> dict[str, Any]:
    if rng.random() < 0.3:
        return {**message, "seat": rng.choice(NAMES)}
    action = message["action"]
    for field in action.keys() - {"type"}:
        action[field] = rng.choice((action[field] + 1, action[field] - 1, 0, 7, 10**6, *ODD))
    return message


def dice_nearly(rng: Random, message: dict[str, Any]) -> dict[str, Any]:
    dice = message["dice"]
    how = rng.random()
    if how < 0.5:
        die = rng.choice(dice)
        die[rng.randrange(2)] = rng.choice(("d4", "d6", "d20", "d7", 0, 1, 7, 13, 21, 2**53))
    elif how < 0.75:
        dice.pop()
    else:
        dice.append(list(rng.choice(dice)))
    return message


def new_spoiled(rng: Random, game: str) -> dict[str, Any]:
    message = new_game(rng, game)
    options = message.setdefault("options", {})
    what = rng.randrange(4)
    if what == 0:
        message["game"] = rng.choice(("chess", "", "sixes ", *SEATS))
    elif what == 1:
        message["seats"] = [rng.choice(NAMES) for _ in range(rng.randint(0, 9))]
    elif what == 2:
        options[rng.choice((*OPTIONS[game], "first", "colour"))] = rng.choice(ODD)
    return message


def spoiled(rng: Random, message: dict[str, Any]) -> Any:
    """The message with one value somewhere in it replaced, dropped or added; sometimes left as it is."""
    message = json.loads(json.dumps(message))
    places: list[Any] = [message]
    for place in places:
        places += [
            v for v in (place.values() if isinstance(place, dict) else place) if isinstance(v, dict | list)
        ]
    place = rng.choice(places)
    how = rng.randrange(4)
    if how == 0 or not place:
        if isinstance(place, dict):
            place[rng.choice(("x", "seed", "options", "seat", "amount", "count", "type"))] = rng.choice(ODD)
        else:
            place.append(rng.choice(ODD))
    elif how < 3:
        key = rng.choice(list(place)) if isinstance(place, dict) else rng.randrange(len(place))
        if how == 1:
            del place[key]
        else:
            place[key] = rng.choice(ODD)
    return message
