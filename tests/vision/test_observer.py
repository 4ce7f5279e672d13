"""The observer: one message when dice lie still, one when they do not, and why; places survive a bump."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from tests.vision.clips import MARKERS_AT, Clip, Hand, View, at_rest, cloth, lying, rolling
from tests.vision.stories import hand_stays, nudge, scene
from vision.frames import SeenFrame
from vision.motion.identities import Identities
from vision.motion.segmentation import DIE as DICE
from vision.motion.segmentation import TRAY, Segmenter
from vision.observer import Observer
from vision.reader import DiceReader
from vision.reading import (
    Arrival,
    Box,
    DieReading,
    Doubt,
    Flight,
    Image,
    Observation,
    Reading,
    Reason,
    SeenTop,
    Settled,
    Unsettled,
    iou,
)
from vision.recognition.classifiers import SYMBOL_PX
from vision.recognition.enrolled import EnrolledDice
from vision.tray.markers import find_markers
from vision.tray.pose import Tray, learn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy.typing as npt

    from vision.motion.segmentation import Classes, Mask


VIEW = View(1280, 720, 430.0, 0.05, -0.03)


def clip_of(view: View, dice: bool = True, covered: tuple[int, ...] = ()) -> Clip:
    rng = np.random.default_rng(5)
    clip = scene(rng, "table", [at_rest(np.array([30.0, 10.0]), lying(rng, "d6"))], 1280)
    clip.view, clip.noise, clip.jpeg = view, 2.0, None
    clip.floor = cloth(np.random.default_rng(6), view)
    for number in covered:
        x, y = view.project(np.array([[*MARKERS_AT[number], 0.0]]))[0].astype(int)
        clip.floor[y - 45 : y + 45, x - 45 : x + 45] = 60
    if not dice:
        clip.dice = []
    return clip


@cache
def frames(view: str = "usual", dice: bool = True, covered: tuple[int, ...] = ()) -> list[Image]:
    views = {"usual": VIEW, "bumped": replace(VIEW, shift_mm=(6.0, -3.0), roll=0.01)}
    clip = clip_of(VIEW, dice, covered)
    clip.views = None if view == "usual" else lambda _: views[view]
    clip.seconds = 0.1
    return [frame for frame, _ in clip.frames()]


def show(eye: Observer, pictures: list[Image], start_s: float, seconds: float) -> list[Observation]:
    told: list[Observation | None] = []
    for number in range(round(seconds * 15)):
        told += [eye.observe(pictures[number % len(pictures)], start_s + number / 15)]
    return [one for one in told if one is not None]


def told(messages: list[Observation]) -> list[str]:
    return [m.reason.value if isinstance(m, Unsettled) else "settled" for m in messages]


@cache
def calibrated() -> Tray:
    tray = learn(find_markers(frames(dice=False)[0]))
    assert tray is not None
    return tray


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> list[Image | None]:
    """Reads a 3 wherever the picture is off the cloth's colour; keeps the empty trays that it was given."""
    given: list[Image | None] = []

    def read(
        _: DiceReader,
        frame: Image,
        tray: Tray | None,
        background: Image | None,
        enrolled: EnrolledDice | None,
        _progress: object,
        _before: object,
        _thrown: object,
        _camera: object,
        _views: object,
    ) -> Reading:
        given.append(background)
        small = cv2.GaussianBlur(frame, (0, 0), 3).astype(np.int16)
        felt = np.median(small[::9, ::9].reshape(-1, 3), axis=0)
        off = (np.abs(small - felt).max(axis=2) > 35).astype(np.uint8)
        for corners in find_markers(frame).values():
            paper = corners + 1.6 * (corners - corners.mean(axis=0))
            cv2.fillConvexPoly(off, cv2.convexHull(paper.astype(int)), 0)
        _, _, stats, _ = cv2.connectedComponentsWithStats(off)
        things = [thing for thing in stats[1:].tolist() if 1000 < thing[4] < 12000]
        boxes = [tuple(thing[:4]) for thing in things if thing[0] > 200 and thing[1] > 100]
        doubt = None if enrolled is None else Doubt.UNKNOWN_DIE
        places = [None if tray is None else tray.position_mm(box, frame.shape) for box in boxes]
        dice = zip(boxes, places, strict=True)
        return Reading(tuple(DieReading("d6", 3, 0.9, box, doubt, at_mm) for box, at_mm in dice))

    monkeypatch.setattr(DiceReader, "read", read)
    return given


