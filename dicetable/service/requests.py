"""Requests of the gateway at the table's side: the line, its kind, the checked payload, the reply."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dicetable import texts
from dicetable.messages import HIGHEST, LONGEST_CONTROL_LINE_BYTES, MOST_BYTES, parsed, whole
from dicetable.network import outside_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dicetable.table.table import Table

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
    return texts.control.bad_payload(where, first["msg"])


def request(line: bytes) -> ControlRequest:
    """The request in a line. Raises WireError if it has no number, BadRequestError if the rest is invalid."""
    found = parsed(line)
    number = whole(found.get("id"))
    try:
        outside_json.check(found, outside_json.DEEPEST)
        return ControlRequest.model_validate(found)
    except ValidationError as error:
        raise BadRequestError(number, fault_in(error, "line")) from None
    except ValueError:
        raise BadRequestError(number, texts.control.NOT_PLAIN) from None


Asked = TypeVar("Asked", bound=Payload)


Reply: TypeAlias = Answer
"""An answer without its id, which is added later."""


Replying: TypeAlias = "Reply | Iterator[Reply | None]"


def accepted(result: dict[str, Any] | None = None, body: bytes = b"") -> Reply:
    """The reply to a request that was carried out."""
    return Answer(accepted=True, result=result or {}, body=body)


def refused(sentence: str, *, later: bool = False) -> Reply:
    """The reply to a request that was refused, with the reason; `later`: nothing is wrong but the time."""
    return Answer(accepted=False, sentence=sentence, result={"later": True} if later else {})


@dataclass(frozen=True, slots=True)
class Pace:
    """How often people do something: `burst` times at once, and then once every `every_s` seconds."""

    burst: int
    every_s: float


SELDOM: Final = Pace(6, 10.0)
"""Of what people do a few times an evening, such as starting a game."""


LOOKS: Final = Pace(20, 1.0)
"""Of pages that somebody looks at; they change nothing."""


@dataclass(frozen=True, slots=True)
class RequestKind(Generic[Asked]):
    """One kind of request.

    Attributes:
        payload: the model that its payload must match.
        do: carries it out at once, or in steps: an iterator that yields None once a turn until it yields the
            reply. Each step has to be short, because a throw may be waiting.
        pace: how often it is carried out, whoever asks and over whatever number of connections.
    """

    payload: type[Asked]
    do: Callable[[Asked, Table], Replying]
    pace: Pace = SELDOM

    def begin(self, request: ControlRequest, table: Table) -> Replying:
        """Carries it out, or refuses a payload that does not match."""
        try:
            asked = self.payload.model_validate(request.payload)
        except ValidationError as error:
            return refused(fault_in(error, "payload"))
        return self.do(asked, table)
