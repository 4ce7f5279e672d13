"""Paired displays: browsers that may show the codes of seats, because only people at the table see them.

A browser on this machine is one, unless a proxy passed the request on. Another becomes one when the code that
it shows is typed at this machine: `dicetable gateway pair CODE` sends it to the gateway's own Unix socket,
which accepts only root and the gateway's user. `dicetable gateway invite` asks there for an invitation.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from common import local_sockets, strict_json
from common.files import atomic_write, read_file
from common.network import LOCAL_HOSTS, client_of, host_of, is_loopback
from gateway.link import TableLink
from gateway.pages import own_address, qr_svg
from gateway.streams import event, wait_at_most

COOKIE: Final = "dicetable_display"
MOST_DISPLAYS: Final = 16
MOST_FILE_BYTES: Final = 4096
SOCKET_NAME: Final = "gateway.sock"
LONGEST_LINE: Final = 200
ANSWER_S: Final = 5.0
ALIVE_S: Final = 10.0

log = logging.getLogger(__name__)


def is_this_machine(request: HTTPConnection) -> bool:
    """Whether the browser runs on this machine, by its address and its Host header."""
    return is_loopback(client_of(request)) and host_of(request.headers.get("host", "")) in LOCAL_HOSTS


class Displays:
    """The paired displays, by the digest of their cookies; saved if there is a folder."""

    def __init__(self, folder: Path | None) -> None:
        self.file = folder / "paired.json" if folder else None
        self.paired: list[str] = []
        if self.file is not None and self.file.is_file():
            try:
                stored = strict_json.parse_json(read_file(self.file, MOST_FILE_BYTES))
                self.paired = [str(known_digest) for known_digest in stored][-MOST_DISPLAYS:]
            except (OSError, ValueError, TypeError) as error:
                log.warning("paired=forgotten error=%r", str(error))

    def shows_codes(self, request: HTTPConnection) -> bool:
        return is_this_machine(request) or digest(request.cookies.get(COOKIE, "")) in self.paired

    def pair(self, name: str) -> None:
        self.paired = [*self.paired, digest(name)][-MOST_DISPLAYS:]
        self.save()

    def forget_all(self) -> None:
        """Unpairs all displays but this machine's own."""
        self.paired = []
        self.save()

    def save(self) -> None:
        """Writes the file; if the disk refuses, the displays have to be paired again after a restart."""
        if self.file is None:
            return
        try:
            atomic_write(self.file, json.dumps(self.paired).encode())
        except OSError as error:
            log.warning("paired=not_kept error=%r", str(error))


def new_name() -> str:
    return secrets.token_urlsafe(32)


def digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


async def serve_machine(path: Path, commands: Mapping[str, Callable[[str], str]]) -> asyncio.Server | None:
    """Listens at this path for root and this user; None, and no commands, if that is impossible.

    A request is `{"COMMAND": "ARGUMENT"}`; the answer is one line.
    """

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        user = local_sockets.peer_of(writer.get_extra_info("socket"))
        with suppress(OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(ANSWER_S):
                if user in (0, os.getuid()):
                    name, argument = command_in(await reader.readline())
                    if name in commands:
                        writer.write(f"{commands[name](argument)}\n".encode())
                        await writer.drain()
        writer.close()

    try:
        local_sockets.check_folder(path.parent)
        path.unlink(missing_ok=True)
        server = await asyncio.start_unix_server(answer, str(path), limit=LONGEST_LINE)
        path.chmod(0o600)
    except OSError as error:
        log.warning("gateway_socket=none error=%r", str(error))
        return None
    return server


def command_in(line: bytes) -> tuple[str, str]:
    """The command in a line, and its argument. Raises ValueError if there is none."""
    message = strict_json.parse_json(line)
    if isinstance(message, dict) and len(message) == 1:
        ((name, argument),) = message.items()
        if isinstance(argument, str):
            return name, argument
    raise ValueError("no request")


def ask_gateway(path: Path, request: Mapping[str, object]) -> str:
    """The answer of the gateway at this path, one line. Raises OSError if none of ours answers."""
    with local_sockets.connect(path, ANSWER_S) as connection:
        connection.sendall(json.dumps(request).encode() + b"\n")
        return connection.makefile("rb").readline().decode().strip()


class SeatCodes:
    """Shows the codes of free seats on paired displays: a player who reads one is at the table."""

    def __init__(self, link: TableLink, displays: Displays) -> None:
        self.link = link
        self.displays = displays

    async def qr(self, request: Request) -> Response:
        """The QR code that claims a seat, or the `next` free one, SVG; 404 for a display that is not paired.

        The code's secret follows a `#`, which a browser sends to no server.
        """
        secrets = self.link.payloads.get("codes", {}).get("secrets", {})
        secret = secrets.get(request.path_params["seat"])
        if secret is None or not self.displays.shows_codes(request):
            return Response(status_code=404)
        svg = qr_svg(f"{own_address(request)}/phone#{secret}")
        return Response(svg, media_type="image/svg+xml", headers={"cache-control": "no-store"})

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Yields `codes`, the codes by seat and the seats' names, at once and each time they change."""
        while self.displays.shows_codes(request):
            news = self.link.event_news
            shown = {
                "codes": self.link.payloads.get("codes", {}).get("codes", {}),
                "seats": self.link.payloads.get("panel", {}).get("seats", []),
            }
            yield event("codes", json.dumps(shown).encode())
            await wait_at_most(news, ALIVE_S)
