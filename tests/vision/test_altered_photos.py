"""A photograph that is saved again, cropped, halved or mirrored shows the same dice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
import pytest

from hardware.photograph import load_photograph
from tests.extent import usually
from tests.vision.a_reader import read_dice
from vision.reading import iou

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from vision.reading import Box, Image, Reading

PICTURES: Final = (
    "rune_pips_grey/0003.jpg",
    "rune_pips_grey/0100.jpg",
    "catan_pips/0106.jpg",
    "catan_pips/0117.jpg",
)
"""Photographs of dice with pips, which look the same in a mirror; the last two were taken from low."""


def saved(quality: int) -> Callable[[Image], Image]:
    def again(picture: Image) -> Image:
        _, stored = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, quality))
        return np.asarray(cv2.imdecode(stored, cv2.IMREAD_COLOR), np.uint8)

    return again


def cropped(picture: Image) -> Image:
    return np.ascontiguousarray(picture[6:, 10:])


def halved(picture: Image) -> Image:
    size = (picture.shape[1] // 2, picture.shape[0] // 2)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def mirrored(picture: Image) -> Image:
    return np.ascontiguousarray(picture[:, ::-1])


def same(box: Box, _width: int) -> Box:
    return box


ALTERED: Final[dict[str, tuple[Callable[[Image], Image], Callable[[Box, int], Box]]]] = {
    "saved at 90": (saved(90), same),
    "saved at 75": (saved(75), same),
    "cropped": (cropped, lambda box, _: (box[0] + 10, box[1] + 6, *box[2:])),
    "halved": (halved, lambda box, _: (2 * box[0], 2 * box[1], 2 * box[2], 2 * box[3])),
    "mirrored": (mirrored, lambda box, width: (width - box[0] - box[2], *box[1:])),
}
"""How a picture is altered, and where a box of the altered one lies in the whole one of that width."""


@pytest.mark.photos
@pytest.mark.parametrize("name", usually(PICTURES[::2], PICTURES))
def test_an_altered_picture_shows_no_other_value_and_no_cocked_die(name: str, shared: Path) -> None:
    picture = load_photograph(shared / "photos" / "train" / name).pixels
    before = read_dice(picture)
    assert any(die.sure for die in before.dice)
    for how, (alter, back) in ALTERED.items():
        after = read_dice(alter(picture))
        assert plainly_cocked(after) == plainly_cocked(before) == 0, how
        for die in after.dice:
            box = back(die.box, picture.shape[1])
            there = [old for old in before.dice if old.sure and iou(old.box, box) > 0.5]
            assert not die.sure or {(old.kind, old.value) for old in there} <= {(die.kind, die.value)}, how


def plainly_cocked(reading: Reading) -> int:
    """How many dice would make a throw void, of which no camera could tell without a calibration."""
    return sum(die.cocked and die.value is None for die in reading.dice)
