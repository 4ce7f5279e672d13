"""What is on the simulated table at a time, as objects for the picture."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

import cv2
import numpy as np

from hardware.simulated.body import render
from hardware.simulated.cup import draw_cup
from hardware.simulated.hand import COMING_S, over
from hardware.simulated.hand_view import EXPOSURE_S, hand_state, hand_things
from hardware.simulated.path import STEPS_PER_S
from hardware.simulated.person import PEOPLE, random_person
from hardware.simulated.picture import Layer, Thing
from hardware.simulated.shadow import shadow
from hardware.simulated.tray import MARKERS_MM, SimulatedTray

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    from numpy.random import Generator

    from hardware.simulated.active import Active, ActiveFaults
    from hardware.simulated.hand import Visit
    from hardware.simulated.light import Light
    from hardware.simulated.person import Person
    from hardware.simulated.projection import Projection
    from hardware.simulated.thrower import Roll, Thrower

INVISIBLE_MM = 0.02
"""A die within a tenth of a pixel of its final pose is drawn in that pose."""
COIN_MM = 13.0
"""Radius of the coin that covers a marker."""
COIN_HIGH_MM = 2.4


class Stage:
    """Draws dice, cups, hands and coins; objects that look unchanged are not redrawn."""

    def __init__(self, rng: Generator, view: Projection, light: Light, faults: ActiveFaults) -> None:
        self.rng = rng
        self.view = view
        self.light = light
        self.faults = faults

    @cached_property
    def tray(self) -> SimulatedTray:
        """The empty tray."""
        return SimulatedTray(self.rng)

    @cached_property
    def people(self) -> list[Person]:
        """Those whose hands are seen."""
        rng = np.random.default_rng(self.rng.integers(2**32))
        return [random_person(rng, self.tray.felt) for _ in range(PEOPLE)]

    def things(
        self, people: Thrower, time_s: float, known: Mapping[Hashable, Thing]
    ) -> dict[Hashable, Thing]:
        """All objects at that time; `known` are those drawn last."""
        there: dict[Hashable, Thing] = {}
        for name, state, drawn in self.wanted(people, time_s):
            before = known.get(name)
            there[name] = before if before is not None and before.state == state else drawn(state)
        for i, visit in enumerate(visits(people, self.faults, time_s)):
            names = [name for name in (("hand", i, 0), ("hand", i, 1)) if name in known]
            if names and known[names[0]].state == hand_state(visit, time_s):
                there.update((name, known[name]) for name in names)
                continue
            person = self.people[visit.person % PEOPLE]
            for part, thing in enumerate(hand_things(visit, time_s, person, self.view, self.light)):
                there["hand", i, part] = thing
        return there

    def wanted(
        self, people: Thrower, time_s: float
    ) -> Iterator[tuple[Hashable, Hashable, Callable[[Hashable], Thing]]]:
        """Name, state and drawing function of each object."""
        for roll in people.rolls:
            if roll.start_s <= time_s < roll.gone_s:
                yield self.die(roll, time_s)
        for i, cup in enumerate(people.cups):
            at = cup.at_mm(time_s)
            if at is not None:
                yield ("cup", i), tuple(at.tolist()), partial(draw_cup, self.view, self.light, at)
        if covered := self.faults.at("covered", time_s):
            yield "coin", covered.since_s, partial(self.coin, covered)

    def die(self, roll: Roll, time_s: float) -> tuple[Hashable, Hashable, Callable[[Hashable], Thing]]:
        """The die in its pose at that time."""
        step, pose = roll.clip.at(time_s - roll.start_s)
        die, end = roll.clip.lying.die, roll.clip.lying.pose
        if step < roll.clip.steps and pose.near(end, die, INVISIBLE_MM):
            step, pose = roll.clip.steps, end

        def drawn(state: Hashable) -> Thing:
            order = self.view.order(pose.at_mm)
            seen = render(die, pose, self.view, self.light, self.smear_px(roll, step))
            dark = None if roll.printed else shadow(pose.placed(die), self.view, self.light)
            return Thing(state, order, seen, dark)

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

    def coin(self, active: Active, state: Hashable) -> Thing:
        """A coin on a marker."""
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
        seen = Layer(ring, (cover / np.float32(255)).astype(np.float32), *corner.tolist())
        return Thing(state, -1e5, seen, shadow(edge, self.view, self.light))


def visits(people: Thrower, faults: ActiveFaults, time_s: float) -> list[Visit]:
    """Every hand over the tray at that time."""
    hands = list(people.visits)
    for cup in people.cups:
        hands += [cup.setting, cup.lifting]
    if (active := faults.at("hand", time_s)) or (active := faults.at("hand", time_s - COMING_S)):
        stays_s = max(COMING_S, active.until_s - active.since_s)
        spot = (float(np.sin(active.since_s * 7) * 70), float(np.cos(active.since_s * 5) * 30) + 20)
        hands.append(over(active.since_s, spot, stays_s - COMING_S))
    return [visit for visit in hands if visit.start_s < time_s < visit.end_s]
