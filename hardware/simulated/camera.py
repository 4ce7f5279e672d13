"""The simulated camera: the optical path into it, its noise and faults, and its frames in another process."""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Callable, Hashable
from functools import cached_property
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from hardware.ports import Clock, Degraded, Frame, Pixels
from hardware.simulated.die import Floats
from hardware.simulated.faults import ActiveFaults
from hardware.simulated.picture import HEIGHT, WIDTH, Masks, Picture, Projection

FRAMES_PER_S = 30.0
TICK_S = 1e-6
"""Times that differ by less are taken as equal."""
KEPT = 60
"""The camera remembers what this many of its newest frames show."""
UNPLUGGED = Degraded("the simulated camera is unplugged", "plug it in, or clear the fault `unplugged`")
DARKNESS = 0.015
"""The remaining brightness when the light is out."""
SHAKE_S, SHAKES_HZ = 0.12, 7.0
GLARE_PX = 170
HEADER: Final = struct.Struct("<dIIHH")
"""Time, height, width, lengths of `what` and `remedy` in bytes; before it the number, see `numbered`."""
HEADER_AT: Final = 8
WORDS_AT: Final = 64
WORDS_BYTES: Final = 512
PIXELS_AT: Final = 4096
MOST_PX: Final = 4096
PAUSE_S: Final = 0.004
SILENCE_S: Final = 2.0


class SimulatedCamera:
    """A `Camera` over a simulated table; frames that are not taken in time are skipped."""

    def __init__(
        self,
        rng: Generator,
        clock: Clock,
        faults: ActiveFaults,
        picture: Callable[[float], Pixels],
        fps: float = FRAMES_PER_S,
    ) -> None:
        self.fps = fps
        self.rng = rng
        self.clock = clock
        self.faults = faults
        self.picture = picture
        self.started_s: float | None = None
        self.given_s = float("-inf")
        self.last: tuple[float, Pixels] | None = None
        self.shown: dict[float, float] = {}

    @cached_property
    def noise(self) -> Noise:
        return Noise(self.rng)

    @property
    def degraded(self) -> Degraded | None:
        return UNPLUGGED if self.faults.active("unplugged", self.clock.now_s()) else None

    def start(self) -> None:
        if self.started_s is None:
            self.started_s = self.clock.now_s()

    def frame(self, timeout_s: float) -> Frame | None:
        if self.started_s is None:
            return None
        end_s = self.clock.now_s() + timeout_s
        while (time_s := self.newest_s(self.clock.now_s())) is None or time_s <= self.given_s + TICK_S:
            wait_s = self.next_s(self.clock.now_s()) - self.clock.now_s()
            left_s = end_s - self.clock.now_s()
            if left_s <= 0:
                return None
            self.clock.sleep(max(0.0, min(wait_s, left_s)))
        self.given_s = time_s
        return Frame(self.exposed(time_s), time_s)

    def newest_s(self, now_s: float) -> float | None:
        """When the newest frame that has arrived by then was taken; None if there is none."""
        if (
            self.started_s is None
            or self.faults.active("unplugged", now_s)
            or self.faults.active("hangs", now_s)
        ):
            return None
        late_s = self.faults.number("late", now_s) or 0.0
        number = int((now_s - late_s - self.started_s + TICK_S) * self.fps + 1e-9)
        if now_s - late_s < self.started_s - TICK_S:
            return None
        return min(self.started_s + number / self.fps, now_s)  # not later, not even by rounding

    def next_s(self, now_s: float) -> float:
        started_s = self.started_s or 0.0
        number = int((now_s - started_s + TICK_S) * self.fps + 1e-9)
        return started_s + (number + 1) / self.fps

    def exposed(self, time_s: float) -> Pixels:
        """The frame of that time, with the faults of the camera."""
        self.shown[time_s] = seen_s = self.seen_s(time_s)
        if len(self.shown) > KEPT:
            del self.shown[next(iter(self.shown))]
        if self.last is not None and self.last[0] == seen_s:
            return self.last[1].copy()
        pixels = whole = self.noise.on(self.picture(seen_s))
        if (share := self.faults.number("torn", time_s)) and self.last is not None:
            pixels = whole.copy()
            cut = round(HEIGHT * (1 - share))
            pixels[cut:] = self.last[1][cut:]
        self.last = (seen_s, whole)
        return pixels

    def shown_s(self, time_s: float) -> float:
        """The time that the frame with this timestamp, one of the newest, really shows."""
        return self.shown[time_s]

    def seen_s(self, time_s: float) -> float:
        """The time that the next frame shows; without faults it is the frame's timestamp."""
        if stuck := self.faults.active("stuck", time_s):
            return self.last[0] if self.last and self.last[0] >= stuck.since_s - 1 else stuck.since_s
        if times := self.faults.number("doubled", time_s):
            step_s = times / self.fps
            return int((time_s + TICK_S) / step_s) * step_s
        return time_s

    def stop(self) -> None:
        self.started_s = None


