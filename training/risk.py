"""How often a sure reading is wrong, and at most how often: by this the confidence's threshold is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from training.chart import reliability

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from training.chart import Series

RISK: Final = 0.01
"""The part of the sure readings of flat dice that may be wrong …"""
CERTAINTY: Final = 0.95
"""… with this confidence."""
THRESHOLDS: Final = (0.5, 0.7, 0.8, 0.85, 0.88, 0.9, 0.92, 0.94, 0.96)
RENDERS: Final = "renders"
"""The one source that is not of photographs."""
BEGIN: Final = "<!-- written by the stage calibrate: begin -->\n"
END: Final = "<!-- end -->\n"


def most_risk(wrong: int, sure: int) -> float:
    """The part that is wrong at most, with CERTAINTY: the upper end of the exact binomial interval."""
    from scipy.stats import beta

    return 1.0 if wrong == sure else float(beta.ppf(CERTAINTY, wrong + 1, sure - wrong))


def counts(series: Sequence[Series], threshold: float) -> tuple[int, int]:
    """How many readings are sure from a threshold on, right and wrong ones."""
    sure = [one.confidence >= threshold for one in series]
    right = sum(int((of_one & one.right).sum()) for of_one, one in zip(sure, series, strict=True))
    return right, sum(int(of_one.sum()) for of_one in sure) - right


def least_threshold(series: Sequence[Series]) -> float | None:
    """The lowest of THRESHOLDS from which the risk is at most RISK with CERTAINTY; None if none is.

    Learn then test, by a fixed sequence: the thresholds are tested from the highest down and the first that
    fails ends it, so CERTAINTY holds for whichever is chosen.
    """
    least = None
    for threshold in sorted(THRESHOLDS, reverse=True):
        right, wrong = counts(series, threshold)
        if most_risk(wrong, right + wrong) > RISK:
            break
        least = threshold
    return least


def table(series: Sequence[Series], flat: Sequence[Series], odd: Sequence[float]) -> str:
    """The risk at each threshold, Markdown.

    Args:
        series: each source, its confidence from a fit on the other ones.
        flat: the same without what was found where no die lies.
        odd: percent of the odd renders that are sure, at each of THRESHOLDS.
    """
    photographs = [one for one in flat if one.name != RENDERS]
    names = [f"{one.name} right / wrong" for one in series]
    head = ["sure from", *names, "odd renders, sure", "wrong of sure flat dice", "of photographs"]
    lines = [head, ["---"] * len(head)]
    for threshold, of_odd in zip(THRESHOLDS, odd, strict=True):
        each = [counts([one], threshold) for one in series]
        parts = [
            f"{100 * right / one.dice:.1f} / {100 * wrong / one.dice:.1f}"
            for (right, wrong), one in zip(each, series, strict=True)
        ]
        bounds = [bound(*counts(some, threshold)) for some in (flat, photographs)]
        lines.append([f"{threshold:.2f}", *parts, f"{of_odd:.1f}", *bounds])
    errors = [f"{reliability(one.confidence, one.right)[0]:.3f}" for one in series]
    lines.append(["expected calibration error", *errors, "", "", ""])
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def bound(right: int, wrong: int) -> str:
    """The part of the sure ones that is wrong, and at most how large it is, in percent: `0.2 (0.6)`."""
    sure = right + wrong
    return f"{100 * wrong / max(1, sure):.2f} ({100 * most_risk(wrong, sure):.2f})"


def write_table(card: Path, text: str) -> None:
    """Puts the table into the model card, in place of the one before."""
    before, _, rest = card.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    card.write_text(f"{before}{BEGIN}{text}{END}{after}", encoding="utf-8")
