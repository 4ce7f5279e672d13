"""The page of messages that `make docs` writes has all that a gateway answers and a table takes."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from common import messages

ROOT = Path(__file__).resolve().parent.parent.parent


@cache
def maker() -> Any:
    """docs/make_messages.py, which is a script beside the pages."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import make_messages  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return make_messages


@cache
def page() -> str:
    return str(maker().messages())


def sources(folder: str) -> str:
    return "\n".join(path.read_text() for path in sorted((ROOT / folder).rglob("*.py")))


def test_every_path_of_the_gateway_says_what_it_does() -> None:
    asked = set(re.findall(r'"(/(?:operator|phone|api|static)\b[^"]*)"', sources("gateway")))
    rows = dict(re.findall(r"^\| `(?:GET|POST) ([^`]+)` \| (.*) \|$", page(), re.MULTILINE))
    assert {path for path in asked if path.startswith(("/api/", "/phone/"))} <= set(rows)
    assert {"/operator/api/login", "/operator/api/do/{what}", "/metrics", "/events"} <= set(rows)
    for path, meaning in rows.items():
        assert re.match(r"[A-Z].*\.$", meaning), path


def test_every_request_of_control_sock_is_described() -> None:
    described = dict(re.findall(r"^### `(\w+)`\n\n(.*)$", page(), re.MULTILINE))
    known = set(re.findall(r'^ +"(\w+)": RequestKind\(', sources("dicetable"), re.MULTILINE))
    assert set(described) == known
    assert all(described.values())
    asked = re.findall(r'\.ask\(\s*(?:request, )?"([a-z_]+)"', sources("gateway"))
    assert len(asked) > 10
    assert set(asked) <= known


@pytest.mark.parametrize(
    "kind", [messages.PICTURE, messages.MOTION, messages.MARKS, messages.THROWS, messages.ROWS, "meters"]
)
def test_every_message_of_state_sock_is_described(kind: str) -> None:
    assert f"### `{kind}`" in page()
    assert f'{{"event":"{messages.STATE}"' in page()


def test_every_question_to_the_eye_is_described() -> None:
    from gateway.operator.set_up import LOOKS, STEPS

    described = page().partition("## What the eye is asked")[2]
    assert set(re.findall(r"^\| `(\w+)` \|", described, re.MULTILINE)) == {*LOOKS, *STEPS, "rigged"}


def test_the_snapshot_has_the_fields_that_its_page_describes() -> None:
    told = maker().example()
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", (ROOT / "docs" / "screen.md").read_text(), re.MULTILINE)
    described = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert described == {*told, "revision"}
