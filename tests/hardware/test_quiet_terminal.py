"""A terminal panel that prints only when something important changes."""

from __future__ import annotations

import io

import pytest

from hardware.ports import Lamp, LampMode, PanelView
from hardware.simulated.clock import VirtualClock
from hardware.terminal_panel import TerminalPanel

ASKED = {"seat1": Lamp(LampMode.PULSE)}
NEXT = {"seat2": Lamp(LampMode.PULSE)}
NOBODY = {"seat1": Lamp(LampMode.CHASE), "seat2": Lamp(LampMode.CHASE)}
DEGRADED = {**NOBODY, "table": Lamp(LampMode.BLINK)}


@pytest.mark.parametrize(
    ("first", "second", "printed"),
    [
        ((ASKED, ["ann", "THROW", "pot 3", ""]), (ASKED, ["ann", "THROW", "bet 1", ""]), False),
        ((ASKED, ["ann", "THROW", "pot 3", ""]), (ASKED, ["ann", "THROW", "pot 3", "ann threw 6"]), True),
        ((ASKED, ["ann", "> Stick", "pot 3", "a"]), (ASKED, ["ann", "> Buy", "pot 3", "b"]), True),
        ((ASKED, ["ann", "die 1", "> 3", "a"]), (ASKED, ["ann", "die 1", "> 4", "a"]), True),
        (
            (ASKED, ["ann", "THROW", "", ""]),
            (NEXT, ["ann", "THROW", "", ""]),
            True,
        ),
        ((NOBODY, ["DICE TABLE", "", "", ""]), (NOBODY, ["Six Shooter", "Sixes", "", ""]), False),
        ((NOBODY, ["DICE TABLE", "", "", ""]), (ASKED, ["Which game?", "> Sixes", "", ""]), True),
        ((DEGRADED, ["DICE TABLE", "", "", ""]), (DEGRADED, ["CAMERA TROUBLE", "no picture", "", ""]), True),
    ],
)
def test_a_page_that_turns_is_not_printed(
    first: tuple[dict[str, Lamp], list[str]], second: tuple[dict[str, Lamp], list[str]], *, printed: bool
) -> None:
    screen = io.StringIO()
    panel = TerminalPanel(-1, screen, VirtualClock())
    panel.show(PanelView(*first))
    before = screen.getvalue()
    assert before
    panel.show(PanelView(*second))
    assert (screen.getvalue() != before) == printed
