"""The eye in this process: looks at the camera whenever it is asked what is new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dicetable import texts
from dicetable.eye.evidence import evidence
from dicetable.eye.messages import Blind, Settled, Unsettled, Why
from dicetable.eye.strip import strip
from dicetable.ledger.pictures import joined
from hardware.ports import Degraded
from vision import observer, reading
from vision.recognition.recognizer import ignore_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dicetable.eye.kept_focal import KeptFocal
    from dicetable.eye.messages import EyeMessage
    from dicetable.eye.own_dice import OwnDice
    from hardware.ports import Camera, Clock, Frame
    from vision.reader import DiceReader
    from vision.reading import Image
    from vision.recognition.enrolled import EnrolledDice
    from vision.tray.pose import Tray

PATIENCE_S: Final = 2.0
"""A camera that does not say that it is degraded, and gives no frame for so long, is silent."""


class InProcessEye:
    """An `Eye` over a camera. To be asked for messages as often as the camera gives frames.

    Args:
        camera: started and stopped with the eye.
        clock: the one that the camera's frames are timed by.
        tray: as the rig was calibrated, or None.
        background: the empty tray, or None.
        own: the table's own dice, or None.
        progress: called between dice while a frame is read.
        reader: reads the frames; None for one with the models that come with the program.

    `newest` is the last frame that came; `settled` what was read last, if nothing has moved since. `learns`
    keeps up what is known of the table's own dice, if there are any; `focal` what they told of the lens, if
    the rig was calibrated.
    """

    def __init__(
        self,
        camera: Camera,
        clock: Clock,
        tray: Tray | None = None,
        background: Image | None = None,
        own: EnrolledDice | None = None,
        progress: Callable[[], None] = ignore_progress,
        reader: DiceReader | None = None,
    ) -> None:
        self.camera = camera
        self.clock = clock
        self.observer = observer.Observer(tray, background, own, progress, reader)
        self.running = False
        self.last_frame_s = 0.0
        self.blind: Degraded | None = None
        self.newest: Frame | None = None
        self.settled: reading.Settled | None = None
        self.learns: OwnDice | None = None
        self.focal: KeptFocal | None = None

    def start(self, news: Callable[[], None] | None = None) -> None:  # noqa: ARG002 - it is asked
        """Begins to watch; does nothing if it already does."""
        if not self.running:
            self.running = True
            self.last_frame_s = self.clock.now_s()
            self.camera.start()

    def stop(self) -> None:
        """Stops watching and lets go of the camera; does nothing if it already has."""
        if self.running:
            self.running = False
            self.camera.stop()

    @property
    def bad_frames(self) -> int:
        """The damaged frames that were left out: by the camera's driver, and by their pictures."""
        return int(getattr(self.camera, "bad_frames", 0)) + self.observer.damage.found

    def messages(self) -> Sequence[EyeMessage]:
        """What is new since the last call, in order; waits for nothing but the reading of one frame."""
        if not self.running:
            return []
        now_s = self.clock.now_s()
        frame = self.camera.frame(0.0)
        if frame is not None:
            self.last_frame_s, self.blind, self.newest = now_s, None, frame
            observed = self.observer.observe(frame.pixels, frame.time_s)
            if observed is None:
                return []
            self.settled = observed if isinstance(observed, reading.Settled) else None
            if self.learns is not None and self.settled is not None:
                self.learns.saw(frame.pixels, self.settled)
            if self.focal is not None and self.settled is not None:
                self.focal.saw(self.observer.place, self.settled.time_s)
            return [message(observed)]
        degraded = self.camera.degraded
        if degraded is None and now_s - self.last_frame_s > PATIENCE_S:
            degraded = Degraded(texts.health.CAMERA_SILENT, texts.health.CAMERA_SILENT_REMEDY)
        if degraded is None or degraded == self.blind:
            return []
        self.blind = degraded
        return [Blind(degraded, now_s)]


def message(observed: reading.Observation) -> EyeMessage:
    """The observation as a message to the table, with small pictures of what was read and of its motion."""
    if isinstance(observed, reading.Settled):
        kept = joined(evidence(observed.view, observed.corner), strip(observed.motion, observed.time_s))
        return Settled(observed.reading, observed.time_s, kept, observed.flight, observed.touched)
    return Unsettled(Why(observed.reason.value), observed.time_s)
