"""Mia: the page's paragraphs one by one."""

from __future__ import annotations

import pytest

from games import errors
from games.match import Match
from games.prompts import RevealPrompt
from games.requests import Request
from tests.games.notation import act, lie, new, play

CALLS = [31, 32, 41, 42, 43, 51, 52, 53, 54, 61, 62, 63, 64, 65, 11, 22, 33, 44, 55, 66, 21]


def lives(match: Match) -> list[int]:
    return [seat["lives"] for seat in match.state()["seats"]]


def call(seat: str, value: int) -> Request:
    return act(seat, "call", value=value)


def challenged(value: int, faces: str, **options: int) -> Match:
    """a calls, b challenges, the cup is lifted."""
    match = new("mia", "ab", **options)
    return play(match, [call("a", value), act("b", "challenge"), lie(f"d6 {faces}")])


@pytest.mark.parametrize(("call_index", "holds"), [(0, True), (1, True), (2, False), (14, False)])
def test_mia_1_the_dice_read_as_their_rank(call_index: int, holds: bool) -> None:
    assert lives(challenged(CALLS[call_index], "2 3")) == ([6, 5] if holds else [5, 6])


@pytest.mark.parametrize(
    ("value", "faces", "holds"), [(11, "6 5", False), (65, "1 1", True), (66, "1 2", True)]
)
def test_mia_1_mia_then_doubles_then_the_others(value: int, faces: str, holds: bool) -> None:
    assert lives(challenged(value, faces)) == ([6, 5] if holds else [5, 6])


def test_mia_2_the_first_seat_casts_two_dice_and_calls_any_reading() -> None:
    match = new("mia", "abc", first="b")
    assert match.events == ({"event": "cast", "seat": "b", "count": 2},)
    assert match.prompt.to_json() == {
        "kind": "act",
        "seat": "b",
        "actions": [{"type": "call", "calls": CALLS}],
    }
    assert match.state()["call"] is None


def test_mia_3_the_next_seat_with_lives_accepts_or_challenges() -> None:
    match = new("mia", "abc", lives=1, first="b")
    match = play(match, [call("b", 66), act("c", "challenge"), lie("d6 3 1")])
    # b is out, c begins, and a answers.
    match = match.apply(call("c", 41))
    assert match.prompt.to_json()["seat"] == "a"
    assert match.prompt.to_json()["actions"] == [{"type": "accept"}, {"type": "challenge"}]
    match = play(match, [act("a", "accept"), call("a", 42)])
    assert match.prompt.to_json()["seat"] == "c"


def test_mia_4_a_seat_that_accepts_casts_both_dice_and_calls_higher() -> None:
    match = play(new("mia", "ab"), [call("a", 65), act("b", "accept")])
    assert {"event": "cast", "seat": "b", "count": 2} in match.events
    assert match.prompt.to_json()["actions"] == [{"type": "call", "calls": [11, 22, 33, 44, 55, 66, 21]}]
    for value in (65, 64, 31, 12):
        with pytest.raises(errors.IllegalAction):
            match.apply(call("b", value))


def test_mia_5_a_challenge_lifts_the_cup_and_the_loser_loses_a_life() -> None:
    match = play(new("mia", "ab"), [call("a", 53), act("b", "challenge")])
    assert isinstance(match.prompt, RevealPrompt)
    assert lives(match.apply(lie("d6 3 5"))) == [6, 5]
    assert lives(match.apply(lie("d6 4 5"))) == [6, 5]
    assert lives(match.apply(lie("d6 2 5"))) == [5, 6]


def test_mia_5_the_caller_is_the_seat_that_called_last() -> None:
    match = play(new("mia", "abc"), [call("a", 31), act("b", "accept"), call("b", 66), act("c", "challenge")])
    assert lives(match.apply(lie("d6 3 1"))) == [6, 5, 6]


def test_mia_6_a_called_mia_cannot_be_accepted() -> None:
    match = new("mia", "ab").apply(call("a", 21))
    assert match.prompt.to_json()["actions"] == [{"type": "concede"}, {"type": "challenge"}]
    with pytest.raises(errors.IllegalAction):
        match.apply(act("b", "accept"))


def test_mia_6_conceding_costs_one_life_and_the_dice_stay_hidden() -> None:
    match = play(new("mia", "ab"), [call("a", 21), act("b", "concede")])
    assert lives(match) == [6, 5]
    assert match.prompt.to_json()["seat"] == "b"
    assert match.prompt.to_json()["kind"] == "act"
    assert match.state()["round"] == 2


def test_mia_6_the_challenge_to_a_called_mia_costs_two_lives() -> None:
    assert lives(challenged(21, "1 2")) == [6, 4]
    assert lives(challenged(21, "6 6")) == [4, 6]
    assert lives(challenged(21, "1 2", price=4)) == [6, 2]
    # A Mia that was not called is a reading like any other.
    assert lives(challenged(66, "1 2")) == [6, 5]


def test_mia_6_a_seat_never_loses_more_lives_than_it_has() -> None:
    assert lives(challenged(21, "1 2", lives=1)) == [1, 0]


def test_mia_7_the_loser_begins_the_next_round() -> None:
    match = challenged(31, "3 1")
    assert match.prompt.to_json()["seat"] == "b"
    assert match.state() == {
        "game": "mia",
        "round": 2,
        "call": None,
        "seats": [{"seat": "a", "lives": 6}, {"seat": "b", "lives": 5}],
    }


def test_mia_7_after_a_seat_that_is_out_the_next_on_its_left_begins() -> None:
    match = new("mia", "abc", lives=1)
    match = play(match, [call("a", 31), act("b", "challenge"), lie("d6 3 1")])
    assert match.prompt.to_json()["seat"] == "c"


def test_mia_8_the_last_seat_with_lives_wins() -> None:
    match = challenged(31, "3 1", lives=1)
    assert match.prompt.to_json() == {"kind": "over", "winners": ["a"]}
    assert match.state()["call"] is None


def test_mia_rounds_end_the_game_and_the_most_lives_win() -> None:
    match = play(new("mia", "abc", rounds=1), [call("a", 31), act("b", "challenge"), lie("d6 3 1")])
    assert match.prompt.to_json() == {"kind": "over", "winners": ["a", "c"]}
