"""Finding dice on simulated tables: in every size, at any place, and at no cost where nothing lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from hardware.simulated.world import frame_of
from tests.hardware.simulated.tables import pixels, world
from vision import detection
from vision.detection import PLAIN_SCORE, SAME_IOU, STRIDE, Detector, Within, iou
from vision.nets import load_nets
from vision.reading import Detection

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.reading import Image

NET = load_nets().detector
DETECTOR = Detector(NET)


@pytest.fixture(scope="module")
def thrown() -> Image:
    made = world(1)
    made.throw(["d6"] * 5)
    made.settle()
    return pixels(made)


def plain(frame: Image) -> list[Detection]:
    return [die for die in DETECTOR.detect(frame) if die.score >= PLAIN_SCORE]


def looked_at(frame: Image) -> int:
    """The pixels that the net was shown to find what is in the frame."""
    sizes = []

    def counted(pictures: NDArray[Any]) -> NDArray[Any]:
        sizes.append(pictures.shape[2] * pictures.shape[3])
        return NET(pictures)

    Detector(counted).detect(frame)
    return sum(sizes)


@pytest.mark.parametrize("part", [1.0, 0.5, 0.33])
def test_dice_are_found_where_they_are_in_every_size(thrown: Image, part: float) -> None:
    """A smaller frame amid plain cloth, so that its dice are smaller by that part."""
    known = plain(thrown)
    assert len(known) >= 5
    canvas = np.full_like(thrown, thrown[360, 640])
    small = cv2.resize(thrown, None, fx=part, fy=part, interpolation=cv2.INTER_AREA)
    canvas[: small.shape[0], : small.shape[1]] = small
    found = DETECTOR.detect(canvas)
    for die in known:
        box = Detection(part * die.x, part * die.y, part * die.width, part * die.height, die.score)
        assert any(iou(box, other) > 0.4 for other in found)


def test_an_even_frame_holds_nothing_and_costs_little(thrown: Image) -> None:
    even = np.full_like(thrown, 90)
    assert DETECTOR.detect(even) == []
    assert looked_at(even) < 0.1 * 640 * 360


def test_one_find_for_one_die(thrown: Image) -> None:
    found = DETECTOR.detect(thrown)
    for i, die in enumerate(found):
        assert all(iou(die, other) <= SAME_IOU for other in found[:i])


def test_the_largest_reduction_is_not_looked_at_for_large_dice(thrown: Image) -> None:
    near = thrown[200:560, 300:940].repeat(2, axis=0).repeat(2, axis=1)
    assert min(die.longer for die in plain(near)) > 150
    assert looked_at(near) < 0.45 * 640 * 360


def test_beside_small_dice_the_large_ones_are_not_looked_at_again(thrown: Image) -> None:
    both = np.full_like(thrown, thrown[360, 640])
    for part, corner in ((0.8, slice(None, None)), (0.3, slice(None, None, -1))):
        dice = cv2.resize(thrown[150:600, 250:1000], None, fx=part, fy=part, interpolation=cv2.INTER_AREA)
        both[corner, corner][: dice.shape[0], : dice.shape[1]] = dice[corner, corner]
    sizes = sorted(die.longer for die in plain(both))
    assert 2 * sizes[0] < sizes[-1]
    assert looked_at(both) < 0.6 * 640 * 360


@pytest.mark.parametrize(("beside", "searched"), [(0.0, False), (0.4, True)])
def test_the_largest_level_is_searched_beside_a_seen_die_where_another_may_be(
    beside: float, searched: bool
) -> None:
    """In the second level a die of 12 pixels is plain, and 8 pixels farther this score is left."""
    shown = []

    def net(pictures: NDArray[Any]) -> NDArray[Any]:
        high, wide = pictures.shape[2:]
        shown.append((high, wide))
        maps = np.full((1, 5, high // STRIDE, wide // STRIDE), -9.0, np.float32)
        if wide == 160:
            maps[0, 0] = -2.0
        if wide == 320:
            maps[0, :, 20, 40] = (3.0, 0.5, 0.5, np.log(3), np.log(3))
            maps[0, 0, 20, 42] = np.log(max(beside, 1e-4) / (1 - beside))
        return maps

    Detector(net).candidates(np.zeros((360, 640, 3), np.uint8))
    around = 16 * (6 + 1)
    assert (192, 320) in shown
    assert ((around, around) in shown) == searched


@pytest.mark.parametrize("seed", [30, 32])
def test_small_dice_are_found_as_well_where_the_rig_tells_the_size_of_dice(seed: int) -> None:
    """At 4.4 px/mm the smallest die that is sold is 31 px long: seen at half size, one of 48 px is missed."""
    frame = frame_of(30, seed)
    on_the_rig = DETECTOR.candidates(frame, Within(31, 266))
    for die in plain(frame):
        assert any(iou(die, other) > 0.7 for other in on_the_rig)


def test_where_something_is_known_to_have_changed_less_will_do(
    thrown: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detection, "LEAST_SCORE", 0.99)
    changed = np.ones((72, 128), np.bool_)
    assert DETECTOR.candidates(thrown) == []
    assert len(DETECTOR.candidates(thrown, Within(31, 266, changed))) >= 5
