"""The command line as a whole: exit codes, one-line errors, a fast --help."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import dicetable.commands.read
from dicetable.__main__ import COMMANDS, main
from tests.dicetable.commands.usage import usage_error
from tests.hardware.files import quarters, write
from tests.zygote import run

ROOT = Path(__file__).resolve().parents[2]

TALKS = ["-m", "dicetable", "read", "--json", "none.png", "missing.png"]
"""Says two lines on its output."""


@pytest.mark.parametrize("argv", [["nonsense"], ["engine", "--nonsense"], ["engine", "extra"]])
def test_bad_usage_is_one_line_and_exit_code_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert usage_error(argv, capsys)


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert all(re.search(f"^    {name}$|^    {name} ", text, re.MULTILINE) for name in COMMANDS)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom dicetable.__main__ import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "loaded = {'numpy', 'games.registry', 'asyncio', 'typing', 'pathlib'} & set(sys.modules)\n"
        "sys.exit(', '.join(loaded) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_numpy_has_no_threads_that_wait() -> None:
    code = (
        "import os, dicetable, numpy\nmatrix = numpy.ones((300, 300))\nmatrix @ matrix\n"
        "print(len(os.listdir('/proc/self/task')))"
    )
    usual = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=usual, capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.strip() == "1"


def test_nobody_reads_the_output() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run(*TALKS, stdout=writing)
    os.close(writing)
    assert done.returncode == 1
    assert "Error" not in done.stderr


def test_no_room_for_the_output() -> None:
    with Path("/dev/full").open("wb") as full:
        done = run(*TALKS, stdout=full)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("dicetable: No space left on device: make room")
    assert "Error" not in done.stderr


def test_ctrl_c_ends_without_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def ended(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(dicetable.commands.read, "load", ended)
    assert main(["read", str(tmp_path / "photo.png")]) == 130
    assert capsys.readouterr().err == ""


def test_a_name_that_cannot_be_shown_is_told_all_the_same(tmp_path: Path) -> None:
    write(tmp_path / "w\xfcrfel.png", quarters())
    read = subprocess.run(
        [sys.executable, "-m", "dicetable", "read", "w\xfcrfel.png"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii:strict"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (read.returncode, read.stderr) == (0, "")
    assert read.stdout.startswith("w\\xfcrfel.png: ")


def test_alone_it_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "simulate" in capsys.readouterr().out


def test_it_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"dicetable {version('dicetable')}\n"


def test_the_engine_without_an_output_says_so_in_one_line() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m dicetable engine < /dev/null >&-"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "dicetable engine: standard input or output is closed: connect both and start it again"
    ]
