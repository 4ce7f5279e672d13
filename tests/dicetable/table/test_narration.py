"""The game in words."""

from __future__ import annotations

import pytest

from common import texts
from dicetable.table import display
from games import words
from games.match import Match
from games.prompts import OverPrompt
from games.registry import GAMES
from games.requests import Act, Dice
from tests.dicetable.readings import die, lie
from tests.games.entries import ENTRIES


def after(*throws: tuple[int, ...]) -> Match:
    match = Match.new("six_by_6", ("ann", "bob"), seed=1)
    for values in throws:
        match = match.apply(Dice([("d6", value) for value in values]))
    return match


def test_dice_in_one_line() -> None:
    dice = (*lie(1, 6).dice, die(4, 2, sure=False), die(None, 3, kind=None), die(17, 4, kind="d20"))
    assert display.dice_line(dice) == "d6:1 d6:6 d6:4? ? d20:17"
    assert display.dice_line(dice[:4]) == "1 6 4? ?"
    assert display.dice_line(()) == ""


def test_what_is_awaited() -> None:
    assert display.awaited_line(after()) == "ann: throw 6 dice"
    assert display.awaited_line(after((6, 6, 6, 6, 6, 1))) == "ann: throw one die"


def test_what_a_throw_brought_about() -> None:
    assert display.consequences(after((6, 6, 1, 1, 2, 3))) == ["2 posted, +4 carry"]


def test_a_turn_that_ends() -> None:
    match = after((1, 2, 3, 4, 5, 6))
    assert display.consequences(match) == ["6 posted, +11 carry", "ann: RACK! 47 points"]
    assert display.scores(match) == ["ann 47 pts", "bob 0 pts"]


@pytest.mark.parametrize("game", GAMES)
def test_every_step_of_every_game_can_be_told(game: str) -> None:
    entry = ENTRIES[game]
    match = Match.new(game, tuple(entry.seats), entry.options, seed=1)
    told = []
    for request in entry.sample:
        assert display.awaited_line(match)
        match = match.apply(request)
        lines = display.consequences(match)
        assert lines or isinstance(request, Act | Dice)
        told += lines
    assert isinstance(match.prompt, OverPrompt)
    assert "win" in display.awaited_line(match)
    assert all(line and line.isprintable() for line in told)


def test_numbers_agree_with_their_words() -> None:
    assert words.dice_count(1) == "one die"
    assert words.dice_count(2) == "2 dice"
    assert texts.throws.wrong_count(0, 1) == "I see no dice; I need 1."
    assert texts.throws.wrong_count(1, 2) == "I see one die, not 2."
    assert words.points(1) == "1 point"
    assert texts.games.won(["ann"]) == "ann wins"
    assert texts.games.won(["ann", "bob"]) == "ann and bob win"


def test_many_dice_are_told_by_their_faces() -> None:
    assert words.dice([("d6", 6), ("d6", 1)]) == "6 1"
    assert words.dice([("d6", 3), ("d20", 17)]) == "d6:3 d20:17"
    assert (
        words.dice([("d6", face) for face in (1, 1, 1, 2, 2, 2, 2, 6, 6, 6, 6)]) == "3 ones, 4 twos, 4 sixes"
    )
