"""`dicetable record`: records the table's camera, for `dicetable watch` and for bug reports."""

import argparse

from common import texts
from dicetable.commands.usage import (
    INSTALLED,
    CommandError,
    Commands,
    add_config_option,
    named_path,
    require,
)
from dicetable.config.drivers import camera_of
from dicetable.config.file import LAPTOP, load
from hardware.ports import Camera, Clock, SystemClock
from hardware.recordings import RecordingError, RecordingWriter

LONGEST_S = 600
FIRST_S = 10.0
"""A camera that gives no frame for so long does not work."""
GAP_S = 2.0
"""A camera that stops for so long while it records has failed."""
SILENT = "the camera gives no frames: replug it, and stop the table if it runs"


def add_parser(subparsers: Commands, text: str) -> None:
    description = "record the table's camera with all its frames and their times; stop the table first"
    parser = subparsers.add_parser("record", help=text, description=description)
    parser.add_argument("seconds", type=int, metavar="SECONDS", help=f"how long, 1 to {LONGEST_S}")
    parser.add_argument("--out", required=True, type=named_path, metavar="FILE", help="a new file, .mkv")
    add_config_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 if all of it was recorded, 1 if not."""
    require(args.command, "SECONDS", args.seconds, 1, LONGEST_S)
    used = args.config or (INSTALLED if INSTALLED.exists() else None)
    config = load(used) if used else LAPTOP
    clock = SystemClock()
    camera = camera_of(config.camera, clock)
    camera.start()
    try:
        return record(args, camera, clock)
    except RecordingError as error:
        raise CommandError(f"dicetable record: --out {args.out}: {error}") from None
    finally:
        camera.stop()


def record(args: argparse.Namespace, camera: Camera, clock: Clock) -> int:
    """Records until the time is over; what was recorded stays, also after Ctrl-C."""
    writer: RecordingWriter | None = None
    first_s = newest_s = 0.0
    count = 0
    until_s = clock.now_s() + FIRST_S
    try:
        while newest_s - first_s < args.seconds and clock.now_s() < until_s:
            frame = camera.frame(0.25)
            if frame is not None:
                height, width = frame.pixels.shape[:2]
                if writer is None:
                    writer, first_s = RecordingWriter(args.out, width, height), frame.time_s
                writer.write(frame.pixels, frame.time_s)
                newest_s, count, until_s = frame.time_s, count + 1, clock.now_s() + GAP_S
            elif camera.degraded is not None:
                break
    finally:
        if writer is not None:
            writer.close()
    took_s = newest_s - first_s
    if count:
        rate = (count - 1) / took_s if took_s else 0.0
        print(texts.commands.recorded(str(args.out), count, took_s, rate))
    if took_s >= args.seconds:
        return 0
    why = camera.degraded
    raise CommandError(f"dicetable record: {f'{why.what}: {why.remedy}' if why else SILENT}")
