"""Says of a picture of the rig what is right and what is not, each with its remedy, and draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from dicetable import texts
from vision.foreground import difference, find_foreground
from vision.reader import DiceReader
from vision.reading import iou
from vision.tray.markers import IDS, MARKER_MM, PAPER_MM, find_markers
from vision.tray.pose import check_rig, learn

if TYPE_CHECKING:
    from vision.reading import Box, Image
    from vision.tray.camera import Lens
    from vision.tray.markers import Floats
    from vision.tray.pose import RigCheck, Tray

LEAST_PX_PER_MM: Final = 2.5
"""A pip of a small die is 1.5 mm wide and must be some pixels."""
MOST_SLANT: Final = 1.25
MOST_EDGE_MM: Final = 0.75
"""Blur at which strokes of a small numeral run together."""
WHITE: Final = (110.0, 249.0)
LEAST_CONTRAST: Final = 70.0
LEAST_EVEN: Final = 0.55
MOST_BURNT: Final = 0.01
MOST_SKIN: Final = 0.5
GRID_MM: Final = 20
GOOD: Final = (80, 200, 60)
BAD: Final = (60, 60, 235)
FAINT: Final = (200, 190, 120)


@dataclass(frozen=True, slots=True)
class RigFinding:
    """One thing that was looked at: what was found, and what to do if it is not good.

    Attributes:
        name: what was looked at.
        text: what was found.
        remedy: what to do; empty if nothing need be done.
        good: whether it will do.
        stops: without it the rig cannot be calibrated.
    """

    name: str
    text: str
    remedy: str = ""
    good: bool = True
    stops: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a picture of the empty tray shows."""

    frame: Image
    tray: Tray | None
    all: tuple[RigFinding, ...]
    things: tuple[Box, ...]

    @property
    def usable(self) -> bool:
        """Whether the rig can be calibrated by it."""
        return self.tray is not None and not any(f.stops and not f.good for f in self.all)


def look_at_rig(frame: Image, lens: Lens | None = None) -> Findings:
    """Looks at a picture of the empty tray (uint8, H×W×3 BGR) through a lens, if that was calibrated."""
    found = find_markers(frame)
    missing = [number for number in IDS if number not in found]
    tray = learn(found, lens)
    if missing or tray is None:
        text = texts.rig.markers_missing(missing) if missing else texts.rig.MARKERS_ASKEW
        remedy = texts.rig.MARKERS_REMEDY if missing else texts.rig.MARKERS_ASKEW_REMEDY
        return Findings(frame, None, (RigFinding("markers", text, remedy, good=False, stops=True),), ())
    middles = np.array([tray.layout[number].mean(axis=0) for number in IDS])
    across = float(np.linalg.norm(middles[1] - middles[0]) + np.linalg.norm(middles[2] - middles[3])) / 2
    deep = float(np.linalg.norm(middles[3] - middles[0]) + np.linalg.norm(middles[2] - middles[1])) / 2
    things = lying_in(frame, tray)
    measured = (RigFinding("markers", texts.rig.markers(across, deep)), *judged(check_rig(frame, tray)))
    empty = finding(
        "empty tray", texts.rig.things(len(things)), texts.rig.EMPTY_IT, good=not things, stops=True
    )
    return Findings(frame, tray, (*measured, empty), things)


def judged(rig: RigCheck) -> list[RigFinding]:
    """What was measured, held against what reading needs."""
    blur = max(rig.edge_mm.values())
    darkest, brightest, contrast = (
        min(rig.white.values()),
        max(rig.white.values()),
        min(rig.contrast.values()),
    )
    lit = WHITE[0] <= darkest and brightest <= WHITE[1] and contrast >= LEAST_CONTRAST
    light = texts.rig.TOO_DARK if brightest <= WHITE[1] else texts.rig.TOO_BRIGHT
    even = darkest / max(brightest, 1.0)
    near = rig.px_per_mm >= LEAST_PX_PER_MM
    return [
        finding("camera", texts.rig.size(rig.px_per_mm), texts.rig.TOO_FAR, good=near),
        finding("angle", texts.rig.slant(rig.slant), texts.rig.SLANTED, good=rig.slant <= MOST_SLANT),
        finding("focus", texts.rig.blur(blur), texts.rig.BLURRED, good=blur <= MOST_EDGE_MM),
        finding("light", texts.rig.light(darkest, brightest, contrast), light, good=lit),
        finding("evenness", texts.rig.even(even), texts.rig.UNEVEN, good=even >= LEAST_EVEN),
        finding("glare", texts.rig.glare(rig.burnt), texts.rig.GLARE, good=rig.burnt <= MOST_BURNT),
        finding("colour", texts.rig.colour(rig.skin), texts.rig.LIKE_SKIN, good=rig.skin <= MOST_SKIN),
    ]


