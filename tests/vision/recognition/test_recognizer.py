"""The places that pass for dice, in the light of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

import vision.recognition.recognizer as places
from games.dice import KINDS
from vision.detection.detections import Candidate
from vision.recognition.crops import ROOM, STORED
from vision.recognition.die_classifier import Mark, WholeDie
from vision.recognition.fusion import Opinion
from vision.recognition.outputs import BODIES, NO_DIE, VALUES
from vision.recognition.recognizer import FARTHEST, MARKER, MOST, Known, finds, inside, passes
from vision.recognition.symbols import nothing_known
from vision.recognition.tilt import Camera

if TYPE_CHECKING:
    from collections.abc import Callable

    from vision.recognition.crops import Pixels

ASLANT = Camera(np.array([0.2, 0.0, 1.0]), 1e-4 * np.eye(3))
"""Sees all tops a fifth of a die to the right."""


def known(kind: str) -> Known:
    return Known(ASLANT, Candidate(280, 180, 80, 80, 0.9), (440, 640, 3), KINDS.index(kind))


def mark(right: float) -> Mark:
    return Mark(STORED * (0.5 + right / ROOM), STORED * 0.5, 20.0, 0.9, ())


def test_a_mark_where_the_camera_sees_tops_weighs_more_than_one_in_the_middle() -> None:
    on_top, middle = (known("d20").weight(mark(right)) for right in (0.2, 0.0))
    assert on_top == pytest.approx(0, abs=1e-6)
    assert middle < -3


def test_far_off_is_no_worse_than_far_enough() -> None:
    assert known("d20").weight(mark(-0.3)) == pytest.approx(-0.5 * FARTHEST**2)


def test_the_place_of_a_d4s_mark_tells_nothing() -> None:
    assert known("d4").oddness(mark(-0.3)) == 0


@pytest.mark.parametrize(
    "candidate",
    [Candidate(-5, -5, 10, 10, 1), Candidate(98, 48, 10, 10, 1), Candidate(200, 200, 5, 5, 1)],
)
def test_boxes_lie_within_the_frame(candidate: Candidate) -> None:
    x, y, w, h = inside(candidate, (50, 100, 3))
    assert 0 <= x < 100
    assert 0 <= y < 50
    assert w >= 1
    assert h >= 1


def test_of_hundreds_of_candidates_the_best_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Candidate] = []

    def crop(_frame: Pixels, candidate: Candidate) -> Pixels:
        looked.append(candidate)
        return np.zeros((STORED, STORED, 3), np.uint8)

    cloth = [Candidate(9 * (k % 60), 9 * (k // 60), 8, 8, 0.9 - k / 1000) for k in range(400)]
    monkeypatch.setattr(places, "candidates", lambda _frame: cloth)
    monkeypatch.setattr(places, "stored_crop", crop)
    monkeypatch.setattr(places, "is_marker", lambda _frame, _box: False)
    finds(np.zeros((440, 640, 3), np.uint8))
    assert looked == cloth[:MOST]
    assert len(looked) >= 2 * 48  # of a full table some places are found twice


@pytest.mark.parametrize(
    ("no_die", "score", "confidence", "stays"),
    [
        (0.4, 0.3, 0.2, True),
        (0.76, 0.73, 0.99, True),
        (0.76, 0.73, 0.9, False),
        (0.76, 0.4, 0.99, False),
        (0.9, 0.73, 0.99, False),
    ],
)
def test_a_plain_and_legible_die_does_not_vanish_on_a_suspicion(
    no_die: float, score: float, confidence: float, stays: bool
) -> None:
    assert passes(Candidate(0, 0, 40, 40, score), no_die, confidence) is stays


def looked(no_die: float, off: tuple[float, ...] = (0, 0, 0)) -> WholeDie:
    """What a look at a find says: how likely it is no die, how its box is off, and nothing of its value."""
    return WholeDie(np.eye(BODIES)[NO_DIE] * no_die, np.array(off), ())


def test_a_marker_of_the_tray_is_not_looked_at_unless_it_looks_plainly_like_a_die(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = [Candidate(100 * k, 100, 40, 40, score) for k, score in ((1, 0.95 * MARKER), (2, 1.05 * MARKER))]
    monkeypatch.setattr(places, "candidates", lambda _frame: here)
    monkeypatch.setattr(places, "is_marker", lambda _frame, _box: True)
    monkeypatch.setattr(places, "stored_crop", lambda _frame, candidate: candidate)
    monkeypatch.setattr(places, "look", lambda _one: looked(0.1))
    monkeypatch.setattr(places, "Views", Seen)
    assert [find.candidate for find in finds(np.zeros((440, 640, 3), np.uint8))] == here[1:]


@dataclass
class Seen:
    """Views of a crop, here its candidate: they say where it is, if it was looked at before, nothing else."""

    crop: Candidate
    first: WholeDie | None = None
    confidence = 0.0
    cocked = 0.0

    def opinion(self, known: Callable[[Mark], float] = nothing_known) -> Opinion:
        """It says how much is known of its mark's place by how sure it is of the way up."""
        mark = Mark(*self.crop.middle, 20.0, 0.9, ())
        joint = np.zeros((len(KINDS), VALUES))
        joint[KINDS.index("d20"), 7] = self.confidence
        return Opinion(
            joint, mark, 0.0 if self.first is None else 1.0, known(mark), 0.0, 0.0, self.cocked, 0.1
        )


