"""Pictures of a reading: a copy, drawn on where the dice are, in the colour of what was thought of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.drawing import tray
from vision.annotate import DOUBTFUL, SURE, annotate, caption, freest, strips, text_size
from vision.reading import DieReading, Doubt, Reading, intersection

SURE_DIE = DieReading("d6", 4, 0.987, (200, 150, 60, 50))
DOUBTED = DieReading("d6", 3, 0.31, (400, 150, 60, 50), Doubt.LOW_CONFIDENCE)
COCKED = DieReading("d8", None, 0.5, (400, 150, 60, 50), Doubt.COCKED)
UNREAD = DieReading(None, None, 0.0, (400, 150, 60, 50), Doubt.NOT_READ)


def test_the_frame_itself_is_left_as_it_is() -> None:
    frame = tray()
    before = frame.copy()
    picture = annotate(frame, Reading((SURE_DIE, DOUBTED)))
    assert np.array_equal(frame, before)
    assert (picture.shape, picture.dtype.name) == (frame.shape, "uint8")


def test_an_empty_reading_draws_nothing() -> None:
    frame = tray()
    assert np.array_equal(annotate(frame, Reading(())), frame)


@pytest.mark.parametrize(("die", "colour"), [(SURE_DIE, SURE), (DOUBTED, DOUBTFUL), (UNREAD, DOUBTFUL)])
def test_the_box_is_drawn_in_the_colour_of_the_thought(die: DieReading, colour: tuple[int, int, int]) -> None:
    picture = annotate(tray(), Reading((die,)))
    x, y, w, h = die.box
    foot = picture[y + h, x : x + w]
    part = (foot == colour).all(axis=1).mean()
    assert part == 1.0 if die.sure else 0.4 < part < 0.8


def test_drawing_stays_by_the_die() -> None:
    frame = tray()
    changed = (annotate(frame, Reading((SURE_DIE,))) != frame).any(axis=2)
    rows, columns = np.nonzero(changed)
    x, y, w, h = SURE_DIE.box
    assert rows.min() > y - 30
    assert rows.max() <= y + h + 3
    assert columns.min() >= x - 3
    assert columns.max() < x + 120
    assert not changed[y + 6 : y + h - 6, x + 6 : x + w - 6].any()


@pytest.mark.parametrize(
    "part", [(0, 0, 0.5, 0.5), (0.5, 0.5, 0.5, 0.5), (0, 0, 1, 1), (0.95, 0.95, 0.05, 0.05)]
)
@pytest.mark.parametrize("size", [(640, 480), (32, 32), (2400, 1800)])
def test_boxes_at_the_rim_and_small_frames_are_drawn(part: tuple[float, ...], size: tuple[int, int]) -> None:
    frame = tray(*size, noise=0)
    x, y, w, h = (max(0, round(along * side)) for along, side in zip(part, size * 2, strict=True))
    die = DieReading("d6", 4, 0.9, (x, y, max(1, w), max(1, h)))
    picture = annotate(frame, Reading((die,)))
    assert picture.shape == frame.shape
    assert (picture[y : y + h, x : x + w] != frame[y : y + h, x : x + w]).any()


def test_captions_say_kind_value_and_doubt() -> None:
    assert caption(SURE_DIE) == "d6 4 99%"
    assert caption(DOUBTED) == "d6 3? 31% low confidence"
    assert caption(COCKED) == "d8 ? 50% cocked"
    assert caption(UNREAD) == "die ? 0% not read"
    assert caption(replace(DOUBTED, doubt=Doubt.UNKNOWN_DIE)) == "d6 3? 31% unknown die"


def test_a_caption_covers_no_neighbour_where_there_is_room_elsewhere() -> None:
    above = replace(SURE_DIE, box=(200, 88, 60, 50))
    captions = [
        freest(strips(die.box, text_size(caption(die), 1), (480, 640)), [SURE_DIE.box, above.box])
        for die in (SURE_DIE, above)
    ]
    assert intersection(captions[0], above.box) == intersection(captions[0], SURE_DIE.box) == 0
    assert captions[1][1] < above.box[1]
    assert intersection(*captions) == 0
