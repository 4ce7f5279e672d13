"""A second, naive engine to compare with: it shares no code with `games`, only the rulings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.games.oracle_old_games import (
    bar_dice,
    mexico,
    mia,
    midnight,
    ship_captain_crew,
    shut_the_box,
    ten_thousand,
    yacht,
)
from tests.games.oracle_tales import (
    FORMULAS,
    SIDES,
    Json,
    Tale,
    liars_dice,
    money_shot,
    rolls,
    six_by_6,
    six_shooter,
    sixes,
)


class RefusedError(Exception):
    pass


Teller = Callable[[list[str], Json, Json, str], Tale]
ANY = 10**9
# The teller, seats from, seats to, options as (default, least); the engine's own words for what is drawn.
BOOK: dict[str, tuple[Teller, int, int, dict[str, tuple[Any, int]], str]] = {
    "six_shooter": (
        six_shooter,
        2,
        8,
        {"chips": (20, 1), "ante": (2, 1), "price": (1, 1), "target": (21, 1), "hands": (None, 1)},
        "button",
    ),
    "liars_dice": (liars_dice, 2, 8, {"dice": (6, 1), "drinks": (3, 0)}, ""),
    "sixes": (sixes, 3, 8, {"rounds": (10, 1)}, ""),
    "six_by_6": (six_by_6, 1, 8, {"sets": (1, 1), "games": (1, 1)}, ""),
    "money_shot": (
        money_shot,
        3,
        8,
        {"chips": (50, 1), "min_bet": (1, 1), "max_bet": (10, 1), "rounds": (None, 1)},
        "active",
    ),
    "rolls": (rolls, 1, 8, {"rolls": (100, 1), "formula": ("", 0)}, ""),
    "ten_thousand": (
        ten_thousand,
        2,
        8,
        {
            "target": (10000, 1),
            "opening": (500, 0),
            "straight": (1500, 0),
            "three_pairs": (1500, 0),
            "hot_dice": (1, 0),
            "last_round": (1, 0),
            "rounds": (None, 1),
        },
        "",
    ),
    "yacht": (yacht, 1, 8, {"bonus": (0, 0), "joker": (0, 0), "rounds": (None, 1)}, ""),
    "ship_captain_crew": (ship_captain_crew, 2, 8, {"rounds": (5, 1), "throws": (3, 1)}, ""),
    "mexico": (
        mexico,
        2,
        8,
        {"lives": (6, 1), "throws": (3, 1), "price": (2, 1), "rounds": (None, 1)},
        "",
    ),
    "mia": (mia, 2, 8, {"lives": (6, 1), "price": (2, 1), "rounds": (None, 1)}, ""),
    "midnight": (midnight, 2, 8, {"rounds": (5, 1)}, ""),
    "shut_the_box": (shut_the_box, 1, 8, {"rounds": (1, 1), "one_die": (1, 0)}, ""),
    "bar_dice": (bar_dice, 2, 8, {"wins": (2, 1), "throws": (3, 1), "rounds": (None, 1)}, ""),
}
SWITCHES = {"hot_dice", "last_round", "joker", "one_die"}
FIELDS = {
    "bet": ["amount"],
    "bid": ["quantity", "face"],
    "call": ["value"],
    "recast": ["count"],
    **{type_: ["value"] for type_ in ("keep", "score", "shut", "dice")},
}


def is_whole(x: object) -> bool:
    return isinstance(x, int) and not isinstance(x, bool)


def is_name(text: str) -> bool:
    """Whether a seat may be called so."""
    control = re.search(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", text)
    return 0 < len(text) <= 64 and not text.isspace() and control is None


class Oracle:
    """Answers decoded messages as (code or "ok", prompt, state, casts)."""

    def __init__(self) -> None:
        self.tale: Tale | None = None
        self.state: Json = {}
        self.prompt: Json = {}
        self.casts: list[Any] = []

    def answer(self, message: Any, drawn: str = "") -> tuple[str, Json | None, Json | None, list[Any]]:
        """`drawn` is the seat that the other engine drew, if it did."""
        try:
            casts = self.obey(message, drawn)
        except RefusedError as refused:
            return str(refused), None, None, []
        return "ok", self.prompt, self.state, casts

    def obey(self, m: Any, drawn: str) -> list[Any]:
        self.shape(m)
        if m["op"] == "new":
            return self.new(m, drawn)
        if self.tale is None:
            raise RefusedError("no_game")
        if m["op"] == "state":
            return []
        kind = self.prompt["kind"]
        if kind == "over":
            raise RefusedError("game_over")
        if (m["op"] == "act") != (kind == "act"):
            raise RefusedError("not_now")
        if m["op"] == "act":
            self.may_act(m)
            return self.advance(m["action"])
        self.may_lie(m["dice"])
        return self.advance(m["dice"])

    def shape(self, m: Any) -> None:
        bad = RefusedError("bad_request")
        keys = {"new": {"game", "seats"}, "act": {"seat", "action"}, "dice": {"dice"}, "state": set()}
        if not isinstance(m, dict) or not isinstance(m.get("op"), str) or m["op"] not in keys:
            raise bad
        given = set(m) - {"op"}
        if m["op"] == "new":
            given -= {"options", "seed"}
        if given != keys[m["op"]]:
            raise bad
        if m["op"] == "new":
            seats = m["seats"]
            fine = isinstance(m["game"], str) and isinstance(seats, list)
            fine = fine and all(isinstance(s, str) for s in seats)
            fine = fine and isinstance(m.get("options", {}), dict) and is_whole(m.get("seed", 1))
        elif m["op"] == "act":
            a = m["action"]
            fine = isinstance(m["seat"], str) and isinstance(a, dict) and isinstance(a.get("type"), str)
            fine = fine and set(a) <= {"type", "amount", "quantity", "face", "value", "count"}
        elif m["op"] == "dice":
            fine = isinstance(m["dice"], list)
            for d in m["dice"] if fine else []:
                fine = (
                    fine and isinstance(d, list) and len(d) == 2 and isinstance(d[0], str) and is_whole(d[1])
                )
        else:
            fine = True
        if not fine:
            raise bad

    def new(self, m: Json, drawn: str) -> list[Any]:
        if m["game"] not in BOOK:
            raise RefusedError("unknown_game")
        teller, few, many, known, _ = BOOK[m["game"]]
        bad = RefusedError("bad_option")
        seats = m["seats"]
        if not few <= len(seats) <= many or not all(map(is_name, seats)) or len(set(seats)) != len(seats):
            raise bad
        o: Json = {name: default for name, (default, _) in known.items()}
        o["first"] = None
        for name, value in m.get("options", {}).items():
            if name not in o:
                raise bad
            if not (value is None and o[name] is None):
                if name == "first":
                    if not isinstance(value, str) or value not in seats:
                        raise bad
                elif name == "formula":
                    if not isinstance(value, str) or (value and value not in FORMULAS):
                        raise bad
                elif not is_whole(value) or not known[name][1] <= value <= (1 if name in SWITCHES else ANY):
                    raise bad
        o.update(m.get("options", {}))
        if "chips" in o and o["chips"] < o.get("ante", o.get("min_bet")):
            raise bad
        if "max_bet" in o and o["max_bet"] < o["min_bet"]:
            raise bad
        if "dice" in o and (o["dice"] > 20 or o["dice"] * len(seats) > 48):
            raise bad
        self.state = {}
        self.tale = teller(list(seats), o, self.state, o["first"] or drawn)
        return self.advance(None)

    def may_act(self, m: Json) -> None:
        a = m["action"]
        if m["seat"] != self.prompt["seat"]:
            raise RefusedError("not_your_turn")
        offers = [x for x in self.prompt["actions"] if x["type"] == a["type"]]
        if not offers:
            raise RefusedError("illegal_action")
        offer = offers[0]
        fields = FIELDS.get(a["type"], [])
        if sorted(a) != sorted(["type", *fields]) or not all(is_whole(a[f]) for f in fields):
            raise RefusedError("bad_request")
        if "calls" in offer:
            fine = a["value"] in offer["calls"]
        elif "values" in offer:
            fine = a["value"] in offer["values"]
        elif a["type"] == "bid":
            bid = [a["quantity"], a["face"]]
            fine = a["face"] in range(2, 7) and offer["min"] <= bid <= offer["max"]
        else:
            fine = not fields or offer["min"] <= a[fields[0]] <= offer["max"]
        if not fine:
            raise RefusedError("illegal_action")

    def may_lie(self, dice: list[Any]) -> None:
        if self.prompt["kind"] == "any":
            kinds, counts = list(SIDES) * 30, range(1, 31)
            fine = len(dice) in counts and all(k in SIDES and 1 <= f <= SIDES[k] for k, f in dice)
            if not fine:
                raise RefusedError("wrong_dice")
            return
        kinds = self.prompt["from"] if self.prompt["kind"] == "throw" else self.prompt["dice"]
        count = self.prompt["count"] if self.prompt["kind"] == "throw" else len(kinds)
        fine = len(dice) == count
        for kind, face in dice:
            fine = fine and kind in SIDES and 1 <= face <= SIDES[kind]
        for kind in SIDES:
            fine = fine and sum(k == kind for k, _ in dice) <= kinds.count(kind)
        if not fine:
            raise RefusedError("wrong_dice")

    def advance(self, what: Any) -> list[Any]:
        assert self.tale is not None
        try:
            self.prompt = self.tale.send(what)
        except StopIteration as stop:
            self.prompt = {"kind": "over", "winners": stop.value}
        casts: list[Any] = self.state.pop("casts", [])
        return casts
