"""What a table signs, byte by byte; both ends use it. No files, no network.

A statement is ASCII text that begins with its purpose, so that no signature can serve another purpose.
docs/league.md has the whole protocol.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PROTOCOL: Final = 1
"""The version of the protocol; a server refuses any other."""
KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64


@dataclass(frozen=True, slots=True)
class Missing:
    """Rows that a table cannot send any more: numbers `first` to `last`.

    `why` is "pruned" where the table let go of them before they were sent, "private" where it holds them
    back, as their match began before it joined or names people, else "lost".
    """

    first: int
    last: int
    why: str

    def to_json(self) -> list[object]:
        """As a batch has it."""
        return [self.first, self.last, self.why]


REASONS: Final = ("lost", "pruned", "private")


def table_name(table: int) -> str:
    """The id of a table as the protocol writes it: 16 hexadecimal digits."""
    return f"{table:016x}"


def registration(code: str, key: bytes) -> bytes:
    """What a table signs to register its public key."""
    return f"dicetable league {PROTOCOL} register\ncode {code}\nkey {key.hex()}\n".encode()


def head(table: int, epoch: int, missing: Missing | None, number: int, checksum: bytes) -> bytes:
    """What a table signs of a batch: its last row, which is chained to all the others.

    `missing` are rows right before the first one of the batch.
    """
    gone = f"{missing.first}-{missing.last} {missing.why}" if missing else "none"
    return (
        f"dicetable league {PROTOCOL} rows\ntable {table_name(table)}\nepoch {epoch}\nmissing {gone}\n"
        f"row {number}\nchecksum {checksum.hex()}\n"
    ).encode()


def request(table: int, path: str, asked: str) -> bytes:
    """What a table signs of any other request: its path, and `asked` as it is sent."""
    return f"dicetable league {PROTOCOL} request\ntable {table_name(table)}\npath {path}\n{asked}\n".encode()
