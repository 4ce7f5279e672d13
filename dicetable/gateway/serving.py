"""Runs the gateway: one socket, one application, until SIGTERM."""

from __future__ import annotations

import logging
import socket
import sys
from typing import TYPE_CHECKING, Final

import uvicorn

from dicetable import texts
from dicetable.gateway.app import application
from dicetable.gateway.link import TableLink

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MOST_CONNECTIONS: Final = 400
UNACKNOWLEDGED_MS: Final = 30_000
"""A browser that takes nothing for so long is let go by the kernel, with what was kept for it."""
FAREWELL_S: Final = 1
LONGEST_HEADERS_BYTES: Final = 16 * 1024


def serve(host: str, port: int, state: Path, hosts: Iterable[str] = ()) -> int:
    """Serves until it is stopped; 1 if the address cannot be used."""
    logging.basicConfig(level=logging.INFO, format="level=%(levelname)s at=%(name)s %(message)s")
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    try:
        listening = listener(host, port)
    except OSError as error:
        sys.stderr.write(f"{texts.web.cannot_listen(host, port, error.strerror or str(error))}\n")
        return 1
    sys.stdout.write(f"{texts.web.serving(host, port)}\n")
    sys.stdout.flush()
    config = uvicorn.Config(
        application(TableLink(state), hosts),
        access_log=False,
        log_config=None,
        server_header=False,
        ws="none",
        http="h11",
        loop="asyncio",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=FAREWELL_S,
        h11_max_incomplete_event_size=LONGEST_HEADERS_BYTES,
        proxy_headers=False,
    )
    with listening:
        uvicorn.Server(config).run(sockets=[listening])
    return 0


def listener(host: str, port: int) -> socket.socket:
    """The socket that browsers connect to."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS)
        made.bind((host, port))
        made.listen(128)
    except OSError:
        made.close()
        raise
    return made
