"""The files of a calibrated rig: the tray as its camera sees it, the empty tray, and the lens.

They lie in one folder:

- tray.json: where the markers lie on the tray, and where the camera saw them.
- empty.png: the empty tray.
- lens.json: intrinsics and distortion in OpenCV's terms, from the printed lens sheet; optional.
- focal.json: the focal length of a lens that was never calibrated, as dice have shown it. It belongs to one
  tray.json by its checksum, and is void with any other.
"""

import errno
import hashlib
import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from common import texts
from common.files import atomic_write, read_file
from dicetable.eye.previous import keep_previous
from hardware.photograph import PhotographError, load_photograph
from vision.reading import Image
from vision.tray.camera import COEFFICIENTS, LENSES, FocalLength, Lens
from vision.tray.markers import IDS
from vision.tray.pose import Tray, place
from vision.tray.tracking import TrayWatch

TRAY_FILE: Final = "tray.json"
BACKGROUND_FILE: Final = "empty.png"
LENS_FILE: Final = "lens.json"
FOCAL_FILE: Final = "focal.json"
MOST_JSON: Final = 20_000
LARGEST_PX: Final = 4096
REMEDY: Final = "run `dicetable calibrate` again"
LENS_REMEDY: Final = "run `dicetable calibrate --lens` again, or delete it"
REST_S: Final = 600.0
"""Shortest time between two writes of focal.json: an SD card wears."""
WORTH: Final = 0.01
"""The focal length is written again if it has changed by this part."""
BETTER: Final = 0.9
"""The focal length is also written again if its error is smaller than this part of the old one."""

Pixels = Annotated[int, Field(ge=32, le=LARGEST_PX)]
Number = Annotated[float, Field(ge=-1e5, le=1e5, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, le=1e5, allow_inf_nan=False)]
Corners = Annotated[tuple[tuple[Number, Number], ...], Field(min_length=4, max_length=4)]
Markers = Annotated[dict[int, Corners], Field(min_length=3, max_length=4)]

log = logging.getLogger(__name__)


class CalibrationError(Exception):
    """A file of the rig cannot be read, used or written; the text says why and what to do."""


class TrayFile(BaseModel):
    """The content of tray.json: the markers' corners on the tray and in the picture.

    They go clockwise from each marker's own top left.
    """

    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    width_px: Pixels
    height_px: Pixels
    markers_mm: Markers
    markers_px: Markers


class LensFile(BaseModel):
    """The content of lens.json: focal lengths, principal point, k1 to k3, p1, p2, and their error."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    width_px: Pixels
    height_px: Pixels
    focal_px: tuple[Positive, Positive]
    centre_px: tuple[Number, Number]
    distortion: Annotated[tuple[Number, ...], Field(min_length=COEFFICIENTS, max_length=COEFFICIENTS)]
    error_px: Annotated[float, Field(ge=0, le=100)]
    focal_error: Annotated[float, Field(ge=0, le=10)]


class FocalFile(BaseModel):
    """The content of focal.json: focal length in parts of the frame's longer side, and its relative error."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    tray_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    sides: Annotated[float, Field(ge=LENSES[0], le=LENSES[1])]
    error: Annotated[float, Field(ge=0.001, le=1)]


File = TypeVar("File", TrayFile, LensFile, FocalFile)


def parsed(path: Path, kind: type[File], remedy: str) -> File | None:
    """The content of a file; None if there is no such file. Raises CalibrationError if it is damaged."""
    data = content(path)
    if data is None:
        return None
    try:
        return kind.model_validate_json(data)
    except ValidationError:
        raise CalibrationError(f"{path} is damaged; {remedy}") from None


def content(path: Path) -> bytes | None:
    """The bytes of a small file; None if there is none.

    Raises CalibrationError if it cannot be read, is too large or is no file.
    """
    try:
        return read_file(path, MOST_JSON)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        subject = path if error.errno in (errno.EFBIG, errno.EINVAL) else f"{path.parent} cannot be read:"
        raise CalibrationError(f"{subject} {error.strerror}; {REMEDY}") from None


def tray_files(folder: Path) -> list[Path]:
    """The files of a calibration that belong together."""
    return [folder / name for name in (TRAY_FILE, BACKGROUND_FILE, FOCAL_FILE)]


def lens_files(folder: Path) -> list[Path]:
    return [folder / LENS_FILE]


