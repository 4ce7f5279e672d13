"""From a config file to a running table: says what runs, minds safe mode, ends with the right exit code."""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import sqlite3
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dicetable import files, texts
from dicetable.config.file import MOST_BYTES, Config, load, read
from dicetable.config.form import without_secrets
from dicetable.config.gateway import WebSection
from dicetable.config.mistakes import ConfigError
from dicetable.config.panel import KeyboardPanel, SimulatedPanelSection
from dicetable.service import logs
from dicetable.service.crash_loop import CountFile, CrashLoop
from dicetable.service.notify import EXIT_POWER_OFF, Notifier
from dicetable.service.signals import signals_of
from hardware.ports import Degraded, SystemClock

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping, Sequence

STARTS: Final = "starts"
GOOD_CONFIG: Final = "table.toml.good"
"""A copy of the last config that could be used: what safe mode goes by when the config is no TOML at all."""
TOLD_VERSIONS: Final = ("dicetable", "numpy", "onnxruntime", "opencv-python-headless", "pydantic", "pyserial")

log = logging.getLogger(__name__)


def start(
    path: Path,
    environment: MutableMapping[str, str] = os.environ,
    say: Callable[[str], object] = log.info,
    *,
    web: bool = False,
) -> int:
    """Runs the table of this config until it is stopped; returns the exit code. Raises ConfigError.

    `say` is given what somebody at the terminal should know, line by line. `web` starts the gateway too,
    which prints its address; at a terminal only warnings are logged then.
    """
    clock = SystemClock()
    logs.set_up(clock.now_s, quiet=web and sys.stderr.isatty())
    state = environment.get("STATE_DIRECTORY")
    config = None if state else load(path)
    folder = Path(state) if state else (config or load(path)).ledger.folder
    with suppress(OSError):  # the ledger says on the panel what is wrong with its folder
        folder.mkdir(parents=True, exist_ok=True)
    starts = CrashLoop(CountFile(folder / STARTS))
    safe = starts.begin()
    degraded = None
    if config is None:
        config, degraded = load_or_rescue(path, folder / GOOD_CONFIG, safe=safe)
    if safe:
        kept = {
            name: getattr(config, name) for name in ("screen", "web", "mqtt", "metrics", "webhooks", "league")
        }
        config = Config(camera=config.camera, panel=config.panel, ledger=config.ledger, **kept)
    tell_what_runs(config, safe=safe)
    for line in how_to_play(config):
        say(line)
    from dicetable.operating.kinds import Operating
    from dicetable.service.build import service_of
    from dicetable.service.sockets import Sockets
    from dicetable.state.league_desk import LeagueDesk

    sockets = Sockets(
        config.web or (WebSection() if web else None),
        environment,
        beside=web,
        config=path,
        signals=signals_of(config),
        screen=config.screen,
    )
    service = service_of(
        config,
        clock,
        starts=starts,
        notifier=Notifier.from_environment(environment),
        safe=safe,
        config_degraded=degraded,
        sockets=sockets,
    )
    shown = (config.web or WebSection()).records
    sockets.offer(Operating(service, path, config.ledger.folder, shown).kinds())
    sockets.join(LeagueDesk(service.parts.ledger))
    if asyncio.run(service.serve()):
        return EXIT_POWER_OFF
    if service.restart_requested and "NOTIFY_SOCKET" not in environment:  # nobody else starts it anew
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - this very program
    return 0


def load_or_rescue(path: Path, good: Path, *, safe: bool) -> tuple[Config, Degraded | None]:
    """The config; in safe mode, if it is wrong, what can be saved of it, and what to say about it.

    That is its camera, panel and ledger, or those of the last config that could be used, kept as `good`.
    """
    try:
        config = load(path)
    except ConfigError as error:
        if not safe:
            raise
        log.error("config=%s error=%r", path, str(error))
        first = error.mistakes[0]
        what = texts.health.bad_config(first.where, first.what)
        return rescued(path, good, error), Degraded(what, texts.health.BAD_CONFIG_REMEDY)
    keep(path, good)
    return config, None


def rescued(path: Path, good: Path, error: ConfigError) -> Config:
    """The camera, panel and ledger of the config, or of the last good one; else raises the error."""
    for source in (path, good):
        try:
            settings = read(source)
            kept = {name: settings[name] for name in ("camera", "panel", "ledger") if name in settings}
            return Config.model_validate(kept)
        except (ConfigError, ValueError):
            continue
    raise error


def keep(path: Path, good: Path) -> None:
    """Keeps a copy of a config that can be used, for this user alone: it may hold secrets.

    A disk that refuses is logged and never stops the start.
    """
    try:
        data = files(path, MOST_BYTES)
        if not (good.exists() and files(good, MOST_BYTES) == data):
            files(good, data, private=True)
    except OSError as error:
        log.warning("config_copy=%s error=%r", good, str(error))


def tell_what_runs(config: Config, *, safe: bool) -> None:
    """Versions and settings, for whoever reads the log later."""
    versions = {name: version_of(name) for name in TOLD_VERSIONS}
    system = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "kernel": platform.release(),
    }
    log.info("service=starting safe=%s pid=%d %s", safe, os.getpid(), logs.pairs({**versions, **system}))
    log.info("config %s", logs.pairs(without_secrets(config.model_dump(mode="json"))))


def how_to_play(config: Config) -> Sequence[str]:
    """What somebody at the terminal can do: type presses, or watch simulated players; else nothing."""
    if isinstance(config.panel, KeyboardPanel):
        return (texts.panel.TERMINAL_KEYS, texts.panel.ENTER_RUNS)
    return (texts.panel.SIMULATED_PLAYERS,) if isinstance(config.panel, SimulatedPanelSection) else ()


def version_of(name: str) -> str:
    """The version of an installed distribution."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
