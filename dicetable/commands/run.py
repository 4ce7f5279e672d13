"""`dicetable run`: the table's service."""

import argparse

from common import texts
from dicetable.commands.usage import CommandError, Commands, add_games_option, named_path
from dicetable.config.mistakes import ConfigError
from dicetable.service.sockets import installed
from dicetable.service.start import start
from dicetable.service.systemd import Notifier


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("run", help=text)
    parser.add_argument(
        "--config", required=True, type=named_path, metavar="FILE", help="the config file (TOML)"
    )
    parser.add_argument(
        "--web",
        action="store_true",
        help="also serve the guest screen, only on this machine unless [web] says otherwise",
    )
    add_games_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs until SIGTERM; 3 if the machine is to be switched off, 1 if config or folder is unusable."""
    if args.web and not installed():
        raise CommandError(texts.gateway.NOT_INSTALLED)
    notifier = Notifier.from_environment()
    try:
        return start(args.config, say=lambda line: print(line, flush=True), web=args.web, games=args.games)
    except ConfigError as error:
        notifier.status(error.lines[0])  # the journal's lines may have scrolled away, or be root's alone
        raise
    except OSError as error:
        why = texts.health.named(error)
        notifier.status(why)
        raise CommandError(f"dicetable run: {why}") from None
