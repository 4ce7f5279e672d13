"""`dicetable enrol`: makes the table's own dice known, from photographs of each of their faces."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from dicetable.__main__ import Commands
    from games.dice import Die
    from vision.enrolment import Floats

NAMED = re.compile(r"(d4|d6|d8|d10|d12|d20)-(\d{1,2})(?!\d)", re.IGNORECASE)
NAMING = "name it after the face that counts, such as d20-17.jpg or d20-17-b.jpg"
PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp")


def add_parser(subparsers: Commands) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser("enrol", help="make your own dice known, from photographs of their faces")
    parser.add_argument(
        "folder",
        type=Path,
        metavar="DIR",
        help="photographs of one die each, some of every face, named after it: d20-17.jpg, d20-17-b.jpg",
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="where the dice are kept, for read --dice"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Enrols every photograph that shows a die; 1 if one did not or nothing could be kept."""
    import numpy as np

    from vision.enrolment import OwnDice

    if not args.folder.is_dir():
        print(f"dicetable enrol: {args.folder}: name a folder of photographs", file=sys.stderr)
        return 1
    code, shows, faces = 0, [], []
    for path in sorted(p for p in args.folder.iterdir() if p.suffix.lower() in PICTURES):
        try:
            die, found = enrolled(path)
        except ValueError as error:
            print(f"dicetable enrol: {path}: {error}", file=sys.stderr)
            code = 1
            continue
        shows.append(die)
        faces.append(found)
    if not shows:
        print(f"dicetable enrol: no die was found in the photographs of {args.folder}", file=sys.stderr)
        return 1
    try:
        OwnDice(tuple(shows), np.stack(faces)).save(args.out)
    except OSError as error:
        print(f"dicetable enrol: --out {args.out}: {error.strerror}", file=sys.stderr)
        return 1
    shown = sorted(set(shows))
    print(f"{len(shows)} photographs of {len(shown)} faces: {missing(shown)}")
    return code


def enrolled(path: Path) -> tuple[Die, Floats]:
    """The face that the file's name tells, and how it looks. Raises ValueError where there is none."""
    from games.dice import FACES
    from hardware.photograph import PhotographError, load_photograph
    from vision.enrolment import prototype
    from vision.finder import find

    named = NAMED.search(path.stem)
    if named is None:
        raise ValueError(NAMING)
    kind, value = named[1].lower(), int(named[2])
    if not 1 <= value <= FACES[kind]:  # type: ignore[index]
        raise ValueError(f"a {kind} has no face {value}: {NAMING}")
    try:
        photograph = load_photograph(path)
    except PhotographError as error:
        raise ValueError(str(error)) from error
    places = find(photograph.pixels)
    if not places:
        raise ValueError("no die is seen in it: photograph it from above, larger, in even light")
    return (kind, value), prototype(photograph.pixels, places[0])  # type: ignore[return-value]


def missing(faces: list[Die]) -> str:
    """Which faces of the kinds shown were not, in words."""
    from games.dice import FACES, KINDS

    lacking = [
        f"{kind} {', '.join(str(v) for v in absent)}"
        for kind in KINDS
        if any(k == kind for k, _ in faces)
        and (absent := [v for v in range(1, FACES[kind] + 1) if (kind, v) not in faces])
    ]
    return f"not shown yet: {'; '.join(lacking)}" if lacking else "every face of these dice"
