"""Where a die's top points is measured in a view that its symbol turns upright, and told in the frame's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from games.dice import KINDS
from vision.recognition.attitude import (
    ATTITUDE_FEATURES,
    PIXELS,
    PLACE,
    PLACE_GAIN,
    VIEW_PX,
    VIEW_SPAN,
    AttitudeNet,
    UprightDie,
)
from vision.recognition.classifiers import CROP_PX, Orientation, Symbol

if TYPE_CHECKING:
    from numpy.typing import NDArray

D8, D20 = KINDS.index("d8"), KINDS.index("d20")


def die(up_deg: float, x: float = CROP_PX / 2, kind: int = D8) -> UprightDie:
    crop = np.random.default_rng(1).integers(0, 256, (CROP_PX, CROP_PX, 3), np.uint8)
    return UprightDie(crop, kind, Symbol(x, CROP_PX / 2, 30.0, 0.9, (Orientation(up_deg, 1.0),)), 1.0)


class Fixed:
    """A net that always says that the top points up in the view; keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: NDArray[Any] = np.zeros((0, ATTITUDE_FEATURES))

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


def test_views_a_little_aside_tell_how_much_the_top_scatters() -> None:
    class Misled(Fixed):
        """Says that the top points right by how far right the symbol is in the view."""

        def __call__(self, rows: NDArray[Any]) -> NDArray[Any]:
            return np.column_stack([rows[:, PIXELS], np.zeros(len(rows)), np.full(len(rows), 0.03)])

    assert AttitudeNet(Fixed()).scatter(die(90)) == pytest.approx(0, abs=1e-6)
    moved = PLACE_GAIN * 0.03 / VIEW_SPAN
    for up_deg in (90, 0):
        assert AttitudeNet(Misled()).scatter(die(up_deg)) == pytest.approx(
            moved * np.sqrt(2 / 5 / 2), rel=1e-3
        )


def test_the_net_is_shown_the_kind_and_where_the_symbol_is_in_the_upright_view() -> None:
    net = Fixed()
    AttitudeNet(net).measure([die(90, x=CROP_PX * 0.6), die(0, x=CROP_PX * 0.6, kind=0)])
    assert net.shown.shape == (2, ATTITUDE_FEATURES)
    kinds = net.shown[:, PIXELS + PLACE :]
    assert kinds.argmax(1).tolist() == [D8, 0]
    assert kinds.sum() == 2
    right, down = net.shown[:, PIXELS], net.shown[:, PIXELS + 1]
    assert right[0] > 0.3 > abs(down[0])
    assert down[1] < -0.3 < -abs(right[1])  # what is right in the crop is up in the second view


def test_without_dice_nothing_is_run() -> None:
    def never(_rows: NDArray[Any]) -> NDArray[Any]:
        raise AssertionError

    assert AttitudeNet(never).measure([]) == []


def test_the_net_is_shown_the_die_upright() -> None:
    net, upward, aside = Fixed(), die(90), die(0)
    upward.crop[:] = 0
    upward.crop[: CROP_PX // 2] = 200
    aside.crop[:] = 0
    aside.crop[:, CROP_PX // 2 :] = 200  # what its symbol's up points to
    AttitudeNet(net).measure([upward, aside])
    for row in net.shown:
        view = row[:PIXELS].reshape(VIEW_PX, VIEW_PX, 3)
        assert view[: VIEW_PX // 2 - 2].mean() > 195
        assert view[VIEW_PX // 2 + 2 :].mean() < 5
