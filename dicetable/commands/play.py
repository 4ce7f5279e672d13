"""`dicetable play`: a game in the terminal, with throws on the simulated table or from photographs."""

import argparse
import os
import secrets
import sys
from collections.abc import Sequence
from dataclasses import replace

from common import texts
from common.texts.plain import below
from dicetable.commands import phone_source, sources
from dicetable.commands.phone_source import PhoneTable
from dicetable.commands.terminal_game import (
    CameraGame,
    PhotographGame,
    SimulatedTableGame,
    TerminalGame,
)
from dicetable.commands.usage import (
    CommandError,
    Commands,
    add_games_option,
    add_own_games,
    add_rules_options,
    chosen_rules,
    named_game,
    named_path,
    require,
)
from dicetable.config.gateway import WebSection, address
from dicetable.eye.in_process import InProcessEye
from dicetable.service.sockets import PolledSockets, installed, settings_of
from games.errors import RuleError
from games.house import SLIPS
from games.registry import GAMES, find
from hardware.attached import attached_cameras
from hardware.photograph import FolderCamera
from hardware.ports import SystemClock
from hardware.recordings import VideoCamera

SEATS = ("ann", "bob", "cleo")


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("play", help=text)
    parser.add_argument("game", metavar="GAME", help=", ".join(GAMES))
    add_games_option(parser)
    add_rules_options(parser)
    parser.add_argument(
        "--photos",
        type=named_path,
        metavar="DIR",
        help="folder of photographs of throws, used in the order of their names",
    )
    parser.add_argument(
        "--camera", metavar="SOURCE", help=f"the camera over your own dice: {sources.HELP.partition(';')[0]}"
    )
    parser.add_argument(
        "--friendly",
        action="store_true",
        help="with --camera: count dice however they came into the tray; default strict",
    )
    parser.add_argument(
        "--seats",
        nargs="+",
        metavar="NAME",
        help="the players; default: ann and bob, and cleo in a game for three",
    )
    parser.add_argument(
        "--house",
        nargs="+",
        default=(),
        choices=tuple(SLIPS),
        metavar="STRENGTH",
        help="the house plays too: a seat for each easy, medium or hard; you throw its dice",
    )
    parser.add_argument("--seed", type=int, metavar="S", help="seed of the simulated table and its players")
    parser.add_argument(
        "--web",
        action="store_true",
        help="also show the game in browsers of this network, and let phones play; needs a terminal",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plays until the game is over, there are no more photographs or the player quits."""
    if sys.stdin is None or sys.stdout is None:
        raise CommandError("dicetable play: standard input or output is closed: connect both")
    web_is_possible("play", args)
    add_own_games("play", args.games)
    named_game("play", args.game)
    args.house_rules = chosen_rules("play", args)
    seed = args.seed if args.seed is not None else secrets.randbelow(2**53)
    require("play", "--seed", seed, 0, 2**53)
    seats = args.seats or SEATS[: max(1, max(2, find(args.game).fewest_seats) - len(args.house))]
    if args.camera and args.photos:
        raise CommandError("dicetable play: --photos and --camera: name only one of them", 2)
    try:
        return (play_photographs if args.photos else play_under_camera if args.camera else play_simulated)(
            args, seats, seed
        )
    except RuleError as error:
        raise CommandError(f"dicetable play: --seats: {error}", 2) from None


def web_is_possible(command: str, args: argparse.Namespace) -> None:
    """Raises CommandError if `--web` is asked for and cannot be had."""
    if not args.web:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise CommandError(f"dicetable {command}: --web: {texts.gateway.NEEDS_TERMINAL}", 2)
    if not installed():
        raise CommandError(texts.gateway.NOT_INSTALLED)


def play_photographs(args: argparse.Namespace, seats: Sequence[str], seed: int) -> int:
    """Takes each photograph as one settled throw; 1 if there was none."""
    camera = FolderCamera(args.photos, SystemClock())
    camera.start()
    if camera.degraded:
        raise CommandError(f"dicetable play: {camera.degraded.what}: {camera.degraded.remedy}")
    game = PhotographGame(camera, sys.stdin.fileno() if sys.stdin.isatty() else None, sys.stdout)
    game.house_rules = args.house_rules
    game.open(args.game, seats, seed, house=args.house)
    code = play(game, web=args.web, games=str(args.games or ""))
    return code if game.album.shown else 1


def play_under_camera(args: argparse.Namespace, seats: Sequence[str], seed: int) -> int:
    """Watches the dice under a camera. Raises CommandError if no pictures come from it."""
    keyboard = sys.stdin.fileno() if sys.stdin.isatty() else None
    if keyboard is None and args.camera == sources.PHONE:
        raise CommandError(f"dicetable play: --camera {args.camera}: {texts.gateway.NEEDS_TERMINAL}", 2)
    games = str(args.games or "")
    source = sources.source_of("play", args.camera, SystemClock(), games, asks=not args.web)
    if source.folder is not None:
        args.photos = source.folder
        return play_photographs(args, seats, seed)
    if source.simulated:
        return play_simulated(args, seats, seed)
    if keyboard is None:
        raise CommandError(f"dicetable play: --camera {args.camera}: {texts.gateway.NEEDS_TERMINAL}", 2)
    if source.video is not None:
        source = sources.Source(VideoCamera(source.video, SystemClock()))
    try:
        source.check("play")
        eye = InProcessEye(source.live, SystemClock())
        viewed, strict = sys.stdout.isatty(), not args.friendly
        game = CameraGame(eye, keyboard, below(sys.stdout), viewed=viewed, strict=strict)
        game.table.filmed_by_phone = source.phone is not None
        game.house_rules = args.house_rules
        game.open(args.game, seats, seed, house=args.house)
        return play(game, web=args.web, games=games, phone=source.phone)
    finally:
        source.close()


def play_simulated(args: argparse.Namespace, seats: Sequence[str], seed: int) -> int:
    """Throws on the simulated table; at a terminal each throw waits for a press of OK."""
    keyboard = sys.stdin.fileno() if sys.stdin.isatty() else None
    viewed = keyboard is not None and sys.stdout.isatty()
    screen = below(sys.stdout) if viewed else sys.stdout
    game = SimulatedTableGame(seed % 2**32, keyboard, screen, viewed=viewed)
    game.house_rules = args.house_rules
    game.open(args.game, seats, seed, house=args.house)
    return play(game, web=args.web, games=str(args.games or ""))


def play(game: TerminalGame, *, web: bool, games: str = "", phone: PhoneTable | None = None) -> int:
    """Plays the game, also on a screen if requested; 1 if it cannot be shown. `games`: a folder of games.

    A phone that is the camera has brought a gateway, whose screen shows the game too.
    """
    if phone is not None:
        game.sockets = phone.sockets
        show_first(game, address(phone.web.listen)[1], phone.first_code)
    if not web or phone is not None:
        play_to_the_end(game)
        return 0
    section = WebSection(listen=phone_source.LISTEN, records="off")  # nothing of this game is stored
    try:
        game.sockets = PolledSockets(section, os.environ, needed=True)
    except OSError as error:
        raise CommandError(f"dicetable play: --web: {error.filename or ''} {error.strerror}") from None
    code = secrets.token_urlsafe(phone_source.CODE_BYTES)
    settings = replace(settings_of(section, os.environ), games=games, first_code=code)
    game.sockets.start_gateway(settings, quiet=True)
    show_first(game, address(section.listen)[1], code)
    try:
        play_to_the_end(game)
    finally:
        game.sockets.close()
    return 0


def play_to_the_end(game: TerminalGame) -> None:
    """Plays, and says how the game ended or stands, also after Ctrl-C."""
    try:
        why = game.play()
    except KeyboardInterrupt:
        game.ended(texts.panel.YOU_LEFT)
        raise
    game.ended(why)


def show_first(game: TerminalGame, port: int, code: str) -> None:
    """Lets phones play, and says where the pages are.

    Under a live camera the first page shows whether the camera will do; its code lets in a browser of another
    machine, or one outside of the container.
    """
    game.let_phones_play()
    lines = [texts.gateway.serving("localhost", port)]
    if isinstance(game, CameraGame):
        from dicetable.commands.camera_check import CameraCheck  # needs Linux, as all pages do

        clock = game.clock
        game.check = CameraCheck(game.watching, attached_cameras, lambda path: sources.usb(path, clock))
        game.sockets.kinds.update(game.check.kinds())
        lines.append(texts.first_page.look_first(f"http://localhost:{port}/start#{code}"))
    game.how_to_play = (*game.how_to_play, *lines)
