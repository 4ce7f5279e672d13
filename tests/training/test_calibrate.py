"""What the trust is fitted on: which finds count as right, as wrong, as odd, and which are not judged."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

import training.calibrate as stage
from games.dice import KINDS
from training.calibrate import fit, fit_of_thrown, judge
from vision.reader import DiceReader
from vision.reading import Detection
from vision.recognition.classifiers import CROP_PX, VALUES, logistic
from vision.recognition.evidence import Evidence, FaceShown
from vision.recognition.fusion import Prediction, Views

if TYPE_CHECKING:
    from pathlib import Path


NETS = DiceReader()


def says(kind: str, value: int, x: float) -> Evidence:
    """A die of 40 pixels at x that is read so."""
    joint = np.zeros((len(KINDS), VALUES))
    joint[KINDS.index(kind), value] = 0.9
    said = Prediction(joint, None, 0.9, 0.3, 0, 0, 0)
    views = Views(NETS.recognizer.classifiers, np.zeros((CROP_PX, CROP_PX, 3), np.uint8))
    return Evidence(Detection(x, 10, 40, 40, 0.9), views, said, (100, 400))


class Finding(DiceReader):
    """Recognizes the same in every frame."""

    def recognize(self, *_: object) -> list[Evidence]:
        return [says("d8", 3, 12), says("d8", 4, 112), says("d8", 7, 212), says("d8", 1, 350)]


READER = Finding()


@pytest.fixture(autouse=True)
def plain_faces(monkeypatch: pytest.MonkeyPatch) -> None:
    """No face bears a picture: the crops of these dice are blank."""
    monkeypatch.setattr(Evidence, "face", lambda _: FaceShown(0.0, 0.0))


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """A folder of one labelled picture: a right die, a wrong one, a leaning one; and something unlabelled."""
    dice = [
        {"type": "d8", "value": 3, "bbox": [10, 10, 40, 40]},
        {"type": "d8", "value": 5, "bbox": [110, 10, 40, 40]},
        {"type": "d8", "value": 7, "bbox": [210, 10, 40, 40], "cocked": True},
    ]
    cv2.imwrite(str(tmp_path / "0.png"), np.zeros((100, 400, 3), np.uint8))
    (tmp_path / "labels.jsonl").write_text(json.dumps({"image": "0.png", "dice": dice}) + "\n")
    return tmp_path


def test_a_leaning_die_is_odd_and_what_has_no_label_is_wrong(picture: Path) -> None:
    judged = judge(picture, 10, READER)
    assert judged.right.tolist() == [True, False, False]
    assert judged.free.tolist() == judged.free_thrown.tolist() == [True, True, True]
    assert judged.labelled.tolist() == [True, True, False]
    assert (judged.dice, judged.odd_dice, len(judged.odd_cues)) == (2, 1, 1)


def test_where_labels_leave_dice_out_only_labelled_places_are_judged(
    picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "UNLABELLED", (picture.name,))
    assert judge(picture, 10, READER).right.tolist() == [True, False]


def test_a_shape_that_is_none_of_ours_is_odd(picture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "BARRELS", {picture.name: "d8"})
    judged = judge(picture, 10, READER)
    assert (judged.dice, judged.odd_dice) == (0, 3)


def test_the_fit_gives_back_the_weights_that_made_the_answers() -> None:
    rng = np.random.default_rng(1)
    cues = rng.normal(0, 1, (20_000, 2))
    right = rng.random(20_000) < logistic(cues, np.array([2.0, -1.0, 0.5]))
    assert fit(cues, right) == pytest.approx(np.array([2.0, -1.0, 0.5]), abs=0.1)


def test_what_only_a_print_would_keep_from_being_sure_is_free_once_it_was_thrown(picture: Path) -> None:
    class Suspecting(Finding):
        def recognize(self, *_: object) -> list[Evidence]:
            found = super().recognize()
            return [one._replace(prediction=replace(one.prediction, no_die=0.4)) for one in found]

    judged = judge(picture, 10, Suspecting())
    assert judged.free.tolist() == [False, False, False]
    assert judged.free_thrown.tolist() == [True, True, True]


def test_only_what_is_a_die_is_fitted_and_only_what_was_read_counts(picture: Path) -> None:
    judged = judge(picture, 10, READER)
    weights = fit_of_thrown([judged])
    assert weights == pytest.approx(fit(judged.cues[:2, :1], judged.right[:2]))
