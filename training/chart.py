"""A picture (SVG) of how far readings may be trusted: reliability, and risk against coverage."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from training.types import Array

INCHES = (8.5, 4.6)
MOST_RISK = 5.0
"""Percent of wrong readings among the sure at the top of the right-hand panel."""
FEWEST = 20
"""Readings from which on a risk is drawn: of fewer a single one is several percent."""


@dataclass(frozen=True)
class Series:
    """One source: each reading's confidence (n,), whether it is right (n,), and how many dice lay there."""

    name: str
    confidence: Array
    right: Array
    dice: int


def chart(series: list[Series]) -> str:
    """The picture: how often readings of each tenth of confidence are right, and the risk that is left.

    On the left the part that is right against the confidence; on the right the percentage of wrong readings
    among the sure against the percentage of the dice that are sure and right. The same series make the same
    text.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "", "svg.fonttype": "none"}):
        figure = Figure(INCHES, layout="constrained")
        left, right = figure.subplots(1, 2)
        left.axline((0, 0), (1, 1), color="silver", linestyle="dashed")
        left.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence", ylabel="part that is right")
        right.set(xlim=(0, 100), ylim=(0, MOST_RISK))
        right.set(xlabel="sure and right, % of the dice", ylabel="wrong, % of the sure")
        for one in series:
            said, true, counts = np.array(reliability(one.confidence, one.right)[1]).reshape(-1, 3).T
            area = 10 + 200 * counts / len(one.confidence)
            dots = left.scatter(said, true, area, alpha=0.7, label=one.name, clip_on=False, zorder=3)
            right.plot(*risks(one), color=dots.get_facecolor()[0], alpha=1.0)
        figure.legend(loc="outside lower center", ncols=3, frameon=False)
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def reliability(confidence: Array, right: Array) -> tuple[float, list[tuple[float, float, int]]]:
    """Expected calibration error, and for each tenth the mean confidence, the part right and the count."""
    rows, error = [], 0.0
    tenth = np.minimum((confidence * 10).astype(int), 9)
    for k in range(10):
        inside = tenth == k
        if inside.any():
            said, true = float(confidence[inside].mean()), float(right[inside].mean())
            rows.append((round(said, 3), round(true, 3), int(inside.sum())))
            error += abs(true - said) * float(inside.mean())
    return error, rows


def risks(one: Series) -> tuple[Array, Array]:
    """Risk against coverage as confidence falls: % of the dice sure and right, % wrong among the sure."""
    right = np.cumsum(one.right[np.argsort(-one.confidence)])[FEWEST - 1 :]
    count = np.arange(FEWEST, FEWEST + len(right))
    return 100 * right / one.dice, 100 * (count - right) / count
