"""Games from a folder: each `*.py` in it with a `GAME` joins the list, or is left out with one sentence.

A file is loaded only after a process of its own has loaded it and played it at random
(`games.conformance`), so that a file that raises, hangs or takes all memory harms no table. From then on it
runs with the rights of the table, which is why a file that other users can write is refused.
"""

from __future__ import annotations

import logging
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from common import texts
from common.files import read_file
from games import conformance, registry
from games.errors import RuleError, RuleFails
from games.game import Game

MOST_BYTES: Final = 1_000_000
"""The largest file of a game. Larger: a file that is no game takes longer to be refused."""
GAMES_AT_LOAD: Final = 200
"""Random games of each file before it is loaded. More find rarer faults and make each start take longer."""
GAME_S: Final = 10
"""Processor time that one random game may take. Less refuses slow games; more makes the start wait longer
for a rule that never ends."""
LOAD_S: Final = 60.0
"""The longest wait for the random games of a file. Less refuses good games on slow machines; more than the
TimeoutStartSec of the service ends the service."""
MOST_MEMORY: Final = 512 * 2**20
"""Memory of the process that plays the random games. Less refuses large games; more takes it from others."""
FOR_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH
SEED: Final = "seed "
FAULT: Final = "fault "
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file whose game is not in the list, or the folder itself if it can't be read, and why."""

    path: Path
    why: str

    def __str__(self) -> str:
        return texts.own_games.left_out(self.path.name, self.why)


class UnusableGameError(Exception):
    """The file is no game that can be used; the text says why."""


def add_games(folder: Path | None) -> list[LeftOut]:
    """Adds the games in the folder to the list, in the order of their files; returns what is left out."""
    if folder is None:
        return []
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".py")
        check_owner(folder)
    except OSError as error:
        left_out = [LeftOut(folder, texts.own_games.no_folder(error.strerror or str(error)))]
    except UnusableGameError as error:
        left_out = [LeftOut(folder, str(error))]
    else:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = list(pool.map(fault_in, files))
        left_out = [out for out in map(add_game, files, faults) if out is not None]
    return left_out


def add_game(path: Path, fault: str) -> LeftOut | None:
    """Adds the game of a file that has been tried; what is left out if that is not possible."""
    if fault:
        return LeftOut(path, fault)
    try:
        game = loaded(path)
        registry.add(guarded(game))
    except UnusableGameError as error:
        return LeftOut(path, str(error))
    except ValueError:
        return LeftOut(path, texts.own_games.taken(game.name))
    log.info("game=%s name=%s", path, game.name)
    return None


def check_owner(path: Path) -> None:
    """Raises UnusableGameError if anyone but root and this user can change the file or folder; OSError."""
    about = path.stat()
    if about.st_uid not in (0, os.geteuid()):
        raise UnusableGameError(texts.own_games.foreign(str(path)))
    sticky = (
        stat.S_ISDIR(about.st_mode) and about.st_mode & stat.S_ISVTX
    )  # like /tmp: others can't replace it
    if about.st_mode & FOR_OTHERS and not sticky:
        raise UnusableGameError(texts.own_games.writable(str(path)))


def loaded(path: Path) -> Game[Any, Any]:
    """The game in a file, which is executed. Raises UnusableGameError."""
    try:
        real = path.resolve(strict=True)
        check_owner(real.parent)
        check_owner(real)
        source = read_file(real, MOST_BYTES)
    except OSError as error:
        raise UnusableGameError(texts.own_games.unreadable(error.strerror or str(error))) from None
    module = ModuleType(f"games_from_folder.{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look up their annotations there
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102 - this is what the folder is for
    except SyntaxError as error:
        raise UnusableGameError(texts.own_games.syntax(error.lineno or 0, error.msg)) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a stranger's file does
        raise UnusableGameError(texts.own_games.raised(conformance.raised(error))) from None
    game = getattr(module, "GAME", None)
    if game is None:
        raise UnusableGameError(texts.own_games.NO_GAME)
    if not isinstance(game, Game):
        raise UnusableGameError(texts.own_games.no_game_but(type(game).__name__))
    return game


def fault_in(
    path: Path,
    games: int = GAMES_AT_LOAD,
    seed: int = 1,
    *,
    game_s: int = GAME_S,
    waits_s: float | None = LOAD_S,
) -> str:
    """Plays random games and says what is wrong with the game of a file; empty if nothing is."""
    numbers = map(str, (games, seed, game_s))
    command = [sys.executable, "-m", "common.game_folder", str(path), *numbers]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=waits_s, check=False
        )
    except subprocess.TimeoutExpired:
        return texts.own_games.too_long(int(waits_s or 0))
    lines = done.stdout.decode(errors="replace").splitlines()
    faults = [line.removeprefix(FAULT) for line in lines if line.startswith(FAULT)]
    seeds = [line.removeprefix(SEED) for line in lines if line.startswith(SEED)]
    if faults:
        return faults[-1]
    if done.returncode == -signal.SIGPROF:
        return texts.own_games.endless(seeds[-1] if seeds else "", game_s)
    if done.returncode != 0 or lines[-1:] != [f"{SEED}end"]:
        return texts.own_games.ended(seeds[-1] if seeds else "")
    return ""


def try_game(path: Path, games: int, seed: int, game_s: int) -> None:
    """Loads a file and plays its game at random; prints each seed and the fault, if there is one."""
    tell = partial(print, flush=True)
    with suppress(ImportError, OSError, ValueError):  # not everywhere, and a hard limit may be lower
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))

    def begun(seed: int | str) -> None:
        # What has taken its time is ended by the kernel, in whatever loop it is.
        signal.setitimer(signal.ITIMER_PROF, game_s)
        tell(f"{SEED}{seed}")

    begun("")
    try:
        game = loaded(path)
        registry.add(game)
    except UnusableGameError as error:
        tell(f"{FAULT}{error}")
        return
    except ValueError:
        tell(f"{FAULT}{texts.own_games.taken(game.name)}")
        return
    except TypeError:
        tell(f"{FAULT}{texts.own_games.raised('its name is no text')}")
        return
    fault = conformance.fault_of(game, range(seed, seed + games), begun)
    if fault is not None:
        tell(f"{FAULT}{texts.own_games.broken(str(fault))}")
    tell(f"{SEED}end")


def guarded(game: Game[Any, Any]) -> Game[Any, Any]:
    """The game with rules that refuse a request where they would raise an error: the table plays on."""

    def guard(rule: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(rule)
        def guarded_rule(*arguments: Any) -> Any:
            try:
                after, events = rule(*arguments)
                game.prompt(after)
                game.to_json(after)
            except RuleError:
                raise
            except Exception as error:
                why = conformance.raised(error)
                log.error("game=%s rule=%s error=%r", game.name, rule.__name__, why)
                raise RuleFails(texts.own_games.rule_fails(game.title, why)) from error
            return after, events

        return guarded_rule

    return replace(game, start=guard(game.start), dice=guard(game.dice), act=guard(game.act))


if __name__ == "__main__":
    try_game(Path(sys.argv[1]), *map(int, sys.argv[2:]))
