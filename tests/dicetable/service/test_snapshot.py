"""What screens are told of the seats, and of what just happened."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dicetable.service.publisher import moments, seat_json
from games.stage import SeatStage, Stage
from games.words import Words


@pytest.mark.parametrize(
    ("score", "standing", "seat", "shown"),
    [
        ("18 chips", "", None, ("18", "chips")),
        ("lost 2", "", None, ("2", "lost")),
        ("0+24", "", None, ("0+24", "")),
        ("18 chips", "bowed out", SeatStage("18", out=True), ("18", "chips")),
        ("18 chips", "has 12", SeatStage("12"), ("12", "18 chips")),
        ("12 chips", "has 12", SeatStage("12"), ("12", "12 chips")),
        ("18 chips", "", SeatStage(""), ("", "18 chips")),
    ],
)
def test_a_seat_says_each_number_once(
    score: str, standing: str, seat: SeatStage | None, shown: tuple[str, str]
) -> None:
    game = Words(score=lambda *_: score, standing=lambda *_: standing)
    stage = Stage(seats={} if seat is None else {"Ann": seat})
    told = seat_json(game, stage, {}, {"seat": "Ann"})
    assert (told["number"], told["beside"]) == shown


@pytest.mark.parametrize(
    ("whose", "place"), [({"seat": "Ann"}, 4), ({"loser": "Bob"}, 2), ({"seat": "Eve"}, 0), ({}, 0)]
)
def test_a_moment_is_of_the_seat_that_it_happened_to(whose: dict[str, str], place: int) -> None:
    match: Any = SimpleNamespace(
        rules=SimpleNamespace(words=Words()), events=[{"event": "bust"} | whose], revision=3
    )
    (told,) = moments(match, {"Ann": 4, "Bob": 2}, {2: 7, 4: 5})["told"]
    assert (told["text"], told["place"]) == ("BUST!", place)
    assert told["colour"] == {4: 5, 2: 7, 0: 0}[place]
