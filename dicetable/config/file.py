"""The whole config file: its tables joined, and loading it with every mistake told at once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from dicetable.config.camera import CameraSection, SimulatedCamera
from dicetable.config.eye import EyeSection
from dicetable.config.ledger import LedgerSection
from dicetable.config.mistakes import ConfigError, Mistake, mistakes_of
from dicetable.config.panel import PanelSection, SimulatedPanel, Wired, map_faults
from dicetable.config.section import Section
from dicetable.config.table import TableSection

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 1_000_000


class Config(Section):
    """Everything that can be set; each table has defaults but camera and panel."""

    camera: CameraSection
    """What looks at the tray."""
    panel: PanelSection
    """The buttons, lamps and display."""
    eye: EyeSection = Field(default=EyeSection())
    """How the dice are read."""
    table: TableSection = Field(default=TableSection())
    """The people around it."""
    ledger: LedgerSection = Field(default=LedgerSection())
    """Where the games are kept."""


LAPTOP = Config(camera=SimulatedCamera(driver="simulated"), panel=SimulatedPanel(driver="simulated"))
"""What is used without a file: everything simulated."""


def load(path: Path) -> Config:
    """The settings in the file; ConfigError holds all of its mistakes."""
    config, mistakes = config_of(read(path))
    if config is None:
        raise ConfigError(path, mistakes)
    return config


def config_of(settings: Mapping[str, Any]) -> tuple[Config | None, list[Mistake]]:
    """The settings as TOML has them, checked; None with all their mistakes if there are any."""
    mistakes: list[Mistake] = []
    config = None
    try:
        config = Config.model_validate(settings)
    except ValidationError as error:
        mistakes = mistakes_of(error, Config)
    faults = map_faults(settings.get("panel"))
    mistakes += [Mistake(f"panel.{where}", what, right) for where, what, right in faults]
    mistakes += too_few_controls(settings)
    return (None if mistakes else config), sorted(set(mistakes))


def read(path: Path) -> dict[str, Any]:
    """The file as TOML has it; ConfigError if it cannot be read or is no TOML."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigError(
            path, [Mistake("", f"cannot be read: {error.strerror}", "name a TOML file")]
        ) from None
    if len(data) > MOST_BYTES:
        raise ConfigError(path, [Mistake("", "is larger than 1 MB", "name a TOML file of a page or two")])
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        where = f"byte {error.start} is no UTF-8"
        raise ConfigError(path, [Mistake("", where, "save the file as UTF-8")]) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(path, [Mistake("", f"is no TOML: {error}", 'device = "/dev/video0"')]) from None
    except RecursionError:
        raise ConfigError(path, [Mistake("", "is nested too deep", 'device = "/dev/video0"')]) from None


def too_few_controls(settings: Mapping[str, Any]) -> list[Mistake]:
    """More seats than the panel has controls for."""
    table, panel = settings.get("table", {}), settings.get("panel")
    seats = table.get("seats", TableSection().seats) if isinstance(table, Mapping) else 0
    if not isinstance(panel, Mapping) or "controls" not in panel or not isinstance(seats, int):
        return []
    wired = Wired.seats(panel["controls"])
    if not wired or seats <= len(wired):
        return []
    what = f"{seats} seats, but the panel has controls for {len(wired)}"
    return [Mistake("table.seats", what, f"seats = {len(wired)}")]
