"""The motion watch: never settled while anything moves, settled half a second after it stopped."""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.extent import extent
from tests.vision.clips import Clip, cloth
from tests.vision.stories import STORIES, scene, set_kinds
from vision.frames import downsample
from vision.motion.background import BackgroundModel, Standing
from vision.motion.segmentation import OTHER, TRAY, Segmenter, without_tray
from vision.motion.stillness import WINDOW_S
from vision.motion.watch import Motion, MotionWatch, standing_things
from vision.nets import load_nets
from vision.reading import Part

if TYPE_CHECKING:
    from collections.abc import Callable

    from vision.motion.segmentation import Classes, Mask
    from vision.reading import Image

Seen = list[tuple[float, Motion]]


@dataclass
class Verdict:
    """How a clip was told: false settles, the wait after each motion, motions missed, needless unrest."""

    false: list[float]
    waits: list[float]
    missed: int
    needless: int

    @property
    def good(self) -> bool:
        return not self.false and not self.missed and not self.needless and max(self.waits, default=0) <= 0.5


@cache
def segmenter() -> Segmenter:
    return Segmenter(load_nets().segmentation)


def watched(clip: Clip) -> Seen:
    watch = MotionWatch(segmenter(), background=BackgroundModel(clip.floor))
    return [(time_s, watch.watch(frame, time_s)) for frame, time_s in clip.frames()]


def judge(clip: Clip, seen: Seen) -> Verdict:
    settled = [time_s for time_s, state in seen if state is Motion.SETTLED]
    begun = [
        time_s
        for (_, before), (time_s, now) in itertools.pairwise(seen)
        if now is Motion.SETTLED is not before
    ]
    waits = [min([t for t in settled if t >= end], default=99.0) - end for _, end in clip.busy]
    return Verdict(
        [t for t in begun if any(a <= t < b for a, b in clip.busy)],
        waits,
        sum(all(s is Motion.SETTLED for t, s in seen if a <= t < b + 0.1) for a, b in clip.busy),
        sum(
            state is not Motion.SETTLED
            and time_s > 0.5
            and not any(a <= time_s < b + 0.5 for a, b in clip.busy)
            for time_s, state in seen
        ),
    )


@pytest.mark.parametrize("name", ["roll", pytest.param("flicker", marks=pytest.mark.slow)])
def test_each_story_is_told_right(name: str) -> None:
    clip = STORIES[name](np.random.default_rng([2, len(name)]))
    verdict = judge(clip, watched(clip))
    assert verdict.good, verdict


@pytest.mark.slow
def test_over_many_clips_none_settles_falsely(capsys: pytest.CaptureFixture[str]) -> None:
    waits: list[float] = []
    needless = clips = 0
    for number, (name, story) in enumerate(STORIES.items()):
        for seed in range(extent(1, 12)):
            clip = story(np.random.default_rng([seed, number]))
            verdict = judge(clip, watched(clip))
            assert not verdict.false, (name, seed, verdict)
            assert not verdict.missed, (name, seed, verdict)
            assert max(verdict.waits, default=0.0) <= 0.5, (name, seed, verdict)
            clips += 1
            waits += verdict.waits
            needless += bool(verdict.needless)
    figures = f"settled {np.median(waits):.2f} s (median), {max(waits):.2f} s (most) after the last motion"
    with capsys.disabled():
        sys.stdout.write(f"\n{clips} clips: no false settle; {figures}; {needless} unsettled needlessly\n")
    assert needless <= clips // 20  # strong flicker on noisy, compressed frames: asking to wait is cheap


def states(clip: Clip) -> set[Motion]:
    return {state for _, state in watched(clip)}


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("hand stays", Motion.HAND),
        pytest.param("sleeve", Motion.HAND, marks=pytest.mark.slow),
        ("light off and on", Motion.UNLIT),
        ("rock", Motion.MOVING),
    ],
)
def test_it_says_what_is_the_matter(name: str, state: Motion) -> None:
    clip = STORIES[name](np.random.default_rng([3, 3]))
    start, _ = clip.busy[0]
    clip.seconds = start + 0.35
    said = [s for t, s in watched(clip) if t >= start + 0.1]
    assert said
    assert set(said) == {state}


