"""The answers to questions about what the camera sees: the live picture, a reading explained, the wizards.

Calibrating and enrolling wait for still frames, which the eye's own loop hands over one by one; all other
work is done where it is asked.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from dicetable import texts
from dicetable.calibration.enrolling import box, laid_there, read_surely
from dicetable.calibration.lens_file import LENS_FILE, load_lens, save_lens
from dicetable.calibration.lens_views import VIEWS, LensViews
from dicetable.calibration.rig import Calibration
from dicetable.calibration.rig_findings import BAD, GOOD, look_at_rig, picture
from dicetable.calibration.stills import FRAMES, PATIENCE_S, StillFrames
from dicetable.calibration.tray_file import TRAY_FILE, CalibrationError
from dicetable.config.devices import OWN_DICE
from dicetable.eye import live_picture
from dicetable.eye.evidence import LARGE, packed
from dicetable.eye.kept_focal import KeptFocal
from dicetable.eye.own_dice import OwnDice
from dicetable.files.atomic_write import atomic_write
from games.dice import FACES
from vision.observer import Observer
from vision.recognition.enrolled import EnrolledDice, EnrolledDiceError, gallery_beside
from vision.tray.camera import LensError, fit_lens
from vision.tray.markers import IDS, find_markers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dicetable.calibration.rig_findings import Findings
    from dicetable.eye.in_process import InProcessEye
    from games.dice import Die
    from hardware.ports import Frame
    from vision.reading import Image
    from vision.recognition.enrolled import Prototype

    Answer = tuple[dict[str, Any], bytes]

METERS_S: Final = 0.7
"""Shortest time between two updates of the meters, which take ten times as long as the picture."""
FRAME_S: Final = 1.0
FRAME_LOOKS: Final = 50
"""How long, and how often in that time, to look for the next frame."""


class AwaitedStills(StillFrames):
    """Still frames that the eye's loop feeds and a thread waits for."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.whole = threading.Event()

    def feed(self, frame: Frame) -> bool:
        """Takes one more frame."""
        if super().feed(frame):
            self.whole.set()
        return self.whole.is_set()

    def awaited(self) -> Image | None:
        """The mean of the frames; None if the tray does not come to rest within PATIENCE_S."""
        return self.mean() if self.whole.wait(PATIENCE_S) else None


