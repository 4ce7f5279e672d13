"""The first page of a game under a laptop's camera: its picture, whether it will do, and what to do next.

It shows all that the camera sees. So only this machine's own browser gets the picture, and one that opens
the address at the terminal: its code works once, and makes the browser a paired display.
"""

import hmac

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from common import texts
from gateway.displays import COOKIE, Displays, new_name
from gateway.link import BusyError, TableLink
from gateway.pages import translated_page
from gateway.requests import (
    RequestRefusedError,
    accepted,
    answer,
    check_origin,
    json_body,
    keep_cookie,
    refusing,
    text_of,
)
from gateway.settings import GatewaySettings

PAGE = "/start"


class FirstPage:
    """The page, the state that it asks for, and the last picture."""

    def __init__(self, link: TableLink, settings: GatewaySettings, displays: Displays) -> None:
        self.link = link
        self.settings = settings
        self.displays = displays
        self.code = settings.first_code
        self.jpeg = b""

    def routes(self) -> list[Route]:
        return [
            Route(PAGE, refusing(self.page)),
            Route(f"{PAGE}/pair", refusing(self.pair), methods=["POST"]),
            Route(f"{PAGE}/state", refusing(self.state)),
            Route(f"{PAGE}/picture.jpg", refusing(self.picture)),
            Route(f"{PAGE}/camera", refusing(self.choose), methods=["POST"]),
        ]

    def check(self, request: Request) -> None:
        """Raises RequestRefusedError for a browser that is neither on this machine nor paired."""
        if self.settings.proxied or not self.displays.shows_codes(request):
            raise RequestRefusedError(403, texts.first_page.ONLY_HERE)

    async def page(self, request: Request) -> Response:
        """The first page of a laptop's table, in HTML: whether its camera will do, and what to do next.

        Any browser may have it, since nothing is in it.
        """
        return translated_page(request, "start.html", texts.first_page.PAGE, self.settings.look)

    async def pair(self, request: Request) -> Response:
        """Pairs the browser that brings the terminal's code, once."""
        check_origin(request)
        typed = text_of(await json_body(request), "code")
        if not self.code or not hmac.compare_digest(typed.encode(), self.code.encode()):
            self.check(request)  # it may be paired already
            return answer({})
        self.code = ""
        name = new_name()
        self.displays.pair(name)
        paired = answer({})
        keep_cookie(paired, request, COOKIE, name, "/")
        return paired

    async def state(self, request: Request) -> Response:
        """What the table says of the camera; takes its newest picture too."""
        self.check(request)
        try:
            told = await self.link.ask("camera_check", {})
        except BusyError:
            raise RequestRefusedError(503, texts.first_page.PAGE["away"]) from None
        if not told.accepted:
            raise RequestRefusedError(404, texts.first_page.PAGE["away"])
        self.jpeg = told.body
        return answer({**told.result, "picture": bool(self.jpeg)})

    async def picture(self, request: Request) -> Response:
        """The picture that the last state was about."""
        self.check(request)
        return Response(self.jpeg, media_type="image/jpeg", headers={"cache-control": "no-store"})

    async def choose(self, request: Request) -> Response:
        """Looks through another camera."""
        self.check(request)
        check_origin(request)
        path = text_of(await json_body(request), "path")
        try:
            accepted(await self.link.ask("camera_choose", {"path": path}))
        except BusyError:
            raise RequestRefusedError(503, texts.first_page.PAGE["away"]) from None
        return answer({})
