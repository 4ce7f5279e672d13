"""What the reader and the observer report: boxes, dice with their doubts, how they came to lie there.

Data only, so that the table can use it without loading what reads dice.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import VALUES, Die, Kind

Image: TypeAlias = npt.NDArray[np.uint8]
"""A frame: uint8, H×W (grey) or H×W×3 (BGR, as OpenCV has it)."""
Box: TypeAlias = tuple[int, int, int, int]
"""A box: x, y, width and height in whole pixels of the frame."""
Sides: TypeAlias = tuple[float, float, float, float]
"""Left, top, width and height, which a `Box` has in whole pixels."""
Net: TypeAlias = "Callable[[npt.NDArray[Any]], npt.NDArray[Any]]"
"""A net: maps inputs such as pictures (N×3×H×W, float32) to outputs (N×…, float32)."""
SAME_DIE_IOU: Final = 0.5
"""IoU from which boxes of two frames are the same die's."""


def ignore_progress() -> None:
    """Does nothing: the caller does not watch for progress."""


def intersection(first: Sides, second: Sides) -> float:
    """The area that two boxes share; 0 if they share none."""
    (x, y, w, h), (u, v, a, b) = first, second
    return max(0, min(x + w, u + a) - max(x, u)) * max(0, min(y + h, v + b) - max(y, v))


def touch(first: Sides, second: Sides) -> bool:
    """Whether two boxes overlap; a shared edge is no overlap."""
    (x, y, w, h), (u, v, a, b) = first, second
    return x < u + a and u < x + w and y < v + b and v < y + h


def iou(first: Sides, second: Sides) -> float:
    """Intersection over union of two boxes, 0 … 1."""
    both = intersection(first, second)
    return both / (first[2] * first[3] + second[2] * second[3] - both) if both else 0.0


@dataclass(frozen=True, slots=True)
class Detection:
    """A box that may contain a die: the whole visible die, in pixels of the frame, and a score 0 … 1.

    `known`: a die was read in this box before and lies there as it lay, so the box is right.
    """

    x: float
    y: float
    width: float
    height: float
    score: float
    known: bool = False

    @property
    def sides(self) -> Sides:
        return (self.x, self.y, self.width, self.height)

    @property
    def middle(self) -> tuple[float, float]:
        return (self.x + self.width / 2, self.y + self.height / 2)

    @property
    def longer(self) -> float:
        return max(self.width, self.height)

    def corrected(self, off: npt.NDArray[Any]) -> Detection:
        """This detection with a better box: `off` (classifiers.BOX,) says how far its own is off."""
        right, down, longer = (float(v) for v in off)
        x, y = self.middle[0] + right * self.longer, self.middle[1] + down * self.longer
        w, h = (side * math.exp(longer) for side in (self.width, self.height))
        return Detection(x - w / 2, y - h / 2, w, h, self.score)

    def holds(self, place: tuple[float, float]) -> bool:
        return 0 < place[0] - self.x < self.width and 0 < place[1] - self.y < self.height


def inside(detection: Detection, shape: tuple[int, ...]) -> Box:
    """The detection's box in whole pixels of the frame."""
    x0, y0 = max(0, round(detection.x)), max(0, round(detection.y))
    x1 = min(shape[1], round(detection.x + detection.width))
    y1 = min(shape[0], round(detection.y + detection.height))
    return (min(x0, shape[1] - 1), min(y0, shape[0] - 1), max(1, x1 - x0), max(1, y1 - y0))


