"""lens.json and focal.json beside tray.json: the calibrated lens, or what dice told of one that never was.

lens.json has intrinsics and distortion in OpenCV's terms. focal.json belongs to one calibration of the tray,
by the checksum of tray.json, and is void with any other.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Annotated, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dicetable import texts
from dicetable.calibration.tray_file import LARGEST_PX, MOST_JSON, TRAY_FILE, CalibrationError, Number, read
from dicetable.files.atomic_write import atomic_write
from vision.tray.camera import COEFFICIENTS, LENSES, FocalLength, Lens

if TYPE_CHECKING:
    from pathlib import Path

LENS_FILE: Final = "lens.json"
REMEDY: Final = "run `dicetable calibrate --lens` again, or delete it"

Positive = Annotated[float, Field(gt=0, le=1e5, allow_inf_nan=False)]
Coefficients = Annotated[tuple[Number, ...], Field(min_length=COEFFICIENTS, max_length=COEFFICIENTS)]


class LensFile(BaseModel):
    """lens.json: focal lengths and principal point in pixels; k1, k2, p1, p2, k3; how well they fitted."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    width_px: Annotated[int, Field(ge=32, le=LARGEST_PX)]
    height_px: Annotated[int, Field(ge=32, le=LARGEST_PX)]
    focal_px: tuple[Positive, Positive]
    centre_px: tuple[Number, Number]
    distortion: Coefficients
    error_px: Annotated[float, Field(ge=0, le=100)]
    focal_error: Annotated[float, Field(ge=0, le=10)]


def load_lens(folder: Path, shape: tuple[int, ...]) -> Lens | None:
    """The lens of the rig for frames of a shape; None if it was never calibrated.

    Raises CalibrationError for a damaged file, and for one that was made with frames of another size.
    """
    path = folder / LENS_FILE
    if not path.exists():
        return None
    try:
        told = LensFile.model_validate(json.loads(read(path, MOST_JSON)))
    except (ValidationError, ValueError, RecursionError):
        raise CalibrationError(f"{path} is damaged; {REMEDY}") from None
    if (told.height_px, told.width_px) != tuple(shape[:2]):
        sizes = f"{told.width_px}x{told.height_px}, not {shape[1]}x{shape[0]}"
        raise CalibrationError(f"{path} is for frames of {sizes}; {REMEDY}")
    (across, down), (x, y) = told.focal_px, told.centre_px
    return Lens(
        matrix=np.array([[across, 0.0, x], [0.0, down, y], [0.0, 0.0, 1.0]]),
        distortion=np.array(told.distortion),
        shape=(told.height_px, told.width_px),
        error_px=told.error_px,
        focal_error=told.focal_error,
    )


def save_lens(lens: Lens, folder: Path) -> None:
    """Writes the file; CalibrationError if that cannot be done."""
    height, width = lens.shape
    told = LensFile(
        width_px=width,
        height_px=height,
        focal_px=(float(lens.matrix[0, 0]), float(lens.matrix[1, 1])),
        centre_px=(float(lens.matrix[0, 2]), float(lens.matrix[1, 2])),
        distortion=tuple(lens.distortion.tolist()),
        error_px=lens.error_px,
        focal_error=lens.focal_error,
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        atomic_write(folder / LENS_FILE, told.model_dump_json(indent=1).encode())
    except OSError as error:
        raise CalibrationError(texts.disk.not_written(error, folder)) from None


FOCAL_FILE: Final = "focal.json"


class FocalFile(BaseModel):
    """focal.json: the focal length in parts of the frame's longer side, and its relative error."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    tray_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    sides: Annotated[float, Field(ge=LENSES[0], le=LENSES[1])]
    error: Annotated[float, Field(ge=0.001, le=1)]


def tray_checksum(folder: Path) -> str | None:
    """The SHA-256 of tray.json; None if the rig was never calibrated."""
    if not (folder / TRAY_FILE).exists():
        return None
    return hashlib.sha256(read(folder / TRAY_FILE, MOST_JSON)).hexdigest()


def load_focal(folder: Path, checksum: str) -> FocalLength | None:
    """What dice told under the tray.json with this checksum; None if there is nothing.

    Raises CalibrationError for a damaged file.
    """
    path = folder / FOCAL_FILE
    if not path.exists():
        return None
    try:
        told = FocalFile.model_validate(json.loads(read(path, MOST_JSON)))
    except (ValidationError, ValueError, RecursionError):
        raise CalibrationError(f"{path} is damaged; it will be replaced") from None
    return FocalLength(told.sides, told.error) if told.tray_sha256 == checksum else None


def save_focal(focal: FocalLength, folder: Path, checksum: str) -> None:
    """Writes the file, for the tray.json with this checksum. Raises OSError."""
    told = FocalFile(tray_sha256=checksum, sides=round(focal.sides, 5), error=round(focal.error, 5))
    atomic_write(folder / FOCAL_FILE, told.model_dump_json(indent=1).encode())
