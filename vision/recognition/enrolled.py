"""The enrolled dice, the table's own, as they are kept: how each of their faces looks in some pictures."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from io import BytesIO
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import FACES, KINDS, Die
from vision.recognition.crops import SYMBOL_PX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

Floats: TypeAlias = npt.NDArray[Any]

FORMAT = 3
"""Version of the file …"""
FORMATS = (2, FORMAT)
"""… and those that are read; another is refused."""
MOST_OF_A_FACE = 16
"""Pictures of one face that are kept: the newest."""
LONGEST_ID = 60
"""Letters of a picture's name that name its die."""
LONGEST_NAME = 80
"""Letters that are kept of a picture's name."""
PLAINLY = 3.0
"""Log odds from which a die is one enrolled die and not another with the same face."""
NAMED = re.compile(r"(?<![a-z0-9])(d4|d6|d8|d10|d12|d20)-(\d{1,2})(?!\d)", re.IGNORECASE)
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


class Likeness(NamedTuple):
    """How much a die looks like each enrolled face.

    The faces, each once; how alike the reliefs are (m,), −1 … 1; how far the colours are apart (m,).
    """

    dice: tuple[Die, ...]
    alike: Floats
    tinted: Floats


@dataclass(frozen=True)
class EnrolledDice:
    """Prototypes of the enrolled dice.

    What each shows, its relief (n, SYMBOL_PX²), its colour (n, 3), and what its picture was called, if that
    was kept.
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
        kept = sorted(numbers)
        return EnrolledDice(
            tuple(self.shows[i] for i in kept),
            self.reliefs[kept],
            self.tints[kept],
            tuple(self.names[i] for i in kept) if self.names else (),
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
        kept = []
        for i in reversed(range(len(both.shows))):
            later[both.shows[i]] += 1
            if later[both.shows[i]] <= MOST_OF_A_FACE:
                kept.append(i)
        return both.only(kept)

    def likeness(self, views: Floats, tint: Floats) -> Likeness:
        """How like a die is whose face looks so in every turn, (k, SYMBOL_PX²), and has this colour (3,)."""
        alike = (self.reliefs @ views.T).max(1)
        far = np.linalg.norm(self.tints - tint, axis=1)
        dice = tuple(sorted(set(self.shows)))
        own = np.array([[show == die for show in self.shows] for die in dice])
        return Likeness(dice, np.where(own, alike, -1.0).max(1), np.where(own, far, np.inf).min(1))

    def which(
        self, die: Die, views: Floats, tint: Floats, logit: Callable[[float, float], float]
    ) -> str | None:
        """Which enrolled die shows this face, by the names of its pictures; None if it may be another.

        `logit` is how much likeness and distance of colour speak for a die. Learned pictures have no colour
        of their own and no name: they tell no two dice apart.
        """
        best: dict[str, float] = {}
        for i, name in enumerate(self.names):
            if self.shows[i] == die and np.isfinite(self.tints[i]).all():
                alike = float((views @ self.reliefs[i]).max())
                speaks = logit(alike, float(np.linalg.norm(self.tints[i] - tint)))
                each = die_id(name)
                best[each] = max(best.get(each, -np.inf), speaks)
        first, *others = sorted(best, key=lambda each: -best[each]) or [""]
        if not first or (others and best[first] - best[others[0]] < PLAINLY):
            return None
        return first

    def packed(self) -> bytes:
        """The content of a file that holds them, for `load`."""
        kinds = [KINDS.index(kind) for kind, _ in self.shows]
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
        """Reads a file of what `packed` gave.

        Raises:
            EnrolledDiceError: the file is missing, damaged or of another version.
        """
        again = "enrol the dice again with `dicetable enrol`"
        try:
            found = path.stat()
            if not S_ISREG(found.st_mode):
                raise EnrolledDiceError(f"{path} is no file: name the one that `dicetable enrol --out` wrote")
            if found.st_size > MOST_BYTES:
                raise EnrolledDiceError(f"{path} is too large to hold enrolled dice: {again}")
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                if sum(entry.file_size for entry in stored.zip.infolist()) > MOST_BYTES:
                    raise EnrolledDiceError(f"{path} is too large to hold enrolled dice: {again}")
                if int(stored["format"]) not in FORMATS:
                    raise EnrolledDiceError(f"{path} was written by another version: {again}")
                kinds = dict(enumerate(KINDS))
                shows = tuple(
                    (kinds[int(k)], int(v)) for k, v in zip(stored["kinds"], stored["values"], strict=True)
                )
                names = tuple(str(name) for name in stored["names"]) if "names" in stored else ()
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
        faces = all(1 <= value <= FACES[kind] for kind, value in shows)
        shape = (len(shows), SYMBOL_PX * SYMBOL_PX)
        whole = faces and reliefs.shape == shape and tints.shape == (len(shows), 3)
        whole &= len(names) in (0, len(shows))
        if not shows or not whole or not np.isfinite(reliefs).all() or not np.isfinite(tints).all():
            raise EnrolledDiceError(f"{path} is damaged: {again}")
        return cls(shows, reliefs, tints, names)
