"""How the operator page asks the table: what it needs of the gateway's end of `control.sock`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from dicetable.gateway.operator.guard import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Told(Protocol):
    """The table's answer: whether it did what was asked; if not, why, in a sentence."""

    @property
    def accepted(self) -> bool:
        """Whether it was done."""

    @property
    def sentence(self) -> str:
        """Why not."""

    @property
    def result(self) -> Mapping[str, Any]:
        """What is told."""

    @property
    def body(self) -> bytes:
        """A picture, or other bytes."""


class Table(Protocol):
    """The table behind `control.sock`."""

    async def ask(self, kind: str, payload: dict[str, Any], within_s: float = 5.0) -> Told:
        """The answer to a request; BusyError if there is none in time."""


def done(told: Told) -> Told:
    """The answer of a table that did it; RefusedError with its sentence if it did not."""
    if not told.accepted:
        raise RefusedError(409, told.sentence)
    return told
