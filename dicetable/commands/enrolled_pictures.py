"""`dicetable enrol --list` and `--forget`: the pictures that were enrolled, and those learned since."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vision.settings import EnrolmentSettings

from dicetable import files
from dicetable.commands.complaint import complain
from vision.recognition.enrolled import EnrolledDice, EnrolledDiceError, Gallery, gallery_beside
from vision.recognition.enrolment import likest_face

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from vision.recognition.enrolled import Learned

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
    throws = {name for name in names if NAMED.fullmatch(name)}
    meant = {str(number) for number in numbers} | throws | {LEARNED}
    if odd := [name for name in names if name not in meant]:
        complain(
            f"dicetable enrol: --forget {odd[0]}: name a picture as --list does, such as 3 or 1234/d20-17"
        )
        return 2
    try:
        print(removed(out, numbers, throws, everything=LEARNED in names))
    except EnrolledDiceError as error:
        complain(f"dicetable enrol: {error}")
        return 1
    except OSError as error:
        from dicetable import texts

        complain(f"dicetable enrol: --out {texts.health.not_written(error, out)}")
        return 1
    return 0


def removed(out: Path, numbers: set[int], throws: set[str], *, everything: bool) -> str:
    """Removes enrolled pictures by number and learned ones by name, or all of these; says what is left.

    Raises:
        EnrolledDiceError: there is no such picture, or none would be left; nothing was removed.
        OSError: a file cannot be written.
    """
    learned_file = gallery_beside(out)
    own = EnrolledDice.load(out)
    gallery = Gallery() if everything else Gallery.load(learned_file)
    unknown = [str(number) for number in sorted(numbers) if not 1 <= number <= len(own.shows)]
    unknown += [] if everything else sorted(throws - {name_of(one) for one in gallery.pictures})
    if unknown:
        raise EnrolledDiceError(f"{out} has no picture {unknown[0]}: see --list")
    kept = [i for i in range(len(own.shows)) if i + 1 not in numbers]
    if not kept:
        raise EnrolledDiceError(f"no picture would be left: delete {out} instead")
    left = gallery.without(lambda one: name_of(one) in throws)
    if everything:
        learned_file.unlink(missing_ok=True)
    elif left is not gallery:
        files(learned_file, left.packed())
    if numbers:
        files(out, own.only(kept).packed())
    gone = len(numbers) + len(gallery.pictures) - len(left.pictures)
    told = ["everything that was learned is forgotten"] if everything else []
    if gone:
        told.append(f"{gone} picture{'' if gone == 1 else 's'} forgotten, {len(kept)} left")
    return "; ".join(told)
