"""Puts the service together: panel, eye, ledger and table of a config; people too, if it is simulated."""

from __future__ import annotations

import logging
import secrets
import sys
from typing import TYPE_CHECKING, Final

from dicetable.config import drivers
from dicetable.config.camera import FolderOfPhotographs, SimulatedCameraSection
from dicetable.config.panel import SimulatedPanelSection
from dicetable.eye.process import ProcessEye
from dicetable.service.healing_ledger import HealingLedger
from dicetable.service.loop import Service, ServiceParts
from dicetable.service.sockets import NO_SOCKETS
from dicetable.table.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dicetable.config.file import Config
    from dicetable.ledger.entries import Entry, Journal
    from dicetable.service.crash_loop import CrashLoop
    from dicetable.service.notify import Notifier
    from dicetable.service.sockets import Sockets
    from hardware.ports import Clock, Degraded

SEEDS: Final = 2**53
"""How many seeds a game may be drawn from: the integers that every JSON parser keeps exact."""

log = logging.getLogger(__name__)


def is_strict(config: Config) -> bool:
    """Whether dice must be seen to be thrown; a folder of photographs shows none in motion."""
    return config.house.throws == "strict" and not isinstance(config.camera, FolderOfPhotographs)


def service_of(
    config: Config,
    clock: Clock,
    starts: CrashLoop,
    notifier: Notifier,
    *,
    safe: bool,
    config_degraded: Degraded | None = None,
    sockets: Sockets = NO_SOCKETS,
) -> Service:
    """The service that this config means; `config_degraded` is what the panel says of it."""

    def table(journal: Journal, entries: Sequence[Entry]) -> Table:
        """The table with what the ledger holds."""
        return Table(
            journal,
            lambda: secrets.randbelow(SEEDS),
            entries=entries,
            safe=safe,
            seats=config.table.seats,
            names=config.table.names,
            strict=is_strict(config),
        )

    frames: Path | None = None
    simulation = None
    if isinstance(config.camera, SimulatedCameraSection):
        from dicetable.service.simulation import Simulation

        people = isinstance(config.panel, SimulatedPanelSection)
        simulation = Simulation(config.camera.seed, clock, seats=config.table.seats, presses=people)
        frames = simulation.board_path
    panel = drivers.panel_of(config.panel, clock, config.table.seats, config.ledger.folder)
    sockets.lend(panel)
    if simulation is not None and simulation.presses:
        panel = drivers.with_screen(simulation.world.panel, config.panel)
    made = ServiceParts(
        panel=panel,
        eye=ProcessEye(eye_command(), eye_settings(config, frames), clock),
        ledger=HealingLedger(config.ledger.folder, starts.accepted),
        clock=clock,
        starts=starts,
        notifier=notifier,
        config_degraded=config_degraded,
        sockets=sockets,
    )
    return Service(made, table, simulation)


def eye_command() -> list[str]:
    """The program of the eye's process."""
    return [sys.executable, "-m", "dicetable.eye.child"]


def eye_settings(config: Config, frames: Path | None) -> bytes:
    """Its settings."""
    from dicetable.eye.child import EyeSettings

    settings = EyeSettings(
        camera=config.camera,
        frames=frames,
        calibration=config.ledger.calibration,
        dice=config.eye.dice,
        models=config.eye.models,
    )
    return settings.model_dump_json().encode()
