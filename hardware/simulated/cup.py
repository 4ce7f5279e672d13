"""A leather cup upside down on the simulated tray, with hidden dice under it."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator

from hardware.simulated.die import Die, Floats, Lying, any_turn, on_table, settled, turn_showing
from hardware.simulated.hand import COMING_S, Visit, over
from hardware.simulated.picture import DrawnObject, Layer, Light, Projection, shadow
from hardware.simulated.places import outline, overlap

RIM_MM, TOP_MM, TALL_MM = 40.0, 32.0, 80.0
"""Radii below and above, and the height."""
ROOM_MM = 37.5
"""Radius of the floor under the cup."""
FULL = 0.65
"""Largest fraction of that floor that dice may take up."""
PLACES_MM = ((0.0, 0.0), (-82.0, 0.0), (82.0, 0.0))
"""Positions of cups, in order of use."""
GRIP_MM = 25.0
STAY_S = 0.15
"""How long the hand stays at the cup."""
LIFTED_MM = 45.0
SIDES = 28
SHAKES = 200
TRIES = 30
SHIFT = 4


@dataclass
class Cup:
    """A cup that is on the tray from `start_s` and lifted at `lift_s`."""

    place_mm: tuple[float, float]
    start_s: float
    dice: Sequence[Lying]
    lift_s: float = float("inf")

    @property
    def setting(self) -> Visit:
        return over(self.start_s, self.grip_mm, STAY_S, TALL_MM)

    @property
    def lifting(self) -> Visit:
        return over(self.lift_s, self.grip_mm, STAY_S, TALL_MM)

    @property
    def uncovered_s(self) -> float:
        """The time from which its dice are visible."""
        return self.lift_s + COMING_S + STAY_S

    @property
    def grip_mm(self) -> tuple[float, float]:
        return self.place_mm[0], self.place_mm[1] + GRIP_MM

    def at_mm(self, time_s: float) -> Floats | None:
        """The position of the middle of its rim then, 3 coordinates; None if it is out of view."""
        if self.start_s + COMING_S <= time_s <= self.uncovered_s:
            return np.array([*self.place_mm, 0.0])
        hand = self.setting if time_s < self.uncovered_s else self.lifting
        tip = hand.tip_mm(time_s)
        if tip is None:
            return None
        y = float(tip[1]) - GRIP_MM
        return np.array([tip[0], y, round(min(LIFTED_MM, (self.place_mm[1] - y) * 0.75), 1)])


def dice_under(
    rng: Generator, dice: Sequence[Die], values: Sequence[int | None], place: Floats
) -> list[Lying]:
    """The dice under a cup at that position, showing the values, or any value where it is None.

    Raises ValueError if the dice do not fit, or a die does not have that value.
    """
    turns = [
        any_turn(rng, die) if value is None else turn_showing(rng, die, value)
        for die, value in zip(dice, values, strict=True)
    ]
    floor = sum(
        cv2.contourArea(outline(settled(d, on_table(d, t, 0, 0)))) for d, t in zip(dice, turns, strict=True)
    )
    for _ in range(SHAKES if floor < FULL * np.pi * ROOM_MM**2 else 0):
        under: list[Lying] = []
        for die, turn in zip(dice, turns, strict=True):
            placed = next((d for d in tried(rng, die, turn, place) if clear(d, under)), None)
            if placed is None:
                break
            under.append(placed)
        else:
            return under
    raise ValueError(f"no room for {len(dice)} dice under a cup")


def tried(rng: Generator, die: Die, turn: Floats, place: Floats) -> Iterator[Lying]:
    reach = float(np.hypot(*(die.vertices_mm @ turn.T)[:, :2].T).max())
    for _ in range(TRIES):
        angle, far = rng.uniform(0, 2 * np.pi), (ROOM_MM - reach) * np.sqrt(rng.random())
        x, y = (place + far * np.array([np.cos(angle), np.sin(angle)])).tolist()
        yield settled(die, on_table(die, turn, x, y))


def clear(die: Lying, others: Sequence[Lying]) -> bool:
    near = [
        o for o in others if np.hypot(*np.subtract(o.at_mm, die.at_mm)) < o.die.reach_mm + die.die.reach_mm
    ]
    return not any(overlap(die, neighbour) for neighbour in near)


def draw_cup(view: Projection, light: Light, at_mm: Floats, state: Hashable) -> DrawnObject:
    turns = np.linspace(0, 2 * np.pi, SIDES, endpoint=False)
    ring = np.stack([np.cos(turns), np.sin(turns), np.zeros(SIDES)], axis=1)
    low = at_mm + ring * (RIM_MM, RIM_MM, 1)
    high = at_mm + ring * (TOP_MM, TOP_MM, 1) + (0, 0, TALL_MM)
    down, up = view.project(low), view.project(high)
    corner = np.floor(np.concatenate([down, up]).min(axis=0)).astype(int) - 2
    wide, tall = (np.ceil(np.concatenate([down, up]).max(axis=0)).astype(int) + 3 - corner).tolist()
    pixels, cover = np.zeros((tall, wide, 3), np.uint8), np.zeros((tall, wide), np.uint8)
    leather = np.array([38.0, 60.0, 105.0])
    hull = cv2.convexHull(np.concatenate([down, up]).astype(np.float32))[:, 0] - corner
    cv2.fillConvexPoly(cover, _fixed(hull), 255, cv2.LINE_AA, SHIFT)
    for i in np.argsort([-float(np.linalg.norm(corner_mm - view.eye_mm)) for corner_mm in low]):
        j = (i + 1) % SIDES
        middle = turns[i] + np.pi / SIDES
        normal = np.array([np.cos(middle), np.sin(middle), 0.08])
        if normal @ (view.eye_mm - high[i]) > 0:
            colour = leather * _lit(light, normal)
            side = _fixed(np.array([down[i], down[j], up[j], up[i]]) - corner)
            cv2.fillConvexPoly(pixels, side, colour.tolist(), cv2.LINE_8, SHIFT)
    top = _fixed(up - corner)
    lid = leather * _lit(light, np.array([0, 0, 1.0]))
    cv2.fillConvexPoly(pixels, top, lid.tolist(), cv2.LINE_AA, SHIFT)
    edge = (leather * 1.35).tolist()
    cv2.polylines(pixels, [top], isClosed=True, color=edge, thickness=3, lineType=cv2.LINE_AA, shift=SHIFT)
    soft = cv2.GaussianBlur(pixels, (0, 0), 1.0)
    share = cv2.GaussianBlur(cover, (0, 0), 0.7).astype(np.float32) / 255
    layer = Layer(np.asarray(soft, np.uint8), np.asarray(share, np.float32), *corner.tolist())
    order = view.order(at_mm) + TALL_MM
    return DrawnObject(state, order, layer, shadow(np.concatenate([low, high]), view, light), tall=True)


def _lit(light: Light, normal: Floats) -> float:
    lamps = light.strength @ np.maximum(light.toward @ normal, 0)
    return float(light.around * (0.72 + 0.28 * normal[2]) + lamps)


def _fixed(points: Floats) -> cv2.typing.MatLike:
    return np.rint(points * (1 << SHIFT)).astype(np.int32)
