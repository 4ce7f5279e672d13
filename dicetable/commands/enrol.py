"""`dicetable enrol`: makes the table's own dice known, from pictures of each of their faces."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from dicetable.commands.usage import named_path
from games.dice import FACES, KINDS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from dicetable.__main__ import Commands
    from games.dice import Die, Kind
    from vision.own_dice import Prototype

NAMED = re.compile(r"(d4|d6|d8|d10|d12|d20)-(\d{1,2})(?!\d)", re.IGNORECASE)
NAMING = "name it after the face that counts, such as d20-17.jpg or d20-17-b.jpg"


def add_parser(subparsers: Commands) -> None:
    """Adds the command to the command line."""
    text = "make your own dice known, from photographs of their faces or under the table's camera"
    parser = subparsers.add_parser("enrol", help=text, description=text)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "folder",
        nargs="?",
        type=named_path,
        metavar="DIR",
        help="photographs of one die each, some of every face, named after it: d20-17.jpg, d20-17-b.jpg",
    )
    source.add_argument(
        "--camera",
        type=named_path,
        metavar="CONFIG",
        help="lay each face under the camera of this config instead",
    )
    parser.add_argument(
        "--kinds",
        nargs="+",
        choices=KINDS,
        metavar="KIND",
        help="with --camera: the dice to show; default all",
    )
    out = "where the dice are kept, for `read --dice` and the config's eye.dice"
    parser.add_argument("--out", type=named_path, required=True, metavar="FILE", help=out)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Enrols what shows a die; 1 if something did not or nothing could be kept."""
    if args.kinds and args.camera is None:
        print("dicetable enrol: --kinds is for --camera: photographs have names", file=sys.stderr)
        return 2
    found = Found()
    try:
        if args.camera is None:
            photographed(args.folder, found)
        else:
            under_the_camera(args.camera, args.kinds or KINDS, found)
    except KeyboardInterrupt:
        print()
    return found.kept(args.out)


class Found:
    """The faces that were shown, how they look, and whether all went well."""

    def __init__(self) -> None:
        self.shown: list[tuple[Die, Prototype]] = []
        self.well = True

    def add(self, die: Die, face: Prototype) -> None:
        """One more."""
        self.shown.append((die, face))

    def fails(self, why: object) -> None:
        """Something could not be enrolled."""
        print(f"dicetable enrol: {why}", file=sys.stderr)
        self.well = False

    def kept(self, out: Path) -> int:
        """Writes all of them and says which faces are lacking; the exit code."""
        from vision.own_dice import OwnDice

        if not self.shown:
            if self.well:
                self.fails("no die was shown")
            return 1
        try:
            OwnDice.of(self.shown).save(out)
        except OSError as error:
            self.fails(f"--out {out}: {error.strerror}")
            return 1
        shown = sorted({die for die, _ in self.shown})
        print(f"{len(self.shown)} pictures of {len(shown)} faces: {missing(shown)}")
        return 0 if self.well else 1


def photographed(folder: Path, found: Found) -> None:
    """Every photograph in the folder."""
    if not folder.is_dir():
        found.fails(f"{folder}: name a folder of photographs")
        return
    for path in sorted(folder.iterdir()):
        if not is_meant(path):
            continue
        try:
            found.add(*enrolled(path))
        except ValueError as error:
            found.fails(f"{path}: {error}")
    if not found.shown:
        found.fails(f"no die was found in the photographs of {folder}")


def is_meant(path: Path) -> bool:
    """Whether it is a photograph by its name, of any kind, and no system's hidden file."""
    from hardware.photograph import ENDINGS

    return not path.name.startswith(".") and bool(path.suffix.lower() in ENDINGS or NAMED.search(path.stem))


def enrolled(path: Path) -> tuple[Die, Prototype]:
    """The face that the file's name tells, and how it looks. Raises ValueError where there is none."""
    from hardware.photograph import PhotographError, load_photograph
    from vision.candidates import PLAIN
    from vision.enrolment import prototype
    from vision.finder import find
    from vision.finds import inside
    from vision.markers import is_marker

    named = NAMED.search(path.stem)
    kind = next((kind for kind in KINDS if named and kind == named[1].lower()), None)
    if named is None or kind is None:
        raise ValueError(NAMING)
    value = int(named[2])
    if not 1 <= value <= FACES[kind]:
        raise ValueError(f"a {kind} has no face {value}: {NAMING}")
    try:
        pixels = load_photograph(path).pixels
    except PhotographError as error:
        raise ValueError(str(error)) from error
    places = [place for place in find(pixels) if not is_marker(pixels, inside(place, pixels.shape))]
    if not places:
        raise ValueError("no die is seen in it: photograph it from above, larger, in even light")
    if (plain := sum(place.score >= PLAIN for place in places)) > 1:
        raise ValueError(
            f"{plain} dice are seen in it: photograph one die at a time, on an empty, plain table"
        )
    return (kind, value), prototype(pixels, places[0])


def under_the_camera(config: Path, kinds: Sequence[Kind], found: Found) -> None:
    """Every face of these dice, as somebody lays it under the table's camera; Ctrl-C ends it before."""
    from dicetable.config.file import load
    from dicetable.config.mistakes import ConfigError
    from dicetable.parts import camera_of
    from dicetable.showing import NoFramesError, faces_of, shown
    from hardware.system_clock import SystemClock

    try:
        camera = camera_of(load(config).camera, SystemClock())
    except ConfigError as error:
        found.fails(error)
        return
    camera.start()
    try:
        for die, face in shown(camera, faces_of(kinds), lambda text: print(text, flush=True)):
            found.add(die, face)
    except NoFramesError as error:
        found.fails(error)
    finally:
        camera.stop()


def missing(faces: list[Die]) -> str:
    """Which faces of the kinds shown were not, in words."""
    lacking = [
        f"{kind} {', '.join(str(v) for v in absent)}"
        for kind in KINDS
        if any(k == kind for k, _ in faces)
        and (absent := [v for v in range(1, FACES[kind] + 1) if (kind, v) not in faces])
    ]
    return f"not shown yet: {'; '.join(lacking)}" if lacking else "every face of these dice"
