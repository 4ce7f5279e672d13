"""`dicetable enrol --list` and `--forget`: the pictures that were enrolled, and those learned since."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dicetable.commands.complaint import complain
from dicetable.files.atomic_write import atomic_write
from vision.recognition.enrolled import EnrolledDice, EnrolledDiceError
from vision.recognition.enrolment import likest_face
from vision.recognition.gallery import Gallery, gallery_beside
from vision.settings import EnrolmentSettings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from vision.recognition.gallery import Learned

LOOKS_LIKE = 0.6
"""Similarity from which a picture is reported as most like another face."""
LEARNED = "learned"
"""Names all learned pictures."""
NAMED = re.compile(r"\d+/d\d+-\d+", re.ASCII)


def name_of(picture: Learned) -> str:
    """A learned picture by the row of its throw in the ledger and its face: `1234/d20-17`."""
    kind, value = picture.die
    return f"{picture.origin.row}/{kind}-{value}"


def listed(out: Path) -> int:
    """Lists the pictures, and which of them look like another face; returns the exit code."""
    try:
        own = EnrolledDice.load(out)
        gallery = Gallery.load(gallery_beside(out)).without(lambda one: one.die not in own.shows)
    except EnrolledDiceError as error:
        complain(f"dicetable enrol: {error}")
        return 1
    everything = gallery.joined_to(own)
    names = list(own.names or [""] * len(own.shows))
    for number, (kind, value) in enumerate(everything.shows):
        if number < len(own.shows):
            line = f"{number + 1:4}  {kind:3} {value:2}  {names[number]}"
        else:
            one = gallery.pictures[number - len(own.shows)]
            how = "confirmed by another seat" if one.origin.confirmed else "read for sure"
            line = f"{name_of(one)}  learned on {one.origin.date}, {how}"
        print((line + suspicion(number, everything)).rstrip())
    return 0


def suspicion(number: int, everything: EnrolledDice) -> str:
    """The remark on a picture that looks like another face than its own; empty for any other."""
    if len(everything.shows) == 1:
        return ""
    (kind, value), alike = likest_face(number, everything, EnrolmentSettings())
    if alike < LOOKS_LIKE or (kind, value) == everything.shows[number]:
        return ""
    return f"  looks like the {value} of a {kind}: is it in its place?"


def forgotten(out: Path, names: Sequence[str]) -> int:
    """Removes pictures, enrolled or learned; returns the exit code."""
    numbers = {int(name) for name in names if name.isascii() and name.isdigit()}
    others = {name for name in names if NAMED.fullmatch(name)}
    known = {str(number) for number in numbers} | others | {LEARNED}
    if odd := [name for name in names if name not in known]:
        complain(
            f"dicetable enrol: --forget {odd[0]}: name a picture as --list does, such as 3 or 1234/d20-17"
        )
        return 2
    learned_file = gallery_beside(out)
    try:
        own = EnrolledDice.load(out)
        if LEARNED in names:
            learned_file.unlink(missing_ok=True)
        gallery = Gallery.load(learned_file)
        missing = [number for number in numbers if not 1 <= number <= len(own.shows)]
        missing_names = sorted(others - {name_of(one) for one in gallery.pictures})
        if missing or missing_names:
            raise EnrolledDiceError(f"{out} has no picture {[*missing, *missing_names][0]}: see --list")
        kept = [i for i in range(len(own.shows)) if i + 1 not in numbers]
        if not kept:
            raise EnrolledDiceError(f"no picture would be left: delete {out} instead")
        left = gallery.without(lambda one: name_of(one) in others)
        if left is not gallery:
            atomic_write(learned_file, left.packed())
        if numbers:
            atomic_write(out, own.only(kept).packed())
    except EnrolledDiceError as error:
        complain(f"dicetable enrol: {error}")
        return 1
    except OSError as error:
        complain(
            f"dicetable enrol: {error.filename}: {error.strerror}: it must be a file that you may write to"
        )
        return 1
    gone = len(numbers) + len(gallery.pictures) - len(left.pictures)
    if LEARNED in names:
        print("what was learned is forgotten")
    more = "" if gone == 1 else "s"
    print(f"{gone} picture{more} forgotten, {len(kept)} left; {len(left.pictures)} learned")
    return 0
