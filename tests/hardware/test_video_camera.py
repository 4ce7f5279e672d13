"""A video at its own speed on a fake clock: skipped frames, its end, and invalid files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from hardware.recordings import RecordingWriter, VideoCamera

if TYPE_CHECKING:
    from pathlib import Path

RATE = 10


class StillClock:
    """Moves on only by being slept on."""

    def __init__(self) -> None:
        self.time_s = 50.0

    def now_s(self) -> float:
        return self.time_s

    def sleep(self, seconds: float) -> None:
        self.time_s += seconds


def recorded(file: Path, frames: int = 20) -> Path:
    """A video whose frame n is of brightness 10 n."""
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), RATE, (64, 48))
    for number in range(frames):
        writer.write(np.full((48, 64, 3), 10 * number, np.uint8))
    writer.release()
    return file


def started(file: Path) -> tuple[VideoCamera, StillClock]:
    clock = StillClock()
    camera = VideoCamera(file, clock)
    camera.start()
    return camera, clock


def number_of(camera: VideoCamera, timeout_s: float = 1.0) -> int | None:
    frame = camera.frame(timeout_s)
    return None if frame is None else round(float(frame.pixels.mean()) / 10)


def test_frames_come_at_the_pace_of_the_recording(tmp_path: Path) -> None:
    camera, clock = started(recorded(tmp_path / "v.avi"))
    assert [number_of(camera) for _ in range(4)] == [0, 1, 2, 3]
    assert clock.time_s == pytest.approx(50.3)
    frame = camera.frame(1)
    assert frame is not None
    assert frame.time_s == pytest.approx(50.4)
    assert frame.name == "v.avi"


def test_frames_of_a_recording_come_at_the_times_that_it_keeps(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "v.mkv", 64, 48)
    times = [0.0, 0.1, 0.4, 0.45, 1.5]
    for number, time_s in enumerate(times):
        writer.write(np.full((48, 64, 3), 10 * number, np.uint8), time_s)
    writer.close()
    camera, clock = started(tmp_path / "v.mkv")
    assert [number_of(camera, timeout_s=2.0) for _ in times] == [0, 1, 2, 3, 4]
    assert clock.time_s == pytest.approx(51.5, abs=0.002)
    assert camera.frame(1) is None
    assert camera.degraded is not None
    assert "has ended after 5 frames" in camera.degraded.what


def test_frames_that_nobody_asked_for_are_skipped(tmp_path: Path) -> None:
    camera, clock = started(recorded(tmp_path / "v.avi"))
    clock.time_s += 0.55
    assert number_of(camera) == 5
    assert number_of(camera) == 6


def test_it_does_not_wait_longer_than_allowed(tmp_path: Path) -> None:
    camera, clock = started(recorded(tmp_path / "v.avi"))
    assert number_of(camera) == 0
    assert number_of(camera, timeout_s=0.04) is None
    assert clock.time_s == pytest.approx(50.04)
    assert number_of(camera) == 1


def test_its_end_is_told_and_a_new_start_begins_anew(tmp_path: Path) -> None:
    camera, clock = started(recorded(tmp_path / "v.avi"))
    clock.time_s += 1.9
    assert number_of(camera) == 19
    assert number_of(camera) is None
    assert camera.degraded is not None
    assert camera.degraded.what == f"{tmp_path}/v.avi has ended after 20 frames"
    assert camera.frame(1) is None
    camera.stop()
    camera.start()
    assert number_of(camera) == 0


def test_a_recording_that_breaks_off_is_named(tmp_path: Path) -> None:
    file = recorded(tmp_path / "v.avi")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) * 3 // 4])
    camera, clock = started(file)
    while camera.frame(1):
        assert clock.time_s < 60
    assert camera.degraded is not None
    assert "breaks off after" in camera.degraded.what
    assert "of 20 frames" in camera.degraded.what


@pytest.mark.parametrize("content", [b"", b"no video" * 100])
def test_what_is_no_video(tmp_path: Path, content: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "v.avi").write_bytes(content)
    camera, _ = started(tmp_path / "v.avi")
    assert camera.degraded is not None
    assert camera.degraded.what == f"{tmp_path}/v.avi: it is not a readable video"
    assert camera.frame(0) is None
    capfd.readouterr()


def test_a_file_that_appears_is_played(tmp_path: Path) -> None:
    camera, clock = started(tmp_path / "v.avi")
    assert camera.degraded is not None
    assert camera.frame(1) is None
    recorded(tmp_path / "v.avi")
    clock.time_s += 1
    assert number_of(camera) == 0
    assert camera.degraded is None
