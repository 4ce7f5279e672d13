"""Words into what a panel can show: twenty ASCII characters a line, sentences in three lines, pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import texts
from dicetable.table import display
from games.registry import GAMES
from hardware.ports import COLUMNS
from tests.dicetable.table.fitting import (
    LINES_OF_THE_PANEL,
    SENTENCES,
    line_fits,
    sentence_fits_below_a_heading,
    whole_game_fits,
    words_fit,
)
from vision.reading import Reason

if TYPE_CHECKING:
    from games.game import Game


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_fits_below_a_heading(sentence: str) -> None:
    sentence_fits_below_a_heading(sentence)


def test_no_two_reasons_share_a_sentence() -> None:
    assert len(set(SENTENCES)) == len(SENTENCES)
    assert set(texts.health.EYE) == set(Reason)


@pytest.mark.parametrize("line", LINES_OF_THE_PANEL)
def test_a_line_fits(line: str) -> None:
    line_fits(line)


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_the_words_of_a_game_fit_the_display(game: Game[Any, Any]) -> None:
    words_fit(game)


@pytest.mark.parametrize("game", GAMES)
def test_every_line_of_a_whole_game_fits_the_display(game: str) -> None:
    whole_game_fits(game)


@given(st.text())
def test_any_line_becomes_printable(line: str) -> None:
    assert len(display.printable(line)) <= COLUMNS
    assert all(" " <= character <= "~" for character in display.printable(line))


@given(st.text())
def test_a_sentence_loses_no_word(sentence: str) -> None:
    lines = display.wrapped(sentence)
    assert all(len(line) <= COLUMNS for line in lines)
    assert "".join("".join(lines).split()) == "".join(sentence.split())


LONG = (
    texts.throws.HAND_OVER_DICE,
    texts.throws.EMPTY_FIRST,
    texts.throws.placed(2),
    texts.throws.void("refused", 6),
    texts.throws.void("a hand came over the dice", 6),
)


@pytest.mark.parametrize("sentence", LONG)
def test_each_page_of_a_long_text_makes_sense_alone(sentence: str) -> None:
    pages = display.pages(sentence, 3)
    assert " ".join(line for page in pages for line in page) == sentence
    assert all(len(page) <= 3 and all(len(line) <= COLUMNS for line in page) for page in pages)
    assert "throw again." not in [" ".join(page) for page in pages]


@given(st.text("ab .", max_size=200), st.integers(1, 4))
def test_pages_lose_no_word(text: str, room: int) -> None:
    pages = display.pages(text, room)
    assert "".join("".join(page) for page in pages).replace(" ", "") == text.replace(" ", "")
    assert all(len(page) <= room and all(len(line) <= COLUMNS for line in page) for page in pages)


@pytest.mark.parametrize("count", [1, 20, 48])
def test_a_headline_fits_whatever_the_name(count: int) -> None:
    name = "Maximilian"
    assert len(texts.games.throw_in_short(name, count)) <= COLUMNS
    assert len(texts.games.turn_of(name)) <= COLUMNS


@given(st.lists(st.text(max_size=5), max_size=9), st.integers(1, 4))
def test_every_line_gets_its_turn(lines: list[str], room: int) -> None:
    seen = []
    for number in range(max(1, -(-len(lines) // room))):
        page = display.page(lines, room, number * 2.5 + 0.1)
        assert len(page) == room
        seen += page
    assert seen[: len(lines)] == lines


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)), st.text("ab", max_size=10))
def test_the_right_side_is_never_cut(left: str, right: str) -> None:
    line = display.beside(left, right)
    assert len(line) == COLUMNS
    assert line.endswith(right)


@given(st.lists(st.text("ab", min_size=1, max_size=20), max_size=9))
def test_packed_words_stay_whole_and_in_order(words: list[str]) -> None:
    lines = display.packed(words)
    assert all(len(line) <= COLUMNS for line in lines)
    assert " ".join(lines).split(" ") == words or not words


def test_of_nine_notices_the_oldest_gives_way() -> None:
    notices = display.Notices()
    for name in "abcdefgh":
        notices.show(name, name, until_s=100.0)
    panel = display.view(["one", "two", "three", "four"], {})
    assert [notices.over(panel, now_s).lines[-1] for now_s in range(0, 16, 2)] == list("abcdefgh")
    notices.show("i", "i", until_s=100.0)
    assert [notices.over(panel, now_s).lines[-1] for now_s in range(0, 16, 2)] == list("bcdefghi")


def test_words_that_just_fit_share_a_line() -> None:
    assert display.packed(["nine more", "ten of it."]) == ["nine more ten of it."]
    assert display.packed(["nine more", "ten of it..."]) == ["nine more", "ten of it..."]
