"""The stage of every game: short enough for a television, and true to the public state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from games.match import Match
from games.registry import GAMES
from games.words import Stage, TableView, Words, figure, parted
from tests.games.stages import seen, stages_are_short

if TYPE_CHECKING:
    from games.dice import Die


@pytest.mark.parametrize("game", GAMES)
def test_every_stage_of_a_whole_game_is_short(game: str) -> None:
    stages_are_short(game)


@pytest.mark.parametrize("game", GAMES)
def test_a_poster_is_a_few_dice_and_a_short_sentence(game: str) -> None:
    words = GAMES[game].words
    assert 1 <= len(words.poster) <= 6
    assert all(1 <= value <= int(kind[1:]) for kind, value in words.poster)
    assert 20 <= len(words.pitch) <= 50


def test_a_game_has_no_number_to_show_before_there_is_one() -> None:
    assert figure(0, "at stake") == ("", "nothing yet")
    assert figure(350, "at stake") == ("350", "at stake")
    state: dict[str, Any] = {"seats": [{"seat": "bob", "points": 0}]}
    assert Words().staged(TableView(state, "bob", None)) == Stage("", "nothing yet", owner="bob")


def test_the_tiles_of_a_box_stand_open_until_they_are_shut() -> None:
    turn = {"seat": "ann", "open": [1, 2, 8]}
    stage = GAMES["shut_the_box"].words.staged(TableView({"turn": turn}, "ann", None))
    assert (stage.number, stage.dice) == ("11", ())
    assert stage.tiles == tuple((tile, tile in (1, 2, 8)) for tile in range(1, 10))


def test_a_call_says_who_dares_whom_in_the_colour_of_the_caller() -> None:
    state = {"round": 1, "call": {"seat": "ann", "value": 663}, "seats": []}
    stage = GAMES["sixes"].words.staged(TableView(state, "bob", None))
    assert (stage.number, stage.caption, stage.owner) == ("663", "ann dares bob", "ann")
    assert GAMES["sixes"].words.staged(TableView(state, None, None)).caption == "ann called"


def test_no_dice_are_under_the_cups_while_open_throws_decide_who_begins() -> None:
    match = Match.new("liars_dice", ["ann", "bob"], {"dice": 3}, seed=1)
    stage = GAMES["liars_dice"].words.staged(seen(match))
    assert (stage.number, stage.caption) == ("", "highest sum begins")
    begun = Match.new("liars_dice", ["ann", "bob"], {"dice": 3, "first": "ann"}, seed=1)
    stage = GAMES["liars_dice"].words.staged(seen(begun))
    assert (stage.number, stage.caption) == ("6", "dice under the cups")


def test_a_game_without_words_of_its_own_shows_a_score() -> None:
    ann = {"seat": "ann", "points": 12}
    state = {"seats": [ann, {"seat": "bob", "points": 7}], "pot": 3}
    stage = Words().staged(TableView(state, "bob", None))
    assert stage == Stage("7", "points", owner="bob")
    assert Words().seat_stage(stage, state, ann).number == "12"
    assert Words().staged(TableView(state, None, None)) == Stage()
    assert Words().moment({"event": "bust", "seat": "bob"}) == "BUST!"
    assert Words().moment({"event": "turn_over", "rack": True}) == "RACK!"
    assert Words().moment({"event": "thrown"}) == ""


@pytest.mark.parametrize(
    ("score", "number", "rest"),
    [("12 chips", "12", "chips"), ("lost 3", "3", "lost"), ("117+30", "117+30", ""), ("out", "", "out")],
)
def test_a_score_is_a_number_and_the_rest(score: str, number: str, rest: str) -> None:
    assert parted(score) == (number, rest)


def test_a_reveal_counts_the_dice_that_count_for_the_bid() -> None:
    state = {"round": 1, "bid": {"seat": "ann", "quantity": 3, "face": 5}, "on_table": 6, "seats": []}
    words = GAMES["liars_dice"].words
    assert words.staged(TableView(state, "bob", None)).number == "3×"
    shown: tuple[Die, ...] = (("d6", 1), ("d6", 5), ("d6", 2))
    stage = words.staged(TableView(state, "bob", None, shown))
    assert (stage.number, stage.dice, stage.slots) == ("2", (("d6", 1), ("d6", 5)), 3)
