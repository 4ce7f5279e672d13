"""`dicetable engine`: the rules engine as JSON Lines on standard input and output; see docs."""

import argparse
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from common import texts
from dicetable.commands.usage import (
    CommandError,
    Commands,
    add_games_option,
    add_own_games,
    named_path,
    require,
)
from games.protocol import Engine
from games.requests import GREATEST_WHOLE, LONGEST_LINE, encode

CHECKED: Final = 1000
"""Random games of `--check`. More find rarer faults and take longer."""


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("engine", help=text, description=text)
    add_games_option(parser)
    parser.add_argument(
        "--check",
        type=named_path,
        metavar="FILE",
        help=f"play {CHECKED} random games of the game in this file and print the first promise it breaks",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help="seed of the first game of --check; default 1"
    )
    parser.set_defaults(run=run)


def lines(stream: BinaryIO, longest: int) -> Iterator[bytes]:
    """The lines of the stream; one longer than `longest` bytes is cut there and its rest skipped."""
    while line := stream.readline(longest + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(longest)
        yield line


def run(args: argparse.Namespace) -> int:
    """Answers each line with one line until the input ends, the output closes or Ctrl-C is pressed.

    With `--check`: 0 if the game keeps every promise, 1 if it breaks one.
    """
    if args.check is not None:
        return check(args.check, args.seed)
    add_own_games("engine", args.games)
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


def check(file: Path, seed: int) -> int:
    """Plays random games of the game in the file. Raises CommandError if it breaks a promise."""
    from common.game_folder import fault_in, loaded

    require("engine", "--seed", seed, 0, GREATEST_WHOLE)
    if fault := fault_in(file, CHECKED, seed, waits_s=None):
        raise CommandError(f"dicetable engine: {file}: {fault}")
    print(texts.own_games.promises_kept(loaded(file).name, CHECKED))
    return 0


def serve() -> None:
    engine = Engine(draw_seed=lambda: secrets.randbits(53))
    output = sys.stdout.buffer
    for line in lines(sys.stdin.buffer, LONGEST_LINE + 1):
        output.write(encode(engine.answer(line)))
        output.flush()