def write(folder: Path, files: dict[str, bytes], keeping: Sequence[Path]) -> None:
    """Writes files one by one, each whole or not at all, after `keeping` those that they replace.

    Raises CalibrationError.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        keep_previous(keeping)
        for name, data in files.items():
            atomic_write(folder / name, data)
    except OSError as error:
        raise CalibrationError(texts.health.not_written(error, folder)) from None


@dataclass(frozen=True, slots=True)
class Calibration:
    """How the camera saw the empty tray when the rig was calibrated."""

    tray: Tray
    background: Image

    def save(self, folder: Path) -> None:
        """Writes tray.json and empty.png. Raises CalibrationError."""
        height, width = self.background.shape[:2]
        markers = {number: corners.round(3).tolist() for number, corners in self.tray.markers.items()}
        layout = {number: corners.round(4).tolist() for number, corners in self.tray.layout.items()}
        file = TrayFile(width_px=width, height_px=height, markers_mm=layout, markers_px=markers)
        done, packed = cv2.imencode(".png", self.background)
        if not done:
            raise CalibrationError("the picture of the empty tray cannot be packed")
        write(
            folder,
            {BACKGROUND_FILE: packed.tobytes(), TRAY_FILE: file.model_dump_json(indent=1).encode()},
            keeping=tray_files(folder),
        )


def load_calibration(folder: Path) -> Calibration | None:
    """The calibration of the rig, with its lens; None if it was never calibrated. Raises CalibrationError."""
    file = load_tray(folder)
    if file is None:
        return None
    try:
        background = load_photograph(folder / BACKGROUND_FILE, work_px=LARGEST_PX).pixels
    except PhotographError as error:
        raise CalibrationError(f"{folder / BACKGROUND_FILE}: {error}; {REMEDY}") from None
    if background.shape[:2] != (file.height_px, file.width_px):
        raise CalibrationError(f"{folder / BACKGROUND_FILE} does not fit {TRAY_FILE}; {REMEDY}")
    layout = {n: np.array(c, np.float64) for n, c in file.markers_mm.items() if n in IDS}
    corners = {n: np.array(c, np.float64) for n, c in file.markers_px.items() if n in IDS}
    tray = place(layout, corners, load_lens(folder, background.shape))
    if tray is None:
        raise CalibrationError(f"the files in {folder} are damaged; {REMEDY}")
    return Calibration(tray, background)


def load_tray(folder: Path) -> TrayFile | None:
    """Reads tray.json; None if the rig was never calibrated. Raises CalibrationError if it is damaged."""
    return parsed(folder / TRAY_FILE, TrayFile, REMEDY)


def load_lens(folder: Path, shape: tuple[int, ...]) -> Lens | None:
    """The lens, for frames of a shape; None if it was never calibrated.

    Raises CalibrationError for a damaged file, and for one that was made with frames of another size.
    """
    path = folder / LENS_FILE
    file = parsed(path, LensFile, LENS_REMEDY)
    if file is None:
        return None
    if (file.height_px, file.width_px) != tuple(shape[:2]):
        sizes = f"{file.width_px}x{file.height_px}, not {shape[1]}x{shape[0]}"
        raise CalibrationError(f"{path} is for frames of {sizes}; {LENS_REMEDY}")
    (across, down), (x, y) = file.focal_px, file.centre_px
    return Lens(
        matrix=np.array([[across, 0.0, x], [0.0, down, y], [0.0, 0.0, 1.0]]),
        distortion=np.array(file.distortion),
        shape=(file.height_px, file.width_px),
        error_px=file.error_px,
        focal_error=file.focal_error,
    )


def save_lens(lens: Lens, folder: Path) -> None:
    """Writes lens.json. Raises CalibrationError."""
    height, width = lens.shape
    file = LensFile(
        width_px=width,
        height_px=height,
        focal_px=(float(lens.matrix[0, 0]), float(lens.matrix[1, 1])),
        centre_px=(float(lens.matrix[0, 2]), float(lens.matrix[1, 2])),
        distortion=tuple(lens.distortion.tolist()),
        error_px=lens.error_px,
        focal_error=lens.focal_error,
    )
    write(folder, {LENS_FILE: file.model_dump_json(indent=1).encode()}, keeping=lens_files(folder))


def check_lens(folder: Path) -> None:
    """Raises CalibrationError if lens.json is damaged."""
    parsed(folder / LENS_FILE, LensFile, LENS_REMEDY)


def load_focal(folder: Path, checksum: str) -> FocalLength | None:
    """The focal length that belongs to the tray.json with this checksum; None if there is none.

    Raises CalibrationError for a damaged file.
    """
    file = parsed(folder / FOCAL_FILE, FocalFile, "it will be replaced")
    if file is None or file.tray_sha256 != checksum:
        return None
    return FocalLength(file.sides, file.error)


def save_focal(focal: FocalLength, folder: Path, checksum: str) -> None:
    """Writes focal.json, for the tray.json with this checksum. Raises OSError."""
    file = FocalFile(tray_sha256=checksum, sides=round(focal.sides, 5), error=round(focal.error, 5))
    atomic_write(folder / FOCAL_FILE, file.model_dump_json(indent=1).encode())


class KeptFocal:
    """Keeps the focal length that dice have shown in focal.json, so that a restart does not forget it.

    `place`, the tray as the eye tracks it, gets the focal length from the file.
    """

    def __init__(self, folder: Path, place: TrayWatch) -> None:
        self.folder = folder
        self.checksum: str | None = None
        self.kept: FocalLength | None = None
        self.kept_s = float("-inf")
        try:
            if (data := content(folder / TRAY_FILE)) is not None:
                self.checksum = hashlib.sha256(data).hexdigest()
                self.kept = load_focal(folder, self.checksum)
        except CalibrationError as error:
            log.warning("focal=unusable error=%r", str(error))
        if self.kept is not None:
            place.recall(self.kept)

    def saw(self, place: TrayWatch, time_s: float) -> None:
        """Dice were read: if the focal length is now known better, a thread writes it."""
        tray, checksum, stored = place.tray, self.checksum, self.kept
        if tray is None or tray.lens is not None or tray.focal is None or checksum is None:
            return
        focal = tray.focal
        if time_s < self.kept_s + REST_S:
            return
        if (
            stored is not None
            and abs(focal.sides / stored.sides - 1) < WORTH
            and focal.error >= BETTER * stored.error
        ):
            return
        self.kept, self.kept_s = focal, time_s
        threading.Thread(target=self.keep, args=(focal, checksum), name="focal", daemon=True).start()

    def keep(self, focal: FocalLength, checksum: str) -> None:
        """Writes the file, or logs why that is impossible."""
        try:
            save_focal(focal, self.folder, checksum)
        except OSError as error:
            log.warning("focal=unwritable error=%r", error.strerror or str(error))
