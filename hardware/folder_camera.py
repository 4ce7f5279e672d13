"""A folder of photographs as a camera: one photograph per frame, in the natural order of their names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardware.photograph import ENDINGS, PhotographError, load_photograph
from hardware.ports import Degraded, Frame

if TYPE_CHECKING:
    from pathlib import Path

    from hardware.ports import Clock


class FolderCamera:
    """Returns each photograph of a folder once; `degraded` names a fault of the folder or of a photograph."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder = folder
        self.clock = clock
        self.degraded: Degraded | None = None
        self.waiting: list[Path] = []

    def start(self) -> None:
        """Lists the photographs; starts again from the first after a stop."""
        if self.waiting:
            return
        try:
            files = [path for path in self.folder.iterdir() if path.suffix.lower() in ENDINGS]
        except OSError as error:
            self.degraded = Degraded(
                f"{self.folder} cannot be opened: {error.strerror}", "name a folder of photographs"
            )
            return
        self.waiting = sorted(files, key=natural)
        self.degraded = (
            None if files else Degraded(f"{self.folder} has no photographs", "put JPEG or PNG files in it")
        )

    @property
    def left(self) -> int:
        """The number of photographs not returned yet."""
        return len(self.waiting)

    def frame(self, timeout_s: float) -> Frame | None:  # noqa: ARG002 - photographs are there or not
        """The next photograph; None if it cannot be read (`degraded` says why) or there are no more."""
        self.degraded = None
        if not self.waiting:
            return None
        path = self.waiting.pop(0)
        try:
            photograph = load_photograph(path)
        except PhotographError as error:
            self.degraded = Degraded(f"{path}: {error}", "take it out of the folder or replace it")
            return None
        return Frame(photograph.pixels, self.clock.now_s(), path.name)

    def stop(self) -> None:
        """Discards the photographs not returned yet."""
        self.waiting = []


def natural(path: Path) -> list[tuple[int, str]]:
    """A sort key that puts photo2 before photo10."""
    return [
        (int(part), "") if part.isdecimal() else (0, part.lower()) for part in re.split(r"(\d+)", path.name)
    ]