def test_dice_that_lie_there_are_told_once() -> None:
    eye = Observer(calibrated())
    messages = show(eye, frames(), 10.0, 1.5)
    assert told(messages) == ["moving", "settled"]
    seen = messages[1]
    assert isinstance(seen, Settled)
    assert [(die.kind, die.value, die.sure) for die in seen.reading.dice] == [("d6", 3, True)]
    assert 10.3 <= seen.time_s <= 10.45
    assert eye.snapshot is not None
    view = eye.snapshot.view
    assert 900 < view.shape[1] < 1280  # the tray, and not the table around it
    x, y, (height, width) = *eye.snapshot.corner, view.shape[:2]
    assert any(np.array_equal(view, frame[y : y + height, x : x + width]) for frame in frames())
    assert x > 0


@cache
def quickly_taken(open_s: float) -> tuple[Image, list[tuple[Image, float]]]:
    """The tray and the frames: a die rolls in, lies open for so long, and a hand comes and stays."""
    rng = np.random.default_rng(5)
    at, way = np.array([30.0, 10.0]), np.array([1.0, 0.0])
    clip = scene(rng, "table", [rolling(at, lying(rng, "d6"), way, 0.5, 0.5, 100.0)], 1280)
    clip.view, clip.noise, clip.jpeg = VIEW, 2.0, None
    clip.floor = cloth(np.random.default_rng(6), VIEW)
    start = np.array([330.0, 40.0])

    def reach(time_s: float) -> npt.NDArray[np.float64] | None:
        part = np.interp(time_s, [0.95 + open_s, 1.15 + open_s], [0.4, 1.0])
        return start + (at - start) * part if time_s > 0.95 + open_s else None

    clip.hand = Hand(reach, start * 1.4, (110.0, 140.0, 200.0), (150.0, 60.0, 40.0))
    clip.seconds = 1.7
    return clip.floor, list(clip.frames())


@pytest.mark.parametrize(
    ("open_s", "doubt", "came", "read"),
    [
        (0.27, None, Arrival.THROWN, True),
        (0.27, Doubt.NOT_READ, Arrival.THROWN, False),
        pytest.param(0.27, None, Arrival.UNSEEN, False, marks=pytest.mark.slow),
        pytest.param(0.1, None, Arrival.THROWN, False, marks=pytest.mark.slow),
    ],
)
def test_a_die_that_a_hand_takes_up_at_once_is_read_if_it_lay_open_and_leaves_no_doubt(
    open_s: float, doubt: Doubt | None, came: Arrival, read: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = DiceReader.read
    if came is not Arrival.THROWN:
        monkeypatch.setattr("vision.motion.identities.arrival", lambda *_: came)

    def doubtful(*args: Any) -> Reading:
        return Reading(tuple(replace(die, doubt=doubt) for die in reads(*args).dice))

    monkeypatch.setattr(DiceReader, "read", doubtful)
    floor, filmed = quickly_taken(open_s)
    eye = Observer(calibrated(), floor)
    seen = [eye.observe(frame, time_s) for frame, time_s in filmed]
    with_dice = [one for one in seen if isinstance(one, Settled) and one.reading.dice]
    assert len(with_dice) == read
    if with_dice:
        assert 0.95 + open_s < with_dice[0].time_s < 1.2 + open_s
        assert with_dice[0].flight is not None
        assert with_dice[0].flight.arrivals == (Arrival.THROWN,)
    assert isinstance(seen[-1], Unsettled | None)
    assert eye.reported is Reason.HAND


def test_the_frames_that_are_read_show_nothing_of_the_hand_that_takes_the_dice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (floor, filmed), reads = quickly_taken(0.27), DiceReader.read

    def doubtful(*args: Any) -> Reading:
        doubt = Doubt.NOT_READ if args[1][0, 0].min() == 255 else None
        return Reading(tuple(replace(die, doubt=doubt) for die in reads(*args).dice))

    monkeypatch.setattr(DiceReader, "read", doubtful)
    eye = Observer(calibrated(), floor)
    seen = []
    for filmed_frame, time_s in filmed:
        frame = filmed_frame.copy()
        frame[:20, :20] = 255 * (eye.lying is not None)  # beside the tray
        seen.append(eye.observe(frame, time_s))
    assert sum(isinstance(one, Settled) and bool(one.reading.dice) for one in seen) == 1


def test_dice_are_read_while_what_the_picture_cuts_moves_beside_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def segment(_: Segmenter, frame: Image, empty: Image) -> Classes:
        return np.where(cv2.absdiff(frame, empty).max(axis=2) > 40, np.uint8(DICE), np.uint8(TRAY))

    def segment_alone(_: Segmenter, frame: Image) -> tuple[Classes, Mask]:
        return np.zeros(frame.shape[:2], np.uint8), np.ones(frame.shape[:2], np.bool_)

    monkeypatch.setattr(Segmenter, "segment", segment)
    monkeypatch.setattr(Segmenter, "segment_alone", segment_alone)
    monkeypatch.setattr("vision.motion.identities.arrival", lambda *_: Arrival.THROWN)
    eye = Observer()
    bare, die = (frames(dice=dice, covered=(0, 1, 2, 3)) for dice in (False, True))
    show(eye, bare, 0.0, 1.0)
    sleeves = [die[0].copy() for _ in range(4)]
    for wide, picture in zip((70, 110, 150, 110), sleeves, strict=True):
        picture[500:, :wide] = (40, 60, 200)
    (seen,) = [one for one in show(eye, sleeves, 1.0, 2.0) if isinstance(one, Settled)]
    assert 1.3 <= seen.time_s <= 1.6
    assert seen.reading.dice[0].box[:2] == pytest.approx((724, 280), abs=10)


def garbled(frame: Image) -> Image:
    """What is decoded of a JPEG whose middle was lost on its way."""
    data = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, 80])[1].tobytes()
    half = len(data) // 2
    lost = np.frombuffer(data[:half] + data[half + 1024 :], np.uint8)
    return np.asarray(cv2.imdecode(lost, cv2.IMREAD_COLOR), np.uint8)


