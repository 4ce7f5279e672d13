"""`dicetable play`: ends by itself without a terminal; rejects unsuitable photographs with a reason."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from common import texts
from dicetable.__main__ import main
from tests.dicetable.commands.usage import usage_error
from tests.gateway.serving import free_port, until
from tests.hardware.files import write
from tests.vision.drawing import ellipse_points, fill, put_d6, soft, tray
from tests.zygote import Forked

if TYPE_CHECKING:
    from vision.reading import Image

Captured = pytest.CaptureFixture[str]
SPOTS = [(110.0, 110.0), (320.0, 120.0), (520.0, 110.0), (120.0, 360.0), (310.0, 370.0), (530.0, 350.0)]


def thrown(*values: int, offset: float = 0.0) -> Image:
    """A tray with these dice; `offset` moves all of them."""
    frame = tray()
    for number, (value, (x, y)) in enumerate(zip(values, SPOTS, strict=False)):
        put_d6(frame, value, (x + offset, y + offset / 2), 60.0, 50.0 + 3 * number)
    return soft(frame)


def play(folder: Path, capsys: Captured, code: int = 0) -> list[str]:
    assert main(["play", "six_by_6", "--photos", str(folder)]) == code
    output = capsys.readouterr()
    assert output.err == ""
    return output.out.splitlines()


def test_photographs_are_throws(tmp_path: Path, capsys: Captured) -> None:
    write(tmp_path / "2.png", thrown(1, 2, 3, 4, 5, 6, offset=50))
    write(tmp_path / "10.png", thrown(6, 6, 1, 1, 2, 3))
    first, second = (saw(capsys, tmp_path, name) for name in ("2.png", "10.png"))
    assert sorted(first) == sorted("1 2 3 4 5 6")
    assert play(tmp_path, capsys) == [
        "ann: throw 6 dice",
        "  2.png: " + first,
        "    6 posted, +11 carry",
        "    ann: RACK! 47 points",
        "bob: throw 6 dice",
        "  10.png: " + second,
        "    2 posted, +4 carry",
        "no more photographs; the game stands at ann 47 pts, bob 0+12, awaiting: bob: throw 4 dice",
    ]


def saw(capsys: Captured, folder: Path, name: str) -> str:
    """The values in the order in which `read` gives them."""
    main(["read", str(folder / name)])
    return " ".join(
        word.strip().rpartition(":")[2] for word in capsys.readouterr().out.split(": ", 1)[1].split(", ")
    )


def test_what_does_not_fit_is_refused_in_plain_words_and_the_game_waits(
    tmp_path: Path, capsys: Captured
) -> None:
    write(tmp_path / "1.png", thrown(1, 2, 3, 4, 5))
    covered = thrown(1, 2, 3, 4, 5, 6)
    fill(covered, ellipse_points(np.array(SPOTS[5]) + 12, (22.0, 22.0)), (60, 60, 200))
    write(tmp_path / "2.png", covered)
    (tmp_path / "3.jpg").write_bytes(b"\xff\xd8 torn")
    write(tmp_path / "4.png", tray())
    write(tmp_path / "5.png", thrown(1, 2, 3, 4, 5, 6))
    told = play(tmp_path, capsys)
    refusals = [line.strip() for line in told if line.startswith("    ")]
    assert refusals[0] == "I see 5 dice, not 6."
    assert refusals[1].startswith("I can't read one die")
    assert refusals[2].startswith(f"{tmp_path / '3.jpg'}: it is cut short, damaged or of an unknown kind")
    assert refusals[3] == "I see no dice; I need 6."
    assert refusals[4] == "6 posted, +11 carry"
    assert [line for line in told if "throw 6 dice" in line][:5] == ["ann: throw 6 dice"] * 5


def test_the_same_throw_twice_counts_once(tmp_path: Path, capsys: Captured) -> None:
    for name in ("1.png", "2.png"):
        write(tmp_path / name, thrown(6, 6, 1, 1, 2, 3))
    told = play(tmp_path, capsys)
    assert "    I see no dice; I need 4." in told
    assert told[-1].endswith("awaiting: ann: throw 4 dice")


@pytest.mark.parametrize("made", [False, True])
def test_a_folder_without_photographs_is_one_line(tmp_path: Path, made: bool, capsys: Captured) -> None:
    folder = tmp_path / "photos"
    if made:
        folder.mkdir()
    assert main(["play", "six_by_6", "--photos", str(folder)]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"dicetable play: {folder} ")
    assert output.err.count("\n") == 1


@pytest.mark.parametrize(
    "argv",
    [
        ["play"],
        ["play", "chess"],
        ["play", "six_by_6", "--colour"],
        ["play", "six_by_6", "--seats", "ann", "ann"],
    ],
)
def test_bad_usage_is_one_line(argv: list[str], capsys: Captured) -> None:
    assert usage_error(argv, capsys)


def process(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dicetable", "play", "six_by_6", *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30 * 20,  # a whole game is read from pixels: a minute of one core
        check=False,
    )


@pytest.mark.parametrize("seed", [-1, 2**53 + 1, 10**30])
def test_a_seed_out_of_range_is_named(seed: int, capsys: Captured) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["play", "six_by_6", "--seed", str(seed)])
    told = capsys.readouterr().err
    assert told == f"dicetable play: --seed {seed}: must be from 0 to {2**53}\n"


def test_a_closed_output_is_no_traceback() -> None:
    command = f'exec "{sys.executable}" -m dicetable play six_by_6 >&-'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=300, check=False)
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 1


@pytest.mark.slow
def test_without_a_terminal_a_game_ends_by_itself() -> None:
    done = process("--seed", "5", "--seats", "ann")
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.splitlines()
    assert told[-1].startswith("ann wins (ann ")
    assert sum("carry" in line and "posted," in line for line in told) >= 2
    assert "| ann             0+18 |" in told


AT_A_FREE_PORT = """
import sys
from dicetable.__main__ import main
from dicetable.commands import phone_source
phone_source.LISTEN = sys.argv.pop(1)
sys.exit(main())
"""


def test_a_game_at_the_terminal_is_on_a_screen_too_until_a_player_leaves(tmp_path: Path) -> None:
    port = free_port()
    keyboard, terminal = os.openpty()
    with (tmp_path / "out").open("w") as said, (tmp_path / "err").open("w") as complained:
        game = Forked(
            *("-c", AT_A_FREE_PORT, f"127.0.0.1:{port}", "play", "six_by_6", "--seed", "1", "--web"),
            stdin=terminal,
            stdout=said,
            stderr=complained,
            env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)},
        )
    os.close(terminal)
    path, state = tmp_path / "dicetable" / "table.sock", b""
    with socket.socket(socket.AF_UNIX) as gateway:
        until(lambda: gateway.connect_ex(str(path)) == 0)
        gateway.settimeout(300.0)
        while b'"todo":"ann: throw 6 dice"' not in state:
            state += gateway.recv(65536)
    os.write(keyboard, b"\x04")
    code = game.wait(300)
    os.close(keyboard)
    out = (tmp_path / "out").read_text()
    assert (code, (tmp_path / "err").read_text()) == (0, "")
    assert f"The screen: http://localhost:{port}/" in out
    assert out.count("  A rack in this turn: 56.5 %; Points of this turn, on average: ") == 1
    left = "you left; the game stands at ann 0 pts, bob 0 pts, awaiting: ann: throw 6 dice"
    assert out.splitlines()[-1] == left
    assert not path.exists()


def test_a_screen_needs_a_terminal(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as nobody:
        monkeypatch.setattr(sys, "stdin", nobody)
        assert main(["play", "six_by_6", "--web"]) == 2
    assert capsys.readouterr().err == f"dicetable play: --web: {texts.gateway.NEEDS_TERMINAL}\n"


RULES = """
[camera]
driver = "simulated"
[panel]
driver = "simulated"
[[games.house_rules]]
name = "The Anchor's Six"
game = "six_by_6"
options = { sets = 1 }
"""


def test_house_rules_are_played_by_their_name(tmp_path: Path, capsys: Captured) -> None:
    (config := tmp_path / "table.toml").write_text(RULES)
    (photos := tmp_path / "photos").mkdir()
    write(photos / "1.png", thrown(1, 2, 3, 4, 5, 6))
    arguments = ["--photos", str(photos), "--rules", "the ANCHOR's six", "--config", str(config)]
    assert main(["play", "six_by_6", *arguments]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "The Anchor's Six (Six By 6): ann, bob, sets 1"


@pytest.mark.parametrize(
    ("game", "name", "there"),
    [("six_by_6", "Ours", "The Anchor's Six"), ("yacht", "The Anchor's Six", "none")],
)
def test_house_rules_that_the_game_does_not_have_are_one_line(
    game: str, name: str, there: str, tmp_path: Path, capsys: Captured
) -> None:
    (config := tmp_path / "table.toml").write_text(RULES)
    error = usage_error(["play", game, "--rules", name, "--config", str(config)], capsys)
    assert f"{game} has no house rules" in error
    assert error.endswith(f"there are {there}\n")
