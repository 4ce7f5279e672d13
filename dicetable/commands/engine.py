"""`dicetable engine`: the rules engine as JSON Lines on standard input and output; see docs."""

import argparse
import os
import secrets
import sys
from collections.abc import Iterator
from typing import BinaryIO

from dicetable.commands.usage import CommandError, Commands
from games.protocol import Engine
from games.requests import LONGEST_LINE, encode


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("engine", help=text, description=text)
    parser.set_defaults(run=run)


def lines(stream: BinaryIO, longest: int) -> Iterator[bytes]:
    """The lines of the stream; one longer than `longest` bytes is cut there and its rest skipped."""
    while line := stream.readline(longest + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(longest)
        yield line


def run(_args: argparse.Namespace) -> int:
    """Answers each line with one line until the input ends, the output closes or Ctrl-C is pressed."""
    if sys.stdin is None or sys.stdout is None:
        raise CommandError(
            "dicetable engine: standard input or output is closed: connect both and start it again"
        )
    try:
        serve()
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        # Discards buffered output; otherwise the interpreter would fail on it again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0
        raise CommandError(f"dicetable engine: {error.strerror}") from None
    return 0


def serve() -> None:
    engine = Engine(draw_seed=lambda: secrets.randbits(53))
    output = sys.stdout.buffer
    for line in lines(sys.stdin.buffer, LONGEST_LINE + 1):
        output.write(encode(engine.answer(line)))
        output.flush()
