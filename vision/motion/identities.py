"""Which track each die is that was read, and so how it came to lie there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.motion.arrivals import MOVED, RESTED, arrival, evidence, moved_freely_s
from vision.motion.assignment import assign
from vision.motion.flight import Arrival, Flight
from vision.motion.likeness import SAME, SHAKEN, TURNED, cut, likeness
from vision.motion.tracks import BESIDE, Blob, Point, Track, outside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.motion.watch import MotionWatch
    from vision.reading import Box, Image

OPEN_S: Final = 0.2
"""A die has lain open once it was seen at rest for so long; a part of a hand may rest more briefly."""
MARGIN: Final = 0.15
"""A picture of a die shows this part of its width beside it."""


@dataclass(frozen=True, slots=True)
class Look:
    """A die as it lay open.

    Attributes:
        time_s: when.
        at: where, pixels of the segmented frame.
        thrown: the die had moved freely, and had not been read yet.
        box: what the picture shows of the frame.
        picture: uint8, H×W×3 BGR.
    """

    time_s: float
    at: tuple[float, float]
    thrown: bool
    box: Box
    picture: Image


class Identities:
    """The dice in the tray, from one reading to the next.

    Attributes:
        taken: dice that lay open, and had not been read yet, are gone or were moved by a hand.
    """

    def __init__(self) -> None:
        self.looks: dict[int, Look] = {}
        self.open_s: dict[int, float] = {}
        self.taken = False
        self.frames, self.begun_s, self.settled_s, self.fps = 0, 0.0, -math.inf, 0.0

    def see(self, frame: Image, watch: MotionWatch) -> None:
        """Keeps how dice look that lie open, in a frame (uint8, H×W×3 BGR) that the watch has seen."""
        if not self.frames:
            self.begun_s = watch.time_s
        self.frames += 1
        for track in watch.tracker.tracks:
            rest = track.path[-RESTED - 1 :]
            if len(rest) <= RESTED or any(point.step_px or not point.clear for point in rest):
                continue
            look = self.looks.get(track.number)
            if look is None or math.dist(look.at, track.blob.at) > MOVED * watch.die_px:
                self.looks[track.number] = look_at(frame, track, watch)
            self.open_s[track.number] = watch.time_s

    def lie_still(self, frame: Image, watch: MotionWatch) -> bool:
        """Whether each die that is seen looks as it did a window ago, shaken as the camera may be."""
        seen = [track for track in watch.tracker.tracks if track.seen_s == watch.time_s]
        looks = [(track, look) for track in seen if (look := self.looks.get(track.number)) is not None]
        turning = [
            track for track, look in looks if likeness(look.picture, cut(frame, look.box), SHAKEN) < SAME
        ]
        self.looks |= {
            track.number: look_at(frame, track, watch) for track in turning if track.path[-1].clear
        }
        since_s = watch.time_s - watch.settings.window_s
        lasted = all(look.time_s <= since_s for _, look in looks)
        return bool(looks) and len(looks) == len(seen) and lasted and not turning

    def settle(self, frame: Image, boxes: Sequence[Box], watch: MotionWatch) -> Flight:
        """How the dice came to lie in these boxes of the frame; what comes next begins here."""
        small = [watch.scaled(box, frame.shape) for box in boxes]
        tracks = self.matched(small, watch)
        self.taken |= any(self.was_taken(number, tracks, watch) for number in self.looks)
        kinds: list[Arrival] = []
        knocked = interfered = False
        for track, box in zip(tracks, small, strict=True):
            how = self.arrival(track, box, frame, watch)
            if track.read_at is not None and how is Arrival.UNSEEN:
                knocked = True
            look = self.looks.get(track.number)
            interfered |= how is Arrival.HANDLED and look is not None and look.thrown
            kinds.append(how)
        places = watch.places
        anew = tuple(
            how is not Arrival.LAY and places is not None and places.bare(box) > self.settled_s
            for how, box in zip(kinds, small, strict=True)
        )
        if self.frames > 1:
            self.fps = (self.frames - 1) / max(watch.time_s - self.begun_s, 1e-3)
        flight = Flight(tuple(kinds), knocked, interfered or self.taken, self.fps, anew)
        self.start_anew(frame, tracks, small, watch)
        return flight

    def start_anew(
        self, frame: Image, tracks: Sequence[Track], boxes: Sequence[Box], watch: MotionWatch
    ) -> None:
        """Knows these dice where they lie now, and forgets how they came there."""
        for track, box in zip(tracks, boxes, strict=True):
            track.read_at = middle(box)
            track.blob = track.was = Blob(track.read_at, box, box[2] * box[3], clear=True)
            track.path = [Point(watch.time_s, track.read_at, 0.0, clear=True, area=track.blob.area)]
        watch.tracker.tracks = list(tracks)
        self.looks = {track.number: look_at(frame, track, watch) for track in tracks}
        self.open_s = {}
        self.taken, self.frames, self.settled_s = False, 0, watch.time_s

    def matched(self, boxes: Sequence[Box], watch: MotionWatch) -> list[Track]:
        """The track of each die, at the least distance in all; dice in one blob share its path.

        First come the dice that lie where one was read, if that place has not been bare since.
        """
        tracks, places = watch.tracker.tracks, watch.places
        stayed, moved = (np.full((len(boxes), len(tracks)), np.inf) for _ in range(2))
        for i, box in enumerate(boxes):
            for j, track in enumerate(tracks):
                at = track.read_at
                if at is not None and places is not None and places.bare(box) <= self.settled_s:
                    far = math.dist(middle(box), at)
                    stayed[i, j] = far if far <= MOVED * watch.die_px else np.inf
                if outside(middle(box), track.blob.box) <= BESIDE * watch.die_px:
                    moved[i, j] = math.dist(middle(box), track.blob.at)
        chosen = assign(stayed) if stayed.size else [None] * len(boxes)
        moved[:, [j for j in chosen if j is not None]] = np.inf
        moved[[i for i, j in enumerate(chosen) if j is not None]] = np.inf
        others = assign(moved) if moved.size else [None] * len(boxes)
        numbers = [k if j is None else j for j, k in zip(chosen, others, strict=True)]
        return [
            self.parted(box, watch) if number is None else tracks[number]
            for box, number in zip(boxes, numbers, strict=True)
        ]

    def parted(self, box: Box, watch: MotionWatch) -> Track:
        """The track of a die that was never seen apart from others, or not at all."""
        at, tracker = middle(box), watch.tracker
        tracker.newest += 1
        blob = Blob(at, box, box[2] * box[3], clear=False)
        whole = [one for one in tracker.tracks if outside(at, one.blob.box) <= BESIDE * watch.die_px]
        if not whole:
            return Track(
                tracker.newest, blob, blob, [Point(watch.time_s, at, 0.0, clear=False, area=blob.area)]
            )
        nearest = min(whole, key=lambda one: math.dist(at, one.blob.at))
        return Track(tracker.newest, blob, blob, list(nearest.path))

    def arrival(self, track: Track, box: Box, frame: Image, watch: MotionWatch) -> Arrival:
        """How this die came to lie in this box of the segmented frame."""
        places, die_px = watch.places, watch.die_px
        if places is None:
            return Arrival.UNSEEN
        seen = evidence(track, box, places, die_px)
        turned = self.was_turned(track, seen.hand_s, frame)
        if track.read_at is not None:
            if math.dist(middle(box), track.read_at) <= MOVED * die_px and not turned:
                return Arrival.LAY
            by_hand = turned or seen.touched or not all(point.clear for point in track.path)
            return Arrival.HANDLED if by_hand else Arrival.UNSEEN
        if turned:
            return Arrival.HANDLED
        others = (one for one in watch.tracker.tracks if one is not track and one.read_at is None)
        return arrival(seen, [time_s for one in others for time_s in moved_freely_s(one.path, die_px)])

    def was_turned(self, track: Track, hand_s: float, frame: Image) -> bool:
        """Whether the die looks otherwise than when it lay open, and a hand came over it since."""
        look = self.looks.get(track.number)
        if look is None or hand_s <= look.time_s:
            return False
        return likeness(look.picture, cut(frame, look.box)) < TURNED

    def was_taken(self, number: int, tracks: Sequence[Track], watch: MotionWatch) -> bool:
        """Whether a die that lay open, and was not read yet, is gone since a hand came to it."""
        look = self.looks[number]
        brief = self.open_s.get(number, look.time_s) - look.time_s < OPEN_S
        if brief or not look.thrown or watch.places is None or any(one.number == number for one in tracks):
            return False
        side = round(watch.die_px)
        x, y = round(look.at[0] - side / 2), round(look.at[1] - side / 2)
        return watch.places.by_hand((x, y, side, side)) > look.time_s

    def was_thrown(self, box: Box, shape: tuple[int, ...], watch: MotionWatch) -> bool:
        """Whether what lies in this box of a frame of this shape moved freely since dice were read last."""
        small = watch.scaled(box, shape)
        tracks = [
            one
            for one in watch.tracker.tracks
            if outside(middle(small), one.blob.box) <= BESIDE * watch.die_px
        ]
        return any(one.read_at is None and moved_freely_s(one.path, watch.die_px) for one in tracks)


def look_at(frame: Image, track: Track, watch: MotionWatch) -> Look:
    """How the die of this track looks in a frame."""
    height, width = frame.shape[:2]
    rows, columns = watch.classes.shape
    x, y, w, h = track.blob.box
    left, top = round((x - MARGIN * w) * width / columns), round((y - MARGIN * h) * height / rows)
    right, bottom = (
        round((x + (1 + MARGIN) * w) * width / columns),
        round((y + (1 + MARGIN) * h) * height / rows),
    )
    left, top, right, bottom = max(left, 0), max(top, 0), min(right, width), min(bottom, height)
    picture = frame[top:bottom, left:right].copy()
    thrown = track.read_at is None and bool(moved_freely_s(track.path, watch.die_px))
    return Look(watch.time_s, track.blob.at, thrown, (left, top, right - left, bottom - top), picture)


def middle(box: Box) -> tuple[float, float]:
    """The middle of a box."""
    x, y, w, h = box
    return x + w / 2, y + h / 2
