"""Ten Thousand: the page's paragraphs one by one."""

from __future__ import annotations

from typing import Any

import pytest

from games import errors
from games.match import Match
from games.prompts import ThrowPrompt
from tests.games.notation import act, lie, new, play


def throws(match: Match) -> tuple[str, int]:
    """The seat and the number of dice that the match waits for."""
    assert isinstance(match.prompt, ThrowPrompt)
    return match.prompt.seat, match.prompt.count


def offers(match: Match) -> dict[str, Any]:
    return {offer["type"]: offer.get("values") for offer in match.prompt.to_json()["actions"]}


def points(match: Match) -> list[int]:
    return [seat["points"] for seat in match.state()["seats"]]


def banked(faces: str, **options: Any) -> int:
    match = new("ten_thousand", "ab", opening=0, **options)
    return points(play(match, [lie(f"d6 {faces}"), act("a", "bank")]))[0]


def test_ten_thousand_1_a_turn_begins_with_six_dice() -> None:
    assert throws(new("ten_thousand", "ab")) == ("a", 6)


def test_ten_thousand_2_a_throw_without_a_scoring_die_loses_what_is_at_stake() -> None:
    match = play(new("ten_thousand", "ab"), [lie("d6 1 2 3 4 6 6"), act("a", "keep", value=1)])
    assert match.state()["turn"]["at_stake"] == 100
    match = match.apply(lie("d6 2 3 4 6 6"))
    assert points(match) == [0, 0]
    assert throws(match) == ("b", 6)


def test_ten_thousand_3_kept_dice_are_at_stake_and_the_rest_is_thrown() -> None:
    match = new("ten_thousand", "ab").apply(lie("d6 1 5 2 3 3 6"))
    assert offers(match) == {"keep": [1, 5, 51]}
    match = match.apply(act("a", "keep", value=51))
    assert match.state()["turn"] == {"seat": "a", "at_stake": 150, "kept": [5, 1], "thrown": []}
    assert throws(match) == ("a", 4)


@pytest.mark.parametrize("value", [0, 2, 21, 33, 331])
def test_ten_thousand_3_every_die_set_aside_must_score(value: int) -> None:
    match = new("ten_thousand", "ab").apply(lie("d6 1 5 2 3 3 6"))
    with pytest.raises(errors.IllegalAction):
        match.apply(act("a", "keep", value=value))


def test_ten_thousand_3_a_bank_adds_the_most_points_of_the_throw_to_the_stakes() -> None:
    match = new("ten_thousand", "ab", opening=0)
    match = play(match, [lie("d6 1 2 3 4 6 6"), act("a", "keep", value=1), lie("d6 5 5 5 1 2")])
    match = match.apply(act("a", "bank"))
    assert points(match) == [700, 0]


@pytest.mark.parametrize(("value", "worth"), [(555111, 1500), (654321, 1500), (222222, 1600), (443322, 1500)])
def test_ten_thousand_4_six_dice_set_aside_are_hot(value: int, worth: int) -> None:
    match = new("ten_thousand", "ab").apply(lie(f"d6 {' '.join(str(value))}"))
    match = match.apply(act("a", "keep", value=value))
    assert throws(match) == ("a", 6)
    assert match.state()["turn"] == {"seat": "a", "at_stake": worth, "kept": [], "thrown": []}


def test_ten_thousand_4_the_stakes_of_hot_dice_stay_at_stake() -> None:
    match = play(
        new("ten_thousand", "ab"),
        [lie("d6 1 1 1 5 5 5"), act("a", "keep", value=555111), lie("d6 1 2 2 3 3 4"), act("a", "bank")],
    )
    assert points(match) == [1600, 0]


def test_ten_thousand_4_dice_of_several_throws_become_hot_together() -> None:
    match = play(
        new("ten_thousand", "ab"),
        [lie("d6 1 5 2 2 3 3"), act("a", "keep", value=51), lie("d6 1 1 1 5"), act("a", "keep", value=5111)],
    )
    assert throws(match) == ("a", 6)
    assert match.state()["turn"]["at_stake"] == 1200


def test_ten_thousand_5_the_next_turn_is_on_the_left() -> None:
    match = new("ten_thousand", "abc", first="c").apply(lie("d6 2 2 3 3 4 6"))
    assert throws(match) == ("a", 6)


def test_ten_thousand_6_the_others_have_one_more_turn_and_the_most_points_win() -> None:
    match = new("ten_thousand", "abc", target=1000, first="b")
    match = play(match, [lie("d6 2 2 3 3 4 6"), lie("d6 1 1 1 2 3 4"), act("c", "bank")])
    assert match.state()["closer"] == "c"
    match = play(match, [lie("d6 1 1 1 1 2 3"), act("a", "bank")])
    assert match.state()["closer"] == "c"
    assert throws(match) == ("b", 6)
    match = match.apply(lie("d6 2 2 3 3 4 6"))
    assert match.prompt.to_json() == {"kind": "over", "winners": ["a"]}
    assert match.state()["round"] == 2


