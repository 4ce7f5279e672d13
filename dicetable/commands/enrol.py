"""`dicetable enrol`: enrols the table's own dice, from pictures of each of their faces."""

import argparse
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from common import files, texts
from common.files import check_writable
from dicetable.commands.usage import CommandError, Commands, complain, named_path
from dicetable.config.camera import SimulatedCameraSection
from dicetable.config.drivers import camera_of
from dicetable.config.file import load
from dicetable.eye.enrolling import save_enrolled, shown
from dicetable.eye.stills import NoFramesError
from dicetable.eye.throwing import THROWS, thrown
from games.dice import EVERY_KIND, VALUES, Die, Kind, every_face
from hardware.photograph import ENDINGS, PhotographError, load_photograph
from hardware.ports import SystemClock
from vision.detection import PLAIN_SCORE
from vision.reader import DiceReader
from vision.reading import SAME_DIE_IOU, Box, Detection, inside, iou
from vision.recognition.enrolled import (
    NAMED,
    EnrolledDice,
    EnrolledDiceError,
    Gallery,
    Learned,
    Prototype,
    gallery_beside,
)
from vision.recognition.enrolment import likest_face

NAMING = "name it after the face that counts, such as d20-17.jpg or old red d20-17-b.jpg"
LOOKS_LIKE = 0.6
"""Similarity from which a picture is reported as most like another face."""
LEARNED = "learned"
"""Names all learned pictures."""
LEARNED_NAME = re.compile(r"\d+/d\d+-\d+", re.ASCII)


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("enrol", help=text, description=text)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "folder",
        nargs="?",
        type=named_path,
        metavar="DIR",
        help="photographs of one die each, several per face, named after the face: d20-17.jpg, d20-17-b.jpg",
    )
    source.add_argument(
        "--list",
        action="store_true",
        help="list the pictures in the file --out, and those that the table has learned since",
    )
    source.add_argument(
        "--forget",
        nargs="+",
        metavar="PICTURE",
        help="remove these pictures, as --list names them (3, or 1234/d20-17 for a learned one), or all that "
        "was learned (learned)",
    )
    source.add_argument(
        "--camera",
        type=named_path,
        metavar="CONFIG",
        help="show each face to the camera of this config instead",
    )
    parser.add_argument(
        "--kinds",
        nargs="+",
        choices=EVERY_KIND,
        metavar="KIND",
        help="with --camera: the kinds to enrol; default all",
    )
    parser.add_argument(
        "--name",
        metavar="NAME",
        help="with --camera: what these dice are called, such as old red, for statistics of their own",
    )
    parser.add_argument(
        "--throw",
        action="store_true",
        help=f"with --camera: throw the dice {THROWS} times instead; it asks only about those that it doubts",
    )
    parser.add_argument("--add", action="store_true", help="add to the pictures in the file --out")
    out = "the file of enrolled dice, for `read --dice` and the config's eye.dice"
    parser.add_argument("--out", type=named_path, required=True, metavar="FILE", help=out)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Enrols every die shown; 1 if one could not be enrolled or nothing could be saved."""
    if args.kinds and args.camera is None:
        raise CommandError("dicetable enrol: --kinds works only with --camera: photographs have names", 2)
    if args.throw and (args.camera is None or args.kinds):
        raise CommandError("dicetable enrol: --throw works only with --camera, and without --kinds", 2)
    if args.add and (args.list or args.forget):
        raise CommandError(
            "dicetable enrol: --add works only with new pictures, not with --list or --forget", 2
        )
    if args.list or args.forget:
        return list_pictures(args.out) if args.list else forget(args.out, args.forget)
    enrolment = Enrolment()
    try:
        if args.add:
            EnrolledDice.load(args.out)
        check_writable(args.out)
    except EnrolledDiceError as error:
        return enrolment.fails(error)
    except OSError as error:
        return enrolment.fails(f"--out {texts.health.not_written(error, args.out)}")
    if args.camera is None:
        enrol_photographs(args.folder, enrolment)
    else:
        with suppress(KeyboardInterrupt):
            kinds = () if args.throw else args.kinds or EVERY_KIND
            enrol_with_camera(args.camera, kinds, args.name or "", enrolment)
    return enrolment.save(args.out, add=args.add)


class MisnamedError(ValueError):
    """The file is not named after one face; the text says how to name it."""


class Enrolment:
    """The faces that were shown, and whether an error was reported."""

    def __init__(self) -> None:
        self.shown: list[tuple[Die, Prototype]] = []
        self.well = True

    def fails(self, why: object) -> int:
        complain(f"dicetable enrol: {why}")
        self.well = False
        return 1

    def save(self, out: Path, *, add: bool) -> int:
        """Saves all faces and prints which are missing; returns the exit code."""
        if not self.shown:
            return self.fails("no die was shown") if self.well else 1
        try:
            own = save_enrolled(out, self.shown, add=add)
        except OSError as error:
            return self.fails(f"--out {texts.health.not_written(error, out)}")
        shown = sorted(set(own.shows))
        print(texts.commands.enrolled(len(own.shows), len(shown), missing(shown)))
        return 0 if self.well else 1


def enrol_photographs(folder: Path, enrolment: Enrolment) -> None:
    try:
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        enrolment.fails(f"{folder}: {error.strerror}: name a folder of photographs")
        return
    reader = DiceReader()
    photographs = [path for path in paths if path.suffix.lower() in ENDINGS or NAMED.search(path.stem)]
    misnamed = 0
    for path in photographs:
        try:
            enrolment.shown.append(enrolled(path, reader))
        except ValueError as error:
            misnamed += isinstance(error, MisnamedError)
            enrolment.fails(f"{path}: {error}")
    if enrolment.shown:
        return
    if not photographs:
        enrolment.fails(f"{folder} has no photographs: put some in it, named like d20-17.jpg")
    elif misnamed == len(photographs):
        enrolment.fails(f"{folder}: none of its photographs was read, because none is named after a face")
    else:
        enrolment.fails(f"no die was found in the photographs of {folder}")


def enrolled(path: Path, reader: DiceReader) -> tuple[Die, Prototype]:
    """The face that the file is named after, as it looks. Raises ValueError if it shows no such face."""
    die = named_face(path.stem)
    if path.is_dir():
        raise ValueError("it is a folder: put its photographs beside the others")
    try:
        pixels = load_photograph(path).pixels
    except PhotographError as error:
        raise ValueError(str(error)) from error
    laid = the_one([candidate.detection for candidate in reader.recognize(pixels)], pixels.shape)
    for read in reader.read(pixels).dice:
        same = iou(read.box, inside(laid, pixels.shape)) >= SAME_DIE_IOU
        if same and read.sure and (read.kind, read.value) != die:
            raise ValueError(
                f"it shows the {read.value} of a {read.kind}: correct its name; if that is right, "
                "lay this face under the table's camera (--camera)"
            )
    return die, reader.prototype(pixels, laid)._replace(name=path.name)


def the_one(dice: Sequence[Detection], shape: tuple[int, ...]) -> Detection:
    """The one die of a photograph; beside it there may be dice that the border cuts.

    Raises ValueError if there is none, or are several.
    """
    if not dice:
        raise ValueError("no die is seen in it: photograph it from above, larger, in even light")
    plain = [die for die in dice if die.score >= PLAIN_SCORE]
    whole = [die for die in plain if not reaches_border(inside(die, shape), shape)]
    if len(plain) > 1 and len(whole) != 1:
        raise ValueError(
            f"{len(plain)} dice are seen in it: photograph one die at a time, on an empty, plain table"
        )
    return max(whole if len(plain) > 1 else dice, key=lambda die: die.score)


def reaches_border(box: Box, shape: tuple[int, ...]) -> bool:
    x, y, w, h = box
    return x <= 0 or y <= 0 or x + w >= shape[1] or y + h >= shape[0]


def named_face(stem: str) -> Die:
    """The face that a file is named after. Raises MisnamedError if there is not exactly one."""
    named = NAMED.findall(stem)
    if len(named) != 1:
        raise MisnamedError(NAMING)
    kind = next(kind for kind in EVERY_KIND if kind == named[0][0].lower())
    value = int(named[0][1])
    if value not in VALUES[kind]:
        raise MisnamedError(f"a {kind} has no face {value}: {NAMING}")
    return kind, value


def enrol_with_camera(config: Path, kinds: Sequence[Kind], name: str, enrolment: Enrolment) -> None:
    """Enrols every face of these dice, laid under the table's camera one by one, until Ctrl-C.

    Without kinds it enrols whatever is thrown.
    """
    section = load(config).camera
    if isinstance(section, SimulatedCameraSection):
        enrolment.fails(f"{config}: a simulated camera sees no real dice: name a folder of photographs")
        return
    camera = camera_of(section, SystemClock())
    camera.start()
    taken = (
        shown(camera, DiceReader(), every_face(kinds), say)
        if kinds
        else thrown(camera, DiceReader(), ask, say)
    )
    try:
        for die, face in taken:
            kind, value = die
            enrolment.shown.append((die, face._replace(name=f"{name} {kind}-{value}" if name else "")))
    except NoFramesError as error:
        enrolment.fails(error)
    finally:
        camera.stop()


def say(text: str) -> None:
    print(text, flush=True)


def ask(number: int, count: int) -> Die | None:
    """What a doubtful die shows, as it is typed; None for Enter alone."""
    say(texts.commands.what_does_it_show(number, count))
    while typed := sys.stdin.readline().strip():
        with suppress(ValueError):
            return named_face(typed)
        say(texts.commands.TYPE_THE_FACE)
    return None


def missing(faces: list[Die]) -> str:
    """The faces of these kinds that are missing, in words."""
    lacking = [
        f"{kind} {', '.join(str(v) for v in absent)}"
        for kind in EVERY_KIND
        if any(k == kind for k, _ in faces)
        and (absent := [v for v in VALUES[kind] if (kind, v) not in faces])
    ]
    return texts.commands.not_shown("; ".join(lacking)) if lacking else texts.commands.EVERY_FACE


def name_of(picture: Learned) -> str:
    """The name of a learned picture: the ledger's row of its throw, and its face, such as `1234/d20-17`."""
    kind, value = picture.die
    return f"{picture.origin.row}/{kind}-{value}"


