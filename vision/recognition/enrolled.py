"""The enrolled dice, the table's own, as they are kept: how each of their faces looks in some pictures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final, NamedTuple

import cv2
import numpy as np

from games.dice import EVERY_KIND, VALUES, Die
from vision.recognition.classifiers import SYMBOL_PX, Floats

MOST_LEARNED_OF_A_FACE: Final = 4
"""Pictures of one face that are kept. Higher: slower, and a larger file."""
LEAST_ALIKE: Final = 0.5
"""Likeness to the enrolled pictures of the same face from which one is taken. Lower: faces in other light
are learned, and an outlier may be."""
FARTHEST_TINT: Final = 40.0
"""Most distance of its colour (L*a*b*) from the enrolled one."""
SAME_VIEW: Final = 0.9
"""Likeness to a picture that is known from which it is nothing new."""
LEARNED_TURN_STEP_DEG: Final = 10
"""Step of the turns in which learned pictures are compared with one another."""
FORMAT = 3
"""Version of the file of enrolled dice; another is refused."""
MOST_OF_A_FACE = 16
"""Pictures of one face that are kept: the newest."""
LONGEST_ID = 60
"""Letters of a picture's name that name its die."""
LONGEST_NAME = 80
"""Letters that are kept of a picture's name."""
PLAINLY = 3.0
"""Log odds from which a die is one enrolled die and not another with the same face."""
NAMED = re.compile(r"(?<![a-z0-9])(d4|d6|d8|d10|d12|d20|d100)-(\d{1,2})(?!\d)", re.IGNORECASE)
"""The face in a picture's name; what stands before it names the die."""
MOST_BYTES = 64 * 2**20
"""Files larger than this are refused unread."""


def die_id(name: str) -> str:
    """The die that a picture's name names, such as `old red d20`; empty if it names a face alone."""
    named = NAMED.search(name)
    before = name[: named.start()].strip(" -_.") if named else ""
    return f"{before[:LONGEST_ID]} {named[1].lower()}" if named and before and "/" not in before else ""


class EnrolledDiceError(Exception):
    """A file that holds no enrolled dice, and what to do."""


class Prototype(NamedTuple):
    """How a face looks in one picture.

    Its relief (SYMBOL_PX²,), its mean colour (3,), as L*a*b*, and what the picture is called.
    """

    relief: Floats
    tint: Floats
    name: str = ""


class Comparison(NamedTuple):
    """How much a die looks like each enrolled picture.

    How alike the reliefs are (n,), −1 … 1; how far the colours are apart (n,).
    """

    alike: Floats
    tinted: Floats


class Likeness(NamedTuple):
    """How much a die looks like each enrolled face.

    The faces, each once; how alike the reliefs are (m,), −1 … 1; how far the colours are apart (m,).
    """

    dice: tuple[Die, ...]
    alike: Floats
    tinted: Floats


