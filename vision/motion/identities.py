"""Which track each die is that was read, and so how it came to lie there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.motion.arrivals import MOVED, RESTED, arrival, evidence, moved_freely_s
from vision.motion.tracks import BESIDE, SAME_AREA, Blob, Point, Track, assign, outside
from vision.reading import Arrival, Detection, Flight, intersection
from vision.recognition.classifiers import crop_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from vision.motion.watch import MotionWatch
    from vision.reading import Box, Image
    from vision.recognition.classifiers import Pixels

SAME: Final = 0.95
"""Pictures this much alike show the same die as it lay. A die with one pip more is less alike."""
TURNED: Final = 0.8
"""Pictures less alike than this show a die that was turned by more than 7° or moved by a millimetre."""
DETAIL: Final = 1 / 8
"""What is wider than this part of the picture, such as a shadow, does not count."""
SHIFT: Final = 0.02
"""A shift by this part of the picture does not count: a camera trembles."""
SHAKEN: Final = 0.07
"""The same of a camera that is held by hand."""
INSET: Final = 0.1
"""This part along each side is left out, for what lies beside the die."""
MIDDLE: Final = 0.6
"""Width and height of the middle, which is compared too: another die may hide an edge."""
LEAST_RELIEF: Final = 0.5
"""A picture with less contrast shows nothing that can be compared."""
LEAST_SHIFTS: Final = 4
"""A part is compared only if it is so many shifts wide."""


def likeness(before: Image, now: Image, shift: float = SHIFT) -> float:
    """How alike two pictures (uint8, H×W×3 BGR) of a die's box are: 1 is the same."""
    if before.shape != now.shape or not before.size:
        return 0.0
    h, w = before.shape[:2]
    wide, high = round(MIDDLE * w), round(MIDDLE * h)
    x, y = (w - wide) // 2, (h - high) // 2
    whole = alike(before, now, shift)
    return (
        whole
        if whole >= SAME
        else max(whole, alike(before[y : y + high, x : x + wide], now[y : y + high, x : x + wide], shift))
    )


def cut(frame: Image, box: Box) -> Image:
    """The part of a frame that lies in a box."""
    x, y, w, h = box
    return frame[max(0, y) : max(0, y + h), max(0, x) : max(0, x + w)]


def alike(before: Image, now: Image, shift: float) -> float:
    """The same of all of two pictures."""
    off = max(1, round(shift * min(before.shape[:2])))
    old, new = (relief(picture, max(before.shape[:2]) * DETAIL) for picture in (before, now))
    edge = off + round(INSET * min(old.shape))
    part = old[edge:-edge, edge:-edge]
    if min(part.shape, default=0) < LEAST_SHIFTS * off or part.std() < LEAST_RELIEF:
        return 0.0
    searched = new[edge - off : off - edge, edge - off : off - edge]
    return float(cv2.matchTemplate(searched, part, cv2.TM_CCOEFF_NORMED).max())


def relief(picture: Image, wide_px: float) -> npt.NDArray[np.float32]:
    """The grey picture without what is wider than that."""
    grey = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32), (0, 0), 1.0)
    return np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), wide_px), np.float32)


REST_S: Final = 0.08
"""A die rests if it has not moved for so long, or from one frame of a slow camera to the next."""
CLUMP: Final = 3.0
"""A blob of dice larger than this many times all the dice that lie there included a hand."""
MARGIN: Final = 0.15
"""A picture of a die shows this part of its width beside it."""


@dataclass(frozen=True, slots=True)
class Look:
    """A die as it lay open.

    Attributes:
        number: of the track that was there.
        time_s: when.
        at, area: where and how large, pixels of the segmented frame.
        came: it came there since dice were read last.
        thrown: it had moved freely since then.
        box: what the picture shows of the frame.
        picture: uint8, H×W×3 BGR.
        crop: the same as the die net sees it.
    """

    number: int
    time_s: float
    at: tuple[float, float]
    area: int
    came: bool
    thrown: bool
    box: Box
    picture: Image
    crop: Pixels

    def shows(self, box: Box) -> bool:
        """Whether most of a box of the frame is in the picture."""
        return intersection(self.box, box) > box[2] * box[3] / 2

    def is_altered(self, frame: Image, box: Box) -> bool:
        """Whether the die in this box of the frame looks otherwise now."""
        x, y, w, h = shared = overlap(self.box, wider(box))
        before = cut(self.picture, (x - self.box[0], y - self.box[1], w, h))
        return likeness(before, cut(frame, shared)) < TURNED

    def crops(self, frame: Image, box: Box) -> tuple[Pixels, Pixels]:
        """The die in this box of the frame as the die net would have seen it then, and as it does now."""
        x, y, w, h = box
        there = Detection(x - self.box[0], y - self.box[1], w, h, 1.0)
        return crop_of(self.picture, there), crop_of(cut(frame, self.box), there)


