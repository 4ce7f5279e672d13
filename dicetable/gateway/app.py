"""The pages and what they ask for, as a Starlette application over one `TableLink`."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dicetable import messages
from dicetable.gateway.compressed import compressible
from dicetable.gateway.guest_page import COLOUR, colour_sheet, guest_page, static_files
from dicetable.gateway.hosts import OwnHost
from dicetable.gateway.link import BusyError
from dicetable.gateway.logo import logo_of
from dicetable.gateway.metrics.page import MetricsPage
from dicetable.gateway.operator.build import operator
from dicetable.gateway.pacing import Paced
from dicetable.gateway.phone.codes import CodesOnDisplays
from dicetable.gateway.phone.routes import routes as phone_routes
from dicetable.gateway.phone.seats import Seats
from dicetable.gateway.qr import own_address, qr_svg
from dicetable.gateway.records.routes import routes as records_routes
from dicetable.gateway.shares import Streams, Turns
from dicetable.gateway.signals import Signalling
from dicetable.gateway.streams import event, streaming
from dicetable.network.addresses import ClientAddress, client_of
from dicetable.network.serving import left

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from dicetable.gateway.link import TableLink
    from dicetable.gateway.operator.build import Operator
    from dicetable.gateway.settings import GatewaySettings

    Answer = Callable[[Request], Awaitable[Response]]

MOST_STREAMS: Final = 250
"""Most screens at once; further ones are asked to come back later."""
MOST_OF_A_CLIENT: Final = 40
"""Those of one client, so that no guest keeps the others out. A room's phones may be one over IPv6."""
ALIVE_S: Final = 10.0
"""A stream without news says so this often: a screen that hears nothing knows that it is out of date."""
RETRY_S: Final = 5
SECURITY: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


NO_MESSAGE: Final = b'{"text": ""}'


class SecurityHeaders:
    """Adds the same headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.headers = [(name.encode(), value.encode()) for name, value in SECURITY.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.headers]
            await send(message)

        await self.app(scope, receive, with_headers)


class GuestPages:
    """What each path answers."""

    def __init__(
        self, link: TableLink, operator: Operator, codes: CodesOnDisplays, settings: GatewaySettings
    ) -> None:
        self.link = link
        self.operator = operator
        self.codes = codes
        self.streams = Streams(MOST_STREAMS, MOST_OF_A_CLIENT)
        self.turns = Turns()
        look = settings.look
        logo = logo_of(look.logo)
        self.look = look if logo else replace(look, logo="")
        self.records = settings.records
        self.own = {"logo": logo} if logo else {}
        if look.colour:
            self.own[COLOUR] = (colour_sheet(look), "text/css; charset=utf-8")
        self.message = NO_MESSAGE
        self.version = version("dicetable")

    async def guest(self, request: Request) -> Response:
        """The guest page."""
        page = guest_page(self.look, records=self.records)
        if self.operator.entrance.displays.shows_codes(request):
            page = page.replace(b"<body ", b'<body data-paired="yes" ', 1)
        return compressible(request, page, "text/html; charset=utf-8")

    async def static(self, request: Request) -> Response:
        """What the pages are made of."""
        found = static_files().get(request.path_params["name"])
        if found is None:
            return not_found()
        return compressible(request, *found)

    async def bar(self, request: Request) -> Response:
        """The bar's logo, or its colour."""
        found = self.own.get(request.url.path.removeprefix("/"))
        if found is None:
            return not_found()
        return Response(found[0], media_type=found[1], headers={"cache-control": "max-age=60"})

    async def state(self, _: Request) -> Response:
        """The newest snapshot."""
        if self.link.state is None:
            return away()
        return Response(self.link.state, media_type="application/json", headers={"cache-control": "no-store"})

    async def throws(self, request: Request) -> Response:
        """Up to ten `throws` of the ledger, newest first; with `?before=N` those of rows below N."""
        given = request.query_params.get("before", str(messages.HIGHEST))
        number = row_number(given)
        if number is None:
            return problem(400, f"before: a row of the ledger from 0 to {messages.HIGHEST}")
        try:
            async with self.turns.of(client_of(request)):
                told = await self.link.throws(number)
        except BusyError:
            return away()
        body = b'{"v":1,"throws":' + told + b"}"
        return Response(body, media_type="application/json", headers={"cache-control": "no-store"})

    async def picture(self, request: Request) -> Response:
        """The picture of a throw."""
        return await self.of_throw(request, messages.PICTURE, "image/jpeg")

    async def motion(self, request: Request) -> Response:
        """The strip of its motion: small frames in rows."""
        return await self.of_throw(request, messages.MOTION, "image/jpeg")

    async def marks(self, request: Request) -> Response:
        """Where its dice are in the picture, and when the frames of the strip were taken."""
        return await self.of_throw(request, messages.MARKS, "application/json")

    async def of_throw(self, request: Request, kind: str, media_type: str) -> Response:
        """What the table has of a throw."""
        number = row_number(request.path_params["number"])
        try:
            async with self.turns.of(client_of(request)):
                found = await self.link.picture(number, kind) if number is not None else b""
        except BusyError:
            return away()
        if not found:
            return not_found()
        return Response(found, media_type=media_type, headers={"cache-control": "private, max-age=600"})

    async def health(self, _: Request) -> Response:
        """Whether the table is there, and how many screens are connected."""
        there = self.link.state is not None
        about = {
            "version": self.version,
            "table": "connected" if there else "away",
            "screens": self.streams.total(),
        }
        return JSONResponse(about, 200 if there else 503, headers={"cache-control": "no-store"})

    async def qr(self, request: Request) -> Response:
        """The QR code of the phone page, as phones on this network reach it."""
        svg = qr_svg(f"{own_address(request)}/phone")
        return Response(svg, media_type="image/svg+xml", headers={"cache-control": "no-store"})

    async def events(self, request: Request) -> Response:
        """Server-sent events for everybody: `state`, `away`, `message` and `alive`."""
        return self.follow(request)

    async def display(self, request: Request) -> Response:
        """What `/events` tells, and for as long as the display is paired also `codes` and `notices`."""
        return self.follow(request, self.codes.stream(request), self.operator.notices(request))

    def follow(self, request: Request, *more: AsyncGenerator[bytes, None]) -> Response:
        """One stream with all that this browser is told; each client has its share of them."""
        client = client_of(request)
        return streaming(*more, self.stream(client)) if self.streams.admits(client) else away()

    def show(self, text: str) -> None:
        """Puts a text on every screen, above what the table tells; an empty one takes it away."""
        self.message = json.dumps({"text": text}).encode()
        self.link.wake()

    async def stream(self, client: str) -> AsyncGenerator[bytes, None]:
        """Events: `state` with the newest snapshot, again and again, `away` while the table is not there.

        Who reads slowly misses some, never the newest.
        """
        self.streams.open[client] += 1
        try:
            yield b"retry: 1000\n\n"
            told: bytes | None = b""
            message = NO_MESSAGE
            while self.streams.keeps(client):
                news, state = self.link.news, self.link.state
                if self.message != message:
                    message = self.message
                    yield event("message", message)
                if state is not told:
                    told = state
                    yield event("state", state) if state is not None else event("away", b"{}")
                    continue
                try:
                    async with asyncio.timeout(ALIVE_S):
                        await news.wait()
                except TimeoutError:
                    yield event("alive", b"{}")
        finally:
            self.streams.open -= Counter((client,))


