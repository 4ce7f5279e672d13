"""The simulated tray: felt in a wooden rim on a bar top, with a printed marker flat in each corner.

The tray's floor is z = 0, its middle the origin; x goes right, y away from the player, z up, in millimetres.
"""

import cv2
import numpy as np
from numpy.random import Generator

from hardware.ports import Pixels
from hardware.simulated.die import Floats
from hardware.simulated.hand_sprite import SKIN
from hardware.simulated.picture import HEIGHT, WIDTH, Projection

TRAY_MM = (250.0, 140.0)
"""Width and depth of the floor, inside the rim."""
RIM_MM = 13.0
"""Width of the rim's upper side."""
RIM_HIGH_MM = 14.0
MARKER_DICTIONARY = cv2.aruco.DICT_4X4_50
MARKER_MM = 16.0
"""Side of a marker's black square."""
MARKER_PAPER_MM = 20.0
"""Side of the white paper around it."""
MARKERS_MM = {0: (-113.0, 58.0), 1: (113.0, 58.0), 2: (113.0, -58.0), 3: (-113.0, -58.0)}
"""Centre of each marker by its id: from the far left clockwise, all upright for the player."""

LIKE_SKIN_DEG = 8.0
"""Angle between two colours, as vectors, up to which shading makes the one like the other."""

PX_PER_MM = 5.0
SHEET_MM = (380.0, 250.0)
"""Size of the bar top that is drawn, larger than any camera sees."""


