"""Short clips of a tray, drawn frame by frame: rolling and rocking dice, hands, changing light, markers.

Cheap on purpose: hundreds of clips are watched in one test. Dice are the solids of games/dice.py with
strokes for numerals; what matters is how pixels move. A clip knows when it is busy, which is the truth that
watchers are judged by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from games.dice import SOLIDS, Kind

if TYPE_CHECKING:
    from vision.reading import Image

Floats: TypeAlias = npt.NDArray[np.float64]
Pose: TypeAlias = tuple[Floats, Floats]
"""Where the die's middle is over the tray (x, y, mm) and its 3×3 turn; its lowest corner is on the floor."""
Motion: TypeAlias = Callable[[float], Pose]

FPS = 30
SEEN_MM = 310.0
"""Width of the tray that the frame spans."""
FELT_MM = 0.2
"""A die that is farther than this from where it will lie still moves."""
STROKES = [((-1, -2), (1, -2)), ((1, -2), (1, 0)), ((1, 0), (-1, 0)), ((-1, 0), (-1, 2)), ((-1, 2), (1, 2))]
"""A numeral, roughly."""
MARKER_MM = 16.0
MARKERS_AT: tuple[tuple[float, float], ...] = ((-132.0, 70.0), (132.0, 70.0), (132.0, -70.0), (-132.0, -70.0))


@dataclass
class View:
    """A camera over the tray: frame size, height and tilt (radians), and a shift (mm) once it is bumped."""

    width: int = 640
    height: int = 360
    height_mm: float = 420.0
    tilt: float = 0.06
    aside: float = -0.04
    shift_mm: tuple[float, float] = (0.0, 0.0)
    roll: float = 0.0

    def project(self, points: Floats) -> Floats:
        """Pixels, N×2, of points over the tray, N×3 mm (x right, y away from the player, z up)."""
        c, s = np.cos(self.tilt), np.sin(self.tilt)
        a, b = np.cos(self.aside), np.sin(self.aside)
        e, f = np.cos(self.roll), np.sin(self.roll)
        turned = np.array([[e, f, 0], [-f, e, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        turned = turned @ np.array([[a, 0, -b], [0, 1, 0], [b, 0, a]])
        seen = (points - [*self.shift_mm, 0.0]) @ turned.T
        focal = self.width / SEEN_MM * self.height_mm
        flat = seen[:, :2] * (focal / (self.height_mm - seen[:, 2]))[:, None]
        return np.stack([self.width / 2 + flat[:, 0], self.height / 2 - flat[:, 1]], axis=1)


@dataclass
class Die:
    """A die and how it moves."""

    kind: Kind
    scale: float
    body: tuple[float, float, float]
    mark: tuple[float, float, float]
    motion: Motion

    def corners(self, time_s: float) -> Floats:
        """Its corners over the tray, N×3 mm."""
        at, turn = self.motion(time_s)
        points = np.array(SOLIDS[self.kind][0].vertices_mm) * self.scale @ turn.T
        return np.asarray(points + np.array([at[0], at[1], -points[:, 2].min()]))


@dataclass
class Hand:
    """An arm from beyond the frame: `reach(t)` is where its fingers are in mm, None while it is away."""

    reach: Callable[[float], Floats | None]
    comes_from: Floats
    skin: tuple[float, float, float]
    sleeve: tuple[float, float, float]
    fingers: bool = True


@dataclass
class Clip:
    """What happens in so many seconds; `busy` are the times from … to within which nothing may be read."""

    name: str
    floor: Image
    view: View
    dice: list[Die]
    seconds: float
    busy: list[tuple[float, float]]
    rng: np.random.Generator
    hand: Hand | None = None
    light: Callable[[float], float] = lambda _: 1.0
    bands: Callable[[float], Floats | None] = lambda _: None
    noise: float = 2.0
    jpeg: int | None = None
    views: Callable[[float], View] | None = None
    lamp: Floats = field(default_factory=lambda: np.array([0.4, 0.3, 0.87]))
    cover: Sequence[int] = ()
    lain: tuple[Image, View, list[bytes], Image] | None = field(default=None, init=False, repr=False)
    """The floor, the view and the poses of the dice when they were drawn last, and the drawing."""

    def frames(self) -> Iterator[tuple[Image, float]]:
        """Each frame with its time."""
        noise = grain(self.noise, self.floor.shape[:2])
        for number in range(int(self.seconds * FPS)):
            yield self.frame(number / FPS, noise), number / FPS

    def frame(self, time_s: float, noise: Sequence[npt.NDArray[np.int16]]) -> Image:
        """The picture at that time."""
        view = self.view if self.views is None else self.views(time_s)
        canvas = self.with_dice(view, time_s).copy()
        if self.hand is not None and (tip := self.hand.reach(time_s)) is not None:
            draw_hand(canvas, view, self.hand, tip)
        gain = self.light(time_s)
        rows = self.bands(time_s)
        lit: npt.NDArray[np.generic] = canvas
        if rows is not None:
            lit = np.clip(canvas * (gain * rows)[:, None, None], 0, 255).astype(np.uint8)
        elif gain != 1.0:
            lit = cv2.convertScaleAbs(canvas, alpha=gain)
        rolled = np.roll(
            noise[int(self.rng.integers(len(noise)))], int(self.rng.integers(canvas.shape[0])), axis=0
        )
        picture = np.asarray(cv2.add(np.asarray(lit, np.uint8), rolled, dtype=cv2.CV_8U), np.uint8)
        if self.jpeg is None:
            return picture
        _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, self.jpeg])
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)

    def with_dice(self, view: View, time_s: float) -> Image:
        """The floor and its dice at that time, drawn again only if one of them moves."""
        poses = [np.concatenate([part.ravel() for part in die.motion(time_s)]).tobytes() for die in self.dice]
        if self.lain is None or self.lain[0] is not self.floor or self.lain[1:3] != (view, poses):
            canvas = self.floor.copy() if view is self.view else moved(self.floor, self.view, view)
            for die in self.dice:
                shadow(canvas, view, die.corners(time_s), self.lamp)
            for die in self.dice:
                draw_die(canvas, view, die, time_s, self.lamp)
            self.lain = self.floor, replace(view), poses, canvas
        return self.lain[3]


