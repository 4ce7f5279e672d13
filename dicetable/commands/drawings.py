"""The folder into which `read` draws its readings: one picture per photograph, never over another file.

A drawing contains a marker that identifies it, so that only drawings are overwritten the next time.
"""

from __future__ import annotations

import zlib
from itertools import chain, count
from typing import TYPE_CHECKING

from dicetable import files

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from vision.reading import Image, Reading


HEADER_BYTES = 33
"""The start of every PNG: its signature, and the chunk with its size."""


def chunk(kind: bytes, data: bytes) -> bytes:
    """A PNG chunk, as in the specification."""
    return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)


SIGNED = chunk(b"tEXt", b"Software\0dicetable read --annotate")
"""The marker chunk that follows a drawing's header."""


class DrawingError(Exception):
    """The reading cannot be drawn there; the text says where, why and what to do."""


class Drawings:
    """Pictures in a folder, named after the photographs; never over `kept` or one of this run."""

    def __init__(self, folder: Path, kept: Iterable[Path]) -> None:
        self.folder = folder
        self.kept = list(kept)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise DrawingError(f"{folder}: it is a file: name a folder for the pictures") from None
        except OSError as error:
            from dicetable import texts

            why = f"it cannot be made ({error.strerror})"
            raise DrawingError(f"{folder}: {why}: {texts.health.disk_remedy(error, folder)}") from None

    def draw(self, photograph: Path, pixels: Image, reading: Reading) -> None:
        """Draws a reading of the photograph's pixels. Raises DrawingError if it cannot be written."""
        import cv2

        from vision.annotate import annotate

        target = self.free(photograph.stem)
        self.kept.append(target)
        _, png = cv2.imencode(".png", annotate(pixels, reading))
        try:
            files(target, png[:HEADER_BYTES].tobytes() + SIGNED + png[HEADER_BYTES:].tobytes())
        except OSError as error:
            from dicetable import texts

            raise DrawingError(texts.health.not_written(error, target)) from None

    def free(self, stem: str) -> Path:
        """The first of stem.png, stem-2.png, stem-3.png … that is free or an earlier drawing."""
        names = chain([f"{stem}.png"], (f"{stem}-{number}.png" for number in count(2)))
        return next(
            target
            for target in (self.folder / name for name in names)
            if not any(same_file(target, other) for other in self.kept) and not is_strange(target)
        )


def is_strange(path: Path) -> bool:
    """Whether a file exists that is not a drawing."""
    try:
        with path.open("rb") as file:
            return SIGNED not in file.read(HEADER_BYTES + len(SIGNED))
    except FileNotFoundError:
        return False
    except OSError:
        return path.is_file()


def same_file(one: Path, other: Path) -> bool:
    """Whether both paths lead to the same file, existing or not, through any links."""
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()
