"""Keeps what dice told of the focal length beside the calibration, so that a restart does not forget it."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

from dicetable.calibration.lens_file import load_focal, save_focal, tray_checksum
from dicetable.calibration.tray_file import CalibrationError

if TYPE_CHECKING:
    from pathlib import Path

    from vision.tray.camera import FocalLength
    from vision.tray.tracking import TrayWatch

REST_S: Final = 600.0
"""Shortest time between two writes: an SD card wears."""
WORTH: Final = 0.01
"""Least relative change of the focal length that is written ..."""
BETTER: Final = 0.9
"""... unless its error has become smaller than this part of what it was."""

log = logging.getLogger(__name__)


class KeptFocal:
    """Takes up what was kept for the rig in this folder, and keeps what is learned since.

    Args:
        folder: of the calibration that the eye watches by.
        place: the tray as the eye tracks it.
    """

    def __init__(self, folder: Path, place: TrayWatch) -> None:
        self.folder = folder
        self.checksum: str | None = None
        self.kept: FocalLength | None = None
        self.kept_s = float("-inf")
        try:
            self.checksum = tray_checksum(folder)
            if self.checksum is not None:
                self.kept = load_focal(folder, self.checksum)
        except CalibrationError as error:
            log.warning("focal=unusable error=%r", str(error))
        if self.kept is not None:
            place.recall(self.kept)

    def saw(self, place: TrayWatch, time_s: float) -> None:
        """Dice were read at that time. If they told much that is new it is written, by a thread."""
        tray, checksum = place.tray, self.checksum
        if tray is None or tray.lens is not None or tray.focal is None or checksum is None:
            return
        if time_s < self.kept_s + REST_S or not worth_keeping(tray.focal, self.kept):
            return
        self.kept, self.kept_s = tray.focal, time_s
        threading.Thread(target=self.keep, args=(tray.focal, checksum), name="focal", daemon=True).start()

    def keep(self, focal: FocalLength, checksum: str) -> None:
        """Writes it; that it cannot be written is logged."""
        try:
            save_focal(focal, self.folder, checksum)
        except OSError as error:
            log.warning("focal=unwritable error=%r", error.strerror or str(error))


def worth_keeping(focal: FocalLength, kept: FocalLength | None) -> bool:
    """Whether this differs enough from what is kept."""
    if kept is None:
        return True
    return abs(focal.sides / kept.sides - 1) >= WORTH or focal.error < BETTER * kept.error
