"""Damages a ledger's files, starts the ledger on them, and says how each start ended.

    python -m tests.dicetable.ledger.bit_flips [--random N] [--page-1] [--two N] [--seed S]

`--random` and `--page-1` flip one bit at a time. `--two` damages two files at once: each has a bit flipped,
is cut short or is deleted.

A start is good if the ledger opens within two tries, holds every row and every name or says that it was
repaired, uses no number twice and takes the next entry; after that it opens again without a repair. `ledger
verify`, `export` and `restore` have to end with an exit code on the damaged files. Exit code 1 if any
start is not good.
"""

from __future__ import annotations

import argparse
import io
import logging
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from dicetable.commands import ledger as commands
from dicetable.commands.usage import CommandError
from dicetable.ledger import database, store, stored_rows
from dicetable.ledger.entries import Sat, Sitting, load
from dicetable.ledger.store import Ledger
from dicetable.service.healing_ledger import RETRY_S, HealingLedger
from dicetable.table.table_state import fold
from tests.dicetable.ledger.scripts import script

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from common.statements import Row

FILES = (database.NAME, f"{database.NAME}-wal", stored_rows.HEAD_NAME)
GAMES = ("sixes", "liars_dice", "money_shot")


@dataclass(frozen=True)
class Original:
    """A ledger as a kill leaves it, with its rows and the names of its players."""

    folder: Path
    rows: list[Row]
    names: Mapping[str, str | None]