@dataclass(frozen=True, eq=False)
class EnrolledDice:
    """Prototypes of the enrolled dice.

    What each shows, its relief (n, SYMBOL_PX²), its colour (n, 3), and what its picture was called, if that
    was kept. Two of them are equal only if they are the same object, so that a comparison with one can be
    kept.
    """

    shows: tuple[Die, ...]
    reliefs: Floats
    tints: Floats
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, shown: list[tuple[Die, Prototype]]) -> EnrolledDice:
        """The dice of some pictures, one at least."""
        return cls(
            tuple(die for die, _ in shown),
            np.stack([face.relief for _, face in shown]),
            np.stack([face.tint for _, face in shown]),
            tuple(face.name[:LONGEST_NAME] for _, face in shown),
        )

    def only(self, numbers: Iterable[int]) -> EnrolledDice:
        """The pictures of these numbers, from 0, in their order."""
        places = sorted(numbers)
        return EnrolledDice(
            tuple(self.shows[i] for i in places),
            self.reliefs[places],
            self.tints[places],
            tuple(self.names[i] for i in places) if self.names else (),
        )

    def joined(self, newer: EnrolledDice) -> EnrolledDice:
        """These and newer pictures; of a face that has more than MOST_OF_A_FACE the oldest are left out."""
        names = [*(self.names or [""] * len(self.shows)), *(newer.names or [""] * len(newer.shows))]
        both = EnrolledDice(
            self.shows + newer.shows,
            np.concatenate([self.reliefs, newer.reliefs]),
            np.concatenate([self.tints, newer.tints]),
            tuple(names),
        )
        later = Counter[Die]()
        places = []
        for i in reversed(range(len(both.shows))):
            later[both.shows[i]] += 1
            if later[both.shows[i]] <= MOST_OF_A_FACE:
                places.append(i)
        return both.only(places)

    def compared(self, views: Floats, tint: Floats) -> Comparison:
        """How like each picture a die is whose face looks so in every turn, (k, SYMBOL_PX²), and so coloured.

        `tint` is that colour (3,).
        """
        return Comparison((self.reliefs @ views.T).max(1), np.linalg.norm(self.tints - tint, axis=1))

    def likeness(self, compared: Comparison) -> Likeness:
        """How like each face a die is that looks so."""
        dice = tuple(sorted(set(self.shows)))
        own = np.array([[show == die for show in self.shows] for die in dice])
        alike, far = compared
        return Likeness(dice, np.where(own, alike, -1.0).max(1), np.where(own, far, np.inf).min(1))

    def which(self, die: Die, compared: Comparison, logit: Callable[[float, float], float]) -> str | None:
        """Which enrolled die shows this face, by the names of its pictures; None if it may be another.

        `logit` is how much likeness and distance of colour speak for a die. Learned pictures have no colour
        of their own and no name: they distinguish no two dice.
        """
        best: dict[str, float] = {}
        for i, name in enumerate(self.names):
            if self.shows[i] == die and np.isfinite(self.tints[i]).all():
                speaks = logit(float(compared.alike[i]), float(compared.tinted[i]))
                name_of_die = die_id(name)
                best[name_of_die] = max(best.get(name_of_die, -np.inf), speaks)
        first, *others = sorted(best, key=lambda name_of_die: -best[name_of_die]) or [""]
        if not first or (others and best[first] - best[others[0]] < PLAINLY):
            return None
        return first

    def packed(self) -> bytes:
        """The content of a file that holds them, for `load`."""
        kinds = [EVERY_KIND.index(kind) for kind, _ in self.shows]
        values = [value for _, value in self.shows]
        file = BytesIO()
        np.savez(
            file,
            format=FORMAT,
            kinds=kinds,
            values=values,
            reliefs=self.reliefs.astype(np.float16),
            tints=self.tints.astype(np.float16),
            names=np.array(self.names or [""] * len(self.shows), f"U{LONGEST_NAME}"),
        )
        return file.getvalue()

    @classmethod
    def load(cls, path: Path) -> EnrolledDice:
        """Reads what `packed` gave. Raises EnrolledDiceError for a missing, damaged or other file."""
        again = "enrol the dice again with `dicetable enrol`"
        try:
            status = path.stat()
            if not S_ISREG(status.st_mode):
                raise EnrolledDiceError(f"{path} is no file: name the one that `dicetable enrol --out` wrote")
            if status.st_size > MOST_BYTES:
                raise EnrolledDiceError(f"{path} is too large to hold enrolled dice: {again}")
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                if sum(entry.file_size for entry in stored.zip.infolist()) > MOST_BYTES:
                    raise EnrolledDiceError(f"{path} is too large to hold enrolled dice: {again}")
                if int(stored["format"]) != FORMAT:
                    raise EnrolledDiceError(f"{path} was written by another version: {again}")
                kinds = dict(enumerate(EVERY_KIND))
                shows = tuple(
                    (kinds[int(k)], int(v)) for k, v in zip(stored["kinds"], stored["values"], strict=True)
                )
                names = tuple(str(name) for name in stored["names"])
                reliefs, tints = (np.asarray(stored[name], np.float32) for name in ("reliefs", "tints"))
        except FileNotFoundError:
            raise EnrolledDiceError(f"{path} is not there: correct its name, or {again}") from None
        except OSError as error:
            why = error.strerror or "it is damaged"
            raise EnrolledDiceError(f"{path} cannot be read ({why}): mend that, or {again}") from error
        except EnrolledDiceError:
            raise
        except Exception as error:  # a damaged archive can lead to any
            raise EnrolledDiceError(
                f"{path} is no file that `dicetable enrol` wrote, or damaged: {again}"
            ) from error
        faces = all(value in VALUES[kind] for kind, value in shows)
        shape = (len(shows), SYMBOL_PX * SYMBOL_PX)
        whole = faces and reliefs.shape == shape and tints.shape == (len(shows), 3)
        whole &= len(names) in (0, len(shows))
        if not shows or not whole or not np.isfinite(reliefs).all() or not np.isfinite(tints).all():
            raise EnrolledDiceError(f"{path} is damaged: {again}")
        return cls(shows, reliefs, tints, names)


