"""Liar's Dice: the rulings one by one."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest

from games import errors, liars_dice
from games.prompts import ActPrompt, OverPrompt, RevealPrompt, ThrowPrompt
from games.words import Count
from tests.games.notation import act, bid, lie, new, play

if TYPE_CHECKING:
    from games.dice import Die
    from games.match import Match


def offered(match: Match) -> list[dict[str, object]]:
    actions: list[dict[str, object]] = match.prompt.to_json()["actions"]
    return actions


def seats_of(match: Match) -> list[tuple[object, ...]]:
    return [tuple(seat.values()) for seat in match.state()["seats"]]


def test_ld1_the_highest_sum_begins_and_ties_throw_again_in_seat_order() -> None:
    match = new("liars_dice", "abcd", dice=2)
    assert match.state()["round"] == 0
    assert match.prompt == ThrowPrompt("a", 2, ("d6", "d6"))
    match = play(match, [lie("d6 6 4"), lie("d6 5 4"), lie("d6 5 5")])
    assert match.prompt == ThrowPrompt("d", 2, ("d6", "d6"))
    match = match.apply(lie("d6 1 1"))
    # Ann and cat tied on ten; only they throw again, and tie once more.
    assert [match.prompt, match.state()["round"]] == [ThrowPrompt("a", 2, ("d6", "d6")), 0]
    match = match.apply(lie("d6 1 2"))
    assert match.prompt == ThrowPrompt("c", 2, ("d6", "d6"))
    match = play(match, [lie("d6 2 1"), lie("d6 1 1"), lie("d6 1 2")])
    assert match.state()["round"] == 1
    assert match.prompt.to_json()["seat"] == "c"
    assert [event["seat"] for event in match.events if event["event"] == "cast"] == ["c", "d", "a", "b"]


def test_ld2_each_seat_in_casts_from_the_starter_on() -> None:
    match = new("liars_dice", "abc", dice=3, first="b")
    assert match.events == tuple({"event": "cast", "seat": seat, "count": 3} for seat in "bca")
    assert match.state()["round"] == 1


def test_ld3_the_first_bid_is_anything_up_to_all_dice() -> None:
    match = new("liars_dice", "ab", dice=3, first="a")
    assert offered(match) == [{"type": "bid", "min": [1, 2], "max": [6, 6]}]
    assert len(list(match.prompt.actions[0].actions())) == 30  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("said", "lowest"), [((1, 2), [1, 3]), ((2, 6), [3, 2]), ((5, 5), [5, 6]), ((6, 5), [6, 6])]
)
def test_ld4_a_raise_is_the_next_bid_or_more(said: tuple[int, int], lowest: list[int]) -> None:
    match = new("liars_dice", "ab", dice=3, first="a").apply(bid("a", *said))
    assert offered(match) == [{"type": "bid", "min": lowest, "max": [6, 6]}, {"type": "challenge"}]
    match.apply(bid("b", *lowest))
    with pytest.raises(errors.IllegalAction):
        match.apply(bid("b", *said))


def test_ld4_a_raise_may_lower_the_face_with_a_higher_quantity() -> None:
    match = new("liars_dice", "ab", dice=3, first="a").apply(bid("a", 3, 4))
    assert match.apply(bid("b", 5, 2)).state()["bid"] == {"seat": "b", "quantity": 5, "face": 2}


def test_ld4_after_all_dice_of_the_highest_face_only_a_challenge_is_left() -> None:
    match = new("liars_dice", "ab", dice=3, first="a").apply(bid("a", 6, 6))
    assert offered(match) == [{"type": "challenge"}]
    with pytest.raises(errors.IllegalAction):
        match.apply(bid("b", 6, 6))


def test_ld5_ones_count_for_every_face() -> None:
    match = play(new("liars_dice", "ab", dice=3, first="a"), [bid("a", 4, 5), act("b", "challenge")])
    assert match.prompt == RevealPrompt(("d6",) * 6)
    assert match.state()["bid"] == {"seat": "a", "quantity": 4, "face": 5}
    holds = match.apply(lie("d6 5 5 1 1 2 3"))
    assert seats_of(holds) == [("a", 3, 0), ("b", 2, 3)]
    fails = match.apply(lie("d6 5 5 1 2 2 3"))
    assert seats_of(fails) == [("a", 2, 3), ("b", 3, 0)]


def test_ld6_the_winner_of_the_challenge_starts_the_next_round() -> None:
    match = new("liars_dice", "abc", dice=2, first="a")
    match = play(match, [bid("a", 1, 5), bid("b", 2, 5), act("c", "challenge")])
    bidder_won = match.apply(lie("d6 5 5 2 2 2 2"))
    assert bidder_won.prompt.to_json()["seat"] == "b"
    assert [event for event in bidder_won.events if event["event"] == "cast"] == [
        {"event": "cast", "seat": "b", "count": 2},
        {"event": "cast", "seat": "c", "count": 1},
        {"event": "cast", "seat": "a", "count": 2},
    ]
    challenger_won = match.apply(lie("d6 5 2 2 2 2 2"))
    assert challenger_won.prompt.to_json()["seat"] == "c"
    assert challenger_won.state()["bid"] is None
    assert challenger_won.state()["on_table"] == 5


def test_ld6_a_seat_without_dice_is_passed_over_and_the_last_with_dice_wins() -> None:
    match = new("liars_dice", "abc", dice=1, first="a", drinks=0)
    match = play(match, [bid("a", 1, 5), act("b", "challenge"), lie("d6 5 2 2")])
    assert match.prompt.to_json()["seat"] == "a"
    match = match.apply(bid("a", 2, 6))
    assert match.prompt.to_json()["seat"] == "c"
    match = play(match, [act("c", "challenge"), lie("d6 6 2")])
    assert match.prompt == OverPrompt(("c",))
    assert seats_of(match) == [("a", 0, 0), ("b", 0, 0), ("c", 1, 0)]
    assert {key: match.state()[key] for key in ("round", "bid", "on_table")} == {
        "round": 2,
        "bid": None,
        "on_table": 1,
    }


@pytest.mark.parametrize(("seats", "dice"), [("ab", 20), ("abc", 16), ("abcdefgh", 6)])
def test_ld_at_most_20_dice_a_seat_and_48_at_the_table(seats: str, dice: int) -> None:
    new("liars_dice", seats, dice=dice)
    with pytest.raises(errors.BadOption):
        new("liars_dice", seats, dice=dice + 1)


def test_what_was_offered_is_not_kept_for_ever() -> None:
    before = prompts_held()
    for number in range(1200):
        liars_dice.decision(f"guest {number}", None, 10)
    assert prompts_held() < before + 1000


def prompts_held() -> int:
    """How many prompts to act the process holds."""
    gc.collect()
    return sum(isinstance(each, ActPrompt) for each in gc.get_objects())


def test_a_reveal_says_which_dice_count_and_whose_bid_it_was() -> None:
    words = liars_dice.WORDS
    log: list[dict[str, Any]] = [
        {"op": "act", "seat": "ann", "action": {"type": "bid", "quantity": 2, "face": 5}},
        {"op": "act", "seat": "bob", "action": {"type": "challenge"}},
        {"op": "throw", "dice": [["d6", 1], ["d6", 5], ["d6", 2]]},
    ]
    count = words.count({"event": "revealed", "faces": [1, 5, 2], "count": 2}, log)
    dice: tuple[Die, ...] = (("d6", 1), ("d6", 5), ("d6", 2))
    assert count == Count(dice, (True, True, False), "2 fives, called by ann", "ann")
    assert words.count({"event": "challenge", "seat": "bob"}, log) is None
