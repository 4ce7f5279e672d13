"""`dicetable roll`: a line for each throw, from photographs, a video, a stream and the simulated table."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import termios
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import texts
from dicetable.__main__ import main
from dicetable.commands import sources
from dicetable.commands.roll_game import RollLine, RollSettings, SimulatedRolls, Teller
from dicetable.commands.umpire import Word
from dicetable.commands.usage import CommandError
from dicetable.eye import stills
from dicetable.ledger.entries import Thrown
from dicetable.ledger.store import Ledger
from dicetable.service.healing_ledger import HealingLedger
from games.formula import parse
from hardware.attached import AttachedCamera
from hardware.ports import Degraded, Frame, SystemClock
from hardware.v4l2 import Mode
from tests.dicetable.still_dice import photograph
from tests.hardware.fakes import FakeClock
from tests.zygote import Forked

PICTURE = Path(__file__).resolve().parents[3] / "docs" / "images" / "simulated-throw.jpg"
KEYS = ["v", "throw", "at", "verdict", "reason", "dice", "total", "formula", "result"]
DIE_KEYS = ["kind", "value", "sure", "doubt", "arrival", "box"]


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return photograph(tmp_path_factory.mktemp("still") / "1.png")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A camera that is missing has one second to come."""
    monkeypatch.setattr(stills, "HEALING_S", 1)


@pytest.fixture
def photographs(still: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "throws"
    folder.mkdir()
    shutil.copy(still, folder / "1.png")
    return folder


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_folder_of_photographs_is_a_line_each(
    photographs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["roll", "--camera", str(photographs), "--json"]) == 0
    (line,) = lines(capsys)
    assert list(line) == KEYS
    assert all(list(die) == DIE_KEYS for die in line["dice"])
    assert (line["v"], line["throw"], line["verdict"], line["reason"]) == (1, 1, "counts", None)
    assert line["total"] == sum(die["value"] for die in line["dice"])
    assert (line["formula"], line["result"]) == (None, None)
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["at"])


def test_people_read_a_sum_and_a_summary(photographs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["roll", "--camera", str(photographs)]) == 0
    roll, summary = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"d\d+ \d+( \+ d\d+ \d+)* = \d+", roll)
    assert summary.startswith("1 roll: ")


def test_other_dice_than_those_of_the_formula_do_not_count(
    photographs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["roll", "--camera", str(photographs), "--json", "--expect", "2d20kh"]) == 0
    (line,) = lines(capsys)
    assert (line["verdict"], line["total"], line["formula"], line["result"]) == ("void", None, "2d20kh", None)
    assert line["reason"]


def test_a_damaged_photograph_is_named_and_the_rest_is_read(
    photographs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (photographs / "0.png").write_bytes(b"\xff\xd8 no picture")
    assert main(["roll", "--camera", str(photographs), "--json"]) == 1
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 1
    assert "0.png: it is cut short, damaged or of an unknown kind: copy it again" in said.err


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--expect", "3d7"], 2, "--expect '3d7': the table does not read a d7: use d4, d6"),
        (["--expect", "hello"], 2, "cannot be read at 'hello': write one such as 3d6+2"),
        (["--camera", "none.mp4"], 2, "--camera none.mp4: there is no such file, folder or camera: name usb"),
        (["--camera", "usb:one"], 2, "write usb:N with a number"),
        (["--camera", "telephone"], 2, "there is no such file, folder or camera"),
        (["--camera", "simulated", "--dice", "none.npz"], 1, "--dice"),
        (["--web"], 2, "--web: works only in a terminal"),
        (["--camera", "/dev/video99"], 1, "there is no camera at /dev/video99: plug it in"),
        (["--camera", "http://127.0.0.1:9/"], 1, "no video comes from http://127.0.0.1:9/: check that"),
    ],
)
@pytest.mark.usefixtures("impatient")
def test_bad_input_is_one_sentence_with_the_remedy(
    arguments: list[str],
    code: int,
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["roll", *arguments]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert says in said.err


def test_without_a_camera_it_says_what_it_could_use(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "attached_cameras", list)
    assert main(["roll"]) == 1
    assert "no camera is attached: plug one in, or name phone, a video" in capsys.readouterr().err


@pytest.mark.usefixtures("impatient")
def test_a_password_in_an_address_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["roll", "--camera", "http://ann:secret@127.0.0.1:9/x?token=secret"]) == 1
    assert "secret" not in capsys.readouterr().err


