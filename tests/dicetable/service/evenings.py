"""A whole simulated table in virtual time, with its socket and various clients."""

from __future__ import annotations

import asyncio
import json
import socket
from collections import deque
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from common import messages
from common.messages import Answer, Answered, Event
from dicetable.eye.evidence import evidence, film, narrowed, strip
from dicetable.eye.in_process import fresh
from dicetable.eye.messages import EyeMessage
from dicetable.ledger.pictures import joined
from dicetable.service.simulation import Simulation
from dicetable.service.sockets import STEPS, PolledSockets
from games.prompts import OverPrompt
from hardware.simulated.clock import VirtualClock, VirtualLoop
from hardware.web_panel import SeatClaims, WebPanel
from tests.dicetable.service.fakes import service
from tests.dicetable.service.truthful_eye import TruthfulEye
from tests.hardware.simulated.truth import truth
from vision.frames import Strip
from vision.observer import Snapshot
from vision.reading import Settled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from dicetable.service.server import TableServer
    from dicetable.table.table import Table
    from hardware.ports import Frame
    from hardware.simulated.world import World
    from vision.reading import Image

TURN_S = 0.1
PATIENCE_S = 3000.0
PICTURE = joined(b"\xff\xd8 a picture \xff\xd9", b"\xff\xd8 its motion \xff\xd9")


class PhotographingEye(TruthfulEye):
    """Keeps a picture of what it saw, a real one with the strip of its motion if it `looks`."""

    looks = False

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.strip = Strip()
        self.moved: deque[tuple[float, Image]] = deque(maxlen=20)

    def messages(self) -> list[EyeMessage]:
        if self.looks and truth(self.world).moving and (frame := self.seen()) is not None:
            self.moved.append((frame.time_s, narrowed(frame.pixels, 320)))
            self.strip.see(frame.pixels, frame.time_s)
        return [
            replace(message, evidence=self.picture(), film=self.film(message))
            if isinstance(message, Settled)
            else message
            for message in super().messages()
        ]

    def picture(self) -> bytes:
        if not self.looks:
            return PICTURE
        frame = self.frame()
        return joined(evidence(frame.pixels), strip(self.moved, frame.time_s))

    def film(self, settled: Settled) -> bytes:
        if not self.looks:
            return b""
        frame = self.frame()
        taken = Snapshot(frame.pixels, (0, 0), tuple(self.strip.frames))
        return film(taken, fresh(settled), settled.time_s)

    def seen(self) -> Frame | None:
        """The camera's next frame; None where a fault keeps it from giving any."""
        self.world.camera.start()
        return self.world.camera.frame(1.0)

    def frame(self) -> Frame:
        frame = self.seen()
        assert frame is not None
        return frame


