"""The command line. Exit codes: 0 done, 1 could not, 2 bad usage, 130 ended by Ctrl-C.

An error is one line on standard error.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from io import TextIOWrapper
from typing import NoReturn, TextIO, cast

from dicetable.commands.usage import complain
from dicetable.texts import language
from dicetable.texts.plain import PlainStream, plain

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
    "stats",
    "watch",
    "record",
    "run",
    "gateway",
    "league",
    "calibrate",
)
"""Each is a module in dicetable.commands, - as _, with `add_parser(subparsers)` and `run(args) -> int`."""

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


def plain_stream(stream: TextIO | None) -> TextIO | None:
    """The stream with everything escaped that could steer a terminal; None if there is none."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")  # a file may have a name that cannot be shown
    return None if stream is None else cast("TextIO", PlainStream(stream))


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
    except OSError as error:
        if error.errno not in FULL:
            raise
        drop_output()
        complain(f"dicetable: {error.strerror}: make room on the disk and do it again")
    except Exception as error:  # a command that needs no config and reads no dice loads neither
        from dicetable.config.mistakes import ConfigError
        from vision.nets import ModelError

        if not isinstance(error, ConfigError | ModelError):
            raise
        complain(*(error.lines if isinstance(error, ConfigError) else [f"dicetable: {error}"]))
    return 1


def drop_output() -> None:
    """Discards buffered output, so that Python does not try to write it again when it exits."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def command(arguments: list[str]) -> int:
    """Runs one command; imports no other command's module."""
    language.speak_as_configured(arguments)
    parser = Parser(
        prog="dicetable", description="A bar-top dice table that reads real dice and runs the game."
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    named = [name for name in COMMANDS if arguments[:1] == [name]]
    for name in named or COMMANDS:
        import_module(f"dicetable.commands.{name.replace('-', '_')}").add_parser(subparsers)
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
