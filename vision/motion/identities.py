"""Finds the track of each die that was read, and so how it came to lie there."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from vision.motion.appearances import MARGIN, Appearance, Sighting, cut, looks_same
from vision.motion.arrivals import (
    History,
    arrival,
    came_with_fingers,
    fingers_s,
    free_runs,
    is_flight,
    middle,
    moved_freely_s,
    moves,
    square,
    travelled,
    was_clumped,
    was_moved_by_hand,
    without_parts,
)
from vision.motion.segmentation import CLOSE, DIE, MOMENT_S, OTHER, Mask
from vision.motion.stillness import BRIEF_S, FRAMES
from vision.motion.tracks import SAME_AREA, Blob, Point, Track, assign, outside, rests_clear
from vision.motion.watch import MotionWatch
from vision.reading import Arrival, Box, Flight, Image, ignore_progress
from vision.recognition.classifiers import Pixels

GLIDES_S: Final = 0.15
"""A die that is pushed slowly and let go glides for less than this. Less: one pushed faster has rolled."""


class Judged(NamedTuple):
    """How dice came to lie where they were read.

    Attributes:
        tracks: of each of them.
        boxes: where each lies, pixels of the segmented frame.
        flight: how each came there.
        touched: one was taken, turned or moved by a hand since it lay open.
    """

    tracks: Sequence[Track]
    boxes: Sequence[Box]
    flight: Flight
    touched: bool


class Identities:
    """The dice in the tray, from one reading to the next.

    Args:
        watch: watches the frames.
        shows_die: whether a picture shows a die that could be read, and not only a fingertip.
        face: which face such a crop shows; None if it cannot be read.

    Attributes:
        read: the tracks of the dice that were read last.
        lay: where dice were seen then, bool, in the segmented frame.
        appearances: how dice look that lie open, by place: one die may be taken for another's track.
        resting: how dice look that lie still with no hand next to them, since when they look so.
        glimpses: how dice looked in the first frame that showed them at a place, clear of hands.
        uncovered: how dice looked in the frames just after a hand had left their place.
        touched: dice were taken, turned or moved by a hand between lying open and the last reading.
    """

    def __init__(
        self,
        watch: MotionWatch,
        shows_die: Callable[[Image], bool],
        face: Callable[[Pixels], object | None],
    ) -> None:
        self.watch, self.shows_die, self.face = watch, shows_die, face
        self.read: list[Track] = []
        self.lay: Mask = np.zeros((0, 0), np.bool_)
        self.appearances: list[Appearance] = []
        self.glimpses: list[Appearance] = []
        self.resting: tuple[Appearance, ...] = ()
        self.touched = False
        self.uncovered: list[Sighting] = []
        self.frames, self.begun_s, self.read_s, self.fps = 0, 0.0, -math.inf, 0.0

    def see(self, frame: Image) -> None:
        """Keeps how dice look that lie open, in a frame (uint8, H×W×3 BGR) that the watch has seen."""
        watch = self.watch
        if not self.frames:
            self.begun_s = watch.time_s
        self.frames += 1
        self.appearances = [look for look in self.appearances if not self.left_by_itself(look)]
        self.glimpses = [look for look in self.glimpses if not self.left_by_itself(look)]
        resting = [
            track for track in self.tracks_in_view() if track.path[-1].clear and not track.path[-1].step_px
        ]
        self.resting = self.looks_of(frame, resting)
        for track in resting:
            looks = self.appearances if rests_open(track) else self.glimpses
            if self.first(looks, track.blob.at) is None:
                looks.append(self.appearance(frame, track))
        for track in self.tracks_in_view():
            if track.path[-1].clear:
                self.keep_uncovered(frame, track)

    def keep_uncovered(self, frame: Image, track: Track) -> None:
        """Keeps how a die looks if a hand has just left it."""
        now_s, hand_s = self.watch.time_s, self.watch.places.by_hand(track.blob.box)
        if 0 < now_s - hand_s <= BRIEF_S:
            box = self.widened(track.blob.box, frame)
            self.uncovered = [
                sighting for sighting in self.uncovered if sighting.time_s > hand_s or not sighting.shows(box)
            ]
            self.uncovered.append(Sighting(now_s, box, cut(frame, box).copy()))

    def tracks_in_view(self) -> list[Track]:
        """The tracks of dice that the newest frame shows."""
        return [track for track in self.watch.tracker.tracks if track.seen_s == self.watch.time_s]

    def whole(self) -> list[Track]:
        """The tracks of seen dice that the picture does not cut: a sleeve passes for one that it does."""
        height, width = self.watch.classes.shape
        return [
            track
            for track in self.tracks_in_view()
            for x, y, w, h in (track.blob.box,)
            if x > 0 and y > 0 and x + w < width and y + h < height
        ]

    def looks_of(self, frame: Image, resting: Sequence[Track]) -> tuple[Appearance, ...]:
        """How the dice look that lie still.

        They are not compared while others move, nor are those that were read, unless the camera shakes.
        """
        shaking, moving = self.watch.stillness.shaking, any(track not in resting for track in self.whole())
        looks = []
        for track in resting:
            look = next((look for look in self.resting if self.is_at(look.blob.at, track.blob.at)), None)
            compared = not moving and (shaking or track.read_at is None)
            if look is None or (compared and not looks_same(look.picture, cut(frame, look.box))):
                look = self.appearance(frame, track)
            looks.append(look)
        return tuple(looks)

    def is_at(self, first: tuple[float, float], second: tuple[float, float]) -> bool:
        """Whether two places of the segmented frame are that of one die."""
        return math.dist(first, second) <= CLOSE * self.watch.die_px

    def rest_s(self, tracks: Sequence[Track]) -> float:
        """How long each of these has looked the same; 0 if one is moving or there is none."""
        places = [track.blob.at for track in tracks]
        looks = [look for look in self.resting if any(self.is_at(look.blob.at, place) for place in places)]
        if not places or len(looks) < len(places):
            return 0.0
        return self.watch.time_s - max(look.time_s for look in looks)

    def has_new(self) -> bool:
        """Whether a die is seen that was not read yet."""
        return any(track.read_at is None for track in self.tracks_in_view())

    def left_by_itself(self, before: Appearance) -> bool:
        """Whether the die is gone from its place, and no hand has come there since it looked like that."""
        places, square_there = self.watch.places, square(before.blob.at, self.watch.die_px)
        return places.is_bare(square_there) and places.by_hand(square_there) <= before.time_s

    def first(self, looks: Sequence[Appearance], place: tuple[float, float]) -> Appearance | None:
        """How what lies at a place of the segmented frame first looked since that was bare."""
        places, die_px = self.watch.places, self.watch.die_px
        return next(
            (
                look
                for look in looks
                if self.is_at(look.blob.at, place)
                and places.bare(square(look.blob.at, die_px)) <= look.time_s
            ),
            None,
        )

    def appearance(self, frame: Image, track: Track) -> Appearance:
        """How the die of this track looks in a frame."""
        watch, box = self.watch, self.widened(track.blob.box, frame)
        return Appearance(
            watch.time_s,
            box,
            cut(frame, box).copy(),
            track.number,
            track.blob,
            came=watch.places.bare(track.blob.box) > self.read_s and not self.was_read(track.blob),
            thrown=track.read_at is None and bool(moved_freely_s(track.path, watch.die_px)),
            hand_s=watch.places.by_hand(track.blob.box),
            stopped_s=watch.places.stopped(track.blob.box),
        )

    def widened(self, box: Box, frame: Image) -> Box:
        """A box of the segmented frame as one of the frame, with a margin."""
        x, y, w, h = box
        height, width = frame.shape[:2]
        rows, columns = self.watch.classes.shape
        left = max(0, round((x - MARGIN * w) * width / columns))
        top = max(0, round((y - MARGIN * h) * height / rows))
        right = min(width, round((x + (1 + MARGIN) * w) * width / columns))
        bottom = min(height, round((y + (1 + MARGIN) * h) * height / rows))
        return left, top, right - left, bottom - top

    def was_read(self, blob: Blob) -> bool:
        """Whether several dice in a blob are no more than were read there."""
        x, y, w, h = blob.box
        area_read = int(self.lay[y : y + h, x : x + w].sum())
        return blob.area > SAME_AREA * self.watch.die_px**2 and blob.area <= SAME_AREA * area_read

    def lie_still(self) -> bool:
        """Whether each die that is seen looks as it did a window ago, shaken as the camera may be.

        What is no die, such as a cup, must have stood still as long: a hand takes dice up.
        """
        watch = self.watch
        if (watch.inside & (watch.classes == OTHER) & (watch.places.slow_for_s < watch.window_s)).any():
            return False
        return self.rest_s(self.tracks_in_view()) >= watch.window_s

    def settle(
        self,
        frame: Image,
        boxes: Sequence[Box],
        unchanged: Container[Box] = (),
        progress: Callable[[], None] = ignore_progress,
    ) -> Flight:
        """How the dice came to lie in these boxes of the frame; what comes next begins here.

        `unchanged` are the boxes in which the frame shows the same as when dice were read last. `progress` is
        called between dice.
        """
        judged = self.judged(frame, boxes, unchanged, progress)
        self.touched = judged.touched
        self.begin(frame, judged.tracks, judged.boxes)
        return judged.flight

    def judged(
        self,
        frame: Image,
        boxes: Sequence[Box],
        unchanged: Container[Box] = (),
        progress: Callable[[], None] = ignore_progress,
    ) -> Judged:
        """Like `settle`, without starting a new period."""
        watch, places = self.watch, self.watch.places
        small = [watch.scaled(box, frame.shape) for box in boxes]
        tracks = self.matched(small, [box in unchanged for box in boxes])
        taken = touched = any(self.was_taken(look, tracks, small) for look in self.appearances)
        dice = list(zip(small, boxes, strict=True))
        first = [self.before_hand(track, *of, dice) for track, of in zip(tracks, dice, strict=True)]
        altered = []
        for track, of, before in zip(tracks, dice, first, strict=True):
            progress()  # the die net compares faces, which takes long on a small machine
            altered.append(self.altered_s(track, before, frame, *of, dice))
        histories = [
            self.history(track, box, before, small, altered_s=altered_s)
            for track, box, before, altered_s in zip(tracks, small, first, altered, strict=True)
        ]
        for i, history in enumerate(histories):
            if not history.flew and self.has_rolled(frame, *dice[i], progress):
                histories[i] = replace(history, rolled=True)
        arrivals: list[Arrival] = []
        knocked = interfered = False
        for track, before, history in zip(tracks, first, histories, strict=True):
            how = arrival(history, self.thrown_s(track, tracks, histories))
            arrivals.append(how)
            knocked |= how is Arrival.UNSEEN and history.lay is not None and not history.carried
            interfered |= how is Arrival.HANDLED and before is not None and before.thrown
            touched |= history.lay is None and (history.moved_by_hand or history.hand_s > history.altered_s)
        # Someone who completes a throw by hand sets a die down beside those that were thrown.
        interfered |= Arrival.HANDLED in arrivals and Arrival.THROWN in arrivals
        anew = tuple(
            how is not Arrival.LAY and places.bare(box) > self.read_s
            for how, box in zip(arrivals, small, strict=True)
        )
        if self.frames > 1:
            self.fps = (self.frames - 1) / max(watch.time_s - self.begun_s, 1e-3)
        flight = Flight(tuple(arrivals), knocked, interfered or taken, self.fps, anew)
        return Judged(tracks, small, flight, touched)

    def history(
        self, track: Track, box: Box, before: Appearance | None, dice: Sequence[Box], *, altered_s: float
    ) -> History:
        """What was seen of the die in this box of the segmented frame, in which all `dice` lie.

        No hand put it there that came after it lay open, if it looks the same.
        """
        watch, places, die_px, old = self.watch, self.watch.places, self.watch.die_px, track.read_at
        fingers = fingers_s(track.path, box, dice, die_px)
        hand_s, stopped_s = max(places.by_hand(box), fingers), max(places.stopped(box), fingers)
        # A hand that came over a die that lay open, and left it as it was, says nothing of how it came.
        if before is not None and altered_s == math.inf:
            hand_s, stopped_s = min(hand_s, before.hand_s), min(stopped_s, before.stopped_s)
        whole = without_parts(track.path, box)
        runs = [run for run in free_runs(whole, die_px) if moves(run)]
        old_by_hand = old is not None and places.by_hand(square(old, die_px)) > self.read_s
        return History(
            lay=None if old is None else self.is_at(middle(box), old),
            carried=old_by_hand or not all(point.clear for point in track.path),
            far=max((travelled(run, die_px)[0] for run in runs), default=0.0),
            fast=max((travelled(run, die_px)[1] for run in runs if is_flight(run, die_px)), default=0.0),
            changed=watch.has_changed(box, self.read_s),
            moved_by_hand=was_moved_by_hand(track.path, die_px),
            clumped=was_clumped(track.path, box, dice) or came_with_fingers(track, whole, box, die_px),
            altered_s=altered_s,
            bare_s=places.bare(box),
            open_s=places.open(box),
            hand_s=hand_s,
            stopped_s=stopped_s,
        )

    def has_rolled(self, frame: Image, small: Box, box: Box, progress: Callable[[], None]) -> bool:
        """Whether the die in this box of the frame turned over, or went on moving, after a hand had left it.

        `small` is the same box of the segmented frame.
        """
        places = self.watch.places
        hand_s = max(places.by_hand(small), places.bare(small))
        seen = [sighting for sighting in self.uncovered if sighting.time_s > hand_s and sighting.shows(box)]
        moving = [sighting for sighting in seen if sighting.is_altered(frame, box)]
        if len(moving) < FRAMES:
            return False
        if moving[-1].time_s - hand_s >= GLIDES_S:
            return True
        others = 0
        for sighting in moving:
            progress()
            others += sighting.shows_other_side(frame, box)
        return others >= FRAMES

    def thrown_s(
        self, track: Track, tracks: Sequence[Track], histories: Sequence[History]
    ) -> Iterator[float]:
        """When other dice than this one moved freely, or came to their places by themselves."""
        for neighbour in self.watch.tracker.tracks:
            if neighbour is not track and neighbour.read_at is None:
                yield from moved_freely_s(neighbour.path, self.watch.die_px)
        yield from (
            history.bare_s
            for neighbour, history in zip(tracks, histories, strict=True)
            if neighbour is not track and history.lay is None and history.flew
        )

    def begin(self, frame: Image, tracks: Sequence[Track], boxes: Sequence[Box]) -> None:
        """Knows these dice where they lie now, and forgets how they came there."""
        watch = self.watch
        for track, box in zip(tracks, boxes, strict=True):
            track.read_at = middle(box)
            track.area = box[2] * box[3]
            blob = Blob(track.read_at, box, track.area, clear=True, free=True, reaches_out=False)
            track.path = [Point(watch.time_s, track.read_at, 0.0, blob)]
        watch.tracker.tracks, self.read = list(tracks), list(tracks)
        self.lay = watch.classes == DIE
        self.read_s = watch.time_s
        self.appearances = [self.appearance(frame, track) for track in tracks]
        self.glimpses, self.uncovered = [], []
        self.frames = 0

    def matched(self, boxes: Sequence[Box], unchanged: Sequence[bool]) -> list[Track]:
        """The track of each die, at the least distance in all; dice in one blob share its path.

        First come the dice that lie where one was read, even if they were lost from sight: those that are
        `unchanged`, although the place may have seemed bare in a shadow, and those whose place has not been
        bare since.
        """
        watch, in_view = self.watch, self.watch.tracker.tracks
        tracks = [*in_view, *(track for track in self.read if track not in in_view)]
        stayed, moved = (np.full((len(boxes), len(tracks)), np.inf) for _ in range(2))
        for i, box in enumerate(boxes):
            for j, track in enumerate(tracks):
                # In the shadow of a hand a dark die passes for bare tray, so its looks count first.
                if track.read_at is not None and (unchanged[i] or watch.places.bare(box) <= self.read_s):
                    far = math.dist(middle(box), track.read_at)
                    stayed[i, j] = far if far <= CLOSE * watch.die_px else np.inf
                if j < len(in_view) and outside(middle(box), track.blob.box) <= CLOSE * watch.die_px:
                    moved[i, j] = math.dist(middle(box), track.blob.at)
        chosen = assign(stayed) if stayed.size else [None] * len(boxes)
        moved[:, [j for j in chosen if j is not None]] = np.inf
        moved[[i for i, j in enumerate(chosen) if j is not None]] = np.inf
        others = assign(moved) if moved.size else [None] * len(boxes)
        numbers = [k if j is None else j for j, k in zip(chosen, others, strict=True)]
        return [
            self.new_track(box) if number is None else tracks[number]
            for box, number in zip(boxes, numbers, strict=True)
        ]

    def new_track(self, box: Box) -> Track:
        """The track of a die that was never seen apart from others, or not at all."""
        place, tracker = middle(box), self.watch.tracker
        tracker.newest += 1
        blob = Blob(place, box, box[2] * box[3], clear=False, free=False, reaches_out=False)
        whole = [
            track for track in tracker.tracks if outside(place, track.blob.box) <= CLOSE * self.watch.die_px
        ]
        path = [Point(self.watch.time_s, place, 0.0, blob)]
        if whole:
            path = min(whole, key=lambda track: math.dist(place, track.blob.at)).path_of_another(
                self.watch.die_px
            )
        return Track(tracker.newest, blob.area, path)

    def before_hand(
        self, track: Track, box: Box, whole: Box, dice: Sequence[tuple[Box, Box]]
    ) -> Appearance | None:
        """How what lies in this box looked first since it lies there, if something came over it since.

        Each box is given in pixels of the segmented frame, and of the whole frame.
        """
        bare_s, hand_s = self.watch.places.bare(box), self.by_hand(track, box, dice)
        # What stood there before may have been the cup that hid these dice: it is no look of them.
        shown = [look for look in self.appearances if look.shows(whole) and not look.is_more_than(dice)]
        before = [look for look in shown if bare_s < look.time_s < hand_s]
        if before:
            return min(before, key=lambda look: look.time_s)
        own = self.first(self.appearances, middle(box))
        return (
            own
            if own is not None and any(look is own for look in shown) and was_covered(track, own)
            else None
        )

    def by_hand(self, track: Track, box: Box, dice: Sequence[tuple[Box, Box]]) -> float:
        """When a hand was last near this box of the segmented frame, or fingers that passed for dice."""
        fingers = fingers_s(track.path, box, [small for small, _ in dice], self.watch.die_px)
        return max(self.watch.places.by_hand(box), fingers)

    def altered_s(
        self,
        track: Track,
        before: Appearance | None,
        frame: Image,
        box: Box,
        whole: Box,
        dice: Sequence[tuple[Box, Box]],
    ) -> float:
        """Since when the die in this box may show another face than it did; inf if it shows the same.

        Of one that was only glimpsed before a hand came, both faces have to be plain.
        """
        if before is not None:
            return before.time_s if self.may_be_turned(before, frame, whole) else math.inf
        bare_s, hand_s = self.watch.places.bare(box), self.by_hand(track, box, dice)
        shown = [look for look in self.glimpses if look.shows(whole) and bare_s < look.time_s < hand_s]
        glimpse = min(shown, key=lambda look: look.time_s, default=None)
        if glimpse is None or glimpse.is_more_than(dice):
            return math.inf
        then, now = (self.face(crop) for crop in glimpse.crops(frame, whole))
        return math.inf if None in (then, now) or then == now else glimpse.time_s

    def may_be_turned(self, before: Appearance, frame: Image, box: Box) -> bool:
        """Whether the die in this box of the frame may show another face than it did.

        It looks otherwise in another light too, or with another die beside it; a dark die with thin numerals
        looks much the same with another face.
        """
        then, now = (self.face(crop) for crop in before.crops(frame, box))
        if before.is_altered(frame, box):
            return then is None or then != now
        return None not in (then, now) and then != now

    def was_taken(self, before: Appearance, tracks: Sequence[Track], boxes: Sequence[Box]) -> bool:
        """Whether a die that came to lie open in the tray, and was not read yet, is gone since by a hand.

        `boxes` of the segmented frame are those of the dice that lie there, `tracks` theirs.
        """
        watch = self.watch
        x, y, w, h = before.blob.box
        still_there = int((watch.classes[y : y + h, x : x + w] == DIE).sum())
        lies = before.blob.area <= SAME_AREA * still_there or any(
            math.dist(middle(box), before.blob.at) <= CLOSE * watch.die_px for box in boxes
        )
        tracked = any(track.number == before.number and track.read_at is None for track in tracks)
        if not before.came or lies or tracked:
            return False
        # Of a finger over the rim the net sees the tip, and takes it for a die.
        if watch.outside[y : y + h, x : x + w].any() or before.hand_s >= before.time_s:
            return False
        square_there = square(before.blob.at, watch.die_px)
        return watch.places.by_hand(square_there) > before.time_s and self.shows_die(before.picture)

    def was_thrown(self, frame: Image, box: Box) -> bool:
        """Whether what lies in this box of the frame came there by a throw since dice were read last."""
        return self.judged(frame, [box]).flight.arrivals == (Arrival.THROWN,)


def rests_open(track: Track) -> bool:
    """Whether the die has lain still for a moment, with no hand next to it."""
    now_s = track.seen_s
    count = sum(now_s - point.time_s < MOMENT_S for point in track.path[-FRAMES - 1 :])
    rest = track.path[-max(count, 2) :]
    lasts_s = now_s - rest[0].time_s
    return lasts_s >= MOMENT_S / 2 and rests_clear(rest)


def was_covered(track: Track, before: Appearance) -> bool:
    """Whether something that is no hand, as it seems, merged with the die and parted, while it lay there."""
    grown = [
        point.area > SAME_AREA * before.blob.area for point in track.path if point.time_s > before.time_s
    ]
    return any(grown) and not grown[-1]
