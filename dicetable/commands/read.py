"""`dicetable read`: reads dice in photographs."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dicetable import texts
from dicetable.commands.complaint import complain
from dicetable.commands.usage import named_path
from dicetable.texts.plain import plain

if TYPE_CHECKING:
    import argparse

    from dicetable.__main__ import Commands
    from hardware.photograph import Photograph
    from vision.reader import DiceReader
    from vision.reading import DieReading, Image, Reading
    from vision.recognition.enrolled import EnrolledDice


def add_parser(subparsers: Commands) -> None:
    """Adds the command to the command line."""
    kinds = "JPEG, HEIC, PNG, WebP, TIFF, BMP, PNM, GIF, JPEG 2000 or AVIF"
    text = f"read dice in photographs: {kinds}, of at most 100 megapixels"
    parser = subparsers.add_parser("read", help="read dice in photographs", description=text)
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
    from dicetable.commands.drawings import DrawingError, Drawings
    from hardware.photograph import PhotographError, load_photograph
    from vision.reader import DiceReader
    from vision.recognition.enrolled import EnrolledDiceError, with_learned

    if args.tray_mm is not None and not 10 <= args.tray_mm <= 10_000:
        complain(f"dicetable read: --tray-mm {args.tray_mm:g}: must be 10 to 10000 mm")
        return 2
    try:
        empty = load_photograph(args.empty).pixels if args.empty else None
        own = with_learned(args.dice) if args.dice else None
        drawings = Drawings(args.annotate, given(args)) if args.annotate else None
    except PhotographError as error:
        complain(f"dicetable read: --empty {args.empty}: {error}")
        return 1
    except EnrolledDiceError as error:
        complain(f"dicetable read: --dice {error}")
        return 1
    except DrawingError as error:
        complain(f"dicetable read: --annotate {error}")
        return 1
    reader = DiceReader()
    code = 0
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
    from hardware.photograph import PhotographError, load_photograph

    if not name:
        raise PhotographError("no photograph is named")
    return load_photograph(Path(name))


def given(args: argparse.Namespace) -> list[Path]:
    """Every file that will be read."""
    return [Path(name) for name in (*args.images, args.empty, args.dice) if name]


def read_one(
    reader: DiceReader,
    args: argparse.Namespace,
    name: str,
    photograph: Photograph,
    empty: Image | None,
    own: EnrolledDice | None,
) -> Reading:
    """Reads one decoded photograph and prints the dice in it."""
    from vision.motion.background import matched
    from vision.tray.camera import SceneWidth

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
    }


def in_words(reading: Reading) -> str:
    """A line such as `d6:4, d6:1; doubtful: d6:3?, d20:17? (none of your dice)`."""
    sure = ", ".join(f"{die.kind}:{die.value}" for die in reading.dice if die.sure)
    doubtful = ", ".join(doubt_in_words(die) for die in reading.dice if not die.sure)
    return "; doubtful: ".join(
        part for part in (sure or ("no dice" if not doubtful else "nothing sure"), doubtful) if part
    )


def doubt_in_words(die: DieReading) -> str:
    """A text such as `d6:3? (it is hard to read)`, `d6? (…)` or `die? (…)`."""
    guess = f"{die.kind or 'die'}{f':{die.value}' if die.value else ''}?"
    return f"{guess} ({texts.throws.DOUBTS[die.doubt]})" if die.doubt else guess
