"""What differs from the empty tray in a small frame, without its shadows and without spots of light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.detection.foreground import largest

if TYPE_CHECKING:
    from vision.motion.settings import DifferenceSettings
    from vision.motion.stillness import Area
    from vision.reading import Image

SHADOW_UNIT: Final = 128.0
BRIGHTEST: Final = 90
"""Percentile of a spot's levels from which on they are its brightest part."""


def foreground(small: Image, background: Image, limits: DifferenceSettings) -> tuple[Image, Image]:
    """255 where a frame (uint8, H×W×3 BGR) differs from the empty tray, else 0: without and with shadows."""
    off = largest(cv2.absdiff(small, background)) > limits.step
    off &= ~glow(small, background, off, limits)
    one_more = np.asarray(cv2.max(background, np.array(1.0)), np.uint8)
    part = np.asarray(cv2.divide(small, one_more, scale=SHADOW_UNIT), np.uint8)
    most = largest(part)
    least = ~largest(~part)
    shadow = (least > limits.shadow[0] * SHADOW_UNIT) & (most < limits.shadow[1] * SHADOW_UNIT)
    shadow &= most - least < limits.shadow_spread * SHADOW_UNIT
    return cleaned(off & ~shadow), cleaned(off)


def glow(small: Image, background: Image, off: Area, limits: DifferenceSettings) -> Area:
    """Where white light falls on the tray: brighter in all channels alike, and more so from nothing on.

    A thing that is brighter than the tray has an edge where it rises at once. The edge of a die that is only
    a little brighter is no steeper than that of light, but such a die is equally bright all over.
    """
    more = np.asarray(cv2.subtract(small, background), np.uint8)
    least = ~largest(~more)
    white = off & (least > limits.step // 2) & (largest(more) - least < limits.glow_spread)
    if np.count_nonzero(white) < limits.glow_px:
        return np.zeros(off.shape, np.bool_)
    slopes = [cv2.Sobel(least, cv2.CV_16S, *way, scale=0.125) for way in ((1, 0), (0, 1))]
    soft = white & (np.abs(slopes).max(axis=0) < limits.glow_slope)
    _, found, stats, _ = cv2.connectedComponentsWithStats(soft.astype(np.uint8), connectivity=4)
    cross = np.asarray(cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3)), np.uint8)
    rim = soft & (cv2.erode(soft.astype(np.uint8), cross) == 0)
    nothing = np.asarray(cv2.dilate((~off).astype(np.uint8), np.ones((3, 3), np.uint8)), np.bool_)
    dice = (off & ~white).astype(np.uint8)
    hidden = (
        np.asarray(cv2.dilate(dice, np.ones((limits.hides_px, limits.hides_px), np.uint8)), np.bool_)
        & ~nothing
    )
    round_it, rises, hides = (
        np.bincount(found[part], minlength=len(stats)) for part in (rim, rim & nothing, rim & hidden)
    )
    spots = (stats[:, cv2.CC_STAT_AREA] >= limits.glow_px) & (rises >= limits.rises_in_all * round_it)
    spots &= rises >= limits.rises * (round_it - hides)
    spots[0] = False
    for spot in np.flatnonzero(spots & (stats[:, cv2.CC_STAT_AREA] <= limits.dice_px)).tolist():
        spots[spot] = not is_even(least[found == spot], limits)
    return np.asarray(spots[found], np.bool_)


def is_even(levels: Image, limits: DifferenceSettings) -> bool:
    """Whether most of a spot (uint8, levels above the tray) is as bright as its brightest part."""
    top = float(np.percentile(levels, BRIGHTEST))
    return bool((levels >= top * (1 - limits.even)).mean() >= limits.even_part)


def cleaned(mask: Area) -> Image:
    """255 where the mask (bool, H×W) is set, without specks and with small holes filled."""
    whole = mask.astype(np.uint8) * np.uint8(255)
    whole = np.asarray(cv2.morphologyEx(whole, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)
    return np.asarray(cv2.morphologyEx(whole, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)


def filled(mask: Image, largest_px: float) -> Image:
    """The mask (255 or 0) with the holes in it filled that are no larger than this.

    A die whose top has the tray's colour is seen as its sides and its shadow, which go round it.
    """
    _, found, stats, _ = cv2.connectedComponentsWithStats(cv2.bitwise_not(mask), connectivity=4)
    x, y, w, h = (stats[:, column] for column in range(4))
    rows, columns = mask.shape
    holes = (stats[:, cv2.CC_STAT_AREA] <= largest_px) & (x > 0) & (y > 0)
    holes &= (x + w < columns) & (y + h < rows)
    holes[0] = False
    return np.asarray(mask | (holes[found] * np.uint8(255)), np.uint8)


def same_light(background: Image, small: Image) -> Image:
    """The empty tray's picture in the light of a frame of the same size, if that changed everywhere alike."""
    some = (slice(None, None, 6), slice(None, None, 6))
    gain = np.median((small[some] + 1.0) / (background[some] + 1.0), axis=(0, 1))
    return np.asarray(cv2.convertScaleAbs(background, alpha=float(gain.mean())), np.uint8)