class Identities:
    """The dice in the tray, from one reading to the next.

    Args:
        is_die: tells a crop of a die that rests in the tray from one of a fingertip.
        face: which face such a crop shows; None if it cannot be read.

    Attributes:
        read: the tracks of the dice that were read last.
        looks: how dice look that lie open, by place: one die may be taken for another's track.
        taken: dice that lay open, and had not been read yet, are gone or were moved by a hand.
        touched: so it was, or they were turned, before the last reading.
    """

    def __init__(self, is_die: Callable[[Pixels], bool], face: Callable[[Pixels], object | None]) -> None:
        self.is_die, self.face = is_die, face
        self.read: list[Track] = []
        self.looks: list[Look] = []
        self.taken = self.touched = False
        self.frames, self.begun_s, self.settled_s, self.fps = 0, 0.0, -math.inf, 0.0

    def see(self, frame: Image, watch: MotionWatch) -> None:
        """Keeps how dice look that lie open, in a frame (uint8, H×W×3 BGR) that the watch has seen."""
        if not self.frames:
            self.begun_s = watch.time_s
        self.frames += 1
        self.looks = [look for look in self.looks if not left_by_itself(look, watch)]
        for track in watch.tracker.tracks:
            if track.seen_s < watch.time_s or not rests_open(track):
                continue
            if self.look_near(track.blob.at, watch) is None:
                self.looks.append(look_at(frame, track, watch, self.settled_s))

    def look_near(self, at: tuple[float, float], watch: MotionWatch) -> Look | None:
        """How what lies at a place of the segmented frame first lay open since that was bare, if it did."""
        places = watch.places
        return next(
            (
                look
                for look in self.looks
                if math.dist(look.at, at) <= MOVED * watch.die_px
                and (places is None or places.bare(square(look.at, watch.die_px)) <= look.time_s)
            ),
            None,
        )

    def lie_still(self, frame: Image, watch: MotionWatch) -> bool:
        """Whether each die that is seen looks as it did a window ago, shaken as the camera may be."""
        seen = [track for track in watch.tracker.tracks if track.seen_s == watch.time_s]
        looks = [
            (track, look) for track in seen if (look := self.look_near(track.blob.at, watch)) is not None
        ]
        turning = [
            (track, look)
            for track, look in looks
            if likeness(look.picture, cut(frame, look.box), SHAKEN) < SAME
        ]
        shaken = [(track, look) for track, look in turning if track.path[-1].clear]
        self.looks = [look for look in self.looks if not any(look is one for _, one in shaken)]
        self.looks += [look_at(frame, track, watch, self.settled_s) for track, _ in shaken]
        since_s = watch.time_s - watch.window_s
        lasted = all(look.time_s <= since_s for _, look in looks)
        return bool(looks) and len(looks) == len(seen) and lasted and not turning

    def settle(self, frame: Image, boxes: Sequence[Box], watch: MotionWatch) -> Flight:
        """How the dice came to lie in these boxes of the frame; what comes next begins here."""
        small = [watch.scaled(box, frame.shape) for box in boxes]
        tracks = self.matched(small, watch)
        self.taken |= any(self.was_taken(look, tracks, small, watch) for look in self.looks)
        kinds: list[Arrival] = []
        knocked = interfered = False
        self.touched = self.taken
        most = CLUMP * sum(box[2] * box[3] for box in small)
        for track, box, whole in zip(tracks, small, boxes, strict=True):
            look = self.look_of(track, box, whole, watch)
            altered = look is not None and self.is_turned(look, frame, whole)
            how, touched = self.arrival(track, box, watch, look if altered else None)
            if how is Arrival.THROWN and any(point.area > most for point in track.path):
                how = Arrival.UNSEEN
            if track.read_at is not None and how is Arrival.UNSEEN:
                knocked |= not self.was_carried(track, watch)
            interfered |= how is Arrival.HANDLED and look is not None and look.thrown
            self.touched |= touched and track.read_at is None
            kinds.append(how)
        interfered |= Arrival.HANDLED in kinds and Arrival.THROWN in kinds
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

    def is_turned(self, look: Look, frame: Image, box: Box) -> bool:
        """Whether the die in this box of the frame may show another face than it did in the look.

        It looks otherwise in another light too, or with another die beside it.
        """
        if not look.is_altered(frame, box):
            return False
        before, now = (self.face(crop) for crop in look.crops(frame, box))
        return before is None or before != now

    def start_anew(
        self, frame: Image, tracks: Sequence[Track], boxes: Sequence[Box], watch: MotionWatch
    ) -> None:
        """Knows these dice where they lie now, and forgets how they came there."""
        for track, box in zip(tracks, boxes, strict=True):
            track.read_at = middle(box)
            track.blob = track.was = Blob(track.read_at, box, box[2] * box[3], clear=True)
            track.path = [Point(watch.time_s, track.read_at, 0.0, clear=True, area=track.blob.area)]
        watch.tracker.tracks = list(tracks)
        self.read = list(tracks)
        self.settled_s = watch.time_s
        self.looks = [look_at(frame, track, watch, self.settled_s) for track in tracks]
        self.taken, self.frames = False, 0

    def matched(self, boxes: Sequence[Box], watch: MotionWatch) -> list[Track]:
        """The track of each die, at the least distance in all; dice in one blob share its path.

        First come the dice that lie where one was read, if that place has not been bare since, even if they
        were lost from sight.
        """
        seen, places = watch.tracker.tracks, watch.places
        tracks = [*seen, *(one for one in self.read if one not in seen)]
        stayed, moved = (np.full((len(boxes), len(tracks)), np.inf) for _ in range(2))
        for i, box in enumerate(boxes):
            for j, track in enumerate(tracks):
                at = track.read_at
                if at is not None and places is not None and places.bare(box) <= self.settled_s:
                    far = math.dist(middle(box), at)
                    stayed[i, j] = far if far <= MOVED * watch.die_px else np.inf
                if j < len(seen) and outside(middle(box), track.blob.box) <= BESIDE * watch.die_px:
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

    def look_of(self, track: Track, box: Box, whole: Box, watch: MotionWatch) -> Look | None:
        """How what lies in this box looked first since it lies there, if something came over it since.

        The same box is given in pixels of the segmented frame, and of the whole frame.
        """
        if watch.places is None:
            return None
        bare_s, hand_s = watch.places.bare(box), watch.places.by_hand(box)
        looks = [look for look in self.looks if look.shows(whole) and bare_s < look.time_s < hand_s]
        if looks:
            return min(looks, key=lambda look: look.time_s)
        own = self.look_near(middle(box), watch)
        return own if own is not None and own.shows(whole) and was_covered(track, own) else None

    def arrival(
        self, track: Track, box: Box, watch: MotionWatch, altered: Look | None
    ) -> tuple[Arrival, bool]:
        """How a die came to lie in this box of the segmented frame; whether a hand touched it there.

        `altered`: how it looked before something came over it, if it may show another face since.
        """
        places, die_px = watch.places, watch.die_px
        if places is None:
            return Arrival.UNSEEN, False
        seen = evidence(track, box, places, die_px)
        by_hand = altered is not None and seen.hand_s > altered.time_s
        touched = by_hand or seen.touched
        turned = altered is not None and seen.stopped_s > altered.time_s
        if track.read_at is not None:
            if math.dist(middle(box), track.read_at) <= MOVED * die_px and not by_hand:
                return Arrival.LAY, False
            alone = seen.flew or seen.came_alone
            handled = turned or seen.touched or (self.was_carried(track, watch) and not alone)
            return Arrival.HANDLED if handled else Arrival.UNSEEN, touched
        if turned or seen.touched:
            return Arrival.HANDLED, True
        others = (one for one in watch.tracker.tracks if one is not track and one.read_at is None)
        how = arrival(seen, [time_s for one in others for time_s in moved_freely_s(one.path, die_px)])
        return Arrival.UNSEEN if altered and how is Arrival.THROWN else how, touched

    def was_carried(self, track: Track, watch: MotionWatch) -> bool:
        """Whether a hand may have moved a die that was read, or taken it up and thrown it again."""
        if not all(point.clear for point in track.path):
            return True
        at, places = track.read_at, watch.places
        return (
            at is not None
            and places is not None
            and places.by_hand(square(at, watch.die_px)) > self.settled_s
        )

    def was_taken(
        self, look: Look, tracks: Sequence[Track], boxes: Sequence[Box], watch: MotionWatch
    ) -> bool:
        """Whether a die that came to lie open in the tray, and was not read yet, is gone since by a hand.

        `boxes` of the segmented frame are those of the dice that lie there, `tracks` theirs.
        """
        if watch.places is None or not look.came:
            return False
        if any(math.dist(middle(box), look.at) <= MOVED * watch.die_px for box in boxes):
            return False
        if any(one.number == look.number and one.read_at is None for one in tracks):
            return False
        x, y, side, _ = there = square(look.at, watch.die_px)
        inside = bool(watch.inside[max(0, y) : y + side, max(0, x) : x + side].all())
        return inside and watch.places.by_hand(there) > look.time_s and self.is_die(look.crop)

    def was_thrown(self, box: Box, shape: tuple[int, ...], watch: MotionWatch) -> bool:
        """Whether what lies in this box of a frame of this shape moved freely since dice were read last."""
        small = watch.scaled(box, shape)
        tracks = [
            one
            for one in watch.tracker.tracks
            if outside(middle(small), one.blob.box) <= BESIDE * watch.die_px
        ]
        return any(one.read_at is None and moved_freely_s(one.path, watch.die_px) for one in tracks)


