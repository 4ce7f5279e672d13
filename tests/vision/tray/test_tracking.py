"""Whether the camera has moved is told from the markers, some of which may be hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.vision.tray.test_pose import VIEW, seen, usual
from vision.tray import tracking
from vision.tray.pose import MOVED_MM, place
from vision.tray.tracking import TrayStatus, TrayWatch

if TYPE_CHECKING:
    from vision.tray.markers import Floats


def stretched(corners: Floats, by: float) -> Floats:
    middle = corners.mean(axis=0)
    return np.asarray(middle + (corners - middle) * (by, 1.0))


def test_two_markers_in_place_show_that_the_camera_did_not_move(monkeypatch: pytest.MonkeyPatch) -> None:
    tray = usual()
    left = sorted(tray.markers, key=lambda number: tray.markers[number].mean(axis=0)[0])[:2]
    found = {number: stretched(tray.markers[number], 1.02) for number in left}
    now = place(tray.layout, found)
    assert now is not None  # far from these markers it is wrong
    assert tray.moved_mm(now) > MOVED_MM
    monkeypatch.setattr(tracking, "find_markers", lambda *_: found)
    watch = TrayWatch(tray)
    assert watch.look(seen(VIEW)) is TrayStatus.SAME
    assert watch.tray is tray
