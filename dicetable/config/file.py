"""The config file: all its sections, and loading it with every mistake reported at once."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from dicetable.config.camera import CameraSection, SimulatedCameraSection
from dicetable.config.gateway import (
    LeagueSection,
    MetricsSection,
    MqttSection,
    ScreenSection,
    WebhooksSection,
    WebSection,
    contradictions,
)
from dicetable.config.mistakes import ConfigError, Mistake, mistakes_of, shown
from dicetable.config.panel import PanelSection, SimulatedPanelSection, Wired, map_faults
from dicetable.config.sections import EyeSection, HouseSection, LedgerSection, Section, TableSection
from dicetable.files import first_bytes
from dicetable.texts.plain import ascii_letters

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 100_000
WRITE = 'write settings like this: device = "/dev/video0"'
LONG_KEY = re.compile(r"(?:\.[ \t]*(?:[\w-]{1,64}|\"[^\"\n]{0,64}\"|'[^'\n]{0,64}')[ \t]*){32}")
"""Far more dotted names than any setting has; the parser takes quadratic time in their number."""
TWICE = re.compile(r"Cannot declare \('([\w.-]+)',\) twice \(at line (\d+)")
"""What the parser says of a section that was pasted below one of the same name."""


class Config(Section):
    """All settings; every section except camera and panel has defaults."""

    camera: CameraSection
    """The camera over the tray."""
    panel: PanelSection
    """The buttons, lamps and display."""
    eye: EyeSection = Field(default=EyeSection())
    """Enrolled dice and models."""
    table: TableSection = Field(default=TableSection())
    """The seats, and the language."""
    house: HouseSection = Field(default=HouseSection())
    """House rules."""
    ledger: LedgerSection = Field(default=LedgerSection())
    """The ledger."""
    screen: ScreenSection = Field(default=ScreenSection())
    """The bar's name, logo and colour."""
    web: WebSection | None = None
    """The screens; without this section there are none."""
    mqtt: MqttSection | None = None
    """MQTT and Home Assistant; without this section nothing is published."""
    metrics: MetricsSection | None = None
    """Metrics for Prometheus; without this section none are served."""
    webhooks: WebhooksSection | None = None
    """HTTP requests on events; without this section none are sent."""
    league: LeagueSection | None = None
    """The league that this table plays in; without this section it is in none."""


LAPTOP = Config(
    camera=SimulatedCameraSection(driver="simulated"), panel=SimulatedPanelSection(driver="simulated")
)
"""The config that is used without a file: everything simulated."""


def load(path: Path) -> Config:
    """The settings in the file. Raises ConfigError with all of its mistakes."""
    config, mistakes = config_of(read(path))
    if config is None:
        raise ConfigError(path, mistakes)
    return config


def config_of(settings: Mapping[str, Any]) -> tuple[Config | None, list[Mistake]]:
    """Checks parsed settings; returns None and all mistakes if there are any."""
    mistakes: list[Mistake] = []
    config = None
    try:
        config = Config.model_validate(settings)
    except ValidationError as error:
        mistakes = mistakes_of(error, Config)
    faults = map_faults(settings.get("panel"))
    mistakes += [Mistake(f"panel.{where}", what, right) for where, what, right in faults]
    mistakes += too_few_controls(settings)
    mistakes += wrong_names(settings.get("table"))
    if config is not None:
        mistakes += contradictions(config.web, config.mqtt, config.metrics, config.webhooks)
    return (None if mistakes else config), sorted(set(mistakes))


def read(path: Path) -> dict[str, Any]:
    """Reads and parses the file. Raises ConfigError if it cannot be read or is not TOML."""
    try:
        data = first_bytes(path, MOST_BYTES + 1)
    except OSError as error:
        raise ConfigError(
            path, [Mistake("", f"cannot be read: {error.strerror}", "name a TOML file")]
        ) from None
    return parsed(path, data)


def parsed(path: Path, data: bytes) -> dict[str, Any]:
    """Parses the content of the file. Raises ConfigError if it is not TOML."""
    if len(data) > MOST_BYTES:
        raise ConfigError(path, [Mistake("", "is larger than 100 kB", "name a TOML file of a page or two")])
    try:
        text = data.decode("utf-8")
        if LONG_KEY.search(text):
            what = "contains a name with more than 32 parts joined by dots"
            raise ConfigError(path, [Mistake("", what, WRITE)])
        return tomllib.loads(text)
    except UnicodeDecodeError as error:
        where = f"byte {error.start} is not UTF-8"
        raise ConfigError(path, [Mistake("", where, "save the file as UTF-8")]) from None
    except tomllib.TOMLDecodeError as error:
        if twice := TWICE.match(str(error)):
            what = f"has the section [{twice[1]}] twice, again in line {twice[2]}"
            raise ConfigError(path, [Mistake("", what, "keep one of them")]) from None
        raise ConfigError(path, [Mistake("", f"is not TOML: {error}", WRITE)]) from None
    except ValueError:
        raise ConfigError(
            path, [Mistake("", "contains a number with too many digits", "write fewer digits")]
        ) from None
    except RecursionError:
        raise ConfigError(path, [Mistake("", "is nested too deeply", WRITE)]) from None


def wrong_names(table: Any) -> list[Mistake]:
    """Names that look the same on the panel, or more names than seats."""
    names = table.get("names") if isinstance(table, Mapping) else None
    seats = table.get("seats", TableSection().seats) if isinstance(table, Mapping) else 0
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return []
    right = 'names = ["Ann", "Bob"]'
    counts = Counter(ascii_letters(name) for name in names)
    found = [
        Mistake("table.names", f"{shown(name)} is repeated", right) for name in counts if counts[name] > 1
    ]
    if type(seats) is int and len(names) > seats:
        found.append(Mistake("table.names", f"{len(names)} names for {seats} seats", right))
    return found


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