@cache
def grain(sigma: float, shape: tuple[int, int]) -> list[npt.NDArray[np.int16]]:
    """Three layers of a camera's noise, which each clip shifts by chance."""
    rng = np.random.default_rng(0)
    return [np.asarray(np.rint(rng.normal(0, sigma, (*shape, 3))), np.int16) for _ in range(3)]


def moved(floor: Image, before: View, after: View) -> Image:
    """The floor as a camera sees it that was bumped."""
    square = np.array([[-140.0, -75, 0], [140, -75, 0], [140, 75, 0], [-140, 75, 0]])
    matrix = cv2.getPerspectiveTransform(
        before.project(square).astype(np.float32), after.project(square).astype(np.float32)
    )
    size = (floor.shape[1], floor.shape[0])
    return np.asarray(cv2.warpPerspective(floor, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def points(array: Floats) -> npt.NDArray[np.int32]:
    """As OpenCV draws with sixteenths of pixels."""
    return np.rint(array * 16).astype(np.int32)


def shadow(canvas: Image, view: View, corners: Floats, lamp: Floats) -> None:
    """The die's shadow on the floor, a third darker."""
    down = corners.copy()
    down[:, :2] -= lamp[:2] / lamp[2] * down[:, 2:]
    down[:, 2] = 0
    hull = np.asarray(cv2.convexHull(view.project(down).astype(np.float32)), np.float64)[:, 0]
    x0, y0 = np.maximum(np.floor(hull.min(axis=0)).astype(int), 0)
    x1, y1 = np.ceil(hull.max(axis=0)).astype(int) + 1
    patch = canvas[y0:y1, x0:x1]
    if patch.size:
        dark = np.full(patch.shape[:2], 255, np.uint8)
        cv2.fillConvexPoly(dark, points(hull - [x0, y0]), 170, cv2.LINE_AA, 4)
        patch[:] = cv2.multiply(patch, cv2.cvtColor(dark, cv2.COLOR_GRAY2BGR), scale=1 / 255)


def draw_die(canvas: Image, view: View, die: Die, time_s: float, lamp: Floats) -> None:
    """Its visible faces, each with the strokes of a numeral."""
    _, turn = die.motion(time_s)
    corners = die.corners(time_s)
    middle = corners.mean(axis=0)
    eye = np.array([view.tilt * -30 + view.shift_mm[0], view.shift_mm[1], view.height_mm])
    for face in SOLIDS[die.kind][0].faces:
        normal = turn @ np.array(face.normal)
        outline = corners[list(face.corners)]
        if normal @ (eye - outline.mean(axis=0)) <= 0:
            continue
        lit = 0.55 + 0.45 * max(0.0, float(normal @ lamp))
        colour = tuple(channel * lit for channel in die.body)
        cv2.fillConvexPoly(canvas, points(view.project(outline)), colour, cv2.LINE_AA, 4)
        for symbol in face.symbols:
            up = turn @ np.array(symbol.up)
            right = np.cross(up, normal)
            at = middle + turn @ np.array(symbol.centre) * die.scale
            size = 0.9 * die.scale * (0.6 if die.kind in ("d4", "d20") else 1.0)
            ends = np.array([[at + size * (x * right - y * up) for x, y in stroke] for stroke in STROKES])
            pixels = points(view.project(ends.reshape(-1, 3))).reshape(-1, 2, 2)
            shade = tuple(channel * lit for channel in die.mark)
            for start, end in pixels.tolist():
                cv2.line(canvas, start, end, shade, max(1, round(view.width / 500)), cv2.LINE_AA, 4)


def draw_hand(canvas: Image, view: View, hand: Hand, tip: Floats) -> None:
    """A forearm in a sleeve and a hand with fingers, 25 mm over the tray."""
    away = hand.comes_from - tip
    along = away / np.linalg.norm(away)
    across = np.array([-along[1], along[0]])
    scale = view.width / SEEN_MM

    def pixel(spot: Floats) -> tuple[int, int]:
        x, y = np.rint(view.project(np.array([[spot[0], spot[1], 25.0]]))[0]).astype(int)
        return int(x), int(y)

    cuff = tip + (70 if hand.fingers else 31) * along
    cv2.line(canvas, pixel(cuff), pixel(hand.comes_from), hand.sleeve, round(62 * scale))
    if hand.fingers:
        cv2.line(canvas, pixel(tip + 35 * along), pixel(tip + 75 * along), hand.skin, round(55 * scale))
        for finger in range(4):
            knuckle = tip + 30 * along + across * (finger - 1.5) * 16
            end = tip + across * (finger - 1.5) * 18 + along * abs(finger - 1.5) * 6
            cv2.line(canvas, pixel(knuckle), pixel(end), hand.skin, round(13 * scale))


def cloth(rng: np.random.Generator, view: View, marked: bool = True) -> Image:
    """An empty tray: one colour, grain, uneven light, sometimes stripes; with the four markers."""
    high, wide = view.height, view.width
    colour = rng.uniform(25, 200, 3)
    grain = cv2.GaussianBlur(rng.normal(0, rng.uniform(2, 12), (high, wide)), (0, 0), 0.8)
    coarse = cv2.resize(rng.normal(0, 4, (9, 16)), (wide, high), interpolation=cv2.INTER_CUBIC)
    ys, xs = np.mgrid[-1 : 1 : high * 1j, -1 : 1 : wide * 1j]
    level = grain + coarse + (rng.uniform(5, 25) * np.sign(np.sin(xs * 40)) if rng.random() < 0.2 else 0)
    fall = 1 - rng.uniform(0.05, 0.3) * (xs**2 + ys**2) / 2
    floor = np.asarray(np.clip((colour + level[..., None]) * fall[..., None], 0, 255), np.uint8)
    if marked:
        for number, at in enumerate(MARKERS_AT):
            lay_marker(floor, view, number, at)
    return floor


def lay_marker(floor: Image, view: View, number: int, at: tuple[float, float]) -> None:
    """A marker, printed with its white border, on the floor."""
    side = 240
    paper = np.full((side * 5 // 4,) * 2, 235, np.uint8)
    edge = (len(paper) - side) // 2
    words = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    printed = cv2.aruco.generateImageMarker(words, number, side, borderBits=1)
    paper[edge : edge + side, edge : edge + side] = np.asarray(printed) // 255 * 205 + 30
    half = MARKER_MM * len(paper) / side / 2
    x, y = at
    corners = np.array(
        [[x - half, y + half, 0], [x + half, y + half, 0], [x + half, y - half, 0], [x - half, y - half, 0]]
    )
    n = len(paper)
    square = np.array([[0, 0], [n, 0], [n, n], [0, n]], np.float32) - 0.5
    seen = view.project(corners)
    x0, y0 = np.clip(np.floor(seen.min(axis=0)).astype(int) - 2, 0, (floor.shape[1] - 1, floor.shape[0] - 1))
    x1, y1 = np.clip(np.ceil(seen.max(axis=0)).astype(int) + 2, 1, (floor.shape[1], floor.shape[0]))
    patch, size = floor[y0:y1, x0:x1], (int(x1 - x0), int(y1 - y0))
    # Drawn at four times the size: a marker's cells are few pixels wide.
    big = np.diag([4.0, 4.0, 1.0]) @ cv2.getPerspectiveTransform(
        square, (seen - [x0, y0] - 0.5).astype(np.float32)
    )
    large = cv2.warpPerspective(paper, big, (size[0] * 4, size[1] * 4), flags=cv2.INTER_LINEAR)
    where = cv2.warpPerspective(np.full_like(paper, 255), big, (size[0] * 4, size[1] * 4))
    picture = cv2.resize(large, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    cover = cv2.resize(where, size, interpolation=cv2.INTER_AREA).astype(np.float32)[..., None] / 255
    patch[:] = np.rint(patch * (1 - cover) + picture[..., None]).astype(np.uint8)


def about(axis: Floats, angle: float) -> Floats:
    """The turn by so many radians about an axis."""
    return np.asarray(cv2.Rodrigues(axis / np.linalg.norm(axis) * angle)[0])


def lying(rng: np.random.Generator, kind: Kind) -> Floats:
    """A turn in which one of the die's faces lies on the floor."""
    faces = SOLIDS[kind][0].faces
    down = np.array(faces[int(rng.integers(len(faces)))].normal)
    target = np.array([0.0, 0.0, -1.0])
    axis, cosine = np.cross(down, target), float(down @ target)
    flat = about(np.array([1.0, 0, 0]), np.pi) if cosine < -0.999 else np.eye(3)
    if abs(cosine) < 0.999:
        flat = about(axis, float(np.arccos(cosine)))
    return about(np.array([0.0, 0, 1]), float(rng.uniform(0, 2 * np.pi))) @ flat


def at_rest(at: Floats, turn: Floats) -> Motion:
    """Lies there."""
    return lambda _: (at, turn)


def rolling(at: Floats, turn: Floats, way: Floats, starts: float, lasts: float, far: float) -> Motion:
    """Is away before, rolls in over `far` mm, slower and slower, and comes to rest."""
    axis = np.array([-way[1], way[0], 0.0])

    def pose(time_s: float) -> Pose:
        if time_s < starts:
            return np.array([9e3, 9e3]), turn
        left = far * max(0.0, 1 - (time_s - starts) / lasts) ** 2
        return at - way * left, about(axis, -left / 9.0) @ turn

    return pose


def rocking(
    before: Motion, way: Floats, starts: float, lasts: float, hertz: float, degrees: float, dies_away: float
) -> Motion:
    """Sways on its lowest edge from `starts` on; what is left of it stops after `lasts` seconds."""

    def pose(time_s: float) -> Pose:
        at, turn = before(time_s)
        since = time_s - starts
        if not 0 < since < lasts:
            return at, turn
        swing = np.deg2rad(degrees) * np.exp(-since / dies_away) * np.sin(2 * np.pi * hertz * since)
        return at, about(np.array([way[0], way[1], 0.0]), float(swing)) @ turn

    return pose


def nudged(before: Motion, by: Floats, turn_by: float, starts: float, lasts: float) -> Motion:
    """Is pushed along and turned a little from `starts` on."""

    def pose(time_s: float) -> Pose:
        at, turn = before(time_s)
        part = float(np.clip((time_s - starts) / lasts, 0, 1))
        eased = part * part * (3 - 2 * part)
        return at + by * eased, about(np.array([0.0, 0, 1]), turn_by * eased) @ turn

    return pose


def moves_until(dice: Sequence[Die], start: float, end: float) -> float:
    """The last time in the span at which a corner of a die is farther than FELT_MM from where it ends up."""
    last = start
    for die in dice:
        final = die.corners(end)
        for time_s in np.arange(start, end, 1 / 240):
            if time_s > last and np.linalg.norm(die.corners(float(time_s)) - final, axis=1).max() > FELT_MM:
                last = float(time_s)
    return last