class Wizards:
    """Answers questions, by name."""

    def __init__(self, eye: InProcessEye, calibration: Path | None, dice: Path | None) -> None:
        self.eye = eye
        self.calibration = calibration
        self.dice = dice
        self.stills: AwaitedStills | None = None
        self.findings: Findings | None = None
        self.sheet = LensViews()
        self.background: Image | None = None
        self.shown: list[tuple[Die, Prototype]] = []
        self.doubted: Die | None = None
        self.measured_s = float("-inf")
        self.meters: dict[str, Any] = {}
        self.answers: dict[str, Callable[[dict[str, Any]], Answer]] = {
            "view": self.view,
            "explain": self.explain,
            "rigged": self.rigged,
            "lens": self.look_at_lens_sheet,
            "keep_lens": self.keep_lens,
            "rig": self.rig,
            "keep_rig": self.keep_rig,
            "background": self.look_at_background,
            "face": self.face,
            "keep_dice": self.keep_dice,
        }

    def frame(self, frame: Frame) -> None:
        """The newest frame of the eye."""
        if self.stills is not None:
            self.stills.feed(frame)

    def still(self, count: int = FRAMES) -> Image | None:
        """A picture of the still tray; None if it does not come to rest."""
        self.stills = AwaitedStills(count)
        try:
            return self.stills.awaited()
        finally:
            self.stills = None

    def view(self, asked: dict[str, Any]) -> Answer:
        """What the camera sees now, with what is known of it drawn in."""
        frame = self.eye.newest
        if frame is None:
            return {"error": texts.health.CAMERA_SILENT}, b""
        tray = self.eye.observer.place.tray
        reading = self.eye.settled.reading if self.eye.settled is not None else None
        shown = live_picture.drawn(frame.pixels, tray, reading, grid=bool(asked.get("grid", True)))
        if not self.measured_s <= frame.time_s < self.measured_s + METERS_S:
            self.measured_s, self.meters = frame.time_s, live_picture.meters(frame.pixels, tray)
        return {**self.meters, "settled": reading is not None}, packed(shown, LARGE)

    def explain(self, _: dict[str, Any]) -> Answer:
        """The newest reading, die by die, with the picture that it was read from."""
        frame, settled = self.eye.newest, self.eye.settled
        if settled is None or frame is None:
            return {"time_s": None, "dice": []}, b""
        told = live_picture.explained(settled.reading, frame.pixels.shape)
        return {"time_s": settled.time_s, "dice": told}, packed(frame.pixels, LARGE)

    # Calibrating.

    def rigged(self, _: dict[str, Any]) -> Answer:
        """What of the rig is done: whether pictures come, with all markers, and what is calibrated."""
        frame, observer = self.eye.newest, self.eye.observer
        tray = observer.place.tray
        kept = (
            [] if self.calibration is None else [self.calibration / name for name in (LENS_FILE, TRAY_FILE)]
        )
        lens, calibrated = [path.exists() for path in kept] or [False, False]
        seen = frame is not None and (tray is not None or set(find_markers(frame.pixels)) >= set(IDS))
        return {
            "camera": frame is not None,
            "markers": seen,
            "lens": lens,
            "tray": calibrated,
            "dice": observer.enrolled is not None,
        }, b""

    def look_at_lens_sheet(self, asked: dict[str, Any]) -> Answer:
        """Looks for the lens sheet in two frames; takes the view if it is held still, and a new one.

        The picture shows in green where the sheet was held before, and in red where it is now.
        """
        if asked.get("begin"):
            self.sheet = LensViews()
        frame = self.eye.newest
        if frame is None:
            return {"error": texts.health.CAMERA_SILENT}, b""
        sheet = self.sheet
        taken = sheet.look(frame) is not None
        newer = self.newer(frame)
        taken = taken or (newer is not None and sheet.look(newer) is not None)
        shown = (newer or frame).pixels.copy()
        unit = max(1, round(shown.shape[1] / 900))
        for colour, corners in [(GOOD, each) for each in sheet.outer] + [(BAD, sheet.seen)]:
            if corners is not None:
                cv2.polylines(
                    shown, [corners.round().astype(np.int32)], isClosed=True, color=colour, thickness=2 * unit
                )
        told = {"views": len(sheet.views), "of": VIEWS, "seen": sheet.seen is not None, "taken": taken}
        return told, packed(shown, LARGE)

    def newer(self, frame: Frame) -> Frame | None:
        """The frame after this one; None if it does not come soon."""
        for _ in range(FRAME_LOOKS):
            newest = self.eye.newest
            if newest is not None and newest is not frame:
                return newest
            time.sleep(FRAME_S / FRAME_LOOKS)
        return None

    def keep_lens(self, _: dict[str, Any]) -> Answer:
        """Measures the lens in the views, and keeps it for the next calibration of the tray."""
        if self.calibration is None:
            return {"error": texts.operator.NO_FOLDER}, b""
        try:
            lens = fit_lens(self.sheet.views)
            save_lens(lens, self.calibration)
        except (LensError, CalibrationError) as error:
            return {"error": f"{error}."}, b""
        self.sheet = LensViews()
        return {"kept": str(self.calibration), "error_px": round(lens.error_px, 2)}, b""

    def rig(self, _: dict[str, Any]) -> Answer:
        """Looks at the empty tray: what is right and what is not, and a picture."""
        self.findings = None
        frame = self.still()
        if frame is None:
            return {"error": texts.rig.MOVES}, b""
        try:
            lens = None if self.calibration is None else load_lens(self.calibration, frame.shape)
        except CalibrationError as error:
            return {"error": str(error)}, b""
        self.findings = found = look_at_rig(frame, lens)
        told = [{"name": f.name, "good": f.good, "text": f.text, "remedy": f.remedy} for f in found.all]
        return {"usable": found.usable, "findings": told}, packed(picture(found)[: frame.shape[0]], LARGE)

    def keep_rig(self, _: dict[str, Any]) -> Answer:
        """Remembers how the camera sees the tray, and watches by that from now on."""
        found = self.findings
        if found is None or found.tray is None or not found.usable:
            return {"error": texts.operator.LOOK_FIRST}, b""
        if self.calibration is None:
            return {"error": texts.operator.NO_FOLDER}, b""
        try:
            Calibration(found.tray, found.frame).save(self.calibration)
        except CalibrationError as error:
            return {"error": str(error)}, b""
        old = self.eye.observer
        self.eye.observer = Observer(found.tray, found.frame, old.enrolled, old.progress, old.reader)
        self.eye.observer.damage = old.damage
        self.eye.focal = KeptFocal(self.calibration, self.eye.observer.place)
        self.findings = None
        return {"kept": str(self.calibration)}, b""

    # Enrolling.

    def look_at_background(self, _: dict[str, Any]) -> Answer:
        """Looks at the empty tray, and begins anew."""
        self.shown, self.doubted = [], None
        self.background = self.still(2)
        if self.background is None:
            return {"error": texts.rig.MOVES}, b""
        return {"begun": True}, packed(self.background, LARGE)

    def face(self, asked: dict[str, Any]) -> Answer:
        """Takes the one die that lies there for the face that it is said to show."""
        die = die_of(asked)
        if self.background is None or die is None:
            return {"error": texts.operator.EMPTY_FIRST}, b""
        frame = self.still(2)
        if frame is None or frame.shape != self.background.shape:
            return {"error": texts.rig.MOVES}, b""
        reader = self.eye.observer.reader
        detections = laid_there(frame, self.background, reader)
        if len(detections) != 1:
            return {"error": texts.enrolling.show_one(len(detections))}, packed(frame, LARGE)
        other = read_surely(frame, reader)
        if other is not None and other != die and self.doubted != die:
            self.doubted = die
            return {"error": texts.enrolling.looks_like(*other)}, packed(frame, LARGE)
        self.doubted = None
        self.shown.append((die, reader.prototype(frame, detections[0])))
        left, top, width, height = box(detections[0])
        margin = max(width, height) // 3
        crop = frame[
            max(0, top - margin) : top + height + margin, max(0, left - margin) : left + width + margin
        ]
        return {"taken": len(self.shown)}, packed(crop, LARGE)

    def keep_dice(self, asked: dict[str, Any]) -> Answer:
        """Writes the faces that were shown to the file of the table's own dice; `add`: beside those in it."""
        if not self.shown:
            return {"error": texts.operator.NO_FACES}, b""
        file = self.dice
        if file is None and self.calibration is not None:
            file = self.calibration.parent / OWN_DICE
        if file is None:
            return {"error": texts.operator.NO_FOLDER}, b""
        dice = EnrolledDice.of(self.shown)
        try:
            if asked.get("add") and file.exists():
                dice = EnrolledDice.load(file).joined(dice)
            else:  # what was learned may be of other dice
                gallery_beside(file).unlink(missing_ok=True)
            atomic_write(file, dice.packed())
        except EnrolledDiceError as error:
            return {"error": f"{error}."}, b""
        except OSError as error:
            return {"error": texts.disk.not_written(error, file)}, b""
        self.shown = []
        if self.eye.learns is None:
            self.eye.learns = OwnDice(file, lambda: self.eye.observer)
        self.eye.learns.refresh()
        return {"kept": str(file), "faces": len(set(dice.shows)), "configured": self.dice is not None}, b""


def die_of(asked: dict[str, Any]) -> Die | None:
    """The face that was named; None if there is none such."""
    for kind, faces in FACES.items():
        if asked.get("kind") == kind and type(asked.get("value")) is int and 1 <= asked["value"] <= faces:
            return kind, asked["value"]
    return None