def still(frame: Image) -> Callable[[float], Image]:
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 1.5, (4, *frame.shape))
    return lambda time_s: np.clip(frame + noise[round(time_s * 30) % 4], 0, 255).astype(np.uint8)


def picture(*, hand: bool) -> Image:
    rng = np.random.default_rng(4)
    clip = scene(rng, "still")
    set_kinds(clip, rng)
    frame = clip.floor.copy()
    if hand:
        frame[:200, 250:330] = (90, 120, 170)
    return frame


def test_a_hand_there_from_the_start_is_known_by_the_empty_tray() -> None:
    with_hand, without = still(picture(hand=True)), still(picture(hand=False))
    watch = MotionWatch(segmenter(), background=BackgroundModel(cloth_of(4)))
    for number in range(20):
        assert watch.watch(with_hand(number / 10), number / 10) in (Motion.HAND, Motion.MOVING)
    seen = [watch.watch(without(number / 10), number / 10) for number in range(20, 30)]
    assert seen[-1] is Motion.SETTLED


def cloth_of(seed: int) -> Image:
    return scene(np.random.default_rng(seed), "still").floor


class Drawn(Segmenter):
    """Takes what is blue in a frame for a hand, by the empty tray and without it."""

    def __init__(self) -> None:
        self.unsure = 0

    def segment(self, frame: Image, _background: Image) -> Classes:
        return np.where(frame[..., 0] > 240, np.uint8(OTHER), np.uint8(TRAY))

    def segment_alone(self, frame: Image) -> tuple[Classes, Mask]:
        classes = self.segment(frame, frame)
        classes[:, : self.unsure] = TRAY
        return classes, frame[..., 0] <= 240


def felt() -> Image:
    """A tray that is brighter to the right."""
    levels = np.linspace(60, 120, 640)
    return np.broadcast_to(levels[None, :, None], (360, 640, 3)).astype(np.uint8)


def test_the_empty_tray_is_put_together_from_frames_that_a_hand_is_always_in() -> None:
    watch = MotionWatch(Drawn())
    everywhere = [(x, 150, 40, 40) for x in range(20, 600, 40)]
    for number in range(30):
        frame = felt()
        frame[:, 20 * number : 20 * number + 120, 0] = 255  # a hand passes from left to right
        frame[:, 20 * number + 50 : 20 * number + 70] = 200  # a slit in it seems to show the tray
        watch.watch(frame, number / 30)
        if not number:
            assert not watch.has_seen(everywhere[:2], frame.shape)
            assert watch.has_seen(everywhere, frame.shape)
    assert watch.background is not None
    assert all(watch.has_seen([box], frame.shape) for box in everywhere[:13])
    known = watch.background.now(downsample(felt()))
    assert np.abs(known[:, :280].astype(int) - downsample(felt())[:, :280]).max() <= 2


def test_the_empty_tray_is_remembered_without_a_shadow() -> None:
    watch = MotionWatch(Drawn())
    for number in range(18):
        frame = felt()
        frame[:, 560:, 0] = 255  # something never shows the tray there
        if number < 6 or number >= 12:
            frame[100:260, 100:220] //= 2
        watch.watch(frame, number / 30)
    assert watch.background is not None
    known = watch.background.now(downsample(felt()))
    assert np.abs(known[:, :240].astype(int) - downsample(felt())[:, :240]).max() <= 6


def test_what_hides_the_tray_from_the_start_is_judged_without_it() -> None:
    segmenter = Drawn()
    watch = MotionWatch(segmenter)
    frame = felt()
    frame[:, :80, 0] = 255
    assert watch.watch(frame, 0.0) is Motion.HAND
    segmenter.unsure = 40  # alone, the frame seems to show the tray there
    assert watch.watch(frame, 0.1) is Motion.MOVING


class Counted(Drawn):
    """Counts how often it segments a frame without the empty tray."""

    alone = 0

    def segment_alone(self, frame: Image) -> tuple[Classes, Mask]:
        self.alone += 1
        return super().segment_alone(frame)


def test_where_the_tray_was_never_seen_a_frame_is_segmented_alone_again_only_once_it_has_changed() -> None:
    segmenter = Counted()
    watch = MotionWatch(segmenter)
    frame = felt()
    frame[:, :80, 0] = 255
    for number in range(3):
        watch.watch(frame, number / 30)
    assert segmenter.alone == 1
    frame[:, 400:440] //= 2  # elsewhere
    watch.watch(frame, 0.09)
    assert segmenter.alone == 1
    frame[:40, :40, 2] = 0
    watch.watch(frame, 0.095)
    assert segmenter.alone == 2
    watch.watch(frame, 0.195)
    assert segmenter.alone == 3


