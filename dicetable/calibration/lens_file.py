"""lens.json of a calibrated lens, beside tray.json: intrinsics and distortion in OpenCV's terms."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dicetable import texts
from dicetable.calibration.tray_file import LARGEST_PX, MOST_JSON, CalibrationError, Number, read
from dicetable.files.atomic_write import atomic_write
from vision.tray.lens import COEFFICIENTS, Lens

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
