"""All that is known of each die, from its tape."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from dicetable.statistics import estimates, evalues, verdicts
from games.dice import FACES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from dicetable.statistics.estimates import Opposites
    from dicetable.statistics.tapes import Counts, Tape
    from dicetable.statistics.verdicts import Verdict
    from games.dice import Kind

MOST_LOG = 700.0
"""Beyond this the exponential is no float."""
IMPROBABLE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class DieReport:
    """What the throws say of one die, or of all dice of a kind.

    Attributes:
        name: the die's, or its kind.
        counts, asked: of each face, from 1; `asked` are those of `counts` that a person answered for.
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
        """How often it was thrown."""
        return int(self.counts.sum())

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """The 95 % interval of each face's share."""
        return [estimates.wilson(int(count), self.throws) for count in self.counts]

    @property
    def seen(self) -> list[int]:
        """The faces that came at least once."""
        return [int(face) + 1 for face in np.flatnonzero(self.counts)]

    @property
    def lacks_faces(self) -> bool:
        """Whether a fair die would hardly ever show at most two faces in these throws (union bound)."""
        k, seen = FACES[self.kind], len(self.seen)
        return seen <= 2 and k * (k - 1) / 2 * (2 / k) ** self.throws < IMPROBABLE

    def to_json(self) -> dict[str, Any]:
        """The report as a JSON object."""
        step = verdicts.next_step(self.kind, self.throws)
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
                    "asked": int(asked),
                    "proposed": proposed,
                    "share": round(count / self.throws, 6) if self.throws else None,
                    "interval": [round(end, 6) for end in interval],
                }
                for face, (count, asked, proposed, interval) in enumerate(
                    zip(self.counts, self.asked, self.proposed, self.intervals, strict=True), 1
                )
            ],
            "p_value_fixed_throws": self.p_value,
            "pairs": int(self.transitions.sum()),
            "pairs_p_value": self.pairs_p_value,
            "opposite_faces": None if self.opposites is None else axes_json(self.opposites),
        }


def e_value(log_e: float) -> float:
    """E from its natural logarithm, to four digits; the highest that is shown is e^700."""
    return float(f"{exp(min(log_e, MOST_LOG)):.4g}")


def axes_json(found: Opposites) -> dict[str, Any]:
    """Opposite faces as a JSON object."""
    return {
        "layout": found.layout,
        "axes": [
            {"faces": list(faces), "counts": list(counts)}
            for faces, counts in zip(found.faces, found.counts, strict=True)
        ],
        "flat_p_value": found.flat_p_value,
        "loaded_p_value": found.loaded_p_value,
    }


def reports(tapes: Mapping[str, Tape]) -> list[DieReport]:
    """The report on each die, all judged together."""
    counted = [(tape.counts, tape.asked) for tape in tapes.values()]
    now = [evalues.log_e(counts) for counts, _ in counted]
    sure = [evalues.log_e(counts - asked) for counts, asked in counted]
    accused = evalues.accused(verdicts.agreeing(now, sure))
    disputed = zip(evalues.accused(now), evalues.accused(sure), strict=True)
    judged = [
        verdicts.verdict(tape.kind, len(tape), accused=both, disputed=any(either))
        for tape, both, either in zip(tapes.values(), accused, disputed, strict=True)
    ]
    return [
        report(name, tape, now[number], sure[number], judged[number])
        for number, (name, tape) in enumerate(tapes.items())
    ]


def evidence_curve(tape: Tape, most_points: int) -> tuple[Counts, NDArray[np.float64]]:
    """At most so many numbers of throws, the first and the last among them, and log10 of E after each.

    Of days whose rows are gone only the ends are known.
    """
    ends = tape.day_ends
    days, rest = [evalues.log_e(counts) for counts in ends], evalues.log_e_curve(tape.faces, ends[-1])
    curve = np.concatenate([days, rest]) / log(10)
    throws = np.concatenate([ends.sum(axis=1), int(ends[-1].sum()) + 1 + np.arange(len(rest))])
    points = np.unique(np.linspace(0, len(curve) - 1, min(len(curve), most_points)).astype(int))
    return throws[points], curve[points]


def report(name: str, tape: Tape, now: float, sure: float, verdict: Verdict) -> DieReport:
    """The report on one die."""
    counts = tape.counts
    ends = tape.day_ends
    curve = evalues.log_e_curve(tape.faces, ends[-1])
    highest = max([*map(evalues.log_e, ends), float(curve.max(initial=0.0))])
    table = estimates.transitions(tape)
    return DieReport(
        name,
        tape.kind,
        counts,
        tape.asked,
        tuple(tape.proposed[face] for face in range(1, FACES[tape.kind] + 1)),
        now,
        highest,
        sure,
        estimates.uniform_p_value(counts),
        table,
        estimates.independence_p_value(table),
        estimates.opposites(tape.kind, counts),
        verdict,
    )
