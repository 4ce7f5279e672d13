"""`dicetable ledger` from the command line."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from dicetable.ledger import database
from dicetable.ledger.entries import Thrown
from dicetable.ledger.pictures import joined
from dicetable.ledger.reader import NO_LEDGER
from dicetable.ledger.store import Ledger
from tests.dicetable.ledger.scripts import script

if TYPE_CHECKING:
    from pathlib import Path

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished game of Six By 6, and one of Money Shot that stands before its seventh throw or so."""
    with closing(Ledger(tmp_path)) as ledger:
        for entry in [*script("six_by_6", 3), *script("money_shot", 3)[:20]]:
            ledger.append(entry, b"\xff\xd8 picture" if isinstance(entry, Thrown) else b"")
    return tmp_path


def said(capsys: Captured, *arguments: str, code: int = 0) -> list[str]:
    assert main(["ledger", *arguments]) == code
    captured = capsys.readouterr()
    return (captured.err if code else captured.out).splitlines()


def test_list_has_a_line_for_each_match(folder: Path, capsys: Captured) -> None:
    first, second = said(capsys, "list", "--folder", str(folder))
    assert "Six By 6" in first
    assert "over" in first
    assert "Money Shot" in second
    assert "in progress" in second
    assert "20 entries" in second


def test_show_has_a_line_for_each_entry(folder: Path, capsys: Captured) -> None:
    newest = said(capsys, "show", "--folder", str(folder))
    assert len(newest) == 20
    assert "r0    Money Shot: ann, bob, cleo, dan" in newest[0]
    assert any("thrown d12:" in line and "[picture]" in line for line in newest)
    assert "Six By 6" in said(capsys, "show", "1", "--folder", str(folder))[0]


def test_verify_is_content_until_a_byte_changes(folder: Path, capsys: Captured) -> None:
    assert said(capsys, "verify", "--folder", str(folder))[-1].endswith("everything is as it was written")
    path = folder / database.NAME
    data = bytearray(path.read_bytes())
    data[data.rindex(b"\xff\xd8 picture") + 5] ^= 1
    path.write_bytes(data)
    assert main(["ledger", "verify", "--folder", str(folder)]) == 1
    fault, caveat, verdict = capsys.readouterr().out.splitlines()
    assert fault.startswith("the picture of row ")
    assert "not forgery" in caveat
    assert verdict.endswith("something is wrong")


def test_export_is_a_json_line_for_each_entry(folder: Path, capsys: Captured) -> None:
    lines = [json.loads(line) for line in said(capsys, "export", "--folder", str(folder))]
    assert [line["number"] for line in lines] == list(range(1, len(lines) + 1))
    assert lines[0]["entry"]["game"] == "six_by_6"
    assert len(said(capsys, "export", str(lines[-1]["match"]), "--folder", str(folder))) == 20


def test_export_in_pieces_is_the_whole(folder: Path, capsys: Captured) -> None:
    where = ("--folder", str(folder))
    whole = said(capsys, "export", *where)
    pieces: list[str] = []
    while piece := said(capsys, "export", "--from", str(len(pieces) + 1), "--most-bytes", "5000", *where):
        assert sum(len(line) + 1 for line in piece) <= 5000
        pieces += piece
    assert pieces == whole


def test_replay_ends_at_what_is_awaited(folder: Path, capsys: Captured) -> None:
    lines = said(capsys, "replay", "--folder", str(folder))
    assert lines[-1].startswith('waiting for: {"kind"')
    assert any(line.startswith("      bet: ") for line in lines)


def test_a_throw_is_corrected_by_an_entry_of_its_own(folder: Path, capsys: Captured) -> None:
    shown = said(capsys, "show", "--folder", str(folder))
    throw = next(line for line in shown if "thrown d12:" in line)
    revision = throw.split()[3].removeprefix("r")
    assert said(capsys, "correct", revision, "d12:1", "--folder", str(folder))[-1].startswith(
        "corrected; waiting for"
    )
    after = said(capsys, "show", "--folder", str(folder))
    assert after[:20] == shown
    assert after[20].endswith(f"the throw of r{revision} really showed d12:1")
    assert said(capsys, "verify", "--folder", str(folder))[-1].endswith("everything is as it was written")


