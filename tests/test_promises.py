"""What docs/promises.md says will stay is there: promised.json has it as it was, tests.promises as it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import promises
from tests.promises import missing, shape, shapes


def test_what_was_promised_is_there_and_what_has_come_is_promised_from_now_on() -> None:
    promised, now = json.loads(promises.FILE.read_text()), promises.now()
    assert list(missing(promised, now)) == [], "this breaks a promise of docs/promises.md"
    assert list(missing(now, promised)) == [], "python -m tests.promises > tests/promised.json"


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ({"a": "text"}, {"a": "text", "b": "text"}, []),
        ({"a": "text"}, {"b": "text"}, ["/a"]),
        ({"a": "text"}, {"a": "number"}, ["/a: 'text' is 'number'"]),
        ({"a": [{"b": "text"}]}, {"a": [{"c": "text"}]}, ["/a[]/b"]),
        ({"a": ["--seed"]}, {"a": ["--seed", "--json"]}, []),
        ({"a": ["--seed", "--json"]}, {"a": ["--json"]}, ["/a: --seed"]),
        ({"a": [["number"]]}, {"a": [["text"]]}, ["/a[]: number"]),
    ],
)
def test_a_part_that_goes_or_changes_is_found(before: Any, after: Any, lost: list[str]) -> None:
    assert list(missing(before, after)) == lost


def test_a_shape_is_of_all_values() -> None:
    assert shape({"a": [1, None], "b": [["d6", 4]]}) == {"a": ["number"], "b": [["number or text"]]}
    assert shapes([{"a": None}, {"a": {"b": True}}, {"c": ""}]) == {"a": {"b": "true or false"}, "c": "text"}
