"""The simulated panel: presses are reported once each and in order, whatever happens to the link."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.ports import PanelView, Press
from hardware.simulated.faults import parse
from tests.hardware.simulated.tables import world

HELLO = PanelView({}, ["hello"])


def told(presses: list[Press]) -> list[tuple[str, bool]]:
    return [(press.control, press.down) for press in presses]


def test_a_press_comes_up_when_it_happens() -> None:
    made = world()
    start_s = made.clock.now_s()
    made.panel.press("seat2.ok", hold_s=0.5, after_s=1)
    assert made.panel.presses() == []
    made.clock.sleep(1.2)
    assert made.panel.presses() == [Press(1, "seat2.ok", down=True, time_s=start_s + 1)]
    made.clock.sleep(1)
    assert made.panel.presses() == [Press(2, "seat2.ok", down=False, time_s=start_s + 1.5)]
    assert made.panel.presses() == []
    with pytest.raises(ValueError, match="there is no control"):
        made.panel.press("seat9.ok")


def test_a_bouncing_button_gives_several_presses() -> None:
    made = world(1, "bounce:3")
    made.panel.press("seat1.ok")
    made.clock.sleep(1)
    presses = made.panel.presses()
    assert told([*presses]) == [("seat1.ok", True), ("seat1.ok", False)] * 3
    assert presses[-1].time_s - presses[0].time_s <= 0.101


def test_a_sticking_button_stays_down() -> None:
    made = world(1, "sticks:seat1.plus")
    made.panel.press("seat1.plus")
    made.clock.sleep(5)
    assert told([*made.panel.presses()]) == [("seat1.plus", True)]
    made.clock.sleep(6)
    assert told([*made.panel.presses()]) == [("seat1.plus", False)]


def test_a_stalled_link_makes_presses_and_views_late() -> None:
    made = world()
    made.panel.show(HELLO)
    assert made.panel.shown == HELLO
    made.inject(parse("link_stall:1"))
    pressed_s = made.clock.now_s()
    made.panel.press("seat1.ok")
    made.panel.show(PanelView({}, ["bye"]))
    made.clock.sleep(0.9)
    assert made.panel.presses() == []
    assert made.panel.shown == HELLO
    assert made.panel.degraded is None
    made.clock.sleep(0.2)
    assert [press.time_s for press in made.panel.presses()] == [pressed_s, pressed_s + 0.1]
    assert made.panel.shown.lines == ["bye"]


@pytest.mark.parametrize("fault", ["link_drop:5", "link_stall:5"])
def test_a_lost_link_is_named_and_heals(fault: str) -> None:
    made = world()
    made.panel.press("seat1.ok", hold_s=60)
    made.clock.sleep(0.1)
    assert told([*made.panel.presses()]) == [("seat1.ok", True)]
    made.inject(parse(fault))
    made.clock.sleep(1.6)
    assert made.panel.degraded is not None
    assert told([*made.panel.presses()]) == [("seat1.ok", False)]  # what is held counts as let go
    assert "host lost" in made.panel.shown.lines[1]
    made.panel.press("seat2.ok")
    made.panel.show(HELLO)
    made.clock.sleep(5)
    assert made.panel.degraded is None
    assert made.panel.presses() == []
    assert made.panel.shown == HELLO


def test_a_panel_that_restarts_is_dark_and_shows_the_view_again() -> None:
    made = world()
    made.panel.show(HELLO)
    made.inject(parse("panel_reset:1"))
    assert made.panel.shown == PanelView({}, [])
    made.panel.press("seat1.ok")
    made.clock.sleep(1.1)
    assert made.panel.shown == HELLO
    assert made.panel.presses() == []


DOING = [
    *("seat1.ok", "seat2.plus", "clear", "look"),
    *("bounce", "sticks", "link_drop", "link_stall:1", "link_stall:4", "panel_reset"),
]
DOINGS = st.lists(
    st.tuples(
        st.sampled_from(DOING),
        st.floats(0, 3),
    ),
    max_size=25,
)


@given(DOINGS)
def test_presses_of_a_control_alternate_and_are_numbered_without_a_gap(
    doings: list[tuple[str, float]],
) -> None:
    made = world()
    seen: list[Press] = []
    for what, wait_s in doings:
        if what == "clear":
            made.clear()
        elif what == "look":
            seen += made.panel.presses()
        elif "." in what:
            made.panel.press(what, hold_s=wait_s / 2)
        else:
            made.inject(parse(what))
        made.clock.sleep(wait_s)
    made.clock.sleep(700)
    seen += made.panel.presses()
    made.clock.sleep(1)
    seen += made.panel.presses()
    assert [press.number for press in seen] == list(range(1, len(seen) + 1))
    for control in {press.control for press in seen}:
        states = [press.down for press in seen if press.control == control]
        assert states == [i % 2 == 0 for i in range(len(states))]
        assert not states[-1]
    assert [press.time_s for press in seen] == sorted(press.time_s for press in seen)
