"""A picture (SVG) of how far readings may be trusted: reliability, and risk against coverage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from vision.training.types import Array

SIDE, GAP, TOP = 300.0, 64.0, 34.0
COLOURS = ("#1f6f8b", "#c8553d", "#5b8c3e", "#7d5ba6", "#b8860b")
MOST_RISK = 5.0
"""Percent of wrong readings among the sure at the top of the right-hand panel."""
FEWEST = 20
"""Readings from which on a risk is drawn: of fewer a single one is several percent."""


@dataclass(frozen=True)
class Series:
    """One source: the trust (n,) in each reading, whether it is right (n,), and how many dice lay there."""

    name: str
    trust: Array
    right: Array
    dice: int


def chart(series: list[Series]) -> str:
    """The picture: how often readings of each tenth of trust are right, and the risk that is left.

    On the left the part that is right against the trust; on the right the percentage of wrong readings among
    the sure against the percentage of the dice that are sure and right.
    """
    width, height = 3 * GAP + 2 * SIDE, TOP + SIDE + 76
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
        ' font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        *_axes(GAP, "trust", "part that is right", ("0", "0.5", "1"), ("0", "0.5", "1")),
        *_axes(
            2 * GAP + SIDE,
            "sure and right, % of the dice",
            "wrong, % of the sure",
            ("0", "50", "100"),
            ("0", f"{MOST_RISK / 2:g}", f"{MOST_RISK:g}"),
        ),
        f'<path d="{_path(GAP, [(0, 0), (1, 1)])}" stroke="#bbb" stroke-dasharray="4" fill="none"/>',
    ]
    for i, (one, colour) in enumerate(zip(series, COLOURS, strict=False)):
        for x, y, count in reliability(one.trust, one.right)[1]:
            radius = 2 + 6 * np.sqrt(count / len(one.trust))
            parts.append(
                f'<circle cx="{GAP + x * SIDE:.1f}" cy="{TOP + (1 - y) * SIDE:.1f}" r="{radius:.1f}"'
                f' fill="{colour}" fill-opacity="0.7"/>'
            )
        curve = [(cover, risk / MOST_RISK) for cover, risk in _risks(one) if risk <= MOST_RISK]
        parts.append(
            f'<path d="{_path(2 * GAP + SIDE, curve)}" stroke="{colour}" stroke-width="1.5" fill="none"/>'
        )
        parts.append(
            f'<text x="{GAP + i * 160:.0f}" y="{TOP + SIDE + 64:.0f}" fill="{colour}">● {one.name}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


def reliability(trust: Array, right: Array) -> tuple[float, list[tuple[float, float, int]]]:
    """Expected calibration error, and for each tenth the mean trust, the part right and the count."""
    rows, error = [], 0.0
    tenth = np.minimum((trust * 10).astype(int), 9)
    for k in range(10):
        inside = tenth == k
        if inside.any():
            said, true = float(trust[inside].mean()), float(right[inside].mean())
            rows.append((round(said, 3), round(true, 3), int(inside.sum())))
            error += abs(true - said) * float(inside.mean())
    return error, rows


def _risks(one: Series) -> list[tuple[float, float]]:
    """Part of the dice that are sure and right, percentage of wrong ones among the sure, as trust falls."""
    right = np.cumsum(one.right[np.argsort(-one.trust)])
    count = np.arange(1, len(right) + 1)
    return [
        (float(good) / one.dice, 100 * float(n - good) / float(n))
        for good, n in zip(right[FEWEST - 1 :], count[FEWEST - 1 :], strict=True)
    ]


def _path(left: float, points: list[tuple[float, float]]) -> str:
    """The line through points 0 … 1 of the panel that begins at `left`."""
    return " ".join(
        f"{'L' if i else 'M'}{left + x * SIDE:.1f} {TOP + (1 - y) * SIDE:.1f}"
        for i, (x, y) in enumerate(points)
    )


def _axes(
    left: float, across: str, upward: str, xs: tuple[str, str, str], ys: tuple[str, str, str]
) -> list[str]:
    """The frame of a panel with its words and three numbers along each side."""
    low = TOP + SIDE
    return [
        f'<rect x="{left}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#444"/>',
        *(
            f'<text x="{left + i * SIDE / 2}" y="{low + 16}" text-anchor="middle">{word}</text>'
            for i, word in enumerate(xs)
        ),
        *(
            f'<text x="{left - 6}" y="{low - i * SIDE / 2 + 4}" text-anchor="end">{word}</text>'
            for i, word in enumerate(ys)
        ),
        f'<text x="{left + SIDE / 2}" y="{low + 36}" text-anchor="middle">{across}</text>',
        f'<text x="{left}" y="{TOP - 12}">{upward}</text>',
    ]
