"""What the attitude net is shown besides dice as they were found, and what it goes on from."""

from __future__ import annotations

from typing import Final
from unittest.mock import Mock

import cv2
import numpy as np
import pytest
import torch

from games.dice import KINDS
from training import learn_attitude
from training.learn_attitude import Sample, Shown, beside, changed, shaded, train
from vision.nets import FOLDER, load_nets
from vision.recognition.attitude import ATTITUDE_FEATURES, PIXELS, VIEW_PX, UprightDie
from vision.recognition.classifiers import CROP_PX, CROP_SPAN, Orientation, Symbol

pytestmark = pytest.mark.slow
AT: Final = (62.0, 47.0)
VIEWS: Final = 64


def found(aspect: float = 0.9) -> Sample:
    """A grey d6 in a black frame, its symbol a white dot."""
    crop = np.zeros((CROP_PX, CROP_PX, 3), np.uint8)
    half = CROP_PX / CROP_SPAN / 2
    corners = [round(CROP_PX / 2 + way * half) for way in (-aspect, -1, aspect, 1)]
    cv2.rectangle(crop, corners[:2], corners[2:], (90, 90, 90), -1)
    cv2.circle(crop, (round(AT[0]), round(AT[1])), 5, (255, 255, 255), -1)
    symbol = Symbol(*AT, 10.0, 0.9, (Orientation(90.0, 1.0),))
    return Sample(UprightDie(crop, KINDS.index("d6"), symbol, aspect), np.array([0.2, -0.1]))


def test_a_die_in_another_box_has_its_symbol_and_its_box_where_they_are_seen() -> None:
    rng = np.random.default_rng(5)
    aspects = []
    for _ in range(200):
        die = changed(found(), rng).die
        bright = die.crop.mean(2)
        y, x = np.nonzero(bright > 0.75 * bright.max())
        assert np.hypot(x.mean() - die.symbol.x, y.mean() - die.symbol.y) < 1.5
        aspects.append(die.aspect)
    told = np.array(aspects)
    assert abs(np.median(told) - 0.9) < 0.02
    assert (abs(told - 0.9) > 0.1).sum() > 10  # boxes that hold more than the die
    assert (abs(told - 0.9) < 0.04).sum() > 80


def test_a_box_that_holds_what_lies_to_the_right_has_the_die_at_its_left() -> None:
    rng = Mock()  # the right edge is 0.2 beyond the die, and nothing else changes it
    rng.normal.side_effect = lambda *size: np.array([0.0, 0.0, 0.2, 0.0]) if len(size) > 2 else 0.0
    rng.random.return_value = 0.9
    rng.integers.return_value = 0
    die = changed(found(), rng).die
    rows, columns = np.nonzero(die.crop.mean(2) > 45)
    side = CROP_PX / CROP_SPAN
    assert die.aspect == pytest.approx(1.1)
    assert columns.min() == pytest.approx((CROP_PX - side) / 2, abs=1.5)
    assert np.ptp(columns) == pytest.approx(0.9 / 1.1 * side, abs=2)
    assert np.ptp(rows) == pytest.approx(side / 1.1, abs=2)


def views() -> torch.Tensor:
    """Rows of plain views, each of its own grey, and numbers that are not pixels."""
    rows = torch.full((VIEWS, ATTITUDE_FEATURES), 0.25)
    rows[:, :PIXELS] = torch.linspace(40, 200, VIEWS)[:, None]
    return rows


def test_shadows_darken_a_part_of_some_views() -> None:
    torch.manual_seed(3)
    before, after = views(), shaded(views())
    assert (after <= before + 1e-3).all()
    assert torch.equal(after[:, PIXELS:], before[:, PIXELS:])
    struck = (after[:, :PIXELS] < before[:, :PIXELS] - 1).any(1)
    assert 0.1 < struck.float().mean() < 0.5
    part = (after[struck, :PIXELS] < before[struck, :PIXELS] - 1).float().mean(1)
    assert 0.1 < part.mean() < 0.9


def test_other_things_lie_at_one_side_of_some_dice_and_never_on_their_middle() -> None:
    torch.manual_seed(3)
    before, after = views(), beside(views())
    assert torch.equal(after[:, PIXELS:], before[:, PIXELS:])
    moved = (after - before)[:, :PIXELS].abs().view(VIEWS, VIEW_PX, VIEW_PX, 3).amax(3) > 1
    assert 0.15 < moved.any((1, 2)).float().mean() < 0.5
    inner = slice(VIEW_PX // 2 - 5, VIEW_PX // 2 + 5)
    assert not moved[:, inner, inner].any()
    assert moved.float().mean((1, 2)).max() < 0.4


def test_a_net_that_goes_on_begins_as_the_released_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn_attitude, "STEPS_ON", 0)
    rows = views()[:8]
    rows[:, PIXELS:] = 0
    rows[:, -5] = 1
    dice = Shown(
        np.zeros((1, PIXELS), np.uint8),
        np.zeros((1, ATTITUDE_FEATURES - PIXELS)),
        np.zeros((1, 2)),
        np.ones(1),
    )
    with torch.no_grad():
        said = train(dice, FOLDER / "attitude.onnx")(rows).numpy()
    wanted = load_nets().attitude(rows.numpy())
    assert np.abs(said - wanted).max() < 1e-4
    assert wanted.std() > 1e-3
