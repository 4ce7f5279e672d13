"""JSON from outside."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.strict_json import parse_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec=None)), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b'"\xed\xa0\x80"',
        b'{"a":"\\ud800"}',
        b'{"\\udfff":1}',
        b'[["\\ud800"]]',
        b"9007199254740993",
        b"-9007199254740993",
        b"1" + b"0" * 30,
        b"1" + b"0" * 10_000,
        b"1e999",
        b"NaN",
        b"-Infinity",
        b'{"a":1,"a":2}',
        b"\xef\xbb\xbf1",
        "1".encode("utf-16"),
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000,
        b"[" * 33 + b"]" * 33,
    ],
)
def test_what_nothing_else_could_hold_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_json(data)


def test_what_is_within_the_bounds_comes_through() -> None:
    told = {"name": "Ann 🎲", "numbers": [2**53, -(2**53), 0.5], "nothing": None}
    assert parse_json(json.dumps(told)) == told
    assert parse_json(json.dumps(told, ensure_ascii=False).encode()) == told
    assert parse_json(b"[" * 32 + b"]" * 32)


@given(VALUES)
def test_any_json_is_a_value_that_can_be_sent_on_or_refused(value: Any) -> None:
    try:
        found = parse_json(json.dumps(value))
    except ValueError:
        return
    assert json.dumps(found, ensure_ascii=False, allow_nan=False).encode()


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_refused(data: bytes) -> None:
    try:
        parse_json(data)
    except ValueError:
        return
