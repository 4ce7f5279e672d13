"""The eye with a camera and a clock: frames become messages, and a camera without frames is reported."""

from __future__ import annotations

from functools import cache
from itertools import cycle, pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dicetable.eye.in_process import DAMAGED, InProcessEye
from dicetable.eye.messages import Blind, EyeMessage
from hardware.ports import Degraded, Frame
from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World
from vision.observer import Observer
from vision.reading import Arrival, Flight, Settled, Unsettled

if TYPE_CHECKING:
    from hardware.ports import Camera
    from vision.reading import Image, Observation


class Lossy:
    """A camera that loses the lower part of some frames: it turns grey, as in a JPEG that is cut short."""

    def __init__(self, camera: Camera, share: float) -> None:
        self.camera = camera
        self.share = share
        self.rng = np.random.default_rng(5)
        self.degraded = None

    def start(self) -> None:
        self.camera.start()

    def stop(self) -> None:
        self.camera.stop()

    def frame(self, timeout_s: float) -> Frame | None:
        frame = self.camera.frame(timeout_s)
        if frame is None or self.rng.random() >= self.share:
            return frame
        pixels = frame.pixels.copy()
        pixels[round(len(pixels) * self.rng.uniform(0.3, 0.7)) :] = 128
        return Frame(pixels, frame.time_s)


@cache
def grey_trays() -> list[Image]:
    """A few pictures of a grey tray that differ in their noise alone."""
    rng = np.random.default_rng(1)
    return [np.clip(rng.normal(120, 2, (360, 640, 3)), 0, 255).astype(np.uint8) for _ in range(8)]


class Scripted:
    """A camera that shows one grey tray, or has degraded, or is silent."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.degraded: Degraded | None = None
        self.silent = self.damages = False
        self.running = self.bad_frames = 0
        self.trays = cycle(grey_trays())

    def start(self) -> None:
        self.running += 1

    def stop(self) -> None:
        self.running -= 1

    def frame(self, timeout_s: float) -> Frame | None:
        assert timeout_s == 0
        if self.degraded or self.silent:
            return None
        pixels = next(self.trays).copy()
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


def test_a_slow_reading_does_not_lose_sight_of_the_tray(clock: VirtualClock) -> None:
    world = World(1, clock)
    world.throw(["d6"] * 3)
    world.settle()
    steps: list[float] = []

    def take_time() -> None:
        clock.sleep(0.015)
        steps.append(clock.now_s())

    eye = InProcessEye(world.camera, clock, Observer(progress=take_time))
    times: list[float] = []
    observe = eye.observer.observe

    def observed(frame: Image, time_s: float) -> Observation | None:
        times.append(time_s)
        return observe(frame, time_s)

    eye.observer.observe = observed  # type: ignore[method-assign]
    eye.start()
    assert Settled in [type(message) for message in hear(eye, clock, 2.0)]
    assert steps[-1] - steps[0] > 0.4
    assert max(later - earlier for earlier, later in pairwise(times)) <= 0.15


@pytest.mark.slow
def test_the_table_names_damage_that_keeps_it_from_reading_and_forgets_it(clock: VirtualClock) -> None:
    camera = Scripted(clock)
    eye = InProcessEye(camera, clock)
    eye.start()
    hear(eye, clock, 1.0)
    heard: list[EyeMessage] = []
    for number in range(250):
        camera.damages = number % 10 >= 5
        camera.bad_frames += number % 4 == 0
        heard += hear(eye, clock, 0.07)
    assert [m.degraded for m in heard if isinstance(m, Blind)] == [DAMAGED]
    camera.damages = False
    assert type(hear(eye, clock, 12.0)[-1]) is Settled


@pytest.mark.slow
def test_damage_is_not_blamed_while_the_dice_are_read(clock: VirtualClock) -> None:
    camera = Scripted(clock)
    eye = InProcessEye(camera, clock)
    eye.start()
    hear(eye, clock, 1.0)
    for _ in range(250):
        camera.bad_frames += 1
        assert hear(eye, clock, 0.07) == []


def test_one_damaged_frame_at_the_start_is_not_blamed(clock: VirtualClock) -> None:
    camera = Scripted(clock)
    eye = InProcessEye(camera, clock)
    eye.start()
    heard = hear(eye, clock, 0.07)
    camera.bad_frames = 1
    heard += hear(eye, clock, 1.0)
    assert [type(m) for m in heard] == [Unsettled, Settled]


@pytest.mark.slow
@pytest.mark.parametrize(("share", "throws", "read", "watched_s"), [(0.1, 2, 2, 8.0), (0.6, 1, 0, 14.0)])
def test_with_one_frame_in_ten_half_lost_dice_are_read_and_with_most_the_cause_is_named(
    share: float, throws: int, read: int, watched_s: float
) -> None:
    clock = VirtualClock()
    world = World(5, clock)
    eye = InProcessEye(Lossy(world.camera, share), clock)
    eye.start()
    settled = named = 0
    for _ in range(throws):
        world.throw(["d6", "d20"])
        heard = hear(eye, clock, watched_s, 30)
        named += any(isinstance(m, Blind) and m.degraded == DAMAGED for m in heard)
        settled += any(isinstance(m, Settled) and len(m.reading.dice) == 2 for m in heard)
    assert eye.bad_frames > 10
    assert (settled >= read, named > 0) == (True, not read)


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
    assert hear(eye, clock, 1.5) == []
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
    for count in (1, 2, 3):
        world.throw(["d6"] * count)
        heard = hear(eye, clock, world.settled_at_s - clock.now_s() + 1.0, 30)
        *before, last = [m for m in heard if isinstance(m, Settled)]
        assert 0 <= last.time_s - world.settled_at_s <= 0.6
        assert len(last.reading.dice) >= count
        # Between the hand that takes the dice away and the hand that throws them the tray lies empty.
        assert [len(m.reading.dice) for m in before] in ([], [0]), [m.time_s for m in before]


class Photographs:
    """A camera that shows a photograph, on and on."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.degraded: Degraded | None = None
        self.pixels = thrown(1)

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def frame(self, timeout_s: float) -> Frame | None:  # noqa: ARG002 - there is always one
        return Frame(self.pixels, self.clock.now_s(), photograph=True)


def thrown(seed: int) -> Image:
    clock = VirtualClock()
    world = World(seed, clock)
    world.throw(["d6", "d6"])
    world.settle()
    return world.picture_at(clock.now_s()).copy()


def test_each_photograph_is_read_once_as_unseen_dice_in_a_tray_that_was_empty(clock: VirtualClock) -> None:
    camera = Photographs(clock)
    eye = InProcessEye(camera, clock)
    eye.start()
    heard = hear(eye, clock, 3.0)
    camera.pixels = thrown(2)
    heard += hear(eye, clock, 3.0)
    settled = [message for message in heard if isinstance(message, Settled) and message.photograph]
    assert settled == heard
    assert [len(message.reading.dice) for message in settled] == [0, 2, 0, 2]
    assert settled[1].flight == Flight((Arrival.UNSEEN, Arrival.UNSEEN))
    assert settled[1].evidence.startswith(b"\xff\xd8")
    assert eye.settled is settled[-1]
