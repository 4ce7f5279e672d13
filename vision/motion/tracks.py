"""Follows dice from frame to frame: one identity for each from first sight to removal.

Each frame's dice come as blobs. A track predicts where its die is now, and the cheapest assignment of
predictions to blobs says which blob that is. Dice that touch are one blob: their tracks stay a group until
they part. `vision.motion.arrivals` decides from a track's path how its die came to lie where it lies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import LOST_S
from vision.motion.segmentation import CLOSE, DIE, OTHER, Classes, Mask
from vision.motion.stillness import FRAMES
from vision.reading import Box

NEVER = 1e9
"""A pair that costs so much is none."""


def assign(costs: npt.NDArray[np.float64]) -> list[int | None]:
    """The column that each row is paired with, or None.

    As many rows as possible are paired, at the least sum of costs (float, n×m; infinite: no pair).

    Hungarian algorithm by shortest augmenting paths, O(n³): R. Jonker and A. Volgenant, A shortest augmenting
    path algorithm for dense and sparse linear assignment problems, Computing 38, 1987.
    """
    rows, columns = costs.shape
    if not rows or not columns:
        return [None] * rows
    cheapest = costs.argmin(axis=1).tolist()
    own = [column if costs[row, column] < np.inf else None for row, column in enumerate(cheapest)]
    pairs = [column for column in own if column is not None]
    if len(set(pairs)) == len(pairs):  # no two rows want the same column, so nothing can be cheaper
        return own
    size = rows + columns  # one more column for each row, in which it stays alone
    padded = np.full((rows, size), NEVER / 2)
    padded[:, :columns] = np.where(np.isfinite(costs), costs, NEVER)
    row_price, price = np.zeros(rows), np.zeros(size)
    owner = np.full(size, -1)
    for row in range(rows):
        # Dijkstra's search over reduced costs, from this row to the nearest column without an owner.
        least, through = np.full(size, np.inf), np.full(size, -1)
        done = np.zeros(size, np.bool_)
        reached, column = row, -1
        while True:
            reduced = padded[reached] - row_price[reached] - price
            better = ~done & (reduced + (0.0 if column < 0 else least[column]) < least)
            least[better] = reduced[better] + (0.0 if column < 0 else least[column])
            through[better] = column
            column = int(np.argmin(np.where(done, np.inf, least)))
            done[column] = True
            if owner[column] < 0:
                break
            reached = int(owner[column])
        # The prices of all that the search has passed rise, so that no reduced cost becomes negative.
        end = least[column]
        row_price[row] += end
        for passed in np.flatnonzero(done & (least < end)):
            row_price[owner[passed]] += end - least[passed]
            price[passed] -= end - least[passed]
        # Along the path each column goes to the row before it.
        while column >= 0:
            before = int(through[column])
            owner[column] = row if before < 0 else owner[before]
            column = before
    chosen: list[int | None] = [None] * rows
    for column in range(columns):
        if owner[column] >= 0 and padded[owner[column], column] < NEVER / 2:
            chosen[int(owner[column])] = column
    return chosen


LEAST_AREA: Final = 0.12
"""A blob of less than this part of a die's area is noise."""
REACH: Final = 2.5
"""A die is looked for within this many die widths of its predicted place, plus its last step. One that
rested where a hand is now may still be there, so it is looked for within one width."""
SAME_AREA: Final = 1.4
"""A blob that grew or shrank by more than this factor has merged with others, or parted from them."""
STEP: Final = 0.12
"""A die that moves by less than this part of its width from one frame to the next lies still."""
HIDDEN: Final = 0.3
"""A hand that covers this part of a die's place hides it."""


@dataclass(frozen=True, slots=True)
class Blob:
    """Connected pixels of dice in one frame.

    Attributes:
        at: centroid x, y in pixels.
        box: left, top, width and height in pixels.
        area: pixels.
        clear: no hand, and no other thing, is next to it.
        free: no hand that moves is.
        reaches_out: it reaches out of the tray.
    """

    at: tuple[float, float]
    box: Box
    area: int
    clear: bool
    free: bool
    reaches_out: bool


@dataclass(frozen=True, slots=True)
class Point:
    """Where a track was in one frame.

    Attributes:
        time_s: of the frame.
        at: x, y of the die in pixels: the middle of its blob, or where it may be in one that it shares.
        step_px: how far it has moved at least since the frame before.
        blob: which it was, or was a part of.
    """

    time_s: float
    at: tuple[float, float]
    step_px: float
    blob: Blob

    @property
    def area(self) -> int:
        return self.blob.area

    @property
    def clear(self) -> bool:
        return self.blob.clear


