"""The report on each die, from its tape: the figures, the estimates they rest on, and the lines of text.

Estimates and p-values are for a number of throws that was fixed before: each is valid when looked at once.
They concern the faces of a die, its pairs of opposite faces, and pairs of successive throws. The evidence
that may be looked at as often as one likes is `dicetable.table.bias`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma, log, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from common.texts import statistics as texts
from dicetable.statistics.tapes import ALONE, Tape
from dicetable.table import bias
from dicetable.table.bias import Counts, Verdict
from games.dice import FACES, SOLIDS, VALUES, Kind, place_of

MOST_LOG = 700.0
"""Beyond this the exponential is no float."""
IMPROBABLE = 1e-6
FACES_HEADING = f"    {'face':>4}  {'count':>9}  {'asked':>7}  {'share':>7}   95 % interval"
Z_95: Final = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
DRAWS: Final = 100_000
SEED: Final = 20_111_356
CHUNK: Final = 10_000
"""How many draws are held in memory at once."""
PAIR_DRAWS: Final = 10_000
PAIR_CHUNK: Final = 500


@dataclass(frozen=True, slots=True, eq=False)
class DieReport:
    """What the throws say of one die, or of all dice of a kind.

    Attributes:
        name: the die's, or its kind.
        counts, asked: of each face, from the lowest; `asked` are those that a person answered for.
        proposed: how often the table took a die for each face that it then asked about.
        log_e, log_e_highest, log_e_without_asked: natural logarithms of E now, at its highest (of days whose
            rows are gone, at their ends), and without the dice that were asked for.
        transitions: how often each face (column) followed each (row), among throws that can be paired.
        verdict: e-BH over all dice that were looked at together.
    """

    name: str
    kind: Kind
    counts: Counts
    asked: Counts
    proposed: tuple[int, ...]
    log_e: float
    log_e_highest: float
    log_e_without_asked: float
    p_value: float
    transitions: Counts
    pairs_p_value: float | None
    opposites: Opposites | None
    verdict: Verdict

    @property
    def throws(self) -> int:
        return int(self.counts.sum())

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """The 95 % interval of each face's share."""
        return [wilson(int(count), self.throws) for count in self.counts]

    @property
    def values_shown(self) -> list[int]:
        return [VALUES[self.kind][int(place)] for place in np.flatnonzero(self.counts)]

    @property
    def lacks_faces(self) -> bool:
        """Whether a fair die would hardly ever show at most two faces in these throws (union bound)."""
        k, shown = FACES[self.kind], len(self.values_shown)
        return shown <= 2 and k * (k - 1) / 2 * (2 / k) ** self.throws < IMPROBABLE

    def to_json(self) -> dict[str, Any]:
        step, axes = bias.next_step(self.kind, self.throws), self.opposites
        return {
            "name": self.name,
            "kind": self.kind,
            "throws": self.throws,
            "verdict": self.verdict,
            "e_value": e_value(self.log_e),
            "e_value_highest": e_value(self.log_e_highest),
            "e_value_without_asked": e_value(self.log_e_without_asked),
            "more_throws": None if step is None else {"excess_percent": step[0], "throws": step[1]},
            "faces": [
                {
                    "face": face,
                    "count": int(count),
                    "asked": int(doubtful),
                    "proposed": proposed,
                    "share": round(count / self.throws, 6) if self.throws else None,
                    "interval": [round(end, 6) for end in interval],
                }
                for face, count, doubtful, proposed, interval in zip(
                    VALUES[self.kind], self.counts, self.asked, self.proposed, self.intervals, strict=True
                )
            ],
            "p_value_fixed_throws": self.p_value,
            "pairs": int(self.transitions.sum()),
            "pairs_p_value": self.pairs_p_value,
            "opposite_faces": None
            if axes is None
            else {
                "layout": axes.layout,
                "axes": [
                    {"faces": list(faces), "counts": list(counts)}
                    for faces, counts in zip(axes.faces, axes.counts, strict=True)
                ],
                "flat_p_value": axes.flat_p_value,
                "loaded_p_value": axes.loaded_p_value,
            },
        }


def e_value(log_e: float) -> float:
    """E from its natural logarithm, to four digits; at most e^700."""
    return float(f"{exp(min(log_e, MOST_LOG)):.4g}")


def reports(tapes: Mapping[str, Tape]) -> list[DieReport]:
    """The report on each die, all judged together."""
    counted = [(tape.counts, tape.asked) for tape in tapes.values()]
    now = [bias.log_e(counts) for counts, _ in counted]
    sure = [bias.log_e(counts - doubtful) for counts, doubtful in counted]
    accused = bias.accused([min(pair) for pair in zip(now, sure, strict=True)])  # an E value too
    disputed = zip(bias.accused(now), bias.accused(sure), strict=True)
    judged = [
        bias.verdict(tape.kind, len(tape), accused=both, disputed=any(either))
        for tape, both, either in zip(tapes.values(), accused, disputed, strict=True)
    ]
    return [
        report(name, tape, now[number], sure[number], judged[number])
        for number, (name, tape) in enumerate(tapes.items())
    ]


