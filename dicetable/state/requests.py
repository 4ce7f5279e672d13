"""What a request on `control.sock` is made of at the table's end: its kind, its checked payload, its answer.

A module that adds kinds brings a payload model and a function for each, and joins them in a mapping::

    class EndGame(Payload):
        seat: int

    def end_game(asked: EndGame, table: Table) -> Reply: ...

    KINDS = {"end_game": Kind(EndGame, end_game)}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from pydantic import ValidationError

from dicetable import texts
from dicetable.state.control_wire import Answer, Payload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dicetable.state.control_wire import Request
    from dicetable.table.table import Table

Asked = TypeVar("Asked", bound=Payload)
Reply: TypeAlias = Answer
"""An answer whose id is still to be put in."""
Replying: TypeAlias = "Reply | Iterator[Reply | None]"


def accepted(result: dict[str, Any] | None = None, body: bytes = b"") -> Reply:
    """It was done."""
    return Answer(accepted=True, result=result or {}, body=body)


def refused(sentence: str) -> Reply:
    """It was not done, and why."""
    return Answer(accepted=False, sentence=sentence)


@dataclass(frozen=True, slots=True)
class Kind(Generic[Asked]):
    """One kind of request.

    Attributes:
        payload: the model that its payload must fit.
        do: does it at once, or in steps: an iterator gives None once a turn until it gives the reply. Each
            step has to be short, for a throw may be waiting.
    """

    payload: type[Asked]
    do: Callable[[Asked, Table], Replying]

    def begin(self, request: Request, table: Table) -> Replying:
        """Does it, or refuses a payload that does not fit."""
        try:
            asked = self.payload.model_validate(request.payload)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            where = ".".join(map(str, first["loc"])) or "payload"
            return refused(texts.control.bad_payload(where, first["msg"]))
        return self.do(asked, table)
