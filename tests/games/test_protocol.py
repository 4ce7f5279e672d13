"""The protocol line by line: shapes, the order of checks, and arbitrary garbage."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import requests
from games.protocol import Engine
from games.registry import GAMES
from tests.extent import extent
from tests.games.entries import ENTRIES, decides
from tests.games.notation import act

NEW = {"op": "new", "game": "money_shot", "seats": ["ann", "bob", "cat"], "options": {"first": "ann"}}
BET = {"op": "act", "seat": "ann", "action": {"type": "bet", "amount": 3}}
DICE = {"op": "dice", "dice": [["d12", 7]]}
STATE = {"op": "state"}


def line(message: object) -> bytes:
    return json.dumps(message).encode()


def code(engine: Engine, given_line: bytes) -> str:
    answer = engine.answer(given_line)
    if answer["ok"]:
        assert set(answer) == {"ok", "events", "prompt", "state"}
        return "ok"
    assert set(answer) == {"ok", "error"}
    found: str = answer["error"]["code"]
    return found


@pytest.fixture
def engine() -> Engine:
    return Engine(draw_seed=lambda: 7)


@pytest.fixture
def running(engine: Engine) -> Engine:
    assert code(engine, line(NEW)) == "ok"
    return engine


@pytest.mark.parametrize("message", [BET, DICE, STATE, {**BET, "seat": "nobody"}])
def test_no_game(engine: Engine, message: object) -> None:
    assert code(engine, line(message)) == "no_game"


def test_state_shows_prompt_and_state_without_events(running: Engine) -> None:
    shown = running.answer(line(BET))
    assert shown["events"]
    assert running.answer(line(STATE)) == {**shown, "events": []}


SHAPELESS: list[object] = [
    None,
    17,
    "state",
    [],
    {},
    {"op": None},
    {"op": ["state"]},
    {"op": "undo"},
    {"op": "State"},
    {**STATE, "x": 1},
    {**NEW, "x": 1},
    {**NEW, "game": None},
    {**NEW, "seats": None},
    {**NEW, "seats": {}},
    {**NEW, "seats": "abc"},
    {**NEW, "seats": ["ann", "bob", 3]},
    {**NEW, "options": None},
    {**NEW, "options": []},
    {**NEW, "seed": None},
    {**NEW, "seed": True},
    {**NEW, "seed": 1.0},
    {**NEW, "seed": "1"},
    {"op": "new", "game": "sixes"},
    {"op": "new", "seats": ["ann"]},
    {**BET, "x": 1},
    {**BET, "seat": None},
    {**BET, "action": None},
    {**BET, "action": "bet"},
    {**BET, "action": []},
    {**BET, "action": {}},
    {**BET, "action": {"amount": 3}},
    {**BET, "action": {"type": 3, "amount": 3}},
    {**BET, "action": {"type": "bet", "amount": 3, "x": 1}},
    {"op": "act", "seat": "ann"},
    {"op": "act", "action": {"type": "bet", "amount": 3}},
    {"op": "dice"},
    {**DICE, "seat": "ann"},
    {**DICE, "dice": None},
    {**DICE, "dice": {}},
    {**DICE, "dice": "d6"},
    {**DICE, "dice": ["d6"]},
    {**DICE, "dice": ["d6", 4]},
    {**DICE, "dice": [["d12"]]},
    {**DICE, "dice": [["d12", 7, 7]]},
    {**DICE, "dice": [["d12", 7.0]]},
    {**DICE, "dice": [["d12", True]]},
    {**DICE, "dice": [["d12", "7"]]},
    {**DICE, "dice": [[12, 7]]},
    {**DICE, "dice": [None]},
]


@pytest.mark.parametrize("message", SHAPELESS, ids=json.dumps)
def test_a_shapeless_request_is_bad_before_anything_else(engine: Engine, message: object) -> None:
    assert code(engine, line(message)) == "bad_request"
    engine.answer(line(NEW))
    before = engine.match
    assert code(engine, line(message)) == "bad_request"
    assert engine.match is before


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" ",
        b"\n",
        b"{",
        b'{"op":"state"} x',
        b'{"op":"state"}{"op":"state"}',
        b"{'op':'state'}",
        b'{"op":"state",}',
        b'{"op":"state","op":"state"}',
        b'{"op":"new","game":"sixes","seats":[],"options":{"rounds":1,"rounds":1}}',
        b'{"op":"new","game":"sixes","seats":[],"options":{"rounds":NaN}}',
        b'{"op":"new","game":"sixes","seats":[],"options":{"rounds":Infinity}}',
        b'{"op":"new","game":"sixes","seats":[],"options":{"rounds":-Infinity}}',
        b'{"op":"new","game":"sixes","seats":[],"options":{"rounds":9007199254740993}}',
        b'{"op":"new","game":"sixes","seats":[],"options":{"rounds":-9007199254740993}}',
        b'{"op":"new","game":"sixes","seats":[],"seed":' + b"9" * 5000 + b"}",
        b"[" * 5000 + b"]" * 5000,
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
        b'\xef\xbb\xbf{"op":"state"}',
        '{"op":"state"}'.encode("utf-16"),
        b'{"op":"st\xffate"}',
        b'{"op":"\xed\xa0\x80"}',
        b'{"op":"state"}' + b" " * 2**20,
    ],
)
def test_what_is_not_strict_json_is_a_bad_request(running: Engine, text: bytes) -> None:
    assert code(running, text) == "bad_request"


@pytest.mark.parametrize(
    "text",
    [
        b'{"op":"state"}\n',
        b'{"op":"state"}\r\n',
        b' \t{ "op" : "st\\u0061te" } ',
        b'{"op":"state"}'.ljust(2**20),
        b'{"op":"state"}'.ljust(2**20) + b"\n",
    ],
)
def test_what_is_strict_json_is_read(running: Engine, text: bytes) -> None:
    assert code(running, text) == "ok"


@pytest.mark.parametrize(
    ("value", "found"), [(2**53, "bad_option"), (-(2**53), "bad_option"), (1e17, "bad_option")]
)
def test_numbers_that_json_may_hold_but_no_option_may(engine: Engine, value: object, found: str) -> None:
    assert code(engine, line({**NEW, "options": {"chips": value}})) == found


def test_options_go_up_to_a_thousand_million(engine: Engine) -> None:
    assert code(engine, line({**NEW, "options": {"chips": 10**9}})) == "ok"
    assert code(engine, line({**NEW, "options": {"chips": 10**9 + 1}})) == "bad_option"


def test_names_of_seats_may_be_in_any_script(engine: Engine) -> None:
    names = ["ä", "東", '"', "a b"]
    assert code(engine, line({**NEW, "seats": names, "options": {}})) == "ok"
    shown = json.loads(requests.encode(engine.answer(line(STATE))))
    assert [seat["seat"] for seat in shown["state"]["seats"]] == names


ORDER = [
    ("bad_request", {**BET, "seat": "bob", "action": {"type": "fly", "x": 1}}),
    ("not_your_turn", {**BET, "seat": "bob", "action": {"type": "fly"}}),
    ("not_your_turn", {**BET, "seat": "", "action": {"type": "bet", "amount": "x"}}),
    ("illegal_action", {**BET, "action": {"type": "fly", "amount": "x"}}),
    ("illegal_action", {**BET, "action": {"type": "fade", "face": 1}}),
    ("illegal_action", {**BET, "action": {"type": ""}}),
    ("bad_request", {**BET, "action": {"type": "bet"}}),
    ("bad_request", {**BET, "action": {"type": "bet", "amount": None}}),
    ("bad_request", {**BET, "action": {"type": "bet", "amount": 99.0}}),
    ("bad_request", {**BET, "action": {"type": "bet", "count": 99}}),
    ("bad_request", {**BET, "action": {"type": "bet", "amount": 99, "count": 99}}),
    ("illegal_action", {**BET, "action": {"type": "bet", "amount": 99}}),
    ("not_now", {**DICE, "dice": [["d7", 99]]}),
]


@pytest.mark.parametrize(("first", "message"), ORDER)
def test_order_of_checks_on_an_action(running: Engine, first: str, message: object) -> None:
    assert code(running, line(message)) == first


def test_order_of_checks_on_dice(running: Engine) -> None:
    running.answer(line(BET))
    running.answer(line({"op": "act", "seat": "bob", "action": {"type": "fade"}}))
    assert code(running, line({**BET, "seat": "nobody", "action": {"type": "fly"}})) == "not_now"
    assert code(running, line({**DICE, "dice": []})) == "wrong_dice"
    assert code(running, line(DICE)) == "ok"


def test_unknown_game_comes_before_bad_option(engine: Engine) -> None:
    assert code(engine, line({**NEW, "game": "chess", "seats": []})) == "unknown_game"
    assert code(engine, line({**NEW, "game": "", "options": {"x": 1}})) == "unknown_game"


@pytest.mark.parametrize("name", GAMES)
def test_every_code_of_the_protocol_can_be_had_in_every_game(name: str) -> None:
    entry = ENTRIES[name]
    new = {"op": "new", "game": name, "seats": list(entry.seats), "options": entry.options, "seed": 1}
    engine = Engine(draw_seed=lambda: 1)
    found = {code(engine, line(STATE)), code(engine, line({**new, "game": name + "!"}))}
    found |= {code(engine, line({**new, "seats": []})), code(engine, line(new)), code(engine, b"")}
    for place, request in enumerate(entry.sample):
        for _, before, wrong in entry.refused:
            if before == place:
                found.add(code(engine, line(wrong.to_json())))
        assert code(engine, line(request.to_json())) == "ok"
    found.add(code(engine, line(act("a", "stick").to_json())))
    every = {
        "ok",
        "bad_request",
        "unknown_game",
        "bad_option",
        "no_game",
        "wrong_dice",
        "not_now",
        "game_over",
    }
    assert found == every | ({"not_your_turn", "illegal_action"} if decides(name) else set())


# Anything at all

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from([*GAMES, "op", "new", "act", "dice", "state", "ann", "bet", "type", "d12", "first"]),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.text()
            | st.sampled_from(["op", "game", "seats", "options", "seat", "action", "dice", "type", "amount"]),
            inner,
        )
    ),
    max_leaves=12,
)
nearly_right = st.fixed_dictionaries(
    {"op": st.sampled_from(["new", "act", "dice", "state"])},
    optional={
        "game": st.sampled_from([*GAMES, "chess"]) | anything,
        "seats": st.lists(st.sampled_from("abc"), max_size=9) | anything,
        "options": st.dictionaries(st.sampled_from(["chips", "ante", "first", "dice"]), anything) | anything,
        "seed": st.integers() | anything,
        "seat": st.sampled_from(["ann", "bob"]) | anything,
        "action": st.fixed_dictionaries(
            {"type": st.sampled_from(["bet", "fade", "fly"])},
            optional={"amount": st.integers() | anything, "face": anything},
        )
        | anything,
        "dice": st.lists(st.tuples(st.sampled_from(["d6", "d12", "d7"]), st.integers() | anything))
        | anything,
    },
)
lines = (
    st.binary(max_size=200)
    | anything.map(lambda value: json.dumps(value).encode())
    | nearly_right.map(lambda value: json.dumps(value).encode())
    | st.tuples(nearly_right, st.integers(0, 60), st.binary(max_size=3)).map(
        lambda parts: json.dumps(parts[0]).encode()[: parts[1]] + parts[2]
    )
    | st.integers(1, 10**5).map(lambda depth: b"[" * depth)
    | st.integers(1, 10**5).map(lambda digits: b'{"op":"state","x":' + b"9" * digits + b"}")
)


@settings(max_examples=extent(60, 1000), deadline=None)
@given(rubbish=lines)
def test_any_line_gets_one_answer_and_a_refused_one_changes_nothing(rubbish: bytes) -> None:
    engine = Engine(draw_seed=lambda: 7)
    engine.answer(line(NEW))
    before = json.dumps(engine.answer(line(STATE)))
    answer: Any = engine.answer(rubbish)
    written = requests.encode(answer)
    assert written.count(b"\n") == 1
    assert json.loads(written) == answer
    if not answer["ok"]:
        assert json.dumps(engine.answer(line(STATE))) == before
