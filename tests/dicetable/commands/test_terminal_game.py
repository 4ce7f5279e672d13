"""`dicetable play` at a terminal: tray and panel on the screen, keys as buttons, typed faults."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from common import texts
from dicetable.commands.terminal_game import CameraGame, keys_for
from dicetable.table.table import Table
from tests.dicetable.commands.player import Player
from tests.dicetable.readings import lie
from tests.dicetable.table.hands_on import NAMES, HandsOn
from vision.reading import Arrival, Doubt, Flight, Reading, Settled

if TYPE_CHECKING:
    from collections.abc import Mapping


@pytest.mark.slow
def test_a_person_throws_and_lets_things_go_wrong_and_leaves() -> None:
    player = Player("six_by_6", "--seed", "3")
    player.resize(64, 40)
    assert player.sees("| THROW 6 dice")
    assert player.sees("Enter throws the dice   m menu")
    player.resize(40, 24)
    assert player.sees("Enter throws the dice   m menu\n1-8")
    player.resize(64, 40)
    assert player.sees("▀▀▀▀▀▀▀▀▀▀")
    player.type("\r")
    assert player.sees("posted")
    player.type(":flikker\r")
    assert player.sees("there is no fault 'flikker': did you mean flicker")
    player.type("\x04")
    assert player.left_with() == 0
    assert "you left; the game stands at" in player.screen.getvalue()


@pytest.mark.parametrize(("players", "asked"), [(2, "question"), (1, "alone")])
def test_keys_say_whose_word_a_doubtful_throw_needs(players: int, asked: str) -> None:
    at = HandsOn()
    at.table = Table(at.journal, lambda: 7, names=NAMES, strict=True)
    at.open("six_by_6", players)
    assert keys_for(at.table) == "throw"
    dice = [replace(die, doubt=Doubt.LOW_CONFIDENCE, confidence=0.6) for die in lie(1, 2, 3, 4, 5, 6).dice]
    at.stir()
    at.wait(0.7)
    at.table.eye(Settled(Reading(tuple(dice)), at.now_s, flight=Flight((Arrival.THROWN,) * 6, fps=30.0)))
    assert keys_for(at.table) == asked
    explained: list[Mapping[str, str]] = []
    game: Any = SimpleNamespace(table=at.table, watching=SimpleNamespace(newest=None))
    view: Any = SimpleNamespace(explain=explained.append, commands=list)
    CameraGame.draw(game, view)
    assert explained[0]["Enter"] == texts.panel.ENTER[asked]
