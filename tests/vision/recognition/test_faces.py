"""The released face net tells a percentile die's two digits from a numeral, either way up."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from games.dice import EVERY_KIND, KINDS
from tests.vision.recognition.tables import WEIGHTS
from vision.nets import load_nets
from vision.reading import Detection
from vision.recognition.classifiers import (
    CROP_PX,
    VALUES,
    DieClassifier,
    FaceClassifier,
    Pixels,
    Symbol,
    SymbolClassifier,
)
from vision.recognition.doubts import may_be_percentile, may_show_picture
from vision.recognition.evidence import Evidence
from vision.recognition.fusion import Classifiers, Prediction, SymbolReader, Views

NETS = load_nets()


def bearing(text: str, kind: str, up_deg: float) -> Evidence:
    """A die of this kind whose top bears a text, as it is read along `up_deg`."""
    crop: Pixels = np.full((CROP_PX, CROP_PX, 3), (60, 40, 30), np.uint8)
    font, scale, thick = cv2.FONT_HERSHEY_SIMPLEX, 1.1, 3
    (wide, high), _ = cv2.getTextSize(text, font, scale, thick)
    middle = CROP_PX / 2
    at = (round(middle - wide / 2), round(middle + high / 2))
    cv2.putText(crop, text, at, font, scale, (230, 235, 240), thick, cv2.LINE_AA)
    turn = cv2.getRotationMatrix2D((middle, middle), up_deg - 90, 1.0)
    crop = np.asarray(cv2.warpAffine(crop, turn, (CROP_PX, CROP_PX), borderMode=cv2.BORDER_REPLICATE))
    symbol = Symbol(middle, middle, max(wide, 1.35 * high), 0.95, ())
    joint = np.zeros((len(KINDS), VALUES))
    joint[KINDS.index(kind), 7] = 1.0
    said = Prediction(joint, symbol, 0.95, 0.9, 0.01, 0.01, 0.001, up_deg=90.0, read_as=7)
    classifiers = Classifiers(
        DieClassifier(NETS.die),
        SymbolReader(SymbolClassifier(NETS.symbol), WEIGHTS),
        FaceClassifier(NETS.face),
    )
    return Evidence(Detection(36, 36, 40, 40, 0.9), Views(classifiers, crop), said, (CROP_PX, CROP_PX))


@pytest.mark.parametrize("text", ["00", "10", "30", "40", "50", "60", "70", "80", "90"])
@pytest.mark.parametrize("up_deg", [90.0, 270.0])
def test_two_digits_on_a_d10_may_be_a_percentile_dies(text: str, up_deg: float) -> None:
    assert may_be_percentile(bearing(text, "d10", up_deg))


@pytest.mark.parametrize("text", ["0", "1", "2", "3", "4", "5", "7", "8"])
def test_one_digit_is_plain(text: str) -> None:
    die = bearing(text, "d10", 90.0)
    assert not may_be_percentile(die)
    assert not may_show_picture(die)


@pytest.mark.parametrize("text", ["10", "20"])
def test_a_round_number_on_a_d20_is_plain(text: str) -> None:
    assert not may_show_picture(bearing(text, "d20", 90.0))


@pytest.mark.parametrize("text", ["X", "Y", "#", "%"])
def test_a_mark_that_is_no_value_is_a_picture(text: str) -> None:
    assert may_show_picture(bearing(text, "d8", 90.0))


def test_a_10_in_two_digits_counts_for_a_d10_and_for_a_percentile_die() -> None:
    ten = bearing("10", "d10", 90.0)
    joint = np.zeros((len(KINDS), VALUES))
    joint[KINDS.index("d10"), 10] = 1.0
    both = ten._replace(prediction=replace(ten.prediction, joint=joint)).joint()
    assert both[EVERY_KIND.index("d10"), 10] > 0.9
    assert both[EVERY_KIND.index("d100"), 2] > 0.5
    thirty = bearing("30", "d10", 90.0).joint()
    assert thirty[EVERY_KIND.index("d10")].sum() < 0.5 < thirty[EVERY_KIND.index("d100"), 4]
