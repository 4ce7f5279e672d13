"""From a config file to a running table: builds its parts, minds safe mode, ends with the right exit code."""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import secrets
import sqlite3
import sys
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from common import texts
from common.files import atomic_write, read_file
from common.game_folder import LeftOut, add_games
from dicetable import logs
from dicetable.config import drivers
from dicetable.config.camera import FolderOfPhotographs, PhoneCamera, SimulatedCameraSection
from dicetable.config.file import MOST_BYTES, Config, load, read
from dicetable.config.form import without_secrets
from dicetable.config.games import GamesSection, unusable
from dicetable.config.gateway import WebSection
from dicetable.config.mistakes import ConfigError
from dicetable.config.panel import KeyboardPanel, SimulatedPanelSection
from dicetable.eye.process import ProcessEye
from dicetable.ledger.entries import Entry
from dicetable.service.healing_ledger import HealingLedger
from dicetable.service.loop import Service, ServiceParts
from dicetable.service.sockets import Sockets, settings_of, signals_of
from dicetable.service.systemd import EXIT_POWER_OFF, CountFile, CrashLoop, Notifier
from dicetable.table.game_list import GameList
from dicetable.table.table import Table
from hardware.ports import Clock, Degraded, Panel, SystemClock

if TYPE_CHECKING:
    from dicetable.service.simulation import Simulation

SEEDS: Final = 2**53
"""A game's seed is drawn below this: every JSON parser keeps such integers exact."""
STARTS: Final = "starts"
GOOD_CONFIG: Final = "table.toml.good"
"""A copy of the last config that could be used: what safe mode goes by when camera, panel or
ledger cannot be taken from the config."""
LOGGED: Final = (
    "dicetable",
    "numpy",
    "onnxruntime",
    "opencv-python-headless",
    "pydantic",
    "pyserial",
)

log = logging.getLogger(__name__)


def is_strict(config: Config) -> bool:
    """Whether dice must be seen to be thrown; a folder of photographs shows none in motion."""
    return config.house.throws == "strict" and not isinstance(config.camera, FolderOfPhotographs)


def start(
    path: Path,
    environment: MutableMapping[str, str] = os.environ,
    say: Callable[[str], object] = log.info,
    *,
    web: bool = False,
    games: Path | None = None,
) -> int:
    """Runs the table of this config until it is stopped; returns the exit code. Raises ConfigError.

    `say` is called with each line that a person at the terminal should read. `web` starts the gateway too,
    which prints its address; at a terminal only warnings are logged then. `games` takes the place of the
    config's folder of games.
    """
    clock = SystemClock()
    logs.set_up(clock.now_s, quiet=web and sys.stderr.isatty())
    config, degraded, starts, safe = configured(path, environment.get("STATE_DIRECTORY"))
    log_what_runs(config, safe=safe)
    games = games or config.games.folder
    left_out = with_games(games)
    usable, wrong = usable_rules(config.games)
    for line in how_to_play(config):
        say(line)

    sockets = sockets_of(config, environment, web=web)
    if web:
        signals, rules = signals_of(config), usable.house_rules
        settings = settings_of(sockets.web, environment, path, signals, config.screen, config.camera, rules)
        sockets.start_gateway(replace(settings, games=str(games or "")))
    simulation = simulation_of(config, clock)
    panel = panel_of(config, simulation, clock)
    sockets.attach_panel(panel)
    parts = ServiceParts(
        panel=panel,
        eye=eye_of(config, simulation.board_path if simulation else None, sockets, clock),
        ledger=HealingLedger(config.ledger.folder, starts.accepted),
        clock=clock,
        starts=starts,
        notifier=Notifier.from_environment(environment),
        config_degraded=degraded,
        games_degraded=missing(left_out, wrong),
        sockets=sockets,
    )
    service = Service(parts, partial(table_of, config=config, games=usable, safe=safe), simulation)
    attach_requests(service, config, path)
    if asyncio.run(service.serve()):
        return EXIT_POWER_OFF
    if service.restart_requested and "NOTIFY_SOCKET" not in environment:  # nothing else restarts it
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - this very program
    return 0


