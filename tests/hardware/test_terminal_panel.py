"""The terminal as a panel: typed lines are presses, views are printed once."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from hardware.keyboard import CHUNK
from hardware.ports import CONTROLS, Lamp, LampMode, PanelView
from hardware.terminal_panel import HOLD_S, TerminalPanel
from tests.hardware.fakes import FakeClock

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Terminal:
    panel: TerminalPanel
    screen: io.StringIO
    hand: int

    def type(self, text: str) -> list[str]:
        """The controls that went down when this was typed; each must come up again at once."""
        os.write(self.hand, text.encode())
        presses = self.panel.presses()
        assert [p.down for p in presses] == [True, False] * (len(presses) // 2)
        assert [p.control for p in presses[::2]] == [p.control for p in presses[1::2]]
        return [p.control for p in presses if p.down]


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    keyboard, hand = os.pipe()
    screen = io.StringIO()
    made = Terminal(TerminalPanel(keyboard, screen, FakeClock()), screen, hand)
    yield made
    os.close(keyboard)
    if made.hand >= 0:
        os.close(made.hand)


def test_nothing_typed_nothing_pressed(terminal: Terminal) -> None:
    assert list(terminal.panel.presses()) == []
    assert terminal.panel.degraded is None


@pytest.mark.parametrize(
    ("typed", "control"),
    [
        ("\n", "seat1.ok"),
        ("+\n", "seat1.plus"),
        ("-\n", "seat1.minus"),
        ("m\n", "table.menu"),
        ("3\n", "seat3.ok"),
        ("8+\n", "seat8.plus"),
        (" 2- \r\n", "seat2.minus"),
    ],
)
def test_a_line_is_a_press(terminal: Terminal, typed: str, control: str) -> None:
    assert control in CONTROLS
    assert terminal.type(typed) == [control]


@pytest.mark.parametrize("typed", ["9\n", "0+\n", "x\n", "++\n", "1 +\n", "M\n", "mm\n", "é\n", "+1\n"])
def test_a_line_that_means_nothing_presses_nothing(terminal: Terminal, typed: str) -> None:
    assert terminal.type(typed) == []


def test_bytes_that_are_no_text_press_nothing(terminal: Terminal) -> None:
    os.write(terminal.hand, b"\xff\xfe\n")
    assert list(terminal.panel.presses()) == []


def test_half_a_line_waits_for_its_end(terminal: Terminal) -> None:
    assert terminal.type("2") == []
    assert terminal.type("+") == []
    assert terminal.type("\n-") == ["seat2.plus"]
    assert terminal.type("\n") == ["seat1.minus"]


def test_many_lines_come_in_order_and_are_numbered(terminal: Terminal) -> None:
    os.write(terminal.hand, b"1\n2\n3+\n")
    presses = list(terminal.panel.presses())
    os.write(terminal.hand, b"4\n" * CHUNK)
    presses += terminal.panel.presses()
    assert [p.control for p in presses[:6:2]] == ["seat1.ok", "seat2.ok", "seat3.plus"]
    assert [p.number for p in presses] == list(range(1, 2 * (3 + CHUNK) + 1))
    assert [p.time_s for p in presses] == sorted(p.time_s for p in presses)


def test_enter_is_ok_of_the_seat_that_is_lit(terminal: Terminal) -> None:
    terminal.panel.show(PanelView({"table": Lamp(LampMode.ON), "seat5": Lamp(LampMode.PULSE)}, []))
    assert terminal.type("\n") == ["seat5.ok"]
    assert terminal.type("2\n") == ["seat2.ok"]


def test_b_holds_ok_which_goes_back(terminal: Terminal) -> None:
    os.write(terminal.hand, b"2b\n2b\n2\n")
    (down,) = terminal.panel.presses()
    assert (down.control, down.down) == ("seat2.ok", True)
    terminal.panel.clock.sleep(HOLD_S)
    (up,) = terminal.panel.presses()
    assert (up.control, up.down) == ("seat2.ok", False)
    assert up.time_s - down.time_s >= HOLD_S
    assert (down.number, up.number) == (1, 2)


def test_a_closed_keyboard_degrades_the_panel(terminal: Terminal) -> None:
    os.write(terminal.hand, b"+\n")
    os.close(terminal.hand)
    terminal.hand = -1
    assert [p.control for p in terminal.panel.presses()] == ["seat1.plus", "seat1.plus"]
    assert terminal.panel.degraded is not None
    assert terminal.panel.degraded.remedy
    assert list(terminal.panel.presses()) == []


def test_a_view_is_printed_once(terminal: Terminal) -> None:
    view = PanelView({"seat1": Lamp(LampMode.ON), "seat2": Lamp()}, ["Six By 6", "ann: throw 6 dice"])
    terminal.panel.show(view)
    once = terminal.screen.getvalue()
    assert once.splitlines() == [
        "+----------------------+",
        "| Six By 6             |",
        "| ann: throw 6 dice    |",
        "+----------------------+",
        "(seat1)",
    ]
    terminal.panel.show(PanelView(dict(view.lamps), list(view.lines)))
    assert terminal.screen.getvalue() == once
    terminal.panel.show(PanelView(view.lamps, ["Six By 6"]))
    assert len(terminal.screen.getvalue()) > len(once)


def test_news_of_a_throw_are_printed_while_no_menu_is_open(terminal: Terminal) -> None:
    lit = {"seat1": Lamp(LampMode.ON)}
    turn = ["ann 0 points", "throw 6 dice", "pot 3"]
    terminal.panel.show(PanelView(lit, [*turn, ""]))
    terminal.panel.show(PanelView(lit, [*turn, "ann threw 6 6 1"]))
    assert terminal.screen.getvalue().count("ann threw 6 6 1") == 1
    terminal.panel.show(PanelView(lit, ["ann 0 points", "> Roll again", "", "-/+ 1/2 OK takes"]))
    once = terminal.screen.getvalue()
    terminal.panel.show(PanelView(lit, ["ann 0 points", "> Roll again", "", "hold OK to go back"]))
    assert terminal.screen.getvalue() == once


@pytest.mark.parametrize("typed", ["?\n", "h\n"])
def test_help_says_what_the_keys_do(terminal: Terminal, typed: str) -> None:
    assert terminal.type(typed) == []
    assert "m: menu" in terminal.screen.getvalue()


def test_a_terminal_that_hangs_up_is_told(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def hung_up(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    os.write(terminal.hand, b"m\n")
    monkeypatch.setattr(os, "read", hung_up)
    assert list(terminal.panel.presses()) == []
    assert terminal.panel.degraded is not None
    assert terminal.panel.degraded.what == "the keyboard is gone"
