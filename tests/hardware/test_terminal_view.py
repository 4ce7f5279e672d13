"""The terminal view: what is on the screen, and what keys mean."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.ports import Colour, Lamp, LampMode, PanelView
from hardware.simulated.clock import VirtualClock
from hardware.terminal_panel import KeyParser
from hardware.terminal_view import TerminalView
from tests.hardware.screen import SIZE, Screen

if TYPE_CHECKING:
    from collections.abc import Iterator

VIEW = PanelView(
    {"seat2": Lamp(LampMode.BLINK, Colour.GREEN), "table": Lamp(LampMode.ON)},
    ["Six Shooter", "bob: stick or buy?", "", "> stick"],
)


TRAY = np.zeros((720, 1280, 3), np.uint8)


class Table:
    """A view with somebody who types."""

    def __init__(self) -> None:
        keyboard, self.typing = os.pipe()
        self.clock = VirtualClock()
        self.screen = Screen()
        self.size = SIZE
        self.view = TerminalView(keyboard, self.screen, self.clock, lambda: self.size)

    def resize(self, columns: int, rows: int) -> None:
        """The terminal changes its size, and one frame later it has been looked at."""
        self.size = (columns, rows)
        self.keys(b"")
        self.view.tray(TRAY)

    def keys(self, keys: bytes) -> list[tuple[str, bool]]:
        os.write(self.typing, keys)
        return [(press.control, press.down) for press in self.view.presses()]

    def tapped(self, keys: bytes) -> list[str]:
        return [control for control, down in self.keys(keys) if down]


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table()
    with made.view:
        yield made
    os.close(made.view.keyboard)
    os.close(made.typing)


def test_display_lamps_and_what_happens_are_on_the_screen(table: Table) -> None:
    table.view.show(VIEW)
    table.view.say("ann throws")
    lines = table.screen.lines()
    assert "| bob: stick or buy?   |" in lines
    assert "| > stick              |" in lines
    assert "ann throws" in lines
    assert "· 1  ◐ 2  · 3  · 4  · 5  · 6  · 7  · 8  ● table" in lines
    for number in range(9):
        table.view.say(f"line {number}")
    assert "ann throws" not in table.screen.lines()
    assert len(table.screen.lines()) <= SIZE[1]


def test_labels_lie_over_the_tray_until_the_next_picture(table: Table) -> None:
    pixels = np.full((720, 1280, 3), 200, np.uint8)
    table.view.tray(pixels, [(0, 0, "d20 17"), (1279, 719, "d6 1")])
    lines = table.screen.lines()
    assert table.view.picture is not None
    assert lines[0].startswith("d20 17▀")
    assert lines[table.view.picture.rows - 1][: table.view.picture.columns].endswith("d6 1")
    table.view.tray(pixels)
    assert table.screen.lines()[0].startswith("▀▀▀▀▀▀")


def test_keys_are_the_buttons_of_the_seat_whose_lamp_is_lit(table: Table) -> None:
    assert table.tapped(b"\r") == ["seat1.ok"]
    table.view.show(VIEW)
    assert table.tapped(b"\r+-=") == ["seat2.ok", "seat2.plus", "seat2.minus"]
    assert table.tapped(b"\x1b[A") == ["seat2.plus"]
    assert table.tapped(b"5-") == ["seat5.minus"]
    assert table.tapped(b"-m9?") == ["seat2.minus", "table.menu"]


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 24), (30, 12), (24, 9), (200, 60)])
def test_everything_fits_a_terminal_that_changes_its_size(table: Table, columns: int, rows: int) -> None:
    table.view.show(VIEW)
    table.view.explain({"Enter": "throws the dice", "m": "menu", "1-8": "seat", "Ctrl-D": "leaves"})
    table.view.say("ann throws")
    table.resize(columns, rows)
    lines = table.screen.lines()
    assert len(lines) <= rows
    assert max(map(len, lines)) <= columns
    text = "\n".join(lines)
    assert "| bob: stick or buy?   |" in text
    assert ("▀" in text) == (rows >= 24)
    if rows >= 12:
        assert "ann throws" in text
        for words in ("Enter throws the dice", "m menu", "1-8 seat", "Ctrl-D leaves"):
            assert words in text
    if columns >= 40:
        assert "● table" in text


def test_the_screen_is_cleared_when_its_size_changes_and_the_picture_is_drawn_again(table: Table) -> None:
    table.view.tray(TRAY)
    wide = table.screen.lines()[0]
    table.resize(40, 24)
    assert table.screen.lines()[0].startswith("▀" * 20)
    assert len(table.screen.lines()[0]) < len(wide)
    drawn = table.screen.getvalue().count("▀")
    table.view.tray(TRAY)
    assert table.screen.getvalue().count("▀") == drawn


def test_the_screen_says_what_keys_do(table: Table) -> None:
    assert "Enter OK" in table.screen.getvalue()
    table.view.explain({"Enter": "lifts the cup"})
    assert table.screen.lines()[-1] == "Enter lifts the cup"
    table.keys(b"3")
    assert table.screen.lines()[-1] == "seat 3:   Enter lifts the cup"
    table.keys(b"\rx")
    assert table.screen.lines()[-1] == "Enter lifts the cup"
    assert "x: no such key" in table.screen.lines()


@pytest.mark.parametrize("key", [b"?", b"h"])
def test_a_help_key_says_what_the_keys_do_now(table: Table, key: bytes) -> None:
    table.view.explain({"Enter": "lifts the cup", "m": "menu"})
    table.keys(key)
    assert "Enter: lifts the cup   m: menu" in table.screen.lines()


def test_long_lines_are_wrapped_and_the_newest_stay(table: Table) -> None:
    table.resize(40, 24)
    for number in range(4):
        table.view.say(f"line {number}")
    table.view.say("one two three four five six seven eight nine ten eleven")
    lines = table.screen.lines()
    assert "line 0" not in lines
    assert lines[lines.index("line 3") + 1 :][:2] == [
        "one two three four five six seven eight",
        "nine ten eleven",
    ]


def test_backspace_holds_ok(table: Table) -> None:
    assert table.keys(b"\x7f") == [("seat1.ok", True)]
    table.clock.sleep(0.5)
    assert table.view.presses() == []
    table.clock.sleep(1.0)
    (press,) = table.view.presses()
    assert (press.control, press.down, press.number) == ("seat1.ok", False, 2)


def test_commands_are_typed_after_a_colon(table: Table) -> None:
    assert table.tapped(b":flicker:0.4") == []
    assert ":flicker:0.4_" in table.screen.lines()
    assert table.view.commands() == []
    table.keys(b"5\x7f\r")
    assert table.view.commands() == ["flicker:0.4"]
    assert table.view.commands() == []
    table.keys(b":  \r:throw this\x04\r")
    assert table.view.commands() == []


def test_ctrl_c_interrupts_as_everywhere_else_and_clears_a_command_first(table: Table) -> None:
    assert table.keys(b":throw\x03") == []
    with pytest.raises(KeyboardInterrupt):
        table.keys(b"\x03")


def test_leaving_degrades_the_panel(table: Table) -> None:
    table.keys(b"\x04")
    assert table.view.degraded is not None
    assert table.view.degraded.remedy


def test_a_keyboard_that_is_gone_degrades_the_panel(table: Table) -> None:
    os.close(table.typing)
    assert table.view.presses() == []
    assert table.view.degraded is not None
    table.typing = os.dup(table.view.keyboard)


@given(st.binary(max_size=40), st.integers(0, 40))
def test_bytes_in_pieces_are_the_same_keys(data: bytes, cut: int) -> None:
    whole, pieces = KeyParser(), KeyParser()
    assert whole.feed(data) == pieces.feed(data[:cut]) + pieces.feed(data[cut:])


def test_enter_is_the_ok_that_is_asked_for_and_plus_the_thrower_s(table: Table) -> None:
    lamps = {"seat1": Lamp(LampMode.PULSE, Colour.GREEN), "seat3": Lamp(LampMode.BLINK, Colour.BLUE)}
    table.view.show(PanelView(lamps, ["Which value?"]))
    assert table.tapped(b"\r") == ["seat3.ok"]
    assert table.tapped(b"+") == ["seat1.plus"]
    assert table.tapped(b"2\r") == ["seat2.ok"]


def test_display_and_picture_stand_side_by_side_on_a_low_screen(table: Table) -> None:
    table.view.show(VIEW)
    table.resize(80, 24)
    table.view.say("ann throws")
    lines = table.screen.lines()
    assert table.view.picture is not None
    assert table.view.picture.rows >= 12
    assert lines[2].startswith("▀" * 40)
    assert lines[2].endswith("| bob: stick or buy?   |")
    assert "ann throws" in lines