class Compared(Drawn):
    """Knows what looks as the empty tray does."""

    def segment(self, frame: Image, background: Image) -> Classes:
        return without_tray(super().segment(frame, background), frame, background)

    def segment_alone(self, frame: Image) -> tuple[Classes, Mask]:
        return Drawn.segment(self, frame, frame), frame[..., 0] <= 240


def with_edge(frame: Image) -> Image:
    frame[:, :80, 0] = 255
    return frame


def test_what_reaches_in_from_the_first_frame_on_and_never_moves_is_tray() -> None:
    watch = MotionWatch(Compared())
    states = [watch.watch(with_edge(felt()), number / 30) for number in range(45)]
    assert (states[0], states[-1]) == (Motion.HAND, Motion.SETTLED)
    assert watch.has_seen([(20, 150, 40, 40)], (360, 640, 3))


def test_a_hand_whose_sleeve_looks_like_the_tray_shows_nothing_of_what_it_hides() -> None:
    watch = MotionWatch(Compared())
    for number in range(30):
        frame = felt()
        frame[:, :240, 0] = 255
        if number >= 15:
            frame[100:220, 120:300] = 255, 180, 180
        watch.watch(frame, number / 10)
    beside = watch.scaled((20, 150, 40, 40), frame.shape)
    assert watch.places.stopped(beside) == -np.inf


def test_a_cup_that_stands_in_the_tray_from_the_first_frame_on_is_no_tray() -> None:
    watch = MotionWatch(Compared())
    for number in range(25):
        frame = felt()
        frame[120:240, 260:380, 0] = 255
        watch.watch(frame, number / 10)
    assert not watch.has_seen([(290, 150, 40, 40)], frame.shape)


def test_a_hand_that_comes_and_stays_is_none_after_two_seconds_but_no_tray_either() -> None:
    watch = MotionWatch(Drawn())
    states = [watch.watch(with_edge(felt()) if number >= 10 else felt(), number / 10) for number in range(35)]
    assert states[9] is Motion.SETTLED
    assert states[28] is Motion.HAND
    assert states[-1] is Motion.SETTLED
    assert watch.covered() is Part.LEFT
    beside = watch.scaled((20, 150, 40, 40), (360, 640, 3))
    assert watch.places.stopped(beside) > 1.0
    assert watch.places.bare(beside) <= 1.0


@pytest.mark.parametrize(
    ("rows", "columns", "part"),
    [
        (slice(0, 100), slice(0, 130), Part.UPPER_LEFT),
        pytest.param(slice(0, 100), slice(250, 400), Part.TOP, marks=pytest.mark.slow),
        pytest.param(slice(280, 360), slice(520, 640), Part.LOWER_RIGHT, marks=pytest.mark.slow),
        (slice(120, 240), slice(260, 380), Part.MIDDLE),
    ],
)
def test_it_says_where_a_thing_stands_in_the_tray(rows: slice, columns: slice, part: Part) -> None:
    watch = MotionWatch(Drawn())
    covered = []
    for number in range(35):
        frame = felt()
        if number >= 10:
            frame[rows, columns, 0] = 255
        watch.watch(frame, number / 10)
        covered.append(watch.covered())
    assert (covered[0], covered[9], covered[11], covered[-1]) == (None, None, None, part)


def test_no_hand_is_in_the_tray_before_the_first_frame() -> None:
    assert not MotionWatch(Drawn()).hand_in_tray()


