"""Midnight: the page's paragraphs one by one."""

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


def column(match: Match, name: str) -> list[int | None]:
    return [seat[name] for seat in match.state()["seats"]]


def turn(seat: str, value: int) -> list[Request]:
    """A turn that keeps all six dice of its first throw."""
    return [lie(f"d6 {' '.join(str(value))}"), act(seat, "keep", value=value)]


def test_midnight_1_a_turn_begins_with_six_dice() -> None:
    assert throws(new("midnight", "ab", first="b")) == ("b", 6)


def test_midnight_2_at_least_one_die_of_each_throw_is_kept() -> None:
    match = new("midnight", "ab").apply(lie("d6 1 1 4 1 1 1"))
    assert match.prompt.to_json()["actions"] == [
        {"type": "keep", "values": [1, 4, 11, 41, 111, 411, 1111, 4111, 11111, 41111, 411111]}
    ]
    with pytest.raises(errors.IllegalAction):
        match.apply(act("a", "keep", value=0))
    match = match.apply(act("a", "keep", value=41))
    assert match.state()["turn"] == {"seat": "a", "kept": [4, 1], "thrown": []}
    assert throws(match) == ("a", 4)


def test_midnight_2_a_kept_die_is_not_thrown_again() -> None:
    match = play(
        new("midnight", "ab"), [lie("d6 2 2 3 3 3 3"), act("a", "keep", value=2), lie("d6 6 6 6 6 5")]
    )
    (keep,) = match.prompt.to_json()["actions"]
    assert keep["values"] == [5, 6, 65, 66, 665, 666, 6665, 6666, 66665]


def test_midnight_2_a_single_die_is_kept_without_a_decision() -> None:
    match = play(new("midnight", "ab"), [lie("d6 6 6 6 6 1 3"), act("a", "keep", value=66661), lie("d6 4")])
    assert throws(match) == ("b", 6)
    assert column(match, "score") == [24, None]


@pytest.mark.parametrize(
    ("value", "score"),
    [(666641, 24), (444111, 4 + 4 + 1 + 1), (655421, 18), (666664, 0), (666661, 0), (666633, 0), (411111, 4)],
)
def test_midnight_3_a_1_and_a_4_let_the_other_four_count(value: int, score: int) -> None:
    assert column(play(new("midnight", "ab"), turn("a", value)), "score") == [score, None]


def test_midnight_4_the_highest_score_wins_the_stake() -> None:
    match = play(new("midnight", "ab"), [*turn("a", 666641), *turn("b", 666541)])
    assert column(match, "points") == [1, 0]
    assert column(match, "score") == [None, None]


@pytest.mark.parametrize("shared", [666641, 222222])
def test_midnight_4_a_shared_round_adds_a_point_to_the_next(shared: int) -> None:
    match = play(new("midnight", "ab", rounds=2), [*turn("a", shared), *turn("b", shared)])
    assert column(match, "points") == [0, 0]
    assert match.state()["stake"] == 2
    match = play(match, [*turn("b", 666641), *turn("a", 666541)])
    assert column(match, "points") == [0, 2]
    assert match.prompt.to_json() == {"kind": "over", "winners": ["b"]}


def test_midnight_4_what_the_last_round_leaves_over_lapses() -> None:
    match = play(new("midnight", "ab", rounds=1), [*turn("a", 666641), *turn("b", 666641)])
    assert match.prompt.to_json() == {"kind": "over", "winners": ["a", "b"]}
    assert column(match, "points") == [0, 0]
    assert match.state()["stake"] == 1


def test_midnight_5_the_seat_on_the_left_begins_the_next_round() -> None:
    match = new("midnight", "abc", first="b")
    match = play(match, [*turn("b", 666641), *turn("c", 666541), *turn("a", 666541)])
    assert throws(match) == ("c", 6)
    assert match.state()["round"] == 2
