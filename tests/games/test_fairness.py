"""The test of dice, as the rules engine has it."""

from __future__ import annotations

import pytest

from games.errors import BadOption, UnknownGame
from games.match import Match
from games.prompts import ThrowPrompt
from games.registry import GAMES, find
from games.requests import Dice


def test_throws_are_counted_and_it_never_ends() -> None:
    match = Match.new("fairness", ("ann",), {"faces": 8, "dice": 2}, seed=1)
    for faces in ((1, 8), (8, 8), (3, 1)):
        match = match.apply(Dice(tuple(("d8", face) for face in faces)))
        assert match.prompt == ThrowPrompt("ann", 2, ("d8", "d8"))
    assert match.state()["counts"] == [2, 0, 1, 0, 0, 0, 0, 3]
    assert match.state()["throws"] == 3
    again = match.correct(2, Dice((("d8", 8), ("d8", 7))))
    assert again.state()["counts"] == [2, 0, 1, 0, 0, 0, 1, 2]
    assert Match.replay(again.log).state() == again.state()


@pytest.mark.parametrize("options", [{"faces": 7}, {"dice": 11}, {"dice": 0}])
def test_only_dice_that_there_are_can_be_tested(options: dict[str, int]) -> None:
    with pytest.raises(BadOption):
        Match.new("fairness", ("ann",), options, seed=1)


def test_it_is_found_and_is_not_among_the_games() -> None:
    assert find("fairness").title == "Dice test"
    assert "fairness" not in GAMES
    with pytest.raises(UnknownGame) as error:
        find("nothing")
    assert "fairness" not in str(error.value)


def test_a_percentile_die_is_the_one_with_100() -> None:
    match = Match.new("fairness", ("ann",), {"faces": 100, "dice": 2}, seed=1)
    assert isinstance(match.prompt, ThrowPrompt)
    assert match.prompt.dice == ("d100", "d100")
    match = match.apply(Dice([("d100", 0), ("d100", 90)]))
    assert match.state()["counts"] == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert match.rules.words.facts(match.state())[:2] == ["0: 1", "10: 0"]
