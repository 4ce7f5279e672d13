"""Publishes the table's state to the gateway over a Unix socket, in the turns of the table's own loop."""

from __future__ import annotations

import json
import logging
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from dicetable import messages
from dicetable.service.snapshot import snapshot
from dicetable.service.throws import EVENING_S, Board, Chronicle, older

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

    from dicetable.service.throws import Archive, ToldThrow
    from dicetable.table.table import Table
    from games.requests import JsonObject

SLICE_BYTES: Final = 64 * 1024
"""The most bytes that are sent to one client in one turn."""


STUCK_S: Final = 10.0
"""A client that accepts no data for this long is disconnected."""


class Connection:
    """Reads and sends a little each time. Raises OSError or WireError at the end of the connection."""

    def __init__(self, connection: socket.socket, now_s: float, longest_line: int) -> None:
        connection.settimeout(0.0)
        self.connection = connection
        self.lines = messages.Lines(longest_line)
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


MOST_CLIENTS: Final = 4
"""Simultaneous gateways: one, and its predecessor that is just exiting."""


MOST_ANSWERS: Final = 8
"""Queued answers per client; at this number nothing more is read from it."""


ROWS: Final = 5
"""Rows of the ledger that are examined per turn, for a client and for the state each."""


LOOK_S: Final = 0.1
"""How often the state is compared; after an entry of the ledger this happens at once."""


PAUSE_S: Final = 5.0
"""The pause after a fault in this part, which never affects the game."""


log = logging.getLogger(__name__)


class StateClient(Connection):
    """One connected gateway."""

    def __init__(self, connection: socket.socket, now_s: float) -> None:
        super().__init__(connection, now_s, messages.LONGEST_LINE_BYTES)
        self.answers: deque[bytes] = deque()
        self.job: Iterator[list[ToldThrow] | None] | None = None
        self.asked: messages.StateRequest | None = None
        self.revision = 0

    def read(self) -> None:
        """Receives requests, if there is room for answers."""
        if not self.lines.waiting and len(self.answers) < MOST_ANSWERS:
            super().read()

    def tell(self, state: messages.StateMessage | None, now_s: float) -> None:
        """Sends the rest of the current message, then the newest state, then answers."""

        def next_message() -> bytes | None:
            if state is not None and self.revision != state.number:
                self.revision = state.number
                return state.to_bytes()
            return self.answers.popleft() if self.answers else None

        self.write(next_message, now_s)


class StateServer:
    """Listens on a Unix socket; `turn` does a bounded amount of work."""

    def __init__(self, listener: socket.socket) -> None:
        listener.settimeout(0.0)
        self.listener = listener
        self.clients: list[StateClient] = []
        self.table: Table | None = None
        self.chronicle: Chronicle | None = None
        self.known: JsonObject = {}
        self.state: messages.StateMessage | None = None
        self.entries = 0
        self.looked_s = self.paused_s = float("-inf")
        self.written_s = 0.0

    def turn(self, now_s: float, table: Table, archive: Archive) -> None:
        """Serves all clients; never raises."""
        if now_s < self.paused_s:
            return
        try:
            self.serve(now_s, table, archive)
        except Exception:  # a fault here must cost the screens, not the game
            log.exception("state=failed pause_s=%g", PAUSE_S)
            self.paused_s = now_s + PAUSE_S
            self.table = None
            for client in list(self.clients):
                self.drop(client)

    def serve(self, now_s: float, table: Table, archive: Archive) -> None:
        """One turn."""
        if self.table is not table or self.chronicle is None or archive.count < self.entries:
            self.table, self.chronicle, self.looked_s = table, Chronicle(archive), float("-inf")
            self.written_s = now_s
        chronicle = self.chronicle
        chronicle.step(ROWS)
        self.accept(now_s)
        if self.clients and chronicle.follows:
            self.look(now_s, table, archive, chronicle)
        if archive.count != self.entries:
            self.written_s = now_s
        elif now_s - self.written_s >= EVENING_S:
            chronicle.board = Board()
        self.entries = archive.count
        worked = False
        for client in list(self.clients):
            try:
                if not worked:
                    worked = self.work(client, archive, chronicle)
                client.tell(self.state, now_s)
            except messages.WireError as error:
                log.warning("state_client=refused why=%r", str(error))
                self.drop(client)
            except OSError:
                self.drop(client)
        if worked and self.clients:
            self.clients.append(self.clients.pop(0))

    def accept(self, now_s: float) -> None:
        """Accepts at most one new client; one too many is disconnected."""
        try:
            connection, _ = self.listener.accept()
        except OSError:
            return
        if len(self.clients) >= MOST_CLIENTS:
            connection.close()
            return
        self.clients.append(StateClient(connection, now_s))

    def drop(self, client: StateClient) -> None:
        """Disconnects a client."""
        self.clients.remove(client)
        client.close()

    def look(self, now_s: float, table: Table, archive: Archive, chronicle: Chronicle) -> None:
        """Makes a new revision if anything has changed."""
        if archive.count == self.entries and now_s < self.looked_s + LOOK_S:
            return
        self.looked_s = now_s
        found = snapshot(table, chronicle.recent, chronicle.next - 1, chronicle.events, chronicle.board)
        if found == self.known and self.state is not None:
            return
        self.known = found
        number = self.state.number + 1 if self.state else 1
        body = as_json({**found, "revision": number})
        self.state = messages.StateMessage(messages.STATE, number, body)

    def work(self, client: StateClient, archive: Archive, chronicle: Chronicle) -> bool:
        """Continues the client's requests; returns whether there was anything to do."""
        client.read()
        if client.job is None:
            if len(client.answers) >= MOST_ANSWERS or (line := client.lines.next()) is None:
                return False
            client.asked = asked = messages.request(line)
            if asked.get != messages.THROWS:
                client.answers.append(self.answer(asked, archive, chronicle).to_bytes())
                return True
            client.job = older(archive, asked.number)
        for _ in range(ROWS):
            found = next(client.job)
            if found is not None and client.asked is not None:
                client.job = None
                told = [
                    {**throw.to_json(), "picture": throw.to_json()["picture"] and self.shows(throw.number)}
                    for throw in found
                ]
                body = as_json(told)
                client.answers.append(
                    messages.StateMessage(messages.THROWS, client.asked.number, body).to_bytes()
                )
                break
        return True

    def answer(
        self, asked: messages.StateRequest, archive: Archive, chronicle: Chronicle
    ) -> messages.StateMessage:
        """The body of an answer: a picture, its marks, rows for the league, or meters."""
        body = b""
        if asked.get == messages.ROWS:
            body = archive.outgoing(asked.number)
        elif asked.get == messages.PICTURE:
            body, _ = chronicle.evidence(asked.number)
        elif asked.get == messages.MOTION:
            _, body = chronicle.evidence(asked.number)
        elif asked.get == messages.MARKS:
            found = chronicle.marks(asked.number)
            body = as_json(found) if found is not None else b""
        elif asked.get == messages.METERS:
            body = as_json(self.table.meters.to_json() if self.table is not None else {})
        return messages.StateMessage(asked.get, asked.number, body)

    def shows(self, number: int) -> bool:
        """Whether the picture of that row may be shown now."""
        chronicle = self.chronicle
        return chronicle is not None and chronicle.follows and not chronicle.match.hides(number)

    def close(self) -> None:
        """Disconnects all clients and stops listening."""
        for client in list(self.clients):
            self.drop(client)
        self.listener.close()


def as_json(value: object) -> bytes:
    """Compact JSON."""
    return json.dumps(value, separators=(",", ":")).encode()
