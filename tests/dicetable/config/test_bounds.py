"""A hostile or odd config file gets a few short lines of errors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from dicetable.config.file import load

if TYPE_CHECKING:
    from pathlib import Path

TABLES = '[camera]\ndriver = "simulated"\n[panel]\ndriver = "simulated"\n'


@pytest.mark.parametrize(
    "text",
    [
        TABLES + "[table]\nseats = " + "9" * 5000,
        TABLES + "[table]\nseats = 0x" + "f" * 5000,
        ".".join(["a"] * 100_000) + " = 1",
        ".".join(["a"] * 40_000) + " = 1",
        "".join(f"k{n} = 1\n" for n in range(100_000)) + TABLES,
    ],
)
def test_one_line(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.toml"
    file.write_text(text)
    assert main(["check-config", str(file)]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert len(told) < 500


def test_twenty_mistakes_are_told_and_the_others_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.toml"
    file.write_text("".join(f"k{n} = 1\n" for n in range(5000)) + TABLES)
    assert main(["check-config", str(file)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 21
    assert lines[-1].endswith("and 4980 more")
    assert all("there is no such setting" in line for line in lines[:-1])


def test_a_pipe_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert main(["check-config", str(tmp_path / "pipe")]) == 1
    assert "is no file" in capsys.readouterr().err


def test_names_are_not_repeated_nor_more_than_seats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLES + '[table]\nseats = 2\nnames = ["Ann", "Ann", "Bob"]\n')
    assert main(["check-config", str(file)]) == 1
    told = capsys.readouterr().err
    assert "'Ann' is repeated" in told
    assert "3 names for 2 seats" in told


@pytest.mark.parametrize("name", ["Žofie", "Łukasz", "Straße", "Ann B.", "J-P", "Nguyễn"])
def test_latin_names_may_have_accents(tmp_path: Path, name: str) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLES + f'[table]\nseats = 2\nnames = ["{name}", "Bob"]\n')
    assert load(file).table.names == [name, "Bob"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "must be a name"),
        (" ", "must be a name"),
        ("Ann ", "must be a name without spaces"),
        ("A  B", "must be a name without spaces"),
        ("Αθηνά", "must be Latin letters"),
        ("李", "must be Latin letters"),
        ("\\u001b[2J", "must be Latin letters"),
        ("Maximiliane", "must be at most 10 characters"),
        ("ßßßßßß", "must be at most 10 characters"),
    ],
)
def test_a_name_that_no_panel_shows_whole_is_a_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, told: str
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLES + f'[table]\nseats = 2\nnames = ["{name}"]\n')
    assert main(["check-config", str(file)]) == 1
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_names_that_differ_in_their_last_letters_are_two(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLES + '[table]\nseats = 2\nnames = ["Maximilian", "Maximilia"]\n')
    assert main(["check-config", str(file)]) == 0


@pytest.mark.parametrize("name", ["Žofie", "ZOFIE"])
def test_names_that_look_alike_are_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLES + f'[table]\nseats = 2\nnames = ["{name}", "Zofie"]\n')
    assert main(["check-config", str(file)]) == 1
    assert "'Zofie' is repeated" in capsys.readouterr().err
