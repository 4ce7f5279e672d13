"""Six Shooter: the rulings one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from games.prompts import OverPrompt, ThrowPrompt
from tests.games.notation import act, lie, new, play

if TYPE_CHECKING:
    from games.match import Match
    from games.requests import Request

BUST = ("d20 20", "d12 12")
LOW = ("d4 1", "d6 1")


def column(match: Match, key: str) -> list[object]:
    return [seat[key] for seat in match.state()["seats"]]


def opened(match: Match, *throws: tuple[str, str]) -> Match:
    return play(match, [lie(*dice) for dice in throws])


def turn(match: Match) -> tuple[str, list[str]]:
    prompt = match.prompt.to_json()
    return prompt["seat"], [offer["type"] for offer in prompt["actions"]]


def test_ss1_antes_are_paid_and_who_cannot_pay_is_out_for_good() -> None:
    match = new("six_shooter", "abc", chips=3, first="a")
    assert (column(match, "chips"), match.state()["pot"]) == ([1, 1, 1], 6)
    # All bust: the pot is carried, nobody can pay again, and the pot is shared.
    match = opened(match, BUST, BUST, BUST)
    assert match.prompt == OverPrompt(("a", "b", "c"))
    assert column(match, "chips") == [3, 3, 3]


def test_ss1_a_seat_out_stays_out_while_the_others_play_on() -> None:
    match = new("six_shooter", "abc", chips=2, ante=1, first="a")
    match = opened(match, LOW, LOW, LOW)
    buys: list[Request] = [act("a", "buy"), lie("d20 20"), act("b", "stick"), act("c", "stick")]
    match = play(match, buys)
    # Bob and cat tied with two dice each; bob stuck first. Ann has nothing left.
    assert column(match, "status") == ["out", "in", "in"]
    assert column(match, "dice") == [[], [], []]
    assert (match.state()["hand"], match.state()["button"]) == (2, "b")


def test_ss1_a_carried_pot_is_shared_from_the_button_with_the_odd_chips_first() -> None:
    match = opened(new("six_shooter", "abc", chips=3, ante=1, hands=3, first="a"), LOW, LOW, LOW)
    match = play(match, [act("a", "buy"), lie("d20 20"), act("b", "stick"), act("c", "stick")])
    assert column(match, "chips") == [0, 5, 1]
    # Nobody wins the second hand, and ann is out; nobody wins the third, which has cat for its button.
    match = opened(match, BUST, BUST, BUST)
    assert (match.state()["pot"], match.state()["button"]) == (5, "c")
    assert (column(match, "chips"), column(match, "status")) == ([0, 4, 0], ["out", "in", "in"])
    match = opened(match, BUST, BUST)
    assert column(match, "chips") == [0, 6, 3]
    assert (match.state()["pot"], match.prompt) == (0, OverPrompt(("b",)))


def test_ss1_a_pot_is_shared_even_if_two_could_then_pay() -> None:
    match = opened(new("six_shooter", "ab", chips=3, ante=2, first="a"), BUST, BUST)
    assert match.prompt == OverPrompt(("a", "b"))
    assert column(match, "chips") == [3, 3]


def test_ss1_a_carried_pot_is_won_with_the_next_hand() -> None:
    match = opened(new("six_shooter", "abc", chips=5, first="b"), BUST, BUST, BUST)
    assert (match.state()["pot"], match.state()["button"]) == (12, "c")
    match = opened(match, LOW, LOW, LOW)
    # Cat buys and busts, then ann; bob is left.
    match = play(match, [act("c", "buy"), lie("d20 20"), act("a", "buy"), lie("d20 20")])
    assert match.prompt == OverPrompt(("b",))
    assert column(match, "chips") == [0, 15, 0]


def test_ss2_button_passes_to_the_next_seat_that_can_pay() -> None:
    match = new("six_shooter", "abcd", chips=10, first="d", hands=2)
    assert match.prompt == ThrowPrompt("d", 2, ("d4", "d6", "d8", "d10", "d12", "d20"))
    match = opened(match, LOW, BUST, BUST, BUST)
    assert match.state()["button"] == "a"


def test_ss2_busts_show_once_all_have_thrown() -> None:
    match = new("six_shooter", "abc", first="a")
    match = opened(match, BUST, LOW)
    assert column(match, "status") == ["in", "in", "in"]
    assert column(match, "total") == [32, 2, 0]
    match = opened(match, LOW)
    assert column(match, "status") == ["bust", "in", "in"]
    assert turn(match) == ("b", ["stick", "buy"])


def test_ss2_dice_are_listed_as_thrown_and_by_kind_within_a_throw() -> None:
    match = opened(new("six_shooter", "ab", first="a"), ("d20 3", "d8 2"), LOW)
    match = play(match, [act("a", "buy"), lie("d4 4")])
    assert column(match, "dice")[0] == [["d8", 2], ["d20", 3], ["d4", 4]]


def test_ss3_one_left_after_the_opening_takes_the_pot_at_once() -> None:
    match = opened(new("six_shooter", "abc", first="a"), BUST, LOW, BUST)
    assert column(match, "chips") == [16, 22, 16]
    assert match.state()["hand"] == 2


def test_ss3_none_left_carries_the_pot() -> None:
    match = opened(new("six_shooter", "ab", first="a"), BUST, BUST)
    assert (match.state()["hand"], match.state()["pot"]) == (2, 8)
    match = opened(match, LOW, BUST)
    assert column(match, "chips") == [14, 22]


@pytest.mark.parametrize(
    ("chips", "price", "offers"), [(2, 1, ["stick"]), (3, 2, ["stick"]), (4, 2, ["stick", "buy"])]
)
def test_ss4_buying_needs_the_price(chips: int, price: int, offers: list[str]) -> None:
    match = opened(new("six_shooter", "ab", chips=chips, price=price, first="a"), LOW, LOW)
    assert turn(match) == ("a", offers)


def test_ss4_the_price_is_paid_before_the_throw_of_a_kind_not_thrown_yet() -> None:
    match = opened(new("six_shooter", "ab", first="a"), LOW, LOW).apply(act("a", "buy"))
    assert (column(match, "chips"), match.state()["pot"]) == ([17, 18], 5)
    assert match.prompt == ThrowPrompt("a", 1, ("d8", "d10", "d12", "d20"))


def test_ss4_seats_act_in_turn_and_a_stuck_one_is_passed_over() -> None:
    match = opened(new("six_shooter", "abc", first="b"), LOW, LOW, LOW)
    assert turn(match)[0] == "b"
    match = play(match, [act("b", "buy"), lie("d8 1"), act("c", "stick"), act("a", "buy"), lie("d8 1")])
    assert turn(match)[0] == "b"
    match = match.apply(act("b", "stick"))
    assert turn(match)[0] == "a"
    match = play(match, [act("a", "buy"), lie("d10 1")])
    assert turn(match)[0] == "a"


def test_ss5_the_last_unbusted_seat_takes_the_pot_stuck_or_not() -> None:
    match = opened(new("six_shooter", "ab", first="a"), LOW, LOW)
    match = play(match, [act("a", "stick"), act("b", "buy"), lie("d20 20")])
    assert column(match, "chips") == [21, 15]
    match = opened(new("six_shooter", "ab", first="a"), LOW, LOW)
    match = play(match, [act("a", "buy"), lie("d20 20")])
    assert column(match, "chips") == [15, 21]


def test_ss5_six_dice_without_a_bust_take_the_pot_at_once() -> None:
    match = opened(new("six_shooter", "ab", first="a", hands=1), LOW, ("d20 19", "d4 2"))
    match = play(match, [act("a", "buy"), lie("d8 1"), act("b", "stick")])
    for kind in ("d10", "d12", "d20"):
        match = play(match, [act("a", "buy"), lie(f"{kind} 1")])
    assert match.prompt == OverPrompt(("a",))
    assert column(match, "status") == ["in", "stuck"]
    assert column(match, "chips") == [22, 18]


def test_ss6_highest_total_then_most_dice_then_stuck_earliest() -> None:
    def winner(*steps: Request, ann: tuple[str, str] = LOW, bob: tuple[str, str] = LOW) -> tuple[str, ...]:
        match = play(opened(new("six_shooter", "ab", first="a", hands=1), ann, bob), steps)
        assert isinstance(match.prompt, OverPrompt)
        return match.prompt.winners

    both = (act("a", "stick"), act("b", "stick"))
    assert winner(*both, bob=("d4 2", "d6 1")) == ("b",)
    bob_buys = (act("a", "stick"), act("b", "buy"), lie("d8 1"), act("b", "stick"))
    # Bob's win brings him four chips for three paid; ann has lost two.
    assert winner(*bob_buys, ann=("d4 2", "d6 1")) == ("b",)
    assert winner(*both) == ("a",)


def test_ss_hands_end_the_game_and_the_state_stays_as_it_was() -> None:
    match = opened(new("six_shooter", "ab", first="a", hands=1), BUST, LOW)
    assert match.prompt == OverPrompt(("b",))
    assert match.state() == {
        "game": "six_shooter",
        "hand": 1,
        "button": "a",
        "pot": 0,
        "seats": [
            {"seat": "a", "chips": 18, "dice": [["d12", 12], ["d20", 20]], "total": 32, "status": "bust"},
            {"seat": "b", "chips": 22, "dice": [["d4", 1], ["d6", 1]], "total": 2, "status": "in"},
        ],
    }
