"""Starts servers and gateways by fork, with everything imported: a start takes milliseconds, not seconds.

`python -m tests.league.zygote`; each line of standard input is JSON, `["server", database, port]`
or `["gateway", server, socket, …]`. It answers with the process id, and ends at the end of its input.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from typing import TYPE_CHECKING

from league.app import serve
from league.database import connect, prepare
from tests.league.carrying import carry

if TYPE_CHECKING:
    from collections.abc import Callable


def server(database: str, port: str) -> None:
    """What `dicetable league serve` does."""
    league = connect(database)
    prepare(league)
    serve(league, "127.0.0.1", int(port))


def gateway(address: str, *sockets: str) -> None:
    """The gateways of all tables."""
    asyncio.run(carry(address, list(sockets)))


RUNS: dict[str, Callable[..., None]] = {"server": server, "gateway": gateway}


def main() -> None:
    """Forks as it is told; the children are never waited for."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while line := sys.stdin.readline():
        name, *arguments = json.loads(line)
        pid = os.fork()
        if pid == 0:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(3):
                os.dup2(nowhere, descriptor)
            try:
                RUNS[name](*arguments)
            finally:
                os._exit(1)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