def sockets_of(config: Config, environment: MutableMapping[str, str], *, web: bool) -> Sockets:
    """What the gateway connects to; `web`: it is certainly needed."""
    section = config.web or (WebSection() if web else None)
    filmed, follows = isinstance(config.camera, PhoneCamera), signals_of(config).follow
    return Sockets(section, environment, signals=follows, needed=web, camera=filmed)


def simulation_of(config: Config, clock: Clock) -> Simulation | None:
    """The simulated table and its people; None in front of a real camera."""
    if not isinstance(config.camera, SimulatedCameraSection):
        return None
    from dicetable.service.simulation import Simulation

    people = isinstance(config.panel, SimulatedPanelSection)
    return Simulation(config.camera.seed, clock, seats=config.table.seats, presses=people)


def panel_of(config: Config, simulation: Simulation | None, clock: Clock) -> Panel:
    """The panel of the config, or the simulated one that simulated people press."""
    if simulation is not None and simulation.presses:
        return drivers.with_screen(simulation.world.panel, config.panel)
    return drivers.panel_of(config.panel, clock, config.table.seats, config.ledger.folder)


def table_of(
    ledger: HealingLedger, entries: Sequence[Entry], *, config: Config, games: GamesSection, safe: bool
) -> Table:
    """The table that the entries lead to; `games` has the house rules and favourites to offer."""
    offered = GameList(games.house_rules, games.favourites)
    for opened in ledger.last_games():
        offered.count(opened)
    table = Table(
        ledger,
        lambda: secrets.randbelow(SEEDS),
        entries=entries,
        safe=safe,
        seats=config.table.seats,
        names=config.table.names,
        strict=is_strict(config),
        games=offered,
    )
    table.filmed_by_phone = isinstance(config.camera, PhoneCamera)
    return table


def attach_requests(service: Service, config: Config, path: Path) -> None:
    """Lets the service's sockets answer what operators and the league ask."""
    from dicetable.service.league_client import LeagueClient
    from dicetable.service.operator_requests import OperatorRequests

    pages, sockets = config.web or WebSection(), service.parts.sockets
    requests = OperatorRequests(service, path, config.ledger.folder, pages.records, pages.unnamed)
    sockets.kinds.update(requests.kinds())
    sockets.attach_league(LeagueClient(service.parts.ledger))


def configured(path: Path, state: str | None) -> tuple[Config, Degraded | None, CrashLoop, bool]:
    """The config to use, what to say about it, the starts so far, and whether this is safe mode.

    Only the service has a `state` folder. Nobody reads its terminal, so in safe mode it rescues a wrong
    config instead of ending. Raises ConfigError.
    """
    if state:
        starts = starts_in(Path(state))
        safe = starts.begin()
        config, degraded = load_or_rescue(path, Path(state) / GOOD_CONFIG, safe=safe)
    else:
        config, degraded = load(path), None
        starts = starts_in(config.ledger.folder)
        safe = starts.begin()
    return in_safe_mode(config) if safe else config, degraded, starts, safe


def starts_in(folder: Path) -> CrashLoop:
    """The starts that are counted in a folder, which is made if it can be."""
    with suppress(OSError):  # the ledger says on the panel what is wrong with its folder
        folder.mkdir(parents=True, exist_ok=True)
    return CrashLoop(CountFile(folder / STARTS))


def in_safe_mode(config: Config) -> Config:
    """What safe mode uses of a config: its devices, its pages and programs, and the folder of games.

    The match to resume may be of a game in that folder. Seats, rules and dice are the usual ones.
    """
    sections = {
        name: getattr(config, name)
        for name in ("camera", "panel", "ledger", "screen", "web", "mqtt", "metrics", "webhooks", "league")
    }
    return Config(**sections, games=GamesSection(folder=config.games.folder))


def with_games(folder: Path | None) -> Sequence[LeftOut]:
    """Adds the games in the folder to the list; returns what is left out, and logs it."""
    left_out = add_games(folder)
    for out in left_out:
        log.error("game=%s left_out=%r", out.path, out.why)
    return left_out


