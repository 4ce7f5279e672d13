"""Shows the operator what the camera sees.

`look_at_rig` says of a picture of the empty tray what is right and what is not, each with its remedy, and
`picture` draws that. `drawn`, `meters` and `explained` serve the live picture: dice, doubts, millimetres,
markers and a grid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np

from common import texts
from vision.annotate import FONT, SIZE, annotate
from vision.foreground import difference, find_foreground
from vision.reader import DiceReader
from vision.reading import Box, Image, Reading, iou
from vision.tray.camera import Lens
from vision.tray.markers import IDS, find_markers
from vision.tray.pose import RigCheck, Tray, check_rig, learn

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
TEXT: Final = (235, 235, 235)
LINE_PX: Final = 18
"""Height of a caption, at a width of 900 pixels."""
FAINTEST: Final = 30
"""Mean brightness below which a picture without markers is called dark."""


@dataclass(frozen=True, slots=True)
class RigFinding:
    """One thing that was looked at: what was found, and what to do if it is not good.

    `stops`: the rig cannot be calibrated unless it is good.
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
        return self.tray is not None and not any(f.stops and not f.good for f in self.all)


def look_at_rig(frame: Image, lens: Lens | None = None) -> Findings:
    """Looks at a picture of the empty tray (uint8, H×W×3 BGR) through a lens, if that was calibrated."""
    markers = find_markers(frame)
    missing = [number for number in IDS if number not in markers]
    tray = learn(markers, lens)
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
    for corners, paper in zip(tray.layout.values(), tray.papers, strict=True):
        x, y = tray.pixels(0.8 * corners.mean(axis=0)[None])[0].astype(int).tolist()
        beside = frame[max(0, y - 4) : y + 5, max(0, x - 4) : x + 5].reshape(-1, 3)
        felt = np.median(beside, axis=0).tolist() if len(beside) else [0.0, 0.0, 0.0]
        cv2.fillConvexPoly(unmarked, cv2.convexHull(np.rint(paper).astype(np.int32)), felt)
    reader = DiceReader()
    objects = find_foreground(difference(unmarked))
    dice = [die.box for die in reader.read(frame).dice if die.sure]
    return (*objects, *(box for box in dice if not any(iou(box, item) > 0 for item in objects)))


