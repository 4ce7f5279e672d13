"""What may be said of a die at any time, and how many throws more would tell."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.dice import Kind

EXCESSES: Final = (50, 20, 10)
"""How much too often, in percent, the one face of the dice comes that `MEDIAN_THROWS` tells of."""

MEDIAN_THROWS: Final[dict[Kind, tuple[int, int, int]]] = {
    "d4": (160, 890, 3300),
    "d6": (300, 1700, 6700),
    "d8": (470, 2600, 10_000),
    "d10": (630, 3800, 15_000),
    "d12": (830, 4900, 21_000),
    "d20": (1800, 10_000, 45_000),
}
"""After how many throws half of the dice with such a face are accused, for each of `EXCESSES`.

Simulated: 1,000 dice each, looked at after every throw; the other faces come equally often. The slow tests
draw them again.
"""


class Verdict(StrEnum):
    """What the throws of a die say."""

    BIASED = "biased"
    DISPUTED = "disputed"
    """Biased with or without the dice that were asked for, but not both: it may be the reader's bias."""
    TOO_FEW = "too_few"
    NO_BIAS_FOUND = "no_bias_found"


def verdict(kind: Kind, throws: int, *, accused: bool, disputed: bool) -> Verdict:
    """The verdict on a die that was thrown so often.

    It is `accused` by its throws with the dice that were asked for and without them, or `disputed` by the one
    and not by the other.
    """
    if accused:
        return Verdict.BIASED
    if disputed:
        return Verdict.DISPUTED
    return Verdict.TOO_FEW if throws < MEDIAN_THROWS[kind][0] else Verdict.NO_BIAS_FOUND


def excluded(kind: Kind, throws: int) -> int | None:
    """The smallest excess in percent that would have shown by now, as likely as not; None if none would."""
    shown = [excess for excess, median in zip(EXCESSES, MEDIAN_THROWS[kind], strict=True) if throws >= median]
    return min(shown, default=None)


def next_step(kind: Kind, throws: int) -> tuple[int, int] | None:
    """The next smaller excess in percent and how many throws more would show it; None after the last."""
    for excess, median in zip(EXCESSES, MEDIAN_THROWS[kind], strict=True):
        if throws < median:
            return excess, rounded(median - throws)
    return None


def rounded(throws: int) -> int:
    """The number, rounded up to two digits: more would pretend to know better."""
    step = int(10 ** max(0, len(str(throws)) - 2))
    return -(-throws // step) * step


def agreeing(with_asked: Sequence[float], without_asked: Sequence[float]) -> list[float]:
    """The lesser logarithm of E of each die: it is an E value too, and large only where both are."""
    return [min(pair) for pair in zip(with_asked, without_asked, strict=True)]