def test_a_correction_that_does_not_fit_is_refused(folder: Path, capsys: Captured) -> None:
    where = ("--folder", str(folder))
    assert "is not a throw that counts" in said(capsys, "correct", "999", "d12:1", *where, code=1)[0]
    with closing(Ledger(folder)):
        assert "Another program" in said(capsys, "correct", "2", "d12:1", *where, code=1)[0]
    assert main(["ledger", "correct", "2", "d7:1", *where]) == 2
    assert "'d7:1' is not a die" in capsys.readouterr().err


def test_evidence_is_saved(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    where = ("--folder", str(folder))
    number = next(line for line in said(capsys, "show", "1", *where) if "[picture]" in line).split()[0]
    said(capsys, "evidence", number, str(tmp_path / "throw.jpg"), *where)
    assert (tmp_path / "throw.jpg").read_bytes() == b"\xff\xd8 picture"
    assert "no picture" in said(capsys, "evidence", "1", str(tmp_path / "no.jpg"), *where, code=1)[0]


def test_the_strip_of_the_motion_is_saved(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    where = ("--folder", str(tmp_path / "new"))
    with closing(Ledger(tmp_path / "new")) as ledger:
        for entry in script("six_by_6", 3):
            evidence = joined(b"\xff\xd8 rest", b"\xff\xd8 strip") if isinstance(entry, Thrown) else b""
            ledger.append(entry, evidence)
    number = next(line for line in said(capsys, "show", "1", *where) if "[picture]" in line).split()[0]
    file = tmp_path / "it.jpg"
    said(capsys, "evidence", number, str(file), "--motion", *where)
    assert file.read_bytes() == b"\xff\xd8 strip"
    said(capsys, "evidence", number, str(file), *where)
    assert file.read_bytes() == b"\xff\xd8 rest"
    said(capsys, "evidence", number, str(file), "--whole", *where)
    assert file.read_bytes() == joined(b"\xff\xd8 rest", b"\xff\xd8 strip")
    with pytest.raises(SystemExit) as bad_usage:
        main(["ledger", "evidence", number, str(file), "--motion", "--whole", *where])
    assert bad_usage.value.code == 2
    assert "not allowed with" in capsys.readouterr().err
    where = ("--folder", str(folder))
    (line,) = said(capsys, "evidence", number, "--motion", *where, code=1)
    assert line.startswith(f"dicetable ledger: entry {number} has no motion:")


def test_a_file_that_cannot_be_written_is_named(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    where = ("--folder", str(folder))
    number = next(line for line in said(capsys, "show", "1", *where) if "[picture]" in line).split()[0]
    file = tmp_path / "nowhere" / "throw.jpg"
    (line,) = said(capsys, "evidence", number, str(file), *where, code=1)
    why = "No such file or directory; name a file in a folder that exists"
    assert line == f"dicetable ledger: {file} cannot be written: {why}"


@pytest.mark.parametrize("number", ["0", "7777", str(2**63), "9" * 100])
def test_a_number_that_nothing_has_is_one_sentence(number: str, folder: Path, capsys: Captured) -> None:
    where = ("--folder", str(folder))
    for action in ("show", "replay", "export"):
        (line,) = said(capsys, action, number, *where, code=1)
        assert line == f"dicetable ledger: there is no match {number}"
    (line,) = said(capsys, "evidence", number, "no.jpg", *where, code=1)
    assert line.startswith(f"dicetable ledger: entry {number} has no picture:")


@pytest.mark.parametrize("action", ["list", "show", "verify", "export", "replay"])
def test_a_folder_without_a_ledger_is_named(action: str, tmp_path: Path, capsys: Captured) -> None:
    (line,) = said(capsys, action, "--folder", str(tmp_path), code=1)
    assert line == f"dicetable ledger: there is no ledger in {tmp_path}: {NO_LEDGER}"


def test_the_config_says_where(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    config = tmp_path / "table.toml"
    drivers = '[camera]\ndriver = "simulated"\n[panel]\ndriver = "simulated"\n'
    config.write_text(f'{drivers}[ledger]\nfolder = "{folder}"\n')
    assert len(said(capsys, "list", "--config", str(config))) == 2
    assert "cannot be read" in said(capsys, "list", "--config", str(tmp_path / "none"), code=1)[0]


def test_a_damaged_ledger_is_one_sentence(folder: Path, capsys: Captured) -> None:
    (folder / database.NAME).write_bytes(b"x" * 10_000)
    (line,) = said(capsys, "list", "--folder", str(folder), code=1)
    assert "cannot be read" in line
    assert "repairs it when it starts" in line
