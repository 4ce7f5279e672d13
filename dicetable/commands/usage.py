"""What the commands share: errors on standard error, checks of values, where config and ledger are."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from common.texts.plain import plain

if TYPE_CHECKING:
    from dicetable.config.games import HouseRules

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - it has no other name

INSTALLED = Path("/etc/dicetable/table.toml")
DEFAULT_FOLDER = "/var/lib/dicetable"
DEMO_FOLDER = "~/.local/share/dicetable"
"""Where an ordinary user's ledger lies: of `dicetable roll` and of examples/laptop.toml."""


class CommandError(Exception):
    """The command cannot go on; the text is for standard error, `code` is its exit code."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


def complain(*lines: object) -> None:
    """Prints each argument as one line on standard error, even if a file name in it has a line feed."""
    for line in lines:
        print(plain(str(line)), file=sys.stderr)


def require(command: str, option: str, value: int, low: int, high: int) -> None:
    """Returns if low ≤ value ≤ high, else ends the program with a usage error."""
    if not low <= value <= high:
        complain(f"dicetable {command}: {option} {value}: must be from {low} to {high}")
        raise SystemExit(2)


def named_path(text: str) -> Path:
    """The type of an option that names a path, which must not be empty."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty: leave the option out, or name a file or folder")
    return Path(text)


def add_config_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--config FILE` to a command that also works without a config."""
    parser.add_argument(
        "--config",
        type=named_path,
        metavar="FILE",
        help=f"the config file; default {INSTALLED} if it exists, otherwise the simulated table",
    )


def add_games_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--games DIR`, a folder of games of one's own."""
    parser.add_argument(
        "--games", type=named_path, metavar="DIR", help="a folder of games of your own, one file each"
    )


def add_own_games(command: str, folder: Path | None) -> None:
    """Adds the games in the folder to the list; complains of the files that are left out."""
    if folder is None:
        return
    from common.game_folder import add_games

    complain(*(f"dicetable {command}: --games: {left_out}" for left_out in add_games(folder)))


def named_game(command: str, name: str, *others: str) -> None:
    """Returns if there is a game of this name or it is one of `others`, else ends with a usage error."""
    from games.registry import GAMES

    if name not in (*GAMES, *others):
        raise CommandError(
            f"dicetable {command}: there is no game {name!r}: the games are {', '.join((*GAMES, *others))}", 2
        )


def add_rules_options(parser: argparse.ArgumentParser) -> None:
    """Adds `--rules NAME`, house rules of the config, and `--config FILE`."""
    parser.add_argument("--rules", metavar="NAME", help="house rules of the config, by their name")
    parser.add_argument(
        "--config", type=named_path, metavar="FILE", help=f"the config file for --rules; default {INSTALLED}"
    )


def chosen_rules(command: str, args: argparse.Namespace) -> HouseRules | None:
    """The house rules that the options name for `args.game`; None without `--rules`. Raises ConfigError."""
    if args.rules is None:
        return None
    from dicetable.config.file import load
    from dicetable.config.games import named_rules

    house_rules = load(args.config or INSTALLED).games.house_rules
    rules = named_rules(house_rules, args.game, args.rules)
    if rules is None:
        names = ", ".join(own.name for own in house_rules if own.game == args.game) or "none"
        fault = f"{args.game} has no house rules {args.rules!r} in {args.config or INSTALLED}"
        raise CommandError(f"dicetable {command}: --rules: {fault}: there are {names}", 2)
    return rules


def add_ledger_options(group: argparse._MutuallyExclusiveGroup) -> None:
    text = f"the ledger's folder; default {DEFAULT_FOLDER}, or {DEMO_FOLDER} where that can't be read"
    group.add_argument("--folder", metavar="DIR", help=text)
    group.add_argument("--config", metavar="FILE", help="the config file that names the ledger's folder")


def data_folder() -> Path:
    return Path(DEMO_FOLDER).expanduser()


def ledger_folder(args: argparse.Namespace) -> Path:
    """The ledger's folder, as those options name it. Raises ConfigError."""
    if args.config is not None:
        from dicetable.config.file import load

        return load(Path(args.config)).ledger.folder
    if args.folder:
        return Path(args.folder)
    readable = os.access(DEFAULT_FOLDER, os.R_OK | os.X_OK)
    return Path(DEFAULT_FOLDER) if readable else data_folder()


def reading_ledger(command: str, args: argparse.Namespace, do: Callable[[], int]) -> int:
    """Runs `do`, which reads the ledger; reports what keeps it from that in one line, and returns 1."""
    import sqlite3

    from common import texts
    from dicetable.ledger import database
    from dicetable.ledger.entries import BadEntry, JournalError

    try:
        return do()
    except (database.DamageError, BadEntry, sqlite3.DatabaseError) as error:
        if not database.is_damage(error):
            degraded = database.journal_error(ledger_folder(args) / database.NAME, error)
            raise CommandError(f"dicetable {command}: {degraded}") from None
        remedy = "`dicetable ledger verify` says more; the table repairs it when it starts"
        why = f"the ledger in {ledger_folder(args)} cannot be read: {error}; {remedy}"
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno in texts.health.DISK_FULL and error.filename is None:
            raise  # the output has no room, which `main` handles
        why = texts.health.disk_refused(error)
    except JournalError as error:
        why = str(error)
    raise CommandError(f"dicetable {command}: {why}")
