"""`dicetable simulate`: the same game for the same seed, a summary that adds up, exit code 1 if wrong."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from common import texts
from common.texts.health import EYE
from dicetable.__main__ import main
from dicetable.commands.simulate import SimulatedGame, Tally
from dicetable.simulated.hands import Hands
from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import FAULTS
from hardware.simulated.places import at_random
from tests.dicetable.commands.usage import usage_error
from vision.reader import DiceReader
from vision.reading import Image, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.dice import Kind
    from hardware.simulated.die import Lying

Captured = pytest.CaptureFixture[str]
SLOW_CAMERA = ("--fps", "15")
"""Half the frames to draw and to watch."""


def simulate(capsys: Captured, *options: str, code: int = 0) -> list[Any]:
    assert main(["simulate", "--json", *options]) == code
    output = capsys.readouterr()
    assert output.err == ""
    return [json.loads(line) for line in output.out.splitlines()]


def test_a_decision_without_an_event_prints_nothing(capsys: Captured) -> None:
    options = {"seats": 2, "json": False, "realtime": False, "seed": 1, "fps": 15, "throw": "hand"}
    args = argparse.Namespace(**options, house_rules=None, rounds=1, house=0)
    SimulatedGame(args, "sixes", Tally(), []).say({"event": "decided"}, [])
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_it_ends_with_the_summary(capsys: Captured) -> None:
    *told, over, summary = simulate(capsys, "--game", "sixes", "--seed", "1", "--fps", "15")
    assert list(summary) == [
        "event",
        "thrown",
        "right",
        "asked",
        "wrong",
        "ms",
        "doubts",
        "wrong_cocked",
        "cheats",
        "honest",
        "cocked",
        "throw",
    ]
    assert summary["event"] == "summary"
    assert summary["wrong"] == 0
    assert summary["thrown"] == summary["right"] + summary["asked"]
    assert sum(summary["doubts"].values()) == summary["asked"]
    assert all(type(summary[key]) is int for key in ("thrown", "right", "asked", "wrong"))
    throws = [line for line in told if line["event"] == "throw"]
    assert len(summary["ms"]) >= len(throws) >= 4
    assert {line["event"] for line in told} >= {"opened", "throw", "decided"}
    assert all(ms > 0 for ms in summary["ms"])
    assert over["event"] == "over"
    assert over["state"]["round"] == 1


@pytest.mark.slow
def test_all_but_the_time_follows_from_the_seed(capsys: Captured) -> None:
    def run(seed: str) -> list[Any]:
        lines = simulate(capsys, "--seed", seed, "--game", "money_shot", "--seats", "3", *SLOW_CAMERA)
        return [{**line, "ms": None} for line in lines]

    first = run("5")
    assert run("5") == first
    assert len(first[-2]["state"]["seats"]) == 3


@pytest.mark.slow
def test_in_real_time_hand_and_dice_are_told_as_they_move(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dicetable.commands.simulate.PacedClock", VirtualClock)
    typed, typing = os.pipe()
    with os.fdopen(typed) as keyboard, os.fdopen(typing, "w"):
        monkeypatch.setattr(sys, "stdin", keyboard)
        assert main(["simulate", "--realtime", "--game", "sixes", "--seed", "3", *SLOW_CAMERA]) == 0
    told = capsys.readouterr().out.splitlines()
    assert "Sixes: ann, bob, cleo" in told
    assert "challenges" in "".join(told)
    over, counts, *_ = told[next(i for i, line in enumerate(told) if "ann lost " in line) :]
    assert over.endswith(")")
    assert re.fullmatch(r"\d+ dice thrown: \d+ right, \d+ asked, 0 wrong", counts)
    hand = told.index(f"  ({EYE['hand']})")
    throw = next(i for i in range(hand, len(told)) if re.fullmatch(r"  \d\??( \d\??)*", told[i]))
    assert told[throw - 1] == f"  ({EYE['moving']})"


@pytest.mark.slow
def test_what_goes_wrong_is_asked_about_and_the_game_goes_on(capsys: Captured) -> None:
    faults = [option for name in ("hand", "too_few", "bounce", "dark:1") for option in ("--fault", name)]
    *told, over, summary = simulate(capsys, "--game", "sixes", "--seed", "1", *SLOW_CAMERA, *faults)
    assert summary["wrong"] == 0
    assert any(line["event"] == "refused" and "I see 2 dice, not 3" in line["told"] for line in told)
    assert over["state"]["round"] == 1


@pytest.mark.slow
@pytest.mark.nightly
def test_with_cocked_dice_and_a_wrong_kind_the_game_ends_and_nothing_else_is_wrong(capsys: Captured) -> None:
    """How many of them are taken for flat is measured by `benchmarks.cocked`, over more than one game."""
    faults = [option for name in ("wrong_kind", "hand", "leaning") for option in ("--fault", name)]
    code = main(["simulate", "--json", "--game", "sixes", "--seed", "3", *SLOW_CAMERA, *faults])
    *told, over, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert [line["told"] for line in told if line["event"] == "fault"] != []
    assert over["state"]["round"] == 1
    assert summary["wrong"] == summary["wrong_cocked"]
    assert summary["cocked"]["dice"] > 0
    assert code == (summary["wrong"] > 0)


@pytest.mark.slow
@pytest.mark.nightly
def test_what_a_stuck_camera_still_shows_is_not_compared_with_the_next_throw(capsys: Captured) -> None:
    faults = ["unplugged", "leaning", "link_drop", "stuck", "on_marker"]
    struck = [part for name in faults for part in ("--fault", name)]
    summary = simulate(capsys, "--game", "sixes", "--rounds", "2", "--seed", "4", *SLOW_CAMERA, *struck)[-1]
    assert summary["wrong"] == summary["wrong_cocked"]


@pytest.mark.slow
def test_a_reader_that_lies_is_caught(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    read = DiceReader.read

    def lying(reader: DiceReader, frame: Image, *more: Any, **named: Any) -> Reading:
        dice = read(reader, frame, *more, **named).dice
        return Reading(tuple(replace(d, kind="d6", value=(d.value or 1) % 6 + 1, doubt=None) for d in dice))

    monkeypatch.setattr(DiceReader, "read", lying)
    *_, summary = simulate(capsys, "--game", "sixes", "--seed", "1", *SLOW_CAMERA, code=1)
    assert summary["wrong"] >= 1
    assert summary["right"] == 0
    assert summary["thrown"] >= summary["right"] + summary["asked"]


@pytest.mark.slow
def test_a_die_set_down_by_hand_counts_only_by_the_word_of_another_seat(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    throw = Hands.throw

    def set_down(hands: Hands, kinds: Sequence[Kind], keep: Sequence[Lying]) -> None:
        monkeypatch.setattr(Hands, "throw", throw)
        dice = hands.world.pick(kinds, {lying.die.number for lying in keep})
        hands.thrown = at_random(hands.world.chance, dice, keep)
        hands.world.put(hands.thrown)

    monkeypatch.setattr(Hands, "throw", set_down)
    told = simulate(capsys, "--game", "money_shot", "--seed", "1", "--fps", "15")
    outcomes = [line for line in told if line["event"] in ("refused", "throw")]
    assert [line["event"] for line in outcomes[:2]] == ["refused", "throw"]
    assert outcomes[0]["saw"] == outcomes[1]["dice"]
    assert told[-1]["honest"]["vouched"] == 1


@pytest.mark.parametrize(
    "options",
    [
        ["--seats", "0"],
        ["--seats", "9"],
        ["--seats", "two"],
        ["--rounds", "0"],
        ["--seed", "-1"],
        ["--game", "chess"],
        ["--fault", "flikker"],
        ["--fault", "dark:9999"],
        ["--colour"],
        ["extra"],
    ],
)
def test_bad_usage_is_one_line(options: list[str], capsys: Captured) -> None:
    assert usage_error(["simulate", *options], capsys)


def test_the_faults_are_told(capsys: Captured) -> None:
    assert main(["simulate", "--fault", "help"]) == 0
    told = capsys.readouterr().out
    assert all(name in told for name in FAULTS)


@pytest.mark.slow
@pytest.mark.parametrize("cheat", ["cheat_place", "cheat_turn", "cheat_late", "cheat_complete"])
def test_a_cheat_is_tried_and_not_accepted(capsys: Captured, cheat: str) -> None:
    *_, summary = simulate(capsys, "--game", "sixes", "--seed", "2", *SLOW_CAMERA, "--fault", cheat)
    assert summary["cheats"]["tried"] > 0
    assert summary["cheats"]["accepted"] == 0
    assert summary["honest"]["accepted"] > 0


@pytest.mark.slow
def test_a_die_that_is_turned_after_the_cup_was_lifted_is_not_accepted(capsys: Captured) -> None:
    two_rounds = ("--game", "liars_dice", "--seed", "5", "--rounds", "2", *SLOW_CAMERA)
    *told, summary = simulate(capsys, *two_rounds, "--fault", "cheat_cup")
    assert summary["cheats"]["tried"] > 1
    assert summary["cheats"]["accepted"] == 0
    refused = {line["told"] for line in told if line["event"] == "refused"}
    assert refused & {texts.throws.TURNED, texts.throws.TOUCHED}


OLD_GAMES = (
    "ten_thousand",
    "yacht",
    "ship_captain_crew",
    "mexico",
    "mia",
    "midnight",
    "shut_the_box",
    "bar_dice",
)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("game", OLD_GAMES)
def test_an_old_game_is_played_to_its_end_through_pixels(capsys: Captured, game: str) -> None:
    *_, over, summary = simulate(capsys, "--game", game, "--seed", "3")
    assert over["event"] == "over"
    assert (summary["right"], summary["wrong"]) == (summary["thrown"], 0)