def test_dice_are_read_by_a_camera_that_damages_one_frame_in_ten() -> None:
    eye = Observer(calibrated())
    pictures = [garbled(frames()[0]) if number % 10 == 4 else frames()[number % 2] for number in range(60)]
    messages = [eye.observe(picture, number / 30) for number, picture in enumerate(pictures)]
    assert told([one for one in messages if one is not None]) == ["moving", "settled"]
    assert eye.damage.found == 6


def test_what_two_frames_show_that_are_passed_on_at_once_comes_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = [Settled(Reading(()), 1.0), Unsettled(Reason.MOVING, 1.1), None]
    eye = Observer()
    monkeypatch.setattr(eye, "observe_whole", lambda _frame, time_s: seen[round(time_s) - 1])
    black = np.zeros((240, 320, 3), np.uint8)
    damage = [[SeenFrame(black, 1.0, black), SeenFrame(black, 2.0, black)], [SeenFrame(black, 3.0, black)]]
    monkeypatch.setattr(eye.damage, "whole", lambda _frame, time_s: damage[round(time_s) - 2])
    assert [eye.observe(black, time_s) for time_s in (2.0, 3.0)] == seen[:2]


def test_the_tables_own_dice_are_told_from_strangers() -> None:
    own = EnrolledDice(
        (("d20", 17),), np.ones((1, SYMBOL_PX * SYMBOL_PX), np.float32), np.zeros((1, 3), np.float32)
    )
    seen = show(Observer(calibrated(), enrolled=own), frames(), 10.0, 1.0)[1]
    assert isinstance(seen, Settled)
    assert [die.doubt for die in seen.reading.dice] == [Doubt.UNKNOWN_DIE]


def test_dice_in_the_tray_at_a_start_in_the_middle_of_a_game_lie_where_they_lay() -> None:
    first, second = (show(Observer(calibrated()), frames(), start, 1.0)[-1] for start in (0.0, 500.0))
    assert isinstance(first, Settled)
    assert isinstance(second, Settled)
    (one,), (other,) = first.reading.dice, second.reading.dice
    assert iou(one.box, other.box) > 0.95


def test_without_calibration_the_markers_teach_it_the_tray() -> None:
    eye = Observer()
    messages = show(eye, frames(), 0.0, 1.5)
    assert told(messages) == ["moving", "settled"]
    assert eye.place.tray is not None
    assert abs(eye.place.tray.mm(np.array([[640.0, 360.0]]))[0]).max() < 60


