"""Keeps frames in which dice lay open and still before anybody read them, in case a hand comes over them.

What they showed then is what they showed before the hand: a die that was turned or moved is found out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.detection.foreground import largest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vision.motion.places import Places, Times
    from vision.motion.settings import LookSettings
    from vision.motion.stillness import Area
    from vision.reading import Box, Image

LEAST_SHIFTS: Final = 4
"""Smallest compared part of a die, as a multiple of the shift that is ignored."""
LEAST_RELIEF: Final = 0.5
"""Smallest standard deviation of a die's picture, in grey levels; a flatter picture is not compared."""


class OpenDice(NamedTuple):
    """Where dice that were not read yet can be seen in one frame; None: nowhere.

    Attributes:
        still: they lie apart from any hand, and lay there in the frame before.
        uncovered: they lie apart from any hand, and a hand hid them in the frame before.
        hidden: a hand, or what may be one, hides them if they lie there.
    """

    still: Area | None = None
    uncovered: Area | None = None
    hidden: Area | None = None


class Look(NamedTuple):
    """A frame in which dice lie open and still.

    Attributes:
        frame: it, whole …
        small: … and small.
        time_s: when it was taken.
        part: where in the small frame those dice lie.
        handled_s: when a hand, or what may be one, was last over each place of the small frame then.
    """

    frame: Image
    small: Image
    time_s: float
    part: Area
    handled_s: Times

    def touched(self, touched_s: Times) -> bool:
        """Whether a hand came over the dice since, by when one was last over each place."""
        return bool((touched_s[self.part] > self.time_s).any())


class Looks:
    """The frames that are kept since the dice were read; `px_per_mm` is of the small frame.

    Attributes:
        glimpse: the frame before, if dice came to light in it.
        missed: where dice lay open when there was no room for another frame …
        missed_s: … and since when.
    """

    def __init__(self, px_per_mm: float, settings: LookSettings) -> None:
        self.px_per_mm = px_per_mm
        self.settings = settings
        self.kept: list[Look] = []
        self.glimpse: Look | None = None
        self.missed: Area | None = None
        self.missed_s = np.inf

    def see(self, frame: Image, small: Image, dice: OpenDice, places: Places, time_s: float) -> None:
        """Keeps this frame if dice lie open in it where those kept show none, or show another thing.

        `places` tells when a hand was last over each place of the small frame. Of dice that lay open in
        one frame only, between two hands, the frame is kept, too.
        """
        before, self.glimpse = self.glimpse, None
        touched_s = places.handled_s
        if dice.hidden is not None:
            free_s = places.background_s
            self.kept = [look for look in self.kept if not self.was_hand(look, dice.hidden, free_s, time_s)]
        hidden = 0.0 if before is None or dice.hidden is None else dice.hidden[before.part].mean()
        if before is not None and hidden > self.settings.within:
            self.keep(before, touched_s)
        if dice.still is not None:
            self.keep(Look(frame, small, time_s, dice.still, touched_s), touched_s)
        if dice.uncovered is not None:
            self.glimpse = Look(frame, small, time_s, dice.uncovered, touched_s)

    def was_hand(self, look: Look, hand: Area, free_s: Times, time_s: float) -> bool:
        """Whether what seemed to be dice is a part of the hand that is there now: both came a moment ago.

        `free_s` tells when nothing was last seen in each place. Dice that a hand leaves behind lie where it
        was.
        """
        glance_s = self.settings.glance_s
        if time_s - look.time_s > glance_s or hand[look.part].mean() <= self.settings.within:
            return False
        return bool(look.time_s - np.median(free_s[look.part]) <= glance_s)

    def keep(self, seen: Look, touched_s: Times) -> None:
        """Keeps the frame if its dice are not to be seen in those kept.

        If there are too many, those go whose dice no hand came over: they lie here too, or rolled away.
        """
        new = seen.part
        for look in self.kept:
            same = largest(cv2.absdiff(seen.small, look.small)) <= self.settings.changed
            new = new & ~(self.around(look.part) & same)
        if not self.is_a_die(new):
            return
        if len(self.kept) >= self.settings.most:
            self.kept = self.touched(touched_s)
        if len(self.kept) < self.settings.most:
            self.kept.append(seen)
        elif self.missed is None:
            self.missed, self.missed_s = new, seen.time_s

    def touched(self, touched_s: Times) -> list[Look]:
        """Those whose dice a hand came over later."""
        return [look for look in self.kept if look.touched(touched_s)]

    def lost(self, touched_s: Times) -> bool:
        """Whether a hand came over dice when there was no room to keep a frame of them."""
        return self.missed is not None and bool((touched_s[self.missed] > self.missed_s).any())

    def forget(self, but: list[Look]) -> None:
        """Forgets all but these: the dice were read."""
        self.kept, self.glimpse, self.missed, self.missed_s = but, None, None, np.inf

    def left(self, look: Look, boxes: Iterable[Box]) -> bool:
        """Whether dice lie open in the frame apart from those in these boxes of the small frame."""
        rest = look.part.astype(np.uint8)
        by = round(self.settings.near_mm * self.px_per_mm)
        for x, y, w, h in boxes:
            rest[max(0, y - by) : y + h + by, max(0, x - by) : x + w + by] = 0
        return self.is_a_die(rest)

    def shows(self, look: Look, box: Box) -> bool:
        """Whether the die in this box, in pixels of the small frame, lies open in that frame."""
        x, y, w, h = box
        middle = look.part[y + h // 4 : y + h - h // 4, x + w // 4 : x + w - w // 4]
        return bool(middle.size and middle.mean() >= self.settings.within)

    def is_a_die(self, part: npt.NDArray[np.generic]) -> bool:
        """Whether this part of the small frame is as large as a die."""
        return int(np.count_nonzero(part)) >= self.settings.least_mm2 * self.px_per_mm**2

    def around(self, part: Area) -> Area:
        """The part and what is near it."""
        side = 2 * round(self.settings.near_mm * self.px_per_mm) + 1
        return np.asarray(cv2.dilate(part.astype(np.uint8), np.ones((side, side), np.uint8)), np.bool_)


def likeness(before: Image, after: Image, box: Box, settings: LookSettings) -> float:
    """How alike two frames (uint8, H×W×3 BGR) are in the box of a die, whatever the light: 1 is the same.

    A small shift does not count.
    """
    x, y, w, h = box
    off = max(1, round(settings.shift * min(w, h)))
    rows, columns = slice(max(0, y), y + h), slice(max(0, x), x + w)
    old, new = (relief(frame[rows, columns], max(w, h) * settings.detail) for frame in (before, after))
    edge = off + round(settings.inset * min(old.shape))
    part = old[edge:-edge, edge:-edge]
    if min(part.shape) < LEAST_SHIFTS * off or part.std() < LEAST_RELIEF:
        return 0.0
    searched = new[edge - off : off - edge, edge - off : off - edge]
    return float(cv2.matchTemplate(searched, part, cv2.TM_CCOEFF_NORMED).max())


def relief(picture: Image, wide: float) -> npt.NDArray[np.float32]:
    """The grey picture without what is wider than that, pixels, such as shadows."""
    grey = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32), (0, 0), 1.0)
    return np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), wide), np.float32)
