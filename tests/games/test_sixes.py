"""Sixes: the rulings one by one."""

from __future__ import annotations

import pytest

from games import errors
from games.prompts import OverPrompt, RevealPrompt, ThrowPrompt
from games.sixes import CALLS, reading
from tests.games.notation import act, lie, new, play


def test_sx_a_cast_is_read_from_high_to_low() -> None:
    assert reading((3, 5, 2)) == 532
    assert reading((6, 1, 6)) == 661


def test_sx1_the_highest_reading_begins_and_ties_throw_again() -> None:
    match = new("sixes", "abc")
    assert match.state() == {
        "game": "sixes",
        "round": 0,
        "call": None,
        "seats": [{"seat": seat, "losses": 0} for seat in "abc"],
    }
    # 611 beats 555: it is the reading that counts and not the sum.
    match = play(match, [lie("d6 6 1 1"), lie("d6 5 5 5"), lie("d6 1 6 1")])
    assert match.prompt == ThrowPrompt("a", 3, ("d6",) * 3)
    match = play(match, [lie("d6 1 1 1"), lie("d6 2 1 1")])
    assert match.prompt.to_json()["seat"] == "c"
    assert match.state()["round"] == 1


def test_sx2_the_starter_casts_three_unseen_and_calls_any_reading() -> None:
    match = new("sixes", "abc", first="b")
    assert match.events == ({"event": "cast", "seat": "b", "count": 3},)
    assert match.prompt.to_json() == {
        "kind": "act",
        "seat": "b",
        "actions": [{"type": "call", "calls": list(CALLS)}],
    }


def test_sx3_the_seat_to_the_left_accepts_or_challenges() -> None:
    match = new("sixes", "abc", first="c").apply(act("c", "call", value=532))
    assert match.state()["call"] == {"seat": "c", "value": 532}
    assert match.prompt.to_json()["seat"] == "a"
    assert match.prompt.to_json()["actions"] == [{"type": "accept"}, {"type": "challenge"}]


def test_sx3_a_call_of_666_can_only_be_challenged() -> None:
    match = new("sixes", "abc", first="a").apply(act("a", "call", value=666))
    assert match.prompt.to_json()["actions"] == [{"type": "challenge"}]
    with pytest.raises(errors.IllegalAction):
        match.apply(act("b", "accept"))


@pytest.mark.parametrize("count", range(4))
def test_sx4_after_accepting_it_recasts_none_to_three_and_calls_higher(count: int) -> None:
    match = play(new("sixes", "abc", first="a"), [act("a", "call", value=665), act("b", "accept")])
    assert match.prompt.to_json()["actions"] == [{"type": "recast", "min": 0, "max": 3}]
    match = match.apply(act("b", "recast", count=count))
    assert match.events == ({"event": "cast", "seat": "b", "count": count},)
    assert match.state()["call"] == {"seat": "a", "value": 665}
    assert match.prompt.to_json() == {
        "kind": "act",
        "seat": "b",
        "actions": [{"type": "call", "calls": [666]}],
    }


@pytest.mark.parametrize(("faces", "loser"), [("5 3 2", 1), ("6 6 6", 1), ("5 3 1", 0), ("4 4 4", 0)])
def test_sx5_the_call_stands_if_the_dice_read_as_high_and_the_loser_starts(faces: str, loser: int) -> None:
    match = play(new("sixes", "abc", first="a"), [act("a", "call", value=532), act("b", "challenge")])
    assert match.prompt == RevealPrompt(("d6",) * 3)
    match = match.apply(lie(f"d6 {faces}"))
    assert [seat["losses"] for seat in match.state()["seats"]] == [int(seat == loser) for seat in range(3)]
    assert match.prompt.to_json()["seat"] == "abc"[loser]
    assert (match.state()["round"], match.state()["call"]) == (2, None)
    assert match.events[-1] == {"event": "cast", "seat": "abc"[loser], "count": 3}


def test_sx6_after_the_rounds_the_fewest_losses_win_together() -> None:
    match = new("sixes", "abc", first="a", rounds=2)
    for _ in range(2):
        match = play(match, [act("a", "call", value=666), act("b", "challenge"), lie("d6 1 1 1")])
    assert match.prompt == OverPrompt(("b", "c"))
    assert match.state()["round"] == 2
    assert match.state()["call"] is None
