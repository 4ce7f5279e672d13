"""The ledger page: games and their entries, found by a program of the table's; and the export."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from starlette.responses import Response, StreamingResponse

from dicetable import texts
from dicetable.gateway.operator.asking import done
from dicetable.gateway.operator.guard import RequestRefusedError, answer
from dicetable.gateway.operator.programs import object_in
from dicetable.messages import HIGHEST

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from dicetable.gateway.link import TableLink
    from dicetable.gateway.operator.entrance import Entrance

SEARCH_S: Final = 130.0


class LedgerPages:
    """What the ledger holds."""

    def __init__(self, entrance: Entrance, table: TableLink) -> None:
        self.entrance = entrance
        self.table = table

    async def games(self, request: Request) -> Response:
        """The newest games, those with `?words=`, below `?before=`; with `?match=` the entries of one."""
        self.entrance.session(request)
        given = request.query_params
        query = {
            "words": given.get("words", "")[:100],
            "before": number(given.get("before", "0")),
            "match": number(given.get("match", "0")),
        }
        found = object_in(done(await self.table.ask("operator_ledger", query, SEARCH_S)).body)
        if found.get("error"):
            raise RequestRefusedError(409, str(found["error"]))
        return answer(found)

    async def export(self, request: Request) -> Response:
        """All entries, or with `?match=` those of one game, as JSON lines."""
        self.entrance.session(request)
        match = number(request.query_params.get("match", "0"))
        first = await self.piece(1, match)
        headers = {"cache-control": "no-store", "content-disposition": 'attachment; filename="ledger.jsonl"'}
        return StreamingResponse(self.pieces(first, match), media_type="application/jsonl", headers=headers)

    async def pieces(self, piece: bytes, match: int) -> AsyncIterator[bytes]:
        """One piece after the other, each asked for when the browser has taken the one before."""
        while piece:
            yield piece
            last = json.loads(piece.splitlines()[-1])["number"]
            piece = await self.piece(last + 1, match)

    async def piece(self, start: int, match: int) -> bytes:
        """The entries from a row on, as far as they fit into one message."""
        return done(await self.table.ask("operator_export", {"start": start, "match": match}, SEARCH_S)).body


def number(text: str) -> int:
    """A number of a row; RequestRefusedError if it is none."""
    if not (text.isascii() and text.isdecimal()) or len(text) > 16 or int(text) > HIGHEST:
        raise RequestRefusedError(400, texts.operator.MALFORMED)
    return int(text)
