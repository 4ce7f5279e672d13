"""Frames in, messages out: waits until the dice lie still, makes sure where the tray is, reads, agrees.

Knows no camera and no clock but the frames' own time. It needs no state from before: started with dice in the
tray it says how they lie, and whoever keeps the game knows which of them are old.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from dicetable.eye.evidence import evidence
from dicetable.eye.messages import Settled, Unsettled, Why
from vision.motion.background import EmptyTray
from vision.motion.downsample import halvings
from vision.motion.watch import Motion, MotionWatch
from vision.reader import DiceReader
from vision.reading import Reading
from vision.recognition.recognizer import ignore_progress
from vision.tray.tracking import Look, TrayWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dicetable.eye.messages import EyeMessage
    from vision.reading import Box, DieReading, Image
    from vision.recognition.enrolled import EnrolledDice
    from vision.tray.pose import Tray

AGAIN_S: Final = 0.5
"""While the markers cannot be seen they are looked for so often."""
FOLLOW_S: Final = 2.0
"""The empty tray's picture follows the light so often while all lies still."""
LASTS_S: Final = 0.15
"""Another reason why nothing is read must last so long before it is told; the first is told at once."""
HAND_MM: Final = 17.0
"""Least width of a hand at the tray's edge."""
WHY: Final = {Look.BUMPED: Why.BUMPED, Look.ASTRAY: Why.BUMPED, Look.COVERED: Why.MARKERS}


class Watcher:
    """Watches one camera's frames.

    Boxes in what it says are in pixels of the camera's first place: after a bump they still mean the same
    places on the tray.

    Args:
        tray: how the camera saw the tray when the rig was calibrated. Without it the tray is learned from
            the first still frame that shows all four markers; until then the whole frame is watched.
        empty: the tray without dice, seen from there; without it a hand that is in the tray from the very
            start is not told from the tray.
        own: the table's own dice, if only these are to be played with.
        progress: called between dice while a frame is read, which may take long.
        reader: reads the frames; None for one with the usual nets and settings.
    """

    def __init__(
        self,
        tray: Tray | None = None,
        empty: Image | None = None,
        own: EnrolledDice | None = None,
        progress: Callable[[], None] = ignore_progress,
        reader: DiceReader | None = None,
    ) -> None:
        self.reader = reader or DiceReader()
        self.own = own
        self.progress = progress
        self.place = TrayWatch(tray)
        self.calibrated = None if empty is None else EmptyTray(empty)
        self.empty = self.calibrated
        self.shape: tuple[int, ...] = ()
        self.motion = MotionWatch()
        self.before: Image | None = None
        self.told: Why | None = None
        self.other: tuple[Why, float] | None = None
        self.read = False
        self.next_look_s = -np.inf
        self.followed_s = -np.inf
        self.things: list[Box] = []

    def see(self, frame: Image, time_s: float) -> list[EyeMessage]:
        """What this frame (uint8, H×W×3 BGR) gives cause to say: nothing, most of the time."""
        if frame.shape != self.shape:
            self.shape = frame.shape
            self.watch_anew()
        state = self.motion.watch(frame, time_s)
        before, self.before = self.before, frame
        if state is not Motion.SETTLED:
            self.read = False
            if state is Motion.HAND and self.motion.stillness.still:
                return self.hand_or_bump(frame, time_s)
            return self.say(Why(state.value), time_s)
        if self.read:
            self.follow(time_s)
            return []
        if before is None or time_s < self.next_look_s:
            return []
        look = self.place.look(frame)
        if look in WHY:
            return self.lost(look, time_s)
        if look is Look.LEARNED:
            self.watch_anew()
            return []
        return [self.settled((before, frame), time_s)]

    def hand_or_bump(self, frame: Image, time_s: float) -> list[EyeMessage]:
        """Something seems to lie across the edge: the whole tray does, if the camera stands elsewhere."""
        if time_s < self.next_look_s and self.told is not None:
            return []
        look = self.place.look(frame) if self.place.tray is not None else Look.UNKNOWN
        if look in (Look.BUMPED, Look.ASTRAY):
            return self.lost(look, time_s)
        self.next_look_s = time_s + AGAIN_S
        return self.say(Why.HAND, time_s)

    def lost(self, look: Look, time_s: float) -> list[EyeMessage]:
        """The tray is not where it was, or not to be seen."""
        if look is Look.BUMPED:
            self.watch_anew()
        else:
            self.next_look_s = time_s + AGAIN_S
        return self.say(WHY[look], time_s)

    def say(self, why: Why, time_s: float) -> list[EyeMessage]:
        """Tells why nothing is read: once, when that begins and when the reason has become another."""
        if self.other is None or self.other[0] is not why:
            self.other = (why, time_s)
        lasting = time_s - self.other[1] >= LASTS_S or why not in (Why.MOVING, Why.HAND)
        if why is self.told or (self.told is not None and not lasting):
            return []
        self.told = why
        return [Unsettled(why, time_s)]

    def watch_anew(self) -> None:
        """Watches the tray where it is seen now; nothing of what was seen before counts as still."""
        self.read, self.before, self.next_look_s = False, None, -np.inf
        by = halvings(self.shape[1])
        width, height = self.shape[1] // by, self.shape[0] // by
        bare = None
        if self.calibrated is not None:
            shrinks = np.diag([1 / by, 1 / by, 1.0])
            self.empty = self.calibrated.resized(width, height)
            self.empty = self.empty.moved(shrinks @ self.place.from_first() @ np.linalg.inv(shrinks))
            bare = np.asarray(np.rint(self.empty.picture), np.uint8)
        if (tray := self.place.tray) is None:
            self.motion = MotionWatch(None, bare)
        else:
            ends = tray.pixels(np.array([[-10.0, 0.0], [10.0, 0.0]])) / by
            hand = HAND_MM * float(np.linalg.norm(ends[1] - ends[0])) / 20
            self.motion = MotionWatch(tray.area(width, height, 1 / by), bare, hand)

    def settled(self, frames: Sequence[Image], time_s: float) -> Settled:
        """Reads the still frames."""
        small = self.motion.small
        empty = None if self.empty is None or small is None else self.empty.now(small)
        readings = [
            self.reader.read(frame, background=empty, enrolled=self.own, progress=self.progress)
            for frame in frames
        ]
        reading = self.reader.agree(readings)
        by = halvings(self.shape[1])
        boxes = [die.box for die in reading.dice]
        self.things = [(x // by, y // by, w // by + 2, h // by + 2) for x, y, w, h in boxes]
        self.read, self.told, self.other, self.followed_s = True, None, None, time_s
        seen = [die for die in reading.dice if self.in_tray(die)]
        dice = [replace(die, box=self.place.as_first_seen(die.box)) for die in seen]
        dice.sort(key=lambda die: (die.box[1], die.box[0]))
        return Settled(Reading(tuple(dice)), time_s, evidence(frames[-1], self.motion.area))

    def in_tray(self, die: DieReading) -> bool:
        """Whether the die lies in the tray and not beside it, as far as that is known."""
        if self.motion.area is None:
            return True
        by, (rows, columns) = halvings(self.shape[1]), self.motion.area.shape
        x, y, w, h = die.box
        return bool(self.motion.area[min((y + h // 2) // by, rows - 1), min((x + w // 2) // by, columns - 1)])

    def follow(self, time_s: float) -> None:
        """Keeps the empty tray's picture in today's light."""
        if self.empty is None or self.motion.small is None or time_s - self.followed_s < FOLLOW_S:
            return
        self.followed_s = time_s
        self.empty.follow(self.motion.small, self.things, time_s)
