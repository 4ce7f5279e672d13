"""The gateway: a Starlette application over one `TableLink`, and what serves it until SIGTERM."""

import asyncio
import json
import logging
import os
import signal
import ssl
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from common import messages, network, sound_folder, texts
from common.files import read_file
from common.http_server import Entrance, Listener, SecurityHeaders, client_disconnected, run
from common.network import LOCAL_HOSTS, ClientAddress, RateLimit, client_of
from common.sound_folder import sounds_in
from gateway.displays import SeatCodes
from gateway.first_page import FirstPage
from gateway.languages import language_of
from gateway.link import BusyError, TableLink
from gateway.logo import LOGO, Logo
from gateway.middleware import HostCheck, Throttle
from gateway.odds import odds_in
from gateway.operator.login import Login
from gateway.operator.routes import operator
from gateway.pages import (
    COLOUR,
    colour_sheet,
    compressible,
    guest_page,
    own_address,
    phone_page,
    qr_svg,
    static_files,
)
from gateway.phone_camera import PhoneCameraError, PhoneCameraPages, phone_camera
from gateway.records import RecordsPages
from gateway.requests import row_number
from gateway.rolls import RollPages
from gateway.seats import MOST_KNOWN, Seats
from gateway.settings import GatewaySettings
from gateway.signals.metrics import MetricsPage
from gateway.signals.signalling import Signalling
from gateway.streams import ALIVE_S, Streams, Turns, event, streaming, wait_at_most

MOST_STREAMS: Final = 250
"""Streams at once; further screens are asked to come back later."""
MOST_OF_A_CLIENT: Final = 40
"""Streams of one client, so that no guest keeps the others out. Over IPv6, all phones may be one client."""
MOST_OF_A_SEAT: Final = 4
"""Streams of one phone with a seat, or of this machine, that no crowd takes away. A page that is opened again
may hold two for a while."""
RETRY_S: Final = 5
MOST_CONNECTIONS: Final = 400
CONNECTS: Final = (400, 0.02)
"""New connections of one client: four hundred at once, so that a bar whose guests all come from one address
can open the page together, then fifty a second. More leaves the gateway less time for players, fewer makes
such a bar wait."""
FAREWELL_S: Final = 1
NO_MESSAGE: Final = b'{"text": ""}'

log = logging.getLogger(__name__)