def test_ten_thousand_6_equal_points_share_the_win() -> None:
    match = new("ten_thousand", "ab", target=1000)
    match = play(match, [lie("d6 1 1 1 2 3 4"), act("a", "bank"), lie("d6 1 1 1 2 3 4"), act("b", "bank")])
    assert match.prompt.to_json()["winners"] == ["a", "b"]


@pytest.mark.parametrize(
    ("faces", "worth"),
    [
        ("1 2 3 4 6 6", 100),
        ("5 2 3 4 6 6", 50),
        ("1 1 5 5 2 3", 300),
        ("1 1 1 2 3 4", 1000),
        ("2 2 2 3 4 6", 200),
        ("5 5 5 2 3 4", 500),
        ("6 6 6 2 3 4", 600),
        ("2 2 2 2 3 4", 400),
        ("2 2 2 2 2 3", 800),
        ("2 2 2 2 2 2", 1600),
        ("1 1 1 1 1 1", 8000),
        ("2 2 2 3 3 3", 500),
        ("1 1 1 1 5 5", 2100),
        ("6 5 4 3 2 1", 1500),
        ("2 2 3 3 4 4", 1500),
        ("1 1 5 5 6 6", 1500),
        ("2 2 3 3 3 3", 600),
    ],
)
def test_ten_thousand_points_of_a_throw(faces: str, worth: int) -> None:
    assert banked(faces) == worth


def test_ten_thousand_points_only_dice_of_one_throw_make_a_combination() -> None:
    match = new("ten_thousand", "ab", opening=0)
    match = play(match, [lie("d6 1 2 3 4 6 6"), act("a", "keep", value=1), lie("d6 1 1 2 3 4")])
    assert points(match.apply(act("a", "bank"))) == [300, 0]


def test_ten_thousand_points_the_better_way_to_count_counts() -> None:
    assert banked("6 5 4 3 2 1", straight=100) == 150
    assert banked("1 1 2 2 3 3", three_pairs=100) == 200
    assert banked("1 1 2 2 3 3", three_pairs=300) == 300
    match = new("ten_thousand", "ab", straight=100).apply(lie("d6 1 2 3 4 5 6"))
    assert match.apply(act("a", "keep", value=654321)).state()["turn"]["at_stake"] == 100


def test_ten_thousand_straight_and_three_pairs_of_0_do_not_count() -> None:
    assert banked("6 5 4 3 2 1", straight=0) == 150
    assert banked("1 1 2 2 3 3", three_pairs=0) == 200
    match = new("ten_thousand", "ab", three_pairs=0).apply(lie("d6 2 2 3 3 4 4"))
    assert throws(match) == ("b", 6)


def test_ten_thousand_opening_holds_back_the_bank_of_a_seat_without_points() -> None:
    match = new("ten_thousand", "ab").apply(lie("d6 2 2 2 2 3 5"))
    assert "bank" not in offers(match)
    match = play(match, [act("a", "keep", value=2222), lie("d6 1 2")])
    match = match.apply(act("a", "bank"))
    assert points(match) == [500, 0]
    match = play(match, [lie("d6 2 2 3 3 4 6"), lie("d6 5 2 3 3 4 6")])
    assert points(match.apply(act("a", "bank"))) == [550, 0]


def test_ten_thousand_hot_dice_0_offers_all_six_only_while_no_bank_is_allowed() -> None:
    match = new("ten_thousand", "ab", hot_dice=0).apply(lie("d6 2 2 2 2 2 2"))
    assert 222222 not in offers(match)["keep"]
    assert 22222 in offers(match)["keep"]
    match = new("ten_thousand", "ab", hot_dice=0, opening=2000).apply(lie("d6 2 2 2 2 2 2"))
    assert "bank" not in offers(match)
    assert throws(match.apply(act("a", "keep", value=222222))) == ("a", 6)


def test_ten_thousand_hot_dice_0_leaves_only_the_bank_when_the_last_die_scores() -> None:
    match = new("ten_thousand", "ab", hot_dice=0)
    match = play(match, [lie("d6 1 1 1 5 5 2"), act("a", "keep", value=55111), lie("d6 1")])
    assert offers(match) == {"bank": None}


def test_ten_thousand_last_round_0_ends_at_once() -> None:
    match = new("ten_thousand", "ab", target=1000, last_round=0)
    match = play(match, [lie("d6 1 1 1 2 3 4"), act("a", "bank")])
    assert match.prompt.to_json() == {"kind": "over", "winners": ["a"]}


def test_ten_thousand_rounds_end_the_game() -> None:
    match = play(new("ten_thousand", "ab", rounds=1), [lie("d6 5 5 5 2 2 3"), act("a", "bank")])
    assert match.state()["round"] == 1
    match = match.apply(lie("d6 2 2 3 3 4 6"))
    assert match.prompt.to_json() == {"kind": "over", "winners": ["a"]}
    assert match.state()["turn"] is None
