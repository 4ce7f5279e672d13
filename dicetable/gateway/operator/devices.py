"""The devices that can be chosen in the browser: listed, seen or tried, and then saved as a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dicetable import texts
from dicetable.gateway.operator.asking import done
from dicetable.gateway.operator.guard import RequestRefusedError, answer, text_of
from dicetable.gateway.operator.programs import object_in

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from dicetable.gateway.link import TableLink
    from dicetable.gateway.operator.camera import CameraPages
    from dicetable.gateway.operator.entrance import Entrance

LOOK_S: Final = 60.0
LONGEST_NAME: Final = 300
KINDS: Final = ("preview", "try")


class DevicePages:
    """What is attached to the table's machine; `camera` keeps the pictures."""

    def __init__(self, entrance: Entrance, table: TableLink, camera: CameraPages) -> None:
        self.entrance = entrance
        self.table = table
        self.camera = camera

    async def listed(self, request: Request) -> Response:
        """What can be chosen, and what is."""
        self.entrance.session(request)
        told = object_in(done(await self.table.ask("operator_devices", {}, LOOK_S)).body)
        if error := told.get("error"):
            raise RequestRefusedError(409, str(error))
        return answer(told)

    async def looked_at(self, request: Request) -> Response:
        """A picture of a camera that is not chosen yet, or whether a panel's board answers."""
        session, body = await self.entrance.change(request)
        what, name = request.path_params["what"], text_of(body, "name", LONGEST_NAME)
        if what not in KINDS:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        line, _, jpeg = done(await self.table.ask(f"operator_{what}", {"name": name}, LOOK_S)).body.partition(
            b"\n"
        )
        told = object_in(line)
        if error := told.get("error"):
            raise RequestRefusedError(409, str(error))
        if jpeg:
            told["picture"] = self.camera.keep(jpeg)
        return answer(told, session)
