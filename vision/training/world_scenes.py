"""Frames of the simulated table while people throw dice or set them down, with what each pixel shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from games.dice import FACES, KINDS
from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import parse
from hardware.simulated.places import at_random
from hardware.simulated.world import World
from vision.motion.segmentation import DIE, OTHER, TRAY, resized
from vision.motion.watch import same_light
from vision.training.moving_scenes import HEIGHT, UNKNOWN, WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from games.dice import Kind
    from hardware.simulated.throw import Style
    from vision.reading import Image
    from vision.training.types import Array, Rng

THROWS = 4
"""Throws on one table; then another table, in another light, is drawn."""
APART_S = 0.12
"""Frames are so far apart at most: they differ, and none of a hand is alike."""
STYLES: tuple[Style, ...] = ("hand", "hand", "hand", "tower", "cup")
SET_DOWN = 0.25
"""Share of the throws in which a hand sets dice down instead."""
SPOILT = 0.4
"""Share of the throws in whose light something changes."""
LIGHTS = ("glare:1", "glare:0.4", "flicker:0.3", "drift:0.7")


def world_scenes(rng: Rng) -> Iterator[tuple[Array, Array, Array]]:
    """Frames and their empty trays (uint8, HEIGHT × WIDTH × 3 BGR), and the classes of the frames' pixels."""
    while True:
        clock = VirtualClock()
        world = World(
            int(rng.integers(2**31)), clock, real=False, style=STYLES[int(rng.integers(len(STYLES)))]
        )
        empty = resized(world.seen(clock.now_s()))
        for _ in range(THROWS):
            something(world, rng)
            end_s = world.settled_at_s + float(rng.uniform(0.0, 1.0))
            while clock.now_s() < end_s:
                clock.sleep(float(rng.uniform(0.2, 1.0)) * APART_S)
                frame = resized(world.seen(clock.now_s()))
                known = frame if rng.random() < UNKNOWN else same_light(empty, frame)
                assert known is not None  # noqa: S101 - for the type checker
                yield frame, known, classes(world.masks(clock.now_s()).labels)


def something(world: World, rng: Rng) -> None:
    """A throw, or dice that a hand sets down; a hand may pass over them, and the light may change."""
    if rng.random() < SPOILT:
        world.inject(parse(LIGHTS[int(rng.integers(len(LIGHTS)))]))
    kinds: list[Kind] = [KINDS[int(i)] for i in rng.integers(len(KINDS), size=int(rng.integers(1, 7)))]
    if rng.random() < SET_DOWN:
        world.throw([])
        dice = world.pick(kinds, set())
        world.put(at_random(rng, dice, [], [FACES[die.kind] for die in dice]))
    else:
        world.throw(kinds)
    if rng.random() < SET_DOWN:
        world.people.hover(world.clock.now_s() + float(rng.uniform(0.0, 1.5)), 0.6)


def classes(labels: Image) -> Array:
    """The class that most of each small pixel shows, of the labels of exact masks."""
    parts = [(labels == 0), (labels > 1), (labels == 1)]
    small = [
        cv2.resize(part.astype(np.float32), (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA) for part in parts
    ]
    return np.array([TRAY, DIE, OTHER], np.uint8)[np.argmax(small, axis=0)]
