"""Draws what the eye knows onto a frame, for the operator: dice, doubts, millimetres, markers and a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from dicetable import texts
from dicetable.calibration.rig_findings import (
    BAD,
    GOOD,
    GRID_MM,
    LEAST_CONTRAST,
    LEAST_PX_PER_MM,
    MOST_BURNT,
    MOST_EDGE_MM,
    WHITE,
    line,
    outline,
)
from vision.annotate import FONT, SIZE, annotate
from vision.tray.markers import IDS, find_markers
from vision.tray.pose import check_rig

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.reading import Box, Image, Reading
    from vision.tray.pose import Tray

TEXT: Final = (235, 235, 235)
LINE_PX: Final = 18
"""Height of a caption, at a width of 900 pixels."""
FAINTEST: Final = 30
"""Mean brightness below which a picture without markers is called dark."""


def drawn(frame: Image, tray: Tray | None, reading: Reading | None, *, grid: bool) -> Image:
    """A copy of the frame (uint8, H×W×3 BGR) with dice, markers and grid drawn in."""
    shown = annotate(frame, reading) if reading is not None else frame.copy()
    unit = max(1, round(shown.shape[1] / 900))
    if tray is None:
        for number, corners in find_markers(frame).items():
            outline(shown, corners, str(number), BAD, unit)
        return shown
    if grid:
        draw_grid(shown, tray)
    for number, corners in tray.markers.items():
        outline(shown, corners, str(number), GOOD, unit)
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
        at = (left, top + tall - 3 * unit)
        for colour, width in (((20, 20, 20), 4 * unit), (TEXT, unit)):
            cv2.putText(shown, text, at, FONT, 1.3 * SIZE * unit, colour, width, cv2.LINE_AA)
    return shown


def free_place(box: Box, taken: Sequence[Box]) -> Box:
    """The box (left, top, width, height), moved down until it overlaps none of those that are taken."""
    left, top, wide, tall = box
    for x, y, w, h in sorted(taken, key=lambda each: each[1]):
        if x < left + wide and left < x + w and y < top + tall and top < y + h:
            top = y + h
    return left, top, wide, tall


def draw_grid(shown: Image, tray: Tray) -> None:
    """Draws a line every GRID_MM, between the markers."""
    hull = np.concatenate(list(tray.layout.values()))
    (left, near), (right, far) = hull.min(axis=0), hull.max(axis=0)
    for x in range(-int(-left // GRID_MM) * GRID_MM, int(right) + 1, GRID_MM):
        line(shown, tray.pixels(np.array([[x, near], [x, far]], np.float64)))
    for y in range(-int(-near // GRID_MM) * GRID_MM, int(far) + 1, GRID_MM):
        line(shown, tray.pixels(np.array([[left, y], [right, y]], np.float64)))


def meters(frame: Image, tray: Tray | None) -> dict[str, Any]:
    """How sharp and how bright the picture is: meters, each with its needle and whether it is good."""
    if tray is None:
        seen = find_markers(frame)
        missing = [number for number in IDS if number not in seen]
        brightness = float(frame[::8, ::8].mean())
        light = meter("light", brightness, 0, 255, texts.operator.brightness(brightness))
        light["good"] = brightness >= FAINTEST
        markers = texts.rig.markers_missing(missing) if missing else texts.operator.MARKERS_SEEN
        return {"meters": [light], "markers": markers}
    rig = check_rig(frame, tray)
    blur = min(max(rig.edge_mm.values()), 9.0)
    darkest, brightest = min(rig.white.values()), max(rig.white.values())
    contrast = min(rig.contrast.values())
    focus = meter("focus", blur, 0, 2 * MOST_EDGE_MM, texts.rig.blur(blur))
    focus["good"] = blur <= MOST_EDGE_MM
    light = meter("light", brightest, 0, 255, texts.rig.light(darkest, brightest, contrast))
    light["good"] = WHITE[0] <= darkest and brightest <= WHITE[1] and contrast >= LEAST_CONTRAST
    glare = meter("glare", rig.burnt, 0, 4 * MOST_BURNT, texts.rig.glare(rig.burnt))
    glare["good"] = rig.burnt <= MOST_BURNT
    near = meter("size", rig.px_per_mm, 0, 4 * LEAST_PX_PER_MM, texts.rig.size(rig.px_per_mm))
    near["good"] = rig.px_per_mm >= LEAST_PX_PER_MM
    return {"meters": [focus, light, glare, near], "markers": texts.operator.MARKERS_SEEN}


def meter(name: str, value: float, least: float, most: float, text: str) -> dict[str, Any]:
    """One meter: the position of its needle, from 0 to 1, and its text."""
    part = min(1.0, max(0.0, (value - least) / (most - least)))
    return {"name": name, "label": texts.operator.METERS[name], "part": round(part, 3), "text": text}


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
            "why": texts.doubts.WORDS[die.doubt.value] if die.doubt else texts.operator.SURE,
            "position_mm": [round(each, 1) for each in die.position_mm] if die.position_mm else None,
            "tilt_deg": round(die.tilt_deg, 1) if die.tilt_deg is not None else None,
            "box": [
                round(die.box[0] / width, 5),
                round(die.box[1] / height, 5),
                round(die.box[2] / width, 5),
                round(die.box[3] / height, 5),
            ],
        }
        for die in reading.dice
    ]
