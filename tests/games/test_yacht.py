"""Yacht: the page's paragraphs one by one."""

from __future__ import annotations

from typing import Any

import pytest

from games import errors
from games.match import Match
from games.prompts import OverPrompt, ThrowPrompt
from tests.games.notation import act, lie, new, play

BOXES = (
    *("ones", "twos", "threes", "fours", "fives", "sixes", "full_house", "four_of_a_kind"),
    *("little_straight", "big_straight", "choice", "yacht"),
)


def throws(match: Match) -> tuple[str, int]:
    assert isinstance(match.prompt, ThrowPrompt)
    return match.prompt.seat, match.prompt.count


def offers(match: Match) -> dict[str, Any]:
    return {offer["type"]: offer["values"] for offer in match.prompt.to_json()["actions"]}


def fill(match: Match, *turns: tuple[int, str]) -> Match:
    """A lone seat fills boxes, each after one throw."""
    for box, faces in turns:
        match = play(match, [lie(f"d6 {' '.join(faces)}"), act("a", "score", value=box)])
    return match


def sheet(match: Match) -> dict[str, Any]:
    boxes: dict[str, Any] = match.state()["seats"][0]["boxes"]
    return boxes


def test_yacht_1_a_turn_begins_with_five_dice() -> None:
    match = new("yacht", "ab")
    assert throws(match) == ("a", 5)
    assert tuple(sheet(match)) == BOXES


def test_yacht_2_any_dice_or_none_are_kept() -> None:
    match = new("yacht", "a").apply(lie("d6 5 1 5 5 5"))
    assert offers(match)["keep"] == [0, 1, 5, 51, 55, 551, 555, 5551, 5555]
    assert throws(match.apply(act("a", "keep", value=0))) == ("a", 5)
    match = match.apply(act("a", "keep", value=551))
    assert throws(match) == ("a", 2)
    assert match.state()["turn"] == {"seat": "a", "throws": 1, "dice": [], "kept": [5, 5, 1]}


def test_yacht_2_kept_dice_may_be_taken_back() -> None:
    match = play(new("yacht", "a"), [lie("d6 5 5 1 2 3"), act("a", "keep", value=55), lie("d6 6 6 6")])
    assert match.state()["turn"]["dice"] == [6, 6, 6, 5, 5]
    assert throws(match.apply(act("a", "keep", value=666))) == ("a", 2)


def test_yacht_2_three_throws_at_most() -> None:
    match = new("yacht", "a")
    for _ in range(2):
        match = play(match, [lie("d6 1 2 3 4 6"), act("a", "keep", value=0)])
    match = match.apply(lie("d6 1 2 3 4 6"))
    assert list(offers(match)) == ["score"]


def test_yacht_3_a_box_is_filled_once_after_any_throw() -> None:
    match = new("yacht", "a").apply(lie("d6 6 6 6 1 2"))
    assert offers(match)["score"] == list(range(1, 13))
    match = play(match, [act("a", "score", value=6), lie("d6 6 6 6 6 6")])
    assert offers(match)["score"] == [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]
    with pytest.raises(errors.IllegalAction):
        match.apply(act("a", "score", value=6))


@pytest.mark.parametrize(
    ("box", "faces", "points"),
    [
        (1, "11123", 3),
        (2, "22211", 6),
        (3, "33333", 15),
        (4, "44123", 8),
        (5, "55551", 20),
        (6, "66123", 12),
        (6, "12345", 0),
        (7, "33322", 13),
        (7, "22233", 12),
        (7, "33333", 0),
        (7, "33332", 0),
        (7, "33221", 0),
        (8, "33332", 12),
        (8, "33333", 12),
        (8, "33322", 0),
        (9, "54321", 30),
        (9, "23456", 0),
        (9, "12346", 0),
        (10, "23456", 30),
        (10, "12345", 0),
        (11, "13466", 20),
        (12, "11111", 50),
        (12, "11112", 0),
    ],
)
def test_yacht_points_of_each_box(box: int, faces: str, points: int) -> None:
    match = fill(new("yacht", "a"), (box, faces))
    assert sheet(match)[BOXES[box - 1]] == points
    assert match.state()["seats"][0]["points"] == points


def test_yacht_4_twelve_turns_each_and_the_most_points_win() -> None:
    match = new("yacht", "ab", first="b")
    for box in range(1, 13):
        for seat, faces in (("b", "d6 1 1 2 3 6"), ("a", "d6 1 2 2 3 6")):
            assert throws(match)[0] == seat
            match = play(match, [lie(faces), act(seat, "score", value=box)])
    # Ones, twos, threes, sixes and the choice.
    assert match.prompt.to_json() == {"kind": "over", "winners": ["a"]}
    assert [seat["points"] for seat in match.state()["seats"]] == [1 + 4 + 3 + 6 + 14, 2 + 2 + 3 + 6 + 13]
    assert match.state()["turn"] is None


UPPER = ((2, "22213"), (3, "33312"), (4, "44412"), (5, "55512"), (6, "66612"))


def test_yacht_bonus_begins_at_63() -> None:
    match = fill(new("yacht", "a", bonus=35), *UPPER)
    assert fill(match, (1, "11123")).state()["seats"][0]["points"] == 63 + 35
    assert fill(match, (1, "11234")).state()["seats"][0]["points"] == 62
    # The lower boxes do not count towards it.
    assert fill(match, (11, "66666")).state()["seats"][0]["points"] == 60 + 30


def test_yacht_bonus_is_0_by_default() -> None:
    assert fill(new("yacht", "a"), (1, "11123"), *UPPER).state()["seats"][0]["points"] == 63


@pytest.mark.parametrize(("box", "points"), [(7, 20), (9, 30), (10, 30)])
def test_yacht_joker_fills_a_box_once_the_yacht_is_filled(box: int, points: int) -> None:
    name = BOXES[box - 1]
    assert sheet(fill(new("yacht", "a", joker=1), (12, "44444"), (box, "44444")))[name] == points
    assert sheet(fill(new("yacht", "a", joker=1), (12, "12346"), (box, "44444")))[name] == points
    assert sheet(fill(new("yacht", "a", joker=1), (box, "44444")))[name] == 0
    assert sheet(fill(new("yacht", "a", joker=0), (12, "44444"), (box, "44444")))[name] == 0
    assert sheet(fill(new("yacht", "a", joker=1), (12, "44444"), (box, "44445")))[name] == 0


def test_yacht_options_rounds_end_the_game_early() -> None:
    match = new("yacht", "ab", rounds=1)
    for seat, faces in (("a", "6 6 6 6 5"), ("b", "1 2 3 4 5")):
        match = match.apply(lie(f"d6 {faces}")).apply(act(seat, "score", value=11))
    assert match.prompt == OverPrompt(("a",))