def list_pictures(out: Path) -> int:
    """Lists the pictures, and which of them look like another face; returns the exit code."""
    try:
        own = EnrolledDice.load(out)
        gallery = Gallery.load(gallery_beside(out)).without(lambda picture: picture.die not in own.shows)
    except EnrolledDiceError as error:
        raise CommandError(f"dicetable enrol: {error}") from None
    everything = gallery.joined_to(own)
    names = list(own.names or [""] * len(own.shows))
    for number, (kind, value) in enumerate(everything.shows):
        if number < len(own.shows):
            line = f"{number + 1:4}  {kind:3} {value:2}  {names[number]}"
        else:
            picture = gallery.pictures[number - len(own.shows)]
            how = "confirmed by another seat" if picture.origin.confirmed else "read for sure"
            line = f"{name_of(picture)}  learned on {picture.origin.date}, {how}"
        print((line + suspicion(number, everything)).rstrip())
    return 0


def suspicion(number: int, everything: EnrolledDice) -> str:
    """The remark on a picture that looks like another face than its own; empty for any other."""
    if len(everything.shows) == 1:
        return ""
    (kind, value), alike = likest_face(number, everything)
    if alike < LOOKS_LIKE or (kind, value) == everything.shows[number]:
        return ""
    return f"  looks like the {value} of a {kind}: is it the right face?"