def test_it_learns_the_lens_from_the_dice_that_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    camera = calibrated().camera((720, 1280, 3))
    tops = tuple(
        SeenTop((x, y), (float(right), float(down)), 0.02)
        for x, y in ((150.0, 200.0), (1100.0, 500.0), (200.0, 600.0))
        for right, down in [0.8 * camera.plumb((x, y), (720, 1280))]
    )
    monkeypatch.setattr(DiceReader, "read", lambda *_: Reading((), tops))
    eye = Observer(calibrated())
    show(eye, frames(), 10.0, 1.0)
    assert eye.place.tray is not None
    told = eye.place.tray.camera((720, 1280, 3))
    assert told.focal_px > 1.05 * camera.focal_px
    assert told.focal_error < camera.focal_error


def test_a_table_without_markers_is_read_all_the_same() -> None:
    plain = frames(covered=(0, 1, 2, 3))
    assert told(show(Observer(), plain, 0.0, 1.0)) == ["moving", "settled"]


def test_one_covered_marker_does_not_matter_and_all_covered_is_said() -> None:
    assert told(show(Observer(calibrated()), frames(covered=(2,)), 0.0, 1.0)) == ["moving", "settled"]
    eye = Observer(calibrated())
    assert told(show(eye, frames(covered=(0, 1, 2, 3)), 0.0, 1.0)) == ["moving", "markers"]
    assert told(show(eye, frames(), 1.0, 1.0))[-1] == "settled"


def test_two_markers_in_place_are_enough() -> None:
    assert told(show(Observer(calibrated()), frames(covered=(0, 3)), 0.0, 1.0)) == ["moving", "settled"]


def test_after_a_bump_the_same_die_is_where_it_was() -> None:
    eye = Observer(calibrated(), frames(dice=False)[0])
    before = show(eye, frames(), 0.0, 1.0)[-1]
    after = show(eye, frames("bumped"), 1.0, 1.0)
    assert Reason.CAMERA_MOVED.value in told(after)
    assert told(after)[-1] == "settled"
    assert isinstance(before, Settled)
    assert isinstance(after[-1], Settled)
    (one,), (other,) = before.reading.dice, after[-1].reading.dice
    assert one.position_mm is not None
    assert other.position_mm is not None
    assert np.hypot(*np.subtract(one.position_mm, other.position_mm)) < 2.0
    assert iou(one.box, other.box) < 0.7


def test_a_bump_that_hides_markers_is_said_until_they_are_seen() -> None:
    eye = Observer(calibrated())
    show(eye, frames(), 0.0, 1.0)
    hidden = told(show(eye, frames("bumped", covered=(0, 1)), 1.0, 1.0))
    assert hidden[-1] == "camera_moved"
    assert told(show(eye, frames("bumped"), 2.0, 1.0))[-1] == "settled"


def test_the_reader_is_given_the_empty_tray_in_the_light_of_the_frame(reader: list[Image | None]) -> None:
    dim = [np.asarray(frame * 0.7, np.uint8) for frame in frames()]
    show(Observer(calibrated(), frames(dice=False)[0]), dim, 0.0, 1.0)
    assert reader[-1] is not None
    truth = np.asarray(cv2.resize(frames(dice=False)[0], (320, 180), interpolation=cv2.INTER_AREA)) * 0.7
    assert np.abs(reader[-1] - truth).mean() < 4


@pytest.mark.parametrize(("side", "count"), [(500, 0), (90, 1)])
def test_a_doubtful_thing_of_a_third_of_the_picture_is_no_die(
    monkeypatch: pytest.MonkeyPatch, side: int, count: int
) -> None:
    mat = DieReading("d20", 1, 0.3, (300, 100, side, side), Doubt.COVERED)
    monkeypatch.setattr(DiceReader, "read", lambda *_: Reading((mat,)))
    seen = show(Observer(), frames(dice=False), 0.0, 1.0)
    assert [len(one.reading.dice) for one in seen if isinstance(one, Settled)] == [count]


@pytest.mark.parametrize("dice", [True, False])
def test_a_mat_that_passes_for_a_die_is_no_empty_tray_while_dice_lie_on_it(
    monkeypatch: pytest.MonkeyPatch, dice: bool
) -> None:
    mat = DieReading("d20", 1, 0.3, (300, 100, 500, 500), Doubt.COVERED)
    monkeypatch.setattr(DiceReader, "read", lambda *_: Reading((mat,)))
    eye = Observer()
    show(eye, frames(dice=dice), 0.0, 1.2)
    assert (eye.background is None) == dice


