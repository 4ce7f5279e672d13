"""What a table and its league share, byte by byte: rows with their checksums, and what a table signs.

No files, no network. A row's checksum covers the row before, so that a signature over the last row covers all
of them. A statement is ASCII text that begins with its purpose, so that no signature can serve another
purpose. docs/league.md has the whole protocol.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from typing import Final

PROTOCOL: Final = 1
"""The version of the protocol; a server refuses any other."""
KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
HIGHEST: Final = 2**63 - 1
"""The highest number that SQLite stores."""
SIZES: Final = struct.Struct(">QQ4I")
"""What the checksum covers first: number, match, and the lengths of the four texts that follow."""
REASONS: Final = ("lost", "pruned", "private")
"""Why rows are missing, see `Missing`."""


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
        """Whether the row still has its checksum."""
        if not (is_number(self.number) and (self.match == 0 or is_number(self.match))):
            return False
        return self.checksum == checksum(
            self.number, self.match, self.at_utc, self.body, self.evidence_sha256, self.previous
        )

    def follows(self, before: Row) -> bool:
        """Whether the row was written right after `before`."""
        return self.number == before.number + 1 and self.previous == before.checksum


def is_number(value: object) -> bool:
    return type(value) is int and 1 <= value <= HIGHEST


def checksum(
    number: int, match: int, at_utc: str, body: bytes, evidence_sha256: bytes, previous: bytes
) -> bytes:
    """SHA-256 over the fields, each text with its length, so that no two rows look alike."""
    texts = (at_utc.encode(), body, evidence_sha256, previous)
    sizes = SIZES.pack(number, match, *map(len, texts))
    return hashlib.sha256(sizes + b"".join(texts)).digest()


@dataclass(frozen=True, slots=True)
class Missing:
    """Rows `first` to `last`, which a table can't send any more.

    `why` is "pruned" if the table dropped them before they were sent, "private" if it keeps them to itself
    because their match began before it joined or names people, else "lost".
    """

    first: int
    last: int
    why: str

    def to_json(self) -> list[object]:
        return [self.first, self.last, self.why]


def table_name(table: int) -> str:
    return f"{table:016x}"


def registration(code: str, key: bytes) -> bytes:
    return f"dicetable league {PROTOCOL} register\ncode {code}\nkey {key.hex()}\n".encode()


def head(table: int, epoch: int, missing: Missing | None, number: int, checksum: bytes) -> bytes:
    """The statement for a batch: its last row, which is chained to all the others.

    `missing` are rows right before the first one of the batch.
    """
    gone = f"{missing.first}-{missing.last} {missing.why}" if missing else "none"
    return (
        f"dicetable league {PROTOCOL} rows\ntable {table_name(table)}\nepoch {epoch}\nmissing {gone}\n"
        f"row {number}\nchecksum {checksum.hex()}\n"
    ).encode()


def request(table: int, path: str, content: str) -> bytes:
    """The statement for any other request: its path, and its content as it is sent."""
    return (
        f"dicetable league {PROTOCOL} request\ntable {table_name(table)}\npath {path}\n{content}\n".encode()
    )
