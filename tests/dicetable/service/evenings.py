"""A whole simulated table in virtual time, with `state.sock` and various clients."""

from __future__ import annotations

import socket
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from dicetable import messages
from dicetable.eye.evidence import evidence, narrowed
from dicetable.eye.messages import EyeMessage, Settled
from dicetable.eye.strip import strip
from dicetable.ledger.pictures import joined
from dicetable.service.control import ControlServer
from dicetable.service.server import StateServer
from dicetable.service.simulation import Simulation
from dicetable.service.sockets import CONTROL, Sockets
from games.prompts import OverPrompt
from hardware.seat_claims import SeatClaims
from hardware.simulated.clock import VirtualClock
from hardware.web_panel import WebPanel
from tests.dicetable.service.fakes import service
from tests.dicetable.service.truthful_eye import TruthfulEye

if TYPE_CHECKING:
    from pathlib import Path

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
        self.moved: deque[tuple[float, Image]] = deque(maxlen=20)

    def messages(self) -> list[EyeMessage]:
        if self.looks and self.world.truth().moving:
            frame = self.frame()
            self.moved.append((frame.time_s, narrowed(frame.pixels, 320)))
        return [
            replace(message, evidence=self.picture()) if isinstance(message, Settled) else message
            for message in super().messages()
        ]

    def picture(self) -> bytes:
        if not self.looks:
            return PICTURE
        frame = self.frame()
        return joined(evidence(frame.pixels), strip(self.moved, frame.time_s))

    def frame(self) -> Frame:
        self.world.camera.start()
        frame = self.world.camera.frame(1.0)
        assert frame is not None
        return frame


class Evening:
    """The service with simulated people; its sockets lie in `folder`.

    With `phones` they throw, and leave the buttons to the phones of whoever claims a seat.
    """

    def __init__(
        self, folder: Path, game: str, *, screens: bool = True, seats: int = 3, phones: bool = False
    ) -> None:
        self.clock = VirtualClock()
        self.simulation = Simulation(3, self.clock, seats=seats, presses=not phones)
        self.simulation.played = self.simulation.games.index(game)
        world = self.simulation.world
        self.eye = PhotographingEye(world)
        self.claims = SeatClaims(seats)
        panel = WebPanel(self.clock, self.claims) if phones else world.panel
        made = service(folder / "ledger", self.clock, panel, self.eye)
        self.path = folder / "state.sock"
        self.server: StateServer | None = None
        self.gateways: list[Gateway] = []
        if screens:
            listener = listening(self.path)
            shown = Sockets(None, {})
            shown.server = self.server = StateServer(listener)
            shown.control = ControlServer(listening(folder / CONTROL), shown.kinds)
            shown.lend(panel)
            made.parts = replace(made.parts, sockets=shown)
        self.service = made
        if phones:
            panel.start(lambda: None)
        self.service.parts.eye.start()

    @property
    def table(self) -> Table:
        return self.service.table

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


class Gateway:
    """The other end of `state.sock`."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.socket.settimeout(0.0)
        self.messages = messages.Messages()

    def read(self) -> list[messages.StateMessage]:
        """What has come so far."""
        found: list[messages.StateMessage] = []
        while True:
            try:
                data = self.socket.recv(65536)
            except BlockingIOError:
                return found
            if not data:
                raise ConnectionResetError
            found += self.messages.feed(data)

    def ask(self, line: bytes) -> None:
        self.socket.sendall(line)

    @property
    def sent_away(self) -> bool:
        """Whether the table has ended the connection."""
        try:
            self.read()
        except ConnectionResetError:
            return True
        return False
