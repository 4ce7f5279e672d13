"""Runs the league server: one socket, one application, until SIGTERM."""

from __future__ import annotations

import logging
import socket
import sys
from typing import TYPE_CHECKING, Final

import uvicorn

from dicetable import texts
from dicetable.league.app import application

if TYPE_CHECKING:
    from dicetable.league.database import Database

MOST_CONNECTIONS: Final = 1000
FAREWELL_S: Final = 5
LONGEST_HEADERS_BYTES: Final = 16 * 1024


def serve(database: Database, host: str, port: int) -> int:
    """Serves until it is stopped; 1 if the address cannot be used. Port 0 is any free one."""
    logging.basicConfig(level=logging.INFO, format="level=%(levelname)s at=%(name)s %(message)s")
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, port))
            listening.listen(128)
        except OSError as error:
            sys.stderr.write(f"{texts.league.cannot_listen(host, port, error.strerror or str(error))}\n")
            return 1
        sys.stdout.write(f"{texts.league.serving(host, listening.getsockname()[1])}\n")
        sys.stdout.flush()
        config = uvicorn.Config(
            application(database),
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
        uvicorn.Server(config).run(sockets=[listening])
    return 0