@pytest.mark.parametrize(
    ("story", "why"), [(hand_stays, Reason.HAND), pytest.param(nudge, Reason.MOVING, marks=pytest.mark.slow)]
)
def test_what_is_the_matter_is_said_and_then_read_again(
    story: Callable[[np.random.Generator], Clip], why: Reason
) -> None:
    clip = story(np.random.default_rng(11))
    eye = Observer(learn(find_markers(next(clip.frames())[0])), clip.floor)
    messages: list[Observation] = []
    for frame, time_s in clip.frames():
        observed = eye.observe(frame, time_s)
        messages += [] if observed is None else [observed]
    words = told(messages)
    assert words[:2] == ["moving", "settled"]
    assert why.value in words[2:]
    assert words[-1] == "settled"
    settled = [m.time_s for m in messages if isinstance(m, Settled)]
    assert not any(start <= t < end for t in settled[1:] for start, end in clip.busy)
    assert len(words) <= 6, words


def test_dice_beside_the_tray_do_not_count() -> None:
    clip = clip_of(replace(VIEW, height_mm=430.0))
    eye = Observer(calibrated())
    area = calibrated().area(320, 180, 0.25)
    area[:, 160:] = False  # as if the tray ended left of the die
    eye.shape = clip.floor.shape
    eye.watch_anew()
    eye.motion = eye.identities.watch = type(eye.motion)(eye.segmenter, area)
    seen = show(eye, frames(), 0.0, 1.0)[-1]
    assert isinstance(seen, Settled)
    assert seen.reading.dice == ()


