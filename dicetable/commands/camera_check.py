"""What the first page in the browser shows of a camera, and the change to another one.

For a game at a terminal under a live camera. The gateway asks for it over the table's socket.
"""

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import cv2
import numpy as np
from pydantic import Field

from common import texts
from common.messages import Answer
from dicetable.eye.evidence import LARGE, packed
from dicetable.eye.in_process import InProcessEye
from dicetable.service.doctor import BRIGHT, DARK
from dicetable.service.server import LOOKS, Nothing, Pace, Payload, RequestKind, accepted, refused
from dicetable.table.display import dice_line
from dicetable.table.table import Table
from hardware.attached import AttachedCamera
from hardware.ports import Camera
from vision.annotate import annotate
from vision.reading import SLOWEST_FPS, Image, Settled

NEEDED: Final = Pace(20, 0.2)
"""The pace of the live picture: the page asks twice a second."""
RATE_S: Final = 3.0
"""The time over which frames are counted. A shorter one makes the rate jump."""
FINE, COARSE = 1.0, 2.0
"""Blurs in pixels that are added to measure that of a picture; less than FINE shows its noise."""
EDGES: Final = 1000
"""The strongest edges are one pixel in this many. Higher: fewer, stronger edges decide the blur."""
MOST_BLUR: Final = 3.0 / 1280
"""Blur, as a part of the picture's width, up to which simulated dice were read as well as without any."""


class Chosen(Payload):
    """The path of the camera to look through."""

    path: Annotated[str, Field(max_length=300)]


class CameraCheck:
    """Says what a camera shows and whether that will do.

    `attached` lists the cameras to choose from, and `opened` opens one of them by its path.
    """

    def __init__(
        self,
        eye: InProcessEye,
        attached: Callable[[], Sequence[AttachedCamera]],
        opened: Callable[[Path], Camera],
    ) -> None:
        self.eye = eye
        self.attached = attached
        self.opened = opened
        self.came_s: deque[float] = deque()

    def kinds(self) -> dict[str, RequestKind[Any]]:
        """What the gateway may ask."""
        return {
            "camera_check": RequestKind(Nothing, self.check, NEEDED),
            "camera_choose": RequestKind(Chosen, self.choose, LOOKS),
        }

    def see(self) -> None:
        """Counts a frame if a new one came; to be called in each turn of the game's loop."""
        frame = self.eye.newest
        if frame is not None and (not self.came_s or frame.time_s > self.came_s[-1]):
            self.came_s.append(frame.time_s)
            while frame.time_s - self.came_s[0] > RATE_S:
                self.came_s.popleft()

    @property
    def rate(self) -> float:
        """Frames a second."""
        spent_s = self.came_s[-1] - self.came_s[0] if self.came_s else 0.0
        return (len(self.came_s) - 1) / spent_s if spent_s else 0.0

    def check(self, _: Nothing, table: Table) -> Answer:
        """The picture as JPEG, and what there is to say of it."""
        eye, frame = self.eye, self.eye.newest
        name = str(getattr(eye.camera, "name", ""))
        about = {
            "camera": name,
            "cameras": [{"path": str(camera.path), "name": camera.name} for camera in self.choices(name)],
            "notes": list(getattr(eye.camera, "notes", ())),
        }
        trouble = table.degraded.get("camera")
        if frame is None or trouble is not None:
            todo = f"{trouble.what}: {trouble.remedy}" if trouble else texts.first_page.NO_PICTURE
            return accepted({**about, "todo": todo, "checks": []})
        settled = eye.settled
        shown = annotate(frame.pixels, settled.reading) if settled else frame.pixels
        told = {**about, "todo": self.todo(settled), "checks": self.checks(frame.pixels)}
        return accepted(told, packed(shown, LARGE[1:]))

    def choices(self, name: str) -> Sequence[AttachedCamera]:
        """The attached cameras, if the one in use is among them."""
        cameras = self.attached()
        return cameras if any(str(camera.path) == name for camera in cameras) else ()

    def todo(self, settled: Settled | None) -> str:
        """What to do next: empty the tray, throw, or read what was read."""
        if self.eye.observer.background is None:
            return texts.first_page.EMPTY_IT
        if settled is None or not settled.reading.dice:
            return texts.first_page.THROW
        return texts.first_page.reads(dice_line(settled.reading.dice))

    def checks(self, frame: Image) -> list[dict[str, Any]]:
        """Each thing that matters for reading dice: whether it will do, and if not what to do."""
        height, width = frame.shape[:2]
        light = float(frame[::8, ::8].mean())
        words = texts.first_page
        return [
            checked(words.SHARP, words.NOT_SHARP, good=blur_px(frame) <= MOST_BLUR * width),
            checked(words.BRIGHT, words.TOO_DARK if light < DARK else words.TOO_BRIGHT,
                    good=DARK <= light <= BRIGHT),
            checked(words.STEADY, words.NOT_STEADY, good=isinstance(self.eye.observed, Settled)),
            checked(words.mode(width, height, self.rate), words.TOO_SLOW, good=self.rate >= SLOWEST_FPS),
        ]  # fmt: skip

    def choose(self, request: Chosen, _: Table) -> Answer:
        """Looks through another camera from now on."""
        choice = next((camera for camera in self.attached() if str(camera.path) == request.path), None)
        if choice is None:
            return refused(texts.first_page.NO_SUCH_CAMERA)
        if request.path != getattr(self.eye.camera, "name", ""):
            self.came_s.clear()
            self.eye.look_through(self.opened(choice.path))
        return accepted()


def checked(text: str, remedy: str, *, good: bool) -> dict[str, Any]:
    return {"text": text if good else remedy, "good": good}


def blur_px(frame: Image) -> float:
    """The blur of the strongest edges in a frame (uint8, H×W×3 BGR): the sigma of a Gaussian, in pixels.

    The frame is blurred twice, and the ratio of the slopes gives the blur that it had (Zhuo and Sim, "Defocus
    map estimation from a single image", 2011).
    """
    grey = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY).astype(np.float32)
    steeper = (strongest_edge(grey, FINE) / max(strongest_edge(grey, COARSE), 1e-6)) ** 2
    return float(np.sqrt(max(0.0, COARSE**2 - steeper * FINE**2) / max(steeper - 1, 1e-6)))


def strongest_edge(grey: Any, sigma: float) -> float:
    """The slope that one pixel of EDGES exceeds once the picture is blurred, in grey levels a pixel."""
    soft = cv2.GaussianBlur(grey, (0, 0), sigma)
    slopes = cv2.magnitude(cv2.Sobel(soft, cv2.CV_32F, 1, 0), cv2.Sobel(soft, cv2.CV_32F, 0, 1)).ravel()
    rank = slopes.size - 1 - slopes.size // EDGES
    return float(np.partition(slopes, rank)[rank])