def usable_rules(section: GamesSection) -> tuple[GamesSection, Sequence[str]]:
    """The section with only what the games of the list can use, and why the rest is left out, logged.

    Rules for a game of one's own are checked here: only now is the game loaded.
    """
    wrong = {name: str(mistake) for name, mistake in unusable(section)}
    for name, why in wrong.items():
        log.error("house_rules=%r left_out=%r", name, why)
    usable = section.model_copy(
        update={
            "house_rules": [rules for rules in section.house_rules if rules.name not in wrong],
            "favourites": [favourite for favourite in section.favourites if favourite not in wrong],
        }
    )
    return usable, [texts.own_games.left_out(name, why) for name, why in wrong.items()]


def missing(left_out: Sequence[LeftOut], rules: Sequence[str] = ()) -> Degraded | None:
    """What the display says of games and house rules that are left out; None if there are none."""
    if not left_out and not rules:
        return None
    sentence = " ".join(f"{out}." for out in (*left_out, *rules))
    return Degraded(sentence, texts.own_games.REMEDY if left_out else texts.own_games.RULES_REMEDY)


def eye_of(config: Config, frames: Path | None, sockets: Sockets, clock: Clock) -> ProcessEye:
    """The eye as a child process, which gets the socket of a phone's frames if there is one."""
    door = None if sockets.door is None else sockets.door.fileno()
    command = [sys.executable, "-m", "dicetable.eye.child"]
    return ProcessEye(command, eye_settings(config, frames, door), clock, () if door is None else (door,))


def eye_settings(config: Config, frames: Path | None, door: int | None = None) -> bytes:
    """What the eye's process reads from standard input.

    `frames` is where a simulated camera puts its frames; `door` the socket to which a phone's come.
    """
    from dicetable.eye.child import EyeSettings

    settings = EyeSettings(
        camera=config.camera,
        frames=frames,
        door=door,
        calibration=config.ledger.calibration,
        dice=config.eye.dice,
        models=config.eye.models,
    )
    return settings.model_dump_json().encode()


def load_or_rescue(path: Path, good: Path, *, safe: bool) -> tuple[Config, Degraded | None]:
    """The config; in safe mode, if it is wrong, what can be saved of it, and what to say about it.

    That is its camera, panel and ledger, or those of the last config that could be used, with the folder of
    games if that is not what is wrong: a match may be of one of them. A config that is right is copied to
    `good`, for this user alone, because it may hold secrets; a disk that refuses never stops the start.
    """
    try:
        config = load(path)
    except ConfigError as error:
        if not safe:
            raise
        log.error("config=%s error=%r", path, str(error))
        first = error.mistakes[0]
        sentence = texts.health.bad_config(first.where, first.what)
        for source in (path, good):
            with suppress(ConfigError, ValueError):
                settings = read(source)
                sections = {
                    name: settings[name] for name in ("camera", "panel", "ledger") if name in settings
                }
                config = Config.model_validate(sections)
                with suppress(KeyError, ValueError):
                    config = Config.model_validate(sections | {"games": settings["games"]})
                return config, Degraded(sentence, texts.health.BAD_CONFIG_REMEDY)
        raise
    try:
        data = read_file(path, MOST_BYTES)
        if not (good.exists() and read_file(good, MOST_BYTES) == data):
            atomic_write(good, data, private=True)
    except OSError as error:
        log.warning("config_copy=%s error=%r", good, str(error))
    return config, None


def log_what_runs(config: Config, *, safe: bool) -> None:
    versions = dict.fromkeys(LOGGED, "unknown")
    for name in LOGGED:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    system = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "kernel": platform.release(),
    }
    log.info("service=starting safe=%s pid=%d %s", safe, os.getpid(), logs.pairs({**versions, **system}))
    log.info("config %s", logs.pairs(without_secrets(config.model_dump(mode="json"))))


def how_to_play(config: Config) -> Sequence[str]:
    """What a person at the terminal can do: type presses, or watch simulated players; else nothing."""
    if isinstance(config.panel, KeyboardPanel):
        return (texts.panel.TERMINAL_KEYS, texts.panel.ENTER_RUNS)
    return (texts.panel.SIMULATED_PLAYERS,) if isinstance(config.panel, SimulatedPanelSection) else ()