@pytest.mark.parametrize(
    ("doubt", "known", "dice"), [(None, True, 2), (Doubt.NOT_READ, True, 1), (Doubt.NOT_READ, False, 2)]
)
def test_what_is_hardly_read_where_the_empty_tray_is_seen_is_no_die(
    doubt: Doubt | None, known: bool, dice: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(reader: DiceReader, frame: Image, *_: Any) -> Reading:
        lies = the_red_one(reader, frame).dice
        return Reading((*lies, DieReading("d6", 3, 0.9, (700, 450, 60, 60), doubt)))

    monkeypatch.setattr(DiceReader, "read", read)
    eye = Observer(calibrated(), frames(dice=False)[0] if known else None)
    (seen,) = [one for one in show(eye, [turned(0.0, 0)], 0.0, 1.0) if isinstance(one, Settled)]
    assert len(seen.reading.dice) == dice


def test_frames_of_another_size_begin_anew() -> None:
    eye = Observer(calibrated())
    show(eye, frames(), 0.0, 1.0)
    small = [np.asarray(cv2.resize(f, (960, 540), interpolation=cv2.INTER_AREA), np.uint8) for f in frames()]
    again = show(eye, small, 1.0, 1.5)
    assert told(again)[0] == "moving"
    assert told(again)[-1] == "settled"


DIE = slice(300, 370), slice(600, 670)
CUP = slice(250, 420), slice(550, 720)
RED, BLUE, SKIN, LEATHER = (30, 30, 220), (220, 30, 30), (120, 150, 210), (40, 60, 100)
"""A red die shows a 3, a blue one a 5."""


@pytest.mark.parametrize(("degrees", "by_px", "same"), [(0.0, 0, True), (15.0, 0, False), (0.0, 12, False)])
def test_a_die_that_looks_as_it_did_keeps_its_box(
    degrees: float, by_px: int, same: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: list[list[Box]] = []
    unchanged: list[list[Box]] = []
    settle = Identities.settle

    def read(reader: DiceReader, frame: Image, *args: Any) -> Reading:
        known.append(args[4])
        return the_red_one(reader, frame)

    def settled(
        self: Identities,
        frame: Image,
        boxes: Sequence[Box],
        same: Iterable[Box],
        progress: Callable[[], None],
    ) -> Flight:
        unchanged.append(list(same))
        return settle(self, frame, boxes, unchanged[-1], progress)

    monkeypatch.setattr(DiceReader, "read", read)
    monkeypatch.setattr(Identities, "settle", settled)
    bare, before, after = frames(dice=False)[0], turned(0.0, 0), turned(degrees, by_px)
    eye = Observer(calibrated(), bare)
    (first,) = [one for one in show(eye, [before], 0.0, 1.0) if isinstance(one, Settled)]
    assert known[0] == []
    known.clear()
    story = [*hand_over(before, after), *[after] * 20]
    for number, picture in enumerate(story):
        eye.observe(picture, 1.0 + number / 30)
    assert known[0] == unchanged[-1] == ([die.box for die in first.reading.dice] if same else [])


def test_a_die_that_was_turned_into_the_same_box_is_remembered_as_it_lies_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known: list[list[Box]] = []

    def read(reader: DiceReader, frame: Image, *args: Any) -> Reading:
        known.append(args[4])
        return the_red_one(reader, frame)

    monkeypatch.setattr(DiceReader, "read", read)
    bare, before, after = frames(dice=False)[0], turned(0.0, 0), turned(90.0, 0)
    eye = Observer(calibrated(), bare)
    show(eye, [before], 0.0, 1.0)
    story = [*hand_over(before, after), *[after] * 20, *hand_over(after, after), *[after] * 20]
    seen = [eye.observe(picture, 1.0 + number / 30) for number, picture in enumerate(story)]
    first, _ = (one.reading for one in seen if isinstance(one, Settled))
    assert [known[i] for i in (0, 2, 4)] == [[], [], [die.box for die in first.dice]]


def test_views_are_kept_of_a_sure_die_alone_and_only_while_it_looks_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[list[Box]] = []
    doubts: list[Doubt | None] = [None]

    def read(reader: DiceReader, frame: Image, *args: Any) -> Reading:
        given.append(list(args[7]))
        dice = tuple(replace(die, doubt=doubts[0]) for die in the_red_one(reader, frame).dice)
        args[7].update({die.box: object() for die in dice})
        return Reading(dice)

    monkeypatch.setattr(DiceReader, "read", read)
    bare, lies, other = frames(dice=False)[0], turned(0.0, 0), turned(15.0, 0)
    eye = Observer(calibrated(), bare)
    (first,) = [one for one in show(eye, [lies], 0.0, 1.0) if isinstance(one, Settled)]
    boxes = [die.box for die in first.reading.dice]
    assert given == [[], boxes]  # the second frame shows what the first one did
    eye.settled((lies, lies), 2.0, hurried=False)
    assert given[2:] == [boxes, boxes]  # nor is it looked at again while it lies as it lay
    eye.settled((lies, other), 3.0, hurried=False)
    assert given[4:] == [boxes, []]
    eye.settled((other, other), 4.0, hurried=False)
    doubts[0] = Doubt.LOW_CONFIDENCE
    eye.settled((lies, lies), 5.0, hurried=False)
    assert given[8:] == [[], []]


def the_red_one(_: DiceReader, frame: Image, *_known: object) -> Reading:
    """A red die that shows a 3, wherever it lies."""
    red = cv2.inRange(frame, np.array([20, 20, 150]), np.array([60, 60, 255]))
    x, y, w, h = cv2.boundingRect(red)
    return Reading((DieReading("d6", 3, 0.9, (x, y, w, h)),) if w else ())


def turned(degrees: float, by_px: int) -> Image:
    """The red die with its pips, turned in its place and moved."""
    corners = cv2.boxPoints(((635.0 + by_px, 335.0), (70.0, 70.0), degrees))
    picture = cv2.fillConvexPoly(frames(dice=False)[0].copy(), np.rint(corners).astype(np.int32), RED)
    return with_pips(np.asarray(picture, np.uint8), np.asarray(corners[[0, 1, 2]], np.float64))


def hand_over(die: Image, changed: Image) -> list[Image]:
    """A hand comes over the die, which is another one when it leaves."""
    tips = range(700, 200, -100)
    return [
        *(with_hand(die, tip) for tip in tips),
        *(with_hand(changed, 200) for _ in range(3)),
        *(with_hand(changed, tip) for tip in reversed(tips)),
    ]


def with_hand(picture: Image, tip: int) -> Image:
    picture = picture.copy()
    picture[tip:, 450:830] = SKIN
    return picture


def with_pips(picture: Image, corners: npt.NDArray[np.floating]) -> Image:
    """The picture with a pip in each of these corners of the die."""
    middle = corners.mean(axis=0)
    for corner in corners:
        cv2.circle(picture, np.rint((corner + middle) / 2).astype(int).tolist(), 7, (240, 240, 240), -1)
    return picture
