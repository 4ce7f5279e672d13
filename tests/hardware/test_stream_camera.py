"""A camera on a network that is slow, stalls, breaks off or sends rubbish: it heals and keeps the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hardware import capture, stream_camera
from hardware.conformance import LIMIT_S, taken
from hardware.ports import Camera, Clock, SystemClock
from tests.hardware.mjpeg_server import MjpegServer, serving
from tests.hardware.watching import RULES, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hardware.capture import CaptureCamera


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams are given up, and tried again, sooner than a person would."""
    monkeypatch.setattr(stream_camera, "OPEN_MS", 1_000)
    monkeypatch.setattr(stream_camera, "READ_MS", 1_000)
    monkeypatch.setattr(capture, "FIRST_RETRY_S", 0.01)


def camera_of(server: MjpegServer) -> CaptureCamera:
    return stream_camera.stream_camera(server.address, SystemClock())


@pytest.fixture
def server() -> Iterator[MjpegServer]:
    with serving() as made:
        yield made


@pytest.fixture
def camera(server: MjpegServer) -> Iterator[CaptureCamera]:
    made = camera_of(server)
    made.start()
    taken(made)
    yield made
    made.stop()


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_a_stream_that_begins_with_rubbish_and_a_cut_keeps_the_rules(
    rule: Callable[[Camera, Clock], None],
) -> None:
    with serving(first=("rubbish", "cut")) as server:
        camera = camera_of(server)
        rule(camera, camera.clock)
        camera.stop()


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_three_frames_a_second_keep_the_rules(
    rule: Callable[[Camera, Clock], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_camera, "OPEN_MS", 5_000)
    monkeypatch.setattr(stream_camera, "READ_MS", 5_000)
    with serving(fps=3) as server:
        camera = camera_of(server)
        rule(camera, camera.clock)
        camera.stop()


@pytest.mark.parametrize("fault", ["rubbish", "endless rubbish", "cut", "stall"])
def test_a_stream_that_does_not_open_is_named_and_opened_again(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "FIRST_RETRY_S", 1.0)
    with serving(first=[fault]) as server:
        camera = camera_of(server)
        camera.start()
        until(lambda: camera.degraded, camera)
        assert camera.degraded is not None
        assert camera.degraded.what == f"no video comes from {server.address}"
        assert camera.degraded.remedy
        taken(camera)
        assert camera.degraded is None
        assert server.streams >= 2
        camera.stop()


@pytest.mark.parametrize("fault", ["cut", "rubbish"])
def test_a_stream_that_breaks_off_says_so_until_it_goes_on(
    fault: str, server: MjpegServer, camera: CaptureCamera
) -> None:
    event = getattr(server, fault)
    event.set()
    until(lambda: camera.degraded, camera)
    assert camera.degraded is not None
    assert server.address in camera.degraded.what
    assert camera.degraded.remedy == stream_camera.REMEDY
    assert camera.frame(0) is None
    event.clear()
    before_s = camera.clock.now_s()
    assert taken(camera).time_s > before_s
    assert camera.degraded is None


def test_a_stream_that_stalls_for_a_moment_goes_on_by_itself(
    server: MjpegServer, camera: CaptureCamera, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_camera, "READ_MS", 30_000)
    server.cut.set()
    until(lambda: camera.degraded, camera)
    server.cut.clear()
    taken(camera)
    streams = server.streams
    monkeypatch.setattr(capture, "HANG_S", 0.5)
    server.stalled.set()
    until(lambda: camera.degraded, camera)
    assert camera.degraded is not None
    assert "has given no frames for" in camera.degraded.what
    monkeypatch.setattr(capture, "HANG_S", LIMIT_S)
    server.stalled.clear()
    taken(camera)
    assert camera.degraded is None
    assert server.streams == streams


def test_a_stream_that_stalls_for_long_is_opened_again(server: MjpegServer, camera: CaptureCamera) -> None:
    streams = server.streams
    server.stalled.set()
    until(lambda: server.streams > streams, camera)
    server.stalled.clear()
    taken(camera)
    assert camera.degraded is None