def picture(findings: Findings) -> Image:
    shown = findings.frame.copy()
    unit, tray = unit_of(shown), findings.tray
    if tray is not None:
        draw_grid(shown, tray)
    draw_markers(shown, findings.frame, tray)
    for x, y, w, h in findings.things:
        cv2.rectangle(shown, (x, y), (x + w, y + h), BAD, 2 * unit)
    high = 24 * unit
    strip = np.full((high * len(findings.all) + high // 2, shown.shape[1], 3), 24, np.uint8)
    for number, finding in enumerate(findings.all):
        text = f"{finding.name}: {finding.text}" + (f" - {finding.remedy}" if finding.remedy else "")
        place, colour = (10 * unit, high * (number + 1)), GOOD if finding.good else BAD
        cv2.putText(strip, text, place, FONT, 0.5 * unit, colour, unit, cv2.LINE_AA)
    return np.concatenate([shown, strip])


def unit_of(shown: Image) -> int:
    """The thickness of thin lines in a picture of this size, in pixels."""
    width: int = shown.shape[1]
    return max(1, round(width / 900))


def draw_markers(shown: Image, frame: Image, tray: Tray | None) -> None:
    """Draws each marker's square and number: those of the tray, or in red those seen in the frame."""
    unit = unit_of(shown)
    markers, colour = (find_markers(frame), BAD) if tray is None else (tray.markers, GOOD)
    for number, corners in markers.items():
        points = np.rint(corners).astype(np.int32)
        cv2.polylines(shown, [points], isClosed=True, color=colour, thickness=2 * unit, lineType=cv2.LINE_AA)
        place = (int(points[:, 0].min()), int(points[:, 1].min()) - 4 * unit)
        cv2.putText(shown, str(number), place, FONT, 0.6 * unit, colour, 2 * unit, cv2.LINE_AA)


def draw_grid(shown: Image, tray: Tray) -> None:
    """Draws a faint line every GRID_MM, between the markers."""
    hull = np.concatenate(list(tray.layout.values()))
    (left, near), (right, far) = hull.min(axis=0), hull.max(axis=0)
    across = [((x, near), (x, far)) for x in range(-int(-left // GRID_MM) * GRID_MM, int(right) + 1, GRID_MM)]
    deep = [((left, y), (right, y)) for y in range(-int(-near // GRID_MM) * GRID_MM, int(far) + 1, GRID_MM)]
    for ends in (*across, *deep):
        (x0, y0), (x1, y1) = np.rint(tray.pixels(np.array(ends, np.float64))).astype(int).tolist()
        cv2.line(shown, (x0, y0), (x1, y1), FAINT, 1, cv2.LINE_AA)


def drawn(frame: Image, tray: Tray | None, reading: Reading | None, *, grid: bool) -> Image:
    """A copy of the frame (uint8, H×W×3 BGR) with dice, markers and grid drawn in."""
    shown = annotate(frame, reading) if reading is not None else frame.copy()
    unit = unit_of(shown)
    if tray is not None and grid:
        draw_grid(shown, tray)
    draw_markers(shown, frame, tray)
    if tray is None:
        return shown
    taken: list[Box] = []
    for die in sorted(reading.dice, key=lambda die: die.box[1] + die.box[3]) if reading is not None else ():
        if die.position_mm is None:
            continue
        x, y, _, h = die.box
        across, deep = die.position_mm
        text = f"{across:+.0f} {deep:+.0f} mm" + (f" {die.tilt_deg:.0f} deg" if die.tilt_deg else "")
        (wide, _), _ = cv2.getTextSize(text, FONT, 1.3 * SIZE * unit, unit)
        taken.append(free_place((x, y + h, wide, LINE_PX * unit), taken))
        left, top, _, tall = taken[-1]
        place = (left, top + tall - 3 * unit)
        for colour, width in (((20, 20, 20), 4 * unit), (TEXT, unit)):
            cv2.putText(shown, text, place, FONT, 1.3 * SIZE * unit, colour, width, cv2.LINE_AA)
    return shown


def free_place(box: Box, taken: Sequence[Box]) -> Box:
    """The box (left, top, width, height), moved down until it overlaps none of those that are taken."""
    left, top, wide, tall = box
    for x, y, w, h in sorted(taken, key=lambda part: part[1]):
        if x < left + wide and left < x + w and y < top + tall and top < y + h:
            top = y + h
    return left, top, wide, tall


def meters(frame: Image, tray: Tray | None) -> dict[str, Any]:
    """How sharp and how bright the picture is: meters, each with its needle and whether it is good."""
    if tray is None:
        in_view = find_markers(frame)
        missing = [number for number in IDS if number not in in_view]
        brightness = float(frame[::8, ::8].mean())
        text, bright = texts.operator.brightness(brightness), brightness >= FAINTEST
        light = meter("light", brightness, 255, text, good=bright)
        markers = texts.rig.markers_missing(missing) if missing else texts.operator.MARKERS_SEEN
        return {"meters": [light], "markers": markers}
    rig = check_rig(frame, tray)
    good = {finding.name: finding.good for finding in judged(rig)}
    blur = min(max(rig.edge_mm.values()), 9.0)
    darkest, brightest = min(rig.white.values()), max(rig.white.values())
    lit = texts.rig.light(darkest, brightest, min(rig.contrast.values()))
    return {
        "meters": [
            meter("focus", blur, 2 * MOST_EDGE_MM, texts.rig.blur(blur), good=good["focus"]),
            meter("light", brightest, 255, lit, good=good["light"]),
            meter("glare", rig.burnt, 4 * MOST_BURNT, texts.rig.glare(rig.burnt), good=good["glare"]),
            meter(
                "size", rig.px_per_mm, 4 * LEAST_PX_PER_MM, texts.rig.size(rig.px_per_mm), good=good["camera"]
            ),
        ],
        "markers": texts.operator.MARKERS_SEEN,
    }


def meter(name: str, value: float, most: float, text: str, *, good: bool) -> dict[str, Any]:
    """One meter, with the position of its needle from 0 to 1."""
    part = min(1.0, max(0.0, value / most))
    label = texts.operator.METERS[name]
    return {"name": name, "label": label, "part": round(part, 3), "text": text, "good": good}


def explained(reading: Reading, shape: tuple[int, ...]) -> list[dict[str, Any]]:
    """Each die: where it is (parts of the frame), what was read, how sure, and why not."""
    height, width = shape[:2]
    return [
        {
            "kind": die.kind,
            "value": die.value,
            "confidence": round(die.confidence, 4),
            "sure": die.sure,
            "doubt": die.doubt.value if die.doubt else None,
            "why": texts.throws.DOUBTS[die.doubt.value] if die.doubt else texts.operator.SURE,
            "position_mm": [round(mm, 1) for mm in die.position_mm] if die.position_mm else None,
            "tilt_deg": round(die.tilt_deg, 1) if die.tilt_deg is not None else None,
            "box": [
                round(px / side, 5) for px, side in zip(die.box, (width, height, width, height), strict=True)
            ],
        }
        for die in reading.dice
    ]