class GuestPages:
    """What guests, phones and displays are shown."""

    def __init__(
        self, link: TableLink, login: Login, seats: Seats, settings: GatewaySettings, logo: Logo
    ) -> None:
        self.link = link
        self.seats = seats
        self.settings = settings
        self.displays = login.access.displays
        self.codes = SeatCodes(link, self.displays)
        self.streams = Streams(MOST_STREAMS, MOST_OF_A_CLIENT)
        self.kept_streams = Streams(MOST_OF_A_SEAT * MOST_KNOWN, MOST_OF_A_SEAT)
        self.turns = Turns()
        self.look = settings.look
        self.sounds = sounds_of(settings.look.sounds)
        self.logo = logo
        self.message = NO_MESSAGE
        self.version = version("dicetable")

    async def guest(self, request: Request) -> Response:
        """The guest page."""
        look = replace(self.look, logo=LOGO if self.logo.shown else "")
        page = guest_page(look, self.settings.house_rules, tuple(self.sounds), records=self.settings.records)
        if self.displays.shows_codes(request):
            page = page.replace(b"<body ", b'<body data-paired="yes" ', 1)
        return compressible(request, page, "text/html; charset=utf-8")

    async def static(self, request: Request) -> Response:
        """What the pages are made of."""
        file = static_files("gateway").get(request.path_params["name"])
        if file is None:
            return not_found()
        return compressible(request, *file)

    async def bar_logo(self, _: Request) -> Response:
        """The bar's logo."""
        if (logo := self.logo.shown) is None:
            return not_found()
        return Response(logo[0], media_type=logo[1], headers={"cache-control": "no-cache"})

    async def bar_colour(self, _: Request) -> Response:
        """The bar's colour, as a style sheet."""
        if not self.look.colour:
            return not_found()
        return Response(
            colour_sheet(self.look), 200, {"cache-control": "max-age=60"}, "text/css; charset=utf-8"
        )

    async def sound(self, request: Request) -> Response:
        """One of the bar's own sounds."""
        path = self.sounds.get(request.path_params["name"])
        try:
            data = read_file(path, sound_folder.MOST_BYTES) if path is not None else b""
        except OSError:  # it was taken away meanwhile
            data = b""
        if path is None or not data:
            return not_found()
        kind = sound_folder.KINDS[path.suffix.lower()]
        return Response(data, media_type=kind, headers={"cache-control": "max-age=3600"})

    async def state(self, _: Request) -> Response:
        """The newest snapshot."""
        if self.link.state is None:
            raise BusyError
        return Response(self.link.state, media_type="application/json", headers={"cache-control": "no-store"})

    async def throws(self, request: Request) -> Response:
        """Up to ten `throws` of the ledger, newest first; with `?before=N` those of rows below N."""
        before = request.query_params.get("before", str(messages.HIGHEST))
        number = row_number(before)
        if number is None:
            return problem(400, f"before: a row of the ledger from 0 to {messages.HIGHEST}")
        async with self.turns.of(client_of(request)):
            page = await self.link.read(messages.THROWS, number)
        body = b'{"v":1,"throws":' + page + b"}"
        return Response(body, media_type="application/json", headers={"cache-control": "no-store"})

    async def picture(self, request: Request) -> Response:
        """The picture of a throw."""
        return await self.of_throw(request, messages.PICTURE, "image/jpeg")

    async def motion(self, request: Request) -> Response:
        """The strip of its motion: small frames in rows."""
        return await self.of_throw(request, messages.MOTION, "image/jpeg")

    async def film(self, request: Request) -> Response:
        """The film of a throw: the picture at rest, and the frames of its motion below."""
        return await self.of_throw(request, messages.FILM, "image/jpeg")

    async def marks(self, request: Request) -> Response:
        """Where its dice are in the picture, and when the frames of the strip were taken."""
        return await self.of_throw(request, messages.MARKS, "application/json")

    async def of_throw(self, request: Request, kind: str, media_type: str) -> Response:
        """What the table has of a throw."""
        number = row_number(request.path_params["number"])
        async with self.turns.of(client_of(request)):
            body = await self.link.picture(number, kind) if number is not None else b""
        if not body:
            return not_found()
        return Response(body, media_type=media_type, headers={"cache-control": "private, max-age=600"})

    async def health(self, _: Request) -> Response:
        """Whether the table is there, and how many screens are connected."""
        connected = self.link.state is not None
        about = {
            "version": self.version,
            "table": "connected" if connected else "away",
            "screens": self.screens(),
        }
        return JSONResponse(about, 200 if connected else 503, headers={"cache-control": "no-store"})

    def screens(self) -> int:
        return self.streams.total() + self.kept_streams.total()

    async def qr(self, request: Request) -> Response:
        """The QR code of the phone page, as phones on this network reach it."""
        svg = qr_svg(f"{own_address(request)}/phone")
        return Response(svg, media_type="image/svg+xml", headers={"cache-control": "no-store"})

    async def events(self, request: Request) -> Response:
        """Server-sent events for every browser: `state`, `away`, `message` and `alive`."""
        return self.follow(request)

    async def display(self, request: Request) -> Response:
        """The events of `/events`, and for as long as the display is paired also `codes`."""
        return self.follow(request, self.codes.stream(request))

    async def phone(self, request: Request) -> Response:
        """The phone page, in the phone's language."""
        page = phone_page(self.settings.look, language_of(request), records=self.settings.records)
        response = compressible(request, page, "text/html; charset=utf-8")
        response.headers["vary"] = "accept-encoding, accept-language, cookie"
        return response

    async def phone_events(self, request: Request) -> Response:
        """The events of `/events`, and `panel` with what the phone shows, or `clock` without news."""
        return self.follow(request, self.seats.stream(request))

    async def odds(self, _: Request) -> Response:
        """Chances of what may come next, in words, if they are `on`."""
        on = self.settings.odds
        body = {"v": 1, "on": on, "odds": odds_in(self.link.state) if on else []}
        return JSONResponse(body, headers={"cache-control": "no-store"})

    def follow(self, request: Request, *more: AsyncGenerator[bytes, None]) -> Response:
        """One stream with every event for this browser; each client has its share of streams."""
        return streaming(*more, self.stream(*self.share_of(request)))

    def share_of(self, request: Request) -> tuple[Streams, str]:
        """The streams that one more of this request counts among, and whose share it takes. BusyError."""
        client = client_of(request)
        seat = self.seats.seat_of(request) or (client if client in LOCAL_HOSTS else "")
        if seat and self.kept_streams.allows(seat, more=1):
            return self.kept_streams, seat
        if not self.streams.allows(client, more=1):
            raise BusyError
        return self.streams, client

    def show(self, text: str) -> None:
        """Puts a text on every screen, above the state of the table; an empty one takes it away."""
        self.message = json.dumps({"text": text}).encode()
        self.link.wake()

    async def stream(self, streams: Streams, client: str) -> AsyncGenerator[bytes, None]:
        """Yields `state` with each new snapshot, or `away` while the table is not there.

        A slow reader misses some, never the newest.
        """
        streams.open[client] += 1
        try:
            yield b"retry: 1000\n\n"
            sent: bytes | None = b""
            message = NO_MESSAGE
            while streams.allows(client):
                news, state = self.link.news, self.link.state
                if self.message != message:
                    message = self.message
                    yield event("message", message)
                if state is not sent:
                    sent = state
                    yield event("state", state) if state is not None else event("away", b"{}")
                    continue
                if not await wait_at_most(news, ALIVE_S):
                    yield event("alive", b"{}")
        finally:
            streams.open -= Counter((client,))


