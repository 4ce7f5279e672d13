"""Everything on the simulated table at a time, as objects for the picture: dice, cups, hands, a coin."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property, partial

import cv2
import numpy as np
from numpy.random import Generator

from hardware.ports import Pixels
from hardware.simulated.cup import draw_cup
from hardware.simulated.die import Floats
from hardware.simulated.die_rendering import render
from hardware.simulated.faults import ActiveFault, ActiveFaults
from hardware.simulated.hand import COMING_S, Visit, over
from hardware.simulated.hand_sprite import (
    LEVELS,
    ONTO_PLANE,
    PEOPLE,
    Person,
    draw_hand,
    random_person,
    sprite_size,
)
from hardware.simulated.path import STEPS_PER_S
from hardware.simulated.picture import (
    HEIGHT,
    WIDTH,
    DrawnObject,
    Layer,
    Light,
    Projection,
    combine_shadows,
    motion_blur,
    shadow,
    soften,
)
from hardware.simulated.table_top import Roll, TableTop
from hardware.simulated.tray import MARKERS_MM, SimulatedTray

SLOPE = 0.22
"""How steeply the arm rises."""
EXPOSURE_S = 0.01
COARSE = 4
"""A shadow is drawn at this fraction of the size; so is a hand that moves fast."""
FAST_PX = 10.0
TOPMOST = 1e6
"""The order of objects above all dice."""
INVISIBLE_MM = 0.02
"""A die within a tenth of a pixel of its final pose is drawn in that pose."""
COIN_MM = 13.0
"""Radius of the coin that covers a marker."""
COIN_HIGH_MM = 2.4


def hand_state(visit: Visit, time_s: float) -> Hashable:
    """Changes whenever the hand of that visit looks different; None if it is away."""
    tip = visit.tip_mm(time_s)
    return None if tip is None else (visit.start_s, *tip.tolist(), round(visit.curl(time_s) * LEVELS))


def hand_things(
    visit: Visit, time_s: float, person: Person, view: Projection, light: Light
) -> list[DrawnObject]:
    """The hand of that visit then: all of it over the dice, or the palm under and its fingers over them."""
    tip = visit.tip_mm(time_s)
    if tip is None:
        return []
    level = round(visit.curl(time_s) * LEVELS)
    state = hand_state(visit, time_s)
    away = np.array(visit.away)
    right = np.array([-away[1], away[0], 0.0]) * person.size
    back = np.array([*away, SLOPE]) * person.size
    turned = round(float(np.arctan2(away[1], away[0])) / (np.pi / 6))
    sprite = draw_hand(person, level, visit.palm_up, visit.cup, turned, light)
    onto = view.sheet(tip, right, back) @ ONTO_PLANE
    before, after = (visit.path(time_s - visit.start_s + by * EXPOSURE_S) for by in (-0.5, 0.5))
    smear = np.diff(view.project(np.array([before, after])), axis=0)[0]
    parts = [sprite.cover] if not visit.palm_up or visit.cup else [sprite.cover, sprite.over]
    layers = projected(sprite.pixels, parts, onto, smear)
    dark = fallen(sprite.cover, tip, right, back, view, light)
    if layers is None:
        return [DrawnObject(state, TOPMOST, None, dark, tall=True)]
    if len(layers) == 1:
        return [DrawnObject(state, TOPMOST, layers[0], dark, tall=True)]
    palm = tip + 40 * back
    return [
        DrawnObject(state, view.order(palm) + 2, layers[0], dark, tall=True),
        DrawnObject(state, TOPMOST, layers[1], None, tall=True),
    ]


def projected(pixels: Pixels, covers: Sequence[Pixels], onto: Floats, smear: Floats) -> list[Layer] | None:
    """The sprite in the frame, one layer for each cover; None if it is out of view."""
    box = in_view(onto)
    if box is None:
        return None
    x0, y0, x1, y1 = box
    fast = float(np.hypot(*smear))
    step = COARSE if fast > FAST_PX else 1
    size = (-(-(x1 - x0) // step), -(-(y1 - y0) // step))
    into = np.array([[1 / step, 0, -x0 / step], [0, 1 / step, -y0 / step], [0, 0, 1]]) @ onto
    flags = cv2.INTER_AREA if step > 1 else cv2.INTER_LINEAR
    warped = [cv2.warpPerspective(part, into, size, flags=flags) for part in (pixels, *covers)]
    if step > 1:
        line = motion_blur(smear / step)
        solid = cv2.merge([warped[1]] * 3)
        # Colours are weighted by what they cover, or the black around the hand would bleed into it.
        weighed = cv2.filter2D(cv2.multiply(warped[0], solid, scale=1 / 255), -1, line)
        shares = [cv2.filter2D(part, -1, line) for part in warped[1:]]
        colours = cv2.divide(weighed, cv2.merge([shares[0]] * 3), scale=255)
        warped = [cv2.resize(part, (size[0] * step, size[1] * step)) for part in (colours, *shares)]
    x, y, wide, tall = cv2.boundingRect(warped[1])
    if wide:  # a hand out of view stays as it is: its place in the order still counts for what lies below
        warped = [part[y : y + tall, x : x + wide] for part in warped]
        x0, y0 = x0 + x, y0 + y
    pixels = np.asarray(warped[0], np.uint8)
    shown = [np.asarray(part * np.float32(1 / 255), np.float32) for part in map(np.asarray, warped[1:])]
    return [Layer(pixels, cover, x0, y0) for cover in shown]


def in_view(onto: Floats) -> tuple[int, int, int, int] | None:
    """The part of the frame that a sprite can cover; None if it is out of view."""
    wide, long = sprite_size()
    corners = np.array([[[0.0, 0.0], [wide, 0.0], [wide, long], [0.0, long]]])
    corners_px = cv2.perspectiveTransform(corners, onto)[0]
    x0, y0 = np.maximum(np.floor(corners_px.min(axis=0)), 0).astype(int).tolist()
    x1, y1 = np.minimum(np.ceil(corners_px.max(axis=0)), (WIDTH, HEIGHT)).astype(int).tolist()
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def fallen(
    cover: Pixels, tip: Floats, right: Floats, back: Floats, view: Projection, light: Light
) -> Layer | None:
    """The hand's shadow on the floor: one from each lamp, and a dim one below it from the light around."""
    small = np.diag([1 / COARSE, 1 / COARSE, 1.0])
    high = float(tip[2]) + 60 * float(back[2])
    per_mm = view.focal / float(np.linalg.norm(view.eye_mm)) / COARSE
    near = 0.7 / (1 + high / 40) * (1 - light.shares.sum(axis=0))
    masks = []
    for toward, soft in (
        *((toward, light.softness * 0.22 + 0.03) for toward in light.toward),
        (np.array([0.0, 0.0, 1.0]), 0.5),
    ):
        falls = np.eye(3) - np.outer(toward / toward[2], [0, 0, 1.0])
        onto = small @ view.sheet(falls @ tip, falls @ right, falls @ back) @ ONTO_PLANE
        mask = cv2.warpPerspective(cover, onto, (WIDTH // COARSE, HEIGHT // COARSE), flags=cv2.INTER_AREA)
        masks.append(soften(np.asarray(mask, np.uint8), max(0.5, soft * high * per_mm)))
    dark = combine_shadows(masks, [*light.shares, near])
    x, y, wide, tall = cv2.boundingRect(cv2.transform(dark, np.ones((1, 3))))
    if not wide:
        return None
    fine = cv2.resize(dark[y : y + tall, x : x + wide], (wide * COARSE, tall * COARSE))
    return Layer(np.asarray(fine, np.uint8), None, x * COARSE, y * COARSE)


class Stage:
    """Draws dice, cups, hands and coins; objects that look unchanged are not redrawn."""

    def __init__(self, rng: Generator, view: Projection, light: Light, faults: ActiveFaults) -> None:
        self.rng = rng
        self.view = view
        self.light = light
        self.faults = faults

    @cached_property
    def tray(self) -> SimulatedTray:
        return SimulatedTray(self.rng)

    @cached_property
    def people(self) -> list[Person]:
        rng = np.random.default_rng(self.rng.integers(2**32))
        return [random_person(rng, self.tray.felt) for _ in range(PEOPLE)]

    def things(
        self, top: TableTop, time_s: float, earlier: Mapping[Hashable, DrawnObject]
    ) -> dict[Hashable, DrawnObject]:
        drawn_objects: dict[Hashable, DrawnObject] = {}
        for name, state, drawn in self.wanted(top, time_s):
            before = earlier.get(name)
            drawn_objects[name] = before if before is not None and before.state == state else drawn(state)
        for i, visit in enumerate(visits(top, self.faults, time_s)):
            names = [name for name in (("hand", i, 0), ("hand", i, 1)) if name in earlier]
            if names and earlier[names[0]].state == hand_state(visit, time_s):
                drawn_objects.update((name, earlier[name]) for name in names)
                continue
            person = self.people[visit.person % PEOPLE]
            for part, hand_part in enumerate(hand_things(visit, time_s, person, self.view, self.light)):
                drawn_objects["hand", i, part] = hand_part
        return drawn_objects

    def wanted(
        self, top: TableTop, time_s: float
    ) -> Iterator[tuple[Hashable, Hashable, Callable[[Hashable], DrawnObject]]]:
        """Name, state and drawing function of each object."""
        for roll in top.rolls:
            if roll.start_s <= time_s < roll.gone_s:
                yield self.die(roll, time_s)
        for i, cup in enumerate(top.cups):
            place = cup.at_mm(time_s)
            if place is not None:
                yield ("cup", i), tuple(place.tolist()), partial(draw_cup, self.view, self.light, place)
        if covered := self.faults.active("covered", time_s):
            yield "coin", covered.since_s, partial(self.coin, covered)

    def die(self, roll: Roll, time_s: float) -> tuple[Hashable, Hashable, Callable[[Hashable], DrawnObject]]:
        step, pose = roll.clip.step_and_pose(time_s - roll.start_s)
        die, end = roll.clip.lying.die, roll.clip.lying.pose
        if step < roll.clip.steps and pose.near(end, die, INVISIBLE_MM):
            step, pose = roll.clip.steps, end

        def drawn(state: Hashable) -> DrawnObject:
            order = self.view.order(pose.at_mm)
            layer = render(die, pose, self.view, self.light, self.smear_px(roll, step))
            dark = None if roll.printed else shadow(pose.placed(die), self.view, self.light)
            return DrawnObject(state, order, layer, dark)

        return ("die", die.number), (roll.start_s, step), drawn

    def smear_px(self, roll: Roll, step: int) -> tuple[float, float] | None:
        """The motion of the die in the frame during the exposure; None if it lies still."""
        if step == roll.clip.steps:
            return None
        if step == 0:
            return 0.0, 0.0
        ways = np.array([roll.clip.pose(step - 1).at_mm, roll.clip.pose(step).at_mm])
        before, after = self.view.project(ways)
        x, y = ((after - before) * EXPOSURE_S * STEPS_PER_S).tolist()
        return x, y

    def coin(self, active: ActiveFault, state: Hashable) -> DrawnObject:
        turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
        middle = (*MARKERS_MM[int(active.fault.number)], COIN_HIGH_MM)
        edge = np.array(middle) + COIN_MM * np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1)
        outline = self.view.project(edge)
        corner = np.floor(outline.min(axis=0)).astype(int) - 1
        wide, tall = (np.ceil(outline.max(axis=0)).astype(int) + 2 - corner).tolist()
        cover = np.zeros((tall, wide), np.uint8)
        cv2.fillConvexPoly(cover, np.rint((outline - corner) * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
        across = np.linspace(0.75, 1.1, wide)[:, None] * np.array([70.0, 120.0, 150.0])
        pixels = np.broadcast_to(across, (tall, wide, 3)).astype(np.uint8)
        ring = np.ascontiguousarray(pixels)
        cv2.circle(ring, (wide // 2, tall // 2), round(wide * 0.4), (60, 100, 125), 2, cv2.LINE_AA)
        layer = Layer(ring, (cover / np.float32(255)).astype(np.float32), *corner.tolist())
        return DrawnObject(state, -1e5, layer, shadow(edge, self.view, self.light))


def visits(top: TableTop, faults: ActiveFaults, time_s: float) -> list[Visit]:
    hands = list(top.visits)
    for cup in top.cups:
        hands += [cup.setting, cup.lifting]
    if (active := faults.active("hand", time_s)) or (active := faults.active("hand", time_s - COMING_S)):
        stays_s = max(COMING_S, active.until_s - active.since_s)
        spot = (float(np.sin(active.since_s * 7) * 70), float(np.cos(active.since_s * 5) * 30) + 20)
        hands.append(over(active.since_s, spot, stays_s - COMING_S))
    return [visit for visit in hands if visit.start_s < time_s < visit.end_s]
