"""The eye in this process: looks at the camera whenever its messages are fetched."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from common import texts
from dicetable.eye.evidence import STRIP_FRAME_PX, evidence, film, narrowed, strip
from dicetable.eye.messages import Blind, EyeMessage
from dicetable.eye.own_dice import OwnDice
from dicetable.eye.rig import KeptFocal
from dicetable.ledger.pictures import joined
from hardware.ports import Camera, Clock, Degraded, Frame, Pixels
from vision.frames import unpacked
from vision.observer import Observer
from vision.reading import Arrival, Box, Flight, Observation, Reading, Reason, Settled, Unsettled

PATIENCE_S: Final = 2.0
"""A camera that does not say that it is degraded, and gives no frame for so long, is silent."""
MEANWHILE_S: Final = 0.1
"""How often a frame is kept while others are read. More: what moves meanwhile is out of sight for longer than
`vision.frames.LOST_S`; less: more memory, and more to catch up with afterwards."""
MOST_KEPT: Final = 8
"""Frames that are kept so: 22 MB of 1280 × 720. Fewer: a slow machine loses sight of the tray; more: it is
longer behind."""
DAMAGED: Final = Degraded(texts.health.FRAMES_DAMAGED, texts.health.FRAMES_DAMAGED_REMEDY)
DAMAGED_S: Final = 10.0
"""Damage is blamed when the tray has not settled for so long."""
MOST_DAMAGED: Final = 1 / 7
"""The share of damaged frames from which it is blamed. Of one in five that are damaged, the dice are read."""
LEAST_DAMAGED: Final = MOST_DAMAGED / 2
"""Below this share it is blamed no longer."""


class InProcessEye:
    """An `Eye` over a camera. Its messages must be fetched as often as the camera gives frames.

    `newest` is the last frame that came; `settled` what was read last, if nothing has moved since. `learns`
    keeps up what is known of the table's own dice, if there are any; `focal` what they have shown of the
    lens, if the rig was calibrated. `kept` are frames that came while others were read, which a slow machine
    does for longer than it may lose sight of the tray.
    """

    def __init__(self, camera: Camera, clock: Clock, observer: Observer | None = None) -> None:
        self.camera = camera
        self.clock = clock
        self.observer = observer or Observer()
        self.running = False
        self.last_frame_s = 0.0
        self.blind: Degraded | None = None
        self.observed: Observation | None = None
        self.damage: deque[tuple[float, int]] = deque()
        self.settled_s = 0.0
        self.newest: Frame | None = None
        self.settled: Settled | None = None
        self.learns: OwnDice | None = None
        self.focal: KeptFocal | None = None
        self.photograph: Pixels | None = None
        self.changed = False
        self.kept: deque[Frame] = deque()
        self.observer.progress = partial(self.meanwhile, self.observer.progress)

    def start(self, news: Callable[[], None] | None = None) -> None:  # noqa: ARG002 - it is polled
        if not self.running:
            self.running = True
            self.last_frame_s = self.settled_s = self.clock.now_s()
            self.camera.start()

    def look_through(self, camera: Camera) -> None:
        """Looks through another camera from now on; nothing that is known of the tray holds any more."""
        self.camera.stop()
        self.camera = camera
        before = self.observer
        self.observer = Observer(enrolled=before.enrolled, progress=before.progress, reader=before.reader)
        self.newest = self.settled = self.observed = self.blind = None
        self.kept.clear()
        self.changed = True
        self.last_frame_s = self.clock.now_s()
        if self.running:
            camera.start()

    def stop(self) -> None:
        if self.running:
            self.running = False
            self.kept.clear()
            self.camera.stop()

    def meanwhile(self, progress: Callable[[], None]) -> None:
        """One step of a reading: it may take so long that frames have to be kept."""
        progress()
        self.keep()

    def keep(self) -> None:
        """Keeps the newest frame if the last one is MEANWHILE_S old; a backlog that only grows is dropped."""
        now_s = self.clock.now_s()
        if now_s - self.last_frame_s < MEANWHILE_S:
            return
        frame = self.camera.frame(0.0)
        if frame is not None:
            self.last_frame_s = now_s
            if len(self.kept) == MOST_KEPT:
                self.kept.clear()
            self.kept.append(frame)

    @property
    def bad_frames(self) -> int:
        """The damaged frames that were left out: by the camera's driver, and by their pictures."""
        return int(getattr(self.camera, "bad_frames", 0)) + self.observer.damage.found

    def messages(self) -> Sequence[EyeMessage]:
        """Messages since the last call, in order; waits for nothing but the reading of one frame."""
        if not self.running:
            return []
        now_s = self.clock.now_s()
        if self.changed:
            self.changed = False
            return [Unsettled(Reason.CAMERA_MOVED, now_s)]
        if self.kept:
            self.keep()  # time passes while it catches up
            frame = self.kept.popleft()
        elif (newest := self.camera.frame(0.0)) is not None:
            self.last_frame_s, frame = now_s, newest
        else:
            return self.without_frame(now_s)
        self.newest = frame
        return self.photographed(frame) if frame.photograph else self.filmed(frame, now_s)

    def filmed(self, frame: Frame, now_s: float) -> Sequence[EyeMessage]:
        """What one more frame of the film shows."""
        observed = self.observer.observe(frame.pixels, frame.time_s)
        self.observed = observed or self.observed
        before, self.blind = self.blind, DAMAGED if self.blinded_by_damage(now_s) else None
        if self.blind is not None:
            return [] if before == DAMAGED else [Blind(DAMAGED, now_s)]
        if before == DAMAGED:
            observed = self.observed
        if observed is None:
            return []
        self.settled = observed if isinstance(observed, Settled) else None
        if self.settled is None:
            return [observed]
        if self.learns is not None:
            self.learns.saw(frame.pixels, self.settled)
        if self.focal is not None:
            self.focal.saw(self.observer.place, self.settled.time_s)
        return [self.with_evidence(self.settled)]

    def photographed(self, frame: Frame) -> Sequence[EyeMessage]:
        """What a new photograph shows, in a tray that was empty before; nothing while the same one stands.

        It may be taken from anywhere, so nothing that is known of the tray or of earlier frames holds for it.
        """
        if frame.pixels is self.photograph:
            return []
        self.photograph, self.blind = frame.pixels, None
        reading = self.observer.reader.read(
            frame.pixels, enrolled=self.observer.enrolled, progress=self.observer.progress
        )
        flight = Flight((Arrival.UNSEEN,) * len(reading.dice))
        self.settled = Settled(reading, frame.time_s, evidence(frame.pixels), flight, photograph=True)
        return [Settled(Reading(()), frame.time_s, photograph=True), self.settled]

    def without_frame(self, now_s: float) -> Sequence[EyeMessage]:
        """Why no frame came, if that is news."""
        degraded = self.camera.degraded
        if degraded is None and now_s - self.last_frame_s > PATIENCE_S:
            degraded = Degraded(texts.health.CAMERA_SILENT, texts.health.CAMERA_SILENT_REMEDY)
        if degraded is None or degraded == self.blind:
            return []
        self.blind = degraded
        return [Blind(degraded, now_s)]

    def blinded_by_damage(self, now_s: float) -> bool:
        """Whether the tray has not settled for a while and damaged frames may be the reason."""
        if not isinstance(self.observed, Unsettled):
            self.settled_s = now_s
        self.damage.append((now_s, self.bad_frames))
        while now_s - self.damage[0][0] > DAMAGED_S:
            self.damage.popleft()
        share = (self.bad_frames - self.damage[0][1]) / len(self.damage)
        least = LEAST_DAMAGED if self.blind == DAMAGED else MOST_DAMAGED
        return now_s - self.settled_s > DAMAGED_S and share >= least

    def with_evidence(self, settled: Settled) -> Settled:
        """Adds small pictures of the tray that was read and of the motion before it."""
        taken = self.observer.snapshot
        if taken is None:
            return settled
        small = [(taken_s, narrowed(unpacked(planes), STRIP_FRAME_PX)) for taken_s, planes in taken.motion]
        pictures = joined(evidence(taken.view, taken.corner), strip(small, settled.time_s))
        return replace(settled, evidence=pictures, film=film(taken, fresh(settled), settled.time_s))


def fresh(settled: Settled) -> list[Box]:
    """The boxes of the dice that did not lie so before."""
    dice = settled.reading.dice
    arrivals = settled.flight.arrivals if settled.flight is not None else (Arrival.UNSEEN,) * len(dice)
    return [die.box for die, arrival in zip(dice, arrivals, strict=True) if arrival is not Arrival.LAY]
