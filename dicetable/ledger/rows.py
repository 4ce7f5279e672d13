"""The chain of the ledger's rows: what may follow what. No files, no SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from league.statements import SIZES as SIZES
from league.statements import Row as Row
from league.statements import checksum as checksum
from league.statements import is_number as is_number

NO_ROW: Final = bytes(32)
"""What the first row of all is chained to."""
NO_EVIDENCE: Final = b""


class DamageError(Exception):
    """The stored data is not what was written; the text says where."""


@dataclass(frozen=True, slots=True)
class KnownGaps:
    """Where numbers of rows may be left out.

    Attributes:
        epochs: numbers of the rows that begin an epoch. Each is higher than any that was used before.
        after_losses: numbers of the first row after rows that were lost.
    """

    epochs: frozenset[int]
    after_losses: frozenset[int]


def chained(
    before: Row | None,
    opens: bool,
    at_utc: str,
    body: bytes,
    evidence_sha256: bytes = NO_EVIDENCE,
    number: int | None = None,
) -> Row:
    """The row that comes after `before`, in a new match or in the same one; the next by number."""
    if number is None:
        number = 1 if before is None else before.number + 1
    match = number if opens else 0 if before is None else before.match
    previous = NO_ROW if before is None else before.checksum
    summed = checksum(number, match, at_utc, body, evidence_sha256, previous)
    return Row(number, match, at_utc, body, evidence_sha256, previous, summed)


def columns(row: Row) -> tuple[int, int, str, bytes, bytes, bytes, bytes]:
    """The row as the table `entry` has it."""
    return (
        row.number,
        row.match,
        row.at_utc,
        row.body,
        row.evidence_sha256,
        row.previous,
        row.checksum,
    )


def check_order(row: Row, before: Row | None, known: KnownGaps) -> None:
    """Raises DamageError unless the row is sound and comes after `before`, as far as no loss is known."""
    if not row.sound:
        raise DamageError(f"row {row.number} is not what was written")
    if before is not None and row.number in known.epochs:
        if row.previous != before.checksum or row.match != before.match:
            raise DamageError(f"row {row.number} does not follow row {before.number}")
    elif before is None or row.number in known.after_losses:
        if not row.begins:
            raise DamageError(f"row {row.number} opens no match, and the one before it is missing")
    elif not row.follows(before):
        raise DamageError(f"row {row.number} does not follow row {before.number}")
    elif not row.opens and row.match != before.match:
        raise DamageError(f"row {row.number} belongs to another match than row {before.number}")
