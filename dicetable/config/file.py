"""The config file: all its sections, and loading it with every mistake reported at once."""

import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from common.files import first_bytes
from common.texts.plain import ascii_letters, fold_name
from dicetable.config.camera import CameraSection, PhoneCamera, SimulatedCameraSection
from dicetable.config.games import GamesSection, unusable
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
from dicetable.config.sections import (
    EyeSection,
    HouseSection,
    LedgerSection,
    Section,
    TableSection,
)

MOST_BYTES = 100_000
WRITE = 'write settings like this: device = "/dev/video0"'
WITH_SUDO = "put `sudo` before the command, or make the file readable to you"
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
    """How throws count."""
    games: GamesSection = Field(default=GamesSection())
    """The games and their house rules."""
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
    for where, fault, right in map_faults(settings.get("panel")):
        mistakes.append(Mistake(f"panel.{where}", fault, right))
    mistakes += seats_and_names(settings)
    if config is not None:
        # Games of a folder are loaded when the table starts; until then they are not known.
        own_games = config.games.folder is not None
        mistakes += (mistake for _, mistake in unusable(config.games, others=own_games))
        mistakes += contradictions(config.web, config.mqtt, config.metrics, config.webhooks)
        if config.league is not None and isinstance(config.camera, PhoneCamera):
            fault = "a table whose camera is a phone plays in no league"
            mistakes.append(Mistake("camera.driver", fault, "leave out [league], or choose another camera"))
    return (None if mistakes else config), sorted(set(mistakes))


def read(path: Path) -> dict[str, Any]:
    """Reads and parses the file. Raises ConfigError if it cannot be read or is not TOML."""
    try:
        data = first_bytes(path, MOST_BYTES + 1)
    except OSError as error:
        right = WITH_SUDO if refused_to_user(error) else "name a TOML file"
        mistake = Mistake("", f"cannot be read: {error.strerror}", right)
        raise ConfigError(path, [mistake]) from None
    return parsed(path, data)


def refused_to_user(error: OSError) -> bool:
    """Whether the file is there, and only its owner or root may read it. Windows has no root."""
    return isinstance(error, PermissionError) and hasattr(os, "geteuid") and os.geteuid() != 0


def parsed(path: Path, data: bytes) -> dict[str, Any]:
    """Parses the content of the file. Raises ConfigError if it is not TOML."""
    if len(data) > MOST_BYTES:
        raise ConfigError(path, [Mistake("", "is larger than 100 kB", "name a TOML file of a page or two")])
    try:
        text = data.decode("utf-8")
        if not LONG_KEY.search(text):
            return tomllib.loads(text)
        mistake = Mistake("", "contains a name with more than 32 parts joined by dots", WRITE)
    except UnicodeDecodeError as error:
        mistake = Mistake("", f"byte {error.start} is not UTF-8", "save the file as UTF-8")
    except tomllib.TOMLDecodeError as error:
        mistake = Mistake("", f"is not TOML: {error}", WRITE)
        if twice := TWICE.match(str(error)):
            fault = f"has the section [{twice[1]}] twice, again in line {twice[2]}"
            mistake = Mistake("", fault, "keep one of them")
    except ValueError:
        mistake = Mistake("", "contains a number with too many digits", "write fewer digits")
    except RecursionError:
        mistake = Mistake("", "is nested too deeply", WRITE)
    raise ConfigError(path, [mistake])


def seats_and_names(settings: Mapping[str, Any]) -> Iterator[Mistake]:
    """Names that look the same on the panel, and more names or seats than there is room for."""
    table, panel = settings.get("table", {}), settings.get("panel")
    if not isinstance(table, Mapping):
        return
    seats, names = table.get("seats", TableSection().seats), table.get("names")
    if isinstance(panel, Mapping) and "controls" in panel and isinstance(seats, int):
        wired = len(Wired.seats(panel["controls"]))
        if 0 < wired < seats:
            fault = f"{seats} seats, but the panel has controls for {wired}"
            yield Mistake("table.seats", fault, f"seats = {wired}")
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        right = 'names = ["Ann", "Bob"]'
        alike = Counter(map(fold_name, names))
        for name in {fold_name(name): name for name in names if alike[fold_name(name)] > 1}.values():
            yield Mistake("table.names", f"{shown(ascii_letters(name))} is repeated", right)
        if type(seats) is int and len(names) > seats:
            yield Mistake("table.names", f"{len(names)} names for {seats} seats", right)
