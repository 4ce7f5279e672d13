"""The command line. Exit codes: 0 done, 1 could not, 2 bad usage; an error is one line on standard error."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse gives it no other name

COMMANDS = (
    "read",
    "enrol",
    "play",
    "simulate",
    "engine",
    "check-config",
    "doctor",
    "panel",
    "markers",
    "ledger",
    "run",
    "calibrate",
)
"""Each is a module in dicetable.commands, - as _, with `add_parser(subparsers)` and `run(args) -> int`."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        """Ends with exit code 2."""
        self.exit(2, f"{self.prog}: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; imports no other command's module."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    parser = Parser(prog="dicetable", description="A bar-top dice table: reads real dice and runs the game.")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    named = [name for name in COMMANDS if arguments[:1] == [name]]
    for name in named or COMMANDS:
        import_module(f"dicetable.commands.{name.replace('-', '_')}").add_parser(subparsers)
    args = parser.parse_args(arguments)
    code: int = args.run(args)
    return code


if __name__ == "__main__":
    sys.exit(main())
