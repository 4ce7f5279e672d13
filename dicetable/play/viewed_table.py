"""A game on the simulated table with the whole terminal as panel and tray; faults can be typed after `:`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dicetable import texts
from dicetable.play.round_the_table import RoundTheTable
from dicetable.simulated.bar import step
from hardware.quiet_panel import QuietPanel
from hardware.simulated.world import run_command
from hardware.terminal_view import TerminalView

if TYPE_CHECKING:
    from hardware.ports import PanelView


class WholePanel(QuietPanel):
    """The panel of a view that has room for every page."""

    def show(self, view: PanelView) -> None:
        """Shows the view."""
        self.terminal.show(view)


class ViewedTable(RoundTheTable):
    """Shows the tray as people see it while they play."""

    how_to_play = (texts.panel.HOW_TO_THROW,)

    def __init__(self, seed: int, keyboard: int, screen: TextIO) -> None:
        super().__init__(seed, keyboard, screen)
        self.view = TerminalView(keyboard, screen, self.clock)
        self.terminal = WholePanel(self.view)
        self.viewed = False

    def play(self) -> str:
        """Plays with the terminal taken over, and gives it back once a key is pressed after the end."""
        with self.view:
            self.viewed = True
            try:
                why = super().play()
                if not why:
                    self.wait_for_a_key()
                return why
            finally:
                self.viewed = False

    def wait_for_a_key(self) -> None:
        """Shows how the game ended until a key is pressed."""
        self.view.explain(texts.panel.terminal_keys("over"))
        while not self.view.presses() and self.view.degraded is None:
            now_s = step(self.clock, self.fingers, self.eye, self.table)
            self.view.show(self.table.view)
            self.view.tray(self.world.seen(now_s), self.marks)
            self.sockets.turn(now_s, self.table, self.archive)

    def by_typing(self, now_s: float) -> str:
        """Shows the tray and what the keys do now, and does what was typed."""
        self.view.explain(texts.panel.terminal_keys(self.asked_for))
        self.view.tray(self.world.seen(now_s), self.marks)
        for typed in self.view.commands():
            self.say(*run_command(self.world, typed))
        return super().by_typing(now_s)

    @property
    def marks(self) -> list[tuple[int, int, str]]:
        """What the dice that lie still were read as, in the middle of each."""
        seen = self.table.acceptance.seen
        return [
            (die.box[0] + die.box[2] // 2, die.box[1] + die.box[3] // 2, str(die.value or "?"))
            for die in (seen.reading.dice if seen else ())
        ]

    @property
    def asked_for(self) -> str:
        """What the panel waits for: `throw`, `reveal`, `act`, or `menu` while somebody is in one."""
        state = self.table.state
        if self.table.above or state.match is None:
            return "menu"
        return str(state.match.prompt.to_json()["kind"])

    def say(self, *lines: str) -> None:
        """Shows lines below the tray; prints them where there is none."""
        if not self.viewed:
            super().say(*lines)
            return
        for line in lines:
            self.view.say(line)
