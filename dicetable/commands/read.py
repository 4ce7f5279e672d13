"""`dicetable read`: reads dice in photographs, and draws the readings.

A drawing contains a marker that identifies it, so that only drawings are overwritten the next time.
"""

import argparse
import json
import time
import zlib
from collections.abc import Iterable
from itertools import chain, count
from pathlib import Path
from typing import Any

import cv2

from common import files, texts
from common.texts.plain import plain
from dicetable.commands.usage import CommandError, Commands, complain, named_path
from hardware.photograph import Photograph, PhotographError, load_photograph
from vision.annotate import annotate
from vision.motion.background import matched
from vision.reader import DiceReader
from vision.reading import DieReading, Image, Reading
from vision.recognition.enrolled import EnrolledDice, EnrolledDiceError, with_learned
from vision.tray.camera import SceneWidth

HEADER_BYTES = 33
"""The start of every PNG: its signature, and the chunk with its size."""
MARKER = b"Software\0dicetable read --annotate"
SIGNED = len(MARKER).to_bytes(4) + b"tEXt" + MARKER + zlib.crc32(b"tEXt" + MARKER).to_bytes(4)
"""The PNG chunk that follows a drawing's header."""


def add_parser(subparsers: Commands, text: str) -> None:
    kinds = "JPEG, HEIC, PNG, WebP, TIFF, BMP, PNM, GIF, JPEG 2000 or AVIF"
    description = f"read dice in photographs: {kinds}, of at most 100 megapixels"
    parser = subparsers.add_parser("read", help=text, description=description)
    parser.add_argument(
        "images", nargs="+", metavar="IMAGE", help="a photograph of dice, best taken from straight above"
    )
    parser.add_argument(
        "--empty", type=named_path, metavar="IMAGE", help="a photograph of the same tray without dice"
    )
    parser.add_argument(
        "--tray-mm",
        type=float,
        metavar="WIDTH",
        help="width of the whole picture at the level of the tray, in millimetres",
    )
    parser.add_argument(
        "--dice", type=named_path, metavar="FILE", help="your own dice, a file made by `dicetable enrol`"
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON per image")
    parser.add_argument(
        "--annotate", type=named_path, metavar="DIR", help="folder for pictures with the reading drawn in"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Reads every image that can be read; 1 if any could not."""
    if args.tray_mm is not None and not 10 <= args.tray_mm <= 10_000:
        raise CommandError(f"dicetable read: --tray-mm {args.tray_mm:g}: must be 10 to 10000 mm", 2)
    try:
        empty = load_photograph(args.empty).pixels if args.empty else None
        own = with_learned(args.dice) if args.dice else None
        inputs = [Path(name) for name in (*args.images, args.empty, args.dice) if name]
        drawings = Drawings(args.annotate, inputs) if args.annotate else None
    except PhotographError as error:
        raise CommandError(f"dicetable read: --empty {args.empty}: {error}") from None
    except EnrolledDiceError as error:
        raise CommandError(f"dicetable read: --dice {error}") from None
    except DrawingError as error:
        raise CommandError(f"dicetable read: --annotate {error}") from None
    reader = DiceReader()
    code = 0
    # An image that can't be read is said at once, and the others are read all the same.
    for name in args.images:
        try:
            photograph = load(name)
        except PhotographError as error:
            code = 1
            complain(f"dicetable read: {name or repr(name)}: {error}")
            if args.json:
                print(json.dumps({"image": name, "error": str(error)}), flush=True)
            continue
        reading = read_one(reader, args, name, photograph, empty, own)
        try:
            if drawings:
                drawings.draw(Path(name), photograph.pixels, reading)
        except DrawingError as error:
            code = 1
            complain(f"dicetable read: --annotate {error}")
    return code


def load(name: str) -> Photograph:
    """The photograph of this name. Raises PhotographError if it cannot be read or is not one."""
    if not name:
        raise PhotographError("no photograph is named")
    return load_photograph(Path(name))


def read_one(
    reader: DiceReader,
    args: argparse.Namespace,
    name: str,
    photograph: Photograph,
    empty: Image | None,
    own: EnrolledDice | None,
) -> Reading:
    started = time.perf_counter()
    background = None if empty is None else matched(photograph.pixels, empty)
    width = None if args.tray_mm is None else SceneWidth(args.tray_mm)
    reading = reader.read(photograph.pixels, width, background, own)
    spent_ms = 1000 * (time.perf_counter() - started)
    if args.json:
        dice = [die_json(die, photograph.scale) for die in reading.dice]
        print(json.dumps({"image": name, "ms": round(spent_ms, 1), "dice": dice}), flush=True)
    else:
        print(plain(f"{name}: {in_words(reading)}"), flush=True)
    return reading


def die_json(die: DieReading, scale: int) -> dict[str, Any]:
    """A die as in the JSON line, in pixels of the file."""
    return {
        "kind": die.kind,
        "value": die.value,
        "confidence": round(die.confidence, 3),
        "sure": die.sure,
        "box": [scale * side for side in die.box],
        "cocked": die.cocked,
        "doubt": die.doubt,
        "position_mm": None if die.position_mm is None else [round(mm, 1) for mm in die.position_mm],
        "tilt_deg": None if die.tilt_deg is None else round(die.tilt_deg, 1),
        "tilt_error_deg": None if die.tilt_error_deg is None else round(die.tilt_error_deg, 1),
    }


def in_words(reading: Reading) -> str:
    """A line such as `d6:4, d6:1; doubtful: d6:3?, d20:17? (none of your dice)`."""
    sure = ", ".join(f"{die.kind}:{die.value}" for die in reading.dice if die.sure)
    doubtful = ", ".join(
        f"{die.kind or texts.commands.A_DIE}{'' if die.value is None else f':{die.value}'}?"
        + (f" ({texts.throws.DOUBTS[die.doubt]})" if die.doubt else "")
        for die in reading.dice
        if not die.sure
    )
    return texts.commands.read(sure, doubtful)


class DrawingError(Exception):
    """The reading cannot be drawn there; the text says where, why and what to do."""


class Drawings:
    """Draws into a folder, in files named after the photographs; never over `inputs` or one of this run."""

    def __init__(self, folder: Path, inputs: Iterable[Path]) -> None:
        self.folder = folder
        self.kept = list(inputs)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise DrawingError(f"{folder}: it is a file: name a folder for the pictures") from None
        except OSError as error:
            raise DrawingError(texts.health.folder_not_made(error, folder)) from None

    def draw(self, photograph: Path, pixels: Image, reading: Reading) -> None:
        """Draws a reading of the photograph's pixels. Raises DrawingError if it cannot be written."""
        target = self.free(photograph.stem)
        self.kept.append(target)
        _, png = cv2.imencode(".png", annotate(pixels, reading))
        try:
            files.atomic_write(target, png[:HEADER_BYTES].tobytes() + SIGNED + png[HEADER_BYTES:].tobytes())
        except OSError as error:
            raise DrawingError(texts.health.not_written(error, target)) from None

    def free(self, stem: str) -> Path:
        """The first of stem.png, stem-2.png, stem-3.png … that is free or an earlier drawing."""
        names = chain([f"{stem}.png"], (f"{stem}-{number}.png" for number in count(2)))
        return next(
            target
            for target in (self.folder / name for name in names)
            if not any(same_file(target, taken) for taken in self.kept) and not is_strange(target)
        )


def is_strange(path: Path) -> bool:
    """Whether a file exists that is not a drawing."""
    try:
        with path.open("rb") as file:
            return SIGNED not in file.read(HEADER_BYTES + len(SIGNED))
    except FileNotFoundError:
        return False
    except OSError:
        return path.is_file()


def same_file(first: Path, second: Path) -> bool:
    """Whether both paths lead to the same file, existing or not, through any links."""
    try:
        return first.samefile(second)
    except OSError:
        return first.resolve() == second.resolve()
