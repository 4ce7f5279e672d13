"""`dicetable watch` over a recording of a simulated table, and `dicetable record`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from common import texts
from dicetable.__main__ import main
from dicetable.eye.rig import TRAY_FILE
from hardware.recordings import Recording, RecordingWriter
from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World
from tests.extent import extent

if TYPE_CHECKING:
    from pathlib import Path

EMPTY_S = 1.2
AFTER_S = 1.3
FPS = 10
WORDS = {"counts", "vouch", "confirm", "void", "unread"}
KEYS = {"kind", "value", "sure", "doubt", "box", "arrival"}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, World]:
    """An empty tray; two dice are thrown; they lie there."""
    world = World(3, VirtualClock(), fps=FPS)
    world.camera.start()
    path = tmp_path_factory.mktemp("recording") / "throw.mkv"
    file = None
    start_s = world.clock.now_s()
    until_s, thrown = start_s + EMPTY_S, False
    while world.clock.now_s() < until_s:
        frame = world.camera.frame(1.0)
        assert frame is not None
        if file is None:
            size = frame.pixels.shape[1::-1]
            file = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"FFV1"), float(FPS), size)
        file.write(frame.pixels)
        if not thrown and world.clock.now_s() >= start_s + EMPTY_S - 0.1:
            world.throw(["d6", "d6"])
            thrown, until_s = True, world.settled_at_s + AFTER_S
    assert file is not None
    file.release()
    return path, world


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_each_time_the_tray_settles_is_a_line(
    recording: tuple[Path, World], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, world = recording
    drawn = tmp_path / "drawn.mp4"
    assert main(["watch", str(path), "--json", "--annotate", str(drawn)]) == 0
    *before, last = lines(capsys)
    assert before
    for line in (*before, last):
        assert list(line) == ["time_s", "verdict", "reason", "dice"]
        assert line["verdict"] in WORDS
    assert all((line["verdict"], line["dice"]) == ("unread", []) for line in before)
    assert all(set(die) == KEYS for die in last["dice"])
    truth = sorted((lying.kind, lying.value) for lying in world.lying)
    assert sorted((die["kind"], die["value"]) for die in last["dice"] if die["sure"]) == truth
    assert {die["arrival"] for die in last["dice"]} <= {"thrown", "handled", "unseen"}
    whole, copy = Recording(path), Recording(drawn)
    assert copy.promised_s == pytest.approx(whole.promised_s, abs=0.1)
    shown = [pixels for _, pixels in copy.frames()][-1]
    assert shown[:20].min() < 40


@pytest.mark.slow
def test_from_where_the_dice_lie_already_the_tray_was_never_seen_empty(
    recording: tuple[Path, World], capsys: pytest.CaptureFixture[str]
) -> None:
    path, world = recording
    from_s = Recording(path).promised_s - AFTER_S
    assert main(["watch", str(path), "--from", f"{from_s:.2f}", "--fps", str(FPS)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert " void " in line
    assert line.count(" unseen") == len(world.lying)
    assert f"({texts.throws.EMPTY_FIRST})" in line


def test_a_tray_that_never_settles_has_one_last_line_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = np.random.default_rng(1)
    restless = tmp_path / "restless.mkv"
    writer = RecordingWriter(restless, 320, 240)
    for number in range(30):
        writer.write(chance.integers(0, 255, (240, 320, 3), np.uint8), number / 15)
    writer.close()
    assert main(["watch", str(restless), "--json"]) == 0
    (line,) = lines(capsys)
    assert (line["verdict"], line["dice"]) == ("unread", [])
    assert line["time_s"] == pytest.approx(29 / 15, abs=0.1)
    assert line["reason"] in texts.throws.NEVER_SETTLED.values()
    assert main(["watch", str(restless)]) == 0
    (text,) = capsys.readouterr().out.splitlines()
    assert line["reason"] in text


def test_a_configured_table_watches_with_what_it_knows(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A video without a frame to settle in says so; so does a damaged config or calibration."""
    video = tmp_path / "a.mkv"
    writer = RecordingWriter(video, 64, 48)
    writer.write(np.zeros((48, 64, 3), np.uint8), 0.0)
    writer.close()
    config = tmp_path / "table.toml"
    text = f'[camera]\ndriver = "simulated"\n[panel]\ndriver = "simulated"\n[ledger]\nfolder = "{tmp_path}"\n'
    config.write_text(text)
    arguments = ["watch", str(video), "--config", str(config)]
    assert main(arguments) == 0
    dark = texts.throws.NEVER_SETTLED["unlit"]
    assert capfd.readouterr() == (f"    0.00 s  unread   no dice  ({dark})\n", "")
    folder = tmp_path / "calibration"
    folder.mkdir()
    (folder / TRAY_FILE).write_text("{}")
    assert main(arguments) == 1
    assert len(capfd.readouterr().err.splitlines()) == 1
    config.write_text("[camera]")
    assert main(arguments) == 1
    assert "table.toml" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["none.mp4"], 1, "none.mp4: there is no such file"),
        (["text.mp4"], 1, "text.mp4: it is not a readable video"),
        (["text.mp4", "--fps", "0"], 2, "--fps 0: must be from 1 to 240"),
        (["text.mp4", "--from", "-1"], 2, "--from -1: must be from 0"),
    ],
)
def test_a_mistake_is_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], code: int, said: str
) -> None:
    (tmp_path / "text.mp4").write_text("dice")
    name, *options = arguments
    assert main(["watch", str(tmp_path / name), *options]) == code
    out, err = capfd.readouterr()
    assert not out
    assert len(err.splitlines()) == 1
    assert said in err