def test_each_is_weighed_again_by_how_the_others_say_the_camera_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[bool] = []

    def aslant(_places: object, trusted: list[bool]) -> list[Camera]:
        told.extend(trusted)
        return [ASLANT] * len(trusted)

    class Sure(Seen):
        def __init__(self, crop: Candidate, first: WholeDie | None = None) -> None:
            super().__init__(crop, first)
            self.confidence = 0.9 if crop.x < 300 else 0.3
            self.cocked = 0.5 if crop.x < 200 else 0.0

    here = [Candidate(100 * k, 100, 40, 40, 0.9) for k in (1, 2, 3)]
    monkeypatch.setattr(places, "candidates", lambda _frame: here)
    monkeypatch.setattr(places, "stored_crop", lambda _frame, candidate: candidate)
    monkeypatch.setattr(places, "look", lambda _one: looked(0.1))
    monkeypatch.setattr(places, "Views", Sure)
    monkeypatch.setattr(places, "cameras", aslant)
    found = finds(np.zeros((440, 640, 3), np.uint8))
    assert told == [False, True, False]  # one leans, one is hardly read
    assert all(find.said.upright < -1 for find in found)


def test_a_find_with_others_in_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    heap = Candidate(100, 100, 200, 200, 0.9)
    dice = [Candidate(85, 180, 40, 40, 0.8), Candidate(275, 180, 40, 40, 0.8)]
    monkeypatch.setattr(places, "candidates", lambda _frame: [heap, *dice])
    monkeypatch.setattr(places, "stored_crop", lambda _frame, candidate: candidate)
    monkeypatch.setattr(places, "look", lambda _one: looked(0.1))
    monkeypatch.setattr(places, "Views", Seen)
    found = finds(np.zeros((440, 640, 3), np.uint8))
    assert [(find.candidate, find.holds) for find in found] == [(heap, True), *((die, False) for die in dice)]


def test_a_die_is_read_where_the_first_look_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "candidates", lambda _frame: [Candidate(100, 100, 40, 20, 0.9)])
    monkeypatch.setattr(places, "stored_crop", lambda _frame, candidate: candidate)
    monkeypatch.setattr(places, "look", lambda _one: looked(0.1, (0.1, -0.05, np.log(1.5))))
    monkeypatch.setattr(places, "Views", Seen)
    (found,) = finds(np.zeros((440, 640, 3), np.uint8))
    assert found.candidate.sides == pytest.approx((124 - 30, 108 - 15, 60, 30))
    assert found.said.mark is not None
    assert (found.said.mark.x, found.said.mark.y) == found.candidate.middle


@pytest.mark.parametrize(
    ("off", "again"),
    [((0.01, -0.01, 0.03), False), ((0.03, 0, 0), True), ((0, -0.03, 0), True), ((0, 0, -0.05), True)],
)
def test_a_die_whose_box_is_right_is_not_looked_at_again(
    monkeypatch: pytest.MonkeyPatch, off: tuple[float, ...], again: bool
) -> None:
    place = Candidate(100, 100, 40, 20, 0.9)
    monkeypatch.setattr(places, "candidates", lambda _frame: [place])
    monkeypatch.setattr(places, "stored_crop", lambda _frame, candidate: candidate)
    monkeypatch.setattr(places, "look", lambda _one: looked(0.1, off))
    monkeypatch.setattr(places, "Views", Seen)
    (found,) = finds(np.zeros((440, 640, 3), np.uint8))
    assert (found.candidate != place) == again
    assert (found.said.score == 0.0) == again


@pytest.mark.parametrize(("heap_is_none", "left"), [(0.9, "dice"), (0.1, "heap")])
def test_which_of_two_finds_in_one_another_stays_is_told_by_a_look_at_both(
    monkeypatch: pytest.MonkeyPatch, heap_is_none: float, left: str
) -> None:
    """What scores best is a heap, or a die of which the others are pips."""
    heap = Candidate(100, 100, 200, 200, 0.9)
    dice = [Candidate(160, 180, 40, 40, 0.8), Candidate(205, 180, 40, 40, 0.7)]
    monkeypatch.setattr(places, "candidates", lambda _frame: [heap, *dice])
    monkeypatch.setattr(places, "stored_crop", lambda _frame, candidate: candidate)
    monkeypatch.setattr(places, "look", lambda one: looked(heap_is_none if one == heap else 0.1))
    monkeypatch.setattr(places, "Views", Seen)
    found = [find.candidate for find in finds(np.zeros((440, 640, 3), np.uint8))]
    assert found == (dice if left == "dice" else [heap])
