"""The parts of a request on `control.sock` at the table's side: kind, checked payload, reply.

A module that adds kinds defines a payload model and a function for each, and puts them in a mapping::

    class EndGame(Payload):
        seat: int

    def end_game(asked: EndGame, table: Table) -> Reply: ...

    KINDS = {"end_game": RequestKind(EndGame, end_game)}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from pydantic import ValidationError

from dicetable.state.control_wire import Answer, Payload, fault_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dicetable.state.control_wire import ControlRequest
    from dicetable.table.table import Table

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
