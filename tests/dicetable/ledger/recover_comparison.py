"""Which rows `dicetable.ledger.repair` and SQLite's own `.recover` find in damaged ledgers.

    python -m tests.dicetable.ledger.recover_comparison [--count N] [--sqlite3 PROGRAM]

The files are those of test_damage.py: the database, its log or the head, cut off or with one bit changed; and
a few harder ones, where a header is gone or a stretch of the file is overwritten. The result is in
docs/research/ledger-recovery.md.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Final

from dicetable.ledger import database, stored_rows
from dicetable.ledger.repair import joined, sound_parts
from league.statements import Row
from tests.dicetable.ledger.books import fill, ledger, left_by_a_kill
from tests.dicetable.ledger.test_damage import LOG, damage

MOST_BYTES: Final = 2**28
NAMES: Final = (database.NAME, database.NAME, LOG, stored_rows.HEAD_NAME)


def original(folder: Path) -> Path:
    """A ledger as a kill leaves it, of 180 rows: in the database and in its log."""
    book = ledger(folder / "book")
    fill(book, 120, match=25, picture_bytes=6000)
    if book.connection is not None:
        book.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    fill(book, 60, match=25, picture_bytes=6000, seed=2)
    killed = left_by_a_kill(book, folder / "killed")
    book.close()
    return killed


def zero(path: Path, at: int, count: int) -> None:
    """Overwrites a stretch of a file."""
    with path.open("r+b") as file:
        file.seek(at)
        file.write(bytes(count))


def harder(folder: Path, chance: random.Random) -> str:
    """Damages more than a bit."""
    base, log = folder / database.NAME, folder / LOG
    kind = chance.choice(("database's header gone", "log's header gone", "8 kB overwritten", "log gone"))
    if kind == "database's header gone":
        zero(base, 0, 100)
    elif kind == "log's header gone":
        zero(log, 0, 32)
    elif kind == "log gone":
        log.unlink()
    else:
        path = chance.choice((base, log))
        zero(path, chance.randrange(path.stat().st_size - 8192), 8192)
    return kind


def by_recover(program: str, folder: Path, work: Path) -> list[Row]:
    """The sound rows that `.recover` of the sqlite3 program finds, also those of no known table."""
    work.unlink(missing_ok=True)
    ran = subprocess.run(
        [program, str(folder / database.NAME), ".recover"], capture_output=True, timeout=60, check=False
    )
    subprocess.run([program, str(work)], input=ran.stdout, capture_output=True, timeout=60, check=False)
    found: dict[bytes, Row] = {}
    with closing(sqlite3.connect(work)) as connection:
        connection.text_factory = bytes
        sql = "SELECT CAST(name AS BLOB) FROM sqlite_schema WHERE type = 'table'"
        for table in [name.decode() for (name,) in connection.execute(sql)]:
            lost = table.startswith("lost_and_found")  # its columns: root page, page, count, id, c0, c1, ...
            for columns in connection.execute(f'SELECT * FROM "{table}"'):
                row = as_row((columns[3], *columns[5:]) if lost else columns)
                if row is not None and row.sound:
                    found[row.checksum] = row
    return list(found.values())


def recovers(program: str, folder: Path) -> bool:
    """Whether the program's `.recover` works at all: Debian 12's does not."""
    ran = subprocess.run(
        [program, str(folder / database.NAME), ".recover"], capture_output=True, timeout=60, check=False
    )
    return ran.returncode == 0


def as_row(values: tuple[object, ...]) -> Row | None:
    """The row with these columns, if they have its types."""
    match values[:7]:
        case (int(number), int(of), bytes(at), bytes(body), bytes(sha256), bytes(previous), bytes(checksum)):
            return Row(number, of, at.decode("ascii", "replace"), body, sha256, previous, checksum)
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=300, help="damaged files of each sort")
    parser.add_argument("--sqlite3", default="sqlite3", help="a program built with sqlite_dbpage")
    args = parser.parse_args()
    if shutil.which(args.sqlite3) is None:
        sys.stderr.write("there is no sqlite3: apt install sqlite3\n")
        return 1
    total: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as name:
        killed = original(Path(name))
        copy, work = Path(name) / "copy", Path(name) / "recovered"
        shutil.copytree(killed, copy)
        if not recovers(args.sqlite3, copy):
            sys.stderr.write(
                f"`.recover` of {args.sqlite3} does not work: it was built without sqlite_dbpage\n"
            )
            return 1
        for seed in range(2 * args.count):
            chance = random.Random(seed)
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(killed, copy)
            if seed % 2:
                sort = harder(copy, chance)
            else:
                done = damage(copy / chance.choice(NAMES), chance)
                sort = " ".join(done.split()[:2]).replace("ledger.", "")
            remembered = stored_rows.sound_head(copy / stored_rows.HEAD_NAME)
            carved = sound_parts(copy, MOST_BYTES).rows
            recovered = by_recover(args.sqlite3, copy, work)
            count = total.setdefault(sort, Counter())
            count = total.setdefault(sort, Counter())
            ways = {"carve": carved, "recover": recovered}
            for way, found in ways.items():
                count[f"{way} finds"] += len({row.checksum for row in found})
                count[f"{way} saves"] += len(joined(found, remembered))
            more = len(joined(carved, remembered)) - len(joined(recovered, remembered))
            count.update({"files": 1, "carve saves more": more > 0, "recover saves more": more < 0})
    columns = ["files"]
    columns += [f"{way} {what}" for what in ("finds", "saves", "saves more") for way in ("carve", "recover")]
    sys.stdout.write(f"| damage | {' | '.join(columns)} |\n")
    for sort in sorted(total):
        sys.stdout.write(f"| {sort} | {' | '.join(str(int(total[sort][key])) for key in columns)} |\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