GALLERY_FORMAT = 1
"""Version of the file; another is refused."""
MOST_LEARNED = 8
"""Pictures of one face that are read from a file; the settings allow fewer."""
MOST_GALLERY_BYTES = 16 * 2**20
"""Files larger than this are refused unread."""
LONGEST_DATE = 10


def gallery_beside(dice: Path) -> Path:
    """The file of what is learned of the dice enrolled in a file: `dice.learned.npz` beside `dice.npz`."""
    return dice.with_suffix(f".learned{dice.suffix}")


class GalleryError(EnrolledDiceError):
    """A file that holds no learned pictures, and what to do."""


class Origin(NamedTuple):
    """Which throw a picture was learned from: its row in the ledger, its game's seed, the revision after it.

    `date` is the day, as YYYY-MM-DD. `confirmed`: another seat's OK accepted the value; else the reading was
    sure.
    """

    row: int
    seed: int
    revision: int
    date: str
    confirmed: bool


class Learned(NamedTuple):
    """A learned picture: the face it shows, how that looks, and where it comes from."""

    die: Die
    face: Prototype
    origin: Origin


@dataclass(frozen=True)
class Gallery:
    """The learned pictures, oldest first."""

    pictures: tuple[Learned, ...] = ()

    def joined_to(self, enrolled: EnrolledDice) -> EnrolledDice:
        """The enrolled dice with the learned pictures of their faces beside the enrolled ones.

        Colours are compared with the enrolled pictures alone: where a learned one stands its colour is as far
        as can be, so that dice of others do not come nearer with each evening's light.
        """
        own = [picture for picture in self.pictures if picture.die in enrolled.shows]
        if not own:
            return enrolled
        learned = EnrolledDice.of([(picture.die, picture.face) for picture in own])
        return EnrolledDice(
            enrolled.shows + learned.shows,
            np.concatenate([enrolled.reliefs, learned.reliefs]),
            np.concatenate([enrolled.tints, np.full_like(learned.tints, np.inf)]),
            (*(enrolled.names or [""] * len(enrolled.shows)), *[""] * len(own)),
        )

    def without(self, forgotten: Callable[[Learned], bool]) -> Gallery:
        """The gallery without some pictures; itself if there are none such."""
        pictures = tuple(picture for picture in self.pictures if not forgotten(picture))
        return self if len(pictures) == len(self.pictures) else Gallery(pictures)

    def taught(self, enrolled: EnrolledDice, new: Learned, views: Floats) -> Gallery:
        """The gallery with a new picture, whose `views` show it in every turn; itself if it is not taken.

        Of a face that has enough pictures already the one that is most like another makes room, if the new
        one is less so.
        """
        die = new.die
        if not agrees(self.joined_to(enrolled), enrolled, new, views):
            return self
        own = [picture for picture in self.pictures if picture.die == die]
        enrolled_own = enrolled.reliefs[[show == die for show in enrolled.shows]]
        redundant = closest(views, [*enrolled_own, *(picture.face.relief for picture in own)])
        if redundant >= SAME_VIEW:
            return self
        if len(own) < MOST_LEARNED_OF_A_FACE:
            return Gallery((*self.pictures, new))
        by_picture = [
            closest(turned(picture.face.relief, LEARNED_TURN_STEP_DEG), [*enrolled_own, *others(own, i)])
            for i, picture in enumerate(own)
        ]
        most = int(np.argmax(by_picture))
        if redundant >= by_picture[most]:
            return self
        return Gallery((*self.without(lambda picture: picture is own[most]).pictures, new))

    def packed(self) -> bytes:
        """The content of a file that holds them, for `load`."""
        file = BytesIO()
        faces = [picture.face for picture in self.pictures]
        origins = [picture.origin for picture in self.pictures]
        np.savez(
            file,
            format=GALLERY_FORMAT,
            kinds=np.array([EVERY_KIND.index(picture.die[0]) for picture in self.pictures], np.int8),
            values=np.array([picture.die[1] for picture in self.pictures], np.int8),
            reliefs=np.array([face.relief for face in faces], np.float16).reshape(-1, SYMBOL_PX**2),
            tints=np.array([face.tint for face in faces], np.float16).reshape(-1, 3),
            rows=np.array([origin.row for origin in origins], np.int64),
            seeds=np.array([origin.seed for origin in origins], np.int64),
            revisions=np.array([origin.revision for origin in origins], np.int64),
            dates=np.array([origin.date for origin in origins], f"U{LONGEST_DATE}"),
            confirmed=np.array([origin.confirmed for origin in origins], np.bool_),
        )
        return file.getvalue()

    @classmethod
    def load(cls, path: Path) -> Gallery:
        """Reads a file of what `packed` gave; without such a file nothing was learned yet.

        Raises GalleryError if it is damaged, of another version, or cannot be read.
        """
        anew = "delete it, and the table learns anew"
        try:
            status = path.stat()
            if not S_ISREG(status.st_mode):
                raise GalleryError(f"{path} is no file: {anew}")
            if status.st_size > MOST_GALLERY_BYTES:
                raise GalleryError(f"{path} is too large to hold learned pictures: {anew}")
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                if sum(entry.file_size for entry in stored.zip.infolist()) > MOST_GALLERY_BYTES:
                    raise GalleryError(f"{path} is too large to hold learned pictures: {anew}")
                if int(stored["format"]) != GALLERY_FORMAT:
                    raise GalleryError(f"{path} was written by another version: {anew}")
                pictures = tuple(unpacked(stored))
        except FileNotFoundError:
            return cls()
        except OSError as error:
            why = error.strerror or "it is damaged"
            raise GalleryError(f"{path} cannot be read ({why}): mend that, or {anew}") from error
        except GalleryError:
            raise
        except Exception as error:  # a damaged archive can lead to any
            raise GalleryError(f"{path} is damaged: {anew}") from error
        return cls(pictures)


