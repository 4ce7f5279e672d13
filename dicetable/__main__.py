"""The command line. Exit codes: 0 done, 1 could not, 2 bad usage, 130 ended by Ctrl-C.

An error is one line on standard error.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from io import TextIOWrapper

from common.texts import speaking
from common.texts.plain import PlainStream, plain

TYPE_CHECKING = False  # as in typing, which takes a tenth of the time of `--help`
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn, TextIO

COMMANDS = {
    "read": "read dice in photographs",
    "enrol": "enrol your own dice, from photographs of their faces or under the table's camera",
    "roll": "throw your own dice in front of any camera, without a game",
    "cameras": "list the cameras attached to this machine",
    "play": "play a game in the terminal",
    "simulate": "let simulated players play on a simulated table, read from its pixels",
    "engine": "run the rules engine, with JSON Lines on standard input and output",
    "check-config": "check a config file and list every mistake",
    "doctor": "check every part of the table and say what to do about faults",
    "panel": "test the panel: show presses and the link live, until Ctrl-C",
    "markers": "write the tray's markers, or the lens sheet, as a page to print at true size",
    "ledger": "inspect, check and repair the record of all games and throws",
    "stats": "count throws and test whether a die is biased",
    "watch": "judge the throws in a video of the tray",
    "record": "record the table's camera",
    "run": "run the table with its camera, panel, games and ledger",
    "gateway": "serve the web pages of a running table, and send signals over MQTT and webhooks",
    "league": "run a league of many tables, or join one with this table",
    "calibrate": "check markers, light and focus on the empty tray, and save the calibration",
}
"""What each does. It is a module in dicetable.commands, - as _, with `add_parser(subparsers, text)`."""

FULL = (errno.ENOSPC, errno.EDQUOT)


class Parser(argparse.ArgumentParser):
    """An argument parser whose error is one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {plain(message)}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; 1 too if its output finds no reader or no room.

    130 if Ctrl-C ended it.
    """
    with redirect_stdout(plain_stream(sys.stdout)), redirect_stderr(plain_stream(sys.stderr)):
        return ended(argv)


def plain_stream(stream: TextIO | None) -> Any:
    """The stream with everything escaped that could steer a terminal; None if there is none."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")  # a file may have a name that cannot be shown
    return None if stream is None else PlainStream(stream)


def ended(argv: Sequence[str] | None) -> int:
    """Runs one command and returns its exit code, however it ends."""
    try:
        try:
            return command(sys.argv[1:] if argv is None else list(argv))
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        drop_output()
    except Exception as error:
        code = failed(error)
        if code is None:
            raise
        return code
    return 1


def failed(error: Exception) -> int | None:
    """Says why a command could not go on and returns its exit code; None for a fault of the program."""
    from dicetable.commands.usage import CommandError, complain

    if isinstance(error, CommandError):
        complain(error)
        return error.code
    if isinstance(error, OSError):
        if error.errno not in FULL:
            return None
        drop_output()
        complain(f"dicetable: {error.strerror}: make room on the disk and do it again")
        return 1
    # A command that needs no config and reads no dice loads neither.
    from dicetable.config.mistakes import ConfigError
    from vision.nets import ModelError

    if not isinstance(error, ConfigError | ModelError):
        return None
    complain(*(error.lines if isinstance(error, ConfigError) else [f"dicetable: {error}"]))
    return 1


def drop_output() -> None:
    """Discards buffered output, so that Python does not try to write it again when it exits."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def command(arguments: list[str]) -> int:
    """Runs one command; imports its module and no other command's."""
    speaking.speak_as_configured(arguments)
    parser = Parser(
        prog="dicetable", description="A bar-top dice table that reads real dice and runs the game."
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")

    def named(prog: str, **settings: Any) -> Any:
        # A parser takes a hundredth of the time of `--help`, and all but one of them are never used.
        return Parser(prog, **settings) if prog.split()[-1] in arguments else None

    parser_class: Any = named
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=parser_class)
    for name, text in COMMANDS.items():
        if arguments[:1] == [name]:
            import_module(f"dicetable.commands.{name.replace('-', '_')}").add_parser(subparsers, text)
        else:
            subparsers.add_parser(name, help=text)
    args = parser.parse_args(arguments)
    if args.version:
        from importlib.metadata import version

        if sys.stdout is not None:
            sys.stdout.write(f"dicetable {version('dicetable')}\n")
        return 0
    if args.command is None:
        parser.print_help()
        return 0
    code: int = args.run(args)
    return code


if __name__ == "__main__":
    sys.exit(main())