def test_a_video_that_is_none_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "v.mp4").write_bytes(b"no video")
    assert main(["roll", "--camera", str(tmp_path / "v.mp4")]) == 1
    assert "it is not a readable video: convert it" in capsys.readouterr().err


class Recorded(SimulatedRolls):
    """Rolls on a simulated table that note each line beside the dice that lie there."""

    def set_up(self, settings: RollSettings) -> None:
        super().set_up(settings)
        self.told: list[tuple[RollLine, list[tuple[str, int | None]]]] = []

    def tell(self, line: RollLine) -> None:
        self.told.append((line, sorted((die.kind, die.value) for die in self.world.lying)))

    def counted(self) -> list[tuple[RollLine, list[tuple[str, int | None]]]]:
        return [(line, lying) for line, lying in self.told if line.total is not None]

    def by_itself(self, now_s: float) -> str:
        return super().by_itself(now_s) if len(self.counted()) < 2 else "enough"


@pytest.mark.slow
@pytest.mark.parametrize("formula", [None, "2d20kh+5", "4d6dl"])
def test_simulated_rolls_are_what_lies_there(formula: str | None) -> None:
    game = Recorded(RollSettings(formula, as_json=True, asks=True), 5, None, io.StringIO())
    game.begin(5)
    game.play()
    for line, lying in game.counted():
        shown = sorted((die.kind or "", die.value) for die in line.dice)
        assert not [die for die in shown if die not in lying]
        values = [(die.kind, die.value) for die in line.dice]
        assert line.total == sum(value or 0 for _, value in values)
        assert line.result == (parse(formula).result(values).total if formula else None)  # type: ignore[arg-type]


