"""When a hand was last over each place of the tray, when nothing was last seen there, and where dice lay."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from vision.motion.patches import same_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.motion.stillness import Area
    from vision.reading import Box

Times: TypeAlias = npt.NDArray[np.float64]


class PastDie(NamedTuple):
    """Where a die lay, when it was when it last did for sure, and whether it differed from the tray."""

    box: Box
    time_s: float
    visible: bool


class Places:
    """Times of each pixel of a small frame of this shape, float64; minus infinity for never.

    Attributes:
        touched_s: when a hand was last there.
        reached_s: when what may be a hand was last there.
        background_s: when nothing was last seen there, with no hand near it.
        bare_s: when nothing or a shadow was last seen there, with no hand near it.
        empty_s: when neither a thing nor a shadow was last seen there, with no hand near it.
        bare: where more than a shadow is seen now, bool.
        seen_s: when the newest frame was taken.
        past_dice: where dice lay that were read, unless the place was seen empty since.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.touched_s, self.reached_s, self.background_s, self.bare_s, self.empty_s = (
            np.full(shape, -np.inf) for _ in range(5)
        )
        self.bare = np.zeros(shape, np.bool_)
        self.seen_s = -np.inf
        self.past_dice: list[PastDie] = []

    def lose_sight(self) -> None:
        """Nobody can tell where nothing lies."""
        self.background_s[:] = self.bare_s[:] = self.empty_s[:] = -np.inf

    def see(self, followed: Area, bare: Area, shaded: Area, near: Area | None, time_s: float) -> None:
        """A frame in which something is `followed`, with a hand `near`.

        `bare` is where more than a shadow is seen, `shaded` where that or a shadow is.
        """
        self.bare, self.seen_s = bare, time_s
        free = np.True_ if near is None else ~near
        self.background_s[~followed & free] = time_s
        self.bare_s[~bare & free] = time_s
        self.empty_s[~shaded & free] = time_s

    @property
    def handled_s(self) -> Times:
        """When a hand, or what may be one, was last over each place."""
        return np.asarray(np.maximum(self.touched_s, self.reached_s), np.float64)

    def last_touch(self, box: Box) -> float:
        """When a hand was last over the middle of a box."""
        return last_time(self.touched_s, box)

    def last_handled(self, box: Box) -> float:
        """When a hand, or what may be one, was last over the middle of a box."""
        return max(self.last_touch(box), last_time(self.reached_s, box))

    def last_background(self, box: Box) -> float:
        """When most of the middle of a box was last seen without anything on it, with no hand near it."""
        return usual_time(self.background_s, box)

    def is_plain(self, box: Box, plain_part: float) -> bool:
        """Whether more than a shadow is seen now in so much of the middle of a box."""
        part = self.bare[middle(box)]
        return part.size > 0 and bool(part.mean() >= plain_part)

    def last_bare(self, box: Box, plain_part: float) -> float:
        """The same as `last_background`, but shadows count as nothing if it is plain what lies there."""
        return usual_time(self.bare_s if self.is_plain(box, plain_part) else self.background_s, box)

    def settle(self, boxes: Sequence[Box], time_s: float) -> tuple[bool, ...]:
        """Dice lie in these boxes: whether the place of each was seen empty since one last lay there."""
        self.past_dice = [old for old in self.past_dice if not self.was_empty(old)]
        anew = tuple(not any(same_place(box, old.box) for old in self.past_dice) for box in boxes)
        elsewhere = [old for old in self.past_dice if not any(same_place(box, old.box) for box in boxes)]
        there = (PastDie(box, time_s, usual_time(self.empty_s, box) < self.seen_s) for box in boxes)
        self.past_dice = [*elsewhere, *there]
        return anew

    def was_empty(self, old: PastDie) -> bool:
        """Whether the place was seen empty since; of a die that looked like the tray nobody can tell."""
        return old.visible and usual_time(self.empty_s, old.box) > old.time_s


def last_time(times_s: Times, box: Box) -> float:
    """The last of the times in the middle of a box."""
    part = times_s[middle(box)]
    return float(part.max()) if part.size else -np.inf


def usual_time(times_s: Times, box: Box) -> float:
    """The median of the times in the middle of a box."""
    part = times_s[middle(box)]
    return float(np.median(part)) if part.size else -np.inf


def middle(box: Box) -> tuple[slice, slice]:
    """The rows and columns of the middle half of a box."""
    x, y, w, h = box
    return slice(max(0, y + h // 4), y + h - h // 4), slice(max(0, x + w // 4), x + w - w // 4)
