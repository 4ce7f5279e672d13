"""Runs the league server: one socket, one application, until SIGTERM."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from dicetable import network, texts
from dicetable.http_server import Listener, run
from dicetable.league.app import application

if TYPE_CHECKING:
    from dicetable.league.database import Database

MOST_CONNECTIONS: Final = 1000
FAREWELL_S: Final = 5


def serve(database: Database, host: str, port: int) -> int:
    """Serves until it is stopped; 1 if the address cannot be used. Port 0 is any free one."""
    network.set_up_logging()
    try:
        listening = Listener(host, port, MOST_CONNECTIONS)
    except OSError as error:
        sys.stderr.write(f"{texts.league.cannot_listen(host, port, error.strerror or str(error))}\n")
        return 1
    sys.stdout.write(f"{texts.league.serving(host, listening.getsockname()[1])}\n")
    sys.stdout.flush()
    run(application(database), listening, FAREWELL_S)
    return 0