class Doubt(StrEnum):
    """Why a die is not sure. `vision.recognition.doubts` alone decides that, most of it in `PREDICATES`."""

    UNKNOWN_DIE = "unknown_die"
    """Dice are enrolled, and this is none of them."""
    COCKED = "cocked"
    """It may not lie flat. Without a value it plainly does not; with one, people look."""
    CUT_BY_FRAME = "cut_by_frame"
    """A part of it lies outside the frame."""
    COVERED = "covered"
    """Something covers it, or nothing legible is on top."""
    PILE = "pile"
    """Other dice lie within its box: a pile, or a box of dice."""
    PRINT_OR_TOKEN = "print_or_token"  # noqa: S105 - a game token
    """It may be the picture of a die, a coin or a token."""
    NOT_READ = "not_read"
    """Something lies there, and no value was read."""
    SIX_OR_NINE = "six_or_nine"
    """Its 6 or 9 may be the other one upside down."""
    OTHER_BESIDE = "other_beside"
    """The numerals beside the top belong to another value."""
    UPSIDE_DOWN = "upside_down"
    """Upside down its numeral is another value, and its maker may have set it so."""
    HIDDEN_PIP = "hidden_pip"
    """Something may cover the middle pip of its face."""
    PICTURE = "picture"
    """Its face bears a picture or a letter instead of a value."""
    PERCENTILE = "percentile"
    """It may be a percentile die, whose faces bear two digits."""
    KIND_NOT_STABLE = "kind_not_stable"
    """Seen turned, it looks like a die of another kind."""
    LOW_CONFIDENCE = "low_confidence"
    """Kind and value are not probable enough."""
    ODD_SIZE = "odd_size"
    """It is larger or smaller than a die can be here."""
    LIKE_ANOTHER_FACE = "like_another_face"
    """It looks like another face of the enrolled dice than the one that was read."""
    PART_OF_THE_TRAY = "part_of_the_tray"
    """The empty tray looks the same there."""
    FRAMES_DISAGREE = "frames_disagree"
    """Two frames of the same still dice were read differently."""


@dataclass(frozen=True, slots=True)
class DieReading:
    """One die as it was seen.

    Attributes:
        kind: the kind of die; None if it is unknown.
        value: the face that counts, one of the kind's VALUES; None if it could not be read, or plainly
            lies cocked.
        confidence: 0 … 1, the calibrated probability that kind and value are right.
        box: the whole visible die in the frame.
        doubt: why the die is not sure; None if it is.
        position_mm: x and y of the middle of its top face over the tray's floor, from the middle of the
            tray, x to the right, y away from the player; None without a calibrated tray.
        tilt_deg: the angle by which its top is off the level; None if it cannot be measured.
        tilt_error_deg: the standard deviation of `tilt_deg`.
        die_id: which enrolled die it is; None if it is none, or could be another of the same kind.
    """

    kind: Kind | None
    value: int | None
    confidence: float
    box: Box
    doubt: Doubt | None = None
    position_mm: tuple[float, float] | None = None
    tilt_deg: float | None = None
    die_id: str | None = None
    tilt_error_deg: float | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.confidence <= 1.0:
            raise ValueError(f"confidence {self.confidence} is not within 0 … 1")
        if self.value is not None and (self.kind is None or self.value not in VALUES[self.kind]):
            raise ValueError(f"a {self.kind or 'die of unknown kind'} has no face {self.value}")
        if self.doubt is None and self.value is None:
            raise ValueError("a die without a value cannot be sure")

    @property
    def sure(self) -> bool:
        """Whether the table may go by this value. Only a sure value is ever played."""
        return self.doubt is None

    @property
    def face(self) -> Die | None:
        """The likeliest kind and value, sure or not; None if no value was read."""
        return None if self.kind is None or self.value is None else (self.kind, self.value)

    @property
    def shows(self) -> Die | None:
        """Kind and value if they are sure, or if it shows one dot: that may be a token, but no other face."""
        dot = self.doubt is Doubt.PRINT_OR_TOKEN and self.face == ("d6", 1)
        return self.face if self.sure or dot else None

    @property
    def cocked(self) -> bool:
        """Whether the die may not lie flat: without a value it plainly does not, with one people look."""
        return self.doubt is Doubt.COCKED


class SeenTop(NamedTuple):
    """Where the top face of a die points, if the die by itself does not look cocked.

    It may be called cocked all the same: that judgement depends on the focal length, which these tops help to
    measure. `pixel` is the middle of its box; `top` has the components, to the right and down at right angles
    to the line of sight, of the unit normal of its top face; `error` is the standard deviation of each.
    """

    pixel: tuple[float, float]
    top: tuple[float, float]
    error: float


