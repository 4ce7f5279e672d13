"""The code on the operator's camera page that makes one phone the camera, if the config chose a phone."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from common import texts
from gateway.operator.login import Access
from gateway.pages import qr_svg
from gateway.requests import RequestRefusedError, answer
from gateway.sessions import OperatorSession


class FilmingPages:
    """Makes codes, each of which takes the place of the last, and shows the newest one."""

    def __init__(self, access: Access) -> None:
        self.access = access
        self.address = ""

    async def state(self, _: Request, session: OperatorSession) -> Response:
        """Whether a phone is `chosen` as the camera."""
        return answer({"chosen": "camera" in self.access.commands}, session)

    async def invite(self, _: Request, session: OperatorSession, __: dict[str, Any]) -> Response:
        """A new code for one phone: the certificate's `fingerprint`, the phone's page as an `address`."""
        if "camera" not in self.access.commands:
            raise RequestRefusedError(409, texts.operator.NO_PHONE_CAMERA)
        made = json.loads(self.access.commands["camera"](""))
        self.address = str(made["address"])
        told = {"address": self.address, "fingerprint": texts.phone_camera.fingerprint(made["fingerprint"])}
        return answer(told, session)

    async def code(self, _: Request, __: OperatorSession) -> Response:
        """The newest code as a QR code, SVG."""
        if not self.address:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        svg = qr_svg(self.address)
        return Response(svg, media_type="image/svg+xml", headers={"cache-control": "no-store"})
