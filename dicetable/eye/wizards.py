"""Answers the operator's questions about what the camera sees: the live picture, a reading, the wizards.

They are given in a thread of their own (child.py), from the newest frames of the eye.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import cv2
import numpy as np

from common import texts
from dicetable.config.devices import OWN_DICE
from dicetable.eye import operator_view
from dicetable.eye.enrolling import FaceTaker, NotTakenError, dice_files, save_enrolled
from dicetable.eye.evidence import LARGE, packed
from dicetable.eye.in_process import InProcessEye
from dicetable.eye.operator_view import BAD, GOOD, Findings, look_at_rig, picture, unit_of
from dicetable.eye.own_dice import OwnDice
from dicetable.eye.previous import kept_since_s, swap
from dicetable.eye.rig import (
    LENS_FILE,
    TRAY_FILE,
    Calibration,
    CalibrationError,
    KeptFocal,
    check_lens,
    lens_files,
    load_calibration,
    load_lens,
    save_lens,
    tray_files,
)
from dicetable.eye.stills import FRAMES, PATIENCE_S, VIEWS, LensViews, NoFramesError, still_mean
from dicetable.eye.throwing import ThrowTaker
from games.dice import EVERY_KIND, Die, every_face
from hardware.ports import Frame
from vision.observer import Observer
from vision.reading import Image, Reading
from vision.recognition.enrolled import EnrolledDice, EnrolledDiceError, Prototype
from vision.tray.camera import LensError, fit_lens
from vision.tray.markers import IDS, find_markers

WizardAnswer: TypeAlias = tuple[dict[str, Any], bytes]

METERS_S: Final = 0.7
"""Shortest time between two updates of the meters, which take ten times as long as the picture."""
FRAME_S: Final = 1.0
FRAME_LOOKS: Final = 50
"""How long, and how often in that time, to look for the next frame."""


class Wizards:
    """Answers questions, by name.

    `calibration` is the folder of the rig's calibration, `dice` the file of the table's own dice.
    """

    def __init__(self, eye: InProcessEye, calibration: Path | None, dice: Path | None) -> None:
        self.eye = eye
        self.calibration = calibration
        self.dice = dice
        self.findings: Findings | None = None
        self.sheet = LensViews()
        self.taker: FaceTaker | None = None
        self.thrown: ThrowTaker | None = None
        self.shown: list[tuple[Die, Prototype]] = []
        self.measured_s = float("-inf")
        self.meters: dict[str, Any] = {}
        self.answers: dict[str, Callable[[dict[str, Any]], WizardAnswer]] = {
            "view": self.view,
            "explain": self.explain,
            "rigged": self.rigged,
            "lens": self.look_at_lens_sheet,
            "keep_lens": self.keep_lens,
            "rig": self.rig,
            "keep_rig": self.keep_rig,
            "background": self.look_at_background,
            "face": self.face,
            "throw": self.throw,
            "name": self.name,
            "keep_dice": self.keep_dice,
            "previous": self.previous,
            "put_back_dice": partial(self.put_back, "dice"),
            "put_back_lens": partial(self.put_back, "lens"),
            "put_back_rig": partial(self.put_back, "rig"),
        }

    def frames(self) -> Iterator[Frame]:
        """The eye's frames from now on, until none comes for PATIENCE_S."""
        frame = None
        while True:
            for _ in range(PATIENCE_S):
                newer = self.newer(frame)
                if newer is not None:
                    break
            else:
                return
            frame = newer
            yield frame

    def newer(self, frame: Frame | None) -> Frame | None:
        """The frame after this one; None if it does not come soon."""
        for _ in range(FRAME_LOOKS):
            newest = self.eye.newest
            if newest is not None and newest is not frame:
                return newest
            time.sleep(FRAME_S / FRAME_LOOKS)
        return None

    def still(self, count: int = FRAMES) -> Image | None:
        """A picture of the still tray; None if it does not come to rest."""
        try:
            return still_mean(self.frames(), count)
        except NoFramesError:
            return None

    def view(self, question: dict[str, Any]) -> WizardAnswer:
        """What the camera sees now, with what is known of it drawn in."""
        frame = self.eye.newest
        if frame is None:
            return {"error": texts.health.CAMERA_SILENT}, b""
        tray = self.eye.observer.place.tray
        reading = self.eye.settled.reading if self.eye.settled is not None else None
        shown = operator_view.drawn(frame.pixels, tray, reading, grid=bool(question.get("grid", True)))
        if not self.measured_s <= frame.time_s < self.measured_s + METERS_S:
            self.measured_s, self.meters = frame.time_s, operator_view.meters(frame.pixels, tray)
        return {**self.meters, "settled": reading is not None}, packed(shown, LARGE)

    def explain(self, _: dict[str, Any]) -> WizardAnswer:
        """The newest reading, die by die, with the picture that it was read from."""
        frame, settled = self.eye.newest, self.eye.settled
        if settled is None or frame is None:
            return {"time_s": None, "dice": []}, b""
        dice = operator_view.explained(settled.reading, frame.pixels.shape)
        return {"time_s": settled.time_s, "dice": dice}, packed(frame.pixels, LARGE)

    # Calibrating.

    def rigged(self, _: dict[str, Any]) -> WizardAnswer:
        """What of the rig is done: whether pictures come, with all markers, and what is calibrated."""
        frame, observer = self.eye.newest, self.eye.observer
        tray = observer.place.tray
        folder = self.calibration
        lens, calibrated = (
            folder is not None and (folder / name).exists() for name in (LENS_FILE, TRAY_FILE)
        )
        complete = frame is not None and (tray is not None or set(find_markers(frame.pixels)) >= set(IDS))
        return {
            "camera": frame is not None,
            "markers": complete,
            "lens": lens,
            "tray": calibrated,
            "dice": observer.enrolled is not None,
        }, b""

    def look_at_lens_sheet(self, question: dict[str, Any]) -> WizardAnswer:
        """Looks for the lens sheet in two frames; takes the view if it is held still, and a new one.

        The picture shows in green where the sheet was held before, and in red where it is now.
        """
        if question.get("begin"):
            self.sheet = LensViews()
        frame = self.eye.newest
        if frame is None:
            return {"error": texts.health.CAMERA_SILENT}, b""
        sheet = self.sheet
        taken = sheet.look(frame) is not None
        newer = self.newer(frame)
        taken = taken or (newer is not None and sheet.look(newer) is not None)
        shown = (newer or frame).pixels.copy()
        for colour, corners in [(GOOD, outline) for outline in sheet.outer] + [(BAD, sheet.seen)]:
            if corners is not None:
                outline = [corners.round().astype(np.int32)]
                cv2.polylines(shown, outline, isClosed=True, color=colour, thickness=2 * unit_of(shown))
        state = {"views": len(sheet.views), "of": VIEWS, "seen": sheet.seen is not None, "taken": taken}
        return state, packed(shown, LARGE)

    def keep_lens(self, _: dict[str, Any]) -> WizardAnswer:
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

    def rig(self, _: dict[str, Any]) -> WizardAnswer:
        """Looks at the empty tray: what is right and what is not, and a picture."""
        self.findings = None
        frame = self.still()
        if frame is None:
            return {"error": texts.rig.MOVES}, b""
        try:
            lens = None if self.calibration is None else load_lens(self.calibration, frame.shape)
        except CalibrationError as error:
            return {"error": str(error)}, b""
        self.findings = findings = look_at_rig(frame, lens)
        all_found = [
            {"name": f.name, "good": f.good, "text": f.text, "remedy": f.remedy} for f in findings.all
        ]
        return {"usable": findings.usable, "findings": all_found}, packed(
            picture(findings)[: frame.shape[0]], LARGE
        )

    def keep_rig(self, _: dict[str, Any]) -> WizardAnswer:
        """Remembers how the camera sees the tray, and watches by that from now on."""
        findings = self.findings
        if findings is None or findings.tray is None or not findings.usable:
            return {"error": texts.operator.LOOK_FIRST}, b""
        if self.calibration is None:
            return {"error": texts.operator.NO_FOLDER}, b""
        try:
            Calibration(findings.tray, findings.frame).save(self.calibration)
        except CalibrationError as error:
            return {"error": str(error)}, b""
        self.watch_by(Calibration(findings.tray, findings.frame), self.calibration)
        return {"kept": str(self.calibration)}, b""

    def watch_by(self, calibration: Calibration, folder: Path) -> None:
        """Has the eye watch the tray by a calibration from now on."""
        old = self.eye.observer
        self.eye.observer = Observer(
            calibration.tray, calibration.background, old.enrolled, old.progress, old.reader
        )
        self.eye.observer.damage = old.damage
        self.eye.focal = KeptFocal(folder, self.eye.observer.place)
        self.findings = None

    # Enrolling.

    def look_at_background(self, _: dict[str, Any]) -> WizardAnswer:
        """Looks at the empty tray, and begins anew."""
        self.shown, self.taker, self.thrown = [], None, None
        background = self.still(2)
        if background is None:
            return {"error": texts.rig.MOVES}, b""
        observer = self.eye.observer
        self.taker = FaceTaker(background, observer.reader)
        self.thrown = ThrowTaker(background, observer.reader, observer.place.tray)
        return {"begun": True}, packed(background, LARGE)

    def face(self, question: dict[str, Any]) -> WizardAnswer:
        """Takes the one die that lies there for the face that it is said to show."""
        die, taker = die_of(question), self.taker
        if taker is None or die is None:
            return {"error": texts.operator.EMPTY_FIRST}, b""
        frame = self.still(2)
        if frame is None or frame.shape != taker.background.shape:
            return {"error": texts.rig.MOVES}, b""
        try:
            face = taker.take(frame, die)
        except NotTakenError as why:
            return {"error": str(why)}, packed(frame, LARGE)
        self.shown.append((die, face.prototype))
        left, top, width, height = face.box
        margin = max(width, height) // 3
        crop = frame[
            max(0, top - margin) : top + height + margin, max(0, left - margin) : left + width + margin
        ]
        return {"taken": len(self.shown)}, packed(crop, LARGE)

    def throw(self, _: dict[str, Any]) -> WizardAnswer:
        """Takes the dice of a throw; `asked` are those whose values people must name, by number."""
        taker = self.thrown
        if taker is None:
            return {"error": texts.operator.EMPTY_FIRST}, b""
        frame = self.still(2)
        if frame is None or frame.shape != taker.background.shape:
            return {"error": texts.rig.MOVES}, b""
        learned = len(taker.shown)
        try:
            taker.take(frame)
        except NotTakenError as why:
            return {"error": str(why)}, packed(frame, LARGE)
        self.shown += taker.shown[learned:]
        dice = operator_view.explained(Reading(tuple(die for die, _ in taker.dice)), frame.shape)
        return {"dice": dice}, packed(frame, LARGE)

    def name(self, question: dict[str, Any]) -> WizardAnswer:
        """Learns a doubtful die of the last throw by the face that it is said to show."""
        die, number, taker = die_of(question), question.get("number"), self.thrown
        if taker is None or die is None or number not in taker.open:
            return {"error": texts.operator.EMPTY_FIRST}, b""
        learned = len(taker.shown)
        try:
            taker.name(int(number), die)
        except NotTakenError as why:
            return {"learned": False, "why": str(why)}, b""
        self.shown += taker.shown[learned:]
        return {"learned": True}, b""

    def keep_dice(self, question: dict[str, Any]) -> WizardAnswer:
        """Writes the faces that were shown to the file of the table's own dice; `add`: beside those in it."""
        if not self.shown:
            return {"error": texts.operator.NO_FACES}, b""
        file = self.dice_file
        if file is None:
            return {"error": texts.operator.NO_FOLDER}, b""
        try:
            dice = save_enrolled(file, self.shown, add=bool(question.get("add")) and file.exists())
        except EnrolledDiceError as error:
            return {"error": f"{error}."}, b""
        except OSError as error:
            return {"error": texts.health.not_written(error, file)}, b""
        self.shown = []
        self.use_dice(file)
        return {"kept": str(file), "faces": len(set(dice.shows)), "configured": self.dice is not None}, b""

    @property
    def dice_file(self) -> Path | None:
        """The file of the table's own dice, which need not exist; None if there is no folder for it."""
        if self.dice is None and self.calibration is not None:
            return self.calibration.parent / OWN_DICE
        return self.dice

    def use_dice(self, file: Path) -> None:
        """Has the eye read the enrolled dice of a file from now on."""
        if self.eye.learns is None:
            self.eye.learns = OwnDice(file, lambda: self.eye.observer)
        self.eye.learns.refresh()

    # Putting back what was replaced.

    @property
    def replaceable(self) -> dict[str, list[Path]]:
        """The files that a wizard replaces, by what they hold; those that decide first."""
        folder, dice = self.calibration, self.dice_file
        files = {} if folder is None else {"lens": lens_files(folder), "rig": tray_files(folder)}
        return files if dice is None else files | {"dice": dice_files(dice)}

    def previous(self, _: dict[str, Any]) -> WizardAnswer:
        """When the kept predecessors of dice, lens and calibration were written, for those that there are."""
        times = {name: kept_since_s(files[0]) for name, files in self.replaceable.items()}
        return {name: time_s for name, time_s in times.items() if time_s is not None}, b""

    def put_back(self, name: str, _: dict[str, Any]) -> WizardAnswer:
        """Puts the kept predecessor back and uses it; a second time puts the newer one back."""
        files = self.replaceable.get(name, [])
        if not files or kept_since_s(files[0]) is None:
            return {"error": texts.operator.NO_PREVIOUS}, b""
        try:
            swap(files)
            try:
                self.use(name)
            except (CalibrationError, EnrolledDiceError):  # a damaged one helps no one
                swap(files)
                raise
        except (CalibrationError, EnrolledDiceError) as error:
            return {"error": str(error)}, b""
        except OSError as error:
            return {"error": texts.health.not_written(error, files[0])}, b""
        return self.previous({})

    def use(self, name: str) -> None:
        """Uses the files that were put back. Raises CalibrationError or EnrolledDiceError if it can't."""
        folder, dice = self.calibration, self.dice_file
        if name == "dice" and dice is not None:
            EnrolledDice.load(dice)
            self.use_dice(dice)
        elif name == "lens" and folder is not None:
            check_lens(folder)
        elif folder is not None and (calibration := load_calibration(folder)) is not None:
            self.watch_by(calibration, folder)


def die_of(question: dict[str, Any]) -> Die | None:
    """The face that the question names; None if there is no such face."""
    kind, value = question.get("kind"), question.get("value")
    return next((die for die in every_face(EVERY_KIND) if die == (kind, value) and type(value) is int), None)