def row_number(text: str) -> int | None:
    """A number of a row; None if it is none."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(messages.HIGHEST)):
        return None
    number = int(text)
    return number if number <= messages.HIGHEST else None


def problem(status: int, what: str, **headers: str) -> Response:
    """A refusal, in one line."""
    return Response(json.dumps({"error": what}) + "\n", status, headers, "application/json")


def not_found() -> Response:
    """There is nothing under this path."""
    return problem(404, "there is no such thing")


def away() -> Response:
    """The table does not answer now, or too much was asked."""
    return problem(503, "the table does not answer now", **{"retry-after": str(RETRY_S)})


def application(link: TableLink, settings: GatewaySettings) -> Starlette:
    """The application; it keeps the link up while it lives."""
    own = operator(settings, link, link)
    codes = CodesOnDisplays(link, own.entrance.displays)
    pages = GuestPages(link, own, codes, settings)
    signalling = Signalling(link, settings.signals, link, pages.show)
    seats = Seats(link)
    phone = phone_routes(settings, link, seats, pages.follow)
    records = records_routes(pages.look, link) if settings.records else []

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        running = [asyncio.create_task(each.run()) for each in (link, signalling, seats)]
        async with own.open():
            yield
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    routes = {
        "/": pages.guest,
        "/static/{name}": pages.static,
        "/logo": pages.bar,
        f"/{COLOUR}": pages.bar,
        "/events": pages.events,
        "/display": pages.display,
        "/display/{seat}.svg": codes.qr,
        "/api/state": pages.state,
        "/api/throws": pages.throws,
        "/throws/{number}-motion.jpg": pages.motion,
        "/throws/{number}.jpg": pages.picture,
        "/throws/{number}.json": pages.marks,
        "/qr.svg": pages.qr,
        "/health": pages.health,
    }
    if settings.signals.metrics is not None:
        metrics = MetricsPage(link, signalling, settings.signals.metrics, pages.streams.total)
        routes["/metrics"] = metrics.answer
    return Starlette(
        routes=[
            *(Route(path, answer, methods=["GET"]) for path, answer in routes.items()),
            *own.routes,
            *phone,
            *records,
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(OwnHost, names=settings.hosts),
            Middleware(ClientAddress, proxied=settings.proxied),
            Middleware(Paced, has_seat=seats.has_seat),
        ],
        exception_handlers={ClientDisconnect: left},
        lifespan=lifespan,
    )
