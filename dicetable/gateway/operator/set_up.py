"""Setting the table up for the first time: what is done already, and the sheets that have to be printed."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Final

from starlette.responses import Response

from dicetable import texts
from dicetable.gateway.link import BusyError
from dicetable.gateway.operator.guard import RequestRefusedError, answer
from dicetable.gateway.operator.programs import output_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from dicetable.gateway.link import TableLink
    from dicetable.gateway.operator.entrance import Entrance

SHEETS: Final = ("tray-a4", "tray-letter", "lens-a4", "lens-letter")
EYE_S: Final = 8.0
PDF: Final = b"%PDF"


class SetUpPages:
    """What the steps of the set-up need beside the pages that they lead through."""

    def __init__(self, entrance: Entrance, link: TableLink, table: TableLink) -> None:
        self.entrance = entrance
        self.link = link
        self.table = table

    async def state(self, request: Request) -> Response:
        """Which steps are done, as the table knows; what cannot be known is missing."""
        self.entrance.session(request)
        if self.link.state is None:
            raise BusyError
        state = json.loads(self.link.state)
        told = await self.table.ask("operator_eye", {"what": "rigged"}, EYE_S)
        rigged = {name: done is True for name, done in told.result.items()} if told.accepted else {}
        degraded = {each["part"] for each in state.get("troubles", ())}
        steps = {
            **rigged,
            "camera": rigged.get("camera", False) and texts.health.degraded("camera") not in degraded,
            "panel": texts.health.degraded("panel") not in degraded,
            "throw": bool(state.get("throws")),
        }
        return answer({"steps": steps})

    async def sheet(self, request: Request) -> Response:
        """A sheet to print at true size."""
        self.entrance.session(request)
        name = request.path_params["name"]
        if name not in SHEETS:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        sheet, paper = name.split("-")
        options = ("--sheet", sheet, "--paper", paper)
        made = await output_of([sys.executable, "-P", "-m", "dicetable", "markers", "-", *options])
        if not made.startswith(PDF):
            raise RequestRefusedError(503, texts.operator.FAILED)
        headers = {
            "cache-control": "no-store",
            "content-disposition": f'inline; filename="dicetable-{name}.pdf"',
        }
        return Response(made, 200, headers, "application/pdf")
