"""The markers show whether the camera has moved, even if a hand hides some of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tests.vision.tray.test_pose import SHAPE, VIEW, seen, usual
from vision.reading import SeenTop
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


def test_what_dice_told_of_the_lens_is_known_after_the_camera_was_bumped() -> None:
    watch = TrayWatch(usual())
    tops = [
        SeenTop((x, y), (0.3 * (x - 640) / 640, 0.0), 0.02) for x in (100.0, 1180.0) for y in (200.0, 500.0)
    ]
    watch.learn_focal(tops, SHAPE)
    assert watch.first is watch.tray
    assert watch.tray is not None
    told = watch.tray.focal
    assert told is not None
    watch.learn_focal(tops, SHAPE)
    assert watch.tray.focal == told  # the same dice, read again
    watch.learn_focal(tops[:1], SHAPE)
    watch.learn_focal([top._replace(pixel=(top.pixel[0], top.pixel[1] + 40)) for top in tops], SHAPE)
    assert watch.tray.focal != told
    told = watch.tray.focal
    assert told is not None
    assert told.error < usual().camera(SHAPE).focal_error
    assert watch.look(seen(replace(VIEW, shift_mm=(4.0, -3.0)))) is TrayStatus.CAMERA_MOVED
    assert watch.tray.focal == told
    assert watch.tray is not watch.first


def test_a_tray_that_was_never_seen_learns_nothing_from_dice() -> None:
    watch = TrayWatch()
    watch.learn_focal([SeenTop((100.0, 100.0), (0.1, 0.1), 0.02)], SHAPE)
    assert watch.tray is None