def sounds_of(folder: str) -> dict[str, Path]:
    """The bar's own sounds by the names of their files; the log tells why one is left out."""
    sounds = {}
    try:
        for path, fault in sounds_in(Path(folder)) if folder else ():
            if fault:
                log.warning("sound=none path=%r why=%r", str(path), fault)
            else:
                sounds[path.name] = path
    except OSError as error:
        log.warning("sounds=none path=%r why=%r", folder, error.strerror)
    return sounds


def problem(status: int, sentence: str, **headers: str) -> Response:
    return Response(json.dumps({"error": sentence}) + "\n", status, headers, "application/json")


def not_found() -> Response:
    return problem(404, "there is no such thing")


def away(_: Request, __: Exception) -> Response:
    """The response when the table does not answer now, or the client asked for too much."""
    return problem(503, "the table does not answer now", **{"retry-after": str(RETRY_S)})


def application(
    link: TableLink, settings: GatewaySettings, camera: PhoneCameraPages | None = None
) -> Starlette:
    """The application; it keeps the links to the table up while it lives, to the eye too if `camera`."""
    state = os.environ.get("STATE_DIRECTORY")
    lasting = Path(state) if state else None
    logo = Logo(settings.look.logo, lasting)
    (login, operator_routes), seats = operator(settings, link, logo, lasting), Seats(link)
    pages = GuestPages(link, login, seats, settings, logo)
    signalling = Signalling(link, settings.signals, pages.show)
    rolls = RollPages(link, pages.look, settings.origins, pages.share_of)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        sends = (camera.sender,) if camera is not None else ()
        running = [asyncio.create_task(part.run()) for part in (link, signalling, seats, *sends)]
        async with login.access.open():
            yield
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    shown = {
        "/": pages.guest,
        "/static/{name}": pages.static,
        LOGO: pages.bar_logo,
        "/sounds/{name}": pages.sound,
        f"/{COLOUR}": pages.bar_colour,
        "/events": pages.events,
        "/display": pages.display,
        "/display/{seat}.svg": pages.codes.qr,
        "/api/state": pages.state,
        "/api/throws": pages.throws,
        "/throws/{number}-motion.jpg": pages.motion,
        "/throws/{number}-film.jpg": pages.film,
        "/throws/{number}.jpg": pages.picture,
        "/throws/{number}.json": pages.marks,
        "/qr.svg": pages.qr,
        "/health": pages.health,
        "/phone": pages.phone,
        "/phone/events": pages.phone_events,
        "/api/odds": pages.odds,
    }
    if camera is not None:
        login.access.commands["camera"] = lambda _: camera.invite()
    if settings.signals.metrics is not None:
        allow = settings.signals.metrics.allow
        metrics = MetricsPage(link, allow, pages.screens, signalling.publisher, signalling.hooks)
        shown["/metrics"] = metrics.answer
    if settings.records:
        records = RecordsPages(pages.look, link)
        shown |= {
            "/records": records.records,
            "/players/{name:path}": records.player,
            "/dice": records.dice,
            "/api/best": records.best,
            "/pictures/evening": records.evening_picture,
            "/pictures/players/{name:path}": records.player_picture,
        }
    changes = {
        "/phone/claim": seats.claim,
        "/phone/here": seats.here,
        "/phone/leave": seats.leave,
        "/phone/choose": seats.choose,
        "/phone/name": seats.name,
        "/phone/colour": seats.colour,
    }
    made = Starlette(
        routes=[
            *(Route(path, answer) for path, answer in shown.items()),
            *rolls.routes(),
            *operator_routes,
            *FirstPage(link, settings, login.access.displays).routes(),
            *(camera.plain_routes() if camera is not None else ()),
            *(Route(path, seats.guarded(change), methods=["POST"]) for path, change in changes.items()),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(ClientAddress, proxied=settings.proxied),
            Middleware(Throttle, seat_of=seats.seat_of),
            Middleware(HostCheck, names=settings.hosts),
        ],
        exception_handlers={ClientDisconnect: client_disconnected, BusyError: away},
        lifespan=lifespan,
    )
    made.state.sits_at = seats.sits_at
    return made


