"""From a config file to a running table: says what runs, minds safe mode, ends with the right exit code."""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import sqlite3
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dicetable.config.file import Config, load, read
from dicetable.config.mistakes import ConfigError
from dicetable.service import logs
from dicetable.service.notify import EXIT_POWER_OFF, Notifier, watchdog_period_s
from dicetable.service.starts import CountFile, Starts
from dicetable.service.watchdog import Watchdog
from hardware.system_clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Mapping

STARTS: Final = "starts"
TOLD_VERSIONS: Final = ("dicetable", "numpy", "onnxruntime", "opencv-python-headless", "pydantic", "pyserial")

log = logging.getLogger(__name__)


def start(path: Path, environment: Mapping[str, str] = os.environ) -> int:
    """Runs the table of this config until it is stopped; returns the exit code. Raises ConfigError."""
    clock = SystemClock()
    logs.set_up(clock.now_s)
    state = environment.get("STATE_DIRECTORY")
    config = None if state else load(path)
    folder = Path(state) if state else (config or load(path)).ledger.folder
    folder.mkdir(parents=True, exist_ok=True)
    starts = Starts(CountFile(folder / STARTS))
    safe = starts.begin()
    config = config or load_or_rescue(path, safe=safe)
    if safe:
        config = Config(camera=config.camera, panel=config.panel, ledger=config.ledger)
    tell_what_runs(config, safe=safe)
    from dicetable.service.build import service_of

    service = service_of(
        config,
        clock,
        starts=starts,
        watchdog=Watchdog(watchdog_period_s(environment), clock.now_s()),
        notifier=Notifier.from_environment(environment),
        safe=safe,
    )
    return EXIT_POWER_OFF if asyncio.run(service.serve()) else 0


def load_or_rescue(path: Path, *, safe: bool) -> Config:
    """The config; in safe mode, if it is wrong, what of camera, panel and ledger is right in it."""
    try:
        return load(path)
    except ConfigError as error:
        if not safe:
            raise
        log.error("config=%s error=%r", path, str(error))
        settings = read(path)
        kept = {name: settings[name] for name in ("camera", "panel", "ledger") if name in settings}
        try:
            return Config.model_validate(kept)
        except ValueError:
            raise error from None


def tell_what_runs(config: Config, *, safe: bool) -> None:
    """Versions and settings, for whoever reads the log later."""
    versions = {name: version_of(name) for name in TOLD_VERSIONS}
    system = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "kernel": platform.release(),
    }
    log.info("service=starting safe=%s pid=%d %s", safe, os.getpid(), logs.pairs({**versions, **system}))
    log.info("config %s", logs.pairs(config.model_dump(mode="json")))


def version_of(name: str) -> str:
    """The version of an installed distribution."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
