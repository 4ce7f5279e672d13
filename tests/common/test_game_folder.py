"""Games from a folder: a good file joins the list, a bad one is left out with one sentence."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess
from typing import TYPE_CHECKING, Any

import pytest

from common import game_folder, texts
from common.game_folder import UnusableGameError, add_games, fault_in, guarded, loaded
from dicetable.__main__ import main
from dicetable.commands import engine
from dicetable.ledger.entries import Closed, Ending
from dicetable.ledger.store import Ledger
from dicetable.service import doctor
from dicetable.service.ledger_queries import of_players
from dicetable.service.start import missing, with_games
from dicetable.table.pages import Attract
from games import registry
from games.conformance import fault_of
from games.errors import RuleFails
from games.match import Match
from games.registry import GAMES
from games.requests import Dice
from gateway import __main__ as gateway_main
from gateway import app, pages
from gateway.settings import GatewaySettings
from tests.dicetable.readings import lie
from tests.dicetable.table.hands_on import HandsOn
from tests.extent import extent
from tests.zygote import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adding-a-game.md"
CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PIG: str = CODE.findall(PAGE.read_text(encoding="utf-8"))[0].replace("target: int = 50", "target: int = 8")
THROW = "    ((_, face),) = dice\n"


def with_rule(line: str, source: str = PIG) -> str:
    """Pig whose `throw` begins with this line."""
    assert THROW in source
    return source.replace(THROW, THROW + f"    {line}\n")


def pig_with(old: str, new: str) -> str:
    assert old in PIG
    return PIG.replace(old, new)


@pytest.fixture(autouse=True)
def no_game_stays() -> Iterator[None]:
    """The next test has the list of games as it was."""
    before = set(GAMES)
    yield
    for name in set(GAMES) - before:
        del GAMES[name]


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is played at random twenty times before it is loaded, instead of two hundred."""

    def tried(path: Path, games: int = 20, *seed: int, **limits: Any) -> str:
        return fault_in(path, games, *seed, **limits)

    monkeypatch.setattr(game_folder, "fault_in", tried)


