"""Stage `calibrate`: fits how far readings are trusted, on whole frames that no net was trained on."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from games.dice import KINDS
from training.chart import Series, chart
from training.risk import CERTAINTY, RENDERS, RISK, THRESHOLDS, least_threshold, table, write_table
from training.types import Array
from vision.detection import iou
from vision.fitted import logistic
from vision.reader import DiceReader
from vision.reading import Detection
from vision.recognition.doubts import evidence_of, features_of, first_doubt
from vision.recognition.evidence import CONFIDENCE_FEATURES

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)
SAME = 0.2
"""IoU from which a detection and a label are one die."""
STIFFNESS = 0.001
"""Weight of the squared weights in the fit."""
UNLABELLED = ("catan_pips", "burks_black_tray")
"""Sources that leave dice unlabelled: what is found where nothing is labelled is not judged."""
BARRELS = {"burks_black_tray": "d4"}
"""A kind that a source has in a shape that is none of ours: counted apart."""


@dataclass(frozen=True)
class Judged:
    """What the detections in a source's pictures are.

    `cues` (n, cues) has one row for each detection. `right` (n,): its kind and value are right. `free` (n,):
    nothing but its confidence can keep it from being sure. `labelled` (n,): a die is labelled there. `dice`
    is their number. `odd_cues` and `odd_dice` are the same of dice that are cocked, covered or of a kind that
    is not read.
    """

    cues: Array
    right: Array
    free: Array
    labelled: Array
    dice: int
    odd_cues: Array
    odd_dice: int


def judge(folder: Path, most: int, reader: DiceReader) -> Judged:
    """What the exported nets say of what they detect in the labelled pictures of a folder."""
    rows, right, free, labelled, odd_rows = [], [], [], [], []
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
                labelled.append(die is not None)
            elif not doubtful:
                odd_rows.append(features_of(seen, limits))
    none = np.zeros((0, len(CONFIDENCE_FEATURES)))
    return Judged(
        np.array(rows or none), np.array(right, bool), np.array(free, bool), np.array(labelled, bool), dice,
        np.array(odd_rows or none), odd_dice,
    )  # fmt: skip


def _is_odd(die: dict[str, Any], source: str) -> bool:
    return bool(die.get("cocked")) or BARRELS.get(source) == die["type"]


def _same(die: dict[str, Any], best: tuple[int, int]) -> bool:
    return (die["type"], die["value"]) == (KINDS[best[0]], best[1])


def _labelled(
    labels: list[dict[str, Any]], detection: Detection, best: tuple[int, int]
) -> dict[str, Any] | None:
    """The label of a detection: the one it overlaps most, else one without a box that says the same."""
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


def calibrate(work: Path, models: Path, photos: Path, held: tuple[str, ...], most: int = 250) -> None:
    """Fits the confidence on rendered shots and held-out sources; writes it, its picture and its table.

    What is drawn and told of a source comes from a fit that left that source out. Odd dice are not fitted:
    from one picture a slight tilt cannot be told, and how many dice are cocked is the table's affair.
    """
    sources = {RENDERS: work / "shots", **{name: photos / "train" / name for name in held}}
    reader = DiceReader()
    judged = {name: judge(folder, most, reader) for name, folder in sources.items()}
    others = {name: [j for other, j in judged.items() if other != name] for name in judged}
    series, flat = [], []
    for name, mine in judged.items():
        p = logistic(mine.cues, fit_of(others[name]))
        log.info("%s: %d dice, %d detections", name, mine.dice, len(p))
        series.append(Series(name, p[mine.free], mine.right[mine.free], mine.dice))
        on_dice = mine.free & mine.labelled
        flat.append(Series(name, p[on_dice], mine.right[on_dice], mine.dice))
    renders = judged[RENDERS]
    p = logistic(renders.odd_cues, fit_of(others[RENDERS]))
    odd = [100 * float((p >= threshold).sum()) / max(1, renders.odd_dice) for threshold in THRESHOLDS]
    log.info(
        "of the flat dice that are sure from %s, at most %.1f %% are wrong, with %.0f %% confidence",
        least_threshold(flat), 100 * RISK, 100 * CERTAINTY,
    )  # fmt: skip
    drawn = chart(series)
    fitted = json.loads((models / "fitted.json").read_text(encoding="utf-8"))
    weights = np.round(fit_of(list(judged.values())), 4)
    fitted["confidence"] = dict(zip((*CONFIDENCE_FEATURES, "bias"), weights.tolist(), strict=True))
    (models / "fitted.json").write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")
    (models / "confidence.svg").write_text(drawn, encoding="utf-8")
    write_table(models / "README.md", table(series, flat, odd))


def fit_of(judged: list[Judged]) -> Array:
    """The fit on all of these."""
    return fit(np.concatenate([j.cues for j in judged]), np.concatenate([j.right for j in judged]))
