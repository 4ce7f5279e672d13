"""The picture stored with a throw: cropped to the tray, small, undistorted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from dicetable.eye.evidence import MOST_BYTES, evidence

if TYPE_CHECKING:
    from vision.reading import Image


def scene(width: int, height: int) -> Image:
    """A grey table with a white square a third of the way across and down, a tenth of the height large."""
    frame = np.full((height, width, 3), 90, np.uint8)
    side = height // 10
    frame[height // 3 :, width // 3 :][:side, :side] = 250
    return frame


def picture(packed: bytes) -> Image:
    """What is in the bytes."""
    decoded = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR)
    assert decoded is not None
    return np.asarray(decoded, np.uint8)


@pytest.mark.parametrize(
    "size", [(320, 240), (640, 480), (1241, 695), (1280, 720), (1999, 1111), (3840, 2160)]
)
def test_it_is_small_and_shows_what_was_there(size: tuple[int, int]) -> None:
    width, height = size
    seen = picture(evidence(scene(width, height)))
    assert seen.shape[1] == min(640, width)
    assert seen.shape[1] / seen.shape[0] == pytest.approx(width / height, rel=0.01)
    y, x = (np.argwhere(seen[..., 0] > 170).mean(0) / seen.shape[:2]).tolist()
    assert x == pytest.approx(1 / 3 + height / 20 / width, abs=0.004)
    assert y == pytest.approx(1 / 3 + 1 / 20, abs=0.004)


def test_a_picture_that_would_be_too_large_is_halved() -> None:
    busy = np.random.default_rng(1).integers(0, 256, (720, 1280, 3)).astype(np.uint8)
    packed = evidence(busy[:240, :427].repeat(3, axis=0).repeat(3, axis=1))
    assert len(packed) <= MOST_BYTES
    assert picture(packed).shape[1] == 320
