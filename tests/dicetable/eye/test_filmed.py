"""The film of a throw shows its dice as they roll, large, and says where each of them stops."""

from __future__ import annotations

import cv2
import numpy as np

from dicetable.eye.evidence import film
from dicetable.eye.messages import LONGEST_FILM
from dicetable.ledger.pictures import note_of
from dicetable.service.throws import film_marks
from tests.dicetable.eye.rolled import EARLY, LATE, rolled, tray
from vision.frames import Strip, packed
from vision.observer import Snapshot


def test_a_film_says_in_which_frame_each_die_has_stopped() -> None:
    made = film(rolled(), [EARLY, LATE], 0.6)
    assert 0 < len(made) <= LONGEST_FILM <= 400_000
    told = film_marks([LATE, EARLY], made, adds_up=True)["film"]
    assert told["stops"] == [8, 4]
    assert told["columns"] == 4
    assert told["seconds"][:2] == [-0.6, -0.53]
    assert note_of(made)["shows"][2:] == [390, 219]
    sheet = cv2.imdecode(np.frombuffer(made, np.uint8), cv2.IMREAD_COLOR)
    assert sheet is not None
    assert sheet.shape == ((2 + 3) * 270, 4 * 480, 3)
    left, top, wide, high = told["boxes"][0]
    middle = sheet[round(540 * (top + high / 2)), round(960 * (left + wide / 2))]
    assert middle.min() > 200, "the picture at rest lies above the frames, and shows the die in its box"


def test_nothing_is_filmed_where_no_die_was_thrown_or_nothing_moved() -> None:
    assert film(rolled(), [], 0.6) == b""
    still = Snapshot(tray(EARLY), (0, 0), ((0.0, packed(tray(EARLY))),))
    assert film(still, [EARLY], 0.6) == b""


def test_dice_that_the_film_does_not_know_are_not_replayed() -> None:
    made = film(rolled(), [EARLY], 0.6)
    assert film_marks([EARLY, LATE], made, adds_up=True) == {}
    assert film_marks([], made, adds_up=True) == {}
    assert film_marks([EARLY], b"", adds_up=True) == {}


def test_the_ring_keeps_moving_frames_alone_and_stays_small() -> None:
    strip = Strip()
    for at in range(60):
        x = 100 + 10 * max(0, at - 30)
        strip.see(tray((x, 300, 60, 60)), at / 30)
    times = [time_s for time_s, _ in strip.frames]
    assert times[0] == 0.0
    assert all(time_s > 1.0 for time_s in times[1:]), "nothing moved in the first second"
    assert min(np.diff(times)) >= 0.06
    for at in range(60, 200):
        strip.see(tray((100 + 5 * at, 300, 60, 60)), at / 30)
    assert sum(planes.nbytes for _, planes in strip.frames) < 10_000_000
