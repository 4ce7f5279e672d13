"""Stage `calibrate`: fits how far readings are trusted, on whole frames that no net was trained on."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from games.dice import KINDS
from vision.detection.detections import Detection, iou
from vision.reader import DiceReader
from vision.recognition.confidence import FEATURES
from vision.recognition.doubts import first_doubt
from vision.recognition.judgement import evidence_of, features_of
from vision.training.chart import Series, chart, reliability
from vision.training.types import Array

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)
THRESHOLDS = (0.5, 0.7, 0.8, 0.85, 0.88, 0.9, 0.92, 0.94, 0.96, 0.98, 0.99)
SAME = 0.2
"""Overlap from which a find and a label are one die."""
STIFFNESS = 0.001
"""Weight of the squared weights in the fit."""
UNLABELLED = ("catan_pips", "burks_black_tray")
"""Sources that leave dice unlabelled: what is found where nothing is labelled is not judged."""
BARRELS = {"burks_black_tray": "d4"}
"""A kind that a source has in a shape that is none of ours: counted apart."""


@dataclass(frozen=True)
class Judged:
    """What a source's finds are.

    Of n finds the cues (n, cues), whether kind and value are right (n,), and whether nothing but the trust
    keeps them from being sure (n,); the dice in all. Then the cues of the odd ones that nothing else keeps:
    those that lean, are covered or are no die of ours; and how many of these there are.
    """

    cues: Array
    right: Array
    free: Array
    dice: int
    odd_cues: Array
    odd_dice: int


def judge(folder: Path, most: int, reader: DiceReader) -> Judged:
    """What the exported nets say of the places they find in the labelled pictures of a folder."""
    rows, right, free, odd_rows = [], [], [], []
    dice = odd_dice = 0
    limits = reader.settings.doubts
    lines = (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    for number in np.random.default_rng(4).permutation(len(lines))[:most]:
        label = json.loads(lines[number])
        frame = cv2.imread(str(folder / label["image"]))
        if frame is None:
            raise OSError(f"{folder / label['image']} cannot be read")
        odd = [_is_odd(die, folder.name) for die in label["dice"]]
        odd_dice, dice = odd_dice + sum(odd), dice + len(odd) - sum(odd)
        for seen in reader.recognize(np.asarray(frame, np.uint8)):
            evidence = evidence_of(seen, 1.0, frame.shape, reader.dice, limits)
            doubtful = first_doubt(evidence, limits) is not None
            die = _labelled(label["dice"], seen.detection, seen.prediction.best)
            if die is None and folder.name in UNLABELLED:
                continue
            if die is None or not _is_odd(die, folder.name):
                rows.append(features_of(seen, limits))
                right.append(die is not None and _same(die, seen.prediction.best))
                free.append(not doubtful)
            elif not doubtful:
                odd_rows.append(features_of(seen, limits))
    none = np.zeros((0, len(FEATURES)))
    return Judged(
        np.array(rows or none), np.array(right, bool), np.array(free, bool), dice,
        np.array(odd_rows or none), odd_dice,
    )  # fmt: skip


def _is_odd(die: dict[str, Any], source: str) -> bool:
    return bool(die.get("cocked")) or BARRELS.get(source) == die["type"]


def _same(die: dict[str, Any], best: tuple[int, int]) -> bool:
    return (die["type"], die["value"]) == (KINDS[best[0]], best[1])


def _labelled(
    labels: list[dict[str, Any]], detection: Detection, best: tuple[int, int]
) -> dict[str, Any] | None:
    """The label of a find: the one it overlaps most, else one without a box that says the same."""
    boxed = [(iou(detection, _boxed(*die["bbox"])), i) for i, die in enumerate(labels) if die["bbox"]]
    most, i = max(boxed, default=(0.0, 0))
    if most > SAME:
        return labels[i]
    return next((die for die in labels if not die["bbox"] and _same(die, best)), None)


def _boxed(x: float, y: float, w: float, h: float) -> Detection:
    return Detection(x, y, w, h, 1.0)


def fit(cues: Array, right: Array) -> Array:
    """Weights and bias (cues + 1,) of the logistic regression; all of them are kept small, also the bias."""
    from sklearn.linear_model import LogisticRegression

    x = np.hstack([cues, np.ones((len(cues), 1))])
    model = LogisticRegression(C=1 / (STIFFNESS * len(x)), fit_intercept=False, tol=1e-8, max_iter=1000)
    return np.asarray(model.fit(x, right).coef_[0])


def trusted(cues: Array, weights: Array) -> Array:
    """Probabilities (n,)."""
    return np.asarray(1 / (1 + np.exp(-np.clip(cues @ weights[:-1] + weights[-1], -30, 30))))


def calibrate(work: Path, models: Path, photos: Path, held: tuple[str, ...], most: int = 250) -> None:
    """Fits the trust on rendered shots and held-out sources; writes it beside the nets, with its picture.

    What is logged and drawn of a source comes from a fit that left that source out. Odd dice are not fitted:
    from one picture a slight lean cannot be told, and how many dice lean is the table's affair.
    """
    sources = {"renders": work / "shots", **{name: photos / "train" / name for name in held}}
    reader = DiceReader()
    judged = {name: judge(folder, most, reader) for name, folder in sources.items()}
    report: dict[str, object] = {}
    drawn = []
    for name, mine in judged.items():
        others = [j for other, j in judged.items() if other != name]
        weights = fit(np.concatenate([j.cues for j in others]), np.concatenate([j.right for j in others]))
        p = trusted(mine.cues, weights)
        sure_of_odd = trusted(mine.odd_cues, weights)
        drawn.append(Series(name, p[mine.free], mine.right[mine.free], mine.dice))
        error, rows = reliability(p, mine.right)
        log.info("%s: %d dice, %d finds, expected calibration error %.3f", name, mine.dice, len(p), error)
        table = {}
        for threshold in THRESHOLDS:
            sure = (p >= threshold) & mine.free
            right, wrong = (
                100 * float((sure & part).sum()) / mine.dice for part in (mine.right, ~mine.right)
            )
            odd = 100 * float((sure_of_odd >= threshold).sum()) / max(1, mine.odd_dice)
            table[threshold] = (round(right, 2), round(wrong, 2), round(odd, 1))
            log.info(
                "  sure from %.3f: right %.2f wrong %.2f %%; of the odd %.1f %%", threshold, right, wrong, odd
            )
        report[name] = {"error": error, "reliability": rows, "right, wrong and sure of the odd": table}
    whole = fit(
        np.concatenate([j.cues for j in judged.values()]), np.concatenate([j.right for j in judged.values()])
    )
    fitted = json.loads((models / "fitted.json").read_text(encoding="utf-8"))
    fitted["confidence"] = dict(zip((*FEATURES, "bias"), np.round(whole, 4).tolist(), strict=True))
    (models / "fitted.json").write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")
    (models / "confidence.svg").write_text(chart(drawn), encoding="utf-8")
    (work / "calibration.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
