"""Shortened reasons for a void throw keep their sense, and every doubt has words."""

from __future__ import annotations

from pathlib import Path

from common import texts
from common.texts import throws
from vision.reading import Doubt


def test_a_void_throw_says_which_die_is_wrong_and_what_is_due() -> None:
    one, more = throws.wrong_kind("d8", ["d6"]), throws.wrong_kind("second d20", ["d6", "d20"])
    assert throws.void(one, 3) == "Void: I see a d8; I need d6. Take all 3 out, throw again."
    assert throws.void(more, 1) == "Void: I see a second d20; I need d6 d20. Take it out, throw again."


DOCS = Path(__file__).resolve().parents[3] / "docs" / "eye.md"


def test_every_doubt_has_words() -> None:
    assert set(texts.throws.DOUBTS) == set(Doubt)
    assert len(set(texts.throws.DOUBTS.values())) == len(Doubt)


def test_every_doubt_is_documented() -> None:
    page = DOCS.read_text(encoding="utf-8")
    assert [doubt for doubt in Doubt if f"| `{doubt}` |" not in page] == []


def test_a_void_throw_keeps_the_guess_of_an_unread_die_whole() -> None:
    why = throws.unsure(1, ["d20: 17"], reveal=False)
    assert throws.void(why, 4) == "Void: I can't read one die (d20: 17?). Take all 4 out, throw again."
