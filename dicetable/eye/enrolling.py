"""Enrolling the table's own dice: takes the face of one die that lies in the tray, and saves the faces.

A die that is surely read as another face is refused once, and believed the second time: the owner of the
dice knows best.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from common import files, texts
from dicetable.eye.previous import keep_previous
from dicetable.eye.stills import frames_of, stills_after_motion
from games.dice import Die
from hardware.ports import Camera
from vision.foreground import STEP, changed_part
from vision.reader import DiceReader
from vision.reading import Box, Image
from vision.recognition.doubts import LEAST_CHANGED_PART
from vision.recognition.enrolled import EnrolledDice, Prototype, gallery_beside


class NotTakenError(Exception):
    """No face can be taken from this frame; the text says why."""


class Face(NamedTuple):
    """How a face looks, and where its die lies in the frame."""

    prototype: Prototype
    box: Box


class FaceTaker:
    """Takes the faces of dice that are laid one by one into a tray that was empty, as `background` shows."""

    def __init__(self, background: Image, reader: DiceReader) -> None:
        self.background = background
        self.reader = reader
        self.doubted: Die | None = None

    def take(self, frame: Image, die: Die) -> Face:
        """The face of the one die that lies there, which is said to show `die`. Raises NotTakenError."""
        laid = []
        for detection in self.reader.detector.detect(frame):
            box = (
                max(0, round(detection.x)),
                max(0, round(detection.y)),
                round(detection.width),
                round(detection.height),
            )
            changed = changed_part(frame, self.background, box, STEP)
            if changed > LEAST_CHANGED_PART:
                laid.append((detection, box))
        if len(laid) != 1:
            raise NotTakenError(texts.rig.show_one(len(laid)))
        dice = self.reader.read(frame).dice
        likeliest = next((d.face for d in dice if d.sure), None)
        if likeliest is not None and likeliest != die and self.doubted != die:
            self.doubted = die
            raise NotTakenError(texts.rig.looks_like(*likeliest))
        self.doubted = None
        ((detection, box),) = laid
        return Face(self.reader.prototype(frame, detection), box)


def shown(
    camera: Camera, reader: DiceReader, wanted: Sequence[Die], say: Callable[[str], None]
) -> Iterator[tuple[Die, Prototype]]:
    """Asks for each wanted face in turn, and yields it once its die lies still under a running camera."""
    stills = stills_after_motion(frames_of(camera))
    say(texts.rig.SHOW_EMPTY)
    taker = FaceTaker(next(stills), reader)
    for die in wanted:
        say(texts.rig.show_face(*die))
        for frame in stills:
            try:
                face = taker.take(frame, die)
            except NotTakenError as why:
                say(str(why))
            else:
                yield die, face.prototype
                break


def dice_files(file: Path) -> list[Path]:
    """The file of enrolled dice, and the one of what is learned of them."""
    return [file, gallery_beside(file)]


def save_enrolled(file: Path, faces: list[tuple[Die, Prototype]], *, add: bool) -> EnrolledDice:
    """Writes the faces to a file of enrolled dice, beside those in it or in their place; returns all of them.

    Raises EnrolledDiceError if the file to add to cannot be used, OSError if it cannot be written.
    """
    dice = EnrolledDice.of(faces)
    if add:
        dice = EnrolledDice.load(file).joined(dice)
    keep_previous(dice_files(file))
    if not add:  # what was learned may be of other dice
        gallery_beside(file).unlink(missing_ok=True)
    files.atomic_write(file, dice.packed())
    return dice
