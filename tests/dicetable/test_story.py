"""The game in words."""

from __future__ import annotations

from dicetable import story, texts
from games.match import Match
from games.requests import Dice
from tests.dicetable.readings import die, lie


def after(*throws: tuple[int, ...]) -> Match:
    match = Match.new("six_by_6", ("ann", "bob"), seed=1)
    for values in throws:
        match = match.apply(Dice([("d6", value) for value in values]))
    return match


def test_dice_in_one_line() -> None:
    dice = (*lie(1, 6).dice, die(4, 2, sure=False), die(None, 3, kind=None), die(17, 4, kind="d20"))
    assert story.dice_line(dice) == "1 6 4? ? d20:17"
    assert story.dice_line(()) == ""


def test_what_is_awaited() -> None:
    assert story.awaited(after()) == "ann: throw 6 dice"
    assert story.awaited(after((6, 6, 6, 6, 6, 1))) == "ann: throw one die"


def test_what_a_throw_brought_about() -> None:
    match = after((6, 6, 1, 1, 2, 3))
    assert story.consequences(match, match.events) == ["2 dice posted, 4 carry earned; now posted 2, carry 3"]


def test_a_turn_that_ends() -> None:
    match = after((1, 2, 3, 4, 5, 6))
    told = story.consequences(match, match.events)
    assert told[0] == "6 dice posted, 11 carry earned"
    score = match.state()["seats"][0]["total"]
    assert told[1] == f"ann: a rack: {score} points"
    assert story.scores(match) == f"ann {score}, bob 0"


def test_numbers_agree_with_their_words() -> None:
    assert texts.dice_count(1) == "one die"
    assert texts.dice_count(2) == "2 dice"
    assert texts.wrong_count(0, 1) == "I see no dice, one is due."
    assert texts.wrong_count(1, 2) == "I see one die, 2 are due."
    assert texts.points(1) == "1 point"
    assert texts.won(["ann"]) == "ann wins"
    assert texts.won(["ann", "bob"]) == "ann and bob win"
