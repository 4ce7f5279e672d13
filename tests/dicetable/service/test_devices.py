"""A camera shows its picture, and a board answers, before the config names them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dicetable.config import drivers
from dicetable.config.file import read
from dicetable.service import devices
from hardware import attached
from hardware.attached import Attached
from hardware.ports import Degraded, SystemClock
from hardware.simulated.clock import VirtualClock
from hardware.simulated.panel import SimulatedPanel
from hardware.simulated.world import World
from tests.gateway.serving import ROOT

FILE = ROOT / "examples" / "two-seats.toml"
CAMERA = Attached(Path("/dev/v4l/by-id/usb-Maker_Camera-video-index0"), "Maker Camera")
BOARD = Attached(Path("/dev/serial/by-id/usb-Maker_Board-if00"), "Maker Board")


@pytest.fixture(autouse=True)
def made_of(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The sections that cameras and panels are made of; the devices themselves are simulated."""
    sections: list[Any] = []
    clock = VirtualClock()
    monkeypatch.setattr(attached, "usb_cameras", lambda _: [CAMERA])
    monkeypatch.setattr(attached, "serial_ports", lambda _: [BOARD])
    monkeypatch.setattr(devices, "SystemClock", lambda: clock)

    def camera_of(section: Any, _: Any) -> Any:
        sections.append(section)
        return World(1, clock).camera

    def panel_of(section: Any, _: Any) -> Any:
        sections.append(section)
        return SimulatedPanel(SystemClock())

    monkeypatch.setattr(drivers, "camera_of", camera_of)
    monkeypatch.setattr(drivers, "panel_of", panel_of)
    return sections


def test_a_camera_gives_a_picture_at_the_settings_it_would_have(made_of: list[Any]) -> None:
    told, jpeg = devices.main("preview", FILE, f"usb:{CAMERA.path}")
    assert told == {"width": 1280, "height": 720}
    assert jpeg.startswith(b"\xff\xd8")
    (section,) = made_of
    assert (section.driver, section.device, section.exposure_ms) == ("usb", CAMERA.path, 10.0)


def test_a_camera_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dark(World):
        """A camera that cannot be opened."""

        degraded = Degraded("it is in use", "stop what uses it")

        def start(self) -> None:
            """Does nothing."""

        stop = start

        def frame(self, _: float) -> None:
            """None."""

    monkeypatch.setattr(drivers, "camera_of", lambda *_: Dark.__new__(Dark))
    assert devices.main("preview", FILE, "pi:0") == ({"error": "it is in use: stop what uses it"}, b"")


def test_a_board_answers(made_of: list[Any]) -> None:
    told, _ = devices.main("try", FILE, f"serial:{BOARD.path}")
    assert told["ok"]
    assert (made_of[0].driver, made_of[0].device) == ("serial", BOARD.path)


@pytest.mark.parametrize(
    ("what", "name"), [("preview", "usb:/dev/sda"), ("try", "serial:/dev/tty1"), ("try", "pi:0")]
)
def test_what_is_not_attached_is_not_opened(what: str, name: str, made_of: list[Any]) -> None:
    told, jpeg = devices.main(what, FILE, name)
    assert "is not attached" in told["error"]
    assert (jpeg, made_of) == (b"", [])
    assert read(FILE)["camera"]["driver"] == "pi"
