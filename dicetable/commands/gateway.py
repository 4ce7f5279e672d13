"""`dicetable gateway`: the web pages, served by a process beside the table.

`dicetable gateway pair CODE` and `dicetable gateway passphrase` are for people with a shell on the machine.
"""

import argparse
import os
import sys
from getpass import getpass
from pathlib import Path

from dicetable import texts
from dicetable.commands.usage import CommandError, Commands, named_path
from dicetable.config.file import load
from dicetable.gateway.operator.credentials import LONGEST_PASSPHRASE, SHORTEST_PASSPHRASE, hash_passphrase
from dicetable.gateway.settings import PROGRAM
from dicetable.service.sockets import installed, own_folder, settings_of, signals_of

SYSTEM_DOOR = Path("/run/dicetable-web")


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("gateway", help=text, description=text)
    parser.add_argument(
        "--config", type=named_path, metavar="FILE", help="serve with this config file (TOML)"
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    pair = actions.add_parser(
        "pair", help="pair the display that shows CODE, so that it shows operators' login codes"
    )
    pair.add_argument("code", metavar="CODE", help="the code that the display shows at /operator/pair")
    actions.add_parser("passphrase", help="ask for a passphrase and print the line for the config")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serves until it is stopped, or runs the action; 1 if that is not possible, 2 if nothing is named."""
    if args.action == "pair":
        return pair(args.code)
    if args.action == "passphrase":
        return passphrase()
    if args.config is None:
        raise CommandError("dicetable gateway: name the config file with --config FILE", 2)
    return serve(args.config)


def serve(file: Path) -> int:
    config = load(file)
    signals = signals_of(config)
    if config.web is None and not signals.follow:
        raise CommandError(f"{file}: {texts.gateway.NOT_CONFIGURED}")
    if not installed():
        raise CommandError(texts.gateway.NOT_INSTALLED)
    sys.stdout.flush()
    # The small process replaces this one, to free the memory of what the config needed (numpy, pydantic).
    with settings_of(config.web, os.environ, file, signals, config.screen).file() as settings:
        os.dup2(settings, 0)
        return os.execv(PROGRAM[0], PROGRAM)  # noqa: S606 - our own interpreter


def pair(code: str) -> int:
    """Pairs the display that shows the code; 1 if no gateway of this machine knows it."""
    from dicetable.gateway.operator.displays import SOCKET_NAME, ask_to_pair

    answered = False
    for folder in (own_folder(os.environ), SYSTEM_DOOR):
        try:
            if ask_to_pair(folder / SOCKET_NAME, code):
                print(texts.operator.PAIRED)
                return 0
            answered = True
        except PermissionError:
            raise CommandError(texts.operator.PAIR_AS_ROOT) from None
        except OSError:
            continue
    raise CommandError(texts.operator.UNKNOWN_CODE if answered else texts.operator.NO_GATEWAY)


def passphrase() -> int:
    """Asks for a passphrase and prints the line for the config; 1 if it is not acceptable."""
    if sys.stdin.isatty():
        given = getpass(texts.operator.FIRST_TIME)
        again = getpass(texts.operator.AGAIN)
    else:
        given = again = sys.stdin.readline().rstrip("\n")
    if given != again:
        raise CommandError(texts.operator.NOT_THE_SAME)
    if not SHORTEST_PASSPHRASE <= len(given) <= LONGEST_PASSPHRASE:
        raise CommandError(texts.operator.passphrase_length(SHORTEST_PASSPHRASE, LONGEST_PASSPHRASE))
    print(f'operator_passphrase = "{hash_passphrase(given)}"')
    return 0
