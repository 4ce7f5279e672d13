"""Runs an application on a listening socket until SIGTERM, for the gateway and for the league."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

import uvicorn
from starlette.responses import Response

from dicetable.network.connections import BoundedProtocol

if TYPE_CHECKING:
    import asyncio

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from dicetable.network.connections import Listener

LONGEST_HEADERS_BYTES: Final = 16 * 1024


async def left(_: Request, __: Exception) -> Response:
    """The answer, which nobody hears, to a client that left before its request was whole."""
    return Response(status_code=400)


def run(application: Starlette, listening: Listener, farewell_s: int, **tls: Any) -> None:
    """Serves until it is stopped, and then for at most `farewell_s`; `tls` as in `uvicorn.Config`."""
    protocol = cast("type[asyncio.Protocol]", partial(BoundedProtocol, listening.places))
    config = uvicorn.Config(
        application,
        access_log=False,
        log_config=None,
        server_header=False,
        ws="none",
        http=protocol,
        loop="asyncio",
        timeout_graceful_shutdown=farewell_s,
        h11_max_incomplete_event_size=LONGEST_HEADERS_BYTES,
        proxy_headers=False,
        **tls,
    )
    with listening:
        uvicorn.Server(config).run(sockets=[listening])


class SecurityHeaders:
    """Adds the same headers to every response, which bind browsers to our own files and hosts.

    Args:
        app: the application.
        form_action: where forms may be sent, as in a content security policy.
    """

    def __init__(self, app: ASGIApp, form_action: str = "'none'") -> None:
        self.app = app
        headers = {
            "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
            f"img-src 'self'; connect-src 'self'; base-uri 'none'; form-action {form_action}; "
            "frame-ancestors 'none'",
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "permissions-policy": "camera=(), microphone=(), geolocation=()",
        }
        self.headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.headers]
            await send(message)

        await self.app(scope, receive, with_headers)
