"""What of the ledger a league has, and which rows went that it did not have yet.

The files lie beside the database. Only a table that is in a league has them.
"""

import json
import logging
from contextlib import suppress
from pathlib import Path
from typing import Final

from common import files, strict_json

ACKNOWLEDGED: Final = "league.acknowledged"
PRUNED: Final = "league.pruned"
MOST_RANGES: Final = 1000
MOST_BYTES: Final = 64 * MOST_RANGES
MOST_DIGITS: Final = 20

log = logging.getLogger(__name__)


def acknowledged(folder: Path) -> int | None:
    """The highest row that the league has acknowledged; None outside a league, 0 if it is not known."""
    try:
        return int(files.read_file(folder / ACKNOWLEDGED, MOST_DIGITS))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return 0


def acknowledge(folder: Path, number: int) -> None:
    """Remembers the highest row that the league has. Raises OSError."""
    files.atomic_write(folder / ACKNOWLEDGED, b"%d\n" % number)


def pruned(folder: Path) -> list[list[int]] | None:
    """Rows that were pruned before the league acknowledged them, as ranges; None if the note is damaged."""
    try:
        ranges = strict_json.parse_json(files.read_file(folder / PRUNED, MOST_BYTES))
        return [[int(first), int(last)] for first, last in ranges]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError) as error:
        log.warning("pruned=unreadable path=%s error=%r", folder / PRUNED, str(error))
        return None


def note_pruning(folder: Path, first_kept: int, sent: int) -> None:
    """Writes down, before rows are deleted, which of them the league may still need. Raises OSError.

    `sent` is the highest row that the league is known to have; a start of the table knows it only roughly.
    """
    remembered = acknowledged(folder)
    if remembered is None:
        return
    ranges = pruned(folder)
    if ranges is None:
        ranges = []
        aside = folder / f"damaged-{PRUNED}"
        with suppress(OSError):
            (folder / PRUNED).replace(aside)
        log.warning("pruned=damaged kept=%s which rows went unsent before is not known", aside)
    first = max(remembered, sent, ranges[-1][1] if ranges else 0) + 1
    if first >= first_kept:
        return
    if ranges and ranges[-1][1] == first - 1:
        ranges[-1][1] = first_kept - 1
    else:
        ranges.append([first, first_kept - 1])
    files.atomic_write(folder / PRUNED, json.dumps(ranges[-MOST_RANGES:]).encode() + b"\n")
