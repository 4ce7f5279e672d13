"""tray.json of a calibrated rig, read without OpenCV: where the markers lie, and are seen."""

from __future__ import annotations

import errno
import json
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dicetable.files import read_file

if TYPE_CHECKING:
    from pathlib import Path

FOLDER: Final = "calibration"
"""Where the files of a rig are, in the ledger's folder."""
TRAY_FILE: Final = "tray.json"
MOST_JSON: Final = 20_000
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


def load_tray(folder: Path) -> TrayFile | None:
    """The file in the folder; None if the rig was never calibrated; CalibrationError if it is damaged."""
    if not (folder / TRAY_FILE).exists():
        return None
    text = read(folder / TRAY_FILE, MOST_JSON)
    try:
        return TrayFile.model_validate(json.loads(text))
    except (ValidationError, ValueError, RecursionError):
        raise CalibrationError(f"{folder / TRAY_FILE} is damaged; {REMEDY}") from None


def read(path: Path, most: int) -> bytes:
    """A file of bounded size; CalibrationError if it cannot be read, or is too large or no file."""
    try:
        return read_file(path, most)
    except OSError as error:
        told = path if error.errno in (errno.EFBIG, errno.EINVAL) else f"{path.parent} cannot be read:"
        raise CalibrationError(f"{told} {error.strerror}; {REMEDY}") from None
