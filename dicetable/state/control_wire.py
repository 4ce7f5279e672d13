r"""The messages on `control.sock`, as bytes; docs/control.md describes them and every kind of request.

The gateway sends lines of JSON, at most LONGEST_LINE_BYTES each. The table answers each request once, with
the same id, in any order; a line says how many bytes of a body follow it, which most answers do not have::

    {"id":7,"kind":"press","payload":{"control":"ok"}}
    {"id":7,"accepted":true,"sentence":"","result":{},"bytes":0}
    {"id":8,"accepted":false,"sentence":"The code is wrong.","result":{},"bytes":0}

Events come without being asked, the newest of each name when somebody connects, and each time it changes::

    {"event":"panel","payload":{...},"bytes":0}
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dicetable.state.wire import HIGHEST, MOST_BYTES, WireError

LONGEST_LINE_BYTES: Final = 64 * 1024


class Payload(BaseModel):
    """What a request or an event carries: no unknown fields, no silent conversions."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Request(Payload):
    """What the gateway asks. `kind` names a handler, whose own model checks `payload`."""

    id: Annotated[int, Field(ge=0, le=HIGHEST)]
    kind: Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
    payload: dict[str, Any] = {}


class Answer(Payload):
    """What became of a request. A refusal says why in `sentence`; `result` and `body` are the handler's."""

    id: int = 0
    accepted: bool
    sentence: str = ""
    result: dict[str, Any] = {}
    body: Annotated[bytes, Field(exclude=True, max_length=MOST_BYTES)] = b""

    def to_bytes(self) -> bytes:
        """The line and the body that are sent."""
        return line_of(self.model_dump(), self.body)


class Event(Payload):
    """News of the table."""

    event: str
    payload: dict[str, Any] = {}

    def to_bytes(self) -> bytes:
        """The line that is sent."""
        return line_of(self.model_dump(), b"")


def line_of(fields: dict[str, Any], body: bytes) -> bytes:
    """One line of JSON, and the body."""
    return json.dumps({**fields, "bytes": len(body)}, separators=(",", ":")).encode() + b"\n" + body


def request(line: bytes) -> Request:
    """The request of one line; WireError if it is none."""
    try:
        return Request.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"])) or "line"
        raise WireError(f"{where}: {first['msg']}") from None
