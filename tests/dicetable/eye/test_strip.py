"""The strip of a throw's motion contains every frame and stays small."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from dicetable.eye.evidence import MOST_BYTES, strip
from dicetable.ledger.pictures import note_of


def test_the_strip_shows_each_frame_and_stays_small() -> None:
    noise = np.random.default_rng(1)
    frames = [(i / 10, np.asarray(noise.integers(100, 130, (170, 300, 3)), np.uint8)) for i in range(20)]
    packed = strip(frames, 2.0)
    assert 0 < len(packed) <= MOST_BYTES <= 80_000
    frames = [(i / 10, np.full((170, 300, 3), 40 + 40 * i, np.uint8)) for i in range(5)]
    packed = strip(frames, 0.5)
    sheet = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR)
    assert sheet is not None
    assert sheet.shape == (2 * 136, 4 * 240, 3)
    middles = [int(sheet[68 + 136 * (i // 4), 120 + 240 * (i % 4), 0]) for i in range(5)]
    assert middles == pytest.approx([40, 80, 120, 160, 200], abs=4)
    assert strip([], 1.0) == b""


def test_frames_of_another_size_than_the_last_are_left_out() -> None:
    """The camera was switched while the dice flew: what shows them at rest stays."""
    large, small = np.zeros((480, 640, 3), np.uint8), np.zeros((240, 480, 3), np.uint8)
    made = strip([(0.0, large), (0.1, small), (0.2, small)], 0.2)
    assert note_of(made)["seconds"] == [-0.1, 0.0]
