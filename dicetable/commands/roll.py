"""`dicetable roll`: throws without a game, read from any camera."""

import argparse
import secrets
import sys
from pathlib import Path

from common.texts.plain import below
from dicetable.commands import sources
from dicetable.commands.play import play, web_is_possible
from dicetable.commands.roll_game import (
    CameraRolls,
    PhotographedRolls,
    RecordedRolls,
    Rolling,
    RollSettings,
    SimulatedRolls,
)
from dicetable.commands.usage import CommandError, Commands, data_folder, named_path
from dicetable.eye.in_process import InProcessEye
from dicetable.service.healing_ledger import HealingLedger
from games import formula
from games.errors import BadOption
from hardware.photograph import FolderCamera
from hardware.ports import SystemClock
from hardware.recordings import Recording, RecordingError
from vision.observer import Observer
from vision.recognition.enrolled import EnrolledDice, EnrolledDiceError, with_learned


def add_parser(subparsers: Commands, text: str) -> None:
    description = (
        "throw your own dice in front of any camera: it reads each throw and adds it up, until Ctrl-C"
    )
    parser = subparsers.add_parser("roll", help=text, description=description)
    parser.add_argument("--camera", metavar="SOURCE", help=sources.HELP)
    parser.add_argument(
        "--expect",
        metavar="FORMULA",
        help=f"the dice to throw and what they make, {formula.EXAMPLES}; other dice have to be thrown again",
    )
    parser.add_argument(
        "--friendly", action="store_true", help="count dice however they came into the tray; default strict"
    )
    parser.add_argument(
        "--dice", type=named_path, metavar="FILE", help="your own dice, a file made by `dicetable enrol`"
    )
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each throw")
    parser.add_argument(
        "--web", action="store_true", help="show the rolls in a browser too; needs a terminal"
    )
    parser.add_argument(
        "--ledger",
        type=named_path,
        metavar="FOLDER",
        help="keep the rolls in this folder; default for a live camera: your own data folder",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Rolls until Ctrl-C, or until the video or the photographs end."""
    if args.expect is not None:
        try:
            formula.parse(args.expect)
        except BadOption as error:
            raise CommandError(f"dicetable roll: --expect {args.expect!r}: {error}", 2) from None
    web_is_possible("roll", args)
    try:
        own = with_learned(args.dice) if args.dice else None
    except EnrolledDiceError as error:
        raise CommandError(f"dicetable roll: --dice {error}") from None
    source = sources.source_of("roll", args.camera, SystemClock(), asks=not args.web)
    ledger = None
    try:
        ledger = opened(args.ledger or (data_folder() if source.camera else None))
        game = game_of(args, source, own, ledger)
        return rolled(game, args, source)
    finally:
        source.close()
        if ledger is not None:
            ledger.close()


def opened(folder: Path | None) -> HealingLedger | None:
    """The ledger in that folder, which is made if need be. Raises CommandError if it cannot be used."""
    if folder is None:
        return None
    ledger = HealingLedger(folder, lambda: None)
    ledger.open(0.0)
    if ledger.degraded is not None:
        raise CommandError(f"dicetable roll: --ledger {folder}: {ledger.degraded}")
    return ledger


def game_of(
    args: argparse.Namespace, source: sources.Source, own: EnrolledDice | None, ledger: HealingLedger | None
) -> Rolling:
    """The rolls from that source. Raises CommandError if no pictures come from it."""
    typed = sys.stdin is not None and sys.stdin.isatty()
    keyboard = sys.stdin.fileno() if typed else None
    screen = below(sys.stderr if args.json else sys.stdout)
    live = source.video is None and source.folder is None
    settings = RollSettings(
        formula=args.expect,
        as_json=args.json,
        asks=live and (typed or source.camera is None),
        strict=not args.friendly and source.folder is None,
        # Lines of JSON would be written across the tray.
        viewed=typed and screen.isatty() and not (args.json and sys.stdout.isatty()),
        ledger=ledger,
    )
    if source.folder is not None:
        folder = FolderCamera(source.folder, SystemClock())
        folder.start()
        if folder.degraded is not None:
            raise CommandError(f"dicetable roll: {folder.degraded.what}: {folder.degraded.remedy}")
        return PhotographedRolls(settings, folder, own, screen)
    if source.video is not None:
        try:
            recording = Recording(source.video)
        except RecordingError as error:
            raise CommandError(f"dicetable roll: {source.video}: {error}") from None
        return RecordedRolls(settings, recording, Observer(enrolled=own), screen)
    if source.camera is None:
        if own is not None:
            raise CommandError("dicetable roll: --dice: simulated dice are the table's own: leave it out", 2)
        return SimulatedRolls(settings, secrets.randbelow(2**32), keyboard, screen)
    source.check("roll")
    eye = InProcessEye(source.camera, SystemClock(), Observer(enrolled=own))
    return CameraRolls(settings, eye, keyboard, screen)


def rolled(game: Rolling, args: argparse.Namespace, source: sources.Source) -> int:
    """Rolls to the end, and says what was rolled; 1 if a file could not be read to its end."""
    try:
        game.table.filmed_by_phone = source.phone is not None
        game.begin(secrets.randbelow(2**53))
        play(game, web=args.web, phone=source.phone)
    finally:
        game.say(game.teller.summary())
    if isinstance(game, RecordedRolls) and game.recording.cut_off:
        watched = f"after {game.recording.end_s:.1f} of {game.recording.promised_s:.1f} seconds"
        raise CommandError(f"dicetable roll: {game.recording.path}: it breaks off {watched}: copy it again")
    return 1 if isinstance(game, PhotographedRolls) and game.failed else 0
