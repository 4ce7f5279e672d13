"""What the operator page makes of the table's answers on `table.sock`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.gateway.operator.guard import RequestRefusedError

if TYPE_CHECKING:
    from dicetable.messages import Answer


def done(told: Answer) -> Answer:
    """The answer of a table that did it; RequestRefusedError with its sentence if it did not."""
    if not told.accepted:
        raise RequestRefusedError(409, told.sentence)
    if error := told.result.get("error"):
        raise RequestRefusedError(409, str(error))
    return told
