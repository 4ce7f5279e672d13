"""`dicetable watch`: judges the throws in a recording by the strict rules."""

import argparse
import json
from contextlib import closing, nullcontext
from typing import Any

from common import texts
from dicetable.commands.umpire import AnnotatedVideo, JudgedThrow, Umpire, Word
from dicetable.commands.usage import CommandError, Commands, named_path
from dicetable.config.file import load
from dicetable.eye.rig import CalibrationError, load_calibration
from hardware.recordings import USUAL_RATE, Recording, RecordingError
from vision.nets import load_nets
from vision.observer import Observer
from vision.reader import DiceReader
from vision.reading import Reason, Settled
from vision.recognition.enrolled import EnrolledDiceError, with_learned


def add_parser(subparsers: Commands, text: str) -> None:
    description = (
        "judge the throws in a video of the tray by the strict rules, as fast as this machine allows"
    )
    parser = subparsers.add_parser("watch", help=text, description=description)
    parser.add_argument(
        "video", type=named_path, metavar="VIDEO", help="a recording, for example from a phone"
    )
    parser.add_argument(
        "--fps", type=float, metavar="N", help="watch N frames a second and leave the others out; default all"
    )
    parser.add_argument(
        "--from",
        dest="from_s",
        type=float,
        default=0.0,
        metavar="S",
        help="begin S seconds into the video; default %(default)g",
    )
    parser.add_argument(
        "--json", action="store_true", help="print a line of JSON each time the tray lies still"
    )
    parser.add_argument(
        "--annotate",
        type=named_path,
        metavar="OUT.mp4",
        help="write the video with dice, arrivals and verdicts drawn in; .mp4, .mkv or .avi",
    )
    parser.add_argument(
        "--config",
        type=named_path,
        metavar="FILE",
        help="use the calibration, the dice and the models of this table; without it, watch any tray",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 if all of the video was watched, 1 if it could not be.

    If the tray never settled, one last line has the reason.
    """
    for option, value, low, high in (
        ("--fps", USUAL_RATE if args.fps is None else args.fps, 1.0, 240.0),
        ("--from", args.from_s, 0.0, 86_400.0),
    ):
        if not low <= value <= high:
            raise CommandError(f"dicetable watch: {option} {value:g}: must be from {low:g} to {high:g}", 2)
    try:
        recording = Recording(args.video, args.fps or USUAL_RATE)
    except RecordingError as error:
        raise CommandError(f"dicetable watch: {args.video}: {error}") from None
    try:
        drawn = AnnotatedVideo(args.annotate, args.video, recording.rate) if args.annotate else None
    except RecordingError as error:
        raise CommandError(f"dicetable watch: --annotate {args.annotate}: {error}") from None
    try:
        observer = observer_of(args)
    except (CalibrationError, EnrolledDiceError) as error:
        raise CommandError(f"dicetable watch: --config {args.config}: {error}") from None
    try:
        with closing(drawn) if drawn else nullcontext():
            unsettled = watch(recording, observer, args, drawn)
    except RecordingError as error:
        raise CommandError(f"dicetable watch: --annotate {args.annotate}: {error}") from None
    watched = f"after {recording.end_s:.1f} of {recording.promised_s:.1f} seconds"
    if recording.cut_off:
        raise CommandError(f"dicetable watch: {args.video}: it breaks off {watched}: copy it again")
    if args.from_s > recording.end_s:
        raise CommandError(
            f"dicetable watch: --from {args.from_s:g}: the video ends at {recording.end_s:.1f} seconds"
        )
    if unsettled is not None:
        print(line_of(unsettled, as_json=args.json), flush=True)
    return 0


def observer_of(args: argparse.Namespace) -> Observer:
    """The table's observer, with all that a configured table knows of its tray and dice."""
    if args.config is None:
        return Observer()
    config = load(args.config)
    calibration = load_calibration(config.ledger.calibration)
    own = with_learned(config.eye.dice) if config.eye.dice else None
    reader = DiceReader(load_nets(config.eye.models))
    tray, background = (calibration.tray, calibration.background) if calibration else (None, None)
    return Observer(tray, background, own, reader=reader)


def watch(
    recording: Recording, observer: Observer, args: argparse.Namespace, drawn: Any
) -> JudgedThrow | None:
    """Prints a line each time the tray settles; returns why it never did, None if it did."""
    umpire = Umpire()
    settled = False
    reason: Reason | None = None
    last_s = args.from_s
    for time_s, pixels in recording.frames(args.from_s, args.fps):
        observed = observer.observe(pixels, time_s)
        verdict, last_s = None, time_s
        if isinstance(observed, Settled):
            verdict, settled = umpire.settled(observed), True
            print(line_of(verdict, as_json=args.json), flush=True)
        elif observed is not None:
            umpire.unsettled(observed.reason)
            reason = observed.reason
        if drawn is not None:
            drawn.add(pixels, time_s, observed, verdict, observer.motion)
    if settled:
        return None
    return JudgedThrow(last_s, Word.UNREAD, texts.throws.NEVER_SETTLED[reason or ""], ())


def line_of(verdict: JudgedThrow, *, as_json: bool) -> str:
    if as_json:
        every = [
            {
                "kind": die.kind,
                "value": die.value,
                "sure": die.sure,
                "doubt": die.doubt,
                "box": list(die.box),
                "arrival": arrival,
            }
            for die, arrival in verdict.dice
        ]
        time_s = round(verdict.time_s, 3)
        line = {"time_s": time_s, "verdict": verdict.word, "reason": verdict.reason, "dice": every}
        return json.dumps(line)
    words = texts.commands
    dice = ", ".join(
        f"{die.kind or words.A_DIE}:{'' if die.value is None else die.value}{'' if die.sure else '?'} "
        f"{words.ARRIVALS[arrival]}"
        for die, arrival in verdict.dice
    )
    why = f"  ({verdict.reason})" if verdict.reason else ""
    return f"{verdict.time_s:8.2f} s  {words.VERDICTS[verdict.word]:7}  {dice or words.NO_DICE}{why}"
