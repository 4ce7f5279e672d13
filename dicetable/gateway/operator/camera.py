"""The camera page and the wizards: questions to the eye, passed on, and the pictures that come back."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from dicetable import texts
from dicetable.gateway.operator.asking import done
from dicetable.gateway.operator.guard import RequestRefusedError, answer
from games.dice import FACES

if TYPE_CHECKING:
    from starlette.requests import Request

    from dicetable.gateway.link import TableLink
    from dicetable.gateway.operator.entrance import Entrance
    from dicetable.gateway.operator.sessions import OperatorSession

LOOKS: Final = ("view", "explain")
"""What is asked by GET, for it changes nothing."""
STEPS: Final = ("lens", "keep_lens", "rig", "keep_rig", "background", "face", "keep_dice")
"""What is asked by POST."""
EYE_S: Final = 65.0
MOST_PICTURES: Final = 12


class CameraPages:
    """What the eye is asked; pictures are kept until the browser has fetched them, a dozen at most."""

    def __init__(self, entrance: Entrance, table: TableLink) -> None:
        self.entrance = entrance
        self.table = table
        self.pictures: OrderedDict[str, bytes] = OrderedDict()

    async def look(self, request: Request) -> Response:
        """The live picture with its meters, or the newest reading explained.

        `what` is `view` or `explain`; with `?grid=0` no grid is drawn. `picture` in the answer is the path
        of the picture.
        """
        session = self.entrance.session(request)
        what = request.path_params["what"]
        if what not in LOOKS:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        return await self.asked(what, {"grid": request.query_params.get("grid") != "0"}, session)

    async def step(self, request: Request) -> Response:
        """A step of a wizard.

        `what` is `lens`, which starts anew with `begin`, `keep_lens`, `rig`, `keep_rig`, `background`, `face`
        with the `kind` and `value` of the die that lies there, or `keep_dice`, which with `add` keeps the
        earlier ones too.
        """
        session, body = await self.entrance.change(request)
        what = request.path_params["what"]
        if what not in STEPS:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        payload = {
            name: body[name]
            for name in ("kind", "value", "add", "begin")
            if isinstance(body.get(name), str | int)
        }
        return await self.asked(what, payload, session)

    async def asked(self, what: str, payload: dict[str, Any], session: OperatorSession) -> Response:
        """The eye's answer; a picture is named in it. What the eye refuses may have one too."""
        told = await self.table.ask("operator_eye", {"what": what, "payload": payload}, EYE_S)
        result = dict(told.result)
        if told.body:
            result["picture"] = self.keep(told.body)
        if "error" in result:
            return answer(result, session, 409)
        done(told)
        return answer(result, session)

    def keep(self, jpeg: bytes) -> str:
        """Keeps a picture for a moment; its path."""
        name = secrets.token_urlsafe(9)
        self.pictures[name] = jpeg
        while len(self.pictures) > MOST_PICTURES:
            self.pictures.popitem(last=False)
        return f"/operator/api/picture/{name}.jpg"

    async def picture(self, request: Request) -> Response:
        """A picture that was named before."""
        self.entrance.session(request)
        found = self.pictures.get(request.path_params["name"])
        if found is None:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        return Response(found, media_type="image/jpeg", headers={"cache-control": "no-store"})

    async def dice(self, request: Request) -> Response:
        """The kinds of dice and how many `faces` each has, for enrolling."""
        self.entrance.session(request)
        return answer({"faces": dict(FACES)})
