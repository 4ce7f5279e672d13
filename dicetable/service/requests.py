"""The gateway's requests as the table takes them: the line, its kind, the checked payload, the reply.

A module that adds kinds defines a payload model and a function for each, and puts them in a mapping::

    class EndGame(Payload):
        seat: int

    def end_game(asked: EndGame, table: Table) -> Answer: ...

    KINDS = {"end_game": RequestKind(EndGame, end_game)}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dicetable import texts
from dicetable.messages import HIGHEST, Answer, parsed, whole
from dicetable.network import outside_json

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from dicetable.table.table import Table


class Payload(BaseModel):
    """The base of all payloads: no unknown fields, no silent conversions."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Nothing(Payload):
    """No payload."""


class Request(Payload):
    """A request of the gateway. `kind` names a handler, whose own model checks `payload`."""

    id: Annotated[int, Field(ge=0, le=HIGHEST)]
    kind: Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
    payload: dict[str, Any] = {}


class BadRequestError(Exception):
    """The line has a number to answer to, but is no request; the text says why."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(why)
        self.number = number


def request(line: bytes) -> Request:
    """The request in a line. Raises WireError if it has no number, BadRequestError if the rest is invalid."""
    found = parsed(line)
    number = whole(found.get("id"))
    try:
        outside_json.check(found, outside_json.DEEPEST)
        return Request.model_validate(found)
    except ValidationError as error:
        raise BadRequestError(number, fault_in(error, "line")) from None
    except ValueError:
        raise BadRequestError(number, texts.control.NOT_PLAIN) from None


def fault_in(error: ValidationError, checked: str) -> str:
    """The first fault: where and what; `checked` names what was validated."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"])) or checked
    return texts.control.bad_payload(where, first["msg"])


def accepted(result: dict[str, Any] | None = None, body: bytes = b"") -> Answer:
    return Answer(accepted=True, result=result or {}, body=body)


def refused(sentence: str, *, later: bool = False) -> Answer:
    """The reply to a request that was refused, with the reason; `later`: nothing is wrong but the time."""
    return Answer(accepted=False, sentence=sentence, result={"later": True} if later else {})


@dataclass(frozen=True, slots=True)
class Pace:
    """How often people do something: `burst` times at once, and then once every `every_s` seconds."""

    burst: int
    every_s: float


SELDOM: Final = Pace(6, 10.0)
"""For what people do a few times an evening, such as starting a game."""
LOOKS: Final = Pace(20, 1.0)
"""For pages that people look at; they change nothing."""

Given = TypeVar("Given", bound=Payload)


@dataclass(frozen=True, slots=True)
class RequestKind(Generic[Given]):
    """One kind of request.

    Attributes:
        payload: the model that its payload must match.
        do: carries it out and returns the answer, or returns a coroutine that does. It runs on the table's
            loop, so each of its steps has to be short, because a throw may be waiting.
        pace: how often it is carried out, over all connections together.
    """

    payload: type[Given]
    do: Callable[[Given, Table], Answer | Awaitable[Answer]]
    pace: Pace = SELDOM

    def begin(self, request: Request, table: Table) -> Answer | Awaitable[Answer]:
        try:
            payload = self.payload.model_validate(request.payload)
        except ValidationError as error:
            return refused(fault_in(error, "payload"))
        return self.do(payload, table)
