"""The table's own dice: prototypes of their faces, compared picture by picture, and strangers told apart.

A prototype is the middle of one face in one photograph, as it lay, where the net for whole dice found its
mark. What is compared with it is turned in steps all round and shifted a little; the likeness is their
normalised cross-correlation. Neither lettering nor its way up need be known: any die with faces that differ
can be enrolled, also one whose signs nobody else can read.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, TypeAlias
from zipfile import BadZipFile

import cv2
import numpy as np
import numpy.typing as npt

from games.dice import KINDS, Die
from vision.crops import MARK, ROOM, STORED, Pixels, mark_view, warp
from vision.opinion import stored_crop
from vision.reading import DieReading
from vision.whole_die import look

if TYPE_CHECKING:
    from pathlib import Path

    from vision.candidates import Candidate

Floats: TypeAlias = npt.NDArray[Any]

DISC = cv2.circle(np.zeros((MARK, MARK), np.uint8), (MARK // 2, MARK // 2), MARK // 2 - 1, 1, -1) > 0
"""What of a view is compared: what lies in the circle stays there however it is turned."""
FORMAT = 1
"""Version of the file; another is refused."""
SPAN = 0.45
"""Part of the die's box that is compared."""
TURNS_DEG = range(0, 360, 10)
ZOOMS = (0.93, 1.07)
SHIFTS = ((0, 0), (3, 0), (-3, 0), (0, 3), (0, -3))
"""How a face is turned, stretched and shifted (in pixels of the stored crop) to be compared."""
COARSE = 8.0
"""Standard deviation in pixels of the shading that is taken away before."""
LEAST_MARK = 0.4
"""Score from which a found mark is the middle of what is compared."""
KNOWN, APART = 0.7, 0.08
"""How alike a face must be to be known, and how much less so every other value."""
STRANGE = 0.5
"""Likeness under which a die is none of the table's."""
MOST_BYTES = 64 * 2**20
"""Files larger than this are refused unread."""


class NotDiceError(Exception):
    """A file that holds no enrolled dice, and what to do."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """The own face that a die looks most like, how much (−1 … 1), and how much it looks like another."""

    die: Die
    same: float
    other: float


@dataclass(frozen=True)
class OwnDice:
    """Prototypes of the table's own dice: what each shows, and its face (n, MARK²)."""

    shows: tuple[Die, ...]
    faces: Floats

    def likeness(self, views: Floats) -> Likeness:
        """What a die is like whose face looks so in every turn, (k, MARK²)."""
        best = (self.faces @ views.T).max(1)
        i = int(best.argmax())
        others = [float(best[k]) for k, die in enumerate(self.shows) if die != self.shows[i]]
        return Likeness(self.shows[i], float(best[i]), max(others, default=-1.0))

    def save(self, path: Path) -> None:
        """Writes the file whole, or leaves the old one."""
        part = path.with_name(path.name + ".part")
        kinds = [KINDS.index(kind) for kind, _ in self.shows]
        values = [value for _, value in self.shows]
        with part.open("wb") as file:
            np.savez(file, format=FORMAT, kinds=kinds, values=values, faces=self.faces.astype(np.float16))
        part.replace(path)

    @classmethod
    def load(cls, path: Path) -> OwnDice:
        """Reads what `save` wrote.

        Raises:
            NotDiceError: the file is missing, damaged or of another version.
        """
        again = "enrol the dice again with `dicetable enrol`"
        try:
            found = path.stat()
            if not S_ISREG(found.st_mode):
                raise NotDiceError(f"{path} is no file: name the one that `dicetable enrol --out` wrote")
            if found.st_size > MOST_BYTES:
                raise NotDiceError(f"{path} is too large to hold enrolled dice: {again}")
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                if int(stored["format"]) != FORMAT:
                    raise NotDiceError(f"{path} was written by another version: {again}")
                shows = tuple(
                    (KINDS[int(k)], int(v)) for k, v in zip(stored["kinds"], stored["values"], strict=True)
                )
                faces = np.asarray(stored["faces"], np.float32)
        except FileNotFoundError:
            raise NotDiceError(f"{path} is not there: mend its name, or {again}") from None
        except OSError as error:
            why = error.strerror or "it is damaged"
            raise NotDiceError(f"{path} cannot be read ({why}): mend that, or {again}") from error
        except (TypeError, ValueError, KeyError, IndexError, EOFError, BadZipFile, zlib.error) as error:
            raise NotDiceError(
                f"{path} is no file that `dicetable enrol` wrote, or damaged: {again}"
            ) from error
        if not shows or faces.shape != (len(shows), MARK * MARK) or not np.isfinite(faces).all():
            raise NotDiceError(f"{path} is damaged: {again}")
        return cls(shows, faces)


def known_again(frame: Pixels, candidate: Candidate, die: DieReading, own: OwnDice) -> DieReading:
    """The reading of a find, corrected by the own die that it looks like.

    Sure if it is known again and the nets do not surely say otherwise; not sure if it is a stranger's.
    """
    like = own.likeness(around(frame, candidate))
    kind, value = like.die
    if like.same < STRANGE:
        return replace(die, sure=False, stranger=True)
    known = like.same >= KNOWN and like.same - like.other >= APART and not die.cocked
    if known and (not die.sure or (die.kind, die.value) == like.die):
        return DieReading(kind, value, max(die.confidence, like.same), sure=True, box=die.box)
    return replace(die, sure=die.sure and (die.kind, die.value) == like.die)


def middle(frame: Pixels, candidate: Candidate) -> tuple[Pixels, float, float]:
    """The stored crop of a find, and where in it the middle of what is compared lies."""
    stored = stored_crop(frame, candidate)
    marks = look(stored).marks
    if marks and marks[0].score >= LEAST_MARK:
        return stored, marks[0].x, marks[0].y
    return stored, STORED / 2, STORED / 2


def face(stored: Pixels, x: float, y: float, turn_deg: float = 0.0, zoom: float = 1.0) -> Floats:
    """The disc about (x, y) without its shading, as numbers (MARK²,) of mean 0 and length 1."""
    view = warp(stored, mark_view(x, y, zoom * SPAN * STORED / ROOM, turn_deg), MARK)
    grey = cv2.GaussianBlur(cv2.cvtColor(view, cv2.COLOR_BGR2GRAY), (0, 0), 0.8).astype(np.float32)
    grey -= cv2.GaussianBlur(grey, (0, 0), COARSE)
    inner = (grey - grey[DISC].mean()) * DISC
    return np.asarray((inner / (np.linalg.norm(inner) + 1e-3)).ravel(), np.float32)


def around(frame: Pixels, candidate: Candidate) -> Floats:
    """The face of a find in every turn, zoom and shift that is compared, (n, MARK²)."""
    stored, x, y = middle(frame, candidate)
    return np.stack(
        [
            face(stored, x + right, y + down, turn, zoom)
            for turn in TURNS_DEG
            for zoom in ZOOMS
            for right, down in SHIFTS
        ]
    )


def prototype(frame: Pixels, candidate: Candidate) -> Floats:
    """The face (MARK²,) of a find as it lies."""
    return face(*middle(frame, candidate))
