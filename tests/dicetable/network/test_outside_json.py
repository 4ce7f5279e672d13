"""JSON from strangers is a plain value, or refused by one error."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetable.network.outside_json import DEEPEST, HIGHEST, parsed

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
        b"9007199254740992",
        b"-9007199254740992",
        b"1" + b"0" * 30,
        b"1" + b"0" * 10_000,
        b"1e999",
        b"NaN",
        b"-Infinity",
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000,
        b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1),
    ],
)
def test_what_nothing_else_could_hold_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parsed(data)


def test_what_is_within_the_bounds_comes_through() -> None:
    told = {"name": "Ann 🎲", "numbers": [HIGHEST, -HIGHEST, 0.5], "nothing": None}
    assert parsed(json.dumps(told)) == told
    assert parsed(json.dumps(told, ensure_ascii=False).encode()) == told
    assert parsed(b"[" * DEEPEST + b"]" * DEEPEST)


@given(VALUES)
def test_any_json_is_a_value_that_can_be_sent_on_or_refused(value: Any) -> None:
    try:
        found = parsed(json.dumps(value))
    except ValueError:
        return
    assert json.dumps(found, ensure_ascii=False, allow_nan=False).encode()


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_refused(data: bytes) -> None:
    try:
        parsed(data)
    except ValueError:
        return