def serve(settings: GatewaySettings) -> int:
    """Serves until SIGTERM; 1 if the address or the certificate cannot be used."""
    host, port = settings.host, settings.port
    network.set_up_logging()
    if sys.stdout.isatty():
        logging.getLogger().setLevel(logging.WARNING)
    if not port:
        return asyncio.run(without_pages(settings))
    try:
        listening = Listener(host, port, MOST_CONNECTIONS)
    except OSError as error:
        sys.stderr.write(f"{texts.gateway.cannot_listen(host, port, error.strerror or str(error))}\n")
        return 1
    if settings.tls_cert and (why := unusable(settings)):
        listening.close()
        sys.stderr.write(f"{texts.gateway.cannot_encrypt(settings.tls_cert, settings.tls_key, why)}\n")
        return 1
    try:
        camera, secure = phone_camera(settings)
    except PhoneCameraError as error:
        listening.close()
        sys.stderr.write(f"{error}\n")
        return 1
    where = texts.gateway.serving(host, port, tls=bool(settings.tls_cert))
    sys.stdout.write(framed(where) if sys.stdout.isatty() else f"{where}\n")
    sys.stdout.flush()
    own = application(TableLink(Path(settings.socket)), settings, camera)
    listening.slots.keeps = own.state.sits_at
    if not settings.proxied:  # all guests come from the proxy's address
        listening.slots.connects = RateLimit(time.monotonic, *CONNECTS)
    run(FAREWELL_S, Entrance(own, listening, settings.tls_cert, settings.tls_key), *secure)
    return 0


def framed(text: str) -> str:
    """The text in a bold frame, so that people at a terminal find it among other lines."""
    rule = "━" * (len(text) + 6)
    return f"\n\x1b[1m┏{rule}┓\n┃   {text}   ┃\n┗{rule}┛\x1b[0m\n\n"


async def without_pages(settings: GatewaySettings) -> int:
    """Sends signals, without a web page, until SIGTERM; 0."""
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    link = TableLink(Path(settings.socket))
    signalling = Signalling(link, settings.signals, lambda _: None)
    running = [asyncio.create_task(part.run()) for part in (link, signalling)]
    await ended.wait()
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    return 0


def unusable(settings: GatewaySettings) -> str:
    """Why the certificate and its key cannot be used; empty if they can."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(settings.tls_cert, settings.tls_key)
    except OSError as error:  # SSLError is one
        return error.strerror or str(error)
    return ""
