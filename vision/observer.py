"""Turns frames and their times into what lies in the tray, or why it cannot be read.

It waits until the dice lie still, checks where the tray is, reads two frames and keeps what both agree on. It
knows no camera driver and no clock but the frames' own times. It needs no earlier state: started with dice in
the tray, it reads them as they lie.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Sequence
from functools import cache, partial
from typing import Final, NamedTuple

import numpy as np

from vision.frames import LOST_S, DamageWatch, Strip, downsample, downsampling
from vision.motion.appearances import Appearance, cut, looks_same
from vision.motion.background import BackgroundModel
from vision.motion.identities import Identities
from vision.motion.segmentation import Segmenter, size_for
from vision.motion.stillness import BRIEF_S
from vision.motion.watch import DIE_MM, REFRESHED_S, Motion, MotionWatch
from vision.reader import DiceReader
from vision.reading import (
    Arrival,
    Box,
    DieReading,
    Image,
    Observation,
    Reading,
    Reason,
    Settled,
    Unsettled,
    ignore_progress,
)
from vision.recognition.enrolled import EnrolledDice
from vision.recognition.fusion import Views
from vision.tray.pose import Tray
from vision.tray.tracking import TrayStatus, TrayWatch

REASONS: Final = {
    TrayStatus.CAMERA_MOVED: Reason.CAMERA_MOVED,
    TrayStatus.ASTRAY: Reason.CAMERA_MOVED,
    TrayStatus.COVERED: Reason.MARKERS,
}


class Snapshot(NamedTuple):
    """The pictures of the last reading.

    Attributes:
        view: the last frame that was read, or the watched part of it.
        corner: x, y of the view's upper left corner in the frame, pixels.
        motion: frames of the watched part with their times, of what moved before; oldest first. They are
            smaller than the view, and `unpacked` makes pictures of them.
    """

    view: Image
    corner: tuple[int, int]
    motion: tuple[tuple[float, Image], ...]


class StillDice(NamedTuple):
    """Dice that lay still, but not long enough to be read.

    Attributes:
        frames: the first two in which they had lain so for a moment.
        looks: how each of them looked.
        seen_s: when all were seen so last.
    """

    frames: tuple[Image, Image]
    looks: tuple[Appearance, ...]
    seen_s: float


MOST_PART: Final = 0.4
"""Part of the frame's shorter side that a die in doubt covers at most. Larger: a mat is a die; smaller: a die
just before the lens is none."""


class Observer:
    """Observes one camera's frames; `snapshot` holds the pictures of the last reading.

    Args:
        tray: how the camera saw the tray when the rig was calibrated. Without it the tray is learned from
            the first still frame that shows all four markers; until then the whole frame is watched.
        background: the tray without dice, seen from there; without it that is learned as soon as neither
            dice nor a hand are seen.
        enrolled: the table's own dice, if only these are to be played with.
        progress: called at each step while a frame is read, which may take long.
        reader: reads the frames; None for one with the nets that come with the package.
    """

    def __init__(
        self,
        tray: Tray | None = None,
        background: Image | None = None,
        enrolled: EnrolledDice | None = None,
        progress: Callable[[], None] = ignore_progress,
        reader: DiceReader | None = None,
    ) -> None:
        self.reader = reader or DiceReader()
        self.segmenter = Segmenter(self.reader.nets.segmentation)
        self.enrolled = enrolled
        self.progress = progress
        self.place = TrayWatch(tray)
        self.background = self.calibrated = (
            None if background is None else BackgroundModel(downsample(background))
        )
        self.lying: StillDice | None = None
        self.shape: tuple[int, ...] = ()
        self.before: Image | None = None
        self.read = False
        self.reported: Reason | None = None
        self.other: tuple[Reason, float] | None = None
        self.pictures: dict[Box, Image] = {}
        self.views: dict[Box, Views] = {}
        self.hidden: list[Box] = []
        self.next_look_s = self.followed_s = -np.inf
        self.snapshot: Snapshot | None = None
        self.strip = Strip()
        self.damage = DamageWatch()
        self.observed: deque[Observation] = deque()
        self.watch_anew()

    def observe(self, frame: Image, time_s: float) -> Observation | None:
        """Observes one frame (uint8, H×W×3 BGR); what is suddenly another picture waits for the next one.

        Returns:
            What the tray shows, when that has changed; mostly None. Two changes at once come one by one.
        """
        seen = [self.observe_whole(whole.frame, whole.time_s) for whole in self.damage.whole(frame, time_s)]
        self.observed.extend(one for one in seen if one is not None)
        return self.observed.popleft() if self.observed else None

    def observe_whole(self, frame: Image, time_s: float) -> Observation | None:
        """Observes one frame that is not damaged."""
        if frame.shape != self.shape:
            self.shape = frame.shape
            self.watch_anew()
        state = self.motion.watch(frame, time_s)
        before, self.before = self.before, frame
        if self.motion.idle:
            self.follow_light(time_s)
            return None
        state = self.track_dice(frame, state)
        if state is Motion.HAND and self.lying is not None:
            return self.at_rest(self.lying.frames, time_s, hurried=True)
        if state is not Motion.SETTLED:
            self.read = False
            self.lying = self.still_lying(before, frame, time_s) if state is Motion.MOVING else None
            if self.motion.stillness.still and (report := self.camera_report(frame, time_s)) is not None:
                return report
            return self.unsettled(Reason(state.value), time_s)
        if self.read or before is None or time_s < self.next_look_s:
            return None
        return self.at_rest((before, frame), time_s)

    def still_lying(self, before: Image | None, frame: Image, time_s: float) -> StillDice | None:
        """The first frames in which these new dice lay still, if none of these has moved by itself since.

        Later ones may show what comes to take them. A hand's shadow arrives before the hand and changes how
        dice look, so they may differ for a moment.
        """
        resting, lying, whole = self.identities.resting, self.lying, self.identities.whole()
        unmoved = lying if lying is not None and all(look in resting for look in lying.looks) else None
        more = unmoved is None or (
            len(resting) > len(unmoved.looks) and whole == self.identities.tracks_in_view()
        )
        rests = self.identities.rest_s(whole) >= BRIEF_S - 1e-6 and self.identities.has_new()
        if before is not None and rests and more:
            return StillDice((before, frame), resting, time_s)
        if unmoved is not None:
            return unmoved._replace(seen_s=time_s)
        return lying if lying is not None and time_s - lying.seen_s <= LOST_S else None

    def at_rest(
        self, frames: tuple[Image, Image], time_s: float, *, hurried: bool = False
    ) -> Observation | None:
        """Reads frames in which the dice lay still, if the tray is where it was."""
        self.lying = None
        look = self.place.look(frames[-1])
        if look in REASONS:
            return self.lost(look, time_s)
        if look is TrayStatus.LEARNED:
            self.watch_anew()
            return None
        return self.settled(frames, time_s, hurried=hurried)

    def track_dice(self, frame: Image, state: Motion) -> Motion:
        """Follows the dice into a frame; returns what the tray does, corrected by what they show."""
        if self.motion.small is not None:
            self.strip.see(frame[self.watched_part(frame)], self.motion.time_s)
        self.identities.see(frame)
        if state is not Motion.MOVING:
            return state
        if self.motion.stillness.shaking and self.identities.lie_still():
            return Motion.SETTLED  # it is the camera that moves
        whole = self.identities.whole()
        only_cut_moves = (
            whole != self.identities.tracks_in_view()
            and self.identities.rest_s(whole) >= self.motion.window_s
        )
        return Motion.HAND if only_cut_moves else state  # a sleeve at the edge passes for a die

    def camera_report(self, frame: Image, time_s: float) -> Observation | None:
        """That the camera moved, if what seems to reach into the tray is the tray from elsewhere."""
        if self.place.tray is None or time_s < self.next_look_s:
            return None
        self.next_look_s = time_s + REFRESHED_S
        look = self.place.look(frame)
        return self.lost(look, time_s) if look in (TrayStatus.CAMERA_MOVED, TrayStatus.ASTRAY) else None

    def lost(self, look: TrayStatus, time_s: float) -> Observation | None:
        """The tray is not where it was, or not to be seen."""
        if look is TrayStatus.CAMERA_MOVED:
            self.watch_anew()
        else:
            self.next_look_s = time_s + REFRESHED_S
        return self.unsettled(REASONS[look], time_s)

    def unsettled(self, reason: Reason, time_s: float) -> Unsettled | None:
        """Reports why nothing is read: once, when that begins and when the reason has become another."""
        if self.other is None or self.other[0] is not reason:
            self.other = (reason, time_s)
        lasting = time_s - self.other[1] >= LOST_S or reason not in (Reason.MOVING, Reason.HAND)
        if reason is self.reported or (self.reported is not None and not lasting):
            return None
        self.reported = reason
        return Unsettled(reason, time_s)

    def watch_anew(self) -> None:
        """Watches the tray where it is seen now; nothing of what was seen before counts as still."""
        self.read, self.before, self.lying, self.next_look_s = False, None, None, -np.inf
        self.pictures, self.views = {}, {}
        if not self.shape:
            return
        by, tray, area, die_px = downsampling(self.shape[1]), self.place.tray, None, None
        width, height = self.shape[1] // by, self.shape[0] // by
        self.background = None
        if self.calibrated is not None:
            scaled = np.diag([1 / by, 1 / by, 1.0])
            moved = scaled @ self.place.from_first() @ np.linalg.inv(scaled)
            self.background = self.calibrated.resized(width, height).moved(moved)
        if tray is not None:
            area = tray.area(width, height, 1 / by)
            die_px = DIE_MM * tray.px_per_mm() * size_for(self.shape)[0] / self.shape[1]
        self.motion = MotionWatch(self.segmenter, area, self.background, die_px)
        self.identities = Identities(self.motion, self.reader.shows_die, self.reader.face)

    def settled(self, frames: Sequence[Image], time_s: float, *, hurried: bool) -> Observation | None:
        """Reads the still frames. If something unread lies over a hidden marker, only that is reported.

        Two frames have to agree on a value: the second is searched as the first is, and the nets look in it
        at each die that is not sure yet, or looks otherwise than in the first.

        A `hurried` reading is reported only if it `is_plain`; if not, the dice are read again later.
        """
        background = None if self.background is None else self.background.now(downsample(frames[-1]))
        known = self.unchanged(frames[0])
        lying, readings = list(known), []
        thrown = cache(partial(self.identities.was_thrown, frames[-1]))
        views = self.views
        for frame in frames:
            views = {
                box: views[box]
                for box in lying
                if box in views and (frame is frames[0] or looks_same(cut(frames[0], box), cut(frame, box)))
            }
            camera = self.place.camera(frame.shape)
            reading = self.reader.read(
                frame, self.place.tray, background, self.enrolled, self.progress, lying, thrown, camera, views
            )
            readings.append(reading)
            sure = [die.box for die in reading.dice if die.sure]
            lying = [*lying, *(box for box in sure if box not in lying)]
        reading = self.reader.agree(readings)
        dice = tuple(
            die
            for die in reading.dice
            if self.in_tray(die) and not self.is_mark(die) and not self.is_scenery(die)
        )
        if hurried and not self.is_plain(dice, frames[-1], known):
            return None
        if any(die.value is None and self.place.hides_marker(die.box) for die in reading.dice):
            return self.lost(TrayStatus.COVERED, time_s)
        self.pictures = {
            die.box: known[die.box] if die.box in known else cut(frames[-1], die.box).copy()
            for die in reading.dice
            if die.sure
        }
        self.views = {box: views[box] for box in self.pictures if box in views}
        self.place.learn_camera(readings[-1].tops, self.shape)
        self.read, self.reported, self.other, self.followed_s = True, None, None, time_s
        boxes = [die.box for die in dice]
        # A mat that passes for a die hides those that lie on it from the reader.
        hides = any(self.is_scenery(die) for die in reading.dice) and bool(self.identities.tracks_in_view())
        self.motion.know_dice([die.box for die in dice if die.sure], self.shape)
        self.progress()
        flight = self.identities.settle(frames[-1], boxes, known, self.progress)
        self.progress()
        self.motion.settle(time_s)
        by = downsampling(self.shape[1])
        self.hidden = [
            (x // by, y // by, w // by + 2, h // by + 2) for x, y, w, h in (d.box for d in reading.dice)
        ]
        followed = self.motion.has_seen(boxes, self.shape)
        if self.background is None and self.place.tray is self.place.first and not (dice or hides):
            self.background = BackgroundModel(downsample(frames[-1]))
            self.calibrated = None if self.motion.presumed.any() else self.background
            self.motion.know_background(self.background)
        rows, columns = self.watched_part(frames[-1])
        corner = (columns.start, rows.start)
        self.snapshot = Snapshot(frames[-1][rows, columns], corner, tuple(self.strip.frames))
        return Settled(
            Reading(dice),
            time_s,
            flight=flight if followed else None,
            touched=self.identities.touched,
            covered=self.motion.covered(),
        )

    def is_plain(self, dice: Sequence[DieReading], frame: Image, known: Container[Box]) -> bool:
        """Whether dice were thrown, all are read for sure, and no hand seems to have been at one of them."""
        flight = self.identities.judged(frame, [die.box for die in dice], known).flight
        thrown = Arrival.THROWN in flight.arrivals and Arrival.HANDLED not in flight.arrivals
        return thrown and not flight.interfered and all(die.sure for die in dice)

    def unchanged(self, frame: Image) -> dict[Box, Image]:
        """The sure dice of the last reading that look in this frame as they did when their boxes were found.

        They lie where they lay. A marker or a shadow beside a die may count as part of it in one frame and
        not in the next, so that it would seem to have moved.
        """
        return {
            box: picture for box, picture in self.pictures.items() if looks_same(picture, cut(frame, box))
        }

    def in_tray(self, die: DieReading) -> bool:
        """Whether the die lies in the tray and not beside it, as well as that is known."""
        if self.motion.area is None:
            return True
        by, (rows, columns) = downsampling(self.shape[1]), self.motion.area.shape
        x, y, w, h = die.box
        return bool(self.motion.area[min((y + h // 2) // by, rows - 1), min((x + w // 2) // by, columns - 1)])

    def is_mark(self, die: DieReading) -> bool:
        """Whether the tray is seen where something was hardly read: a marker in a shadow, or a stain."""
        bare = self.motion.places.is_bare(self.motion.scaled(die.box, self.shape))
        return not die.sure and bare and self.background is not None

    def is_scenery(self, die: DieReading) -> bool:
        """Whether what was hardly read is far too large for a die: a printed mat, or the tray itself."""
        return not die.sure and min(die.box[2:]) > MOST_PART * min(self.shape[:2])

    def watched_part(self, frame: Image) -> tuple[slice, slice]:
        """The rows and the columns of the smallest part of the frame that holds the watched area."""
        area = self.motion.area
        if area is None or not area.any():
            return slice(0, frame.shape[0]), slice(0, frame.shape[1])
        by = downsampling(frame.shape[1])
        rows, columns = (np.flatnonzero(area.any(axis=axis)) * by for axis in (1, 0))
        return slice(int(rows[0]), int(rows[-1]) + by), slice(int(columns[0]), int(columns[-1]) + by)

    def follow_light(self, time_s: float) -> None:
        """Keeps the background in today's light."""
        if self.background is None or self.motion.small is None:
            return
        if time_s - self.followed_s >= REFRESHED_S:
            self.followed_s = time_s
            self.background.follow(self.motion.small, self.hidden, time_s)
