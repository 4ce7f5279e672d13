"""Text from outside never controls a terminal, a panel or a log."""

from __future__ import annotations

import logging
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.texts.plain import HARMFUL, ascii_letters, fold_name, plain, shortened
from dicetable.__main__ import main
from dicetable.ledger.entries import Opened
from dicetable.ledger.store import Ledger
from dicetable.logs import KeyValue
from dicetable.table.display import printable

if TYPE_CHECKING:
    from pathlib import Path

ESCAPE = "\x1b[2Jx"


@given(st.text(st.characters(exclude_categories=[])), st.integers(1, 100))
def test_nothing_harmful_is_left(text: str, longest: int) -> None:
    for safe in (plain(text), shortened(text, longest)):
        assert not {unicodedata.category(character) for character in safe} & HARMFUL
    assert len(shortened(text, longest)) <= longest


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        (ESCAPE, "\\x1b[2Jx"),
        ("a\x9b1m", "a\\x9b1m"),
        ("a\u202eb", "a\\u202eb"),
        ("a\ud800", "a\\ud800"),
        ("a\nb", "a\\nb"),
        ("Žofie 東京", "Žofie 東京"),
    ],
)
def test_what_steers_is_escaped_and_letters_stay(text: str, safe: str) -> None:
    assert plain(text) == safe


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Žofie", "Zofie"),
        ("Łukasz", "Lukasz"),
        ("Strauß", "Strauss"),
        ("Bjørn", "Bjorn"),
        ("Æva", "AEva"),
        ("東", "?"),
    ],
)
def test_the_panel_has_latin_letters_without_accents(name: str, shown: str) -> None:
    assert printable(name) == shown


def test_decomposed_letters_are_like_composed_ones() -> None:
    assert ascii_letters("Z\u030cofie") == "Zofie"


@pytest.mark.parametrize(
    "options",
    [
        ["play", "sixes", "--seats", ESCAPE, "ann", "bob"],
        ["check-config", f"/nowhere/{ESCAPE}"],
        ["ledger", "list", "--folder", f"/nowhere/{ESCAPE}"],
        ["read", f"/nowhere/{ESCAPE}\u202e.png"],
        ["simulate", "--fault", ESCAPE],
        [ESCAPE],
    ],
)
def test_no_command_puts_an_escape_sequence_on_the_terminal(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(options)
    except SystemExit as end:
        code = int(end.code or 0)
    output = capsys.readouterr()
    told = output.out + output.err
    assert code
    assert "x1b[2Jx" in told or "must" in told or "name" in told
    assert not any(unicodedata.category(character) in HARMFUL for character in told.replace("\n", ""))


def test_an_image_with_such_a_name_is_told_plainly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / f"{ESCAPE}.png"
    file.write_bytes(b"no picture")
    assert main(["read", str(file)])
    output = capsys.readouterr()
    assert "\x1b" not in output.out + output.err


@pytest.mark.parametrize(
    "options",
    [
        ["play", "a\nb"],
        ["check-config", "/nowhere/a\nb"],
        ["run", "--config", "/nowhere/a\nb"],
        ["ledger", "list", "--folder", "/nowhere/a\nb"],
        ["read", "/nowhere/a\nb.png"],
        ["enrol", "/nowhere/a\nb", "--out", "/nowhere/a\nb"],
        ["calibrate", "--photo", "/nowhere/a\nb.png"],
        ["markers", "a\nb"],
        ["stats", "--csv", "/nowhere/a\nb"],
        ["simulate", "--fault", "a\nb"],
    ],
)
def test_a_complaint_is_one_line_whatever_is_named_in_it(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(options)
    except SystemExit as end:
        code = int(end.code or 0)
    error = capsys.readouterr().err
    assert code
    assert "a\\nb" in error
    assert error.count("\n") == 1


def test_a_name_in_the_ledger_cannot_pass_for_another_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = Ledger(tmp_path)
    book.append(Opened("sixes", ("a\nb", "bob", "cleo"), {"rounds": 3}, 7, (), (1, 2, 3), None))
    book.close()
    for action in ("list", "show", "replay"):
        main(["ledger", action, "--folder", str(tmp_path)])
        for line in capsys.readouterr().out.splitlines():
            assert not line.startswith("b")


def test_a_photograph_whose_name_has_a_line_feed_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a\nb.png").write_bytes(b"no picture")
    main(["play", "six_by_6", "--photos", str(tmp_path), "--seats", "ann", "bob"])
    assert "a\\nb.png" in capsys.readouterr().out


def test_the_log_is_plain() -> None:
    record = logging.LogRecord("dicetable.x", logging.INFO, "", 1, "name=%s", (ESCAPE + "\u202e",), None)
    assert "name=\\x1b[2Jx\\u202e" in KeyValue(journald=True).format(record)


@pytest.mark.parametrize(
    "name",
    [
        "ANN",
        "ann",
        "Ánn",
        "A\u0301nn",
        "Ａｎｎ",
        " Ann ",
        "A\u200bnn",
        "Ann\u3164",
        "Аnn",
        "ÄNN",
        "𝐀nn",
        "Αnn",
    ],
)
def test_names_that_look_alike_fold_to_one(name: str) -> None:
    assert fold_name(name) == fold_name("Ann") == "ann"


@pytest.mark.parametrize("name", ["Anna", "Ben", "An n", "Ana", "Hän", "東", "Ann 2"])
def test_names_that_differ_stay_different(name: str) -> None:
    assert fold_name(name) != fold_name("Ann")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_folded_name_folds_to_itself(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)