@dataclass(frozen=True, slots=True)
class Reading:
    """All dice of a frame, or of several that agree, sorted by the top, then the left of their boxes.

    `tops` show how the camera sees the tray, see `tray.tracking`; a reading of several frames has none.
    """

    dice: tuple[DieReading, ...]
    tops: tuple[SeenTop, ...] = ()

    @property
    def sure(self) -> bool:
        return all(die.sure for die in self.dice)

    @property
    def doubts(self) -> Counter[Doubt]:
        """How many dice are doubted for each reason."""
        return Counter(die.doubt for die in self.dice if die.doubt is not None)


SLOWEST_FPS: Final = 7.0
"""The lowest rate of strict throws: below it a hand may come and go between two frames."""


class Arrival(StrEnum):
    """How a die came to lie where it lies: thrown, moved by a hand, or not seen. See `motion.arrivals`.

    One that LAY there lies as it did when the dice were read last.
    """

    THROWN = "thrown"
    HANDLED = "handled"
    UNSEEN = "unseen"
    LAY = "lay"


@dataclass(frozen=True, slots=True)
class Flight:
    """What happened in the tray between two settled states.

    Attributes:
        arrivals: how each die came to lie there, in the order of the boxes given.
        knocked: a die that lay there has left its place although no hand took it.
        interfered: a hand was at thrown dice before they were read, or set a die down beside them.
        fps: frames per second meanwhile, or before if there was only one frame.
        anew: whether the place of each die was seen empty after dice were read last, so that it came since;
            () if unknown.
    """

    arrivals: tuple[Arrival, ...]
    knocked: bool = False
    interfered: bool = False
    fps: float = 0.0
    anew: tuple[bool, ...] = ()

    @property
    def followed(self) -> bool:
        """Whether frames came fast enough to see a throw."""
        return self.fps >= SLOWEST_FPS


class Reason(StrEnum):
    """Why nothing is read although frames come."""

    MOVING = "moving"
    HAND = "hand"
    UNLIT = "unlit"
    CAMERA_MOVED = "camera_moved"
    MARKERS = "markers"


class Part(StrEnum):
    """A ninth of the picture."""

    UPPER_LEFT = "upper_left"
    TOP = "top"
    UPPER_RIGHT = "upper_right"
    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"
    LOWER_LEFT = "lower_left"
    BOTTOM = "bottom"
    LOWER_RIGHT = "lower_right"


@dataclass(frozen=True, slots=True)
class Settled:
    """The dice lie still and were read.

    Attributes:
        reading: all dice in the tray, as two frames agree on them.
        time_s: when the last frame that was read was taken.
        evidence: a small JPEG of the tray as it was read; empty without one.
        film: a JPEG of the frames in which they rolled, from `dicetable.eye.evidence`; empty without one.
        flight: how the dice came to lie there, one arrival for each in the reading's order; None while the
            empty tray has not been seen.
        touched: a hand moved, turned or took dice that lay open and had not been read yet, as a reveal's do.
        photograph: a single photograph was read, which cannot show how the dice came.
        covered: where something that stays hides a part of the tray; None if nothing does.
    """

    reading: Reading
    time_s: float
    evidence: bytes = b""
    flight: Flight | None = None
    touched: bool = False
    photograph: bool = False
    covered: Part | None = None
    film: bytes = b""

    def __post_init__(self) -> None:
        if self.flight is not None and len(self.flight.arrivals) != len(self.reading.dice):
            raise ValueError(f"{len(self.flight.arrivals)} arrivals of {len(self.reading.dice)} dice")
        if self.flight is not None and self.flight.anew and len(self.flight.anew) != len(self.reading.dice):
            raise ValueError(f"{len(self.flight.anew)} places of {len(self.reading.dice)} dice")

    def unchanged(self, before: Settled) -> bool:
        """Whether every die was seen to lie as it did before."""
        if self.flight is None or len(self.reading.dice) != len(before.reading.dice):
            return False
        return all(arrival is Arrival.LAY for arrival in self.flight.arrivals)


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The tray cannot be read now; reported once, when that begins or the reason changes."""

    reason: Reason
    time_s: float


Observation: TypeAlias = Settled | Unsettled