@dataclass(slots=True)
class Track:
    """A die, or several that have not been seen apart.

    Attributes:
        number: its identity.
        area: pixels of its blob when that was last no other's too.
        path: where it was since dice were read last; oldest first.
        read_at: where it lay when it was read last, pixels; None if it was not read yet.
        held_in: the blob at rest that it was a part of before it was first seen; None if there was none.
    """

    number: int
    area: int
    path: list[Point]
    read_at: tuple[float, float] | None = None
    held_in: Blob | None = None

    @property
    def blob(self) -> Blob:
        """Where it is seen, or was seen last."""
        return self.path[-1].blob

    @property
    def seen_s(self) -> float:
        """When it was seen last."""
        return self.path[-1].time_s

    @property
    def lies(self) -> bool:
        """Whether it has not moved lately, whatever has merged with it."""
        return len(self.path) > FRAMES and not any(point.step_px for point in self.path[-FRAMES - 1 :])

    def is_hidden(self, classes: Classes) -> bool:
        """Whether a hand covers the place where it was seen last."""
        x, y, w, h = self.blob.box
        return bool((classes[y : y + h, x : x + w] == OTHER).mean() > HIDDEN)

    def past_of_part(self) -> list[Point]:
        """The path, without the newest point, of a die that was a part of this blob and has left it now.

        What lay still was not the die that came, merged and left.
        """
        before = self.path[:-1]
        start = next((i for i in range(len(before), 1, -1) if rests(before[i - 2 : i])), 0)
        return before[start:]

    def path_of_another(self, die_px: float) -> list[Point]:
        """The path of a die that was never seen apart from this one, which may lie where it was read."""
        if self.read_at is None:
            return list(self.path)
        left = [point for point in self.path if math.dist(point.at, self.read_at) > CLOSE * die_px]
        first = left[0] if left else self.path[-1]
        return [replace(first, step_px=0.0), *left[1:]]

    def predicted(self, time_s: float) -> tuple[float, float]:
        """Where it is if it goes on as it went."""
        last = self.path[-1]
        if len(self.path) < 2:
            return last.at
        before = self.path[-2]
        part = (time_s - last.time_s) / max(last.time_s - before.time_s, 1e-3)
        (x, y), (x0, y0) = last.at, before.at
        return x + part * (x - x0), y + part * (y - y0)


class Tracker:
    """Tracks the dice in small frames of one size, whose dice are about `die_px` wide."""

    def __init__(self, die_px: float) -> None:
        self.die_px = die_px
        self.tracks: list[Track] = []
        self.newest = 0
        self.blind = False

    def see(self, classes: Classes, still: Mask, beyond: Mask, time_s: float) -> None:
        """Follows the dice into one more frame.

        `still` (bool, H×W) is where a hand stands still, `beyond` (the same) all that is not the tray.
        """
        blobs = blobs_of(classes, still, beyond, LEAST_AREA * self.die_px**2)
        if self.blind:  # a hand may have come and gone between the frames
            blobs = [replace(blob, clear=False, free=False) for blob in blobs]
        chosen = self.assigned(blobs, classes, time_s)
        taken = {j for j in chosen if j is not None}
        groups = dict.fromkeys(taken, 1)
        for i, track in enumerate(self.tracks):
            if chosen[i] is None and (other := self.merged(track, blobs, taken, time_s)) is not None:
                chosen[i] = other
                groups[other] += 1
        for track, j in zip(self.tracks, chosen, strict=True):
            if j is not None:
                self.follow(track, blobs[j], time_s, alone=groups[j] == 1)
        seen = self.tracks
        self.tracks = [track for track in seen if time_s - track.seen_s <= LOST_S or track.is_hidden(classes)]
        for j, blob in enumerate(blobs):
            if j not in taken:
                self.tracks.append(self.begun(blob, seen, time_s))
        self.blind = False

    def lose_sight(self) -> None:
        """The dice may have done anything since the last frame."""
        self.blind = True

    def forget_paths(self) -> None:
        """A hand may have been at the dice up to now, as it may between two frames."""
        self.lose_sight()
        for track in self.tracks:
            track.path = track.path[-1:]

    def assigned(self, blobs: Sequence[Blob], classes: Classes, time_s: float) -> list[int | None]:
        """The number of each track's blob, if it has one of its own."""
        costs = np.full((len(self.tracks), len(blobs)), np.inf)
        hand = bool((classes == OTHER).any())
        for i, track in enumerate(self.tracks):
            # A die that lay still and is hidden now is under the hand, not among the dice that it throws.
            stays = hand and (track.read_at is not None or track.lies) and track.is_hidden(classes)
            reach = self.die_px * (1.0 if stays else REACH) + track.path[-1].step_px
            there = track.predicted(time_s)
            for j, blob in enumerate(blobs):
                far = math.dist(there, blob.at)
                if far <= reach:
                    # Two dice that part after a merge are told apart by the areas that they had alone.
                    grown = abs(math.log(blob.area / track.area))
                    costs[i, j] = far + self.die_px * grown / 2
        return assign(costs)

    def merged(self, track: Track, blobs: Sequence[Blob], taken: set[int], time_s: float) -> int | None:
        """The number of the other track's blob that this track is a part of now."""
        places = track.predicted(time_s), track.path[-1].at
        large = track.blob.area / SAME_AREA
        far = {j: min(outside(at, blobs[j].box) for at in places) for j in taken if blobs[j].area > large}
        nearest = min(far, key=far.__getitem__, default=None)
        return nearest if nearest is not None and far[nearest] <= CLOSE * self.die_px else None

    def follow(self, track: Track, blob: Blob, time_s: float, *, alone: bool) -> None:
        """Takes a track into the blob that it is, or is a part of."""
        far = math.dist(track.blob.at, blob.at)
        before = track.path[-FRAMES - 1 :] if track.lies else track.path[-1:]
        grown = not same_area([blob.area, *(point.area for point in before)])
        if grown or not alone:  # it is anywhere in the larger one
            far = min(far, outside(blob.at, track.blob.box), outside(track.path[-1].at, blob.box))
        step = far if far >= STEP * self.die_px else 0.0
        there = track.path[-1].at if track.lies else track.predicted(time_s)
        at = blob.at if alone and not grown else nearest_in(blob.box, there)
        track.path.append(Point(time_s, at, step, blob))
        if alone:
            track.area = blob.area

    def begun(self, blob: Blob, seen: Sequence[Track], time_s: float) -> Track:
        """The track of a blob that is none of the tracks: of a die that has parted from others, or is new."""
        self.newest += 1
        parents = {
            outside(blob.at, was.box): one
            for one in seen
            if one.seen_s == time_s
            and len(one.path) > 1
            and outside(blob.at, (was := one.path[-2].blob).box) <= REACH * self.die_px
            and was.area >= one.blob.area + blob.area / 2
        }
        if not parents:
            return Track(self.newest, blob.area, [Point(time_s, blob.at, 0.0, blob)])
        # It must not inherit the rest of the die that it merged with: it would count as moved by a hand.
        step = min(parents)
        past, before = parents[step].past_of_part(), parents[step].path[:-1]
        held = before[-1].blob if not past and stands(before, self.die_px) else None
        return Track(self.newest, blob.area, [*past, Point(time_s, blob.at, step, blob)], held_in=held)


