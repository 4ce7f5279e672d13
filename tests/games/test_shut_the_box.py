"""Shut the Box: the page's paragraphs one by one."""

from __future__ import annotations

import pytest

from games import errors
from games.match import Match
from games.prompts import ThrowPrompt
from games.requests import Request
from tests.games.notation import act, lie, new, play


def throws(match: Match) -> tuple[str, int]:
    assert isinstance(match.prompt, ThrowPrompt)
    return match.prompt.seat, match.prompt.count


def points(match: Match) -> list[int]:
    return [seat["points"] for seat in match.state()["seats"]]


def shut(seat: str, faces: str, value: int) -> list[Request]:
    return [lie(f"d6 {faces}"), act(seat, "shut", value=value)]


def high_shut(seat: str) -> list[Request]:
    """Shuts 7, 8 and 9; 1 to 6 stay open."""
    return [*shut(seat, "6 3", 9), *shut(seat, "6 2", 8), *shut(seat, "6 1", 7)]


def test_shut_the_box_1_all_nine_tiles_are_open_and_both_dice_are_thrown() -> None:
    match = new("shut_the_box", "a")
    assert throws(match) == ("a", 2)
    assert match.state()["turn"] == {"seat": "a", "open": list(range(1, 10)), "dice": 2, "total": None}


def test_shut_the_box_2_tiles_that_add_up_to_the_throw_are_shut() -> None:
    match = new("shut_the_box", "a").apply(lie("d6 6 6"))
    assert match.state()["turn"]["total"] == 12
    assert match.prompt.to_json()["actions"] == [
        {"type": "shut", "values": [75, 84, 93, 543, 642, 651, 732, 741, 831, 921, 5421, 6321]}
    ]
    match = match.apply(act("a", "shut", value=651))
    assert match.state()["turn"] == {"seat": "a", "open": [2, 3, 4, 7, 8, 9], "dice": 2, "total": None}
    assert throws(match) == ("a", 2)


def test_shut_the_box_2_a_shut_tile_is_not_shut_again() -> None:
    match = play(new("shut_the_box", "a"), [*shut("a", "6 3", 9), lie("d6 6 3")])
    with pytest.raises(errors.IllegalAction):
        match.apply(act("a", "shut", value=9))
    with pytest.raises(errors.IllegalAction):
        match.apply(act("a", "shut", value=71))


def test_shut_the_box_2_a_single_possible_set_is_shut_without_a_decision() -> None:
    match = new("shut_the_box", "a").apply(lie("d6 1 1"))
    assert match.state()["turn"]["open"] == [1, 3, 4, 5, 6, 7, 8, 9]
    assert throws(match) == ("a", 2)


def test_shut_the_box_3_once_7_8_and_9_are_shut_the_seat_chooses_the_dice() -> None:
    match = play(new("shut_the_box", "a"), [*shut("a", "6 3", 9), *shut("a", "6 2", 8)])
    assert throws(match) == ("a", 2)
    match = play(match, shut("a", "6 1", 7))
    assert match.prompt.to_json()["actions"] == [{"type": "dice", "values": [1, 2]}]
    assert match.state()["turn"]["dice"] is None
    assert throws(match.apply(act("a", "dice", value=2))) == ("a", 2)
    match = match.apply(act("a", "dice", value=1))
    assert throws(match) == ("a", 1)
    # And again before the next throw.
    match = play(match, [lie("d6 2")])
    assert match.prompt.to_json()["actions"] == [{"type": "dice", "values": [1, 2]}]


def test_shut_the_box_4_the_turn_ends_when_no_open_tiles_add_up() -> None:
    match = play(new("shut_the_box", "ab"), [lie("d6 1 1"), lie("d6 1 1")])
    assert points(match) == [43, 0]
    assert throws(match) == ("b", 2)


def test_shut_the_box_4_the_turn_ends_when_all_are_shut() -> None:
    match = play(new("shut_the_box", "ab"), high_shut("a"))
    match = play(match, [act("a", "dice", value=2), *shut("a", "6 6", 651)])
    match = play(match, [act("a", "dice", value=2), lie("d6 6 3")])
    assert points(match) == [0, 0]
    assert throws(match) == ("b", 2)


def test_shut_the_box_5_the_fewest_points_win_after_the_last_round() -> None:
    match = play(new("shut_the_box", "ab", first="b"), [lie("d6 1 1"), lie("d6 1 1")])
    assert throws(match) == ("a", 2)
    match = play(match, [*shut("a", "1 2", 3), lie("d6 1 1"), lie("d6 1 1")])
    assert points(match) == [40, 43]
    assert match.prompt.to_json() == {"kind": "over", "winners": ["a"]}
    assert match.state()["turn"] is None


def test_shut_the_box_rounds_add_up_the_points() -> None:
    match = new("shut_the_box", "a", rounds=2)
    match = play(match, [lie("d6 1 1"), lie("d6 1 1")])
    assert match.state()["round"] == 2
    match = play(match, [lie("d6 1 1"), lie("d6 1 1")])
    assert points(match) == [86]
    assert match.state()["round"] == 2


def test_shut_the_box_one_die_0_always_throws_both() -> None:
    assert throws(play(new("shut_the_box", "a", one_die=0), high_shut("a"))) == ("a", 2)
