"""Stage `calibrate`: how often the reader is right at each confidence, on pictures it never saw."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from vision.training.crops import CLASSES, ROOM, STORED, UNREADABLE
from vision.training.finder import Candidate
from vision.training.net_reader import VIEWS, agreed, confident, views_of
from vision.training.nets import Reader
from vision.training.types import Array

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)
THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998)


@dataclass(frozen=True)
class Judged:
    """The agreed answers for n crops: class said, confidence, and the class that is right."""

    said: Array
    confidence: Array
    truth: Array

    def at(self, threshold: float) -> dict[str, float]:
        """Percent of the readable dice right and asked, and of all crops wrong, if sure from `threshold`."""
        sure = (self.confidence >= threshold) & (self.said < UNREADABLE)
        dice = max(1, int((self.truth < UNREADABLE).sum()))
        right = int((sure & (self.said == self.truth)).sum())
        wrong = int((sure & (self.said != self.truth)).sum())
        return {
            "right": 100 * right / dice,
            "asked": 100 * int((~sure & (self.truth < UNREADABLE)).sum()) / dice,
            "wrong": 100 * wrong / dice,
            "count": dice,
        }

    def reliability(self, bins: int = 10) -> tuple[float, list[tuple[float, float, int]]]:
        """Expected calibration error, and per bin the mean confidence, the part right and the count."""
        rows, error = [], 0.0
        for low in np.linspace(0, 1, bins, endpoint=False):
            inside = (self.confidence >= low) & (self.confidence < low + 1 / bins + (low > 0.89))
            if inside.any():
                right = float((self.said == self.truth)[inside].mean())
                mean = float(self.confidence[inside].mean())
                rows.append((round(mean, 4), round(right, 4), int(inside.sum())))
                error += abs(right - mean) * inside.mean()
        return error, rows


def judge(net: Reader, pack: Path, most: int, seed: int = 3) -> Judged:
    """What the net says of at most `most` crops of a pack, each cut a little off as a detector would."""
    rng = np.random.default_rng(seed)
    with np.load(pack) as stored:
        crops, truth = stored["crops"], stored["classes"].astype(int)
    chosen = rng.permutation(len(crops))[:most]
    said, confidence = [], []
    for i in chosen:
        side = STORED / ROOM * float(np.exp(rng.normal(0, 0.04)))
        x, y = STORED / 2 - side / 2 + rng.normal(0, 0.02, 2) * side
        candidate = Candidate(float(x), float(y), side, side, 1.0)
        views = np.stack(views_of(crops[i], candidate, VIEWS)).transpose(0, 3, 1, 2)
        with torch.no_grad():
            scores = torch.log_softmax(
                net(torch.from_numpy(np.ascontiguousarray(views)).float() / 255), 1
            ).numpy()
        said.append(int(agreed(scores).argmax()))
        confidence.append(confident(scores))
    return Judged(np.array(said), np.array(confidence), truth[chosen])


def calibrate(work: Path, weights: str, held: tuple[str, ...], most: int = 1200) -> None:
    """Logs right, asked and wrong at each threshold for the sources that `weights` never saw; keeps JSON."""
    net = Reader()
    net.load_state_dict(torch.load(work / f"{weights}.pt", weights_only=True))
    net.eval()
    out = {}
    for name in ("render000", *(f"photo_{source}" for source in held)):
        judged = judge(net, work / "packs" / f"{name}.npz", most)
        error, rows = judged.reliability()
        log.info(
            "%s: %d crops of %d classes, expected calibration error %.4f",
            name,
            len(judged.said),
            CLASSES,
            error,
        )
        table = {threshold: judged.at(threshold) for threshold in THRESHOLDS}
        for threshold, row in table.items():
            log.info("  sure from %.3f: right %.2f asked %.2f wrong %.2f %% of %d", threshold, *row.values())
        out[name] = {"error": error, "reliability": rows, "thresholds": table}
    (work / f"calibration_{weights}.json").write_text(json.dumps(out, indent=1), encoding="utf-8")
