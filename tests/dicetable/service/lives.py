"""The life of a simulated table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.eye.in_process import InProcessEye
from dicetable.ledger.entries import Closed
from dicetable.service.simulation import Simulation
from games.prompts import OverPrompt
from hardware.simulated.clock import VirtualClock
from tests.dicetable.service.fakes import service
from tests.dicetable.service.truthful_eye import TruthfulEye

if TYPE_CHECKING:
    from pathlib import Path

    from dicetable.table.table_state import TableState


TURN_S = 0.1


PATIENCE_S = 300.0
"""The longest time between two entries of the ledger; no simulated player takes as long."""


class Life:
    """The service with its simulated table, from a start to a cut; the ledger is all that outlives it.

    The table is strict where a real eye sees the dice roll: it is not calibrated.
    """

    def __init__(self, folder: Path, game: str, seats: int = 3, *, strict: bool = False) -> None:
        self.clock = VirtualClock()
        self.simulation = Simulation(3, self.clock, seats=seats, presses=True)
        self.simulation.played = self.simulation.games.index(game)
        world = self.simulation.world
        eye = InProcessEye(world.camera, self.clock) if strict else TruthfulEye(world)
        self.service = service(folder, self.clock, world.panel, eye, strict=strict)
        self.service.parts.eye.start()

    @property
    def state(self) -> TableState:
        return self.service.table.state

    @property
    def over(self) -> bool:
        match = self.state.match
        return match is not None and isinstance(match.prompt, OverPrompt)

    @property
    def closed(self) -> bool:
        """Whether people have ended a game that has no end of its own."""
        return isinstance(self.service.parts.ledger.entries()[-1], Closed)

    def until_entries(self, more: int) -> None:
        record = self.service.parts.ledger
        for _ in range(more):
            before, until_s = record.count, self.clock.now_s() + PATIENCE_S
            while record.count == before and not self.over:
                assert self.clock.now_s() < until_s, (
                    f"nobody goes on at {list(self.service.table.view.lines)}"
                )
                self.clock.sleep(TURN_S)
                self.service.turn()
                self.simulation.step(self.service.table, self.clock.now_s())

    def cut(self) -> None:
        self.service.parts.ledger.close()
