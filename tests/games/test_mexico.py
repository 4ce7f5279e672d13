"""Mexico: the page's paragraphs one by one."""

from __future__ import annotations

import pytest

from games.match import Match
from games.prompts import ActPrompt, ThrowPrompt
from games.requests import Request
from tests.games.notation import act, lie, new, play


def thrower(match: Match) -> str:
    assert isinstance(match.prompt, ThrowPrompt)
    return match.prompt.seat


def column(match: Match, name: str) -> list[int | None]:
    return [seat[name] for seat in match.state()["seats"]]


def once(faces: str) -> list[Request]:
    """Throws of one die pair each, in a round of single throws."""
    return [lie(f"d6 {' '.join(pair)}") for pair in faces.split()]


@pytest.mark.parametrize(
    ("higher", "lower"), [("21", "66"), ("66", "55"), ("11", "65"), ("65", "64"), ("41", "32"), ("32", "31")]
)
def test_mexico_1_mexico_then_doubles_then_the_others(higher: str, lower: str) -> None:
    match = play(new("mexico", "ab", throws=1, price=1), once(f"{lower} {higher}"))
    assert column(match, "lives") == [5, 6]


def test_mexico_1_the_higher_die_is_read_first() -> None:
    match = new("mexico", "ab").apply(lie("d6 3 5"))
    assert match.state()["turn"] == {"seat": "a", "throws": 1, "limit": 3, "shown": 53}


def test_mexico_2_the_first_seat_throws_up_to_three_times_and_the_last_throw_counts() -> None:
    match = new("mexico", "ab").apply(lie("d6 6 6"))
    assert match.prompt.to_json()["actions"] == [{"type": "roll"}, {"type": "stand"}]
    match = play(match, [act("a", "roll"), lie("d6 5 5")])
    assert isinstance(match.prompt, ActPrompt)
    match = play(match, [act("a", "roll"), lie("d6 3 1")])
    assert column(match, "reading") == [31, None]
    assert thrower(match) == "b"


def test_mexico_3_the_others_throw_no_more_often_than_the_first_seat() -> None:
    match = play(new("mexico", "abc"), [lie("d6 3 1"), act("a", "roll"), lie("d6 6 5"), act("a", "stand")])
    match = match.apply(lie("d6 4 1"))
    assert match.state()["turn"]["limit"] == 2
    match = match.apply(act("b", "stand"))
    # b stood after one throw, but c may throw twice.
    match = play(match, [lie("d6 4 1"), act("c", "roll"), lie("d6 4 2")])
    assert match.state()["round"] == 2
    assert column(match, "lives") == [6, 5, 6]


def test_mexico_4_a_mexico_ends_the_turn_at_once() -> None:
    match = new("mexico", "ab").apply(lie("d6 1 2"))
    assert thrower(match) == "b"
    assert column(match, "reading") == [21, None]
    assert match.state()["stake"] == 2
    # The first seat threw once, so the other may not roll again.
    match = match.apply(lie("d6 6 6"))
    assert column(match, "lives") == [6, 4]


def test_mexico_5_the_lowest_seat_loses_a_life() -> None:
    match = play(new("mexico", "abc", throws=1), once("41 31 65"))
    assert column(match, "lives") == [6, 5, 6]


def test_mexico_5_several_mexicos_cost_no_more_than_one() -> None:
    match = play(new("mexico", "abc", throws=1), once("21 21 66"))
    assert column(match, "lives") == [6, 6, 4]
    assert match.state()["stake"] == 1


def test_mexico_5_a_seat_never_loses_more_lives_than_it_has() -> None:
    match = play(new("mexico", "ab", throws=1, lives=1), once("21 66"))
    assert column(match, "lives") == [1, 0]


def test_mexico_6_lowest_on_a_tie_throw_once_more() -> None:
    match = play(new("mexico", "abc", first="b"), [lie("d6 3 1"), act("b", "roll"), lie("d6 4 1")])
    match = play(
        match, [act("b", "stand"), lie("d6 6 5"), act("c", "stand"), lie("d6 4 1"), act("a", "stand")]
    )
    assert match.state()["tie"] is True
    assert column(match, "reading") == [None, None, None]
    assert thrower(match) == "b"
    assert match.state()["turn"] == {"seat": "b", "throws": 0, "limit": 1, "shown": None}
    match = match.apply(lie("d6 6 5"))
    assert thrower(match) == "a"
    match = match.apply(lie("d6 6 4"))
    assert column(match, "lives") == [5, 6, 6]
    assert match.state()["tie"] is False


def test_mexico_6_those_still_lowest_throw_again() -> None:
    match = play(new("mexico", "abc", throws=1), once("41 41 41  65 52 52"))
    assert thrower(match) == "b"
    match = play(match, once("31 32"))
    assert column(match, "lives") == [6, 5, 6]


def test_mexico_6_a_mexico_in_a_tie_does_not_make_the_round_dearer() -> None:
    match = play(new("mexico", "ab", throws=1), once("41 41  21 66"))
    assert column(match, "lives") == [6, 5]


def test_mexico_6_a_round_with_a_mexico_stays_dear_in_a_tie() -> None:
    match = play(new("mexico", "abc", throws=1), once("21 41 41  65 66"))
    assert column(match, "lives") == [6, 4, 6]


def test_mexico_7_the_loser_begins_the_next_round() -> None:
    match = play(new("mexico", "abc", throws=1), once("65 66 31"))
    assert thrower(match) == "c"


def test_mexico_7_after_a_seat_that_is_out_the_next_on_its_left_begins() -> None:
    match = play(new("mexico", "abc", throws=1, lives=1), once("65 31 66"))
    assert thrower(match) == "c"
    match = match.apply(lie("d6 6 5"))
    assert thrower(match) == "a"


def test_mexico_8_the_last_seat_with_lives_wins() -> None:
    match = play(new("mexico", "abc", throws=1, lives=1), once("65 31 66  65 64"))
    assert match.prompt.to_json() == {"kind": "over", "winners": ["c"]}
    assert match.state()["turn"] is None
    assert column(match, "reading") == [64, None, 65]


def test_mexico_rounds_end_the_game_and_the_most_lives_win() -> None:
    match = play(new("mexico", "abc", throws=1, rounds=1), once("65 31 66"))
    assert match.prompt.to_json() == {"kind": "over", "winners": ["a", "c"]}
