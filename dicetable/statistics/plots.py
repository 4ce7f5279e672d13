"""Pictures of what the throws say of a die. Needs matplotlib, the extra `stats`."""

import warnings
from collections.abc import Sequence
from io import BytesIO
from math import log
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from common.texts import games
from common.texts import statistics as texts
from dicetable.statistics.players import PlayerStatistics
from dicetable.statistics.report import DieReport, evidence_curve
from dicetable.statistics.tapes import Tape
from dicetable.table import bias
from games.dice import FACES, VALUES

BLUE: Final = "#0072b2"
LIGHT_BLUE: Final = "#9fd0ee"
VERMILION: Final = "#d55e00"
"""A colour of Okabe and Ito's palette, which people with any colour vision can distinguish."""
MOST_POINTS: Final = 2_000
"""Most points in a curve; more would only make the file larger."""
FORMATS: Final = ("png", "svg")


def pictures(die: DieReport, tape: Tape) -> dict[str, Figure]:
    """The figures of a die, by what they show; `pairs` only if there are any."""
    figures = {"faces": faces(die), "evidence": evidence(die, tape)}
    if die.transitions.any():
        figures["pairs"] = pairs(die)
    return figures


def recap(evening: str, people: Sequence[PlayerStatistics]) -> Figure:
    """Draws an evening: each player's wins of the games played to their end, and the luck in each."""
    lucky = [
        (f"{player.name}, {games.title(game)}", luck.deviations)
        for player in people
        for game, luck in player.luck.items()
        if luck.deviations is not None
    ]
    heights = [max(1, len(people)), max(1, len(lucky))]
    figure = Figure(figsize=(7.0, 1.6 + 0.42 * sum(heights)), layout="constrained")
    figure.suptitle(evening, fontsize=12, parse_math=False)
    above, below = figure.subplots(2, 1, height_ratios=heights)
    played = [sum(player.played.values()) for player in people]
    won = [sum(player.won.values()) for player in people]
    names = [player.name for player in people]
    bars(above, names, played, LIGHT_BLUE, texts.PLAYED)
    bars(above, names, won, BLUE, texts.WON)
    above.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    above.set_xlim(0, max([1, *played]) * 1.02)
    above.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    bars(below, [who for who, _ in lucky], [deviations for _, deviations in lucky], BLUE, texts.LUCK_PLOT)
    reach = max([2.5, *(abs(deviations) + 0.2 for _, deviations in lucky)])
    below.set_xlim(-reach, reach)
    below.axvline(0, color="grey", linewidth=0.8)
    for limit in (-2, 2):
        below.axvline(limit, color=VERMILION, linestyle="--", linewidth=0.9)
    below.set_xlabel(texts.LUCK_PLOT)
    if not lucky:
        below.set_visible(False)
    return figure


def bars(axes: Axes, names: Sequence[str], values: Sequence[float], colour: str, label: str) -> None:
    places = range(len(names), 0, -1)
    axes.barh(places, values, 0.6, color=colour, label=label)
    axes.set_yticks(places, names, parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)


def encoded(figure: Figure, suffix: str) -> bytes:
    """Encodes the figure; the same figure always gives the same bytes."""
    file = BytesIO()
    with mpl.rc_context({"svg.hashsalt": "dicetable"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # in the name of a die; a box stands for it
        figure.savefig(file, format=suffix, dpi=150, metadata={"Date": None} if suffix == "svg" else None)
    return file.getvalue()


def blank(heading: str, die: DieReport, width: float = 7.0, height: float = 4.2) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(f"{texts.title(die.name, die.kind, die.throws)}\n{heading}", fontsize=11, parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def faces(die: DieReport) -> Figure:
    k, throws = FACES[die.kind], max(1, die.throws)
    figure, axes = blank(texts.FACES_PLOT, die)
    places = np.arange(1, k + 1)
    shares, doubtful = 100 * die.counts / throws, 100 * die.asked / throws
    axes.bar(places, shares - doubtful, 0.75, color=BLUE, label=texts.READ)
    if die.asked.any():
        axes.bar(places, doubtful, 0.75, shares - doubtful, color=LIGHT_BLUE, hatch="//", label=texts.ASKED)
    ends = 100 * np.array(die.intervals).T
    spread = np.maximum(np.stack([shares - ends[0], ends[1] - shares]), 0)
    axes.errorbar(places, shares, spread, fmt="none", color="black", capsize=3, label=texts.INTERVAL)
    axes.axhline(100 / k, color=VERMILION, linestyle="--", label=texts.fair_share(100 / k))
    axes.set_xticks(places, [str(face) for face in VALUES[die.kind]])
    axes.set_xlabel(texts.FACE)
    axes.set_ylabel(texts.SHARE)
    axes.set_ylim(0, 1.25 * float(ends[1].max()))
    axes.legend(frameon=False, fontsize=9, ncols=2, loc="upper center")
    return figure


def evidence(die: DieReport, tape: Tape) -> Figure:
    figure, axes = blank(texts.EVIDENCE_PLOT, die)
    throws, curve = evidence_curve(tape, MOST_POINTS)
    axes.plot(throws, curve, color=BLUE, label="E")
    limit = -log(bias.FALSE_ACCUSATIONS) / log(10)
    axes.axhline(limit, color=VERMILION, linestyle="--", label=texts.ACCUSED_AT)
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=7, min_n_ticks=3, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda power, _: texts.power_of_ten(power)))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda throws, _: f"{throws:,.0f}"))
    axes.set_xlim(0, max(1, int(throws[-1])))
    axes.set_ylim(min(-1.0, float(curve.min())) - 0.2, max(limit, float(curve.max())) * 1.1 + 0.2)
    axes.set_xlabel(texts.THROWS)
    axes.set_ylabel("E")
    axes.legend(frameon=False, fontsize=9)
    return figure


def pairs(die: DieReport) -> Figure:
    """Draws how often each face followed each, against independent throws."""
    k = FACES[die.kind]
    figure, axes = blank(texts.PAIRS_PLOT, die, 6.0, 5.6)
    table = die.transitions.astype(np.float64)
    total = table.sum()
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / total
    ratio = np.divide(table - expected, np.sqrt(expected), out=np.zeros((k, k)), where=expected > 0)
    reach = max(3.0, float(np.abs(ratio).max()))
    image = axes.imshow(ratio, cmap="PuOr", vmin=-reach, vmax=reach, origin="lower")
    axes.spines[:].set_visible(False)
    names = [str(face) for face in VALUES[die.kind]]
    axes.set_xticks(range(k), names)
    axes.set_yticks(range(k), names)
    if k <= 12:
        for before in range(k):
            for after in range(k):
                shade = "white" if abs(ratio[before, after]) > 0.6 * reach else "black"
                count = int(table[before, after])
                axes.text(after, before, str(count), ha="center", va="center", fontsize=8, color=shade)
    axes.set_xlabel(texts.AFTER)
    axes.set_ylabel(texts.BEFORE)
    figure.colorbar(image, ax=axes, shrink=0.8, label=texts.DEVIATION)
    return figure
