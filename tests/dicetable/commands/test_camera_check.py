"""What the first page in the browser says of a camera, and the change to another one."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from common.texts import first_page as texts
from dicetable.commands.camera_check import CameraCheck, Chosen, blur_px
from dicetable.commands.terminal_game import CameraGame
from dicetable.eye.in_process import InProcessEye
from dicetable.service.server import Nothing
from hardware.attached import AttachedCamera
from hardware.ports import Degraded, Frame
from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World
from vision.reading import Reason, Unsettled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dicetable.table.table import Table
    from vision.reading import Image

TABLE: Table = SimpleNamespace(degraded={})  # type: ignore[assignment]  # all that it is asked for
CAMERAS = [
    AttachedCamera(Path(f"/dev/video{number}"), f"camera {number}", on_usb=True, modes=[])
    for number in range(2)
]


class Stage:
    """A camera that shows one picture, as often as it is asked."""

    def __init__(self, clock: VirtualClock, pixels: Image, name: str = "/dev/video0") -> None:
        self.clock = clock
        self.pixels = pixels
        self.name = name
        self.notes: Sequence[str] = ()
        self.degraded: Degraded | None = None
        self.running = False

    def start(self) -> None:
        self.running = True

    def stop(self) -> None:
        self.running = False

    def frame(self, timeout_s: float) -> Frame | None:  # noqa: ARG002 - there is always one
        return Frame(self.pixels, self.clock.now_s())


@cache
def pictures() -> tuple[Image, Image]:
    """The empty tray, and two dice in it."""
    clock = VirtualClock()
    world = World(5, clock)
    empty = world.picture_at(clock.now_s()).copy()
    world.throw(["d6", "d20"])
    world.settle()
    return empty, world.picture_at(clock.now_s()).copy()


class Watched:
    """A check, the camera, and time that goes by."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.empty, self.dice = pictures()
        self.camera = Stage(self.clock, self.dice)
        self.opened: list[Stage] = []
        self.eye = InProcessEye(self.camera, self.clock)
        self.check = CameraCheck(self.eye, lambda: CAMERAS, self.open)
        self.eye.start()

    def open(self, path: Path) -> Stage:
        self.opened.append(Stage(self.clock, self.empty, str(path)))
        return self.opened[-1]

    def see(self, seconds: float = 2.0, fps: int = 10) -> dict[str, Any]:
        for _ in range(round(seconds * fps)):
            self.clock.sleep(1 / fps)
            self.eye.messages()
            self.check.see()
        return self.told()

    def told(self) -> dict[str, Any]:
        found = self.check.check(Nothing(), TABLE)
        assert found.accepted
        assert found.body.startswith(b"\xff\xd8") == bool(found.result["checks"])
        return found.result


@pytest.fixture
def watched() -> Watched:
    return Watched()


def bad(told: dict[str, Any]) -> list[str]:
    return [check["text"] for check in told["checks"] if not check["good"]]


def test_it_asks_for_an_empty_tray_then_for_a_throw_and_says_what_it_reads(watched: Watched) -> None:
    assert watched.told()["todo"] == texts.NO_PICTURE
    told = watched.see()
    assert told["todo"] == texts.EMPTY_IT
    assert bad(told) == []
    assert told["checks"][-1]["text"] == texts.mode(1280, 720, 10)
    watched.camera.pixels = watched.empty
    assert watched.see()["todo"] == texts.THROW
    watched.camera.pixels = watched.dice
    assert "d20:16" in watched.see()["todo"]


def test_it_says_what_will_not_do_and_what_to_do_about_it(watched: Watched) -> None:
    watched.camera.pixels = np.asarray(cv2.GaussianBlur(watched.empty, (0, 0), 5), np.uint8)
    assert bad(watched.see()) == [texts.NOT_SHARP]
    watched.camera.pixels = watched.empty // 8
    assert texts.TOO_DARK in bad(watched.see())
    watched.camera.pixels = 255 - watched.empty // 8
    assert texts.TOO_BRIGHT in bad(watched.see())
    assert bad(watched.see(2.0, fps=5))[-1] == texts.TOO_SLOW
    watched.eye.observed = Unsettled(Reason.MOVING, 0.0)
    assert texts.NOT_STEADY in bad(watched.told())


@pytest.mark.parametrize("sigma", [1.0, 2.0, 4.0])
def test_the_blur_of_a_picture_is_measured_in_pixels(sigma: float) -> None:
    edge = np.zeros((200, 300, 3), np.uint8)
    edge[:, 150:] = 200
    soft = np.asarray(cv2.GaussianBlur(edge, (0, 0), sigma), np.uint8)
    assert blur_px(soft) == pytest.approx(sigma, abs=0.3)


def test_another_camera_is_looked_through_and_nothing_is_known_of_the_tray(watched: Watched) -> None:
    told = watched.see()
    assert told["camera"] == "/dev/video0"
    assert [camera["name"] for camera in told["cameras"]] == ["camera 0", "camera 1"]
    assert watched.check.choose(Chosen(path="/dev/video0"), TABLE).accepted
    assert not watched.opened, "it is in use already"
    assert watched.check.choose(Chosen(path="/etc/passwd"), TABLE).sentence == texts.NO_SUCH_CAMERA
    assert watched.check.choose(Chosen(path="/dev/video1"), TABLE).accepted
    assert [camera.running for camera in (watched.camera, *watched.opened)] == [False, True]
    assert watched.eye.messages() == [Unsettled(Reason.CAMERA_MOVED, watched.clock.now_s())]
    told = watched.see()
    assert (told["camera"], told["todo"]) == ("/dev/video1", texts.THROW)


def test_a_camera_that_is_none_of_the_attached_ones_leaves_no_choice(watched: Watched) -> None:
    watched.camera.name = "http://camera/"
    assert watched.see()["cameras"] == []


def test_what_the_camera_refuses_is_said_on_the_page_and_at_the_terminal(watched: Watched) -> None:
    said: list[str] = []
    game: Any = SimpleNamespace(watching=watched.eye, check=watched.check, notes=(), say=said.append)
    watched.camera.notes = ["focus is not locked"]
    assert watched.told()["notes"] == ["focus is not locked"]
    for _ in range(3):
        assert CameraGame.by_itself(game, 0.0) == ""
    assert said == [texts.refuses("focus is not locked")]


def test_a_camera_that_fails_says_why(watched: Watched) -> None:
    watched.see()
    table: Any = SimpleNamespace(degraded={"camera": Degraded("it is unplugged", "plug it in")})
    told = watched.check.check(Nothing(), table).result
    assert (told["todo"], told["checks"]) == ("it is unplugged: plug it in", [])
