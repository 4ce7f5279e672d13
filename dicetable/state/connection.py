"""One connection of a gateway: lines come in, messages go out. It never blocks."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from dicetable.state import wire

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

SLICE_BYTES: Final = 64 * 1024
"""The most bytes that are sent to one client in one turn."""
STUCK_S: Final = 10.0
"""A client that accepts no data for this long is disconnected."""


class Connection:
    """Reads and sends a little each time. Raises OSError or WireError at the end of the connection."""

    def __init__(self, connection: socket.socket, now_s: float, longest_line: int) -> None:
        connection.settimeout(0.0)
        self.connection = connection
        self.lines = wire.Lines(longest_line)
        self.sending = memoryview(b"")
        self.moved_s = now_s

    def read(self) -> None:
        """Receives data. Raises ConnectionResetError if the other end has closed."""
        with suppress(BlockingIOError):
            data = self.connection.recv(4096)
            if not data:
                raise ConnectionResetError
            self.lines.feed(data)

    def write(self, next_message: Callable[[], bytes | None], now_s: float) -> None:
        """Sends as much as the client accepts now: the rest of the current message, then further messages."""
        room = SLICE_BYTES
        while room > 0:
            if not self.sending:
                message = next_message()
                if message is None:
                    self.moved_s = now_s
                    return
                self.sending = memoryview(message)
            try:
                sent = self.connection.send(self.sending[:room])
            except BlockingIOError:
                if now_s - self.moved_s > STUCK_S:
                    raise ConnectionAbortedError from None
                return
            self.sending = self.sending[sent:]
            self.moved_s = now_s
            room -= sent

    def close(self) -> None:
        """Closes the connection."""
        self.connection.close()
