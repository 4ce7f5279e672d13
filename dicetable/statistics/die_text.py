"""The report on a die in lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dicetable.statistics import verdicts
from dicetable.statistics.verdicts import Verdict
from dicetable.texts import statistics as texts
from games.dice import FACES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dicetable.statistics.report import DieReport

HEADING = f"    {'face':>4}  {'count':>9}  {'asked':>7}  {'share':>7}   95 % interval"


def lines(die: DieReport) -> Iterator[str]:
    """What the throws say of a die: first the verdict, then the figures it comes from."""
    yield texts.title(die.name, die.kind, die.throws)
    yield f"    {verdict(die)}"
    if die.lacks_faces:
        yield f"    {texts.lacks_faces(die.seen, FACES[die.kind])}"
    yield HEADING
    for face, (count, asked, (low, high)) in enumerate(
        zip(die.counts, die.asked, die.intervals, strict=True), 1
    ):
        interval = f"{texts.percent(low):>7} to {texts.percent(high)}"
        share = texts.percent(count / die.throws)
        yield f"    {face:>4}  {count:>9,}  {asked:>7,}  {share:>7}   {interval}"
    without = texts.evidence(die.log_e_without_asked) if die.asked.any() else None
    yield f"    {texts.e_values(texts.evidence(die.log_e), texts.evidence(die.log_e_highest), without)}"
    yield f"    {texts.ONCE}: {texts.probability(die.p_value)}"
    if die.pairs_p_value is not None:
        yield f"    {texts.pairs(int(die.transitions.sum()), texts.probability(die.pairs_p_value))}"
    if die.opposites is not None:
        yield f"    {axes(die)}"


def verdict(die: DieReport) -> str:
    """The verdict in words, with what would tell more."""
    k = FACES[die.kind]
    further = verdicts.next_step(die.kind, die.throws)
    if die.verdict is Verdict.BIASED:
        worst = int(np.argmax(np.abs(die.counts - die.throws / k)))
        return texts.biased(worst + 1, die.counts[worst] / die.throws, 1 / k)
    if die.verdict is Verdict.DISPUTED:
        return texts.disputed()
    excess = verdicts.excluded(die.kind, die.throws)
    if excess is not None:
        return texts.no_bias(excess, None if further is None else (further[0], further[1]))
    smallest, more = further or (0, 0)
    return texts.too_few(more, smallest)


def axes(die: DieReport) -> str:
    """Opposite faces in words; a die without axes has none."""
    found = die.opposites
    if found is None:
        return ""
    shares = [
        f"{low}-{high} {texts.percent(sum(counts) / die.throws)}"
        for (low, high), counts in zip(found.faces, found.counts, strict=True)
    ]
    return texts.axes(shares, texts.probability(found.flat_p_value), texts.probability(found.loaded_p_value))
