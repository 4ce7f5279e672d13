"""Recordings: their times, their damage, and files that are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from hardware.recordings import Recording, RecordingError, RecordingWriter
from tests.hardware.files import write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hardware.ports import Pixels

WIDE, HIGH = 64, 48


def shade(number: int) -> Pixels:
    """A frame whose brightness is its number, ten for each; its left half is darker."""
    frame = np.full((HIGH, WIDE, 3), 10 * (number % 25) + 5, np.uint8)
    frame[:, : WIDE // 2] = 0
    return frame


def numbers(recording: Recording, **options: float) -> list[tuple[float, int]]:
    """The time and the number of each frame."""
    frames = recording.frames(**options)
    return [(round(time_s, 3), int(pixels.max()) // 10) for time_s, pixels in frames]


def filmed(path: Path, times: Sequence[float]) -> Path:
    writer = RecordingWriter(path, WIDE, HIGH)
    for number, time_s in enumerate(times):
        writer.write(shade(number), time_s)
    writer.close()
    return path


def at_a_rate(path: Path, count: int, codec: str, rate: float = 30.0) -> Path:
    file = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), rate, (WIDE, HIGH))
    for number in range(count):
        file.write(shade(number))
    file.release()
    return path


def test_a_recording_keeps_the_time_of_each_frame(tmp_path: Path) -> None:
    times = [100.0, 100.033, 100.067, 100.4, 100.401, 100.5]
    recording = Recording(filmed(tmp_path / "a.mkv", times))
    assert numbers(recording) == [(round(time_s - 100, 3), at) for at, time_s in enumerate(times)]
    assert not recording.cut_off


@pytest.mark.parametrize(("name", "codec"), [("a.mkv", "FFV1"), ("a.avi", "MJPG"), ("a.mp4", "mp4v")])
def test_videos_of_any_kind_are_watched(tmp_path: Path, name: str, codec: str) -> None:
    found = numbers(Recording(at_a_rate(tmp_path / name, 10, codec)))
    assert [number for _, number in found] == list(range(10))
    assert [time_s for time_s, _ in found] == pytest.approx([at / 30 for at in range(10)], abs=0.001)


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"from_s": 0.2}, [6, 7, 8, 9, 10, 11]),
        ({"most_rate": 15.0}, [0, 2, 4, 6, 8, 10]),
        ({"most_rate": 15.0, "from_s": 0.2}, [6, 8, 10]),
        ({"most_rate": 60.0}, list(range(12))),
    ],
)
@pytest.mark.parametrize("rounded", [False, True])
def test_a_part_of_the_frames(
    tmp_path: Path, options: dict[str, float], kept: list[int], rounded: bool
) -> None:
    """Times in whole milliseconds leave out the same frames as exact ones do."""
    path = tmp_path / "a.mkv"
    if rounded:
        filmed(path, [round(at / 30, 3) for at in range(12)])
    else:
        at_a_rate(path, 12, "FFV1")
    assert [number for _, number in numbers(Recording(path), **options)] == kept


def test_a_phone_held_upright_gives_upright_frames(tmp_path: Path) -> None:
    path = at_a_rate(tmp_path / "a.mp4", 3, "mp4v")
    data = bytearray(path.read_bytes())
    matrix = data.index(b"tkhd") + 4 + 40
    quarter = (0, 0x10000, 0, -0x10000, 0, 0, HIGH << 16, 0, 0x40000000)
    data[matrix : matrix + 36] = b"".join(value.to_bytes(4, signed=True) for value in quarter)
    path.write_bytes(data)
    frames = [pixels for _, pixels in Recording(path).frames()]
    assert [frame.shape for frame in frames] == [(WIDE, HIGH, 3)] * 3
    assert frames[2][:10].max() < 10 < frames[2][-10:].max()


def test_damaged_frames_are_left_out(tmp_path: Path) -> None:
    path = filmed(tmp_path / "a.mkv", [at / 10 for at in range(10)])
    data = path.read_bytes()
    starts = [at for at in range(len(data)) if data.startswith(b"\xff\xd8\xff", at)]
    start, end = starts[4], starts[5]
    path.write_bytes(data[:start] + bytes(end - 20 - start) + data[end - 20 :])
    found = numbers(Recording(path))
    assert [number for _, number in found] == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert found[-1][0] == 0.9


def test_a_recording_that_breaks_off_says_so(tmp_path: Path) -> None:
    path = at_a_rate(tmp_path / "a.avi", 120, "MJPG")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 4])
    recording = Recording(path)
    assert 0 < len(numbers(recording)) < 60
    assert recording.cut_off


def test_what_is_no_video_is_refused_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("dice")
    (tmp_path / "empty.mkv").touch()
    for name, said in (
        ("text.mp4", "not a readable video"),
        ("empty.mkv", "not a readable video"),
        ("none.mp4", "no such file"),
        (".", "folder"),
    ):
        with pytest.raises(RecordingError, match=said):
            Recording(tmp_path / name)


@pytest.mark.parametrize("part", [0.3, 0.9])
def test_a_video_without_its_end_is_cut_short(tmp_path: Path, part: float) -> None:
    data = at_a_rate(tmp_path / "a.mp4", 120, "mp4v").read_bytes()
    (tmp_path / "cut.mp4").write_bytes(data[: int(len(data) * part)])
    with pytest.raises(RecordingError, match="it is cut short: copy it again"):
        Recording(tmp_path / "cut.mp4")


def test_a_damaged_video_is_called_a_video(tmp_path: Path) -> None:
    path = tmp_path / "a.mkv"
    path.write_bytes(b"\x1aE\xdf\xa3" + bytes(100))
    with pytest.raises(RecordingError, match="it is damaged, or coded in a way"):
        Recording(path)


@pytest.mark.parametrize("ending", ["jpg", "png", "webp", "tif", "avif"])
def test_a_picture_is_no_recording(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path / f"a.{ending}", np.zeros((48, 64, 3), np.uint8))
    with pytest.raises(RecordingError, match="it is a picture: use `dicetable read FILE`"):
        Recording(path)


def test_where_no_recording_can_be_written(tmp_path: Path) -> None:
    taken = filmed(tmp_path / "taken.mkv", [0.0])
    for path, said in (
        (taken, "already exists"),
        (tmp_path / "a.mp4", r"end in \.mkv"),
        (tmp_path / "none" / "a.mkv", "no folder"),
    ):
        with pytest.raises(RecordingError, match=said):
            RecordingWriter(path, WIDE, HIGH)
