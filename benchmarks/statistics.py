"""Times the fold of the ledger's entries into statistics, and its memory.

    python -m benchmarks.statistics [--throws N]

One thread. Entries are made before the clock starts, in matches of 100 throws of one to six d6, as Six By 6
throws them, and folded again and again until there are enough throws. Memory is what the fold and the report
add to the peak of the process.
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import TYPE_CHECKING

import numpy as np

from dicetable.ledger.entries import Opened, Thrown
from dicetable.statistics.fold import fold
from dicetable.statistics.report import reports

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dicetable.ledger.entries import Entry

BUDGET_S = 5.0
BUDGET_MB = 100.0
MATCH = 100
MADE = 100
"""Different matches."""


def matches() -> list[list[tuple[str, Entry]]]:
    """Matches with fair dice."""
    rng = np.random.default_rng(1)
    opened: Entry = Opened("six_by_6", ("ann", "bob"), {}, 1, (), (1, 2), ())
    made: list[list[tuple[str, Entry]]] = []
    for _ in range(MADE):
        throws = [rng.integers(1, 7, rng.integers(1, 7)) for _ in range(MATCH)]
        thrown = [Thrown(tuple(("d6", int(face)) for face in faces), ()) for faces in throws]
        match: list[Entry] = [opened, *thrown]
        made.append([("2026-11-21T12:00:00", entry) for entry in match])
    return made


def entries(made: list[list[tuple[str, Entry]]], throws: int) -> Iterator[tuple[str, Entry]]:
    """So many throws of these matches."""
    for number in range(throws // MATCH):
        yield from made[number % MADE]


def peak_mb() -> float:
    """The highest resident memory so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Prints times and memory; 1 if the fold is over its budget."""
    parser = argparse.ArgumentParser(description="times the fold of the ledger into statistics")
    parser.add_argument("--throws", type=int, default=1_000_000)
    throws = parser.parse_args().throws
    made = matches()
    before_mb = peak_mb()
    started = time.perf_counter()
    folded = fold(entries(made, throws))
    fold_s = time.perf_counter() - started
    fold_mb = peak_mb() - before_mb
    started = time.perf_counter()
    (report,) = reports(folded.tapes.all())
    report_s = time.perf_counter() - started
    report_mb = peak_mb() - before_mb
    print(f"{folded.throws} throws, {report.throws} dice")
    print(f"fold    {fold_s:6.2f} s  {fold_mb:6.0f} MB")
    print(f"report  {report_s:6.2f} s  {report_mb:6.0f} MB, with the fold")
    within = fold_s <= BUDGET_S and report_mb <= BUDGET_MB
    print(f"budget {BUDGET_S:g} s for the fold, {BUDGET_MB:g} MB: {'kept' if within else 'missed'}")
    return 0 if within else 1


if __name__ == "__main__":
    raise SystemExit(main())