def forget(out: Path, names: Sequence[str]) -> int:
    """Removes pictures, enrolled or learned; returns the exit code."""
    numbers = {int(name) for name in names if name.isascii() and name.isdigit()}
    throws = {name for name in names if LEARNED_NAME.fullmatch(name)}
    meant = {str(number) for number in numbers} | throws | {LEARNED}
    if odd := [name for name in names if name not in meant]:
        raise CommandError(
            f"dicetable enrol: --forget {odd[0]}: name a picture as --list does, such as 3 or 1234/d20-17",
            2,
        )
    try:
        print(remove(out, numbers, throws, everything=LEARNED in names))
    except EnrolledDiceError as error:
        raise CommandError(f"dicetable enrol: {error}") from None
    except OSError as error:
        raise CommandError(f"dicetable enrol: --out {texts.health.not_written(error, out)}") from None
    return 0


def remove(out: Path, numbers: set[int], throws: set[str], *, everything: bool) -> str:
    """Removes enrolled pictures by number, and learned ones by name or all; returns what is left, in words.

    Raises EnrolledDiceError, with nothing removed, if one is unknown or none would be left.
    """
    learned_file = gallery_beside(out)
    own = EnrolledDice.load(out)
    gallery = Gallery() if everything else Gallery.load(learned_file)
    unknown = [str(number) for number in sorted(numbers) if not 1 <= number <= len(own.shows)]
    unknown += [] if everything else sorted(throws - {name_of(picture) for picture in gallery.pictures})
    if unknown:
        raise EnrolledDiceError(f"{out} has no picture {unknown[0]}: see --list")
    places = [i for i in range(len(own.shows)) if i + 1 not in numbers]
    if not places:
        raise EnrolledDiceError(f"no picture would be left: delete {out} instead")
    left = gallery.without(lambda picture: name_of(picture) in throws)
    if everything:
        learned_file.unlink(missing_ok=True)
    elif left is not gallery:
        files.atomic_write(learned_file, left.packed())
    if numbers:
        files.atomic_write(out, own.only(places).packed())
    gone = len(numbers) + len(gallery.pictures) - len(left.pictures)
    done = ["everything that was learned is forgotten"] if everything else []
    if gone:
        done.append(f"{gone} picture{'' if gone == 1 else 's'} forgotten, {len(places)} left")
    return "; ".join(done)
