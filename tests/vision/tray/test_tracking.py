"""The markers show whether the camera has moved, even if a hand hides some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.vision.tray.test_pose import VIEW, seen, usual
from vision.tray import tracking
from vision.tray.pose import MOVED_MM, place
from vision.tray.tracking import TrayStatus, TrayWatch

if TYPE_CHECKING:
    import pytest


def test_two_markers_in_place_show_that_the_camera_did_not_move(monkeypatch: pytest.MonkeyPatch) -> None:
    tray = usual()
    from_left = sorted(tray.markers, key=lambda number: float(tray.markers[number].mean(axis=0)[0]))
    left_px = np.mean([tray.markers[number].mean(axis=0) for number in from_left[:2]], axis=0)
    found = {n: left_px + (tray.markers[n] - left_px) * (1.01, 1.0) for n in from_left[:3]}
    now = place(tray.layout, found)
    assert now is not None  # as if a finger had moved the corners of the third
    assert tray.moved_mm(now) > MOVED_MM
    monkeypatch.setattr(tracking, "find_markers", lambda *_: found)
    watch = TrayWatch(tray)
    assert watch.look(seen(VIEW)) is TrayStatus.SAME
    assert watch.tray is tray