def look_at(frame: Image, track: Track, watch: MotionWatch, since_s: float) -> Look:
    """How the die of this track looks in a frame; dice were read last at `since_s`."""
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
    came = watch.places is not None and watch.places.bare(track.blob.box) > since_s
    thrown = track.read_at is None and bool(moved_freely_s(track.path, watch.die_px))
    box = left, top, right - left, bottom - top
    across, down = width / columns, height / rows
    crop = crop_of(frame, Detection(x * across, y * down, w * across, h * down, 1.0))
    return Look(track.number, watch.time_s, track.blob.at, track.blob.area, came, thrown, box, picture, crop)


def rests_open(track: Track) -> bool:
    """Whether the die has lain still for a moment, with no hand next to it."""
    now_s = track.seen_s
    count = sum(now_s - point.time_s < REST_S for point in track.path[-RESTED - 1 :])
    rest = track.path[-max(count, 2) :]
    lasts_s = now_s - rest[0].time_s
    return lasts_s >= REST_S / 2 and not any(point.step_px or not point.clear for point in rest)


def left_by_itself(look: Look, watch: MotionWatch) -> bool:
    """Whether the die is gone from its place, and no hand has come there since it looked like that."""
    places, there = watch.places, square(look.at, watch.die_px)
    return places is not None and places.is_bare(there) and places.by_hand(there) <= look.time_s


