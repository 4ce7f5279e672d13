"""One throw: by a hand, a dice tower or a cup, from which rim, how fast, and when each die is free.

The hand is drawn, and the paths of the dice begin, from one `DrawnThrow`, with physics or without.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.random import Generator

from hardware.simulated.die import Die, Floats, Pose, about
from hardware.simulated.hand import Stop, Visit, outside
from hardware.simulated.path import FALL_MM_S2, STEPS_PER_S, Release
from hardware.simulated.tray import RIM_HIGH_MM, TRAY_MM

Style: TypeAlias = Literal["hand", "tower", "cup", "mixed"]
STYLES: tuple[Style, ...] = get_args(Style)

RIMS = {(0.0, -1.0): 0.7, (-1.0, 0.0): 0.12, (1.0, 0.0): 0.12, (0.0, 1.0): 0.06}
"""How often people throw over each rim, by its direction from the middle."""
MIXED: dict[Style, float] = {"hand": 0.7, "tower": 0.15, "cup": 0.15}
INSIDE_MM = (10.0, 70.0)
"""How far inside the rim the fingertips stop."""
HIGH_MM = (30.0, 90.0)
"""How high above the felt the dice are free."""
SPEED_MM_S = (500.0, 1300.0)
OBLIQUE_DEG = 30.0
FOLLOWS_MM = (8.0, 35.0)
"""How far the hand goes on after the dice are free."""
LINGERS_S = (0.2, 1.5)
WITHDRAWS = 0.45
"""How many hands withdraw at once."""
WAITS = 0.25
"""How many hands stop over the tray before they throw."""
ROOM_MM = 1.0
SURE = 0.75
"""Dice are free no farther outside the rim than they fly level in this part of their fall to its height."""
HELD_BACK_MM = (22.0, 55.0)
"""How far behind where they leave the hand dice are held in an open one, and in a fist."""
LETS_GO_S = 0.12
"""Dice slide along an opening hand for that time."""
POURS_S = {"hand": 0.03, "tower": 0.35, "cup": 0.18}
"""Within that time all dice leave."""
CUP_REACH_MM = 30.0
"""How far the mouth of a held cup is ahead of the fingertips."""
SHAKES_MM, SHAKES_HZ = 14.0, 5.0


@dataclass(frozen=True, slots=True)
class DrawnThrow:
    """One throw.

    Attributes:
        away: from the tray towards the arm's body, a unit vector (x, y).
        rim: the direction of the rim it comes over.
        tip_mm: where the fingertips stop (x, y); of a tower where its mouth is.
        high_mm, speed_mm_s, heading: of the dice when they are free; a direction (x, y).
        follows_mm: how far the hand goes on.
        hurries: the hand's speed as a part of the dice's.
        waits_s, lingers_s: how long the hand stops before it throws, and stays after that.
        held, opened: how far the fingers are curled before and after.
    """

    style: Style
    away: tuple[float, float]
    rim: tuple[float, float]
    tip_mm: tuple[float, float]
    high_mm: float
    speed_mm_s: float
    heading: tuple[float, float]
    follows_mm: float
    hurries: float
    waits_s: float
    lingers_s: float
    palm_up: bool
    held: float
    opened: float
    person: int

    @property
    def hand(self) -> tuple[Visit, float]:
        """The hand, starting at 0, and when the first die is free; behind a tower it is not in view."""
        towards = np.array([*self.heading, 0.0])
        fast = self.speed_mm_s * self.hurries
        tip_z = self.high_mm + (-12.0 if self.palm_up else 4.0)
        stop = np.array([*self.tip_mm, tip_z + 4])
        free = stop - towards * self.follows_mm - np.array([0, 0, 4])
        back = np.array([*self.away, 0.0])
        stops = []
        comes = np.array([*outside(free.tolist(), self.away), tip_z + 30])
        at_s = 0.0
        begins = Stop(0.0, triple(comes), self.held)
        stops.append(begins)
        if self.waits_s:
            waits = free + 45 * back + np.array([0, 0, 12])
            at_s = 0.25 + float(np.linalg.norm(waits - comes)) / 700
            stops.append(Stop(at_s, triple(waits), self.held))
            if self.style == "cup":
                side = np.array([-back[1], back[0], 0.0]) * SHAKES_MM
                for i in range(max(2, round(self.waits_s * 2 * SHAKES_HZ))):
                    at_s += 0.5 / SHAKES_HZ
                    stops.append(Stop(at_s, triple(waits + side * (-1) ** i), self.held))
            else:
                at_s += self.waits_s
                stops.append(Stop(at_s, triple(waits), self.held))
            from_mm = np.array(stops[-1].at_mm)
        else:
            from_mm = comes
        swing_s = max(0.12, 1.7 * float(np.linalg.norm(free - from_mm)) / fast)
        at_s = round((at_s + swing_s) * STEPS_PER_S) / STEPS_PER_S
        nearly = 0.2 * self.held + 0.8 * self.opened
        stops.append(Stop(at_s, triple(free), nearly, triple(towards * fast)))
        free_s = at_s
        at_s += max(0.05, 2 * self.follows_mm / fast)
        stops.append(Stop(at_s, triple(stop), self.opened))
        at_s += self.lingers_s
        stops.append(Stop(at_s, triple(stop + np.array([0, 0, 6])), self.opened))
        goes = np.array([*outside(stop.tolist(), self.away), tip_z + 30])
        at_s += 0.12 + float(np.linalg.norm(goes - stop)) / 750
        stops.append(Stop(at_s, triple(goes), self.opened))
        visit = Visit(0.0, tuple(stops), self.away, self.person, self.palm_up, self.style == "cup")
        return visit, free_s

    def releases(self, rng: Generator, dice: Sequence[Die]) -> list[Release]:
        """How each die gets free: apart from each other, inside the rim, all within a short time."""
        towards = np.array([*self.heading])
        visit, free_s = self.hand
        tip = np.array(self.tip_mm) if self.style == "tower" else visit.path(free_s)[:2]
        ahead = CUP_REACH_MM if self.style == "cup" else float(rng.uniform(-55, -18))
        middle = np.array([*(tip + towards * ahead), self.high_mm])
        steps = np.sort(rng.uniform(0, POURS_S[self.style] * STEPS_PER_S, len(dice))).astype(int)
        steps -= steps.min(initial=0)
        releases: list[Release] = []
        for die, step in zip(dice, steps.tolist(), strict=True):
            others = [
                earlier
                for earlier in releases
                if abs(earlier.step - step) * self.speed_mm_s / STEPS_PER_S < 30
            ]
            point = place(rng, die, middle, self, others)
            turn = about(rng.normal(size=3), float(rng.uniform(0, 2 * np.pi)))
            aside = float(np.radians(rng.normal(0, 9)))
            fast = float(np.clip(self.speed_mm_s * rng.normal(1, 0.1), *SPEED_MM_S))
            c, s = np.cos(aside), np.sin(aside)
            way = np.array([c * towards[0] - s * towards[1], s * towards[0] + c * towards[1]])
            outside_mm = float(np.array(self.rim) @ point[:2] - np.abs(self.rim) @ np.array(TRAY_MM) / 2)
            speed = np.array([*(way * fast), rng.uniform(0 if outside_mm > -die.reach_mm else -250, 300)])
            rolls = np.array([-way[1], way[0], 0.0]) * fast / die.reach_mm * rng.uniform(0, 0.6)
            releases.append(Release(Pose(point, turn), speed, rolls + rng.normal(0, 14, 3), step))
        return releases

    def held_pose(self, visit: Visit, free_s: float, release: Release, step: int) -> Pose:
        """Where a die is before it is free: in the hand, in the cup, or on its way out of the tower."""
        left_s = free_s + (release.step - step) / STEPS_PER_S
        if self.style == "tower":
            turn = about(
                release.spin_rad_s + np.array([1e-6, 0, 0]),
                -left_s * float(np.linalg.norm(release.spin_rad_s)),
            )
            return Pose(
                release.pose.at_mm - release.speed_mm_s * (1, 1, 0) * left_s, turn @ release.pose.turn
            )
        time_s = step / STEPS_PER_S
        moved = visit.path(time_s) - visit.path(free_s + release.step / STEPS_PER_S)
        slid = float(np.clip(left_s, 0, LETS_GO_S)) / LETS_GO_S
        back = float(np.interp(self.held, (0.3, 1.0), HELD_BACK_MM)) * (1 - (1 - slid) ** 2)
        rattle = (
            np.sin(np.array([31.0, 37.0, 41.0]) * time_s + release.spin_rad_s) * 0.15 * bool(self.waits_s)
        )
        turn = about(rattle + np.array([1e-6, 0, 0]), float(np.linalg.norm(rattle))) @ release.pose.turn
        return Pose(release.pose.at_mm + moved + np.array([*self.away, 0.1]) * back, turn)


def random_throw(rng: Generator, style: Style, people: int) -> DrawnThrow:
    """A throw as people make it, nearly always from the near side."""
    if style == "mixed":
        style = list(MIXED)[int(rng.choice(len(MIXED), p=list(MIXED.values())))]
    rim = list(RIMS)[int(rng.choice(len(RIMS), p=list(RIMS.values())))]
    out = np.array(rim)
    along = np.array([-out[1], out[0]])
    half = np.array(TRAY_MM) / 2
    aside = float(rng.uniform(-0.55, 0.55)) * float(np.abs(along) @ half)
    edge = out * float(np.abs(out) @ half) + along * aside
    oblique = float(np.radians(rng.uniform(-OBLIQUE_DEG, OBLIQUE_DEG)))
    away = turned(out, oblique)
    # Thrown towards the middle rather than along a wall.
    to_middle = -edge / max(float(np.linalg.norm(edge)), 1e-6)
    heading = -away * 0.75 + to_middle * 0.25 * float(np.linalg.norm(edge)) / 80
    heading = turned(heading / np.linalg.norm(heading), float(np.radians(rng.normal(0, 10))))
    palm_up = bool(rng.random() < 0.45)
    fist = bool(rng.random() < 0.5)
    cup, tower = style == "cup", style == "tower"
    inside = 0.0 if tower else float(rng.triangular(INSIDE_MM[0], 45, INSIDE_MM[1]))
    if cup:
        inside -= CUP_REACH_MM
    tip = edge - out * inside
    return DrawnThrow(
        style=style,
        away=pair(away),
        rim=rim,
        tip_mm=pair(tip),
        high_mm=float(rng.uniform(22, 45) if tower else rng.uniform(*HIGH_MM)),
        speed_mm_s=float(rng.uniform(*SPEED_MM_S) * (0.75 if tower else 1.0)),
        heading=pair(heading),
        follows_mm=min(float(rng.uniform(*FOLLOWS_MM)), max(FOLLOWS_MM[0], inside - 5)),
        hurries=float(rng.uniform(0.55, 0.9)),
        waits_s=float(rng.uniform(0.15, 0.7)) if cup or rng.random() < WAITS else 0.0,
        lingers_s=0.0 if rng.random() < WITHDRAWS else float(rng.triangular(LINGERS_S[0], *LINGERS_S)),
        palm_up=palm_up and not cup,
        held=1.0 if fist else float(rng.uniform(0.35, 0.6)),
        opened=float(rng.uniform(0.0, 0.22)),
        person=int(rng.integers(people)),
    )


def place(rng: Generator, die: Die, middle: Floats, throw: DrawnThrow, others: Sequence[Release]) -> Floats:
    """A free place for the die near the middle of the handful, where it will clear the rim."""
    half = np.array(TRAY_MM) / 2
    inner = half - die.reach_mm - ROOM_MM
    rim = np.array(throw.rim)
    wide = 6.0
    while True:
        point = middle + rng.normal(0, (wide, wide, wide * 0.6))
        point[2] = max(point[2], die.reach_mm + 2 * ROOM_MM)
        point[:2] = np.clip(point[:2], -inner, inner) * (rim == 0) + point[:2] * (rim != 0)
        falls_mm = max(0.0, float(point[2]) - die.reach_mm - RIM_HIGH_MM)
        flies_mm = SURE * throw.speed_mm_s * (2 * falls_mm / FALL_MM_S2) ** 0.5
        most = inner @ np.abs(rim) + (flies_mm if flies_mm > 2 * die.reach_mm else 0.0)
        point[:2] -= rim * max(0.0, float(rim @ point[:2]) - most)
        if all(
            float(np.linalg.norm(point - other_release.pose.at_mm)) > 1.75 * die.reach_mm
            for other_release in others
        ):
            return np.asarray(point)
        wide *= 1.06


def turned(way: Floats, angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * way[0] - s * way[1], s * way[0] + c * way[1]])


def pair(values: Floats) -> tuple[float, float]:
    x, y = values.tolist()
    return x, y


def triple(values: Floats) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
