"""Words into what a panel can show: twenty ASCII characters a line, sentences in three lines, pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import texts
from common.texts.plain import ascii_letters
from dicetable.table import display
from games.dice import KINDS
from games.match import Match
from games.prompts import ActPrompt
from games.registry import GAMES
from hardware.ports import COLUMNS
from tests.games.entries import ENTRIES
from vision.reading import Reason

if TYPE_CHECKING:
    from games.game import Game

SENTENCES = (
    texts.throws.TOO_EARLY,
    texts.games.EVERYBODY_AWAY,
    texts.panel.SAME_NAME,
    texts.panel.not_enough(3, 8),
    *texts.health.EYE.values(),
    *texts.panel.HELP_TEXTS,
    *(texts.throws.not_seen(reveal=reveal) for reveal in (True, False)),
    texts.throws.TURNED,
    texts.throws.TOUCHED,
    texts.throws.OTHER_VALUE,
    *(texts.throws.old_die_moved(reveal=reveal) for reveal in (True, False)),
    *(texts.throws.cocked(kind, reveal=reveal) for kind in (None, "d20") for reveal in (True, False)),
    *(texts.throws.unknown_dice(count) for count in (1, 12)),
    *(texts.throws.unsure(count, likely, reveal=True) for count, likely in ((1, ["d20:17"]), (12, []))),
    *(texts.throws.unsure(count, likely, reveal=False) for count, likely in ((1, ["d20:17"]), (12, []))),
    *(texts.throws.wrong_count(seen, due) for seen in (0, 1, 48) for due in (1, 48)),
    *(texts.throws.left_lying(count) for count in (1, 12)),
    texts.throws.nothing_thrown(12),
    *(
        texts.throws.nothing_new(12, old=old, reveal=reveal)
        for old in (True, False)
        for reveal in (True, False)
    ),
    texts.throws.wrong_kind("second d20", ["d6"]),
    texts.throws.wrong_kind("d20", KINDS[:5]),
)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_fits_below_a_heading(sentence: str) -> None:
    lines = display.wrapped(sentence)
    assert len(lines) <= 3
    assert " ".join(lines) == sentence
    assert sentence.endswith((".", "..."))
    assert all(display.printable(line) == ascii_letters(line) for line in lines)


def test_no_two_reasons_share_a_sentence() -> None:
    assert len(set(SENTENCES)) == len(SENTENCES)
    assert set(texts.health.EYE) == set(Reason)


@pytest.mark.parametrize(
    "line",
    [
        *texts.panel.ATTRACT,
        *texts.panel.GOOD_NIGHT,
        *texts.panel.SAFE_TO_UNPLUG,
        texts.games.take("999/999"),
        texts.panel.TURN_PAGES,
        *texts.games.HINTS,
        texts.games.THINKS,
        texts.panel.CHOOSE_GAME,
        texts.panel.WHO_PLAYS,
        *texts.games.REMATCH_HINTS,
        texts.games.rematch(8, 8),
        texts.panel.LETTER,
        texts.panel.MENU_HEADING,
        texts.panel.WHOSE_MENU,
        texts.panel.PAUSED,
        texts.panel.PAUSED_TEXT,
        texts.panel.ANOTHER_SEAT,
        texts.panel.SAME_SEAT,
        texts.panel.NO_HOLD,
        texts.panel.IS_IT_RIGHT,
        texts.panel.LAST_WON,
        *map(texts.health.degraded, texts.health.PARTS),
        texts.health.degraded("ledger"),
        texts.panel.goes_on(8),
        texts.panel.seats_needed(3, 8, 8),
        texts.panel.players(2, 8),
        texts.panel.countdown(60),
        texts.games.throw_line(6, for_somebody=True),
        texts.games.show_line(48),
        texts.games.still_to_show(48),
        texts.panel.name_of(8),
        texts.panel.die_field(48, 48, "d20"),
        texts.panel.kind_field(6, 6),
        texts.panel.face_field(20),
        *(f"> {item}" for item in texts.panel.MENU_ITEMS.values()),
        *(f"> {item}" for item in texts.health.SAFE_ITEMS.values()),
        *(f"> {item}" for item in texts.games.OPTIONS.values()),
    ],
)
def test_a_line_fits(line: str) -> None:
    assert display.printable(line) == ascii_letters(line)


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_the_words_of_a_game_fit_the_display(game: Game[Any, Any]) -> None:
    words = game.words
    options = game.options.__dataclass_fields__
    assert len(game.title) <= 14
    assert set(words.options) <= set(options)
    labels = [f"> {texts.games.option(game.name, name)}" for name in options]
    assert [line for line in labels if display.printable(line) != ascii_letters(line)] == []
    assert words.rules
    for sentence in words.rules:
        assert len(display.wrapped(sentence)) <= 3, sentence
        assert sentence.endswith((".", ","))


@pytest.mark.parametrize("game", GAMES)
def test_every_line_of_a_whole_game_fits_the_display(game: str) -> None:
    entry = ENTRIES[game]
    match = Match.new(game, tuple(entry.seats), entry.options, seed=1)
    for request in entry.sample:
        words = match.rules.words
        offers = match.prompt.actions if isinstance(match.prompt, ActPrompt) else ()
        lines = [
            f"> {words.action(offer, list(action.values())[1:])}"
            for offer in offers
            for action in offer.actions()
        ]
        lines += words.facts(match.state())
        for seat in match.seats:
            lines += [f"{seat * 8} {display.score(match, seat)}", display.standing(match, seat)]
        assert [line for line in lines if len(line) > COLUMNS] == []
        match = match.apply(request)


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
