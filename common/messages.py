r"""The messages between table and gateway on `table.sock`; docs/control.md says how the table handles them.

Both send lines of JSON, at most 128 KiB each. The gateway's are requests, and the table answers each of them
once, with the same id, in any order. The line of an answer says how many bytes of body follow it::

    {"id":7,"kind":"press","payload":{"control":"ok"}}
    {"id":7,"accepted":true,"sentence":"","result":{},"bytes":0}
    {"id":8,"kind":"picture","payload":{"number":41}}
    {"id":8,"accepted":true,"sentence":"","result":{},"bytes":31415}   and the JPEG
    {"id":9,"accepted":false,"sentence":"The code is wrong.","result":{},"bytes":0}

Events are sent without a request: the newest of each name on connection, and each one when it changes::

    {"event":"state","payload":{},"bytes":1618}   and the snapshot of the table, JSON
    {"event":"panel","payload":{...},"bytes":0}
"""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

SOCKET: Final = "table.sock"
STATE: Final = "state"
"""The event whose body is the snapshot."""
PICTURE: Final = "picture"
MOTION: Final = "motion"
MARKS: Final = "marks"
FILM: Final = "film"
THROWS: Final = "throws"
ROWS: Final = "rows"
"""Kinds of requests that only read; each has the `number` of a row of the ledger as its payload."""
LONGEST_LINE_BYTES: Final = 128 * 1024
"""Enough for the news of a league with its most contests and long names in any script."""
MOST_BYTES: Final = 512 * 1024
"""The largest body; a picture of the ledger has at most half of it."""
HIGHEST: Final = 2**53 - 1
"""The highest number: the largest integer that JavaScript represents exactly."""


class WireError(ValueError):
    """The other end sent an invalid message; the connection cannot be used any more."""


def line_of(fields: dict[str, Any], body: bytes = b"") -> bytes:
    """One line of JSON, followed by the body."""
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n" + body


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request.

    `sentence` says why it was refused; `result` and the body, which follows the line, vary by kind.
    """

    accepted: bool
    sentence: str = ""
    result: dict[str, Any] = field(default_factory=dict)
    body: bytes = b""

    def to_bytes(self, number: int) -> bytes:
        """The line and the body to send, in answer to the request with that id."""
        fields = {"accepted": self.accepted, "sentence": self.sentence, "result": self.result}
        return line_of({"id": number, **fields, "bytes": len(self.body)}, self.body)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that the table publishes; only `state` has a body, which follows the line."""

    event: str
    payload: dict[str, Any] = field(default_factory=dict)
    body: bytes = b""

    def to_bytes(self) -> bytes:
        """The line and the body to send."""
        fields = {"event": self.event, "payload": self.payload, "bytes": len(self.body)}
        return line_of(fields, self.body)


class Answered(NamedTuple):
    """An answer with the id of its request."""

    number: int
    answer: Answer


def whole(value: object) -> int:
    """The number, if it is an integer from 0 to HIGHEST. Raises WireError otherwise."""
    if type(value) is not int or not 0 <= value <= HIGHEST:
        raise WireError("a number is not from 0 to 2^53 - 1")
    return value


def parsed(line: bytes) -> dict[str, Any]:
    """The JSON object in a line. Raises WireError if there is none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise WireError("a line is no JSON") from None
    if not isinstance(message, dict):
        raise WireError("a line is no JSON object")
    return message


async def read_line(reader: asyncio.StreamReader) -> bytes:
    """The next line without its end.

    The reader's limit must be LONGEST_LINE_BYTES. Raises WireError if the line is longer, and
    ConnectionResetError once the other end has closed the connection.
    """
    try:
        return (await reader.readuntil(b"\n"))[:-1]
    except asyncio.IncompleteReadError:
        raise ConnectionResetError("the other end closed the connection") from None
    except asyncio.LimitOverrunError:
        raise WireError("a line is too long") from None


async def read_message(reader: asyncio.StreamReader) -> Answered | Event:
    """The table's next message with its body. Raises WireError if it is invalid; else as `read_line`."""
    head = parsed(await read_line(reader))
    size = whole(head.pop("bytes", None))
    if size > MOST_BYTES:
        raise WireError("a message is too large")
    try:
        body = await reader.readexactly(size)
    except asyncio.IncompleteReadError:
        raise ConnectionResetError("the other end closed the connection") from None
    match head:
        case {"event": str(name), "payload": dict(payload), **rest} if not rest:
            return Event(name, payload, body)
        case {
            "id": number,
            "accepted": bool(accepted),
            "sentence": str(sentence),
            "result": dict(result),
            **rest,
        } if not rest:
            return Answered(whole(number), Answer(accepted, sentence, result, body))
    raise WireError("there is no such message")
