"""Whether a die lies unmoved: by millimetres where both places are known, else by the boxes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dicetable.ledger.entries import LyingDie
from dicetable.table.baseline import closeness, remembered, unmoved
from vision.reading import DieReading

BOX = (100, 100, 70, 70)
DIE = DieReading("d6", 3, 1.0, BOX, position_mm=(10.0, -20.0))


def moved(x_mm: float, y_mm: float, x_px: int = 0) -> DieReading:
    return replace(DIE, box=(100 + x_px, 100, 70, 70), position_mm=(10.0 + x_mm, -20.0 + y_mm))


@pytest.mark.parametrize("x_px", [0, 500])
def test_millimetres_tell_whatever_the_pixels_are(x_px: int) -> None:
    """After a bump the same die is seen elsewhere in the frame."""
    near, far = moved(2.9, 0, x_px), moved(0, 3.1, x_px)
    assert closeness(DIE, near) >= 1 > closeness(DIE, far)
    assert closeness(DIE, DIE) > closeness(DIE, near)
    assert 3.0 / closeness(DIE, moved(3.0, 4.0, x_px)) == pytest.approx(5.0)


@pytest.mark.parametrize(("one", "other"), [(None, None), (None, (0.0, 0.0)), ((0.0, 0.0), None)])
def test_without_a_place_of_each_the_boxes_tell(
    one: tuple[float, float] | None, other: tuple[float, float] | None
) -> None:
    here = replace(DIE, position_mm=one)
    for x_px, same in ((8, True), (16, False)):
        there = replace(moved(0, 0, x_px), position_mm=other)
        assert (closeness(here, there) >= 1) is same


def test_the_nearest_of_several_is_the_die() -> None:
    lying = [LyingDie("d6", 3, BOX, (12.5, -20.0)), LyingDie("d6", 3, BOX, (11.0, -20.0))]
    assert unmoved([DIE], lying) == [1]


def test_what_is_remembered_of_a_die_has_its_position() -> None:
    (lying,) = remembered([DIE])
    assert lying.position_mm == DIE.position_mm
    assert unmoved([moved(1.0, 0, 300)], [lying]) == [0]
