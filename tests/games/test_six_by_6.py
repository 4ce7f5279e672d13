"""Six By 6: the rulings one by one, and the sample round of its author."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from games.match import Match
from games.prompts import OverPrompt, ThrowPrompt
from games.requests import Dice
from games.six_by_6 import earnings

if TYPE_CHECKING:
    from collections.abc import Iterable

RACK_AT_ONCE = "123456"


def throw(match: Match, *throws: str) -> Match:
    for faces in throws:
        match = match.apply(Dice(tuple(("d6", int(face)) for face in faces)))
    return match


def solo(**options: object) -> Match:
    return Match.new("six_by_6", ["ann"], options=options, seed=1)


def points(match: Match) -> list[int]:
    return [seat["points"] for seat in match.state()["seats"]]


# The author's sample round: each throw and the carry that he writes beside it.
SAMPLE = [
    ("121334", 1),
    ("246655", 4),
    ("4351", 3),
    ("6444", 5),
    ("236", 5),
    ("11", 5),
    ("65", 5),
    ("4", 4),
    ("2", 3),
    ("5", 2),
    ("3", 1),
    ("1", 0),
]


def test_sample_round_carries_and_37_points() -> None:
    match = solo()
    for faces, carry in SAMPLE:
        match = throw(match, faces)
        assert match.state()["turn"]["carry"] == carry
    match = throw(match, "6")
    assert match.revision == 13
    assert points(match) == [37]
    assert isinstance(match.prompt, OverPrompt)


def test_s1_first_throw_is_free_and_a_later_one_costs_a_carry() -> None:
    match = solo()
    assert match.state()["turn"] == {"seat": "ann", "posted": 0, "carry": 0, "dice": 6}
    match = throw(match, "112345")
    assert match.state()["turn"] == {"seat": "ann", "posted": 0, "carry": 0, "dice": 6}
    assert match.prompt == ThrowPrompt("ann", 6, ("d6",) * 6)


@pytest.mark.parametrize(
    ("faces", "posted", "earned"),
    [
        ("112345", 0, 1),
        ("112233", 0, 3),
        ("111235", 0, 2),
        ("166235", 2, 3),
        ("666612", 4, 7),
        ("55555", 0, 4),
        ("66666", 5, 9),
        ("6", 1, 1),
        ("5", 0, 0),
        ("1234", 0, 0),
    ],
)
def test_s2_multiples_and_sixes_earn_carry(faces: str, posted: int, earned: int) -> None:
    assert earnings([int(face) for face in faces]) == (posted, earned)


@pytest.mark.parametrize("face", "123456")
def test_s3_six_alike_of_any_face_are_all_posted(face: str) -> None:
    assert earnings([int(face)] * 6) == (6, 11)
    assert points(throw(solo(), face * 6)) == [47]


def test_s3_one_of_each_face_is_posted_as_six_alike() -> None:
    assert earnings([3, 1, 2, 6, 5, 4]) == (6, 11)


def test_s3_one_to_five_with_exactly_five_dice_is_posted_as_five_alike() -> None:
    assert earnings([5, 4, 3, 2, 1]) == (5, 9)
    assert earnings([2, 3, 4, 5, 6]) == (1, 1)
    assert points(throw(solo(), "612345")) == [47]
    # One six and a pair: five dice are left and one carry in hand.
    assert points(throw(solo(), "611345", "12345")) == [36 + 1 + 9]


def test_s4_a_rack_scores_36_and_the_whole_carry() -> None:
    assert points(throw(solo(), "666612", "66")) == [36 + 6 + 3]


def test_s4_without_carry_the_faces_left_showing_count() -> None:
    match = throw(solo(), "661345", "1345", "1345", "1345")
    assert points(match) == [12 + 13]
    assert {"event": "turn_over", "seat": "ann", "score": 25, "rack": False} in match.events


def test_s5_a_set_is_a_turn_for_each_seat_and_the_same_seat_starts_every_set_and_game() -> None:
    match = Match.new("six_by_6", ["ann", "bob"], options={"sets": 2, "games": 2, "first": "bob"}, seed=1)
    order = []
    while isinstance(match.prompt, ThrowPrompt):
        state = match.state()
        order.append((state["game_no"], state["set_no"], match.prompt.seat))
        match = throw(match, RACK_AT_ONCE)
    assert order == [(g, s, seat) for g in (1, 2) for s in (1, 2) for seat in ("bob", "ann")]
    assert match.state() == {
        "game": "six_by_6",
        "game_no": 2,
        "set_no": 2,
        "turn": None,
        "seats": [
            {"seat": "ann", "points": 94, "total": 188, "games": 2},
            {"seat": "bob", "points": 94, "total": 188, "games": 2},
        ],
    }
    assert match.prompt == OverPrompt(("ann", "bob"))


def play_scores(match: Match, turns: Iterable[int]) -> Match:
    shortest = {
        47: ["123456"],
        25: ["661345", "1345", "1345", "1345"],
        24: ["661245", "1245", "1245", "1245"],
    }
    for score in turns:
        match = throw(match, *shortest[score])
    return match


def test_s5_most_games_win_before_most_points() -> None:
    match = Match.new("six_by_6", ["ann", "bob"], options={"games": 3}, seed=1)
    match = play_scores(match, [25, 24, 25, 24, 24, 47])
    assert [seat["games"] for seat in match.state()["seats"]] == [2, 1]
    assert [seat["total"] for seat in match.state()["seats"]] == [74, 95]
    assert match.prompt == OverPrompt(("ann",))


def test_s5_equal_games_are_decided_by_points_in_all_games() -> None:
    match = Match.new("six_by_6", ["ann", "bob"], options={"games": 2}, seed=1)
    match = play_scores(match, [25, 24, 24, 47])
    assert match.prompt == OverPrompt(("bob",))


def test_s5_points_start_again_with_a_game_and_the_total_goes_on() -> None:
    match = Match.new("six_by_6", ["ann", "bob"], options={"games": 2}, seed=1)
    match = play_scores(match, [25, 24])
    assert [(seat["points"], seat["total"]) for seat in match.state()["seats"]] == [(0, 25), (0, 24)]