def finding(name: str, text: str, remedy: str, *, good: bool, stops: bool = False) -> RigFinding:
    """With its remedy only if one is needed."""
    return RigFinding(name, text, "" if good else remedy, good, stops)


def lying_in(frame: Image, tray: Tray) -> tuple[Box, ...]:
    """What lies in the tray besides its markers, between their outer edges."""
    hull = np.concatenate(list(tray.layout.values()))
    low, high = hull.min(axis=0), hull.max(axis=0)
    floor = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    within = np.zeros(frame.shape[:2], np.uint8)
    cv2.fillConvexPoly(within, np.rint(tray.pixels(floor)).astype(np.int32), 1)
    unmarked = frame.copy()
    # Its rim is not looked at: felt, as it is in the middle, goes on all round.
    unmarked[within == 0] = np.median(frame[within > 0][::97], axis=0)
    for corners in tray.layout.values():
        middle = corners.mean(axis=0)
        paper = tray.pixels(middle + (corners - middle) * PAPER_MM / MARKER_MM * 1.1)
        x, y = tray.pixels(0.8 * middle[None])[0].astype(int).tolist()
        beside = frame[max(0, y - 4) : y + 5, max(0, x - 4) : x + 5].reshape(-1, 3)
        felt = np.median(beside, axis=0).tolist() if len(beside) else [0.0, 0.0, 0.0]
        cv2.fillConvexPoly(unmarked, cv2.convexHull(np.rint(paper).astype(np.int32)), felt)
    reader = DiceReader()
    found = find_foreground(difference(unmarked))
    dice = [die.box for die in reader.read(frame).dice if die.sure]
    return (*found, *(box for box in dice if not any(iou(box, other) > 0 for other in found)))


def picture(findings: Findings) -> Image:
    """What the camera sees, with markers, a grid of two centimetres and things in the way drawn on it."""
    shown = findings.frame.copy()
    unit = max(1, round(shown.shape[1] / 900))
    tray = findings.tray
    if tray is None:
        for number, corners in find_markers(findings.frame).items():
            outline(shown, corners, str(number), BAD, unit)
    else:
        hull = np.concatenate(list(tray.layout.values()))
        (left, near), (right, far) = hull.min(axis=0), hull.max(axis=0)
        for x in range(-int(-left // GRID_MM) * GRID_MM, int(right) + 1, GRID_MM):
            line(shown, tray.pixels(np.array([[x, near], [x, far]], np.float64)))
        for y in range(-int(-near // GRID_MM) * GRID_MM, int(far) + 1, GRID_MM):
            line(shown, tray.pixels(np.array([[left, y], [right, y]], np.float64)))
        for number, corners in tray.markers.items():
            outline(shown, corners, str(number), GOOD, unit)
    for x, y, w, h in findings.things:
        cv2.rectangle(shown, (x, y), (x + w, y + h), BAD, 2 * unit)
    return with_words(shown, findings.all, unit)


def outline(shown: Image, corners: Floats, name: str, colour: tuple[int, int, int], unit: int) -> None:
    """A marker's square and its number."""
    points = np.rint(corners).astype(np.int32)
    cv2.polylines(shown, [points], isClosed=True, color=colour, thickness=2 * unit, lineType=cv2.LINE_AA)
    at = (int(points[:, 0].min()), int(points[:, 1].min()) - 4 * unit)
    cv2.putText(shown, name, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6 * unit, colour, 2 * unit, cv2.LINE_AA)


def line(shown: Image, ends: Floats) -> None:
    """A faint line of the grid."""
    (x0, y0), (x1, y1) = np.rint(ends).astype(int).tolist()
    cv2.line(shown, (x0, y0), (x1, y1), FAINT, 1, cv2.LINE_AA)


def with_words(shown: Image, findings: tuple[RigFinding, ...], unit: int) -> Image:
    """The findings written below the picture."""
    high = 24 * unit
    strip = np.full((high * len(findings) + high // 2, shown.shape[1], 3), 24, np.uint8)
    for number, told in enumerate(findings):
        text = f"{told.name}: {told.text}" + (f" - {told.remedy}" if told.remedy else "")
        at = (10 * unit, high * (number + 1))
        colour = GOOD if told.good else BAD
        cv2.putText(strip, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.5 * unit, colour, unit, cv2.LINE_AA)
    return np.concatenate([shown, strip])
