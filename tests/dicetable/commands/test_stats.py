"""`dicetable stats` from the command line."""

from __future__ import annotations

import errno
import json
import os
import tomllib
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dicetable.__main__ import main
from dicetable.commands import usage
from dicetable.ledger import database
from dicetable.ledger.entries import DieDetails, Opened, Thrown
from dicetable.ledger.reader import NO_LEDGER
from dicetable.ledger.store import Ledger
from tests.dicetable.ledger.books import ledger as ledger_at_noon
from tests.dicetable.ledger.scripts import script
from tests.dicetable.statistics.throwing import one_face_at, rolled
from tests.hardware.files import write
from tests.vision.drawing import put_d6, soft, tray
from tests.zygote import run

ROOT = Path(__file__).parents[3]
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A game of Six By 6 and one of Sixes, both at noon on 2026-11-21."""
    with closing(ledger_at_noon(tmp_path)) as ledger:
        for entry in [*script("six_by_6", 3), *script("sixes", 2)]:
            ledger.append(entry)
    return tmp_path


def said(capsys: Captured, *arguments: str, code: int = 0) -> list[str]:
    assert main(["stats", *arguments]) == code
    captured = capsys.readouterr()
    return (captured.err if code else captured.out).splitlines()


def report(capsys: Captured, *arguments: str) -> Any:
    (line,) = said(capsys, *arguments, "--json")
    return json.loads(line)


def sheet(tmp_path: Path, text: str) -> str:
    path = tmp_path / "throws.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_ledger_is_summed_up(folder: Path, capsys: Captured) -> None:
    lines = said(capsys, "--folder", str(folder))
    assert lines[0].startswith("d6: ")
    assert "not enough throws yet" in lines[1] or "no bias found" in lines[1]
    assert any("dice under cups" in line for line in lines)
    assert any("doesn't record how often" in line for line in lines)


def test_json_has_the_counts_of_the_ledger(folder: Path, capsys: Captured) -> None:
    entries = [*script("six_by_6", 3), *script("sixes", 2)]
    thrown = sum(len(entry.dice) for entry in entries if isinstance(entry, Thrown))
    found = report(capsys, "--folder", str(folder))
    (die,) = found["dice"]
    assert sum(face["count"] for face in die["faces"]) == die["throws"]
    assert die["throws"] + found["not_counted"]["under_cups"] == thrown
    assert found["not_counted"]["under_cups"] > 0


def test_a_die_is_named(tmp_path: Path, capsys: Captured) -> None:
    with closing(Ledger(tmp_path)) as ledger:
        ledger.append(Opened("six_shooter", ("ann", "bob"), {}, 1, (), (1, 2), ()))
        for face in rolled("d20", 40):
            ledger.append(Thrown((("d20", face),), (), details=(DieDetails(die_id="old red"),)))
        ledger.append(Thrown((("d8", 1),), (), details=(DieDetails(die_id="old red"),)))
        asked = DieDetails(die_id="old red", confirmed_by=2, proposed=17)
        ledger.append(Thrown((("d20", 11),), (), details=(asked,)))
    lines = said(capsys, "--folder", str(tmp_path), "--die", "old red")
    assert lines[0] == "old red (d20): 41 throws"
    assert any("old red is a d20; the ledger also lists it 1 as a d8" in line for line in lines)
    assert any("judged together" in line for line in lines)
    assert any("1 confirmed with another value than proposed" in line for line in lines)
    faces = report(capsys, "--folder", str(tmp_path), "--die", "old red")["dice"][0]["faces"]
    assert [(face["asked"], face["proposed"]) for face in (faces[10], faces[16])] == [(1, 0), (0, 1)]
    (line,) = said(capsys, "--folder", str(tmp_path), "--die", "blue", code=1)
    assert line == "dicetable stats: there is no die 'blue': there are d8, d20, old red"


def test_since_takes_whole_days(folder: Path, capsys: Captured) -> None:
    where = ("--folder", str(folder))
    assert report(capsys, *where, "--since", "2026-11-20")["dice"]
    (line,) = said(capsys, *where, "--since", "2026-11-23", code=1)
    assert line.startswith("dicetable stats: no die was thrown since 2026-11-23 in the ledger in")
    (line,) = said(capsys, *where, "--since", "newest", code=2)
    assert "give a date such as 2026-11-21" in line


def test_an_empty_ledger_is_told(tmp_path: Path, capsys: Captured) -> None:
    with closing(Ledger(tmp_path)):
        pass
    (line,) = said(capsys, "--folder", str(tmp_path), code=1)
    assert line == f"dicetable stats: there are no throws in the ledger in {tmp_path}"
    (line,) = said(capsys, "--folder", str(tmp_path / "none"), code=1)
    assert line == f"dicetable stats: there is no ledger in {tmp_path / 'none'}: {NO_LEDGER}"


def test_a_damaged_ledger_is_one_sentence(folder: Path, capsys: Captured) -> None:
    (folder / database.NAME).write_bytes(b"x" * 10_000)
    (line,) = said(capsys, "--folder", str(folder), code=1)
    assert "cannot be read" in line


def test_a_table_of_a_loaded_die_accuses_it(tmp_path: Path, capsys: Captured) -> None:
    faces = rolled("d6", 1500, one_face_at("d6", 0.25), seed=3)
    path = sheet(tmp_path, "kind,value\n" + "".join(f"d6,{face}\n" for face in faces))
    lines = said(capsys, "--csv", path)
    assert lines[0] == "d6: 1,500 throws"
    assert lines[1].strip().startswith("BIASED: 6 came up 2")
    assert not any("ledger" in line for line in lines)


def test_a_table_may_name_dice_throws_and_doubts(tmp_path: Path, capsys: Captured) -> None:
    rows = ("die;kind;value;throw;asked", "red;d6;1;1;", ";d6;2;1;1", "", "red;D6;3;2;0", ";d10;10;3;")
    path = sheet(tmp_path, "\ufeff" + "\r\n".join(rows))
    six, ten, red = report(capsys, "--csv", path)["dice"]
    assert (six["name"], ten["name"], red["name"]) == ("d6", "d10", "red")
    assert (six["throws"], six["pairs"], red["pairs"]) == (3, 0, 1)
    assert [face["asked"] for face in six["faces"]] == [0, 1, 0, 0, 0, 0]


def test_a_percentile_die_is_counted_by_what_it_shows(tmp_path: Path, capsys: Captured) -> None:
    path = sheet(tmp_path, "kind,value\nd100,0\nd100,90\nd100,90\n")
    (die,) = report(capsys, "--csv", path)["dice"]
    assert [(face["face"], face["count"]) for face in die["faces"] if face["count"]] == [(0, 1), (90, 2)]
    assert {tuple(axis["faces"]): axis["counts"] for axis in die["opposite_faces"]["axes"]}[0, 90] == [1, 2]


def test_a_die_with_two_faces_is_told(tmp_path: Path, capsys: Captured) -> None:
    path = sheet(tmp_path, "kind,value\n" + "d20,3\nd20,18\n" * 20)
    lines = said(capsys, "--csv", path)
    assert any("only 3 and 18 of its 20 faces ever came" in line for line in lines)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line 1 must name the columns: kind,value"),
        ("d6,4\nd6,3\n", "line 1 must name the columns"),
        ("kind,value,colour\nd6,4,red\n", "there is no column 'colour'"),
        ("kind,value\n", "there are no throws in "),
        ("kind,value\nd6,4\nd6,7\n", "line 3: a d6 shows 1 to 6, not '7'"),
        ("kind,value\nd10,0\n", "line 2: a d10 shows 1 to 10, not '0': write the face marked 0 as 10"),
        ("kind,value\nd100,5\n", "line 2: a d100 shows 0, 10 … 90, not '5'"),
        ("kind,value\nd6,²\n", "line 2: a d6 shows 1 to 6, not '²'"),
        ("kind,value\nd7,1\n", "line 2: 'd7' is no kind of die: d4, d6, d8, d10, d12, d20, d100 are"),
        ("kind,value\nd6\n", "line 2 has 1 values for 2 columns"),
        ("die,kind,value\nred,d6,1\nred,d8,1\n", "line 3: 'red' is a d8 here and a d6 above"),
        ("die,kind,value\nd6,d6,1\n", "line 2: 'd6' cannot be the name of a die"),
        ("kind,value,asked\nd6,1,maybe\n", "line 2: asked is 1, 0 or empty, not 'maybe'"),
    ],
)
def test_what_is_wrong_with_a_table_is_one_sentence(
    tmp_path: Path, capsys: Captured, text: str, complaint: str
) -> None:
    (line,) = said(capsys, "--csv", sheet(tmp_path, text), code=1)
    assert line.startswith("dicetable stats: ")
    assert complaint in line


def test_a_file_that_is_no_text_or_is_missing_is_one_sentence(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "throws.csv"
    path.write_bytes(b"\xff\xfe\x00")
    (line,) = said(capsys, "--csv", str(path), code=1)
    assert line == f"dicetable stats: {path}: it is no text in UTF-8"
    for option in ("--csv", "--photos"):
        (line,) = said(capsys, option, str(tmp_path / "none"), code=1)
        assert line == f"dicetable stats: {tmp_path / 'none'}: there is no such file or folder"
    assert "no dates" in said(capsys, "--csv", str(path), "--since", "2026-11-21", code=2)[0]


def test_photographs_are_read_and_those_that_cannot_be_are_named(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "torn.jpg").write_bytes(b"\xff\xd8 torn")
    (tmp_path / "notes.txt").write_text("not a photograph")
    assert main(["stats", "--photos", str(tmp_path)]) == 1
    torn, nothing = capsys.readouterr().err.splitlines()
    assert torn.startswith(f"dicetable stats: {tmp_path / 'torn.jpg'}: ")
    assert nothing == f"dicetable stats: there are no throws in the photographs in {tmp_path}"


def test_photographs_count_by_what_they_show(tmp_path: Path, capsys: Captured) -> None:
    """Two throws of two dice each; a file of another name is not opened."""
    for number, faces in enumerate([(5, 2), (5, 3)]):
        frame = tray()
        put_d6(frame, faces[0], (150.0, 300.0), 60.0, 20.0)
        put_d6(frame, faces[1], (450.0, 120.0), 60.0, 50.0)
        write(tmp_path / f"{number}.png", soft(frame))
    (tmp_path / "labels.jsonl").write_text("{}")
    found = report(capsys, "--photos", str(tmp_path))
    (die,) = found["dice"]
    assert [face["count"] for face in die["faces"]] == [0, 1, 1, 0, 2, 0]
    assert die["pairs"] == 0
    assert found["source"] == str(tmp_path)


def test_players_are_told_with_or_without_their_names(folder: Path, capsys: Captured) -> None:
    lines = said(capsys, "--folder", str(folder), "--players")
    assert sum(" of 2 won" in line for line in lines) == 4
    assert any("Six By 6" in line and "points" in line and "expected" in line for line in lines)
    hidden = said(capsys, "--folder", str(folder), "--players", "--no-names")
    assert not any(name in line for line in hidden for name in ("ann", "bob", "cleo", "dan"))
    (line,) = said(capsys, "--folder", str(folder), "--players", "--json")
    assert {player["name"] for player in json.loads(line)["players"]} == {"ann", "bob", "cleo", "dan"}


def test_an_erased_name_is_told_nowhere(folder: Path, capsys: Captured) -> None:
    assert main(["ledger", "erase-name", "bob", "--folder", str(folder)]) == 0
    capsys.readouterr()
    for option in ("--players", "--recap"):
        lines = said(capsys, "--folder", str(folder), option)
        assert not any("bob" in line for line in lines)
        assert any("player " in line for line in lines)


def test_the_recap_is_of_the_newest_evening_or_of_a_day(folder: Path, capsys: Captured) -> None:
    lines = said(capsys, "--folder", str(folder), "--recap")
    assert lines[0].endswith("November 2026: 2 games, 4 players")
    assert sum(" won (" in line for line in lines) == 2
    (line,) = said(capsys, "--folder", str(folder), "--recap", "2026-10-01", code=1)
    assert "no game was started on the evening of 2026-10-01" in line
    assert "a date such as" in said(capsys, "--folder", str(folder), "--recap", "soon", code=2)[0]


def test_the_newest_evening_is_the_one_whose_rows_came_last(tmp_path: Path, capsys: Captured) -> None:
    """A table without a network may have believed for an evening that it was 2038."""
    for year in (2038, 2026):
        noon = partial(datetime, year, 11, 21, 12, tzinfo=UTC)
        with closing(Ledger(tmp_path, now=noon)) as book:
            for entry in script("sixes", year):
                book.append(entry)
    assert "November 2026" in said(capsys, "--folder", str(tmp_path), "--recap")[0]


def test_without_matplotlib_the_report_is_printed_and_the_plot_explained(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dicetable.commands.stats.find_spec", lambda _: None)
    table = sheet(tmp_path, "kind,value\nd6,1\nd6,2\n")
    assert main(["stats", "--csv", table, "--plot", str(tmp_path / "pictures")]) == 1
    told = capsys.readouterr()
    assert told.out.startswith("d6: ")
    assert "pip install --editable" in told.err


def test_without_a_table_on_this_machine_the_demos_ledger_is_meant(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "DEFAULT_FOLDER", str(folder / "none"))
    monkeypatch.setattr(usage, "DEMO_FOLDER", str(folder))
    for option in ("--players", "--recap"):
        assert json.loads(said(capsys, option, "--json")[0])["source"] == str(folder)
    laptop = tomllib.loads((ROOT / "examples/laptop.toml").read_text())
    monkeypatch.undo()
    assert laptop["ledger"]["folder"] == usage.DEMO_FOLDER


def test_before_the_first_roll_people_hear_what_begins_a_ledger(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "DEFAULT_FOLDER", str(tmp_path / "none"))
    monkeypatch.setattr(usage, "DEMO_FOLDER", str(tmp_path / "mine"))
    (line,) = said(capsys, code=1)
    assert line == f"dicetable stats: there is no ledger in {tmp_path / 'mine'}: {NO_LEDGER}"


@pytest.mark.parametrize("other", [("--die", "d6"), ("--csv", "x")])
def test_players_stand_alone(capsys: Captured, other: tuple[str, str]) -> None:
    assert "are about games" in said(capsys, "--players", *other, code=2)[0]


def test_an_evening_of_players_is_drawn(folder: Path, capsys: Captured) -> None:
    pictures = folder / "pictures"
    assert "leave out --players" in said(capsys, "--players", "--plot", str(pictures), code=2)[0]
    assert main(["stats", "--folder", str(folder), "--recap", "--plot", str(pictures)]) == 0
    assert capsys.readouterr().err == f"2 pictures in {pictures}\n"
    assert sorted(path.suffix for path in pictures.iterdir()) == [".png", ".svg"]


def test_pictures_that_the_disk_refuses_are_named_with_a_remedy(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    pictures = folder / "pictures"
    for asked in ([], ["--recap"]):
        *_, line = said(capsys, "--folder", str(folder), *asked, "--plot", str(pictures), code=1)
        assert line.startswith(f"dicetable stats: {pictures}/")
        assert line.endswith(
            f"No space left on device; make room on the disk that holds {line.split()[2][:-1]}"
        )


@pytest.mark.parametrize(
    "arguments",
    [
        ["stats"],
        ["stats", "--recap"],
        ["ledger", "export"],
        ["ledger", "list"],
    ],
)
def test_an_output_without_room_is_named_with_a_remedy(folder: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run("-m", "dicetable", *arguments, "--folder", folder, stdout=full)
    assert done.returncode == 1
    assert done.stderr == "dicetable: No space left on device: make room on the disk and do it again\n"


def test_a_ledger_without_games_has_no_players(tmp_path: Path, capsys: Captured) -> None:
    with closing(Ledger(tmp_path)):
        pass
    (line,) = said(capsys, "--folder", str(tmp_path), "--players", code=1)
    assert line == f"dicetable stats: no game was started in the ledger in {tmp_path}"
