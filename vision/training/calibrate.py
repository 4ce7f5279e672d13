"""Stage `calibrate`: fits how far readings are trusted, on whole frames that no net was trained on."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from games.dice import KINDS
from vision.any_dice import finds, told
from vision.finder import Candidate, overlap
from vision.training.chart import Series, chart, reliability
from vision.training.types import Array
from vision.trust import CUES

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)
THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995)
SAME = 0.2
"""Overlap from which a find and a label are one die."""
STIFFNESS = 0.001
"""Weight of the squared weights in the fit."""


@dataclass(frozen=True)
class Judged:
    """n finds: cues (n, cues), whether kind and value are right (n,), the frame of each (n,); dice in all."""

    cues: Array
    right: Array
    frame: Array
    dice: int


def judge(folder: Path, most: int) -> Judged:
    """What the exported nets say of the places they find in the labelled pictures of a folder."""
    rows, right, frames, dice = [], [], [], 0
    lines = (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    for number in np.random.default_rng(4).permutation(len(lines))[:most]:
        label = json.loads(lines[number])
        frame = cv2.imread(str(folder / label["image"]))
        if frame is None:
            raise OSError(f"{folder / label['image']} cannot be read")
        dice += sum(not die.get("cocked") for die in label["dice"])
        for seen in finds(frame):
            rows.append(told(frame, seen))
            right.append(_agrees(label["dice"], seen.candidate, seen.said.best))
            frames.append(number)
    return Judged(np.array(rows).reshape(-1, len(CUES)), np.array(right, bool), np.array(frames), dice)


def _agrees(labels: list[dict[str, Any]], candidate: Candidate, best: tuple[int, int]) -> bool:
    kind, value = KINDS[best[0]], best[1]
    return any(
        (die["type"], die["value"]) == (kind, value)
        and not die.get("cocked")
        and (die["bbox"] is None or overlap(candidate, _boxed(*die["bbox"])) > SAME)
        for die in labels
    )


def _boxed(x: float, y: float, w: float, h: float) -> Candidate:
    return Candidate(x, y, w, h, 1.0)


def fit(cues: Array, right: Array) -> Array:
    """Weights and bias (cues + 1,) of the logistic regression, by Newton's method."""
    x = np.hstack([cues, np.ones((len(cues), 1))])
    w = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        slope = x.T @ (p - right) / len(x) + STIFFNESS * w
        bend = (x * (p * (1 - p))[:, None]).T @ x / len(x) + STIFFNESS * np.eye(len(w))
        w -= np.linalg.solve(bend, slope)
    return np.asarray(w)


def trusted(cues: Array, weights: Array) -> Array:
    """Probabilities (n,)."""
    return np.asarray(1 / (1 + np.exp(-np.clip(cues @ weights[:-1] + weights[-1], -30, 30))))


def calibrate(work: Path, models: Path, photos: Path, held: tuple[str, ...], most: int = 120) -> None:
    """Fits the trust on rendered shots and held-out sources; writes it beside the nets, with its picture.

    What is logged and drawn of a source comes from a fit that left that source out.
    """
    sources = {"renders": work / "shots", **{name: photos / "train" / name for name in held}}
    judged = {name: judge(folder, most) for name, folder in sources.items()}
    report: dict[str, object] = {}
    drawn = []
    for name, mine in judged.items():
        others = [j for other, j in judged.items() if other != name]
        weights = fit(np.concatenate([j.cues for j in others]), np.concatenate([j.right for j in others]))
        p = trusted(mine.cues, weights)
        drawn.append(Series(name, p, mine.right, mine.dice))
        error, rows = reliability(p, mine.right)
        log.info("%s: %d dice, %d finds, expected calibration error %.3f", name, mine.dice, len(p), error)
        table = {}
        for threshold in THRESHOLDS:
            sure = p >= threshold
            right, wrong = (
                100 * float((sure & part).sum()) / mine.dice for part in (mine.right, ~mine.right)
            )
            table[threshold] = (round(right, 2), round(wrong, 2))
            log.info("  sure from %.3f: right %.2f wrong %.2f %%", threshold, right, wrong)
        report[name] = {"error": error, "reliability": rows, "right and wrong": table}
    whole = fit(
        np.concatenate([j.cues for j in judged.values()]), np.concatenate([j.right for j in judged.values()])
    )
    fitted = {
        "weights": dict(zip(CUES, np.round(whole[:-1], 4).tolist(), strict=True)),
        "bias": round(float(whole[-1]), 4),
    }
    (models / "trust.json").write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")
    (models / "trust.svg").write_text(chart(drawn), encoding="utf-8")
    (work / "calibration.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
