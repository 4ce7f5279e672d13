"""focal.json of a rig whose lens was never calibrated, beside tray.json: what dice told of its focal length.

It belongs to one calibration of the tray, by the checksum of tray.json, and is void with any other.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dicetable.calibration.tray_file import MOST_JSON, TRAY_FILE, CalibrationError, read
from dicetable.files.atomic_write import atomic_write
from vision.tray.camera_pose import LENSES, FocalLength

if TYPE_CHECKING:
    from pathlib import Path

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
