"""What is drawn into an annotated video while something moves."""

from __future__ import annotations

import numpy as np

from dicetable.commands.umpire import OUTLINES, with_tracks
from tests.vision.motion.scenes import DIE_PX, classes, way
from vision.motion.segmentation import DIE, OTHER, Segmenter
from vision.motion.watch import MotionWatch
from vision.nets import load_nets


def test_dice_hands_and_paths_are_drawn() -> None:
    motion = MotionWatch(Segmenter(load_nets().segmentation), die_px=DIE_PX)
    motion.begin((96, 160), 0.0)
    for number, at in enumerate(way((40.0, 50.0), (100.0, 50.0), 10)):
        motion.classes = classes([at], [(120.0, 30.0, 20.0)])
        motion.tracker.see(motion.classes, motion.classes == OTHER, motion.outside, number / 30)
    frame = np.full((720, 1280, 3), 90, np.uint8)
    drawn = with_tracks(frame, motion, 2)
    assert (frame == 90).all()
    scale_x, scale_y = 1280 / 160, 720 / 96
    edge = drawn[:, round(100.5 * scale_x)]
    assert (
        (edge[round((50 - DIE_PX / 2) * scale_y) - 8 : round(50 * scale_y)] == OUTLINES[DIE])
        .all(axis=1)
        .any()
    )
    hand = drawn[round(19.5 * scale_y) - 4 : round(19.5 * scale_y) + 8, round(120 * scale_x)]
    assert (hand == OUTLINES[OTHER]).all(axis=1).any()
    path = drawn[round(50 * scale_y) - 8 : round(50 * scale_y) + 12, round(70 * scale_x)]
    assert (path == 255).all(axis=1).any()
