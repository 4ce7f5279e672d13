"""Decides how each die came to lie where it lies: thrown, handled by a hand, or unseen.

The evidence is the die's track, and when and where hands were. A die was *thrown* if it moved freely and
fast, with no hand next to it; if it rolled on after a hand had left; or if it came to a bare place where no
hand was. A hand that sets a die down has to stop: where one only passed, a die was thrown if it moved there,
or if others were thrown just then. It was *handled* if a hand moved or turned it after it lay still. A hand
that stopped where the die came to rest may have set it down, or have let it go just there: without evidence
of either, people are asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from vision.motion.segmentation import CLOSE, MOMENT_S
from vision.motion.stillness import BRIEF_S, FRAMES
from vision.motion.tracks import SAME_AREA, Blob, Point, Track, outside, rests_clear, same_area, stands
from vision.reading import Arrival, Box

FAST: Final = 9.0
"""Least top speed of a die that flies, in die widths a second: about 150 mm/s."""
LEAST_PART: Final = 1 / 3
"""A blob of less than this part of a die's area is not that die."""
CLUMP: Final = 3.0
"""A blob of dice larger than this many times all the dice that lie there included a hand."""
CHOICE_S: Final = 0.2
"""Nobody sees a face and turns the die to another in so short a time. More: a hand that
holds a rolling die has not set it down; less: a hand that follows its die low over the tray has."""
TOGETHER_S: Final = 1.0
"""A hand that comes to a place within this time of a throw, and stops there, may have thrown."""


@dataclass(frozen=True, slots=True)
class History:
    """What was seen of one die since dice were read last.

    Attributes:
        lay: it was read before, and now lies where it lay then; None if it was not read yet.
        carried: a hand was next to it or to its old place.
        far: how far it moved with no hand next to it, widths.
        fast: how fast at most in a flight, widths a second; 0 if it was in none.
        changed: its place has looked otherwise since dice were read last.
        moved_by_hand: a hand moved it after it had lain still.
        clumped: it was a part of something larger than the dice: of a hand that passed for dice.
        altered_s: since when it may show another face than it did; inf if it shows the same.
        bare_s: when its place was last seen bare.
        open_s: when a die was first seen there since then, with no hand near; inf if none was.
        hand_s: when a hand was last near its place, until it lay open and has looked the same since.
        stopped_s: when a hand last stood still near its place, until then.
        rolled: it turned over, or went on moving, after a hand near its place had left.
    """

    lay: bool | None
    carried: bool
    far: float
    fast: float
    changed: bool
    moved_by_hand: bool
    clumped: bool
    altered_s: float
    bare_s: float
    open_s: float
    hand_s: float
    stopped_s: float
    rolled: bool = False

    @property
    def flew(self) -> bool:
        """It moved or turned over freely, or came to a bare place with no hand, or where none has stopped."""
        alone = self.hand_s <= self.bare_s or (self.far >= CLOSE and self.stopped_s < self.bare_s)
        return self.fast > 0 or ((alone or self.rolled) and self.bare_s > -math.inf)


def was_clumped(path: Sequence[Point], box: Box, dice: Sequence[Box]) -> bool:
    """Whether it was a part of something larger than all the dice together, where it lies now."""
    least = CLUMP * sum(w * h for _, _, w, h in dice)
    return any(point.area > least and not outside(middle(box), point.blob.box) for point in path)


def came_with_fingers(track: Track, whole: Sequence[Point], box: Box, die_px: float) -> bool:
    """Whether something larger that reached there from outside stood still where the die lies.

    Fingers may pass for dice, with the die that they set down as one of them. A die that flew before has
    rolled to them. `whole` is the track's path `without_parts`.
    """
    least = SAME_AREA * max(whole[-1].area, box[2] * box[3])

    def are_fingers(blob: Blob) -> bool:
        return blob.reaches_out and blob.area > least and not outside(middle(box), blob.box)

    if track.held_in is not None and are_fingers(track.held_in):
        return True
    for i, point in enumerate(whole):
        start = max(0, i - FRAMES)
        # Fingers that only pass over the place put nothing down.
        if are_fingers(point.blob) and stands(whole[start : i + 1], die_px):
            return not any(is_flight(run, die_px) for run in free_runs(whole[: start + 1], die_px))
    return False


def fingers_s(path: Sequence[Point], box: Box, dice: Sequence[Box], die_px: float) -> float:
    """When something larger that came from outside last stood over a die that lay here; -inf if nothing did.

    Fingers may pass for dice. They are larger than the `dice` that lie there in the end.
    """
    last_s, lay = -math.inf, False
    for i, point in enumerate(path):
        blob = point.blob
        if is_larger_and_over(blob, box, dice):
            if lay and stands(path[max(0, i - FRAMES) : i + 1], die_px):
                last_s = point.time_s
        elif math.dist(point.at, middle(box)) <= CLOSE * die_px:
            lay = True
    return last_s


def is_larger_and_over(blob: Blob, box: Box, dice: Sequence[Box]) -> bool:
    """Whether a blob that came from outside covers this box and is larger than all dice that it covers."""
    if not blob.reaches_out or outside(middle(box), blob.box):
        return False
    covered = sum(die[2] * die[3] for die in dice if not outside(middle(die), blob.box))
    return blob.area > SAME_AREA * covered


def without_parts(path: Sequence[Point], box: Box) -> list[Point]:
    """The path of the die in this box, without steps into and out of blobs that are much smaller.

    A part of a hand may pass for a die, and later for the one that the hand set down.
    """
    least = LEAST_PART * min(path[-1].area, box[2] * box[3])
    return [
        point if min(before.area, point.area) >= least else replace(point, step_px=0.0)
        for before, point in pairwise([path[0], *path])
    ]


