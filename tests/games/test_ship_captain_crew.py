"""Ship, Captain, Crew: the page's paragraphs one by one."""

from __future__ import annotations

import pytest

from games.match import Match
from games.prompts import ActPrompt, ThrowPrompt
from games.requests import Request
from tests.games.notation import act, lie, new, play

NOTHING = "d6 1 1 2 2 3"


def throws(match: Match) -> tuple[str, int]:
    assert isinstance(match.prompt, ThrowPrompt)
    return match.prompt.seat, match.prompt.count


def column(match: Match, name: str) -> list[int | None]:
    return [seat[name] for seat in match.state()["seats"]]


def turn(seat: str, cargo: str | None) -> list[Request]:
    """A turn that stands on a cargo after one throw, or finds no ship in three."""
    if cargo is None:
        return [lie(NOTHING)] * 3
    return [lie(f"d6 6 5 4 {cargo}"), act(seat, "stand")]


def test_ship_captain_crew_1_five_dice_and_at_most_three_throws() -> None:
    match = new("ship_captain_crew", "ab")
    for _ in range(3):
        assert throws(match) == ("a", 5)
        match = match.apply(lie(NOTHING))
    assert throws(match) == ("b", 5)


def test_ship_captain_crew_2_the_order_is_ship_captain_crew() -> None:
    match = new("ship_captain_crew", "ab").apply(lie("d6 5 5 4 4 3"))
    assert match.state()["turn"]["kept"] == []
    match = match.apply(lie("d6 6 6 4 4 3"))
    assert match.state()["turn"]["kept"] == [6]
    assert throws(match) == ("a", 4)
    match = match.apply(lie("d6 4 6 4 1"))
    assert column(match, "score") == [0, None]


def test_ship_captain_crew_2_one_throw_may_bring_several() -> None:
    match = new("ship_captain_crew", "ab").apply(lie("d6 2 5 6 1 1"))
    assert match.state()["turn"] == {"seat": "a", "throws": 1, "kept": [6, 5], "cargo": []}
    assert throws(match) == ("a", 3)
    match = match.apply(lie("d6 3 4 5"))
    assert match.state()["turn"] == {"seat": "a", "throws": 2, "kept": [6, 5, 4], "cargo": [5, 3]}


def test_ship_captain_crew_3_both_dice_of_the_cargo_are_rolled_and_the_last_throw_counts() -> None:
    match = new("ship_captain_crew", "ab").apply(lie("d6 6 5 4 6 6"))
    assert match.prompt.to_json()["actions"] == [{"type": "roll"}, {"type": "stand"}]
    match = match.apply(act("a", "roll"))
    assert throws(match) == ("a", 2)
    assert match.state()["turn"]["cargo"] == []
    match = match.apply(lie("d6 6 5"))
    assert isinstance(match.prompt, ActPrompt)
    match = play(match, [act("a", "roll"), lie("d6 1 1")])
    assert column(match, "score") == [2, None]
    assert throws(match) == ("b", 5)


def test_ship_captain_crew_3_a_seat_that_stands_ends_its_turn() -> None:
    match = play(new("ship_captain_crew", "ab"), turn("a", "6 5"))
    assert column(match, "score") == [11, None]
    assert throws(match) == ("b", 5)


def test_ship_captain_crew_4_the_cargo_may_hold_sixes_and_no_crew_scores_0() -> None:
    match = play(new("ship_captain_crew", "ab"), turn("a", "6 6"))
    assert column(match, "score") == [12, None]
    match = play(new("ship_captain_crew", "ab"), [lie("d6 6 5 1 1 2"), lie("d6 5 6 6"), lie("d6 5 6 6")])
    assert column(match, "score") == [0, None]


def test_ship_captain_crew_5_the_highest_score_wins_the_stake() -> None:
    match = play(new("ship_captain_crew", "ab"), [*turn("a", "1 1"), *turn("b", "1 2")])
    assert column(match, "points") == [0, 1]
    assert match.state()["stake"] == 1


@pytest.mark.parametrize("shared", ["3 3", None])
def test_ship_captain_crew_5_a_shared_round_adds_a_point_to_the_next(shared: str | None) -> None:
    match = play(new("ship_captain_crew", "ab"), [*turn("a", shared), *turn("b", shared)])
    assert column(match, "points") == [0, 0]
    assert match.state()["stake"] == 2
    match = play(match, [*turn("b", shared), *turn("a", shared)])
    assert match.state()["stake"] == 3
    match = play(match, [*turn("a", "6 6"), *turn("b", None)])
    assert column(match, "points") == [3, 0]
    assert match.state()["stake"] == 1


def test_ship_captain_crew_5_what_the_last_round_leaves_over_lapses() -> None:
    match = play(new("ship_captain_crew", "ab", rounds=1), [*turn("a", None), *turn("b", None)])
    assert match.prompt.to_json() == {"kind": "over", "winners": ["a", "b"]}
    assert match.state()["stake"] == 1
    assert column(match, "points") == [0, 0]


def test_ship_captain_crew_6_the_seat_on_the_left_begins_the_next_round() -> None:
    match = new("ship_captain_crew", "abc", first="b", rounds=2)
    match = play(match, [*turn("b", "1 1"), *turn("c", None), *turn("a", None)])
    assert throws(match) == ("c", 5)
    assert column(match, "score") == [None, None, None]
    match = play(match, [*turn("c", "1 1"), *turn("a", None), *turn("b", None)])
    assert match.prompt.to_json() == {"kind": "over", "winners": ["b", "c"]}
    assert column(match, "score") == [0, 0, 2]
    assert match.state()["turn"] is None
    assert match.state()["round"] == 2


def test_ship_captain_crew_a_single_throw_leaves_no_decision() -> None:
    match = new("ship_captain_crew", "ab", throws=1).apply(lie("d6 6 5 4 1 1"))
    assert throws(match) == ("b", 5)
    assert column(match, "score") == [2, None]
