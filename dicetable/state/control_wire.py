r"""The messages on `control.sock`, as bytes; docs/control.md describes them and all kinds of requests.

The gateway sends lines of JSON, at most 128 KiB each. The table answers each request once, with
the same id, in any order. The line says how many bytes of body follow it; most answers have none::

    {"id":7,"kind":"press","payload":{"control":"ok"}}
    {"id":7,"accepted":true,"sentence":"","result":{},"bytes":0}
    {"id":8,"accepted":false,"sentence":"The code is wrong.","result":{},"bytes":0}

Events are sent without a request: the newest of each name on connection, and each one when it changes::

    {"event":"panel","payload":{...},"bytes":0}
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dicetable import network, texts
from dicetable.state.wire import HIGHEST, LONGEST_CONTROL_LINE_BYTES, MOST_BYTES, parsed, whole

LONGEST_LINE_BYTES: Final = LONGEST_CONTROL_LINE_BYTES


class Payload(BaseModel):
    """The base of all payloads: no unknown fields, no silent conversions."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ControlRequest(Payload):
    """A request of the gateway. `kind` names a handler, whose own model checks `payload`."""

    id: Annotated[int, Field(ge=0, le=HIGHEST)]
    kind: Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
    payload: dict[str, Any] = {}


class Answer(Payload):
    """The answer to a request. `sentence` says why it was refused; `result` and the body vary by kind."""

    id: int = 0
    accepted: bool
    sentence: str = ""
    result: dict[str, Any] = {}
    body: Annotated[bytes, Field(exclude=True, max_length=MOST_BYTES)] = b""

    def to_bytes(self) -> bytes:
        """The line and the body to send."""
        return line_of(self.model_dump(), self.body)


class ControlEvent(Payload):
    """An event of the table."""

    event: str
    payload: dict[str, Any] = {}

    def to_bytes(self) -> bytes:
        """The line to send."""
        return line_of(self.model_dump(), b"")


def line_of(fields: dict[str, Any], body: bytes) -> bytes:
    """One line of JSON, followed by the body."""
    return json.dumps({**fields, "bytes": len(body)}, separators=(",", ":")).encode() + b"\n" + body


class BadRequestError(Exception):
    """The line has a number to answer to, but is no request; the text says why."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(why)
        self.number = number


def fault_in(error: ValidationError, whole: str) -> str:
    """The first fault: where and what; `whole` is the name of what was checked."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"])) or whole
    return texts.gateway.bad_payload(where, first["msg"])


def request(line: bytes) -> ControlRequest:
    """The request in a line. Raises WireError if it has no number, BadRequestError if the rest is invalid."""
    found = parsed(line)
    number = whole(found.get("id"))
    try:
        network.check_depth(found, network.MAX_DEPTH)
        return ControlRequest.model_validate(found)
    except ValidationError as error:
        raise BadRequestError(number, fault_in(error, "line")) from None
    except ValueError:
        raise BadRequestError(number, texts.gateway.NOT_PLAIN) from None