class Evening:
    """The service with simulated people; its socket lies in `folder`.

    With `phones` they throw, and leave the buttons to the phones of whoever claims a seat.
    """

    def __init__(
        self,
        folder: Path,
        game: str,
        *,
        screens: bool = True,
        seats: int = 3,
        phones: bool = False,
        names: Sequence[str] = (),
    ) -> None:
        self.clock = VirtualClock()
        self.simulation = Simulation(3, self.clock, seats=seats, presses=not phones)
        self.simulation.played = self.simulation.games.index(game)
        world = self.simulation.world
        self.eye = PhotographingEye(world)
        self.claims = SeatClaims(seats)
        panel = WebPanel(self.clock, self.claims) if phones else world.panel
        made = service(folder / "ledger", self.clock, panel, self.eye, names=names)
        self.path = folder / messages.SOCKET
        self.gateways: list[Gateway] = []
        if screens:
            shown = NestedSockets(None, {}, loop=VirtualLoop(self.clock))
            shown.listener = listening(self.path)
            shown.attach_panel(panel)
            made.parts = replace(made.parts, sockets=shown)
        self.service = made
        if phones:
            panel.start(lambda: None)
        self.service.parts.eye.start()

    @property
    def table(self) -> Table:
        return self.service.table

    @property
    def server(self) -> TableServer:
        server = self.service.parts.sockets.server
        assert server is not None
        return server

    @property
    def published(self) -> dict[str, Any]:
        """The newest state that was published."""
        _, data = self.server.events[messages.STATE]
        state: dict[str, Any] = json.loads(data.partition(b"\n")[2])
        return state

    @property
    def over(self) -> bool:
        match = self.table.state.match
        return match is not None and isinstance(match.prompt, OverPrompt)

    def turn(self) -> None:
        """A tenth of a second goes by."""
        self.clock.sleep(TURN_S)
        self.service.turn()
        self.simulation.step(self.table, self.clock.now_s())

    def connect(self) -> Gateway:
        """A gateway more; it ends with the evening."""
        self.gateways.append(Gateway(self.path))
        return self.gateways[-1]

    def turns(self, count: int) -> None:
        """So many tenths of a second go by."""
        for _ in range(count):
            self.turn()

    def close(self) -> None:
        for gateway in self.gateways:
            gateway.socket.close()
        self.service.parts.ledger.close()
        self.service.parts.sockets.close()


def listening(path: Path) -> socket.socket:
    """A Unix socket that listens there."""
    made = socket.socket(socket.AF_UNIX)
    made.bind(str(path))
    made.listen(8)
    return made


class NestedSockets(PolledSockets):
    """Sockets in virtual time, whose turns may also be part of a test's own asyncio loop."""

    def turn(self, *of: Any) -> None:
        with beside():
            super().turn(*of)

    async def rest(self) -> None:
        """Serves the clients until nothing is ready: of a real moment's steps most would find nothing."""
        idle = 0
        for _ in range(STEPS):
            await asyncio.sleep(0)
            idle = 0 if self.loop._ready else idle + 1  # type: ignore[attr-defined]
            if idle > 1:
                return

    def close(self) -> None:
        with beside():
            super().close()


@contextmanager
def beside() -> Iterator[None]:
    """Another loop may run within the block, beside the one that runs the test."""
    outer = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(outer)


class Gateway:
    """The other end of the socket."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.socket.settimeout(0.0)
        self.waiting = b""
        self.number = 0

    def read(self) -> list[Event | Answered]:
        """What has come completely so far."""
        while True:
            try:
                data = self.socket.recv(65536)
            except BlockingIOError:
                break
            if not data:
                raise ConnectionResetError
            self.waiting += data
        found: list[Event | Answered] = []
        while b"\n" in self.waiting:
            line, _, rest = self.waiting.partition(b"\n")
            head = json.loads(line)
            size = head.pop("bytes")
            if len(rest) < size:
                break
            head["body"], self.waiting = rest[:size], rest[size:]
            number = head.pop("id", None)
            found.append(Event(**head) if number is None else Answered(number, Answer(**head)))
        return found

    def states(self) -> list[dict[str, Any]]:
        """The states that have come since the last reading."""
        return [
            json.loads(each.body)
            for each in self.read()
            if isinstance(each, Event) and each.event == messages.STATE
        ]

    def answers(self) -> list[Answered]:
        """The answers that have come since the last reading, in the order of the requests."""
        return sorted(
            (each for each in self.read() if isinstance(each, Answered)), key=lambda each: each.number
        )

    def ask(self, kind: str, number: int) -> int:
        """Asks for what only reads; the id of the request."""
        self.number += 1
        self.socket.sendall(request(self.number, kind, number=number))
        return self.number

    @property
    def sent_away(self) -> bool:
        """Whether the table has ended the connection."""
        try:
            self.read()
        except ConnectionResetError:
            return True
        return False


def request(number: int, kind: str, /, **payload: Any) -> bytes:
    """The line of a request."""
    return messages.line_of({"id": number, "kind": kind, "payload": payload})
