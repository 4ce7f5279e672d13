"""Times the fold of a ledger into statistics, and its memory.

    python -m benchmarks.statistics [--throws N] [--details]

One thread, in processor time. A ledger is written before the clock starts, in matches of 100 throws of one
to six d6, as Six By 6 throws them. Then its rows are read, checked and folded, as `dicetable stats` does it.
Memory is what the fold and the report add to the peak of the process. `--details` writes throws as a
calibrated table with enrolled dice does: places, names, and all dice in the tray. At the end it times what a
pruning costs the table: daily totals of 1,000 days with every kind and six dice with names are read, a match
is added, and they are written.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from dicetable.ledger.entries import DieDetails, LyingDie, Opened, Thrown, dump
from dicetable.ledger.reader import Reader
from dicetable.ledger.rows import Row, chained, columns
from dicetable.ledger.store import Ledger
from dicetable.statistics import totals
from dicetable.statistics.fold import fold
from dicetable.statistics.report import reports
from dicetable.statistics.tapes import DayCounts
from games.dice import FACES, Die, Kind

BUDGET_S = 5.0
BUDGET_MB = 100.0
MATCH = 100
MADE = 20_000
"""Different throws."""
DAYS = 1000


def bodies(*, details: bool) -> tuple[bytes, list[bytes]]:
    """An opening, and throws of fair dice, as rows hold them."""
    rng = np.random.default_rng(1)
    throws = []
    for _ in range(MADE):
        dice: tuple[Die, ...] = tuple(("d6", int(face)) for face in rng.integers(1, 7, rng.integers(1, 7)))
        lying = tuple(LyingDie("d6", face, (600, 400, 52, 52), (101.2, 77.3)) for _, face in dice)
        known = tuple(DieDetails((101.2, 77.3), f"red {place}") for place in range(len(dice)))
        throws.append(dump(Thrown(dice, lying, details=known) if details else Thrown(dice, ())))
    return dump(Opened("six_by_6", ("ann", "bob"), {}, 1, (), (1, 2), ())), throws


def rows(throws: int, *, details: bool) -> Iterator[Row]:
    """The rows of matches with `throws` throws in all."""
    opening, thrown = bodies(details=details)
    row: Row | None = None
    at = "2026-11-21T12:00:00.000+00:00"
    for number in range(throws):
        if number % MATCH == 0:
            row = chained(row, opens=True, at_utc=at, body=opening)
            yield row
        row = chained(row, opens=False, at_utc=at, body=thrown[number % MADE])
        yield row


def write(folder: Path, throws: int, *, details: bool) -> None:
    with closing(Ledger(folder)) as ledger:
        connection = ledger.connection
        if connection is None:
            raise RuntimeError("the ledger is closed")
        connection.execute("PRAGMA max_page_count = 1000000")
        connection.execute("BEGIN")
        every = map(columns, rows(throws, details=details))
        connection.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", every)
        connection.execute("COMMIT")


def pruning_s() -> float:
    """The processor time for the totals of a match that is pruned, after `DAYS` days."""
    opening, thrown = bodies(details=True)
    dice: list[tuple[Kind, str | None]] = [(kind, None) for kind in FACES]
    dice += [("d6", f"red {place}") for place in range(6)]
    of_day = [totals.DieOfDay(kind, name, DayCounts(*[(100,) * FACES[kind]] * 3)) for kind, name in dice]
    dates = [f"{date(2026, 1, 1) + timedelta(day)}" for day in range(DAYS)]
    days = {day: totals.Day(of_day, {"throws": 100}) for day in dates}
    written = totals.dump(totals.Totals(1, 1, 0, days))
    match = [opening, *thrown[:MATCH]]
    rows = [(number, "2030-11-21T12:00:00.000+00:00", body) for number, body in enumerate(match, 2)]
    started = time.process_time()
    known = totals.load(written)
    known.count(rows)
    totals.dump(known)
    return time.process_time() - started


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Prints times and memory; 1 if the fold is over its budget."""
    parser = argparse.ArgumentParser(description="times the fold of the ledger into statistics")
    parser.add_argument("--throws", type=int, default=1_000_000)
    parser.add_argument("--details", action="store_true", help="places and names of dice in each row")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), args.throws, details=args.details)
        before_mb = peak_mb()
        with closing(Reader(Path(folder))) as reader:
            started = time.process_time()
            folded = fold(reader.bodies())
            fold_s = time.process_time() - started
        fold_mb = peak_mb() - before_mb
        started = time.process_time()
        report, *_ = reports(folded.tapes.all())
        report_s = time.process_time() - started
    report_mb = peak_mb() - before_mb
    print(f"{folded.throws} throws, {report.throws} dice")
    print(f"fold    {fold_s:6.2f} s  {fold_mb:6.0f} MB, from the rows of the ledger")
    print(f"report  {report_s:6.2f} s  {report_mb:6.0f} MB, with the fold")
    print(f"prune   {pruning_s():6.2f} s  of the table's time, after {DAYS} days")
    within = fold_s <= BUDGET_S and report_mb <= BUDGET_MB
    print(f"budget {BUDGET_S:g} s for the fold, {BUDGET_MB:g} MB: {'kept' if within else 'missed'}")
    return 0 if within else 1


if __name__ == "__main__":
    raise SystemExit(main())
