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
