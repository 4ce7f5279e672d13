"""Which dice touch each other, by the floor that is seen between them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import cv2
import numpy as np
import pytest

from vision.foreground import difference
from vision.recognition.cocked import Contacts

if TYPE_CHECKING:
    from vision.reading import Box, Image

FLOOR = (60, 110, 50)
WHITE = (235, 235, 235)
SIDE = 80.0
"""Pixels along a die's side."""
CORNER = SIDE / np.sqrt(2)


def floor() -> Image:
    return np.full((720, 1280, 3), FLOOR, np.uint8)


def diamond(frame: Image, x: float, y: float, colour: tuple[int, int, int] = WHITE) -> Box:
    """Draws a die that stands on a corner of its box, about (x, y); its box."""
    corners = [(x + CORNER, y), (x, y + CORNER), (x - CORNER, y), (x, y - CORNER)]
    cv2.fillPoly(frame, [np.round(corners).astype(np.int32)], colour)
    left, top, side = round(x - CORNER), round(y - CORNER), round(2 * CORNER)
    return left, top, side, side


def touches(frame: Image, first: Box, second: Box, *, known: bool = True, thrown: bool = True) -> list[bool]:
    """Whether each of two dice touches something, with the empty tray `known` or by the frame's own floor."""
    off = difference(frame, floor()) if known else None
    contacts = Contacts(frame, off, thrown=lambda _: thrown)
    return [contacts.touches(first, [second]), contacts.touches(second, [first])]


def pair(gap_px: float) -> tuple[Image, Box, Box]:
    """Two dice side by side, aslant: so much of the floor lies between them, and their boxes overlap."""
    frame, off = floor(), (SIDE + gap_px) / np.sqrt(2)
    return frame, diamond(frame, 600, 300), diamond(frame, 600 + off, 300 + off)


@pytest.mark.parametrize("known", [True, False])
def test_dice_with_the_floor_between_them_do_not_touch_although_their_boxes_do(*, known: bool) -> None:
    assert touches(*pair(12), known=known) == [False, False]
    assert touches(*pair(0), known=known) == [True, True]


def test_a_die_that_nobody_saw_roll_may_lean_on_whatever_is_near() -> None:
    assert touches(*pair(12), thrown=False) == [True, True]


def test_a_gap_as_narrow_as_a_blurred_edge_is_none() -> None:
    assert touches(*pair(5)) == [False, False]
    assert touches(*pair(1)) == [True, True]


def test_a_die_whose_dark_side_looks_like_shaded_floor_may_touch_what_lies_beside_it() -> None:
    frame, off = floor(), 12 / np.sqrt(2)
    dark = diamond(frame, 600 + off, 300 + off, (18, 33, 15))
    first = diamond(frame, 600, 300)
    second = diamond(frame, 600 + off + CORNER, 300 + off + CORNER)
    whole = (first[0], first[1], dark[0] + dark[2] - first[0], dark[1] + dark[3] - first[1])
    assert touches(frame, whole, second) == [True, True]


def test_what_lies_beside_two_dice_that_are_apart_is_touched_all_the_same() -> None:
    frame, first, second = pair(12)
    x, y = first[0] + first[2] // 2, first[1]
    cv2.rectangle(frame, (x - 30, y - 40), (x + 30, y + 5), (20, 20, 220), -1)
    assert touches(frame, first, second) == [True, False]


def test_a_shadow_between_dice_is_floor() -> None:
    frame, first, second = pair(12)
    plain = frame == floor()
    frame[250:420, 600:700] = np.where(plain, frame // 2, frame)[250:420, 600:700]
    assert touches(frame, first, second) == [False, False]


def test_a_marker_is_touched_as_another_die_is() -> None:
    frame = floor()
    box = diamond(frame, 600, 300)
    contacts = Contacts(frame, difference(frame, floor()), thrown=lambda _: True)
    for right, touched in ((0, True), (100, False)):
        marker = (box[0] + box[2] + right, box[1], 60, 60)
        with patch.object(Contacts, "markers", (marker,)):
            assert contacts.touches(box, []) is touched
