"""The gateways of many tables in one process: each its own link and upload, with shorter pauses."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from gateway import link
from gateway.link import TableLink
from gateway.signals import league
from gateway.signals.league import Upload

PAUSES = {"PACE_S": 0.01, "QUIET_S": 0.1, "FIRST_RETRY_S": 0.05, "LAST_RETRY_S": 0.5, "REFUSED_S": 0.2}


async def carry(server: str, sockets: list[str]) -> None:
    """Uploads the rows of all tables until it is killed."""
    for name, pause_s in PAUSES.items():
        setattr(league, name, pause_s)
    link.LAST_RETRY_S = 0.2  # type: ignore[misc]
    async with asyncio.TaskGroup() as group:
        for path in sockets:
            table = TableLink(Path(path))
            group.create_task(table.run())
            group.create_task(Upload(table, server).run())


if __name__ == "__main__":
    asyncio.run(carry(sys.argv[1], sys.argv[2:]))
