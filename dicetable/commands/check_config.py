"""`dicetable check-config`: says whether a config file is correct, or lists every mistake in it."""

import argparse

from dicetable.commands.usage import Commands, named_path
from dicetable.config.file import load
from dicetable.config.gateway import file_faults
from dicetable.config.mistakes import ConfigError
from dicetable.config.panel import PinsSection


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("check-config", help=text, description=text)
    parser.add_argument("file", type=named_path, metavar="FILE", help="the config file (TOML)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    config = load(args.file)
    if faults := list(file_faults(config.mqtt, config.webhooks, config.screen)):
        raise ConfigError(args.file, faults)
    parts = f"{config.camera.driver} camera, {config.panel.driver} panel, {config.table.seats} seats"
    print(f"{args.file} is correct: {parts}, ledger in {config.ledger.folder}")
    if isinstance(config.panel, PinsSection) and config.panel.note:
        print(f"({config.panel.note})")
    return 0
