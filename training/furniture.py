"""What stands on a path-traced table: a tray's rim, cups, coins, pencils, props of cocked dice."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from training.dice_sets import Model
from training.materials import colour, noise, surface
from training.mesh import Mesh, cylinder, swept
from training.rig import RenderPose
from training.types import Array, Rng


@dataclass(frozen=True)
class Thing:
    """Something that is no die: its mesh, its picture (n × n × 3 BGR, as displayed) and how it shines.

    `hulls` are what it takes up on the table, each (k, 1, 2) in millimetres, float32.
    """

    mesh: Mesh
    paint: Array
    roughness: float
    metallic: float
    hulls: tuple[Array, ...]


def tray(reach_mm: float, rng: Rng) -> tuple[Thing, Array]:
    """A tray's rim about what the camera sees, and the outline (k, 2) of its floor."""
    sides = int(rng.choice([4, 4, 4, 6, 8, 48]))
    turn = np.arange(sides) * 2 * np.pi / sides + (np.pi / 4 if sides == 4 else 0.0)
    stretch = np.array([1.0, rng.uniform(0.6, 1.0) if sides == 4 else 1.0])
    size = reach_mm * rng.uniform(0.7, 1.3) * (1.414 if sides == 4 else 1.0)
    outline = np.stack([np.cos(turn), np.sin(turn)], 1) * stretch * size
    outline = outline @ _turned(float(rng.uniform(0, 2 * np.pi))) + rng.normal(0, 0.15 * reach_mm, 2)
    height, thick = float(rng.uniform(8, 45)), float(rng.uniform(3, 14))
    slope = height * float(rng.choice([0.0, 0.1, 0.35]))
    bend = np.linspace(0, np.pi, 7)
    crown = np.stack([np.cos(bend), np.sin(bend)], 1) * thick / 2 + (slope + thick / 2, height)
    profile = np.concatenate([[[slope + thick, -4.0]], crown, [[0.0, -0.2]]])
    ends = np.roll(outline, -1, 0)
    grown = outline * (1 + (slope + thick) / size)
    grown_ends = np.roll(grown, -1, 0)
    hulls = tuple(
        cv2.convexHull(np.array(quad, np.float32))
        for quad in zip(outline, ends, grown_ends, grown, strict=True)
    )
    paint = surface(rng, 256, 256) if rng.random() < 0.4 else _leather(rng)
    return Thing(swept(profile, outline), paint, float(rng.uniform(0.15, 0.8)), 0.0, hulls), outline


def thing(at: tuple[float, float], unit_mm: float, rng: Rng) -> Thing:
    """A coin, a cup or a pencil."""
    x, y = at
    draw = rng.random()
    if draw < 0.45:
        radius, high = unit_mm * float(rng.uniform(0.5, 0.95)), float(rng.uniform(1.2, 3.5))
        mesh = cylinder(np.array([x, y, 0.0]), np.array([x, y, high]), radius)
        metal = float(rng.random() < 0.6)
        base = np.array([0.35, 0.6, 0.75]) if metal else colour(rng)
        paint = np.full((8, 8, 3), base * rng.uniform(0.7, 1.2), np.float32)
        return Thing(mesh, paint, float(rng.uniform(0.15, 0.5)), metal, (_ring(x, y, radius),))
    if draw < 0.7:
        radius, high = unit_mm * float(rng.uniform(1.3, 2.4)), float(rng.uniform(40, 90))
        turn = np.arange(48) * 2 * np.pi / 48
        outline = np.stack([np.cos(turn), np.sin(turn)], 1) * (radius - 3) + (x, y)
        profile = np.array(
            [[3.0, 0], [3.0, high - 1], [2, high], [1, high], [0, high - 1], [0.0, 1], [3 - radius, 1]]
        )
        paint = np.full((8, 8, 3), colour(rng), np.float32)
        return Thing(
            swept(profile, outline), paint, float(rng.uniform(0.1, 0.6)), 0.0, (_ring(x, y, radius),)
        )
    return rod(at, float(rng.uniform(0, np.pi)), float(rng.uniform(40, 140)), float(rng.uniform(2, 5)), rng)


def rod(at: tuple[float, float], way: float, length: float, radius: float, rng: Rng) -> Thing:
    """A pencil or stick that lies on the table about `at`."""
    half = np.array([np.cos(way), np.sin(way)]) * length / 2
    aside = np.array([-np.sin(way), np.cos(way)]) * radius
    middle = np.array(at)
    hull = np.array(
        [middle + half + aside, middle + half - aside, middle - half - aside, middle - half + aside]
    )
    ends = [np.array([*(middle + sign * half), radius]) for sign in (-1, 1)]
    paint = np.full((8, 8, 3), colour(rng), np.float32)
    mesh = cylinder(ends[0], ends[1], radius, 24)
    return Thing(mesh, paint, float(rng.uniform(0.2, 0.7)), 0.0, (cv2.convexHull(hull.astype(np.float32)),))


def prop(die: Model, pose: RenderPose, down: int, rng: Rng) -> Thing:
    """The stick on which the raised side of a cocked die rests."""
    normal = pose.rotation @ np.array(die.solid.faces[down].normal)
    tilt = float(np.arccos(np.clip(-normal[2], -1, 1)))
    raised = normal[:2] / np.linalg.norm(normal[:2])
    corners = np.array(die.solid.vertices_mm)[list(die.solid.faces[down].corners)] * die.size
    along = (corners @ pose.rotation.T + pose.position)[:, :2] @ raised
    far = float(rng.uniform(0.55, 0.85)) * float(np.ptp(along))
    radius = far * float(np.tan(tilt / 2))
    at = pose.position[:2] + raised * (along.min() + far - pose.position[:2] @ raised)
    way = float(np.arctan2(raised[0], -raised[1]))
    return rod((float(at[0]), float(at[1])), way, float(rng.uniform(8, 22)), radius, rng)


def _turned(angle: float) -> Array:
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def _ring(x: float, y: float, radius: float) -> Array:
    turn = np.arange(16) * 2 * np.pi / 16
    hull = np.stack([x + radius * np.cos(turn), y + radius * np.sin(turn)], 1).astype(np.float32)
    return np.asarray(cv2.convexHull(hull))


def _leather(rng: Rng) -> Array:
    """One colour with faint clouds."""
    paint: Array = np.clip(colour(rng) * (0.85 + 0.3 * noise(rng, 128, 128, coarse=6)[..., None]), 0, 1)
    return paint.astype(np.float32)
