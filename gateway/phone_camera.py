"""A phone as the camera: how one phone is paired, its page, and the frames that it sends.

Two applications share this. The one over plain HTTP explains the browser's warning and leads to the other,
over TLS, which serves the camera's page and takes its frames, and nothing else. Each frame is a POST of its
own: the answer is the phone's leave to send another, and a frame that would have to wait is never made.
The one over plain HTTP also takes photographs, one for each throw: for those no browser asks for encryption.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import math
import os
import time
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from common import texts
from common.camera_socket import EVERY_S, MOST_BYTES, SOCKET, ArrivalClock, FrameSender
from common.files import atomic_write, read_file
from common.http_server import Entrance, Listener, SecurityHeaders, client_disconnected
from common.network import ClientAddress, RateLimit, host_of
from gateway.certificate import folder_of, named, own_certificate
from gateway.displays import digest, new_name
from gateway.invitation import Invitation
from gateway.middleware import HostCheck, Throttle
from gateway.pages import (
    address_of,
    compressible,
    static_files,
    translated_page,
)
from gateway.requests import (
    RequestRefusedError,
    answer,
    check_origin,
    json_body,
    keep_cookie,
    refusing,
    text_of,
)
from gateway.settings import GatewaySettings

PAGE: Final = "/camera"
PHOTOGRAPH: Final = f"{PAGE}/photograph"
COOKIE: Final = "dicetable_camera"
PLAIN_COOKIE: Final = "dicetable_photograph"
"""Over plain HTTP: browsers refuse it a cookie by the name of one that was set over TLS."""
KEPT: Final = "phone_camera"
"""The file in which the gateway keeps whose phone is the camera, as a digest."""
MOST_CONNECTIONS: Final = 40
BURST: Final = 4
"""Frames at once, after a pause of the network; then one every EVERY_S."""
BODY_S: Final = 5.0
"""A frame that takes longer to arrive is of no use."""
LEFT_S: Final = 10.0
"""A phone that has sent nothing for so long makes room for another. A shorter time lets a second phone take
over while the first one rings."""
RATE_S: Final = 3.0
"""Over so long the frames are counted that the page shows as a rate."""
DIGEST_LENGTH: Final = 64

log = logging.getLogger(__name__)


class PhoneCameraError(Exception):
    """The camera's page cannot be served; the text says why and what to do."""


def phone_camera(settings: GatewaySettings) -> tuple[PhoneCameraPages | None, list[Entrance]]:
    """The pages of a phone that is the camera, and their entrance over TLS; nothing if it isn't chosen.

    Raises PhoneCameraError if the certificate or the address cannot be used.
    """
    if not settings.camera_port:
        return None, []
    folder = folder_of(os.environ)
    try:
        if settings.tls_cert:
            certificate = named(Path(settings.tls_cert), Path(settings.tls_key))
        else:
            certificate = own_certificate(folder)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise PhoneCameraError(texts.phone_camera.no_certificate(str(folder), why)) from None
    host, port = settings.camera_host, settings.camera_port
    try:
        listening = Listener(host, port, MOST_CONNECTIONS)
    except OSError as error:
        why = error.strerror or str(error)
        raise PhoneCameraError(texts.phone_camera.cannot_serve(host, port, why)) from None
    pages = PhoneCameraPages(settings, certificate.fingerprint, folder)
    return pages, [
        Entrance(pages.application(), listening, str(certificate.path), str(certificate.key)),
    ]


