"""What screens are told of the seats, and of what just happened."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from common.snapshot import SetUpGame
from dicetable.config.games import HouseRules
from dicetable.service.publisher import final, moments, seat_json, snapshot
from dicetable.service.throws import news
from dicetable.table.game_list import GameList
from dicetable.table.table_menu import Paused
from games.registry import GAMES
from games.words import SeatStage, Stage, Words
from tests.dicetable.readings import lie
from tests.dicetable.table.hands_on import HandsOn


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
    ("seat", "note"), [(SeatStage("14"), "stuck on 14"), (SeatStage("14", note="stuck"), "stuck")]
)
def test_a_seat_s_note_does_not_repeat_its_number(seat: SeatStage, note: str) -> None:
    game = Words(score=lambda *_: "18 chips", standing=lambda *_: "stuck on 14")
    assert seat_json(game, Stage(seats={"Ann": seat}), {}, {"seat": "Ann"})["note"] == note


@pytest.mark.parametrize(
    ("winners", "shown"),
    [
        (("Bob",), Stage("7", "points", owner="Bob")),
        (("Ann", "Bob"), Stage("3", "points")),
        ((), Stage(dice=(("d6", 1),))),
    ],
)
def test_the_stage_of_a_game_that_is_over_shows_what_won(winners: tuple[str, ...], shown: Stage) -> None:
    seats = [{"seat": "Ann", "points": 3}, {"seat": "Bob", "points": 7}]
    match: Any = SimpleNamespace(
        rules=SimpleNamespace(words=Words()), state=lambda: {"seats": seats}, seats=("Ann", "Bob")
    )
    assert final(match, winners, Stage("?", "no call yet", dice=(("d6", 1),))) == shown


def test_casts_go_without_saying_beside_what_happened() -> None:
    cast, bust = {"event": "cast", "seat": "Ann", "count": 3}, {"event": "bust", "seat": "Bob"}

    def told(*events: dict[str, Any]) -> list[str]:
        match: Any = SimpleNamespace(rules=SimpleNamespace(words=Words()), events=events)
        return news(match)

    assert told(bust, cast) == told(bust)
    assert len(told(cast)) == 1


@pytest.mark.parametrize(
    ("whose", "place"), [({"seat": "Ann"}, 4), ({"loser": "Bob"}, 2), ({"seat": "Eve"}, 0), ({}, 0)]
)
def test_a_moment_is_of_the_seat_that_it_happened_to(whose: dict[str, str], place: int) -> None:
    match: Any = SimpleNamespace(
        rules=SimpleNamespace(words=Words()), events=[{"event": "bust"} | whose], revision=3, log=()
    )
    (told,) = moments(match, {"Ann": 4, "Bob": 2}, {2: 7, 4: 5})["told"]
    assert (told["text"], told["place"]) == ("BUST!", place)
    assert told["colour"] == {4: 5, 2: 7, 0: 0}[place]


def set_up_of(at: HandsOn) -> SetUpGame:
    told = snapshot(at.table, [])["set_up"]
    assert told is not None
    return told


def test_the_room_hears_of_a_game_once_its_host_has_chosen_it() -> None:
    at = HandsOn()
    at.settle(lie())
    at.tap("3.ok")
    assert (set_up_of(at)["game"], set_up_of(at)["title"]) == ("", "")
    at.take(3, "Money Shot")
    told = set_up_of(at)
    assert told["title"] == "Money Shot"
    assert told["poster"] == [{"kind": "d12", "value": 12}]
    assert told["rules"] == list(GAMES["money_shot"].words.rules[:3])
    assert told["host"] == at.table.name(3)
    assert told["ready"] == "1 in. It takes 3."
    at.tap("1.ok", "2.ok")
    assert set_up_of(at)["ready"] == f"3 in: {at.table.name(3)}, press OK"
    at.tap("3.ok")
    assert set_up_of(at)["ready"] == f"3 in: {at.table.name(3)}, press START"


def test_a_pause_says_which_player_made_it() -> None:
    at = HandsOn()
    at.settle(lie())
    assert snapshot(at.table, [])["paused_by"] == ""
    at.table.open(Paused(at.table, 2))
    told = snapshot(at.table, [])
    assert (told["paused"], told["paused_by"]) == (True, at.table.name(2))
    at.table.close(at.table.screen)
    at.table.open(Paused(at.table))
    told = snapshot(at.table, [])
    assert (told["paused"], told["paused_by"]) == (True, "")


ANCHOR = HouseRules(name="The Anchor's", game="ten_thousand", options={"target": 5000})


def test_screens_are_told_which_games_there_are_and_then_which_one_is_played() -> None:
    at = HandsOn()
    at.table.games = GameList([ANCHOR], ["the anchor's"])
    at.tap("1.ok", "1.plus")
    games = set_up_of(at)["games"]
    assert games[:2] == [
        {
            "game": "ten_thousand",
            "title": "Ten Thousand",
            "house_rules": "The Anchor's",
            "players": "2 to 8 players",
            "dice": "six d6",
            "fits": True,
            "shown": False,
        },
        {
            "game": "ten_thousand",
            "title": "Ten Thousand",
            "house_rules": "",
            "players": "2 to 8 players",
            "dice": "six d6",
            "fits": True,
            "shown": True,
        },
    ]
    at.tap("1.minus", "1.ok", "2.ok")
    chosen = set_up_of(at)
    assert (chosen["game"], chosen["title"], chosen["house_rules"], chosen["dice"]) == (
        "ten_thousand",
        "Ten Thousand",
        "The Anchor's",
        "six d6",
    )
    assert chosen["games"] == []
    assert snapshot(at.table, ())["house_rules"] == ""
    at.tap("1.ok", "1.ok")
    played = snapshot(at.table, ())
    assert (played["title"], played["house_rules"]) == ("Ten Thousand", "The Anchor's")