@pytest.fixture(autouse=True)
def tried_in_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program that tries a file is started by fork."""

    def forked(command: Sequence[str], *, timeout: float | None, **_: object) -> CompletedProcess[bytes]:
        done = run(*command[1:], timeout=timeout)
        return CompletedProcess(command, done.returncode, done.stdout.encode())

    monkeypatch.setattr("subprocess.run", forked)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    folder.mkdir(mode=0o755)
    return folder


def put(folder: Path, name: str, source: str) -> Path:
    path = folder / name
    path.write_text(source, encoding="utf-8")
    path.chmod(0o644)
    return path


def test_a_game_joins_the_list_and_can_be_played(folder: Path) -> None:
    put(folder, "pig.py", PIG)
    put(folder, "notes.txt", "no game")
    assert add_games(folder) == []
    match = Match.new("pig", ["ann", "bob"], {"first": "ann"}, seed=1)
    assert match.apply(Dice((("d6", 4),))).state()["at_stake"] == 4
    assert texts.games.title("pig") == "Pig"


def test_only_the_files_that_fail_are_left_out_each_with_its_reason(folder: Path) -> None:
    put(folder, "nothing.py", "x = 1\n")
    put(folder, "pig.py", PIG)
    put(folder, "same.py", PIG)
    put(folder, "taken.py", pig_with('Game("pig"', 'Game("sixes"'))
    put(folder, "throws.py", with_rule("1 / 0").replace('"pig"', '"hog"'))
    put(folder, "open.py", PIG).chmod(0o666)
    left_out = {out.path.name: out.why for out in add_games(folder)}
    assert "pig" in GAMES
    assert "hog" not in GAMES
    assert left_out.pop("throws.py").startswith(
        "it breaks a promise in a random game: seed 1, request 1: dice with"
    )
    assert left_out == {
        "nothing.py": "it has no GAME",
        "open.py": f"other users can write {folder}/open.py: `chmod go-w {folder}/open.py`",
        "same.py": "there is already a game named pig",
        "taken.py": "there is already a game named sixes",
    }


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("raise SystemExit\n", "it can't be loaded: line 1 of bad.py, SystemExit"),
        (
            "import nowhere\n",
            "it can't be loaded: line 1 of bad.py, ModuleNotFoundError: No module named 'nowhere'",
        ),
        ("x = 1\n", "it has no GAME"),
        ("GAME = 6\n", "its GAME is of the type int, not Game"),
        ("def f(:\n", "line 1 is not Python: invalid syntax"),
        (None, "it can't be read: No such file or directory"),
    ],
)
def test_a_file_that_is_no_game_is_refused_with_the_reason(
    folder: Path, source: str | None, why: str
) -> None:
    if source is None:
        (folder / "bad.py").symlink_to(folder / "nowhere.py")
    else:
        put(folder, "bad.py", source)
    with pytest.raises(UnusableGameError) as refused:
        loaded(folder / "bad.py")
    assert str(refused.value) == why


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("while True: pass\n", "loading it takes over 1 seconds"),
        (with_rule("while True: pass"), "seed 1: a game takes over 1 seconds"),
        ("import os; os._exit(0)\n", "loading it ends the program"),
    ],
    ids=["loading", "rule", "exit"],
)
def test_a_loop_without_end_and_an_exit_are_found(folder: Path, source: str, why: str) -> None:
    assert fault_in(put(folder, "pig.py", source), game_s=1) == why


def test_a_folder_that_cannot_be_read_or_that_others_can_write_is_left_out(folder: Path) -> None:
    (out,) = add_games(folder / "nowhere")
    assert str(out) == "nowhere is left out: the folder can't be read: No such file or directory"
    folder.chmod(0o777)
    put(folder, "pig.py", PIG)
    (out,) = add_games(folder)
    assert out.why == f"other users can write {folder}: `chmod go-w {folder}`"
    assert "pig" not in GAMES


def test_a_link_to_a_file_that_others_can_replace_is_refused(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    elsewhere.chmod(0o777)
    (folder / "pig.py").symlink_to(put(elsewhere, "pig.py", PIG))
    with pytest.raises(UnusableGameError, match="other users can write"):
        loaded(folder / "pig.py")


def test_a_rule_that_fails_later_refuses_the_throw_and_the_table_says_so(folder: Path) -> None:
    game = guarded(loaded(put(folder, "pig.py", with_rule("1 / (face - 5)"))))
    registry.add(game)
    at = HandsOn()
    at.settle(lie())
    at.tap("1.ok")
    at.take(1, "Pig")
    at.tap("2.ok", "1.ok")
    at.take(1, texts.panel.START)
    match = at.table.state.match
    assert match is not None
    with pytest.raises(RuleFails, match=r"Pig has a fault: line .* of pig.py, ZeroDivisionError"):
        match.apply(Dice((("d6", 5),)))
    at.settle(lie(5))
    assert at.table.state.match is match
    assert "has a fault" in at.table.sentence
    at.settle(lie(4, start=30))
    assert at.table.state.match is not match


BROKEN = {
    "name": (pig_with('Game("pig"', 'Game("Pig!"'), "its name is not like six_by_6"),
    "seats": (pig_with('"pig", 2, 8', '"pig", 2, 9'), "its seats are not within 1 to 8"),
    "state": (pig_with('"game": "pig"', '"game": "hog"'), "`game` in its public state is not its name"),
    "float": (pig_with('"at_stake": state.at_stake', '"at_stake": 0.5'), "has a number that is not whole"),
    "winners": (
        pig_with("OverPrompt(best(state.seats, state.points))", "OverPrompt(())"),
        "over without winners",
    ),
    "offers": (pig_with("(ROLL, HOLD))", "(ROLL, ROLL))"), "it offers two actions of one type"),
    "stranger": (
        pig_with('ThrowPrompt(seat, 1, ("d6",))', 'ThrowPrompt("zoe", 1, ("d6",))'),
        "which is no seat",
    ),
    "dice": (
        pig_with('ThrowPrompt(seat, 1, ("d6",))', 'ThrowPrompt(seat, 2, ("d6",))'),
        "more dice than may be",
    ),
    "endless": (with_rule("face = 1"), "it has no end after 10000 requests"),
    "chance": (with_rule("import random; face = random.choice((2, 3))"), "the replay of its log"),
    "words": (pig_with("points(event['points'])", "points(event['chips'])"), "words fails"),
    "refusal": (with_rule("raise RuntimeError('no')"), 'dice with {"op":"dice"'),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_promise_is_named(folder: Path, how: str) -> None:
    source, what = BROKEN[how]
    game = loaded(put(folder, "pig.py", source))
    registry.add(game)
    fault = fault_of(game, range(1, 20), lambda _: None)
    assert fault is not None
    assert what in fault.sentence


@pytest.mark.parametrize("game", [name for name in GAMES if name != "rolls"])
def test_every_game_of_the_table_keeps_the_promises(game: str) -> None:
    assert fault_of(GAMES[game], range(extent(3, 20)), lambda _: None) is None


def test_the_engine_checks_a_file_and_its_seed_repeats_the_fault(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "CHECKED", 60)
    assert main(["engine", "--check", str(put(folder, "pig.py", PIG))]) == 0
    assert capsys.readouterr().out == "pig: 60 random games, no promise broken\n"
    file = str(put(folder, "pig.py", with_rule("1 / (state.points[0] - 7)")))
    assert main(["engine", "--check", file]) == 1
    first = capsys.readouterr().err
    seed = re.search(r"seed (\d+), request \d+: dice with .* ZeroDivisionError", first)
    assert seed is not None
    assert main(["engine", "--check", file, "--seed", seed[1]]) == 1
    assert capsys.readouterr().err == first
    assert main(["engine", "--check", str(folder / "nowhere.py")]) == 1
    assert "it can't be read: No such file or directory" in capsys.readouterr().err


def test_play_and_simulate_take_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, "pig.py", PIG)
    put(folder, "syntax.py", "def f(:\n")
    assert main(["play", "hog", "--games", str(folder)]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "dicetable play: --games: syntax.py is left out: line 1 is not Python: invalid syntax"
    assert told[1].startswith("dicetable play: there is no game 'hog': the games are six_shooter, ")
    assert told[1].endswith("pig")
    del GAMES["pig"]
    assert main(["simulate", "--game", "hog", "--games", str(folder)]) == 2
    assert "pig, each" in capsys.readouterr().err


def test_the_doctor_names_what_is_there_and_what_is_left_out(folder: Path) -> None:
    put(folder, "pig.py", PIG)
    put(folder, "syntax.py", "def f(:\n")
    good, bad = doctor.games(folder)
    assert (good.part, good.ok, good.state) == (f"games ({folder})", True, "usable: pig")
    assert (bad.part, bad.ok, bad.state) == (
        f"games ({folder}/syntax.py)",
        False,
        "line 1 is not Python: invalid syntax",
    )
    assert bad.remedy == texts.own_games.REMEDY


def test_the_table_names_on_its_display_and_in_its_log_what_is_left_out(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(folder, "syntax.py", "def f(:\n")
    degraded = missing(with_games(folder))
    assert f"game={folder}/syntax.py left_out='line 1 is not Python: invalid syntax'" in caplog.text
    at = HandsOn()
    at.table.report("games", degraded)
    shown = set()
    for _ in range(40):
        shown.update(at.lines)
        at.wait(1.0)
    assert {"GAMES TROUBLE", "syntax.py is left"} <= shown
    assert missing([]) is None


def test_the_gateway_loads_them_before_its_pages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(folder, "pig.py", PIG.replace("WORDS = Words(", "UNUSED = Words(").replace(", words=WORDS", ""))
    settings = GatewaySettings("", 0, "", games=str(folder))
    monkeypatch.setattr(GatewaySettings, "received", classmethod(lambda _: settings))
    monkeypatch.setattr(app, "serve", lambda _: int("pig" not in GAMES))
    assert gateway_main.main() == 0
    assert "<h3>Pig</h3>" in pages.game_cards()  # it has no rules in short


def open_pig(at: HandsOn) -> None:
    at.settle(lie())
    at.tap("1.ok")
    at.take(1, "Pig")
    at.tap("2.ok", "1.ok")
    at.take(1, texts.panel.START)


def test_a_ledger_opens_whose_game_is_gone(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.add(loaded(put(folder, "pig.py", PIG)))
    books = tmp_path / "books"
    with closing(Ledger(books)) as ledger:
        at = HandsOn()
        at.table.journal = ledger
        open_pig(at)
        at.settle(lie(2))
    del GAMES["pig"]
    with closing(Ledger(books)) as ledger:
        assert "Pig isn't among the games now." in HandsOn(ledger.entries()).text
        ledger.append(Closed(Ending.ENDED))
        ended = HandsOn(ledger.entries())
    assert isinstance(ended.table.base, Attract)
    for command in (["ledger", "list"], ["ledger", "show"], ["ledger", "replay"]):
        assert main([*command, "--folder", str(books)]) == 0
        assert capsys.readouterr().err == ""
    people = of_players(books, numbered=False)["players"]
    assert [player["name"] for player in people] == ["ann", "bob"]
    assert main(["ledger", "replay", "--folder", str(books)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == (
        "Pig isn't among the games here: these are its entries as stored"
    )
