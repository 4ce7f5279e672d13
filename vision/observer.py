"""Frames and times in; what lies in the tray, or why that cannot be told, out.

Waits until the dice lie still, makes sure where the tray is, reads two frames and takes what both say. Knows
no camera driver and no clock but the frames' own time, and needs no state from before: started with dice in
the tray it says how they lie.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

import cv2
import numpy as np

from vision.detection.boxes import iou
from vision.motion.background import BackgroundModel
from vision.motion.downsample import downsampling
from vision.motion.flight_watch import FlightWatch
from vision.motion.foreground import same_light
from vision.motion.looks import Looks, likeness
from vision.motion.places import last_time
from vision.motion.strip import Strip
from vision.motion.watch import Motion, MotionWatch
from vision.reader import DiceReader
from vision.reading import Doubt, Image, Reading
from vision.recognition.recognizer import ignore_progress
from vision.tray.tracking import TrayStatus, TrayWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from games.dice import Die
    from vision.motion.flight import Flight
    from vision.motion.looks import Look
    from vision.reading import Box, DieReading
    from vision.recognition.enrolled import EnrolledDice
    from vision.tray.pose import Tray


class Reason(StrEnum):
    """Why nothing is read although frames come."""

    MOVING = "moving"
    HAND = "hand"
    UNLIT = "unlit"
    CAMERA_MOVED = "camera_moved"
    MARKERS = "markers"


REASONS: Final = {
    TrayStatus.CAMERA_MOVED: Reason.CAMERA_MOVED,
    TrayStatus.ASTRAY: Reason.CAMERA_MOVED,
    TrayStatus.COVERED: Reason.MARKERS,
}
HARDLY_SEEN: Final = frozenset(
    {Doubt.COVERED, Doubt.CUT_BY_FRAME, Doubt.PILE, Doubt.PART_OF_THE_TRAY, Doubt.ODD_SIZE}
)
"""What is doubted for these reasons may be a part of a die or a cup: nobody can tell if it was touched."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The dice lie still and were read.

    Attributes:
        reading: all dice in the tray, as two frames agree on them.
        time_s: when the last frame that was read was taken.
        view: that frame, or the watched part of it.
        flight: how the dice came to lie there, one arrival for each in the reading's order; None if nobody
            can tell, because the tray was not seen empty yet.
        motion: small frames of the watched part with their times, of what moved before; oldest first.
        corner: x, y of the view's upper left corner in the frame, pixels.
        shown: kinds and values that dice showed when they lay open, not yet read, before a hand came
            over them and changed one of them; one entry for each time that more of them lay open.
        touched: one of those lies elsewhere or otherwise since the hand was there, or hands came so often
            that nobody can tell.
    """

    reading: Reading
    time_s: float
    view: Image
    flight: Flight | None = None
    motion: tuple[tuple[float, Image], ...] = ()
    corner: tuple[int, int] = (0, 0)
    shown: tuple[tuple[Die, ...], ...] = ()
    touched: bool = False


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The tray cannot be read now, and why; told once, when it begins or its reason changes."""

    reason: Reason
    time_s: float


Observation: TypeAlias = Settled | Unsettled


