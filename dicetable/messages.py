r"""The messages on `state.sock`, as bytes. No I/O of its own; both ends use it.

The gateway sends lines; the table sends lines that end in the size of the body that follows::

    {"get":"picture","number":41}
    {"is":"picture","number":41,"bytes":31415}   and the JPEG; of 0 bytes if there is none to show
    {"get":"motion","number":41}
    {"is":"motion","number":41,"bytes":27182}    and the strip of its motion, JPEG; as for pictures
    {"get":"marks","number":41}
    {"is":"marks","number":41,"bytes":142}       and the positions of dice and frames in both, JSON
    {"get":"throws","number":41}
    {"is":"throws","number":41,"bytes":2718}     and a JSON list of throws below row 41, newest first
    {"get":"meters","number":0}
    {"is":"meters","number":0,"bytes":1200}      and what the table has counted and timed, JSON
    {"get":"rows","number":41}
    {"is":"rows","number":41,"bytes":14142}      and rows for the league from 41 on, if any
    {"is":"state","number":7,"bytes":1618}       and the snapshot of revision 7

The table sends its state without a request, on connection and after each change.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

STATE: Final = "state"
PICTURE: Final = "picture"
MOTION: Final = "motion"
MARKS: Final = "marks"
THROWS: Final = "throws"
METERS: Final = "meters"
ROWS: Final = "rows"
QUESTIONS: Final = (PICTURE, MOTION, MARKS, THROWS, METERS, ROWS)
KINDS: Final = (STATE, *QUESTIONS)
LONGEST_LINE_BYTES: Final = 200
LONGEST_CONTROL_LINE_BYTES: Final = 128 * 1024
"""On `control.sock`: enough for the news of a league with its most contests and long names in any script."""
MOST_BYTES: Final = 512 * 1024
"""The largest body; a picture of the ledger has at most half of it."""
HIGHEST: Final = 2**53 - 1
"""The highest number: the largest integer that JavaScript represents exactly."""


class WireError(ValueError):
    """The other end sent an invalid message; the connection cannot be used any more."""


@dataclass(frozen=True, slots=True)
class StateRequest:
    """`get` is one of QUESTIONS; `number` is a row of the ledger, or 0 for METERS."""

    get: str
    number: int

    def to_bytes(self) -> bytes:
        """The line to send."""
        return b'{"get":"%s","number":%d}\n' % (self.get.encode(), self.number)


@dataclass(frozen=True, slots=True)
class StateMessage:
    """`kind` is STATE or the requested kind; `number` is the revision, or the requested number."""

    kind: str
    number: int
    body: bytes

    def to_bytes(self) -> bytes:
        """The line and the body to send."""
        head = b'{"is":"%s","number":%d,"bytes":%d}\n' % (self.kind.encode(), self.number, len(self.body))
        return head + self.body


def whole(value: object) -> int:
    """The number, if it is an integer from 0 to HIGHEST. Raises WireError otherwise."""
    if type(value) is not int or not 0 <= value <= HIGHEST:
        raise WireError("a number is not from 0 to 2^53 - 1")
    return value


def parsed(line: bytes) -> dict[str, object]:
    """The JSON object in a line. Raises WireError if there is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise WireError("a line is no JSON") from None
    if not isinstance(found, dict):
        raise WireError("a line is no JSON object")
    return found


def request(line: bytes) -> StateRequest:
    """The request in a line. Raises WireError if it is invalid."""
    match parsed(line):
        case {"get": str(get), "number": number, **rest} if get in QUESTIONS and not rest:
            return StateRequest(get, whole(number))
    raise WireError("there is no such request")


class Lines:
    """Splits received bytes into lines. `waiting` are bytes without a line end so far."""

    def __init__(self, longest: int = LONGEST_LINE_BYTES) -> None:
        self.longest = longest
        self.waiting = b""

    def feed(self, data: bytes) -> None:
        """Adds received bytes."""
        self.waiting += data

    def next(self) -> bytes | None:
        """The next complete line without its end; None if there is none. Raises WireError if too long."""
        line, end, rest = self.waiting.partition(b"\n")
        if len(line) > self.longest:
            raise WireError("a line is too long")
        if not end:
            return None
        self.waiting = rest
        return line


class Messages:
    """Assembles the table's messages from received bytes."""

    def __init__(self) -> None:
        self.waiting = bytearray()
        self.head: tuple[str, int, int] | None = None

    def feed(self, data: bytes) -> list[StateMessage]:
        """The messages that are complete. Raises WireError if one is invalid."""
        self.waiting += data
        found: list[StateMessage] = []
        while (message := self.next()) is not None:
            found.append(message)
        return found

    def next(self) -> StateMessage | None:
        """The next whole message."""
        if self.head is None:
            end = self.waiting.find(b"\n", 0, LONGEST_LINE_BYTES)
            if end < 0:
                if len(self.waiting) >= LONGEST_LINE_BYTES:
                    raise WireError("a line is too long")
                return None
            self.head = head(bytes(self.waiting[:end]))
            del self.waiting[: end + 1]
        kind, number, size = self.head
        if len(self.waiting) < size:
            return None
        body = bytes(self.waiting[:size])
        del self.waiting[:size]
        self.head = None
        return StateMessage(kind, number, body)


def head(line: bytes) -> tuple[str, int, int]:
    """Kind, number and size in a message's line. Raises WireError if it is invalid."""
    match parsed(line):
        case {"is": str(kind), "number": number, "bytes": size} if kind in KINDS:
            if whole(size) > MOST_BYTES:
                raise WireError("a message is too large")
            return kind, whole(number), whole(size)
    raise WireError("there is no such message")
