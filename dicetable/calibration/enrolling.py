"""Enrolling under the table's own camera: says which face to lay up, waits until it lies still, takes it.

First the empty tray is looked at. A face is taken when one die lies still in it after something moved. A die
that is surely read as another face is asked for again, and believed the second time: whose own dice they are
knows best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dicetable import texts
from games.dice import FACES
from vision.detection.foreground import changed_part
from vision.motion.segmentation import Segmenter
from vision.motion.watch import Motion, MotionWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from games.dice import Die, Kind
    from hardware.ports import Camera, Frame
    from vision.detection.detections import Detection
    from vision.reader import DiceReader
    from vision.reading import Box, Image
    from vision.recognition.enrolled import Prototype

PATIENCE_S: Final = 15
"""A camera that gives no frame for so long is silent."""
HEALING_S: Final = 3
"""A camera that says what is wrong with it may still come round within this time."""


class NoFramesError(Exception):
    """The camera gives no pictures; the text says why and what to do."""


def faces_of(kinds: Sequence[Kind]) -> list[Die]:
    """Every face of these dice."""
    return [(kind, value) for kind in kinds for value in range(1, FACES[kind] + 1)]


def shown(
    camera: Camera, reader: DiceReader, wanted: Sequence[Die], say: Callable[[str], None]
) -> Iterator[tuple[Die, Prototype]]:
    """Each wanted face and how it looks, as somebody lays it under the camera."""
    step, changed = reader.settings.foreground.step, reader.settings.doubts.changed_part
    stills = still_frames(camera, Segmenter(reader.nets.segmentation))
    say(texts.enrolling.SHOW_EMPTY)
    background = next(stills)
    for die in wanted:
        say(texts.enrolling.show_face(*die))
        doubted = False
        for frame in stills:
            detections = [
                detection
                for detection in reader.detector.detect(frame)
                if changed_part(frame, background, box(detection), step) > changed
            ]
            if len(detections) != 1:
                say(texts.enrolling.show_one(len(detections)))
                continue
            other = next(((d.kind, d.value) for d in reader.read(frame).dice if d.sure), die)
            if other != die and not doubted:
                doubted = True
                say(texts.enrolling.looks_like(str(other[0]), int(other[1] or 0)))
                continue
            yield die, reader.prototype(frame, detections[0])
            break


def still_frames(camera: Camera, segmenter: Segmenter) -> Iterator[Image]:
    """The first still frame, and one each time that all lies still again; NoFramesError if none come."""
    watch, still = MotionWatch(segmenter), False
    while True:
        frame = next_frame(camera)
        before, still = still, watch.watch(frame.pixels, frame.time_s) is Motion.SETTLED
        if still and not before:
            yield frame.pixels


def next_frame(camera: Camera) -> Frame:
    """The next frame of a camera that was started; NoFramesError if none comes."""
    for second in range(PATIENCE_S):
        frame = camera.frame(1.0)
        if frame is not None:
            return frame
        if camera.degraded is not None and second + 1 >= HEALING_S:
            break
    degraded = camera.degraded
    raise NoFramesError(f"{degraded.what}: {degraded.remedy}" if degraded else texts.health.CAMERA_SILENT)


def box(detection: Detection) -> Box:
    """Where it is in the frame, in whole pixels."""
    return (
        max(0, round(detection.x)),
        max(0, round(detection.y)),
        round(detection.width),
        round(detection.height),
    )