class Noise:
    """Sensor noise: a different cut of one large patch for each frame, which is cheap."""

    def __init__(self, rng: Generator) -> None:
        self.rng = rng
        level = float(rng.uniform(0.8, 2.5))
        grain = (rng.standard_normal((HEIGHT // 2, WIDTH // 2, 3), np.float32) * level).round()
        more, less = np.maximum(grain, 0).astype(np.uint8), np.maximum(-grain, 0).astype(np.uint8)
        self.more, self.less = (np.tile(part, (3, 3, 1)) for part in (more, less))

    def on(self, pixels: Pixels) -> Pixels:
        """A new frame with noise on it."""
        y, x = (int(self.rng.integers(side // 2)) for side in (HEIGHT, WIDTH))
        cut = slice(y, y + HEIGHT), slice(x, x + WIDTH)
        out = cv2.add(pixels, self.more[cut])
        return np.asarray(cv2.subtract(out, self.less[cut], dst=out), np.uint8)


class SimulatedLens:
    """The optical path into the camera, with the active faults."""

    def __init__(self, rng: Generator, view: Projection, faults: ActiveFaults) -> None:
        self.view = view
        self.faults = faults
        self.knock = rng.uniform(-1, 1, 3) * (1.0, 1.0, 1.5)
        self.knock /= np.linalg.norm(self.knock)
        self.phases = rng.uniform(0, 2 * np.pi, 4)
        across = np.linspace(-2.6, 2.6, GLARE_PX * 2)
        self.spot = np.exp(-0.5 * (across**2 + (across[:, None] * 1.4) ** 2))
        self.key: Hashable = None
        self.result: Pixels | None = None
        self.turns: dict[float, tuple[float, float, float] | None] = {}

    def on(self, picture: Picture, time_s: float) -> Pixels:
        """The picture as it reaches the sensor then; do not write to it."""
        levels, turn, glare = self.levels(time_s), self.turn(time_s), self.glare(time_s)
        self.turns[time_s] = turn
        if len(self.turns) > KEPT:
            del self.turns[next(iter(self.turns))]
        if levels == (1.0, 1.0, 1.0) and turn is None and glare is None:
            return picture.canvas
        key = (picture.changes, levels, turn, glare)
        if self.result is None or key != self.key:
            self.result, self.key = self.changed(picture.canvas, levels, turn, glare), key
        return self.result

    def changed(
        self,
        pixels: Pixels,
        levels: tuple[float, float, float],
        turn: tuple[float, float, float] | None,
        glare: tuple[float, float, float] | None,
    ) -> Pixels:
        if turn is not None:
            size, onto = (WIDTH, HEIGHT), self.homography(turn)
            turned = cv2.warpPerspective(pixels, onto, size, borderMode=cv2.BORDER_REFLECT_101)
            pixels = np.asarray(turned, np.uint8)
        if levels != (1.0, 1.0, 1.0):
            table = np.clip(np.arange(256)[:, None] * levels + 0.5, 0, 255).astype(np.uint8)
            pixels = np.asarray(cv2.LUT(pixels, table[None]), np.uint8)
        if glare is not None:
            pixels = pixels.copy()
            x, y = round(glare[0]) - GLARE_PX, round(glare[1]) - GLARE_PX
            x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + 2 * GLARE_PX, WIDTH), min(y + 2 * GLARE_PX, HEIGHT)
            spot = cv2.convertScaleAbs(self.spot[y0 - y : y1 - y, x0 - x : x1 - x], alpha=glare[2] * 300)
            part = pixels[y0:y1, x0:x1]
            cv2.add(part, cv2.cvtColor(spot, cv2.COLOR_GRAY2BGR), dst=part)
        return pixels

    def turned(self, masks: Masks, time_s: float) -> Masks:
        """The masks of a picture as a knocked camera sees them."""
        turn = self.turn(time_s)
        if turn is None:
            return masks
        onto, size = self.homography(turn), (WIDTH, HEIGHT)
        labels, shadow = (
            cv2.warpPerspective(part, onto, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REFLECT_101)
            for part in (masks.labels, masks.shadow.astype(np.uint8))
        )
        return Masks(np.asarray(labels, np.uint8), shadow > 0)

    def levels(self, time_s: float) -> tuple[float, float, float]:
        """The gains of blue, green and red; 1 is normal."""
        level = warmth = 1.0
        if drift := self.faults.active("drift", time_s):
            part = (time_s - drift.since_s) / drift.fault.lasts_s
            level *= 1 + (drift.fault.number - 1) * float(np.sin(np.pi * part)) ** 2
            warmth = level**0.35
        if depth := self.faults.number("flicker", time_s):
            beat = np.sin(46 * time_s + self.phases[0]) * np.sin(11.7 * time_s + self.phases[1])
            level *= 1 - depth * (0.5 + 0.5 * float(beat))
        if self.faults.active("dark", time_s):
            level *= DARKNESS
        return round(level * warmth, 3), round(level, 3), round(level / warmth, 3)

    def turn(self, time_s: float) -> tuple[float, float, float] | None:
        """Pan, tilt and roll of the knocked camera, radians; None if it is not knocked."""
        bump = self.faults.active("bump", time_s)
        if bump is None:
            return None
        since_s = time_s - bump.since_s
        swing = 0.0
        if since_s < 8 * SHAKE_S:
            swing = 0.6 * float(np.exp(-since_s / SHAKE_S) * np.cos(2 * np.pi * SHAKES_HZ * since_s))
        pan, tilt, roll = (self.knock * np.radians(bump.fault.number) * (1 + swing)).tolist()
        return pan, tilt, roll

    def homography(self, turn: tuple[float, float, float]) -> Floats:
        """The homography from pixels of the original camera to those of the knocked one, 3×3."""
        straight = self.view.plane()
        return np.asarray(self.view.turned(*turn).plane() @ np.linalg.inv(straight))

    def view_at(self, time_s: float) -> Projection:
        """How the camera stood then: as one of the newest frames shows it, whatever began in that moment."""
        turn = self.turns[time_s] if time_s in self.turns else self.turn(time_s)
        return self.view if turn is None else self.view.turned(*turn)

    def glare(self, time_s: float) -> tuple[float, float, float] | None:
        """Centre (pixels) and strength of a reflection; None if there is none."""
        glare = self.faults.active("glare", time_s)
        if glare is None:
            return None
        since_s = round((time_s - glare.since_s) * 15) / 15
        x = WIDTH * (0.5 + 0.3 * float(np.sin(0.5 * since_s + self.phases[2])))
        y = HEIGHT * (0.5 + 0.25 * float(np.sin(0.8 * since_s + self.phases[3])))
        return round(x), round(y), glare.fault.number


class FrameBoard:
    """Frames in shared memory, for a `SharedCamera` in another process that knows `path`.

    It belongs to the process that makes the frames; `path` is valid as long as the board exists.
    """

    def __init__(self, height_px: int, width_px: int) -> None:
        self.file = os.memfd_create("dicetable-frames", os.MFD_CLOEXEC)
        os.ftruncate(self.file, PIXELS_AT + 3 * height_px * width_px)
        self.memory = mmap.mmap(self.file, 0)
        self.path = f"/proc/{os.getpid()}/fd/{self.file}"
        self.number = 0

    def put(self, frame: Frame | None, time_s: float, degraded: Degraded | None = None) -> None:
        """Publishes a frame, or why there is none."""
        words = (degraded.what, degraded.remedy) if degraded else ("", "")
        encoded = [text.encode()[: WORDS_BYTES // 2] for text in words]
        height, width = frame.pixels.shape[:2] if frame else (0, 0)
        numbered(self.memory)[0] = self.number + 1
        HEADER.pack_into(self.memory, HEADER_AT, time_s, height, width, len(encoded[0]), len(encoded[1]))
        self.memory[WORDS_AT : WORDS_AT + sum(map(len, encoded))] = b"".join(encoded)
        if frame is not None:
            self.memory[PIXELS_AT : PIXELS_AT + frame.pixels.nbytes] = frame.pixels.tobytes()
        self.number += 2
        numbered(self.memory)[0] = self.number

    def close(self) -> None:
        self.memory.close()
        os.close(self.file)


class SharedCamera:
    """A `Camera` that takes its frames from a board; one that is overwritten during reading is read again."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.path = path
        self.clock = clock
        self.memory: mmap.mmap | None = None
        self.degraded: Degraded | None = None
        self.given = 0
        self.new_s = 0.0

    def start(self) -> None:
        if self.memory is not None:
            return
        self.given, self.new_s = 0, self.clock.now_s()
        try:
            with self.path.open("rb") as file:
                self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            self.degraded = Degraded(f"{self.path}: no simulated table shows frames here", "start the table")

    def frame(self, timeout_s: float) -> Frame | None:
        if self.memory is None and self.degraded is not None:  # the board did not exist
            self.start()
        until_s = self.clock.now_s() + timeout_s
        while self.memory is not None:
            frame = self.look(self.memory)
            now_s = self.clock.now_s()
            if frame is not None:
                self.new_s, self.degraded = now_s, None
                return frame
            if self.degraded is None and now_s - self.new_s > SILENCE_S:
                self.degraded = Degraded("the simulated camera is silent", "start the table again")
            if now_s >= until_s:
                return None
            self.clock.sleep(min(PAUSE_S, until_s - now_s))
        self.clock.sleep(timeout_s)
        return None

    def look(self, memory: mmap.mmap) -> Frame | None:
        """The frame on the board if it is new and complete."""
        number = int(numbered(memory)[0])
        if number == self.given or number % 2:
            return None
        time_s, height, width, cause, remedy = HEADER.unpack_from(memory, HEADER_AT)
        if not height:
            words = memory[WORDS_AT : WORDS_AT + cause + remedy]
            if int(numbered(memory)[0]) == number:
                self.given = number
                self.degraded = Degraded(
                    words[:cause].decode("utf-8", "replace"), words[cause:].decode("utf-8", "replace")
                )
            return None
        end = PIXELS_AT + 3 * height * width
        if height > MOST_PX or width > MOST_PX or end > len(memory):
            return None
        pixels = (
            np.frombuffer(memory, np.uint8, 3 * height * width, PIXELS_AT).reshape(height, width, 3).copy()
        )
        if int(numbered(memory)[0]) != number:
            return None
        self.given = number
        return Frame(pixels, time_s)

    def stop(self) -> None:
        if self.memory is not None:
            self.memory.close()
            self.memory = None
        self.degraded = None


def numbered(memory: mmap.mmap) -> npt.NDArray[np.uint64]:
    """The sequence number, odd during writing; it is written atomically.

    All else is written only while the number is odd, so it is complete if the number is even and unchanged
    after.
    """
    return np.frombuffer(memory, np.uint64, 1)