def report(name: str, tape: Tape, now: float, sure: float, verdict: Verdict) -> DieReport:
    counts = tape.counts
    ends = tape.day_ends
    curve = bias.log_e_curve(tape.faces, ends[-1])
    highest = max([*map(bias.log_e, ends), float(curve.max(initial=0.0))])
    table = transitions(tape)
    return DieReport(
        name,
        tape.kind,
        counts,
        tape.asked,
        tuple(tape.proposed[place] for place in range(1, FACES[tape.kind] + 1)),
        now,
        highest,
        sure,
        uniform_p_value(counts),
        table,
        independence_p_value(table),
        opposites(tape.kind, counts),
        verdict,
    )


def evidence_curve(tape: Tape, most_points: int) -> tuple[Counts, NDArray[np.float64]]:
    """At most `most_points` numbers of throws, the first and the last among them, and log10 of E after each.

    Of days whose rows are gone only the ends are known.
    """
    ends = tape.day_ends
    days, rest = [bias.log_e(counts) for counts in ends], bias.log_e_curve(tape.faces, ends[-1])
    curve = np.concatenate([days, rest]) / log(10)
    throws = np.concatenate([ends.sum(axis=1), int(ends[-1].sum()) + 1 + np.arange(len(rest))])
    points = np.unique(np.linspace(0, len(curve) - 1, min(len(curve), most_points)).astype(int))
    return throws[points], curve[points]


def report_lines(die: DieReport) -> Iterator[str]:
    """The verdict on a die, then the figures it rests on."""
    yield texts.title(die.name, die.kind, die.throws)
    yield f"    {verdict_line(die)}"
    if die.lacks_faces:
        yield f"    {texts.lacks_faces(die.values_shown, FACES[die.kind])}"
    yield FACES_HEADING
    for face, count, doubtful, (low, high) in zip(
        VALUES[die.kind], die.counts, die.asked, die.intervals, strict=True
    ):
        interval = f"{texts.percent(low):>7} to {texts.percent(high)}"
        share = texts.percent(count / die.throws)
        yield f"    {face:>4}  {count:>9,}  {doubtful:>7,}  {share:>7}   {interval}"
    without = texts.evidence(die.log_e_without_asked) if die.asked.any() else None
    yield f"    {texts.e_values(texts.evidence(die.log_e), texts.evidence(die.log_e_highest), without)}"
    yield f"    {texts.ONCE}: {texts.probability(die.p_value)}"
    if die.pairs_p_value is not None:
        yield f"    {texts.pairs(int(die.transitions.sum()), texts.probability(die.pairs_p_value))}"
    if die.opposites is not None:
        yield f"    {axes_line(die)}"


def verdict_line(die: DieReport) -> str:
    k = FACES[die.kind]
    further = bias.next_step(die.kind, die.throws)
    if die.verdict is Verdict.BIASED:
        worst = int(np.argmax(np.abs(die.counts - die.throws / k)))
        return texts.biased(VALUES[die.kind][worst], die.counts[worst] / die.throws, 1 / k)
    if die.verdict is Verdict.DISPUTED:
        return texts.disputed()
    excess = bias.excluded(die.kind, die.throws)
    if excess is not None:
        return texts.no_bias(excess, None if further is None else (further[0], further[1]))
    smallest, more = further or (0, 0)
    return texts.too_few(more, smallest)


