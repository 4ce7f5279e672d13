"""What every panel understands: 25 inputs, nine lamps, four lines of twenty characters."""

from __future__ import annotations

import pytest

from hardware.ports import CONTROLS, LAMPS, Colour, Lamp, LampMode, PanelView


def test_controls_and_lamps_are_those_of_eight_seats_and_the_table() -> None:
    assert len(CONTROLS) == len(set(CONTROLS)) == 25
    assert len(LAMPS) == len(set(LAMPS)) == 9
    assert {"seat1.minus", "seat8.plus", "seat8.ok", "table.menu"} <= set(CONTROLS)
    assert {"seat1", "seat8", "table"} <= set(LAMPS)


def test_a_full_view_is_allowed() -> None:
    lamp = Lamp(LampMode.CHASE, Colour.BLUE)
    view = PanelView(dict.fromkeys(LAMPS, lamp), ["x" * 20, "", " ~", "4"])
    assert view == PanelView(dict.fromkeys(LAMPS, lamp), ["x" * 20, "", " ~", "4"])


@pytest.mark.parametrize("line", ["x" * 21, "ä", "a\n", "\t", "\x7f", "\0", "−"])
def test_a_line_that_no_panel_can_show(line: str) -> None:
    with pytest.raises(ValueError, match="20 printable ASCII characters"):
        PanelView({}, ["fine", line])


def test_a_fifth_line() -> None:
    with pytest.raises(ValueError, match="5 lines, 4 fit"):
        PanelView({}, [""] * 5)


@pytest.mark.parametrize("name", ["seat0", "seat9", "", "SEAT1", "table.menu"])
def test_a_lamp_that_no_panel_has(name: str) -> None:
    with pytest.raises(ValueError, match=f"there is no lamp {name}"):
        PanelView({"seat1": Lamp(), name: Lamp()}, [])
