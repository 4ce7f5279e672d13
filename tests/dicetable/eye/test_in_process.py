"""The eye with a camera and a clock: frames become messages, and a camera without frames is reported."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dicetable.eye.in_process import PATIENCE_S, InProcessEye
from dicetable.eye.messages import Blind, EyeMessage
from hardware.ports import Degraded, Frame
from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World
from vision.reading import Settled, Unsettled

if TYPE_CHECKING:
    from vision.reading import Image


class Scripted:
    """A camera that shows one grey tray, or has degraded, or is silent."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.degraded: Degraded | None = None
        self.silent = self.damages = False
        self.running = self.bad_frames = 0
        self.rng = np.random.default_rng(1)

    def start(self) -> None:
        self.running += 1

    def stop(self) -> None:
        self.running -= 1

    def frame(self, timeout_s: float) -> Frame | None:
        assert timeout_s == 0
        if self.degraded or self.silent:
            return None
        pixels: Image = np.clip(self.rng.normal(120, 2, (360, 640, 3)), 0, 255).astype(np.uint8)
        pixels[180:] += 90 * self.damages
        return Frame(pixels, self.clock.now_s())


def hear(eye: InProcessEye, clock: VirtualClock, seconds: float, fps: int = 15) -> list[EyeMessage]:
    heard: list[EyeMessage] = []
    for _ in range(round(seconds * fps)):
        clock.sleep(1 / fps)
        heard += eye.messages()
    return heard


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


def test_it_looks_only_while_it_is_started(clock: VirtualClock) -> None:
    camera = Scripted(clock)
    eye = InProcessEye(camera, clock)
    assert hear(eye, clock, 1.0) == []
    eye.start()
    eye.start()
    assert camera.running == 1
    assert [type(m) for m in hear(eye, clock, 1.0)] == [Unsettled, Settled]
    eye.stop()
    eye.stop()
    assert camera.running == 0
    assert hear(eye, clock, 1.0) == []
    eye.start()
    assert type(hear(eye, clock, 1.0)[-1]) is Settled


def test_damaged_frames_are_counted_whoever_finds_them(clock: VirtualClock) -> None:
    camera = Scripted(clock)
    eye = InProcessEye(camera, clock)
    eye.start()
    hear(eye, clock, 1.0)
    camera.damages = True
    hear(eye, clock, 0.07)
    camera.damages = False
    assert hear(eye, clock, 1.0) == []
    camera.bad_frames = 3
    assert eye.bad_frames == 4


def test_a_degraded_camera_says_so_once_and_recovers(clock: VirtualClock) -> None:
    camera = Scripted(clock)
    eye = InProcessEye(camera, clock)
    eye.start()
    hear(eye, clock, 1.0)
    camera.degraded = Degraded("The camera is unplugged.", "plug it in")
    assert [m.degraded for m in hear(eye, clock, 5.0) if isinstance(m, Blind)] == [camera.degraded]
    camera.degraded = Degraded("Somebody else has the camera.", "stop the other program")
    assert [m.degraded for m in hear(eye, clock, 1.0) if isinstance(m, Blind)] == [camera.degraded]
    camera.degraded = None
    assert [type(m) for m in hear(eye, clock, 1.0)] == [Unsettled, Settled]


def test_a_silent_camera_is_named(clock: VirtualClock) -> None:
    camera = Scripted(clock)
    camera.silent = True
    eye = InProcessEye(camera, clock)
    eye.start()
    assert hear(eye, clock, PATIENCE_S - 0.5) == []
    (blind,) = hear(eye, clock, 3.0)
    assert isinstance(blind, Blind)
    assert blind.degraded.what == "No picture from the camera."
    camera.silent = False
    assert [type(m) for m in hear(eye, clock, 1.0)] == [Unsettled, Settled]


def test_what_dice_told_of_the_lens_is_kept_after_each_reading(clock: VirtualClock) -> None:
    eye = InProcessEye(Scripted(clock), clock)
    told: list[float] = []
    eye.focal = SimpleNamespace(saw=lambda _, time_s: told.append(time_s))  # type: ignore[assignment]
    eye.start()
    settled = [m.time_s for m in hear(eye, clock, 1.0) if isinstance(m, Settled)]
    assert told == settled != []


@pytest.mark.slow
def test_throws_on_the_simulated_table_settle_when_they_are_still() -> None:
    clock = VirtualClock()
    world = World(3, clock)
    eye = InProcessEye(world.camera, clock)
    eye.start()
    hear(eye, clock, 1.0)
    for number in range(6):
        world.throw(["d6"] * (1 + number))
        heard = hear(eye, clock, world.settled_at_s - clock.now_s() + 1.0, 30)
        *before, last = [m for m in heard if isinstance(m, Settled)]
        assert 0 <= last.time_s - world.settled_at_s <= 0.6
        assert len(last.reading.dice) >= 1 + number
        # Between the hand that takes the dice away and the hand that throws them the tray lies empty.
        assert [len(m.reading.dice) for m in before] in ([], [0]), [m.time_s for m in before]
