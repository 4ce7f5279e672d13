"""Words into what a panel can show: twenty ASCII characters a line, sentences in three lines, pages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetable import display, texts
from dicetable.eye.messages import Why
from games.dice import KINDS
from games.registry import GAMES
from hardware.ports import COLUMNS

SENTENCES = (
    texts.TOO_EARLY,
    texts.EVERYBODY_AWAY,
    texts.SAME_NAME,
    texts.not_enough(3, 8),
    *texts.EYE.values(),
    *(texts.not_seen(reveal=reveal) for reveal in (True, False)),
    *(texts.old_die_moved(reveal=reveal) for reveal in (True, False)),
    *(texts.leaning(kind, reveal=reveal) for kind in (None, "d20") for reveal in (True, False)),
    *(texts.strangers(count, reveal=reveal) for count in (1, 12) for reveal in (True, False)),
    *(texts.unsure(count, likely, reveal=True) for count, likely in ((1, ["d20 17"]), (12, []))),
    *(texts.unsure(count, likely, reveal=False) for count, likely in ((1, ["d20 17"]), (12, []))),
    *(texts.wrong_count(seen, due) for seen in (0, 1, 48) for due in (1, 48)),
    *(texts.left_lying(count) for count in (1, 12)),
    texts.nothing_thrown(12),
    texts.wrong_kind("second d20", ["d6"]),
    texts.wrong_kind("d20", KINDS[:5]),
)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_fits_below_a_heading(sentence: str) -> None:
    lines = display.wrapped(sentence)
    assert len(lines) <= 3
    assert " ".join(lines) == sentence
    assert sentence.endswith((".", "..."))
    assert all(display.printable(line) == line for line in lines)


def test_no_two_reasons_share_a_sentence() -> None:
    assert len(set(SENTENCES)) == len(SENTENCES)
    assert set(texts.EYE) == set(Why)


@pytest.mark.parametrize(
    "line",
    [
        *texts.GAMES.values(),
        *texts.ATTRACT,
        *texts.GOOD_NIGHT,
        texts.TAKE,
        texts.BACK,
        texts.THINKS,
        texts.CHOOSE_GAME,
        texts.WHO_PLAYS,
        texts.PLAY_AGAIN,
        texts.LETTER,
        texts.MENU_WHOSE,
        texts.PAUSED,
        texts.PAUSED_TEXT,
        texts.ANOTHER_SEAT,
        texts.SAME_SEAT,
        texts.NO_HOLD,
        texts.IS_IT_RIGHT,
        texts.LAST_WON,
        texts.goes_on(8),
        texts.seats_needed(3, 8, 8),
        texts.players(2, 8),
        texts.countdown(60),
        texts.throw_line(6, for_somebody=True),
        texts.show_line(48),
        texts.still_to_show(48),
        texts.name_of(8),
        texts.die_field(48, 48, "d20"),
        texts.kind_field(6, 6),
        texts.face_field(20),
        *(f"> {item}" for item in texts.MENU_ITEMS.values()),
        *(f"> {item}" for item in texts.SAFE_ITEMS.values()),
        *(f"> {item}" for item in texts.OPTIONS.values()),
        *(f"> {texts.action(kind, [], 0)}" for kind in texts.ACTIONS),
        f"> {texts.action('bid', [48, 6], 2)}",
        f"> {texts.action('call', [666], 1)}",
    ],
)
def test_a_line_fits(line: str) -> None:
    assert display.printable(line) == line


def test_every_game_and_option_has_a_name() -> None:
    assert set(texts.GAMES) == set(GAMES)
    options = {name for game in GAMES.values() for name in game.options.__dataclass_fields__}
    assert options == set(texts.OPTIONS)


@given(st.text())
def test_any_line_becomes_printable(line: str) -> None:
    assert len(display.printable(line)) <= COLUMNS
    assert all(" " <= character <= "~" for character in display.printable(line))


@given(st.text())
def test_a_sentence_loses_no_word(sentence: str) -> None:
    lines = display.wrapped(sentence)
    assert all(len(line) <= COLUMNS for line in lines)
    assert "".join("".join(lines).split()) == "".join(sentence.split())


@given(st.lists(st.text(max_size=5), max_size=9), st.integers(1, 4))
def test_every_line_gets_its_turn(lines: list[str], room: int) -> None:
    seen = []
    for number in range(max(1, -(-len(lines) // room))):
        page = display.page(lines, room, number * display.PAGE_S + 0.1)
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
