"""A config file that is hostile or odd is answered in few and short lines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main

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