@pytest.mark.parametrize(
    ("out", "said"), [("throw.mkv", "the video itself"), ("a.gif", "has to end in"), ("none/a.mp4", "folder")]
)
def test_where_nothing_can_be_drawn(
    recording: tuple[Path, World], capfd: pytest.CaptureFixture[str], out: str, said: str
) -> None:
    path, _ = recording
    assert main(["watch", str(path), "--annotate", str(path.parent / out)]) == 1
    assert said in capfd.readouterr().err


def test_a_full_disk_is_named_where_a_video_is_to_be_drawn(
    recording: tuple[Path, World], capfd: pytest.CaptureFixture[str]
) -> None:
    path, _ = recording
    full = path.parent / "full.mp4"
    full.symlink_to("/dev/full")
    assert main(["watch", str(path), "--annotate", str(full)]) == 1
    assert f"No space left on device; make room on the disk that holds {full}" in capfd.readouterr().err


def test_a_camera_is_recorded_with_the_times_of_its_frames(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.mkv"
    config = tmp_path / "table.toml"
    config.write_text('[camera]\ndriver = "simulated"\n[panel]\ndriver = "simulated"\n')
    arguments = ["record", "1", "--out", str(path), "--config", str(config)]
    assert main(arguments) == 0
    times = [time_s for time_s, _ in Recording(path).frames()]
    assert times[0] == 0.0
    assert times[-1] >= 1.0
    assert main(arguments) == 1
    assert "already exists" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["0", "--out", "a.mkv"], 2, "SECONDS 0: must be from 1 to 600"),
        (["1", "--out", "a.mp4"], 1, "has to end in .mkv"),
    ],
)
def test_what_cannot_be_recorded(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], code: int, said: str
) -> None:
    seconds, option, name = arguments
    try:
        found = main(["record", seconds, option, str(tmp_path / name)])
    except SystemExit as end:
        found = int(end.code or 0)
    assert found == code
    assert said in capfd.readouterr().err


def backwards(path: Path, to: Path) -> None:
    """Writes the recording with its last frame first."""
    video, frames = cv2.VideoCapture(str(path)), []
    while (read := video.read())[0]:
        frames.append(cv2.imencode(".jpg", read[1], (cv2.IMWRITE_JPEG_QUALITY, 95))[1])
    pictures = (np.asarray(cv2.imdecode(one, cv2.IMREAD_COLOR)) for one in reversed(frames))
    first = next(pictures)
    file = cv2.VideoWriter(str(to), cv2.VideoWriter.fourcc(*"mp4v"), 30.0, first.shape[1::-1])
    for picture in (first, *pictures):
        file.write(picture)
    file.release()


@pytest.mark.slow
@pytest.mark.photos
@pytest.mark.parametrize(
    ("number", "values"),
    [(1, [1, 1, 2, 3, 4]), pytest.param(2, [1, 2, 2, 3, 3], marks=pytest.mark.nightly)],
)
def test_a_real_throw_counts_and_a_real_hand_that_sets_the_same_dice_down_does_not(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], number: int, values: list[int]
) -> None:
    """After each of the throws a hand takes the dice up: played backwards it sets them down."""
    path = shared / "thrown" / "real" / f"videos_tirada_{number}.mp4"
    main(["watch", str(path), "--json"])
    (counted,) = (line for line in lines(capsys) if line["verdict"] != "unread")
    assert counted["verdict"] == "counts"
    assert sorted(die["value"] for die in counted["dice"]) == values
    backwards(path, tmp_path / "backwards.mp4")
    main(["watch", str(tmp_path / "backwards.mp4"), "--json"])
    placed = [line for line in lines(capsys) if line["verdict"] != "unread"]
    assert placed
    assert {line["verdict"] for line in placed} <= {"void", "vouch"}


@pytest.mark.slow
@pytest.mark.photos
@pytest.mark.parametrize("number", range(extent(1, 8)))
def test_a_throw_of_another_simulator_counts(
    shared: Path, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    labels = (shared / "thrown" / "clips" / "labels.jsonl").read_text().splitlines()
    clip = json.loads(labels[number])
    main(["watch", str(shared / "thrown" / "clips" / clip["clip"]), "--json"])
    *_, last = lines(capsys)
    assert last["verdict"] == "counts"
    true = sorted((die["type"], die["value"]) for die in clip["dice"] if die["in_tray"])
    assert sorted((die["kind"], die["value"]) for die in last["dice"]) == true