def blobs_of(classes: Classes, still: Mask, beyond: Mask, least_area: float) -> list[Blob]:
    """The blobs of dice in a frame; `still` and `beyond` as in `Tracker.see`."""
    count, labels, stats, middles = cv2.connectedComponentsWithStats(
        (classes == DIE).astype(np.uint8), connectivity=4
    )
    hand = classes == OTHER
    at_hand, at_moving = (
        set(np.unique(labels[cv2.dilate(part.view(np.uint8), np.ones((3, 3), np.uint8)) > 0]).tolist())
        if part.any()
        else set()
        for part in (hand, hand & ~still)
    )
    reaching = set(np.unique(labels[beyond]).tolist())
    return [
        Blob(
            (float(middles[i][0]), float(middles[i][1])),
            (int(stats[i][0]), int(stats[i][1]), int(stats[i][2]), int(stats[i][3])),
            int(stats[i][cv2.CC_STAT_AREA]),
            i not in at_hand,
            i not in at_moving,
            i in reaching,
        )
        for i in range(1, count)
        if stats[i][cv2.CC_STAT_AREA] >= least_area
    ]


def same_area(areas: Sequence[int]) -> bool:
    """Whether blobs of these areas may all be the same dice."""
    return max(areas) <= SAME_AREA * min(areas)


def rests(path: Sequence[Point]) -> bool:
    """Whether the die lay still over a stretch of path, in a blob that did not grow or shrink."""
    return not any(point.step_px for point in path) and same_area([point.area for point in path])


def rests_clear(path: Sequence[Point]) -> bool:
    """Whether the die lay still over a stretch of path, with no hand next to it."""
    return rests(path) and all(point.clear for point in path)


def stands(path: Sequence[Point], die_px: float) -> bool:
    """Whether the blob that the die is, or is a part of, has stood still up to the end of a path."""
    last = [point.blob for point in path[-FRAMES - 1 :]]
    return (
        len(last) > FRAMES
        and same_area([blob.area for blob in last])
        and all(math.dist(blob.at, last[0].at) <= STEP * die_px for blob in last)
    )


def nearest_in(box: Box, at: tuple[float, float]) -> tuple[float, float]:
    """The place in a box that is nearest to this one."""
    x, y, w, h = box
    return min(max(at[0], x), x + w), min(max(at[1], y), y + h)


def outside(at: tuple[float, float], box: Box) -> float:
    """How far a place is from a box; 0 within it."""
    return math.dist(at, nearest_in(box, at))
