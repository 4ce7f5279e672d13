"""From presses to their meaning: bouncing, doubled, lost and stuck presses do no harm."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetable.table.keys import (
    FAST,
    Key,
    Keys,
    Means,
)
from hardware.ports import CONTROLS, Press


class Fingers:
    """Presses keys of one panel and keeps what they meant."""

    def __init__(self) -> None:
        self.keys = Keys()
        self.number = count(1)
        self.meant: list[Key] = []

    def change(self, control: str, time_s: float, *, down: bool) -> Press:
        press = Press(next(self.number), control, down, time_s)
        self.meant += self.keys.press(press)
        return press

    def tap(self, control: str, time_s: float, hold_s: float = 0.06) -> None:
        self.change(control, time_s, down=True)
        self.change(control, time_s + hold_s, down=False)

    def tick(self, time_s: float) -> None:
        self.meant += self.keys.tick(time_s)

    @property
    def means(self) -> list[Means]:
        return [key.means for key in self.meant]


@pytest.fixture
def fingers() -> Fingers:
    return Fingers()


def test_a_tap_means_one_thing(fingers: Fingers) -> None:
    for number, control in enumerate(("seat1.ok", "seat2.plus", "seat8.minus", "table.menu")):
        fingers.tap(control, float(number))
    assert [(key.seat, key.means, key.by) for key in fingers.meant] == [
        (1, Means.OK, 0),
        (2, Means.STEP, 1),
        (8, Means.STEP, -1),
        (0, Means.MENU, 0),
    ]


def test_ok_counts_when_it_is_let_go_and_back_while_it_is_held(fingers: Fingers) -> None:
    fingers.change("seat1.ok", 1.0, down=True)
    fingers.tick(1.79)
    assert fingers.meant == []
    fingers.tick(1.8)
    assert fingers.means == [Means.BACK]
    fingers.tick(9.0)
    fingers.change("seat1.ok", 9.0, down=False)
    assert fingers.means == [Means.BACK]


def test_ok_held_long_means_back_even_if_no_time_went_by_between(fingers: Fingers) -> None:
    fingers.tap("seat1.ok", 1.0, 0.8)
    assert fingers.means == [Means.BACK]


def test_bounce_is_one_press(fingers: Fingers) -> None:
    for control in ("seat1.ok", "seat1.plus"):
        for number, at in enumerate((0.0, 0.1, 0.2, 0.3, 0.4, 3.0, 3.1, 3.2)):
            fingers.change(control, 1.0 + at * 0.03, down=number % 2 == 0)
    assert fingers.means == [Means.OK, Means.STEP]


def test_a_doubled_event_counts_once(fingers: Fingers) -> None:
    for down, time_s in ((True, 1.0), (False, 1.06)):
        press = fingers.change("seat1.ok", time_s, down=down)
        fingers.meant += fingers.keys.press(press)
    assert fingers.means == [Means.OK]


def test_a_board_that_counts_anew_is_still_heard(fingers: Fingers) -> None:
    fingers.tap("seat1.ok", 1.0)
    fingers.number = count(1)
    fingers.tap("seat1.ok", 2.0)
    assert fingers.means == [Means.OK, Means.OK]


def test_a_key_held_repeats_faster_and_then_never_again(fingers: Fingers) -> None:
    fingers.change("seat1.plus", 1.0, down=True)
    fingers.tick(1.92)
    assert [key.by for key in fingers.meant] == [1] * 5
    fingers.tick(100.0)
    assert fingers.meant[-1].by == FAST
    assert len(fingers.meant) < 69
    assert fingers.keys.deadline_s is None
    assert {key.down_s for key in fingers.meant} == {1.0}


def test_a_lost_release_does_not_silence_the_button(fingers: Fingers) -> None:
    fingers.change("seat1.ok", 1.0, down=True)
    fingers.tap("seat1.ok", 5.0)
    assert fingers.means == [Means.OK]


def test_a_release_alone_means_nothing(fingers: Fingers) -> None:
    fingers.change("seat1.ok", 1.0, down=False)
    assert fingers.meant == []


def test_a_panel_out_of_reach_holds_nothing(fingers: Fingers) -> None:
    fingers.change("seat1.plus", 1.0, down=True)
    fingers.keys.let_go()
    fingers.tick(9.0)
    fingers.change("seat1.plus", 9.5, down=False)
    assert fingers.means == [Means.STEP]


def test_hammering_is_one_burst(fingers: Fingers) -> None:
    for number in range(10):
        fingers.tap("seat1.ok", 1.0 + number * 0.315)
    fingers.tap("seat2.ok", 4.0)
    fingers.tap("seat1.ok", 6.0)
    assert [key.burst_s for key in fingers.meant] == [1.0] * 10 + [4.0, 6.0]


@given(st.lists(st.tuples(st.sampled_from(CONTROLS), st.booleans(), st.floats(0, 2)), max_size=60))
def test_whatever_is_pressed_means_no_more_than_was_pressed(changes: list[tuple[str, bool, float]]) -> None:
    fingers, now_s, downs = Fingers(), 0.0, 0
    for control, down, later_s in changes:
        now_s += later_s
        fingers.tick(now_s)
        fingers.change(control, now_s, down=down)
        downs += down
    once = [key for key in fingers.meant if key.means is not Means.STEP]
    assert len(once) <= downs
    assert all(0 <= key.seat <= 8 and key.down_s <= now_s for key in fingers.meant)
