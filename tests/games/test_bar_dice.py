"""Bar Dice: the page's paragraphs one by one."""

from __future__ import annotations

import pytest

from games.match import Match
from games.prompts import ThrowPrompt
from games.requests import Request
from tests.games.notation import act, lie, new, play


def throws(match: Match) -> tuple[str, int]:
    assert isinstance(match.prompt, ThrowPrompt)
    return match.prompt.seat, match.prompt.count


def column(match: Match, name: str) -> list[object]:
    return [seat[name] for seat in match.state()["seats"]]


def once(faces: str) -> list[Request]:
    """Throws of all five dice, in a round of single throws."""
    return [lie(f"d6 {' '.join(hand)}") for hand in faces.split()]


def test_bar_dice_1_any_dice_or_none_are_kept() -> None:
    match = new("bar_dice", "ab").apply(lie("d6 6 6 6 1 6"))
    assert match.prompt.to_json()["actions"] == [
        {"type": "keep", "values": [0, 1, 6, 61, 66, 661, 666, 6661, 6666]},
        {"type": "stand"},
    ]
    assert throws(match.apply(act("a", "keep", value=0))) == ("a", 5)
    match = match.apply(act("a", "keep", value=661))
    assert throws(match) == ("a", 2)
    assert match.state()["turn"] == {"seat": "a", "throws": 1, "limit": 3, "dice": [], "kept": [6, 6, 1]}


def test_bar_dice_1_three_throws_and_kept_dice_may_be_thrown_again() -> None:
    match = play(new("bar_dice", "ab"), [lie("d6 2 2 3 4 6"), act("a", "keep", value=22), lie("d6 6 6 6")])
    assert match.state()["turn"]["dice"] == [6, 6, 6, 2, 2]
    match = play(match, [act("a", "keep", value=666), lie("d6 5 1")])
    assert column(match, "hand") == [[4, 6], None]
    assert throws(match) == ("b", 5)


def test_bar_dice_2_the_others_throw_no_more_often_than_the_first_seat() -> None:
    match = play(
        new("bar_dice", "abc"), [lie("d6 2 2 3 4 6"), act("a", "keep", value=0), lie("d6 6 6 6 2 3")]
    )
    match = match.apply(act("a", "stand"))
    match = play(match, [lie("d6 2 2 3 4 6"), act("b", "stand")])
    # b stood after one throw, but c may throw twice.
    match = match.apply(lie("d6 2 2 3 4 6"))
    assert match.state()["turn"]["limit"] == 2
    match = play(match, [act("c", "keep", value=0), lie("d6 2 2 3 4 6")])
    assert match.state()["round"] == 2
    assert column(match, "wins") == [1, 0, 0]


@pytest.mark.parametrize(
    ("faces", "hand"),
    [
        ("33334", [4, 3]),
        ("66612", [4, 6]),
        ("66552", [2, 6]),
        ("23456", [1, 6]),
        ("12345", [2, 5]),
        ("11116", [5, 6]),
        ("11112", [5, 2]),
        ("11111", [5, 7]),
        ("13322", [3, 3]),
        ("22266", [3, 2]),
    ],
)
def test_bar_dice_3_aces_are_wild_and_the_best_hand_counts(faces: str, hand: list[int]) -> None:
    assert column(play(new("bar_dice", "ab", throws=1), once(faces)), "hand") == [hand, None]


@pytest.mark.parametrize(
    ("better", "worse"),
    [("33334", "66652"), ("66652", "55562"), ("11111", "66666"), ("11111", "11116"), ("22222", "66662")],
)
def test_bar_dice_3_more_dice_then_the_higher_face(better: str, worse: str) -> None:
    match = play(new("bar_dice", "ab", throws=1), once(f"{worse} {better}"))
    assert column(match, "wins") == [0, 1]


def test_bar_dice_4_the_best_seats_throw_once_more_without_a_decision() -> None:
    match = new("bar_dice", "abc", first="b")
    match = play(
        match, [lie("d6 2 2 3 4 5"), act("b", "keep", value=0), lie("d6 6 6 6 2 3"), act("b", "stand")]
    )
    match = play(match, [lie("d6 2 2 3 4 5"), act("c", "stand"), lie("d6 6 6 6 3 4"), act("a", "stand")])
    assert match.state()["tie"] is True
    assert column(match, "hand") == [None, None, None]
    assert throws(match) == ("b", 5)
    match = match.apply(lie("d6 2 2 3 4 5"))
    assert throws(match) == ("a", 5)
    match = match.apply(lie("d6 2 3 4 5 6"))
    assert column(match, "wins") == [0, 1, 0]


def test_bar_dice_4_those_still_best_throw_again() -> None:
    match = play(new("bar_dice", "abc", throws=1), once("66623 66634 66645  22345 33345 33345"))
    assert throws(match) == ("b", 5)
    match = play(match, once("22346 66623"))
    assert column(match, "wins") == [0, 0, 1]


def test_bar_dice_5_the_winner_begins_the_next_round() -> None:
    match = play(new("bar_dice", "abc", throws=1), once("22346 22346 66623"))
    assert throws(match) == ("c", 5)
    assert match.state()["round"] == 2
    assert column(match, "hand") == [None, None, None]


def test_bar_dice_5_the_first_seat_with_two_rounds_wins() -> None:
    match = play(new("bar_dice", "ab", throws=1), once("66623 22346  22346 66623"))
    assert column(match, "wins") == [1, 1]
    match = play(match, once("66623 22346"))
    assert match.prompt.to_json() == {"kind": "over", "winners": ["b"]}
    assert match.state()["turn"] is None
    assert column(match, "hand") == [[2, 2], [3, 6]]


def test_bar_dice_rounds_end_the_game_and_the_most_rounds_win() -> None:
    match = play(new("bar_dice", "ab", throws=1, rounds=2), once("66623 22346  22346 66623"))
    assert match.prompt.to_json() == {"kind": "over", "winners": ["a", "b"]}
