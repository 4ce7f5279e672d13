"""What the table has learned of its own dice: a few pictures of each enrolled face, from throws that counted.

A picture is taken only if it is like the enrolled ones of its face and less like those of every other; it is
kept for its variety. The enrolled pictures themselves never change, and only they say what is like a face, so
that one wrong picture cannot draw others after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from games.dice import FACES, KINDS, Die
from vision.recognition.crops import SYMBOL_PX
from vision.recognition.enrolled import EnrolledDice, EnrolledDiceError, Prototype

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from vision.settings import GallerySettings

Floats: TypeAlias = npt.NDArray[Any]

FORMAT = 1
"""Version of the file; another is refused."""
MOST_OF_A_FACE = 8
"""Pictures of one face that are read from a file; the settings allow fewer."""
MOST_BYTES = 16 * 2**20
"""Files larger than this are refused unread."""
LONGEST_DATE = 10


def gallery_beside(dice: Path) -> Path:
    """The file of what is learned of the dice enrolled in a file: `dice.learned.npz` beside `dice.npz`."""
    return dice.with_suffix(f".learned{dice.suffix}")


class GalleryError(EnrolledDiceError):
    """A file that holds no learned pictures, and what to do."""


class Origin(NamedTuple):
    """Which throw a picture was learned from.

    Attributes:
        row: the throw's row in the ledger.
        seed: the seed of its game, which tells one game from another.
        revision: the revision of the game that the throw led to.
        date: the day, as YYYY-MM-DD.
        confirmed: another seat's OK accepted the value; else the reading was sure.
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


class Candidate(NamedTuple):
    """A picture that may be learned, and how it looks in every turn (n, SYMBOL_PX²)."""

    learned: Learned
    views: Floats


@dataclass(frozen=True)
class Gallery:
    """The learned pictures, oldest first."""

    pictures: tuple[Learned, ...] = ()

    def joined_to(self, enrolled: EnrolledDice) -> EnrolledDice:
        """The enrolled dice with the learned pictures of their faces beside the enrolled ones.

        Colours are compared with the enrolled pictures alone: where a learned one stands its colour is as far
        as can be, so that dice of others do not come nearer with each evening's light.
        """
        own = [one for one in self.pictures if one.die in enrolled.shows]
        if not own:
            return enrolled
        learned = EnrolledDice.of([(one.die, one.face) for one in own])
        return EnrolledDice(
            enrolled.shows + learned.shows,
            np.concatenate([enrolled.reliefs, learned.reliefs]),
            np.concatenate([enrolled.tints, np.full_like(learned.tints, np.inf)]),
            (*(enrolled.names or [""] * len(enrolled.shows)), *[""] * len(own)),
        )

    def without(self, forgotten: Callable[[Learned], bool]) -> Gallery:
        """The gallery without some pictures; itself if there are none such."""
        kept = tuple(one for one in self.pictures if not forgotten(one))
        return self if len(kept) == len(self.pictures) else Gallery(kept)

    def taught(self, enrolled: EnrolledDice, new: Candidate, settings: GallerySettings) -> Gallery:
        """The gallery with a new picture; itself if the picture is not taken.

        Of a face that has enough pictures already the one that is most like another makes room, if the new
        one is less so.
        """
        die = new.learned.die
        if not agrees(self.joined_to(enrolled), enrolled, new, settings):
            return self
        own = [one for one in self.pictures if one.die == die]
        enrolled_own = enrolled.reliefs[[show == die for show in enrolled.shows]]
        redundant = closest(new.views, [*enrolled_own, *(one.face.relief for one in own)])
        if redundant >= settings.same_view:
            return self
        if len(own) < settings.most_of_a_face:
            return Gallery((*self.pictures, new.learned))
        by_picture = [
            closest(turned(one.face.relief, settings.turn_step_deg), [*enrolled_own, *others(own, i)])
            for i, one in enumerate(own)
        ]
        most = int(np.argmax(by_picture))
        if redundant >= by_picture[most]:
            return self
        return Gallery((*self.without(lambda one: one is own[most]).pictures, new.learned))

    def packed(self) -> bytes:
        """The content of a file that holds them, for `load`."""
        file = BytesIO()
        faces = [one.face for one in self.pictures]
        origins = [one.origin for one in self.pictures]
        np.savez(
            file,
            format=FORMAT,
            kinds=np.array([KINDS.index(one.die[0]) for one in self.pictures], np.int8),
            values=np.array([one.die[1] for one in self.pictures], np.int8),
            reliefs=np.array([face.relief for face in faces], np.float16).reshape(-1, SYMBOL_PX**2),
            tints=np.array([face.tint for face in faces], np.float16).reshape(-1, 3),
            rows=np.array([one.row for one in origins], np.int64),
            seeds=np.array([one.seed for one in origins], np.int64),
            revisions=np.array([one.revision for one in origins], np.int64),
            dates=np.array([one.date for one in origins], f"U{LONGEST_DATE}"),
            confirmed=np.array([one.confirmed for one in origins], np.bool_),
        )
        return file.getvalue()

    @classmethod
    def load(cls, path: Path) -> Gallery:
        """Reads a file of what `packed` gave; without such a file nothing was learned yet.

        Raises:
            GalleryError: the file is damaged, of another version, or cannot be read.
        """
        anew = "delete it, and the table learns anew"
        try:
            found = path.stat()
            if not S_ISREG(found.st_mode):
                raise GalleryError(f"{path} is no file: {anew}")
            if found.st_size > MOST_BYTES:
                raise GalleryError(f"{path} is too large to hold learned pictures: {anew}")
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                if sum(entry.file_size for entry in stored.zip.infolist()) > MOST_BYTES:
                    raise GalleryError(f"{path} is too large to hold learned pictures: {anew}")
                if int(stored["format"]) != FORMAT:
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
        kind = dict(enumerate(KINDS))[int(kind_number)]
        if not 1 <= value <= FACES[kind]:
            raise ValueError("no such face")
        origin = Origin(int(row), int(seed), int(revision), str(date), bool(confirmed))
        pictures.append(Learned((kind, int(value)), Prototype(relief, tint), origin))
    counts = {die: sum(one.die == die for one in pictures) for die in {one.die for one in pictures}}
    if any(many > MOST_OF_A_FACE for many in counts.values()):
        raise ValueError("more pictures of a face than are kept")
    return pictures


def agrees(
    all_known: EnrolledDice, enrolled: EnrolledDice, new: Candidate, settings: GallerySettings
) -> bool:
    """Whether a picture is like the enrolled ones of its face, and less like any other face that is known."""
    die, face, _ = new.learned
    if die not in enrolled.shows:
        return False
    like = enrolled.likeness(new.views, face.tint)
    i = like.dice.index(die)
    if like.alike[i] < settings.least_alike or like.tinted[i] > settings.farthest_tint:
        return False
    known = all_known.likeness(new.views, face.tint)
    other = max((a for one, a in zip(known.dice, known.alike, strict=True) if one != die), default=-1.0)
    return bool(like.alike[i] - other >= settings.nearer)


def others(own: Sequence[Learned], i: int) -> list[Floats]:
    """The reliefs of the other pictures than number `i`."""
    return [one.face.relief for j, one in enumerate(own) if j != i]


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