@dataclass(frozen=True)
class Flip:
    """One bit of one file."""

    file: str
    bit: int

    def do(self, folder: Path) -> None:
        data = bytearray((folder / self.file).read_bytes())
        data[self.bit // 8] ^= 1 << self.bit % 8
        (folder / self.file).write_bytes(data)


@dataclass(frozen=True)
class Cut:
    """One file is cut to so many bytes; None deletes it."""

    file: str
    size: int | None

    def do(self, folder: Path) -> None:
        if self.size is None:
            (folder / self.file).unlink()
        else:
            os.truncate(folder / self.file, self.size)


@dataclass(frozen=True)
class Two:
    """Damage of two files at once."""

    first: Flip | Cut
    second: Flip | Cut

    def do(self, folder: Path) -> None:
        self.first.do(folder)
        self.second.do(folder)


Damage: TypeAlias = Flip | Cut | Two


def original(folder: Path, *, killed: bool, entries: int = 30) -> Original:
    """Some matches, a repair, an erased name, pictures; if `killed`, the last match is in the log."""
    path = folder / "book"
    pictures = random.Random(3)
    for game in GAMES[:2]:
        with closing(Ledger(path)) as book:
            for number, entry in enumerate(script(game, 3)[:entries]):
                book.append(entry, pictures.randbytes(2500) if number % 10 == 4 else b"")
    lost = bytearray((path / database.NAME).read_bytes())
    with closing(Ledger(path)) as book:
        body = list(book.rows())[entries // 2].body
    lost[lost.find(body)] ^= 1
    (path / database.NAME).write_bytes(lost)
    with closing(Ledger(path)) as book:
        assert book.repaired is not None
        store.erase_name(book, "cleo")
    shutil.rmtree(next(path.glob("damaged-*")))
    with closing(Ledger(path)) as book:
        for entry in script(GAMES[2], 3)[:entries]:
            book.append(entry)
        there = Original(folder / "left", list(book.rows()), dict(book.players.names))
        if killed:
            shutil.copytree(path, there.folder)
    if not killed:
        shutil.copytree(path, there.folder)
    return there


def page_1(there: Original) -> Iterator[Flip]:
    """Every bit of the database's first page."""
    assert (there.folder / database.NAME).stat().st_size >= database.PAGE_BYTES
    return (Flip(database.NAME, bit) for bit in range(8 * database.PAGE_BYTES))


def anywhere(there: Original, count: int, seed: int) -> Iterator[Flip]:
    """So many bits of all files, chosen at random."""
    files = [there.folder / name for name in FILES]
    sizes = {path.name: 8 * path.stat().st_size for path in files if path.exists()}
    chance = random.Random(seed)
    for _ in range(count):
        file = chance.choices(list(sizes), list(sizes.values()))[0]
        yield Flip(file, chance.randrange(sizes[file]))


def two_files(there: Original, count: int, seed: int) -> Iterator[Two]:
    """Damages of two different files at once, chosen at random; not all is deleted."""
    sizes = {name: (there.folder / name).stat().st_size for name in FILES if (there.folder / name).exists()}
    chance = random.Random(seed)
    while count:
        first, second = (damaged(name, sizes[name], chance) for name in chance.sample(list(sizes), 2))
        if len(sizes) == 2 and all(isinstance(each, Cut) and each.size is None for each in (first, second)):
            continue  # that is a new ledger
        count -= 1
        yield Two(first, second)


def damaged(name: str, size: int, chance: random.Random) -> Flip | Cut:
    match chance.randrange(5):
        case 0:
            return Cut(name, None)
        case 1 | 2:
            return Cut(name, chance.randrange(size))
    return Flip(name, chance.randrange(8 * size))


def ended(there: Original, flip: Damage, folder: Path, *, commands: bool = True) -> str:
    """How the table starts on a copy with that damage: "sound", "repaired", or what is wrong."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(there.folder, folder / "table")
    flip.do(folder / "table")
    try:
        if commands and (wrong := commands_end(folder)):
            return wrong
        return started(there, folder / "table")
    except Exception as error:  # noqa: BLE001 - whatever it is, the table would have ended with it
        return f"{type(error).__name__}: {error}"


def started(there: Original, folder: Path) -> str:
    """What came of two tries to open the ledger and to go on with it."""
    ledger = HealingLedger(folder, lambda: None)
    repaired = None
    for at_s in (0.0, RETRY_S):
        ledger.open(at_s)
    with closing(ledger):
        if ledger.ledger is None:
            return f"waits: {ledger.degraded}"
        fold(ledger.entries())
        rows = list(ledger.ledger.rows())
        names = dict(ledger.ledger.players.names)
        ledger.append(Sat(1, "ann", Sitting.PLAYS), bytes(9000))  # SQLite has to find free pages for it
        ledger.append(Sat(2, "eve", Sitting.PLAYS))
        repaired = ledger.repaired
        if repaired is None and (rows != there.rows or names != there.names):
            return "lost in silence"
        written = {row.number: row for row in there.rows}
        if any(written.get(row.number, row) != row for row in ledger.ledger.rows()):
            return "a number is used twice"
    with closing(Ledger(folder)) as again:
        if again.repaired is not None:
            return f"repaired again: {again.repaired.why}"
        after = list(again.rows())
        last = load(again.players.to_names(after[-1].body))
        if after[: len(rows)] != rows or last != Sat(2, "eve", Sitting.PLAYS):
            return "lost after the start"
    return "sound" if repaired is None else "repaired"


def commands_end(folder: Path) -> str:
    """Which command of the remedy did not end with an exit code; empty if all did."""
    table = folder / "table"
    for does, where in (
        (commands.verify, table),
        (commands.export_lines, table),
        (commands.restore, folder / "restored"),
    ):
        copy = str(table / database.NAME)
        given = {
            "folder": str(where),
            "config": None,
            "match": None,
            "copy": copy,
            "start": 1,
            "most_bytes": None,
        }
        said = io.StringIO()
        try:
            with redirect_stdout(said), redirect_stderr(said):
                code = commands.run(argparse.Namespace(does=does, **given))
        except CommandError as error:
            code = error.code
        except Exception as error:  # noqa: BLE001 - a traceback for the operator
            return f"{does.__name__} ends with {type(error).__name__}: {error}"
        if code not in (0, 1):
            return f"{does.__name__} ends with {code}"
    return ""


def counted(there: Original, flips: Iterable[Damage], folder: Path) -> tuple[Counter[str], dict[str, Damage]]:
    """How often each end came, and the first damage that led to it."""
    ends: Counter[str] = Counter()
    first: dict[str, Damage] = {}
    for flip in flips:
        end = ended(there, flip, folder)
        ends[end] += 1
        first.setdefault(end, flip)
    return ends, first


GOOD = {"sound", "repaired"}


def main() -> int:
    """Flips, counts, and says what was not good."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=0, metavar="N", help="random bits of all files")
    parser.add_argument("--page-1", action="store_true", help="every bit of the first page")
    parser.add_argument("--two", type=int, default=0, metavar="N", help="damages of two files at once")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    logging.disable()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        closed = original(folder / "closed", killed=False)
        killed = original(folder / "killed", killed=True)
        rounds: list[tuple[Original, Iterator[Damage]]] = [(closed, page_1(closed))] if args.page_1 else []
        rounds += [(each, anywhere(each, args.random // 2, args.seed)) for each in (closed, killed)]
        rounds += [(each, two_files(each, args.two // 2, args.seed)) for each in (closed, killed)]
        ends: Counter[str] = Counter()
        for there, flips in rounds:
            found, first = counted(there, flips, folder / "copy")
            ends += found
            for end in found:
                if end not in GOOD:
                    sys.stdout.write(f"{first[end]}: {end}\n")
    told = ", ".join(f"{end}: {count}" for end, count in ends.most_common())
    sys.stdout.write(f"{told}\n")
    return 0 if set(ends) <= GOOD else 1


if __name__ == "__main__":
    sys.exit(main())