def arrival(history: History, thrown_s: Iterable[float]) -> Arrival:
    """How a die came to lie where it lies; `thrown_s`: when others were thrown that were not read yet."""
    # Nothing has come near an old die since it may look otherwise: a change of the light has turned none.
    if history.lay and history.hand_s <= history.altered_s:
        return Arrival.LAY
    if not history.changed:  # a picture that trembles may seem to bring dice, or to move them
        return Arrival.UNSEEN if history.lay is None else Arrival.LAY
    # A hand may pick an old die up and throw it: that it was moved by a hand before then says nothing.
    thrown_again = history.lay is False and history.flew
    if (history.moved_by_hand and not thrown_again) or history.stopped_s > history.altered_s:
        return Arrival.HANDLED
    # An old die that left its place by itself was knocked by another, or by someone who was not seen: ask.
    if history.lay is not None:
        return Arrival.HANDLED if history.carried and not history.flew else Arrival.UNSEEN
    # Of a handful, the last die often leaves the fingers just where it lies, and is not seen to move.
    together = any(abs(one - history.bare_s) <= TOGETHER_S for one in thrown_s)
    came = history.flew or (together and history.stopped_s < history.bare_s)
    # Fingers may have passed for dice and left one behind; or a hand turned it after it had come to rest.
    unsure = history.clumped or history.altered_s < math.inf or history.stopped_s > history.open_s
    return Arrival.THROWN if came and not unsure else Arrival.UNSEEN


def middle(box: Box) -> tuple[float, float]:
    x, y, w, h = box
    return x + w / 2, y + h / 2


def square(at: tuple[float, float], die_px: float) -> Box:
    """The box of a die about a place of the small frame."""
    side = round(die_px)
    return round(at[0] - side / 2), round(at[1] - side / 2), side, side


def free_runs(path: Sequence[Point], die_px: float) -> Iterator[Sequence[Point]]:
    """The stretches of a path with no hand next to the die, at whose end it came to rest for good.

    Each begins with the point before it. A die that a hand carries may seem to be clear of it for a while.
    One that lay still elsewhere is not the one that came. A hand that is next to it for `CHOICE_S` at most
    does not end a stretch, but how the die moves meanwhile does not count.
    """
    start: int | None = None
    for i, point in enumerate([*path, None]):
        if point is not None and point.blob.free:
            elsewhere = outside(path[-1].at, point.blob.box) > CLOSE * die_px
            if start is None or (elsewhere and stands(path[max(0, i - FRAMES) : i + 1], die_px)):
                start = max(i - 1, 0)
        elif start is not None and point is not None and is_let_go_soon(path[i - 1 :]):
            continue
        elif start is not None:
            run, start = without_contacts(path[start:i]), None
            rested = not any(one.step_px for one in run[-FRAMES:])
            if point is None or (rested and math.dist(run[-1].at, path[-1].at) <= CLOSE * die_px):
                yield run


def is_let_go_soon(path: Sequence[Point]) -> bool:
    """Whether the die, with a hand next to it after the first point, is free again within `CHOICE_S`."""
    return any(point.blob.free and point.time_s - path[0].time_s <= CHOICE_S for point in path[1:])


def without_contacts(run: Sequence[Point]) -> list[Point]:
    """The stretch of path, with the die as still as it was wherever a hand is next to it."""
    return [point if point.blob.free else replace(point, step_px=0.0) for point in run]


def travelled(run: Sequence[Point], die_px: float) -> tuple[float, float]:
    """How far, and how fast at most, the die moved over a stretch of path: widths, widths a second."""
    far = sum(point.step_px for point in run[1:]) / die_px
    fast = max(
        (now.step_px / max(now.time_s - before.time_s, 1e-3) for before, now in pairwise(run)),
        default=0.0,
    )
    return far, fast / die_px


def is_flight(run: Sequence[Point], die_px: float) -> bool:
    """Whether a die that moves so, with no hand next to it, was thrown."""
    return travelled(run, die_px)[1] >= FAST and moves(run)


def moves(run: Sequence[Point]) -> bool:
    """Whether the die moves by itself, and not only a hand's part that becomes a die."""
    moving = [point.step_px > 0 for point in run[1:]]
    return any(all(moving[i : i + FRAMES]) for i in range(len(moving) - FRAMES + 1))


def was_moved_by_hand(path: Sequence[Point], die_px: float) -> bool:
    """Whether the die lay still with no hand near it, and lies elsewhere since a hand was next to it.

    A rolling die that hardly moves for an instant has not lain still: the hand that threw it may be near.
    """
    rested: Point | None = None
    for i, point in enumerate(path):
        if not point.clear:
            continue
        if rested is not None and not path[i - 1].clear and point.time_s - rested.time_s > MOMENT_S:
            far = math.dist(point.blob.at, rested.blob.at)
            if same_area([point.area, rested.area]) and far > CLOSE * die_px:
                return True
        start = next((j for j in range(i, -1, -1) if point.time_s - path[j].time_s >= BRIEF_S - 1e-6), i)
        rested = point if start < i and rests_clear(path[start : i + 1]) else None
    return False


def moved_freely_s(path: Sequence[Point], die_px: float) -> list[float]:
    """When the die moved freely, if it did."""
    return [
        point.time_s
        for run in free_runs(path, die_px)
        if is_flight(run, die_px)
        for point in run
        if point.step_px
    ]
