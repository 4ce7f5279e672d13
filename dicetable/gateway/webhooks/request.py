"""One POST, whatever the other end does: bounded in time and bytes. No redirect is followed, no body read."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

import h11

from dicetable.gateway.webhooks.address import parts, port_of

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_S: Final = 10.0
"""For all of it: finding the address, connecting, sending, and the head of the answer."""
MOST_BYTES: Final = 16 * 1024
"""Of the head of the answer."""


class NoAnswerError(Exception):
    """Nobody answered as a server of HTTP does; the text says why."""


@cache
def trusted() -> ssl.SSLContext:
    """Whom this machine trusts."""
    return ssl.create_default_context()


async def post(url: str, headers: Mapping[str, str], body: bytes, longest_s: float = LONGEST_S) -> int:
    """Sends the body and returns the status of the answer. NoAnswerError."""
    try:
        async with asyncio.timeout(longest_s):
            return await exchange(url, headers, body)
    except TimeoutError:
        raise NoAnswerError(f"no answer within {longest_s:g} s") from None
    except ssl.SSLCertVerificationError as error:
        raise NoAnswerError(f"its certificate is refused: {error.verify_message}") from None
    except (OSError, h11.RemoteProtocolError) as error:
        raise NoAnswerError(
            getattr(error, "strerror", None) or str(error) or "the connection ended"
        ) from None


async def exchange(url: str, headers: Mapping[str, str], body: bytes) -> int:
    """Connects, sends, and takes the head of the answer."""
    to = parts(url)
    context = trusted() if to.scheme == "https" else None
    reader, writer = await asyncio.open_connection(to.hostname, port_of(to), ssl=context)
    try:
        connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=MOST_BYTES)
        target = (to.path or "/") + (f"?{to.query}" if to.query else "")
        given = {**headers, "host": to.netloc, "content-length": str(len(body)), "connection": "close"}
        for event in (
            h11.Request(method="POST", target=target, headers=list(given.items())),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            writer.write(connection.send(event) or b"")
        with suppress(ConnectionError):  # it may have answered without reading all
            await writer.drain()
        return await answer(reader, connection)
    finally:
        writer.transport.abort()


async def answer(reader: asyncio.StreamReader, connection: h11.Connection) -> int:
    """The status of the answer."""
    left = MOST_BYTES
    while True:
        event = connection.next_event()
        if isinstance(event, h11.Response):
            return event.status_code
        if event is h11.NEED_DATA:
            data = await reader.read(min(left, 4096))
            left -= len(data)
            if left <= 0:
                raise NoAnswerError("its answer has no end")
            connection.receive_data(data)
        elif not isinstance(event, h11.InformationalResponse):
            raise NoAnswerError("the connection ended")