class Observer:
    """Observes one camera's frames.

    Args:
        tray: how the camera saw the tray when the rig was calibrated. Without it the tray is learned from
            the first still frame that shows all four markers; until then the whole frame is watched.
        background: the tray without dice, seen from there; without it that is learned when the tray is empty
            for the first time, and until then nobody can tell a hand in it, or whether dice were thrown.
        enrolled: the table's own dice, if only these are to be played with.
        progress: called between dice while a frame is read, which may take long.
        reader: reads the frames; None for one with the usual nets and settings. Its settings say
            when the tray is settled, too.
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
        self.settings = self.reader.settings.motion
        self.enrolled = enrolled
        self.progress = progress
        self.place = TrayWatch(tray)
        self.calibrated = (
            None if background is None else BackgroundModel(background, self.settings.background)
        )
        self.background = self.calibrated
        self.shape: tuple[int, ...] = ()
        self.motion = MotionWatch(settings=self.settings)
        self.before: Image | None = None
        self.told: Reason | None = None
        self.other: tuple[Reason, float] | None = None
        self.read = False
        self.last_read: dict[Box, tuple[DieReading, Image]] = {}
        self.next_look_s = -np.inf
        self.followed_s = -np.inf
        self.things: list[Box] = []
        self.flight: FlightWatch | None = None
        self.looks = Looks(1.0, self.settings.looks)
        self.strip = Strip()
        self.background_now: Image | None = None
        self.background_s = -np.inf
        self.no_hand_s = -np.inf

    def observe(self, frame: Image, time_s: float) -> Observation | None:
        """What this frame (uint8, H×W×3 BGR) gives cause to say: nothing, most of the time."""
        if frame.shape != self.shape:
            self.shape = frame.shape
            self.watch_anew()
        state = self.motion.watch(frame, time_s)
        self.follow_dice(frame, state, time_s)
        if not (state is Motion.SETTLED and self.read) and self.motion.small is not None:
            self.strip.see(self.motion.small, time_s)
        state = self.with_hands(state, time_s)
        before, self.before = self.before, frame
        if state is not Motion.SETTLED:
            self.read = False
            if state is Motion.HAND and self.motion.stillness.still:
                return self.hand_or_moved_camera(frame, time_s)
            return self.unsettled(Reason(state.value), time_s)
        if self.read:
            self.follow(time_s)
            return None
        if before is None or time_s < self.next_look_s:
            return None
        look = self.place.look(frame)
        if look in REASONS:
            return self.lost(look, time_s)
        if look is TrayStatus.LEARNED:
            self.watch_anew()
            return None
        return self.settled((before, frame), time_s)

    def follow_dice(self, frame: Image, state: Motion, time_s: float) -> None:
        """Follows what moves in the tray, as long as that can be seen."""
        small = self.motion.small
        if self.flight is None or self.background is None or small is None:
            return
        if state is Motion.UNLIT:
            self.flight.see_nothing()
            self.no_hand_s = time_s
        elif state is Motion.SETTLED and self.read:
            self.flight.idle(time_s)
            self.no_hand_s = time_s
        else:
            if self.background_now is None:
                self.background_now, self.background_s = self.background.now(small), time_s
            self.flight.see(small, same_light(self.background_now, small), time_s)
            self.looks.see(frame, small, self.flight.open_dice(), self.flight.places, time_s)
            if not self.flight.hand_near:
                self.no_hand_s = time_s
            if time_s - max(self.background_s, self.no_hand_s) >= self.settings.patience_s:
                self.background_now, self.background_s = self.background.now(small), time_s
            elif self.no_hand_s == time_s and time_s - self.background_s >= self.settings.light_s:
                self.background_now = self.nearer(
                    same_light(self.background_now, small), self.background.now(small)
                )
                self.background_s = time_s

    def nearer(self, before: Image, now: Image) -> Image:
        """The picture `before` (uint8, H×W×3), changed towards the other by at most one light step."""
        step = np.asarray(before // round(1 / self.settings.light_step) + 1, np.uint8)
        return np.clip(now, cv2.subtract(before, step), cv2.add(before, step))

    def knows_no_hand(self) -> bool:
        """Whether what lies across the edge came there as a die: it rests at the wall."""
        flight = self.flight
        return flight is not None and flight.labels is not None and not flight.unseen and flight.hand is None

    def with_hands(self, state: Motion, time_s: float) -> Motion:
        """What the tray is doing, by what the flight watch knows of hands."""
        if state is Motion.HAND and self.motion.stillness.still and self.knows_no_hand():
            return Motion.SETTLED
        if state is Motion.SETTLED and not self.read and self.knows_a_hand(time_s):
            return Motion.HAND
        return state

    def knows_a_hand(self, time_s: float) -> bool:
        """Whether there is a hand whose crossing of the edge is not seen; what stays for long is none."""
        visit_s = None if self.flight is None else self.flight.visits.since_s
        return visit_s is not None and time_s - visit_s < self.settings.patience_s

    def hand_or_moved_camera(self, frame: Image, time_s: float) -> Observation | None:
        """Something seems to lie across the edge: the whole tray does, if the camera stands elsewhere."""
        if time_s < self.next_look_s and self.told is not None:
            return None
        look = self.place.look(frame) if self.place.tray is not None else TrayStatus.UNKNOWN
        if look in (TrayStatus.CAMERA_MOVED, TrayStatus.ASTRAY):
            return self.lost(look, time_s)
        self.next_look_s = time_s + self.settings.again_s
        return self.unsettled(Reason.HAND, time_s)

    def lost(self, look: TrayStatus, time_s: float) -> Observation | None:
        """The tray is not where it was, or not to be seen."""
        if look is TrayStatus.CAMERA_MOVED:
            self.watch_anew()
        else:
            self.next_look_s = time_s + self.settings.again_s
        return self.unsettled(REASONS[look], time_s)

    def unsettled(self, reason: Reason, time_s: float) -> Unsettled | None:
        """Tells why nothing is read: once, when that begins and when the reason has become another."""
        limits = self.settings
        if self.other is None or self.other[0] is not reason:
            self.other = (reason, time_s)
        lasting = time_s - self.other[1] >= limits.lasts_s or reason not in (
            Reason.MOVING,
            Reason.HAND,
        )
        if reason is self.told or (self.told is not None and not lasting):
            return None
        self.told = reason
        return Unsettled(reason, time_s)

    def watch_anew(self) -> None:
        """Watches the tray where it is seen now; nothing of what was seen before counts as still."""
        self.read, self.before, self.next_look_s = False, None, -np.inf
        self.last_read = {}
        by = downsampling(self.shape[1])
        width, height = self.shape[1] // by, self.shape[0] // by
        background = None
        if self.calibrated is not None:
            scaled = np.diag([1 / by, 1 / by, 1.0])
            self.background = self.calibrated.resized(width, height)
            self.background = self.background.moved(scaled @ self.place.from_first() @ np.linalg.inv(scaled))
            background = np.asarray(np.rint(self.background.picture), np.uint8)
        if (tray := self.place.tray) is None:
            self.motion, self.flight = MotionWatch(None, background, settings=self.settings), None
        else:
            px_per_mm = tray.px_per_mm() / by
            area = tray.area(width, height, 1 / by)
            self.motion = MotionWatch(area, background, self.settings.hand_mm * px_per_mm, self.settings)
            self.looks = Looks(px_per_mm, self.settings.looks)
            self.flight, self.background_now = (
                None if background is None else FlightWatch(area, px_per_mm, self.settings),
                None,
            )

    def settled(self, frames: Sequence[Image], time_s: float) -> Settled:
        """Reads the still frames."""
        small = self.motion.small
        background = None if self.background is None or small is None else self.background.now(small)
        same = self.unchanged(frames[0])
        readings: list[Reading] = []
        for frame in frames:
            before = self.lying(same, *readings)
            tray, enrolled = self.place.tray, self.enrolled
            readings.append(
                self.reader.read(frame, tray, background, enrolled, self.progress, before, self.was_thrown)
            )
        reading = self.reader.agree(readings)
        self.last_read = self.remembered(frames[-1], reading, same)
        self.place.heed(readings[-1].tops, self.shape)
        by = downsampling(self.shape[1])
        boxes = [die.box for die in reading.dice]
        self.things = [(x // by, y // by, w // by + 2, h // by + 2) for x, y, w, h in boxes]
        self.read, self.told, self.other, self.followed_s = True, None, None, time_s
        dice = tuple(die for die in reading.dice if self.in_tray(die))
        shown, touched = self.look_back(frames[-1], dice, background)
        flight = None if self.flight is None else self.flight.settle(dice, by, time_s)
        if self.background is None and self.place.tray is self.place.first is not None and not reading.dice:
            self.calibrated = BackgroundModel(frames[-1], self.settings.background)
            self.watch_anew()
        motion = tuple((taken_s, self.watched(small)) for taken_s, small in self.strip.frames)
        rows, columns = self.watched_part(frames[-1])
        corner = (columns.start, rows.start)
        view = frames[-1][rows, columns]
        return Settled(Reading(dice), time_s, view, flight, motion, corner, shown, touched)

    def unchanged(self, frame: Image) -> Reading:
        """The sure dice of the last reading that look in this frame as they did when their boxes were found.

        They lie where they lay. A marker or a shadow beside a die may count as part of it in one frame and
        not in the next, so that it would seem to have moved.
        """
        return Reading(
            tuple(
                die
                for (x, y, w, h), (die, picture) in self.last_read.items()
                if self.looks_the_same(picture, frame[y : y + h, x : x + w])
            )
        )

    def lying(self, same: Reading, *readings: Reading) -> Reading:
        """The dice that are known to lie there: those that lay there, and the sure ones of these readings."""
        sure = (die for reading in readings for die in reading.dice if die.sure)
        return Reading(tuple({die.box: die for die in (*same.dice, *sure)}.values()))

    def looks_the_same(self, before: Image, now: Image) -> bool:
        """Whether two pictures of a die are alike, at least in their middle: another may hide an edge now."""
        limits, (h, w) = self.settings.looks, before.shape[:2]
        wide, high = round(limits.middle * w), round(limits.middle * h)
        parts = (0, 0, w, h), ((w - wide) // 2, (h - high) // 2, wide, high)
        return any(likeness(before, now, part, limits) >= limits.same for part in parts)

    def remembered(
        self, frame: Image, reading: Reading, same: Reading
    ) -> dict[Box, tuple[DieReading, Image]]:
        """The sure dice of a reading by their boxes, each with its picture when its box was found.

        `same` are those of the reading before that are `unchanged`: their pictures are kept.
        """
        sure = {die.box: die for die in reading.dice if die.sure}
        pictures = {die.box: self.last_read[die.box][1] for die in same.dice}
        return {
            (x, y, w, h): (die, pictures.get((x, y, w, h), frame[y : y + h, x : x + w].copy()))
            for (x, y, w, h), die in sure.items()
        }

    def look_back(
        self, frame: Image, dice: Sequence[DieReading], background: Image | None
    ) -> tuple[tuple[tuple[Die, ...], ...], bool]:
        """What dice showed when they lay open, if they are no more as they lay before a hand came over them.

        Also whether one of them was touched: if it had been thrown since the dice were read last, a hand
        came over that throw. What is hidden now is looked for when the dice are read next.
        """
        if self.flight is None:
            return (), False
        limits, touched_s = self.settings.looks, self.flight.places.handled_s
        shown: list[tuple[Die, ...]] = []
        later: list[Look] = []
        touched = self.looks.lost(touched_s)
        for look in self.looks.touched(touched_s):
            same = [die.box for die in dice if likeness(look.frame, frame, die.box, limits) >= limits.same]
            if not self.looks.left(look, map(self.small_box, same)):
                continue
            before = self.open_in(look, background)
            shown.append(tuple(face for die in before if (face := die.shows)))
            moved = [
                die.box
                for die in before
                if die.kind
                and die.doubt not in HARDLY_SEEN
                and last_time(touched_s, self.small_box(die.box)) > look.time_s
                and likeness(look.frame, frame, die.box, limits) < limits.moved
            ]
            seen = [box for box in moved if self.is_seen(box, dice)]
            touched |= bool(seen)
            if look.time_s > self.flight.settled_s and any(self.was_turned(look, box, frame) for box in seen):
                self.flight.tell_interfered()
            if len(seen) < len(moved):
                later.append(look)
        self.looks.forget(but=later)
        return tuple(filter(None, shown)), touched

    def open_in(self, look: Look, background: Image | None) -> list[DieReading]:
        """The dice that lie open in this frame."""
        tray, enrolled = self.place.tray, self.enrolled
        seen = self.reader.read(look.frame, tray, background, enrolled, self.progress, None, self.was_thrown)
        return [die for die in seen.dice if self.looks.shows(look, self.small_box(die.box))]

    def is_seen(self, box: Box, dice: Sequence[DieReading]) -> bool:
        """Whether it is seen what is in this box now: one of these dice, or the bare tray."""
        flight = self.flight
        free = flight is not None and flight.is_free(self.small_box(box))
        return free or any(die.kind and iou(die.box, box) > 0 for die in dice)

    def small_box(self, box: Box) -> Box:
        """The box in pixels of the small frame."""
        by = downsampling(self.shape[1])
        x, y, w, h = box
        return x // by, y // by, w // by, h // by

    def was_thrown(self, box: Box) -> bool:
        """Whether what lies in this box of the frame was seen to be thrown since the dice were last read."""
        return self.flight is not None and self.flight.was_thrown(box, downsampling(self.shape[1]))

    def was_turned(self, look: Look, box: Box, frame: Image) -> bool:
        """Whether what lies in this box, but otherwise in this look, was thrown, and a hand came over it."""
        if self.flight is None or not self.was_thrown(box):
            return False
        limits = self.settings.looks
        later = (
            other
            for other in self.looks.kept
            if other.time_s > look.time_s and likeness(other.frame, frame, box, limits) >= limits.same
        )
        return self.flight.was_handled(self.small_box(box), look, next(later, None))

    def in_tray(self, die: DieReading) -> bool:
        """Whether the die lies in the tray and not beside it, as far as that is known."""
        if self.motion.area is None:
            return True
        by, (rows, columns) = downsampling(self.shape[1]), self.motion.area.shape
        x, y, w, h = die.box
        return bool(self.motion.area[min((y + h // 2) // by, rows - 1), min((x + w // 2) // by, columns - 1)])

    def watched(self, frame: Image) -> Image:
        """The smallest part of the frame that holds the watched area."""
        return frame[self.watched_part(frame)]

    def watched_part(self, frame: Image) -> tuple[slice, slice]:
        """The rows and the columns of that part."""
        area = self.motion.area
        if area is None or not area.any():
            return slice(0, frame.shape[0]), slice(0, frame.shape[1])
        by = downsampling(frame.shape[1])
        rows, columns = (np.flatnonzero(area.any(axis=axis)) * by for axis in (1, 0))
        return slice(int(rows[0]), int(rows[-1]) + by), slice(int(columns[0]), int(columns[-1]) + by)

    def follow(self, time_s: float) -> None:
        """Keeps the background in today's light."""
        limits = self.settings
        if self.background is None or self.motion.small is None or time_s - self.followed_s < limits.follow_s:
            return
        self.followed_s = time_s
        self.background.follow(self.motion.small, self.things, time_s)
        self.background_now, self.background_s = (
            np.asarray(np.rint(self.background.picture), np.uint8),
            time_s,
        )
