"""A bare table in a still picture is read: it shows no hand for ever, and no die that was thrown."""

from __future__ import annotations

import cv2
import numpy as np

from vision.observer import Observer
from vision.reading import Arrival, Image, Settled


def wooden_table() -> Image:
    """Boards that run from side to side, which the segmentation net takes for a hand."""
    rng = np.random.default_rng(3)
    grain = cv2.GaussianBlur(rng.normal(0, 1, (720, 1280)).astype(np.float32), (0, 0), 60.0, None, 2.0)
    picture = np.array((70, 110, 160), np.float32) + (14 / grain.std() * grain)[..., None]
    picture[::180] = (40, 60, 90)
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


def test_a_wooden_table_that_passes_for_a_hand_is_read_and_shows_no_thrown_die() -> None:
    eye, rng, bare = Observer(), np.random.default_rng(4), wooden_table()
    told = []
    for number in range(20):
        frame = np.clip(bare + rng.normal(0, 2, bare.shape), 0, 255).astype(np.uint8)
        packed = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, 60])[1]
        told.append(eye.observe(np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8), number / 10))
    settled = [seen for seen in told if isinstance(seen, Settled)]
    assert settled
    assert settled[0].time_s <= 1.5
    assert isinstance([seen for seen in told if seen is not None][-1], Settled)
    assert not any(seen.flight and Arrival.THROWN in seen.flight.arrivals for seen in settled)
