"""A camera that speaks RTSP keeps the rules, also when its stream stalls or its plug is pulled."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hardware import capture, stream_camera
from hardware.conformance import taken
from hardware.ports import Camera, Clock, SystemClock
from tests.hardware.watching import RULES, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hardware.capture import CaptureCamera

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).with_name("rtsp_server.py")
PYTHON = "/usr/bin/python3"
NEEDED = "no RTSP server: apt install python3-gi gir1.2-gst-rtsp-server-1.0 gstreamer1.0-plugins-good"


class RtspServer:
    """The server as a process, which can be stopped and plugged in again at the same port."""

    def __init__(self) -> None:
        self.port = 0
        self.process: subprocess.Popen[str] | None = None
        self.plug()

    @property
    def address(self) -> str:
        return f"rtsp://127.0.0.1:{self.port}/tray"

    def plug(self) -> None:
        self.process = subprocess.Popen(
            [PYTHON, PROGRAM, str(self.port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.unplug()
            pytest.skip(NEEDED)
        self.port = int(line)

    def unplug(self) -> None:
        if self.process is not None and self.process.stdout is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()

    def send(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)


@pytest.fixture(scope="module")
def server() -> Iterator[RtspServer]:
    made = RtspServer()
    yield made
    made.unplug()


@pytest.fixture
def camera(server: RtspServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[CaptureCamera]:
    """The camera, which has given a picture, and gives a silent stream up sooner than it would."""
    made = stream_camera.stream_camera(server.address, SystemClock())
    made.start()
    taken(made)
    monkeypatch.setattr(stream_camera, "READ_MS", 1_000)
    monkeypatch.setattr(capture, "FIRST_RETRY_S", 0.01)
    yield made
    made.stop()


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_rule(server: RtspServer, rule: Callable[[Camera, Clock], None]) -> None:
    camera = stream_camera.stream_camera(server.address, SystemClock())
    rule(camera, camera.clock)
    camera.stop()


def test_a_stream_that_stalls_says_so_and_goes_on(
    server: RtspServer, camera: CaptureCamera, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "HANG_S", 0.5)
    server.send(signal.SIGSTOP)
    until(lambda: camera.degraded, camera)
    assert camera.degraded is not None
    assert server.address in camera.degraded.what
    assert camera.degraded.remedy
    server.send(signal.SIGCONT)
    until(lambda: camera.degraded is None, camera)
    taken(camera)


def test_a_camera_whose_plug_was_pulled_is_opened_again(server: RtspServer, camera: CaptureCamera) -> None:
    server.unplug()
    until(lambda: camera.degraded, camera)
    assert camera.degraded is not None
    assert server.address in camera.degraded.what
    assert camera.degraded.remedy == stream_camera.REMEDY
    assert camera.frame(0) is None
    server.plug()
    taken(camera)
    assert camera.degraded is None
