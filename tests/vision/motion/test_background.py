"""The background model: follows the light, everywhere; never takes a die for tray."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from tests.vision.clips import at_rest
from tests.vision.stories import scene, set_kinds
from vision.frames import downsample
from vision.motion.background import BackgroundModel, is_background, matched

if TYPE_CHECKING:
    from tests.vision.clips import Clip
    from vision.reading import Image

Box = tuple[int, int, int, int]


def still_life(seed: int = 3) -> Clip:
    """Four dice on a cloth."""
    rng = np.random.default_rng(seed)
    places = [np.array([x, y]) for x, y in ((-80.0, 30.0), (-20, -30), (40, 20), (90, -20))]
    clip = scene(rng, "still", [at_rest(at, np.eye(3)) for at in places])
    set_kinds(clip, rng)
    clip.noise, clip.jpeg = 1.5, None
    return clip


def boxes(clip: Clip, by: int = 2) -> list[Box]:
    """Where the dice are in the small frame."""
    found = []
    for die in clip.dice:
        pixels = clip.view.project(die.corners(0.0)) / by
        low, high = np.floor(pixels.min(axis=0)).astype(int), np.ceil(pixels.max(axis=0)).astype(int)
        found.append((int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1])))
    return found


def frame(clip: Clip, light: float = 1.0, slope: float = 0.0) -> Image:
    picture = next(clip.frames())[0].astype(np.float32) * light
    picture *= (1 + slope * np.linspace(-1, 1, picture.shape[1]))[None, :, None]
    return np.asarray(np.clip(np.rint(picture), 0, 255), np.uint8)


def off(told: Image, truth: Image, where: list[Box]) -> float:
    """Mean grey levels between two pictures within the boxes."""
    gap = cv2.absdiff(told, truth)
    return float(np.mean([gap[y : y + h, x : x + w].mean() for x, y, w, h in where]))


@pytest.mark.parametrize(("light", "slope"), [(1.0, 0.0), (0.6, 0.0), (0.75, 0.15), (0.9, -0.25)])
def test_it_shows_the_tray_in_the_light_of_the_frame(light: float, slope: float) -> None:
    clip = still_life()
    dark = BackgroundModel(clip.floor).now(downsample(frame(clip, light, slope)))
    clip.dice, where = [], boxes(clip)
    assert off(dark, downsample(frame(clip, light, slope)), where) < 5


def test_black_dice_and_shadows_on_black_cloth_are_no_other_light() -> None:
    cloth = np.full((180, 320, 3), (45, 35, 46), np.uint8)
    there = cloth.astype(np.float32)
    there[70:96, 140:166] += (14, 23, 12)
    for x, y in ((166, 80), (140, 44), (112, 70)):
        there[y : y + 26, x : x + 26] = (40, 40, 190)
    there[96:110, 110:195] *= 0.6
    told = BackgroundModel(cloth).now(there.astype(np.uint8))
    assert off(told, cloth, [(140, 70, 26, 26)]) < 2


def test_a_thing_differs_from_a_dark_tray_by_six_levels_and_hides_a_few_pixels_around_it() -> None:
    base, level = np.full((60, 60, 3), 20, np.float32), np.full((60, 60, 3), 20, np.float32)
    level[10:20, 10:20] += 5
    level[40:50, 40:50] += 7
    bare = is_background(level, base)
    assert bare[:30, :30].all()
    assert not bare[38:52, 38:52].any()
    assert bare[45, [35, 56]].all()


def test_the_light_of_a_lamp_with_a_sharp_edge_is_known_on_both_sides_of_it() -> None:
    felt = np.full((180, 320, 3), 100, np.uint8)
    lit = felt.copy()
    lit[:, :160] = 88
    told = BackgroundModel(felt).now(lit)
    assert [round(float(told[90, x, 1])) for x in (120, 200)] == [88, 100]


def test_a_die_that_lies_for_hours_in_falling_light_is_never_swallowed() -> None:
    clip, without = still_life(), still_life()
    without.dice, where = [], boxes(clip)
    tray = BackgroundModel(clip.floor)
    for minute in range(0, 180, 6):
        light = 1 - 0.5 * minute / 180
        tray.follow(downsample(frame(clip, light, 0.1 * minute / 180)), [], minute * 60.0)
    truth = downsample(frame(without, 0.5, 0.1))
    assert off(tray.now(downsample(frame(clip, 0.5, 0.1))), truth, where) < 6
    assert off(downsample(frame(clip, 0.5, 0.1)), truth, where) > 12


def test_a_stain_becomes_part_of_the_tray() -> None:
    clip = still_life()
    clip.dice = []
    tray = BackgroundModel(clip.floor)
    clip.floor = clip.floor.copy()
    clip.floor[150:200, 300:380] = (clip.floor[150:200, 300:380] * 0.93).astype(np.uint8)
    stain: list[Box] = [(152, 77, 36, 20)]
    for minute in range(10):
        tray.follow(downsample(frame(clip)), [], minute * 60.0)
    assert off(tray.now(downsample(frame(clip))), downsample(frame(clip)), stain) < 2


def test_a_faint_patch_passes_for_tray_after_a_minute_and_not_after_three_seconds() -> None:
    felt = np.full((90, 160, 3), 90, np.uint8)
    patched = felt.copy()
    patched[40:50, 70:80] = 94
    tray = BackgroundModel(felt)
    tray.follow(felt, [], 0.0)
    followed = []
    for second in range(1, 61):
        tray.follow(patched, [], float(second))
        followed.append(float(tray.picture[40:50, 70:80].mean()) - 90)
    assert 0 < followed[2] < 1
    assert 3 < followed[59] < 4.5


def test_a_faint_thing_that_was_named_is_not_swallowed() -> None:
    clip = still_life()
    clip.dice = []
    tray = BackgroundModel(clip.floor)
    before = tray.now(downsample(frame(clip)))
    clip.floor = clip.floor.copy()
    clip.floor[150:200, 300:380] = (clip.floor[150:200, 300:380] * 0.93).astype(np.uint8)
    thing: list[Box] = [(150, 75, 40, 25)]
    for minute in range(10):
        tray.follow(downsample(frame(clip)), thing, minute * 60.0)
    assert off(tray.now(downsample(frame(clip))), before, thing) < 2.5


def test_where_things_lie_is_not_background() -> None:
    clip = still_life()
    small = downsample(frame(clip))
    shown = is_background(small.astype(np.float32) + 1, BackgroundModel(clip.floor).fitted(small))
    for x, y, w, h in boxes(clip):
        assert shown[y : y + h, x : x + w].mean() < 0.2
    assert shown.mean() > 0.8
    same = np.full((20, 20, 3), 90, np.float32)
    assert is_background(same, same).all()


def test_light_that_is_judged_beside_dice_for_long_does_not_swing_up() -> None:
    tray = np.full((180, 320, 3), (120, 90, 40), np.uint8)
    model, rng = BackgroundModel(tray), np.random.default_rng(1)
    for second in range(60):
        if second % 10 == 0:
            places = [(int(x), int(y)) for x, y in rng.integers(0, (290, 150), (6, 2))]
        small = tray.copy()
        for x, y in places:  # each with its shadow
            small[y : y + 38, x : x + 38] = tray[0, 0] * 0.85
        for x, y in places:
            small[y : y + 24, x : x + 24] = 200
        model.follow(small, [(x, y, 24, 24) for x, y in places], float(second))
    assert off(model.now(tray), tray, [(0, 0, 320, 180)]) < 4


def test_the_grain_of_a_black_cloth_is_no_thing() -> None:
    cloth = np.full((90, 160, 3), 8, np.uint8)
    noise = np.random.default_rng(4).normal(0, 1.5, cloth.shape)
    small = np.clip(cloth + noise, 0, 255).astype(np.uint8)
    shown = is_background(small.astype(np.float32) + 1, BackgroundModel(cloth).fitted(small))
    assert shown.mean() > 0.9


@pytest.mark.parametrize("shift", [(0, 0), (9, -6), (-14, 4)])
@pytest.mark.parametrize("light", [1.0, 0.7])
def test_a_photograph_from_another_moment_is_matched(shift: tuple[int, int], light: float) -> None:
    clip = still_life()
    matrix = np.array([[1.0, 0, shift[0]], [0, 1, shift[1]]])
    aside = cv2.warpAffine(clip.floor, matrix, (640, 360), borderMode=cv2.BORDER_REPLICATE)
    background = np.asarray(cv2.resize(np.asarray(aside * light, np.uint8), (960, 540)), np.uint8)
    told = matched(frame(clip), background)
    clip.dice, where = [], [(60, 40, 200, 100)]
    plain = np.asarray(cv2.resize(background, (320, 180)), np.uint8)
    assert off(told, downsample(frame(clip)), where) < 6
    if shift != (0, 0) or light != 1.0:
        assert off(told, downsample(frame(clip)), where) < 0.8 * off(plain, downsample(frame(clip)), where)


def test_another_tray_altogether_does_no_harm() -> None:
    clip, other = still_life(3), still_life(8)
    assert matched(frame(clip), other.floor).shape == (180, 320, 3)
    assert matched(frame(clip), np.zeros((10, 10, 3), np.uint8)).shape == (180, 320, 3)
    assert matched(np.zeros((1, 1, 3), np.uint8), clip.floor).shape == (1, 1, 3)
    assert BackgroundModel(np.full((90, 160, 3), 255, np.uint8)).now(downsample(frame(clip, 0.0))).shape == (
        180,
        320,
        3,
    )
