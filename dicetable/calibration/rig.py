"""What is known of a rig: its lens, how its camera sees the tray, and the empty tray. Files in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from dicetable import texts
from dicetable.calibration.lens_file import load_lens
from dicetable.calibration.tray_file import (
    LARGEST_PX,
    REMEDY,
    TRAY_FILE,
    CalibrationError,
    TrayFile,
    load_tray,
)
from dicetable.files import atomic_write
from hardware.photograph import PhotographError, load_photograph
from vision.tray.markers import IDS
from vision.tray.pose import Tray, place

if TYPE_CHECKING:
    from pathlib import Path

    from vision.reading import Image

BACKGROUND_FILE: Final = "empty.png"


@dataclass(frozen=True, slots=True)
class Calibration:
    """How the camera saw the empty tray when the rig was calibrated."""

    tray: Tray
    background: Image

    def save(self, folder: Path) -> None:
        """Writes both files; CalibrationError if that cannot be done."""
        height, width = self.background.shape[:2]
        markers = {number: corners.round(3).tolist() for number, corners in self.tray.markers.items()}
        layout = {number: corners.round(4).tolist() for number, corners in self.tray.layout.items()}
        told = TrayFile(version=1, width_px=width, height_px=height, markers_mm=layout, markers_px=markers)
        done, packed = cv2.imencode(".png", self.background)
        if not done:
            raise CalibrationError("the picture of the empty tray cannot be packed")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            files = {BACKGROUND_FILE: packed.tobytes(), TRAY_FILE: told.model_dump_json(indent=1).encode()}
            for name, data in files.items():  # a table that starts meanwhile must not see half a file
                atomic_write(folder / name, data)
        except OSError as error:
            raise CalibrationError(texts.disk.not_written(error, folder)) from None


def load(folder: Path) -> Calibration | None:
    """What is known of the rig; None if it was never calibrated; CalibrationError for damaged files."""
    told = load_tray(folder)
    if told is None:
        return None
    try:
        background = load_photograph(folder / BACKGROUND_FILE, work_px=LARGEST_PX).pixels
    except PhotographError as error:
        raise CalibrationError(f"{folder / BACKGROUND_FILE}: {error}; {REMEDY}") from None
    if background.shape[:2] != (told.height_px, told.width_px):
        raise CalibrationError(f"{folder / BACKGROUND_FILE} does not fit {TRAY_FILE}; {REMEDY}")
    layout = {n: np.array(c, np.float64) for n, c in told.markers_mm.items() if n in IDS}
    seen = {n: np.array(c, np.float64) for n, c in told.markers_px.items() if n in IDS}
    tray = place(layout, seen, load_lens(folder, background.shape))
    if tray is None:
        raise CalibrationError(f"the files in {folder} are damaged; {REMEDY}")
    return Calibration(tray, background)
