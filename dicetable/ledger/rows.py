"""One row of the ledger and the checksum that chains it to the row before. No files, no SQL."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from typing import Final

NO_ROW: Final = bytes(32)
"""What the first row of all is chained to."""
NO_EVIDENCE: Final = b""
HIGHEST: Final = 2**63 - 1
"""The highest number that SQLite stores."""
SIZES: Final = struct.Struct(">QQ4I")
"""What the checksum covers first: number, match, and the lengths of the four texts that follow."""


class DamageError(Exception):
    """The stored data is not what was written; the text says where."""


@dataclass(frozen=True, slots=True)
class Row:
    """One accepted entry as it is stored.

    Attributes:
        number: counts up by one from 1 over all matches.
        match: number of the row that opened the match; 0 before the first one.
        at_utc: wall clock when it was accepted, ISO 8601; for people, nothing is computed from it.
        body: the entry, one line of JSON.
        evidence_sha256: of the picture that belongs to it; empty if it has none.
        previous: checksum of the row before.
        checksum: over `previous` and everything above.
    """

    number: int
    match: int
    at_utc: str
    body: bytes
    evidence_sha256: bytes
    previous: bytes
    checksum: bytes

    @property
    def opens(self) -> bool:
        """Whether a match begins here."""
        return self.number == self.match

    @property
    def begins(self) -> bool:
        """Whether the row stands by itself, so that the one before it may be missing."""
        return self.opens or self.match == 0

    @property
    def sound(self) -> bool:
        """Whether the row is what was written."""
        if not (is_number(self.number) and (self.match == 0 or is_number(self.match))):
            return False
        return self.checksum == checksum(
            self.number, self.match, self.at_utc, self.body, self.evidence_sha256, self.previous
        )

    def follows(self, before: Row) -> bool:
        """Whether the row is the one that was written after `before`."""
        return self.number == before.number + 1 and self.previous == before.checksum


def is_number(value: object) -> bool:
    """Whether a row can have this number."""
    return type(value) is int and 1 <= value <= HIGHEST


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


def checksum(
    number: int, match: int, at_utc: str, body: bytes, evidence_sha256: bytes, previous: bytes
) -> bytes:
    """SHA-256 over the fields, each text with its length, so that no two rows look alike."""
    texts = (at_utc.encode(), body, evidence_sha256, previous)
    sizes = SIZES.pack(number, match, *map(len, texts))
    return hashlib.sha256(sizes + b"".join(texts)).digest()


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