def with_learned(path: Path) -> EnrolledDice:
    """The enrolled dice in a file, with what was learned of them. Raises EnrolledDiceError."""
    return Gallery.load(gallery_beside(path)).joined_to(EnrolledDice.load(path))


def unpacked(stored: Any) -> list[Learned]:
    """The pictures in the arrays of a file. Raises ValueError, KeyError or IndexError for damaged ones."""
    reliefs, tints = (np.asarray(stored[name], np.float32) for name in ("reliefs", "tints"))
    count = len(reliefs)
    if reliefs.shape != (count, SYMBOL_PX**2) or tints.shape != (count, 3):
        raise ValueError("not pictures")
    if not np.isfinite(reliefs).all() or not np.isfinite(tints).all():
        raise ValueError("not numbers")
    names = ("kinds", "values", "rows", "seeds", "revisions", "dates", "confirmed")
    pictures: list[Learned] = []
    columns = zip(*(stored[name] for name in names), reliefs, tints, strict=True)
    for kind_number, value, row, seed, revision, date, confirmed, relief, tint in columns:
        kind = dict(enumerate(EVERY_KIND))[int(kind_number)]
        if value not in VALUES[kind]:
            raise ValueError("no such face")
        origin = Origin(int(row), int(seed), int(revision), str(date), bool(confirmed))
        pictures.append(Learned((kind, int(value)), Prototype(relief, tint), origin))
    counts = {
        die: sum(picture.die == die for picture in pictures) for die in {picture.die for picture in pictures}
    }
    if any(many > MOST_LEARNED for many in counts.values()):
        raise ValueError("more pictures of a face than are kept")
    return pictures


def agrees(all_known: EnrolledDice, enrolled: EnrolledDice, new: Learned, views: Floats) -> bool:
    """Whether a picture is like the enrolled ones of its face, and less like any other face that is known."""
    die, face, _ = new
    if die not in enrolled.shows:
        return False
    like = enrolled.likeness(enrolled.compared(views, face.tint))
    i = like.dice.index(die)
    if like.alike[i] < LEAST_ALIKE or like.tinted[i] > FARTHEST_TINT:
        return False
    likeness = all_known.likeness(all_known.compared(views, face.tint))
    best_of_others = max(
        (a for shown_die, a in zip(likeness.dice, likeness.alike, strict=True) if shown_die != die),
        default=-1.0,
    )
    return bool(like.alike[i] >= best_of_others)


def others(own: Sequence[Learned], i: int) -> list[Floats]:
    return [picture.face.relief for j, picture in enumerate(own) if j != i]


def closest(views: Floats, reliefs: Sequence[Floats]) -> float:
    """How like the most similar of these reliefs is to one of the views (n, SYMBOL_PX²): −1 … 1."""
    return float((np.stack(reliefs) @ views.T).max())


def turned(relief: Floats, step_deg: int) -> Floats:
    """A relief (SYMBOL_PX²,) in every turn (n, SYMBOL_PX²)."""
    square = relief.reshape(SYMBOL_PX, SYMBOL_PX).astype(np.float32)
    middle = (SYMBOL_PX / 2, SYMBOL_PX / 2)
    return np.stack(
        [
            cv2.warpAffine(square, cv2.getRotationMatrix2D(middle, turn, 1.0), (SYMBOL_PX, SYMBOL_PX)).ravel()
            for turn in range(0, 360, step_deg)
        ]
    )