class SimulatedTray:
    """The tray with nothing in it, drawn flat once and then projected."""

    def __init__(self, rng: Generator) -> None:
        felt = rng.uniform(25, 150, 3)
        while like_skin(felt):
            felt = rng.uniform(25, 150, 3)
        self.felt = felt
        wood = np.array([40, 75, 125]) * rng.uniform(0.5, 1.5)
        self.wall = tuple((wood * 0.55).tolist())
        self.floor = sheet()
        self.floor[:] = grained(rng, wood * rng.uniform(0.35, 0.8), along=True)
        x0, y0, x1, y1 = on_sheet(-TRAY_MM[0] / 2, TRAY_MM[1] / 2, TRAY_MM[0] / 2, -TRAY_MM[1] / 2)
        self.floor[y0:y1, x0:x1] = grained(rng, felt, along=False)[y0:y1, x0:x1]
        for number, at_mm in MARKERS_MM.items():
            lay_marker(self.floor, number, at_mm)
        self.floor = falling_light(rng, self.floor)
        self.rim = grained(rng, wood, along=True)

    def picture(self, view: Projection) -> Pixels:
        picture = warp(self.floor, view, 0.0)
        self.draw_walls(picture, view)
        ring = np.zeros(self.rim.shape[:2], np.uint8)
        outer = np.array(TRAY_MM) / 2 + RIM_MM
        for (half_x, half_y), value in ((outer, 255), (np.array(TRAY_MM) / 2, 0)):
            x0, y0, x1, y1 = on_sheet(-half_x, half_y, half_x, -half_y)
            ring[y0:y1, x0:x1] = value
        cover = warp(ring, view, RIM_HIGH_MM).astype(np.float32) / 255
        rim = warp(self.rim, view, RIM_HIGH_MM)
        return np.asarray(cv2.blendLinear(rim, picture, cover, 1 - cover), np.uint8)

    def draw_walls(self, picture: Pixels, view: Projection) -> None:
        """The insides of the rim, darker than its top, and the soft dark line where they meet the floor."""
        x, y = np.array(TRAY_MM) / 2
        ring = np.array([[-x, -y], [x, -y], [x, y], [-x, y]])
        low, high = (np.pad(ring, ((0, 0), (0, 1)), constant_values=z) for z in (0.0, RIM_HIGH_MM))
        foot = view.project(low).round().astype(np.int32)
        shade = np.zeros(picture.shape[:2], np.uint8)
        cv2.polylines(shade, [foot], isClosed=True, color=255, thickness=14)
        soft = cv2.GaussianBlur(shade, (0, 0), 7)
        picture[:] = cv2.multiply(picture, cv2.cvtColor(255 - soft // 3, cv2.COLOR_GRAY2BGR), scale=1 / 255)
        for i in range(4):
            j = (i + 1) % 4
            wall = view.project(np.array([low[i], low[j], high[j], high[i]]))
            cv2.fillConvexPoly(picture, wall.round().astype(np.int32), self.wall, cv2.LINE_AA)


def like_skin(felt: Floats) -> bool:
    """Whether a felt (BGR) is as a hand may look. The guide for builders advises against such felts."""
    along = float(felt @ SKIN) / float(np.linalg.norm(felt) * np.linalg.norm(SKIN))
    return bool(along > np.cos(np.radians(LIKE_SKIN_DEG)))


def sheet() -> Pixels:
    return np.zeros((round(SHEET_MM[1] * PX_PER_MM), round(SHEET_MM[0] * PX_PER_MM), 3), np.uint8)


def on_sheet(left_mm: float, top_mm: float, right_mm: float, bottom_mm: float) -> tuple[int, int, int, int]:
    x0, x1 = (round((x + SHEET_MM[0] / 2) * PX_PER_MM) for x in (left_mm, right_mm))
    y0, y1 = (round((SHEET_MM[1] / 2 - y) * PX_PER_MM) for y in (top_mm, bottom_mm))
    return x0, y0, x1, y1


def warp(flat: Pixels, view: Projection, height_mm: float) -> Pixels:
    onto_sheet = np.array(
        [
            [PX_PER_MM, 0, SHEET_MM[0] / 2 * PX_PER_MM - 0.5],
            [0, -PX_PER_MM, SHEET_MM[1] / 2 * PX_PER_MM - 0.5],
            [0, 0, 1],
        ]
    )
    back = onto_sheet @ np.linalg.inv(view.plane(height_mm))
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpPerspective(flat, back, (WIDTH, HEIGHT), flags=flags), np.uint8)


def grained(rng: Generator, colour: Floats, *, along: bool) -> Pixels:
    """A sheet of one material: felt with a fine grain, or wood with lines `along` its width."""
    tall, wide = sheet().shape[:2]
    rough = rng.standard_normal((tall, wide // 40 if along else wide), np.float32)
    stretched = cv2.resize(rough, (wide, tall), interpolation=cv2.INTER_CUBIC)
    grain = cv2.GaussianBlur(stretched, (0, 0), 1.5 if along else 0.9) * (2.5 if along else 3.0)
    coarse = cv2.resize(rng.standard_normal((8, 12), np.float32), (wide, tall), interpolation=cv2.INTER_CUBIC)
    strength = float(rng.uniform(0.02, 0.05))
    light = np.asarray(1 + strength * grain + 0.02 * coarse, np.float32)
    return np.asarray(
        cv2.merge([cv2.convertScaleAbs(light, alpha=part) for part in colour.tolist()]), np.uint8
    )


def lay_marker(floor: Pixels, number: int, at_mm: tuple[float, float]) -> None:
    half = MARKER_PAPER_MM / 2
    x0, y0, x1, y1 = on_sheet(at_mm[0] - half, at_mm[1] + half, at_mm[0] + half, at_mm[1] - half)
    floor[y0:y1, x0:x1] = (222, 228, 230)
    side = round(MARKER_MM * PX_PER_MM)
    dictionary = cv2.aruco.getPredefinedDictionary(MARKER_DICTIONARY)
    black = cv2.aruco.generateImageMarker(dictionary, number, side)
    left, top = x0 + (x1 - x0 - side) // 2, y0 + (y1 - y0 - side) // 2
    floor[top : top + side, left : left + side] = (25 + black.astype(int) * 200 // 255)[..., None]


def falling_light(rng: Generator, flat: Pixels) -> Pixels:
    """The sheet under a lamp that is brighter on one side."""
    tall, wide = flat.shape[:2]
    xs, ys = np.linspace(-1, 1, wide), np.linspace(-1, 1, tall)[:, None]
    middle = rng.uniform(-0.5, 0.5, 2)
    fall = 1.05 - float(rng.uniform(0.1, 0.3)) * ((xs - middle[0]) ** 2 + (ys - middle[1]) ** 2)
    level = cv2.convertScaleAbs(fall, alpha=200)
    return np.asarray(cv2.multiply(flat, cv2.cvtColor(level, cv2.COLOR_GRAY2BGR), scale=1 / 200), np.uint8)