class PhoneCameraPages:
    """One phone at a time: its code, its cookie and its frames."""

    def __init__(
        self,
        settings: GatewaySettings,
        fingerprint: str,
        lasting: Path | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """`lasting` is the folder in which the pairing outlives a restart; None: it does not."""
        self.settings = settings
        self.fingerprint = fingerprint
        self.now_s = now_s
        self.sender = FrameSender(Path(settings.socket).with_name(SOCKET))
        self.invitation = Invitation(now_s)
        self.file = lasting / KEPT if lasting else None
        self.phone = self.remembered()
        self.start_over()

    def remembered(self) -> str:
        """The digest of the phone that was the camera before; empty if there is none."""
        try:
            stored = read_file(self.file, DIGEST_LENGTH).decode("ascii") if self.file else ""
        except (OSError, ValueError):
            return ""
        return stored if len(stored) == DIGEST_LENGTH else ""

    def start_over(self) -> None:
        """Nothing is known of the phone's clock and pace."""
        self.clock = ArrivalClock(self.now_s)
        self.limit = RateLimit(self.now_s, BURST, EVERY_S)
        self.came: list[float] = []
        self.taken_ms = float("-inf")

    # The code, for the terminal, the television and the operator's page.

    def invite(self) -> str:
        """A line of JSON: the address with a new code for one phone, and the certificate's fingerprint."""
        first = f"{address_of(self.settings)}{PAGE}" if self.settings.port else self.secure(None)
        return json.dumps({"address": f"{first}#{self.invitation.new()}", "fingerprint": self.fingerprint})

    def secure(self, request: Request | None) -> str:
        """The address of the camera's page, as the phone that asks reaches this machine."""
        host_named = request.headers.get("host", "") if request else ""
        host = host_of(host_named or address_of(self.settings).partition("://")[2])
        return f"https://{f'[{host}]' if ':' in host else host}:{self.settings.camera_port}{PAGE}"

    # Over plain HTTP.

    async def steps(self, request: Request) -> Response:
        """What the browser will warn of, and the way to the camera's page."""
        return self.page(
            "camera_steps",
            request,
            address=escape(self.secure(request)),
            fingerprint=self.fingerprint,
            photographs=PHOTOGRAPH,
        )

    async def photographs(self, request: Request) -> Response:
        """The page that takes a photograph of each throw."""
        return self.page("photograph", request)

    async def photograph(self, request: Request) -> Response:
        """Hands a photograph to the table, and waits until it was read."""
        jpeg = await self.picture(request)
        self.came = [self.now_s()]
        try:
            taken = await self.sender.put_photograph(jpeg, self.now_s())
        except TimeoutError:
            raise RequestRefusedError(503, texts.phone_camera.NOT_TAKEN) from None
        if not taken:
            raise RequestRefusedError(422, texts.phone_camera.PAGE["damaged"])
        return answer({})

    def plain_routes(self) -> list[Route]:
        """What the application over plain HTTP serves of the camera."""
        return [
            Route(PAGE, refusing(self.steps)),
            Route(PHOTOGRAPH, refusing(self.photographs)),
            Route(f"{PAGE}/pair", refusing(self.pair), methods=["POST"]),
            Route(PHOTOGRAPH, refusing(self.photograph), methods=["POST"]),
        ]

    # Over TLS.

    async def camera(self, request: Request) -> Response:
        """The camera's page."""
        return self.page("camera", request)

    def page(self, name: str, request: Request, **more: str) -> Response:
        look = self.settings.look
        return translated_page(request, f"{name}.html", texts.phone_camera.PAGE, look, **more)

    async def static(self, request: Request) -> Response:
        """What the page is made of."""
        file = static_files("gateway").get(request.path_params["name"])
        if file is None:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        return compressible(request, *file)

    async def pair(self, request: Request) -> Response:
        """Makes the phone with the code the camera; one that is it already needs none."""
        check_origin(request)
        typed = text_of(await json_body(request), "code")
        if self.is_paired(request):
            return answer({})
        if not self.invitation.fits(typed):
            raise RequestRefusedError(403, texts.phone_camera.WRONG_CODE)
        if self.is_live():
            raise RequestRefusedError(409, texts.phone_camera.ANOTHER)
        self.invitation.use(typed)
        name = new_name()
        self.phone = digest(name)
        self.keep()
        self.start_over()
        log.info("camera=paired")
        response = answer({})
        keep_cookie(response, request, cookie_of(request), name, PAGE)
        return response

    def keep(self) -> None:
        if self.file is None:
            return
        try:
            atomic_write(self.file, self.phone.encode(), private=True)
        except OSError as error:
            log.warning("camera=not_kept error=%r", str(error))

    def is_paired(self, request: Request) -> bool:
        return hmac.compare_digest(digest(request.cookies.get(cookie_of(request), "")), self.phone)

    def is_live(self) -> bool:
        """Whether the phone that is the camera has sent something lately."""
        return bool(self.came) and self.now_s() - self.came[-1] < LEFT_S

    def check(self, request: Request) -> None:
        """Raises RequestRefusedError unless the phone that is the camera asks, from its page."""
        check_origin(request)
        if not self.is_paired(request):
            raise RequestRefusedError(401, texts.phone_camera.NOT_PAIRED)

    async def picture(self, request: Request) -> bytes:
        """The JPEG that the phone sends. Raises RequestRefusedError."""
        self.check(request)
        if not self.limit.allows(""):
            raise RequestRefusedError(429, texts.phone_camera.TOO_FAST)
        return await body_of(request)

    async def frame(self, request: Request) -> Response:
        """Takes a frame. Answers with the rate at which they come, and whether the table takes them."""
        jpeg = await self.picture(request)
        taken_ms = number(request.headers.get("x-taken-ms", ""))
        now_s = self.now_s()
        self.came = [came_s for came_s in self.came if came_s > now_s - RATE_S] + [now_s]
        if taken_ms > self.taken_ms:  # or else a newer one has overtaken it
            self.taken_ms = taken_ms
            self.sender.put(jpeg, min(now_s, self.clock.here_s(taken_ms / 1000)))
        about = {
            "rate": round((len(self.came) - 1) / max(now_s - self.came[0], 0.001), 1),
            "table": self.sender.connected,
            "refused": self.sender.refused,
        }
        return answer(about)

    async def leave(self, request: Request) -> Response:
        """The phone's page was closed: the camera is unplugged until it opens again."""
        self.check(request)
        self.sender.leave()
        self.start_over()
        return answer({})

    def application(self) -> Starlette:
        """The application behind TLS: the page, its files and its requests."""
        routes = {PAGE: self.camera, "/static/{name}": self.static}
        changes = {"pair": self.pair, "frame": self.frame, "leave": self.leave}
        return Starlette(
            routes=[
                *(Route(path, refusing(handler)) for path, handler in routes.items()),
                *(
                    Route(f"{PAGE}/{name}", refusing(handler), methods=["POST"])
                    for name, handler in changes.items()
                ),
            ],
            middleware=[
                Middleware(SecurityHeaders, camera_page=PAGE),
                Middleware(ClientAddress, proxied=False),
                Middleware(Throttle, seat_of=lambda _: ""),
                Middleware(HostCheck, names=self.settings.hosts),
            ],
            exception_handlers={ClientDisconnect: client_disconnected},
        )


def cookie_of(request: Request) -> str:
    return COOKIE if request.url.scheme == "https" else PLAIN_COOKIE


def number(text: str) -> float:
    """The milliseconds in a header. Raises RequestRefusedError if there are none."""
    try:
        milliseconds = float(text)
    except ValueError:
        milliseconds = math.nan
    if not (len(text) < 30 and 0 <= milliseconds < 1e15):
        raise RequestRefusedError(400, texts.operator.MALFORMED)
    return milliseconds


async def body_of(request: Request) -> bytes:
    """The JPEG of a request. Raises RequestRefusedError if it is too large, before the rest of it is read."""
    promised: Any = request.headers.get("content-length", "0")
    if request.headers.get("content-type") != "image/jpeg":
        raise RequestRefusedError(415, texts.operator.MALFORMED)
    data = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            if promised.isdecimal() and int(promised[:12]) > MOST_BYTES:
                raise RequestRefusedError(413, texts.phone_camera.TOO_LARGE)
            async for part in request.stream():
                data += part
                if len(data) > MOST_BYTES:
                    raise RequestRefusedError(413, texts.phone_camera.TOO_LARGE)
    except TimeoutError:
        raise RequestRefusedError(408, texts.phone_camera.TOO_SLOW) from None
    if not data:
        raise RequestRefusedError(400, texts.operator.MALFORMED)
    return bytes(data)
