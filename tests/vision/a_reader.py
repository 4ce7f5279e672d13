"""One reader with the usual nets and settings, for all tests that read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vision.reader import DiceReader
from vision.tray.camera import SceneWidth

if TYPE_CHECKING:
    from vision.reading import Image, Reading

READER = DiceReader()


def read_dice(frame: Image, background: Image | None = None, tray_mm: float | None = None) -> Reading:
    """What it reads in a frame."""
    return READER.read(frame, None if tray_mm is None else SceneWidth(tray_mm), background)
