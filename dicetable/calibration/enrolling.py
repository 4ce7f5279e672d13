"""Enrolling under the table's own camera: says which face to lay up, waits until it lies still, takes it.

First the empty tray is looked at. A face is taken when one die lies still in it after something moved. A die
that is surely read as another face is asked for again, and believed the second time: whose own dice they are
knows best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.calibration.stills import still_frames
from games.dice import FACES
from vision.foreground import STEP, changed_part
from vision.recognition.doubts import LEAST_CHANGED_PART

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from games.dice import Die, Kind
    from hardware.ports import Camera
    from vision.reader import DiceReader
    from vision.reading import Box, Detection, Image
    from vision.recognition.enrolled import Prototype


def faces_of(kinds: Sequence[Kind]) -> list[Die]:
    """Every face of these dice."""
    return [(kind, value) for kind in kinds for value in range(1, FACES[kind] + 1)]


def shown(
    camera: Camera, reader: DiceReader, wanted: Sequence[Die], say: Callable[[str], None]
) -> Iterator[tuple[Die, Prototype]]:
    """Each wanted face and how it looks, as somebody lays it under the camera."""
    stills = still_frames(camera)
    say(texts.enrolling.SHOW_EMPTY)
    background = next(stills)
    for die in wanted:
        say(texts.enrolling.show_face(*die))
        doubted = False
        for frame in stills:
            detections = laid_there(frame, background, reader)
            if len(detections) != 1:
                say(texts.enrolling.show_one(len(detections)))
                continue
            other = read_surely(frame, reader)
            if other is not None and other != die and not doubted:
                doubted = True
                say(texts.enrolling.looks_like(*other))
                continue
            yield die, reader.prototype(frame, detections[0])
            break


def laid_there(frame: Image, background: Image, reader: DiceReader) -> list[Detection]:
    """The detections where the frame is unlike the empty tray."""
    return [
        detection
        for detection in reader.detector.detect(frame)
        if changed_part(frame, background, box(detection), STEP) > LEAST_CHANGED_PART
    ]


def read_surely(frame: Image, reader: DiceReader) -> Die | None:
    """The first die that is surely read; None if none is."""
    dice = reader.read(frame).dice
    return next(((d.kind, d.value) for d in dice if d.sure and d.kind and d.value), None)


def box(detection: Detection) -> Box:
    """Where it is in the frame, in whole pixels."""
    return (
        max(0, round(detection.x)),
        max(0, round(detection.y)),
        round(detection.width),
        round(detection.height),
    )