def axes_line(die: DieReport) -> str:
    test = die.opposites
    if test is None:
        return ""
    shares = [
        f"{low}-{high} {texts.percent(sum(counts) / die.throws)}"
        for (low, high), counts in zip(test.faces, test.counts, strict=True)
    ]
    return texts.axes(shares, texts.probability(test.flat_p_value), texts.probability(test.loaded_p_value))


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % score interval of a proportion; (0, 1) without trials.

    Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927). Brown,
    Cai and DasGupta, "Interval estimation for a binomial proportion", Statistical Science 16 (2001),
    recommend it.
    """
    if not trials:
        return 0.0, 1.0
    share, zz = successes / trials, Z_95**2
    centre = (share + zz / (2 * trials)) / (1 + zz / trials)
    half = Z_95 / (1 + zz / trials) * sqrt(share * (1 - share) / trials + zz / (4 * trials**2))
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == trials else centre + half
    return low, high


def uniform_p_value(counts: Counts) -> float:
    """The chance that a fair die's counts are at least as uneven as these, by Pearson's statistic.

    Monte Carlo: (1 + draws as uneven) / (1 + draws), which is a valid p-value (Phipson and Smyth,
    "Permutation p-values should never be zero", 2010).
    """
    sum_of_squares = int((counts.astype(np.int64) ** 2).sum())
    return share_as_uneven(len(counts), int(counts.sum()), sum_of_squares)


@lru_cache(maxsize=64)  # a report that is asked for again is mostly of dice that were not thrown meanwhile
def share_as_uneven(k: int, throws: int, sum_of_squares: int) -> float:
    """The share of draws of a fair die with k faces whose counts have at least this sum of squares."""
    rng = np.random.default_rng(SEED)
    uneven = 0
    for _ in range(DRAWS // CHUNK):
        drawn = rng.multinomial(throws, np.full(k, 1 / k), size=CHUNK)
        uneven += int(((drawn**2).sum(axis=1) >= sum_of_squares).sum())
    return (1 + uneven) / (1 + DRAWS)


def even_split_p_value(first: int, second: int) -> float:
    """The two-sided exact binomial p-value for two outcomes that ought to be equally likely."""
    low, trials = min(first, second), first + second
    if first == second:
        return 1.0
    tail = term = 1.0  # relative to the chance of exactly `low`
    for successes in range(low, 0, -1):
        term *= successes / (trials - successes + 1)
        tail += term
        if term < 1e-17 * tail:
            break
    at_low = lgamma(trials + 1) - lgamma(low + 1) - lgamma(trials - low + 1) - trials * log(2)
    return min(1.0, 2 * tail * exp(at_low))


@dataclass(frozen=True, slots=True)
class Opposites:
    """The axes of a die: one that is too flat shows both faces of an axis too often, a loaded one only one.

    Attributes:
        layout: which numbering is meant where makers differ, see `games.dice`.
        faces: the two faces of each axis, the lower first.
        counts: how often each of the two came.
        flat_p_value: of the sums of the axes against equal ones (Monte Carlo).
        loaded_p_value: of the most uneven axis (exact binomial, Bonferroni over the axes).
    """

    layout: str
    faces: tuple[tuple[int, int], ...]
    counts: tuple[tuple[int, int], ...]
    flat_p_value: float
    loaded_p_value: float


def axes(kind: Kind) -> tuple[tuple[int, int], ...]:
    """The pairs of opposite faces in a kind's most common layout; none for a d4."""
    solid = SOLIDS[kind][0]
    pairs = set()
    for number, face in enumerate(solid.faces):
        across = solid.opposite(number)
        if across is not None:
            pair = sorted((face.value, solid.faces[across].value))
            pairs.add((pair[0], pair[1]))
    return tuple(sorted(pairs))


def opposites(kind: Kind, counts: Counts) -> Opposites | None:
    """Tests opposite faces against each other; None for a d4, which has none."""
    faces = axes(kind)
    if not faces:
        return None
    whole_counts = [int(count) for count in counts]
    pairs = tuple(
        (whole_counts[place_of((kind, low)) - 1], whole_counts[place_of((kind, high)) - 1])
        for low, high in faces
    )
    sums = np.array([low + high for low, high in pairs], np.int64)
    loaded = min(1.0, len(pairs) * min(even_split_p_value(low, high) for low, high in pairs))
    return Opposites(SOLIDS[kind][0].layout, faces, pairs, uniform_p_value(sums), loaded)


def transitions(tape: Tape) -> Counts:
    """How often each face followed each; int64, shape (k, k), row: the face before.

    Only where both throws are of a die that was the only one of its kind. Dice of one kind that take turns
    are one sequence: enrol a die to get its own pairs.
    """
    k = FACES[tape.kind]
    if len(tape) < 2:
        return np.zeros((k, k), np.int64)
    alone = tape.marked(ALONE)
    both = alone[:-1] & alone[1:]
    before = tape.faces[:-1][both].astype(np.int64) - 1
    after = tape.faces[1:][both].astype(np.int64) - 1
    return np.bincount(k * before + after, minlength=k * k).reshape(k, k)


def independence_p_value(table: Counts) -> float | None:
    """The chance of a table as uneven as this one if a throw says nothing about the next; None without pairs.

    Pearson's statistic. Each draw keeps how often each face came up before, and draws what followed by the
    shares of all that followed (a parametric bootstrap): a game may throw a die again by what it showed.
    """
    return share_as_dependent(tuple(map(tuple, table.tolist())))


@lru_cache(maxsize=64)
def share_as_dependent(rows: tuple[tuple[int, ...], ...]) -> float | None:
    """The share of draws at least as uneven as these rows."""
    table = np.array(rows, np.int64)
    own_unevenness = unevenness(table[np.newaxis])[0]
    total = int(table.sum())
    if not total:
        return None
    shares = table.sum(axis=0) / total
    rng = np.random.default_rng(SEED)
    uneven = 0
    for _ in range(PAIR_DRAWS // PAIR_CHUNK):
        drawn = np.stack([rng.multinomial(int(row.sum()), shares, size=PAIR_CHUNK) for row in table], axis=1)
        uneven += int((unevenness(drawn) >= own_unevenness - 1e-9).sum())
    return (1 + uneven) / (1 + PAIR_DRAWS)


def unevenness(tables: Counts) -> NDArray[np.float64]:
    """Pearson's statistic of each table against independence; shape (tables, k, k) to (tables,)."""
    before = tables.sum(axis=2, keepdims=True).astype(np.float64)
    after = tables.sum(axis=1, keepdims=True)
    totals = np.maximum(tables.sum(axis=(1, 2), keepdims=True), 1)
    expected = before * after / totals
    parts = np.divide((tables - expected) ** 2, expected, out=np.zeros(tables.shape), where=expected > 0)
    return np.asarray(parts.sum(axis=(1, 2)))