def square(at: tuple[float, float], die_px: float) -> Box:
    """The box of a die about a place of the segmented frame."""
    side = round(die_px)
    return round(at[0] - side / 2), round(at[1] - side / 2), side, side


def was_covered(track: Track, look: Look) -> bool:
    """Whether something that is no hand, as it seems, merged with the die and parted, while it lay there."""
    since = [point for point in track.path if point.time_s > look.time_s]
    return any(grown(point, look) for point in since) and not grown(since[-1], look)


def grown(point: Point, look: Look) -> bool:
    """Whether more was seen there than the die as it lay open."""
    return point.area > SAME_AREA * look.area


def wider(box: Box) -> Box:
    """The box with what a picture shows beside a die."""
    x, y, w, h = box
    return (
        max(0, round(x - MARGIN * w)),
        max(0, round(y - MARGIN * h)),
        round((1 + 2 * MARGIN) * w),
        round((1 + 2 * MARGIN) * h),
    )


def overlap(one: Box, other: Box) -> Box:
    """What two boxes share."""
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right, bottom = min(one[0] + one[2], other[0] + other[2]), min(one[1] + one[3], other[1] + other[3])
    return left, top, max(0, right - left), max(0, bottom - top)


def middle(box: Box) -> tuple[float, float]:
    """The middle of a box."""
    x, y, w, h = box
    return x + w / 2, y + h / 2
