"""A game from outside: does what docs/adding-a-game.md says, then plays that game through every part."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from common import texts
from dicetable.__main__ import main
from dicetable.ledger.store import Ledger
from games.registry import GAMES
from tests.dicetable.commands.player import Player
from tests.dicetable.readings import lie
from tests.dicetable.table.hands_on import HandsOn

if TYPE_CHECKING:
    from games.requests import JsonObject

ROOT = Path(__file__).resolve().parent.parent
CODE = re.compile(r"^```(?:python|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LIMIT_S = 600


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of games/, to which the page's file and its one line were added."""
    module, line = CODE.findall((ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8"))
    assert line.count("\n") == 1
    folder = tmp_path_factory.mktemp("house")
    shutil.copytree(ROOT / "games", folder / "games", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "games" / "pig.py").write_text(module, encoding="utf-8")
    registry = folder / "games" / "registry.py"
    games, end, rest = registry.read_text(encoding="utf-8").partition("    )\n}\n")
    registry.write_text(games + line + end + rest, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def quick_house(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with a default target that two throws may reach, so that a whole game takes seconds."""
    folder = tmp_path_factory.mktemp("quick") / "house"
    shutil.copytree(house, folder)
    pig = folder / "games" / "pig.py"
    before, target, after = pig.read_text(encoding="utf-8").partition("target: int = 50")
    assert target
    pig.write_text(f"{before}target: int = 8{after}", encoding="utf-8")
    return folder


def dicetable(house: Path, *arguments: str, typed: str = "") -> list[str]:
    """What the program prints that runs in that house."""
    done = subprocess.run(
        [sys.executable, "-m", "dicetable", *arguments],
        cwd=house,
        input=typed,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_the_engine_knows_it(house: Path) -> None:
    requests: list[JsonObject] = [
        {"op": "new", "game": "pig", "seats": ["ann", "bob"], "options": {"target": 10}},
        {"op": "dice", "dice": [["d6", 6]]},
        {"op": "act", "seat": "ann", "action": {"type": "roll"}},
        {"op": "dice", "dice": [["d6", 5]]},
        {"op": "act", "seat": "ann", "action": {"type": "hold"}},
    ]
    answers = [
        json.loads(line) for line in dicetable(house, "engine", typed="\n".join(map(json.dumps, requests)))
    ]
    assert all(answer["ok"] for answer in answers)
    assert answers[1]["prompt"]["actions"] == [{"type": "roll"}, {"type": "hold"}]
    assert answers[-1]["prompt"] == {"kind": "over", "winners": ["ann"]}


@pytest.mark.slow
def test_it_plays_itself_without_a_terminal(quick_house: Path) -> None:
    told = dicetable(quick_house, "play", "pig", "--seed", "3")
    assert "| THROW one die        |" in told
    assert "| > Roll               |" in told
    assert re.fullmatch(r"(ann|bob) wins \(ann \d+ points, bob \d+ points\)", told[-1])


@pytest.mark.slow
def test_a_person_plays_it_at_a_terminal(house: Path) -> None:
    player = Player("pig", "--seed", "4", folder=house)
    player.resize(64, 40)
    assert player.sees("| THROW one die")
    player.type("\r")
    assert player.sees("| > Roll")
    assert player.sees("Enter takes the choice")
    player.type("+")
    assert player.sees("| > Hold")
    player.type("\r")
    assert player.sees("| bob ")
    player.type("\x04")
    assert player.left_with() == 0


@pytest.mark.slow
def test_simulated_people_choose_it_in_the_menu_and_play_it_by_chance(quick_house: Path) -> None:
    lines = dicetable(quick_house, "simulate", "--game", "pig", "--fps", "15", "--json")
    *told, over, summary = map(json.loads, lines)
    assert {"event": "opened", "game": "pig", "seats": ["ann", "bob"], "house_rules": None} in told
    assert over["state"]["game"] == "pig"
    assert re.fullmatch("(ann|bob) wins", over["result"])
    assert summary["wrong"] == 0
    assert summary["thrown"] == sum(line["event"] == "throw" for line in told)


@pytest.fixture
def at(house: Path, monkeypatch: pytest.MonkeyPatch) -> HandsOn:
    """A table of this process that has the game."""
    spec = importlib.util.spec_from_file_location("games.pig", house / "games" / "pig.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "games.pig", module)
    spec.loader.exec_module(module)
    monkeypatch.setitem(GAMES, "pig", module.GAME)
    return HandsOn()


def set_up(at: HandsOn) -> None:
    """From the first button to the first throw, with a target of 3 points."""
    at.tap("1.ok")
    at.take(1, "Pig")
    at.tap("2.ok", "1.ok")
    at.walk(1, "Target")
    assert at.lines[2] == "50"
    at.tap("1.ok")
    while at.choice != "3":
        at.tap("1.minus")
    at.tap("1.ok")
    at.take(1, texts.panel.START)


def test_the_panel_has_it_in_its_menus_and_plays_it(at: HandsOn) -> None:
    at.settle(lie())
    set_up(at)
    assert at.lines[:3] == ["ann         0 points", "THROW one die", "at stake: 0"]
    at.settle(lie(2))
    assert at.lines[:3] == ["ann         0 points", "> Roll", "at stake: 2"]
    at.take(1, "Hold")
    at.settle(lie(1, start=20))
    assert at.lines[3] == "bob: 1"
    at.wait(2.0)
    assert at.lines[3] == "bob loses it all"
    at.menu(1, texts.panel.MENU_ITEMS["rules"])
    assert " ".join(at.lines[1:]).strip() == "Throw one die as often as you dare."
    at.tap("1.ok")
    at.menu(2, texts.panel.MENU_ITEMS["sit_out"])
    at.settle(lie(4, start=40))
    at.take(1, "Hold")
    assert at.over
    assert at.lines[0] == "ann wins"


def test_the_ledger_resumes_it_and_still_lists_it_when_the_game_is_gone(
    at: HandsOn, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    at.settle(lie())
    with closing(Ledger(tmp_path)) as ledger:
        at.table.journal = ledger
        set_up(at)
        at.settle(lie(2))
    with closing(Ledger(tmp_path)) as ledger:
        again = HandsOn(ledger.entries())
    assert (again.stands(), again.lines[:2]) == (at.stands(), at.lines[:2])
    assert again.choice == "Roll"
    monkeypatch.delitem(GAMES, "pig")
    assert main(["ledger", "list", "--folder", str(tmp_path)]) == 0
    assert "Pig" in capsys.readouterr().out
    with closing(Ledger(tmp_path)) as ledger:
        gone = HandsOn(ledger.entries())
    assert texts.own_games.gone("Pig") in gone.text
