"""The markers show whether the camera has moved, even if a hand hides some of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.vision.tray.poses import SHAPE, VIEW, seen, usual
from vision.reading import SeenTop
from vision.tray import tracking
from vision.tray.camera import aslant, usual_camera
from vision.tray.pose import MOVED_MM, place
from vision.tray.tracking import TrayStatus, TrayWatch

if TYPE_CHECKING:
    from vision.tray.camera import CameraPose


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
    watch.learn_camera(tops, SHAPE)
    assert watch.first is watch.tray
    assert watch.tray is not None
    told = watch.tray.focal
    assert told is not None
    watch.learn_camera(tops, SHAPE)
    assert watch.tray.focal == told  # the same dice, read again
    watch.learn_camera(tops[:1], SHAPE)
    watch.learn_camera([top._replace(pixel=(top.pixel[0], top.pixel[1] + 40)) for top in tops], SHAPE)
    assert watch.tray.focal != told
    told = watch.tray.focal
    assert told is not None
    assert told.error < usual().camera(SHAPE).focal_error
    assert watch.look(seen(replace(VIEW, shift_mm=(4.0, -3.0)))) is TrayStatus.CAMERA_MOVED
    assert watch.tray.focal == told
    assert watch.tray is not watch.first


def flat_tops(camera: CameraPose, shift: float = 0.0) -> list[SeenTop]:
    """The tops of flat dice under this camera, each moved by so many pixels."""
    places = [(x + shift, y + shift) for x in (200.0, 640.0, 1080.0) for y in (200.0, 500.0)]
    return [
        SeenTop(place, (float(right), float(down)), 0.02)
        for place in places
        for right, down in [camera.plumb(place, SHAPE)]
    ]


def test_without_markers_dice_show_how_the_camera_hangs_and_it_is_kept_over_throws() -> None:
    slanted = aslant(usual_camera(SHAPE), SHAPE, np.sin(np.radians([12.0, -6.0])), 0.0)
    watch = TrayWatch()
    before = watch.camera(SHAPE)
    watch.learn_camera(flat_tops(slanted), SHAPE)
    after = watch.camera(SHAPE)
    middle = ((SHAPE[1] - 1) / 2, (SHAPE[0] - 1) / 2)
    assert after.plumb(middle, SHAPE) == pytest.approx(slanted.plumb(middle, SHAPE), abs=0.02)
    assert after.slant_error < 0.3 * before.slant_error
    watch.learn_camera(flat_tops(slanted), SHAPE)
    assert watch.camera(SHAPE) is after  # the same dice, read again
    watch.learn_camera([], SHAPE)
    assert watch.camera(SHAPE) is after
    assert not after.calibrated
    assert watch.camera((480, 640, 3)).slant_error == before.slant_error  # of another camera
    assert watch.tray is None


def test_a_third_of_the_dice_may_lean_without_moving_straight_up() -> None:
    slanted = aslant(usual_camera(SHAPE), SHAPE, np.sin(np.radians([10.0, 0.0])), 0.0)
    tops = [
        top._replace(top=(top.top[0] - 0.34 * (i % 3 == 0), top.top[1]))
        for i, top in enumerate(flat_tops(slanted))
    ]
    watch = TrayWatch()
    watch.learn_camera(tops, SHAPE)
    middle = ((SHAPE[1] - 1) / 2, (SHAPE[0] - 1) / 2)
    straight_up = slanted.plumb(middle, SHAPE)
    assert watch.camera(SHAPE).plumb(middle, SHAPE) == pytest.approx(straight_up, abs=0.03)


def test_a_camera_without_markers_that_was_pushed_is_known_anew_after_a_few_throws() -> None:
    hung = [aslant(usual_camera(SHAPE), SHAPE, np.sin(np.radians([way, 0.0])), 0.0) for way in (10.0, -10.0)]
    watch = TrayWatch()
    for throw, camera in enumerate([hung[0]] * 3 + [hung[1]] * 4):
        watch.learn_camera(flat_tops(camera, 20.0 * throw), SHAPE)
    middle = ((SHAPE[1] - 1) / 2, (SHAPE[0] - 1) / 2)
    straight_up = hung[1].plumb(middle, SHAPE)
    assert watch.camera(SHAPE).plumb(middle, SHAPE) == pytest.approx(straight_up, abs=0.03)