@pytest.mark.slow
def test_rolls_are_in_the_ledger_that_statistics_read(
    photographs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "ledger"
    assert main(["roll", "--camera", str(photographs), "--json", "--ledger", str(folder)]) == 0
    (line,) = lines(capsys)
    with closing(Ledger(folder)) as ledger:
        (thrown,) = [entry for entry in ledger.entries() if isinstance(entry, Thrown)]
    assert [list(die) for die in thrown.dice] == [[die["kind"], die["value"]] for die in line["dice"]]
    assert main(["stats", "--folder", str(folder)]) == 0
    assert "d6" in capsys.readouterr().out


def test_pages_read_the_rolls_that_are_in_the_ledger(tmp_path: Path) -> None:
    ledger = HealingLedger(tmp_path, lambda: None)
    ledger.open(0.0)
    with closing(ledger):
        game = SimulatedRolls(RollSettings(ledger=ledger), 5, None, io.StringIO())
        game.begin(5)
        assert game.archive.count == ledger.count == 1


def test_the_summary_counts_what_counted() -> None:
    teller = Teller(lambda _: None, None)
    assert teller.summary() == texts.rolls.NO_ROLLS
    teller.totals, teller.dice, teller.number = [3, 10], 4, 3
    assert teller.summary() == "2 rolls: 4 dice, highest 10, mean 6.5; 1 did not count"


def test_a_natural_is_named() -> None:
    line = RollLine(1, Word.COUNTS, None, (), total=20, formula="d20", result=20, natural=20)
    assert line.for_people().endswith("d20 = 20, natural 20")


def test_each_source_is_what_its_name_says(photographs: Path) -> None:
    def named(name: str) -> sources.Source:
        return sources.source_of("roll", name, SystemClock())

    assert named("simulated") == sources.Source()
    assert named(str(photographs)) == sources.Source(folder=photographs)
    assert named(str(PICTURE)) == sources.Source(video=PICTURE)
    for name in ("usb:0", "/dev/video0", "pi", "rtsp://camera/1", "HTTP://camera:8080/video"):
        assert named(name).camera is not None


class Typed(io.StringIO):
    """A terminal, on whose keyboard something was typed."""

    def isatty(self) -> bool:
        return True


class Coloured:
    """A camera that sees one colour, or that nothing comes from."""

    def __init__(self, clock: FakeClock, bgr: tuple[int, int, int] | None) -> None:
        self.clock = clock
        self.bgr = bgr
        self.degraded = None if bgr else Degraded("another program uses /dev/video2", "end it")
        self.started = False

    def start(self) -> None:
        self.started = True

    def frame(self, timeout_s: float) -> Frame | None:
        assert self.started
        self.clock.sleep(timeout_s)
        pixels = np.full((90, 160, 3), self.bgr or (0, 0, 0), np.uint8)
        return Frame(pixels, self.clock.now_s()) if self.bgr else None

    def stop(self) -> None:
        self.started = False


@pytest.fixture
def several(monkeypatch: pytest.MonkeyPatch) -> list[Coloured]:
    """Three attached cameras: one sees red, from the second nothing comes, the third sees green."""
    clock = FakeClock()
    monkeypatch.setenv("COLORTERM", "truecolor")
    made = [Coloured(clock, bgr) for bgr in ((0, 0, 200), None, (0, 150, 0))]
    attached = [
        AttachedCamera(Path(f"/dev/video{number}"), f"Cam {number}", on_usb=number > 0, modes=[mode])
        for number, mode in enumerate([Mode(1280, 720, (30.0,), "MJPG")] * 3)
    ]
    monkeypatch.setattr(sources, "attached_cameras", lambda: attached)
    monkeypatch.setattr(sources, "usb", lambda path, _: made[int(path.name[-1])])
    return made


def test_a_person_at_the_terminal_chooses_a_camera_by_its_picture(
    several: list[Coloured], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Typed()
    monkeypatch.setattr(sys, "stdin", Typed("4\nx\n3\n"))
    monkeypatch.setattr(sys, "stderr", shown)
    assert sources.source_of("roll", None, several[0].clock).camera is several[2]
    first, second, third = re.split(r"[123]: /dev/video", shown.getvalue())[1:]
    assert first.startswith("0  Cam 0 (built in)\n")
    assert first.count("38;2;200;0;0;48;2;200;0;0m▀") == 40 * 11
    assert second == "1  Cam 1 (USB)\n   another program uses /dev/video2: end it\n"
    assert third.count("38;2;0;150;0;48;2;0;150;0m▀") == 40 * 11
    assert third.count("Which camera?") == 3
    assert not any(camera.started for camera in several)


@pytest.mark.usefixtures("several")
def test_without_a_terminal_several_cameras_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with pytest.raises(
        CommandError, match=r"name one with --camera \(1: /dev/video0  Cam 0 \(built in\); 2:"
    ):
        sources.source_of("roll", None, SystemClock())


@pytest.mark.parametrize(
    ("option", "seen", "key", "code"),
    [
        ("--friendly", True, b"\x03", 130),
        ("--json", False, b"\x04", 0),
    ],
)
def test_a_terminal_shows_the_tray_unless_it_gets_lines_of_json(
    option: str, key: bytes, code: int, *, seen: bool
) -> None:
    keyboard, terminal = os.openpty()
    termios.tcsetwinsize(terminal, (40, 100))
    command = "-m", "dicetable", "roll", "--camera", "simulated", option
    rolls = Forked(*command, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    shown = b""
    while b"ROLL ANY DICE" not in shown or (seen and "▀".encode() not in shown):
        shown += os.read(keyboard, 65536)
    os.write(keyboard, key)
    while rolls.poll() is None:
        with suppress(OSError):
            shown += os.read(keyboard, 65536)
    os.close(keyboard)
    assert rolls.returncode == code
    assert ("▀".encode() in shown) == seen
    assert (b"No roll counted." in shown) == seen


def test_the_largest_fast_size_in_motion_jpeg_is_used() -> None:
    fast = [Mode(width, height, (30.0,), "MJPG") for width, height in ((640, 480), (1280, 720), (2560, 1440))]
    slow = Mode(1920, 1080, (5.0,), "MJPG")
    assert sources.best_size([*fast, slow, Mode(1920, 1080, (30.0,), "YUYV")]) == (1280, 720)
    assert sources.best_size([*fast, Mode(1920, 1080, (60.0, 25.0), "MJPG")]) == (1920, 1080)
    assert sources.best_size([slow]) == sources.best_size([]) == (1280, 720)
