"""`dicetable gateway`: the web pages, served by a process beside the table.

`dicetable gateway invite`, `pair CODE` and `passphrase` are for people with a shell on the machine.
"""

import argparse
import errno
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from getpass import getpass
from pathlib import Path
from typing import TextIO
from urllib.parse import urlsplit

from common import texts
from common.local_sockets import GATEWAY_FOLDER, ForeignSocketError
from common.network import is_loopback
from common.texts.plain import below
from dicetable.commands.usage import CommandError, Commands, named_path
from dicetable.config.file import load
from dicetable.service.sockets import installed, own_folder, settings_of, signals_of
from gateway.operator.passphrase import LONGEST_PASSPHRASE, SHORTEST_PASSPHRASE, hash_passphrase
from gateway.settings import PROGRAM

STARTING_S = 15.0
"""What a gateway may take that was started just now."""
RETRY_S = 0.5
CLEAR = "\033[2J\033[H"


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("gateway", help=text, description=text)
    parser.add_argument(
        "--config", type=named_path, metavar="FILE", help="serve with this config file (TOML)"
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    pair = actions.add_parser(
        "pair", help="pair the display that shows CODE, so that it shows the codes of free seats"
    )
    pair.add_argument("code", metavar="CODE", help="the code that the display shows at /operator/pair")
    invited = actions.add_parser("invite", help="show a QR code that logs one phone in at the operator page")
    invited.add_argument(
        "--screen",
        type=named_path,
        metavar="TERMINAL",
        help="where to show it, such as /dev/tty1 for the Pi's HDMI screen; default: here",
    )
    camera = actions.add_parser("camera", help="show a QR code that makes one phone the table's camera")
    camera.add_argument(
        "--screen",
        type=named_path,
        metavar="TERMINAL",
        help="where to show it, such as /dev/tty1 for the Pi's HDMI screen; default: here",
    )
    secret = actions.add_parser("passphrase", help="ask for a passphrase and print the line for the config")
    secret.add_argument(
        "--forget",
        action="store_true",
        help="forget the one chosen in the browser instead: the next operator chooses one",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serves until it is stopped, or runs the action; 1 if that is not possible, 2 if nothing is named."""
    if args.action == "pair":
        return pair(args.code)
    if args.action == "invite":
        return invite(args.screen)
    if args.action == "camera":
        return show_camera_code(args.screen)
    if args.action == "passphrase":
        return forget_passphrase() if args.forget else passphrase()
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
    rules = config.games.house_rules
    served = settings_of(config.web, os.environ, file, signals, config.screen, config.camera, rules)
    with replace(served, games=str(config.games.folder or "")).file() as settings:
        os.dup2(settings, 0)
        return os.execv(PROGRAM[0], PROGRAM)  # noqa: S606 - our own interpreter


def pair(code: str) -> int:
    """Pairs the display that shows the code; 1 if no gateway of this machine knows it."""
    if "paired" not in answers({"pair": code}):
        raise CommandError(texts.operator.UNKNOWN_CODE)
    print(texts.operator.PAIRED)
    return 0


def invite(screen: Path | None) -> int:
    """Shows the address that logs one phone in, also as a QR code; 1 if the gateway gives none."""
    address = next(answers({"invite": ""}, STARTING_S))
    if not address:
        raise CommandError(f"dicetable gateway: {texts.operator.NEEDS_TLS}")
    lines = [address, texts.operator.INVITED]
    if is_loopback(urlsplit(address).hostname or ""):
        lines.append(texts.operator.ONLY_HERE)
    show_code(address, lines, screen or sys.stdout)
    return 0


def show_camera_code(screen: Path | None) -> int:
    """Shows the address that makes one phone the camera, also as a QR code; 1 if the gateway gives none."""
    told = next(answers({"camera": ""}, STARTING_S))
    if not told:
        raise CommandError(texts.phone_camera.NOT_CHOSEN)
    address, lines = camera_lines(told)
    show_code(address, lines, screen or sys.stdout)
    return 0


def camera_lines(told: str) -> tuple[str, list[str]]:
    """The address that makes one phone the camera, and what to say with it, from the gateway's answer."""
    answer = json.loads(told)
    address = str(answer["address"])
    lines = [
        address,
        texts.phone_camera.SCAN,
        texts.phone_camera.fingerprint(str(answer["fingerprint"])),
        texts.phone_camera.TRUSTS,
    ]
    return address, lines


def show_code(address: str, lines: Sequence[str], screen: Path | TextIO) -> None:
    """Shows an address as a QR code, with lines below it, on this or another terminal."""
    from gateway.pages import qr_spaces, qr_text

    if isinstance(screen, Path):
        write_on(screen, "\n".join([CLEAR + qr_spaces(address), *lines, ""]))
        return
    code = qr_spaces if os.environ.get("TERM") == "linux" else qr_text
    print(code(address), file=below(screen))
    print(*lines, sep="\n", file=screen, flush=True)


def write_on(screen: Path, text: str) -> None:
    """Writes on another terminal. Raises CommandError if there is none."""
    try:
        with os.fdopen(os.open(screen, os.O_WRONLY | os.O_NOCTTY), "w", encoding="utf-8") as terminal:
            if not terminal.isatty():
                raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))
            terminal.write(text)
    except OSError as error:
        raise CommandError(texts.operator.no_screen(str(screen), error.strerror or str(error))) from None


def answers(request: Mapping[str, object], waits_s: float = 0.0) -> Iterator[str]:
    """What each gateway of this machine answers, the installed one first.

    Raises CommandError if none does in that time.
    """
    from gateway.displays import SOCKET_NAME, ask_gateway

    end_s = time.monotonic() + waits_s
    answered = False
    while not answered:
        reason, foreign = texts.operator.NO_GATEWAY, ""
        for folder in (GATEWAY_FOLDER, own_folder(os.environ)):
            try:
                yield ask_gateway(folder / SOCKET_NAME, request)
                answered = True
            except PermissionError:
                reason = texts.operator.AS_ROOT
            except ForeignSocketError as error:
                foreign = f"\n{texts.operator.foreign_socket(str(error.place))}"
            except OSError:
                continue
        if not answered and (time.monotonic() >= end_s or reason == texts.operator.AS_ROOT):
            raise CommandError(reason + foreign)
        time.sleep(0 if answered else RETRY_S)


def forget_passphrase() -> int:
    """Has each gateway of this machine forget what was chosen in the browser; 1 if one could not."""
    for told in answers({"forget_passphrase": ""}):
        if told == "configured":
            raise CommandError(texts.operator.PASSPHRASE_IN_CONFIG)
        if told != "forgotten":
            raise CommandError(texts.operator.passphrase_kept(told))
    print(texts.operator.FORGOTTEN)
    return 0


def passphrase() -> int:
    """Asks for a passphrase and prints the line for the config; 1 if it is not acceptable."""
    if sys.stdin.isatty():
        first = getpass(texts.operator.FIRST_TIME)
        second = getpass(texts.operator.AGAIN)
    else:
        first = second = sys.stdin.readline().rstrip("\n")
    if first != second:
        raise CommandError(texts.operator.NOT_THE_SAME)
    if not SHORTEST_PASSPHRASE <= len(first) <= LONGEST_PASSPHRASE:
        raise CommandError(texts.operator.passphrase_length(SHORTEST_PASSPHRASE, LONGEST_PASSPHRASE))
    print(f'operator_passphrase = "{hash_passphrase(first)}"')
    return 0
