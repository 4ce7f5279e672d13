"""The gateway's own Unix socket, for whoever has a shell on this machine: `dicetable gateway pair CODE`.

One line comes in, one line goes out. Only root and the user of the gateway are heard.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from dicetable.network import outside_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAME: Final = "gateway.sock"
LONGEST_LINE: Final = 200
ASK_S: Final = 5.0
CREDENTIALS: Final = struct.Struct("3i")

log = logging.getLogger(__name__)


async def serve(path: Path, pair: Callable[[str], bool]) -> asyncio.Server | None:
    """Listens there; None where that cannot be, which costs nothing but the command."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(ASK_S):
                if may_ask(writer.get_extra_info("socket")):
                    line = await reader.readline()
                    writer.write(b"paired\n" if pair(code_of(line)) else b"unknown\n")
                    await writer.drain()
        writer.close()

    try:
        path.unlink(missing_ok=True)
        server = await asyncio.start_unix_server(answer, str(path), limit=LONGEST_LINE)
        path.chmod(0o600)
    except OSError as error:
        log.warning("gateway_socket=none error=%r", str(error))
        return None
    return server


def may_ask(connection: socket.socket) -> bool:
    """Whether root or our own user is at the other end."""
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    _, user, _ = CREDENTIALS.unpack(told)
    return user in (0, os.getuid())


def code_of(line: bytes) -> str:
    """The code in a line; ValueError if there is none."""
    found = outside_json.parsed(line)
    if not isinstance(found, dict) or not isinstance(found.get("pair"), str):
        raise ValueError("no code")
    return str(found["pair"])


def ask_to_pair(path: Path, code: str) -> bool:
    """Whether the gateway at this path knew the code; OSError if none answers."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(ASK_S)
        asking.connect(str(path))
        asking.sendall(json.dumps({"pair": code}).encode() + b"\n")
        return asking.makefile("rb").readline() == b"paired\n"
