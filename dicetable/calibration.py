"""What is known of a rig: how its camera sees the tray, and the empty tray. Two files in a folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vision.markers import IDS
from vision.tray import Tray, place

if TYPE_CHECKING:
    from pathlib import Path

    from vision.reading import Image

TRAY_FILE: Final = "tray.json"
EMPTY_FILE: Final = "empty.png"
MOST_JSON: Final = 20_000
MOST_PICTURE: Final = 30_000_000
LARGEST_PX: Final = 4096
REMEDY: Final = "run `dicetable calibrate` again"

Number = Annotated[float, Field(ge=-1e5, le=1e5, allow_inf_nan=False)]
Corners = Annotated[tuple[tuple[Number, Number], ...], Field(min_length=4, max_length=4)]


class CalibrationError(Exception):
    """The files cannot be used, or not be written; the text says why and what to do."""


class TrayFile(BaseModel):
    """tray.json: the markers' corners on the tray and in the picture, from their own top left clockwise."""

    model_config = ConfigDict(extra="forbid", strict=False)

    version: Literal[1]
    width_px: Annotated[int, Field(ge=32, le=LARGEST_PX)]
    height_px: Annotated[int, Field(ge=32, le=LARGEST_PX)]
    markers_mm: Annotated[dict[int, Corners], Field(min_length=3, max_length=4)]
    markers_px: Annotated[dict[int, Corners], Field(min_length=3, max_length=4)]


@dataclass(frozen=True, slots=True)
class Calibration:
    """How the camera saw the empty tray when the rig was calibrated."""

    tray: Tray
    empty: Image

    def save(self, folder: Path) -> None:
        """Writes both files; CalibrationError if that cannot be done."""
        height, width = self.empty.shape[:2]
        markers = {number: corners.round(3).tolist() for number, corners in self.tray.markers.items()}
        layout = {number: corners.round(4).tolist() for number, corners in self.tray.layout.items()}
        told = TrayFile(version=1, width_px=width, height_px=height, markers_mm=layout, markers_px=markers)
        done, packed = cv2.imencode(".png", self.empty)
        if not done:
            raise CalibrationError("the picture of the empty tray cannot be packed")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            files = {EMPTY_FILE: packed.tobytes(), TRAY_FILE: told.model_dump_json(indent=1).encode()}
            for name, data in files.items():
                # Whole or not at all: a table that starts meanwhile must not see half a file.
                new = folder / f".{name}.new"
                new.write_bytes(data)
                new.replace(folder / name)
        except OSError as error:
            raise CalibrationError(f"{folder} cannot be written: {error.strerror}") from None


def load(folder: Path) -> Calibration | None:
    """What is known of the rig; None if it was never calibrated; CalibrationError for damaged files."""
    if not (folder / TRAY_FILE).exists():
        return None
    try:
        text = read(folder / TRAY_FILE, MOST_JSON)
        packed = read(folder / EMPTY_FILE, MOST_PICTURE)
    except OSError as error:
        raise CalibrationError(f"{folder} cannot be read: {error.strerror}; {REMEDY}") from None
    try:
        told = TrayFile.model_validate(json.loads(text))
    except (ValidationError, ValueError, RecursionError):
        raise CalibrationError(f"{folder / TRAY_FILE} is damaged; {REMEDY}") from None
    size = png_size(packed)
    if size != (told.width_px, told.height_px):
        raise CalibrationError(f"{folder / EMPTY_FILE} does not fit {TRAY_FILE}; {REMEDY}")
    empty = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR)
    layout = {n: np.array(c, np.float64) for n, c in told.markers_mm.items() if n in IDS}
    seen = {n: np.array(c, np.float64) for n, c in told.markers_px.items() if n in IDS}
    tray = place(layout, seen)
    if tray is None or empty is None:
        raise CalibrationError(f"the files in {folder} are damaged; {REMEDY}")
    return Calibration(tray, np.asarray(empty, np.uint8))


def read(path: Path, most: int) -> bytes:
    """A file of bounded size."""
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise CalibrationError(f"{path} is too large; {REMEDY}")
    return data


def png_size(data: bytes) -> tuple[int, int] | None:
    """Width and height as a PNG's header has them, before anything is unpacked."""
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[12:16] != b"IHDR":
        return None
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
