"""Where a die's top points is measured in a view that its symbol turns upright, and told in the frame's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from games.dice import KINDS
from vision.recognition.attitude import (
    CELLS,
    EDGES,
    FEATURES,
    ORIENTATIONS,
    PLACE,
    VIEW_PX,
    AttitudeNet,
    Upright,
    histogram,
)
from vision.recognition.crops import CROP_PX
from vision.recognition.die_classifier import Orientation, Symbol

if TYPE_CHECKING:
    from numpy.typing import NDArray

D8, D20 = KINDS.index("d8"), KINDS.index("d20")


def die(up_deg: float, x: float = CROP_PX / 2, kind: int = D8) -> Upright:
    crop = np.random.default_rng(1).integers(0, 256, (CROP_PX, CROP_PX, 3), np.uint8)
    return Upright(crop, kind, Symbol(x, CROP_PX / 2, 30.0, 0.9, (Orientation(up_deg, 1.0),)), 1.0)


class Fixed:
    """A net that always says that the top points up in the view; keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: NDArray[Any] = np.zeros((0, FEATURES))

    def __call__(self, rows: NDArray[Any]) -> NDArray[Any]:
        self.shown = rows
        return np.tile(np.array([0.0, -0.2, 0.03], np.float32), (len(rows), 1))


@pytest.mark.parametrize(
    ("up_deg", "top"), [(90, (0, -0.2)), (0, (0.2, 0)), (180, (-0.2, 0)), (-90, (0, 0.2))]
)
def test_up_in_the_view_is_where_the_symbols_up_points_in_the_frame(
    up_deg: float, top: tuple[float, float]
) -> None:
    (told,) = AttitudeNet(Fixed()).measure([die(up_deg)])
    assert told.top == pytest.approx(top, abs=1e-6)
    assert told.error == pytest.approx(0.03)


def test_the_views_in_which_a_top_looks_the_same_are_averaged() -> None:
    class Turning(Fixed):
        """Says that the top points up in the view, farther in each further one."""

        def __call__(self, rows: NDArray[Any]) -> NDArray[Any]:
            return np.array([(0.0, -0.1 * k, 0.01 * k) for k in range(1, len(rows) + 1)], np.float32)

    before, d20, after = AttitudeNet(Turning()).measure([die(90), die(90, kind=D20), die(90)])
    assert before.top == pytest.approx([0, -0.1], abs=1e-6)
    ways = np.radians([90, 210, 330])
    seen = np.array([0.2, 0.3, 0.4]) * [np.cos(ways), -np.sin(ways)]
    assert d20.top == pytest.approx(seen.mean(1), abs=1e-6)
    assert (d20.error, after.error) == pytest.approx((0.03, 0.05))


def test_the_net_is_shown_the_kind_and_where_the_symbol_is_in_the_upright_view() -> None:
    net = Fixed()
    AttitudeNet(net).measure([die(90, x=CROP_PX * 0.6), die(0, x=CROP_PX * 0.6, kind=0)])
    assert net.shown.shape == (2, FEATURES)
    kinds = net.shown[:, EDGES + PLACE :]
    assert kinds.argmax(1).tolist() == [D8, 0]
    assert kinds.sum() == 2
    right, down = net.shown[:, EDGES], net.shown[:, EDGES + 1]
    assert right[0] > 0.3 > abs(down[0])
    assert down[1] < -0.3 < -abs(right[1])  # what is right in the crop is up in the second view


def test_without_dice_nothing_is_run() -> None:
    def never(_rows: NDArray[Any]) -> NDArray[Any]:
        raise AssertionError

    assert AttitudeNet(never).measure([]) == []


@pytest.mark.parametrize(("turned", "orientation"), [(False, 0), (True, ORIENTATIONS // 2)])
def test_an_edge_counts_for_its_orientation_and_its_cell(turned: bool, orientation: int) -> None:
    view = np.zeros((VIEW_PX, VIEW_PX, 3), np.uint8)
    view[:, VIEW_PX // 4 :] = 200
    view = np.ascontiguousarray(view.transpose(1, 0, 2)) if turned else view
    cells = histogram(view).reshape(CELLS, CELLS, ORIENTATIONS)
    row, column, strongest = np.unravel_index(cells.argmax(), cells.shape)
    assert strongest == orientation
    assert (row if turned else column) in (CELLS // 4 - 1, CELLS // 4)
    assert cells[-1, -1].max() < 0.05 * cells.max()


def test_more_light_changes_little() -> None:
    view = np.random.default_rng(2).integers(0, 100, (VIEW_PX, VIEW_PX, 3), np.uint8)
    dim, bright = histogram(view), histogram(view * 2)
    assert np.abs(bright - dim).max() < 0.25 * dim.max()  # as a plain sum it would be 0.41
