"""Money Shot: the rulings one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from games import errors
from games.prompts import OverPrompt, ThrowPrompt
from tests.games.notation import act, lie, new, play

if TYPE_CHECKING:
    from games.match import Match
    from games.requests import Request


def bet(seat: str, amount: int) -> Request:
    return act(seat, "bet", amount=amount)


def fade(seat: str) -> Request:
    return act(seat, "fade")


def bow(seat: str) -> Request:
    return act(seat, "bow_out")


def column(match: Match, key: str) -> list[object]:
    return [seat[key] for seat in match.state()["seats"]]


def pick(match: Match, *keys: str) -> list[object]:
    return [match.state()[key] for key in keys]


def offers(match: Match) -> tuple[str, list[dict[str, object]]]:
    prompt = match.prompt.to_json()
    return prompt["seat"], prompt["actions"]


FADE_OR_BOW = [{"type": "fade"}, {"type": "bow_out"}]


def test_ms1_antes_are_the_smallest_bet() -> None:
    match = new("money_shot", "abc", first="b", min_bet=2)
    assert (column(match, "chips"), pick(match, "pot", "active")) == ([48] * 3, [6, "b"])
    assert pick(match, "peak", "leader", "bet", "round") == [None, None, None, 1]


def test_ms1_the_next_round_starts_left_of_the_seat_that_was_active_at_the_end() -> None:
    match = play(new("money_shot", "abcd", first="b"), [bet("b", 1), fade("c"), lie("d12 12")])
    assert pick(match, "round", "active") == [2, "c"]


def test_ms1_who_cannot_ante_is_broke_and_passed_over() -> None:
    match = new("money_shot", "abcd", chips=3, max_bet=2, first="a")
    match = play(match, [bet("a", 2), fade("b"), lie("d12 12")])
    assert column(match, "chips") == [7, 0, 1, 1]
    assert column(match, "status") == ["in", "broke", "in", "in"]
    # Ann was active; bob cannot ante, so cat is first.
    assert pick(match, "active", "pot") == ["c", 3]


def test_ms1_fewer_than_two_that_can_ante_end_the_game() -> None:
    match = play(new("money_shot", "abc", chips=1, first="a"), [lie("d12 12")])
    assert match.prompt == OverPrompt(("a",))
    assert (column(match, "chips"), column(match, "status")) == ([3, 0, 0], ["in", "in", "in"])
    assert pick(match, "round", "pot", "active", "bet") == [1, 0, "a", None]


def test_ms2_without_a_peak_the_active_seat_must_bet() -> None:
    match = new("money_shot", "abc", first="a")
    assert offers(match) == ("a", [{"type": "bet", "min": 1, "max": 10}])
    with pytest.raises(errors.IllegalAction):
        match.apply(bow("a"))


def test_ms2_a_bet_is_limited_by_the_chips() -> None:
    match = new("money_shot", "abc", first="a", chips=5, min_bet=3)
    assert offers(match) == ("a", [{"type": "bet", "min": 2, "max": 2}])


def test_ms2_with_a_peak_it_may_bow_out_and_the_die_passes_on() -> None:
    match = play(new("money_shot", "abcd", first="a"), [bet("a", 1), fade("b"), lie("d12 9")])
    assert offers(match) == ("b", [{"type": "bet", "min": 1, "max": 10}, {"type": "bow_out"}])
    match = match.apply(bow("b"))
    assert offers(match)[0] == "c"
    assert pick(match, "active", "peak", "leader") == ["c", 9, "a"]
    assert column(match, "status") == ["in", "bowed", "in", "in"]


def test_ms3_each_seat_is_asked_in_turn_until_one_fades() -> None:
    match = new("money_shot", "abcd", first="b").apply(bet("b", 4))
    assert offers(match) == ("c", FADE_OR_BOW)
    match = match.apply(bow("c"))
    assert offers(match) == ("d", FADE_OR_BOW)
    match = match.apply(fade("d"))
    assert match.prompt == ThrowPrompt("b", 1, ("d12",))
    assert pick(match, "pot", "bet", "active") == [12, 4, "b"]
    assert column(match, "chips") == [49, 45, 49, 45]


def test_ms3_a_fader_with_fewer_chips_pays_all_it_has() -> None:
    match = new("money_shot", "abc", first="a", chips=5, max_bet=4)
    match = play(match, [bet("a", 3), fade("b"), lie("d12 12"), lie("d12 2")])
    assert (column(match, "chips"), pick(match, "active", "pot")) == ([9, 0, 3], ["c", 3])
    match = play(match, [bet("c", 1), fade("a"), lie("d12 6"), bet("a", 4), fade("c")])
    assert (column(match, "chips"), pick(match, "bet", "pot")) == ([4, 0, 0], [4, 11])


def test_ms3_the_leader_is_asked_last_and_if_it_bows_out_nobody_has_faded() -> None:
    match = play(new("money_shot", "abc", first="a"), [bet("a", 1), fade("b"), lie("d12 9"), bet("b", 5)])
    assert offers(match)[0] == "c"
    match = match.apply(bow("c"))
    assert offers(match) == ("a", FADE_OR_BOW)
    match = match.apply(bow("a"))
    # Ms4: bob takes three antes, two chips of the first bet and his own five without a throw.
    assert column(match, "chips") == [47, 52, 48]
    assert pick(match, "round", "active") == [2, "c"]


def test_ms3_a_seat_without_chips_is_not_asked_and_covers_for_free() -> None:
    match = new("money_shot", "abc", chips=2, max_bet=5, first="a")
    match = play(match, [bet("a", 1), fade("b"), lie("d12 7")])
    assert column(match, "chips") == [0, 0, 1]
    # Bob has nothing to bet: he throws for the money shot, and the die goes on to cat.
    assert match.prompt == ThrowPrompt("b", 1, ("d12",))
    assert pick(match, "bet") == [None]
    match = match.apply(lie("d12 8"))
    assert pick(match, "peak", "leader", "active") == [7, "a", "c"]
    assert column(match, "status") == ["in", "rolled_out", "in"]
    # Ann leads without chips: cat's bet is covered for free, and she throws at once.
    match = match.apply(bet("c", 1))
    assert match.prompt == ThrowPrompt("c", 1, ("d12",))
    failed = match.apply(lie("d12 7"))
    # Ms5: the leader that covered for free takes the pot.
    assert failed.prompt == OverPrompt(("a",))
    assert column(failed, "status") == ["in", "rolled_out", "rolled_out"]
    beaten = match.apply(lie("d12 8"))
    # The old leader is active now, has no chips, and only a twelve will do.
    assert pick(beaten, "peak", "leader", "active") == [8, "c", "a"]
    assert beaten.prompt == ThrowPrompt("a", 1, ("d12",))
    assert beaten.apply(lie("d12 11")).prompt == OverPrompt(("c",))
    assert beaten.apply(lie("d12 12")).prompt == OverPrompt(("a",))


def test_ms4_nobody_fades_the_first_bet() -> None:
    match = play(new("money_shot", "abc", first="a", rounds=1), [bet("a", 10), bow("b"), bow("c")])
    assert match.prompt == OverPrompt(("a",))
    assert column(match, "chips") == [52, 49, 49]
    assert pick(match, "active", "peak", "leader", "bet", "pot") == ["a", None, None, None, 0]


def test_ms5_money_shot_takes_pot() -> None:
    match = play(new("money_shot", "abc", first="a", rounds=1), [bet("a", 1), fade("b"), lie("d12 9")])
    match = play(match, [bet("b", 10), fade("c"), lie("d12 12")])
    assert match.prompt == OverPrompt(("b",))
    # Peak and leader stay as they were.
    assert pick(match, "peak", "leader", "active") == [9, "a", "b"]
    assert column(match, "chips") == [48, 63, 39]


@pytest.mark.parametrize(("face", "peak", "leader"), [(8, 7, "a"), (7, 7, "a"), (6, 7, "a")])
def test_ms5_above_the_peak_leads_and_not_above_rolls_out(face: int, peak: int, leader: str) -> None:
    match = play(new("money_shot", "abc", first="a"), [bet("a", 1), fade("b"), lie("d12 7")])
    match = play(match, [bet("b", 1), fade("c"), lie(f"d12 {face}")])
    beats = face > peak
    assert pick(match, "peak", "leader", "active") == ([face, "b", "c"] if beats else [peak, leader, "c"])
    assert column(match, "status")[1] == ("in" if beats else "rolled_out")


def test_ms6_without_chips_a_throw_rolls_out_even_when_there_is_no_peak() -> None:
    match = new("money_shot", "abc", chips=1, first="b")
    assert match.prompt == ThrowPrompt("b", 1, ("d12",))
    match = match.apply(lie("d12 11"))
    assert pick(match, "peak", "leader", "active", "bet") == [None, None, "c", None]
    assert column(match, "status") == ["in", "rolled_out", "in"]
    match = match.apply(lie("d12 1"))
    # Ms7: ann is the last in the round, and cat held the die last.
    assert match.prompt == OverPrompt(("a",))
    assert pick(match, "active", "pot") == ["c", 0]


def test_ms7_bowing_out_with_the_die_counts_as_active_at_the_end() -> None:
    match = new("money_shot", "abc", first="a")
    match = play(match, [bet("a", 1), fade("b"), lie("d12 9"), bow("b"), bow("c")])
    assert pick(match, "round", "active") == [2, "a"]
    assert column(match, "chips") == [52, 47, 48]


def test_ms_rounds_end_the_game_with_the_most_chips_ahead() -> None:
    match = new("money_shot", "abc", first="a", rounds=2)
    match = play(match, [bet("a", 1), fade("b"), lie("d12 12"), bet("b", 1), bow("c"), bow("a")])
    assert match.prompt == OverPrompt(("a",))
    assert column(match, "chips") == [52, 50, 48]
    assert pick(match, "round") == [2]
