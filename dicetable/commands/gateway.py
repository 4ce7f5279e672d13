"""`dicetable gateway`: the screens, served by a process of its own beside the table."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from dicetable.commands.usage import named_path

if TYPE_CHECKING:
    import argparse

    from dicetable.__main__ import Commands


def add_parser(subparsers: Commands) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser(
        "gateway", help="serve the screens of a running table, and tell broker and webhooks what happens"
    )
    parser.add_argument(
        "--config", required=True, type=named_path, metavar="FILE", help="the table's settings, TOML"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serves until it is stopped; 1 if it is not configured or not installed."""
    from dicetable import texts
    from dicetable.config.file import load
    from dicetable.config.mistakes import ConfigError
    from dicetable.service.screens import command, installed
    from dicetable.service.signals import signals_of

    try:
        config = load(args.config)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 1
    signals = signals_of(config)
    if config.web is None and not signals.follow:
        print(f"{args.config}: {texts.web.NOT_CONFIGURED}", file=sys.stderr)
        return 1
    if not installed():
        print(texts.web.NOT_INSTALLED, file=sys.stderr)
        return 1
    sys.stdout.flush()
    # The small process takes this one's place: what the config needed (numpy, pydantic) is not held for ever.
    program = command(config.web, os.environ, args.config, signals)
    return os.execv(program[0], program)  # noqa: S606 - our own interpreter