def test_a_hand_that_hovers_and_moves_a_little_stays_a_hand() -> None:
    watch = MotionWatch(Drawn())
    for number in range(50):
        frame = felt()
        if number >= 10:
            frame[:, : 80 + 12 * (number // 3 % 2), 0] = 255
        state = watch.watch(frame, number / 10)
    assert state is Motion.HAND


def test_what_moves_outside_the_watched_area_does_not_matter() -> None:
    quiet = still(picture(hand=False))
    area = np.zeros((360 // 2, 640 // 2), bool)
    area[20:160, 60:300] = True
    watch = MotionWatch(segmenter(), area)
    for number in range(20):
        frame = quiet(number / 10)
        frame[::, 5 + 3 * number : 40 + 3 * number] = 0  # walks by at the left, up to x = 100 of 640
        state = watch.watch(frame, number / 10)
    assert state is Motion.SETTLED


def test_frames_that_stay_away_begin_a_new_wait() -> None:
    quiet = still(picture(hand=False))
    watch = MotionWatch(segmenter())
    assert [watch.watch(quiet(n / 30), n / 30) for n in range(20)][-1] is Motion.SETTLED
    assert watch.watch(quiet(3.0), 3.0) is Motion.MOVING
    assert [watch.watch(quiet(3 + n / 30), 3 + n / 30) for n in range(1, 14)][-1] is Motion.SETTLED
    assert watch.watch(quiet(0.0), 0.0) is Motion.MOVING  # time that goes back is another time


@pytest.mark.parametrize(
    "fps", [5, 60, *(pytest.param(fps, marks=pytest.mark.slow) for fps in (10, 15, 120))]
)
def test_any_frame_rate_will_do(fps: int) -> None:
    quiet = still(picture(hand=False))
    watch = MotionWatch(segmenter())
    told = next(n / fps for n in range(3 * fps) if watch.watch(quiet(n / fps), n / fps) is Motion.SETTLED)
    window_s = WINDOW_S
    assert window_s <= told <= window_s + 0.05 + 1 / fps


@pytest.mark.parametrize(
    ("level", "said"),
    [(0, Motion.UNLIT), (21, Motion.UNLIT), (23, Motion.SETTLED), (255, Motion.SETTLED)],
)
def test_an_even_picture_is_dark_or_lies_still(level: int, said: Motion) -> None:
    watch = MotionWatch(segmenter())
    frame = np.full((720, 1280, 3), level, np.uint8)
    seen = [watch.watch(frame, n / 30) for n in range(20)]
    assert seen[-1] is said


def test_a_very_noisy_camera_is_still_when_nothing_moves() -> None:
    rng = np.random.default_rng(8)
    frame = downsample(picture(hand=False))
    watch = MotionWatch(segmenter())
    seen = [
        watch.watch(np.clip(frame + rng.normal(0, 6, frame.shape), 0, 255).astype(np.uint8), n / 30)
        for n in range(30)
    ]
    assert seen[-1] is Motion.SETTLED


def test_the_last_bit_of_a_clean_picture_is_no_motion() -> None:
    rng = np.random.default_rng(9)
    frame = downsample(picture(hand=False))
    watch = MotionWatch(segmenter())
    seen = []
    for n in range(30):
        flips = rng.uniform(size=frame.shape[:2]) < 5e-4
        seen.append(watch.watch(frame ^ flips[..., None].astype(np.uint8), n / 30))
    assert seen[-1] is Motion.SETTLED


def test_the_cloth_alone_is_still() -> None:
    rng = np.random.default_rng(5)
    clip = scene(rng, "still")
    clip.dice = []
    assert cloth(rng, clip.view).shape == clip.floor.shape
    assert states(clip) == {Motion.MOVING, Motion.SETTLED}


@pytest.mark.parametrize(("flickers", "stands"), [(18, True), (30, False)])
def test_a_thing_stands_though_a_little_of_its_edge_flickers(flickers: int, stands: bool) -> None:
    """The outline of 30 x 30 pixels, inside and outside, has 240."""
    things = np.zeros((96, 160), np.bool_)
    things[30:60, 50:80] = True
    stood = np.ones_like(things)
    stood[30, 50 : 50 + flickers] = False
    assert np.array_equal(standing_things(things, stood), things if stands else np.zeros_like(things))


@pytest.mark.parametrize(("part", "changed"), [(0.2, False), (0.3, True)])
def test_a_place_has_changed_once_a_quarter_of_it_looks_otherwise(part: float, changed: bool) -> None:
    watch = MotionWatch(segmenter())
    frame = np.full((96, 160, 3), 90, np.uint8)
    watch.standing = Standing(frame, 0.0)
    frame[40 : 40 + round(20 * part), 60:80] = 140
    watch.standing.see(frame, 2.0)
    box = (60, 40, 20, 20)
    assert watch.has_changed(box, since_s=1.0) is changed
    assert not watch.has_changed(box, since_s=2.0)
