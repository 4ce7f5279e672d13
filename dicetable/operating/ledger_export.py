"""`python -m dicetable.operating.ledger_export FOLDER START MATCH`: a piece of the ledger as JSON lines.

Together the pieces are what `dicetable ledger export` writes. A piece fits into one message; the next one
begins after its last row, and an empty one marks the end.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dicetable.commands.ledger import exported
from dicetable.ledger.entries import BadEntry, JournalError
from dicetable.ledger.reader import Reader
from dicetable.ledger.rows import DamageError

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES: Final = 300_000
NICE: Final = 10


def piece(folder: Path, start: int, match: int) -> Iterator[str]:
    """The lines of one piece; none if the ledger cannot be read."""
    size = 0
    try:
        with closing(Reader(folder)) as reader:
            for line in reader.lines(match or None):
                if line.row.number < start:
                    continue
                text = json.dumps(exported(reader, line))
                size += len(text) + 1
                if size > MOST_BYTES:
                    return
                yield text
    except (OSError, sqlite3.Error, DamageError, BadEntry, JournalError):
        return


if __name__ == "__main__":
    os.nice(NICE)
    for text in piece(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])):
        print(text)  # noqa: T201
