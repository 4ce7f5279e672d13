"""A game at a terminal: its keyboard is the panel; where there is no terminal, simulated people press."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TextIO

from dicetable import texts
from dicetable.ledger.entries import MemoryJournal, Thrown
from dicetable.play.calm_panel import CalmPanel
from dicetable.play.narrated_entries import told
from dicetable.service.healing_ledger import MemoryArchive
from dicetable.service.sockets import NO_SOCKETS
from dicetable.simulated.bar import step
from dicetable.simulated.finger import Finger
from dicetable.table import display, narration
from dicetable.table.screens.set_up import open_game
from dicetable.table.table import Table
from dicetable.texts.plain import plain
from games.prompts import OverPrompt
from hardware.simulated.panel import SimulatedPanel
from hardware.terminal_panel import TerminalPanel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dicetable.eye.messages import Eye
    from hardware.ports import Clock


class TerminalGame(ABC):
    """Opens one game and plays it on to its end; what dice there are is for those who inherit from it.

    Args:
        clock: of all parts.
        eye: sees the dice.
        keyboard: what is typed comes from there; None if nobody types.
        screen: what happens is printed there.
        strict: whether dice have to be seen to be thrown.
    """

    dice_are_known = False
    """Whether the reading has been printed by the time it is accepted."""
    how_to_play: Sequence[str] = (texts.terminal.KEYS, texts.terminal.ENTER_TAKES)
    """Lines printed first to somebody who types."""

    def __init__(
        self, clock: Clock, eye: Eye, keyboard: int | None, screen: TextIO, *, strict: bool = False
    ) -> None:
        self.clock = clock
        self.eye = eye
        self.screen = screen
        self.terminal = CalmPanel(TerminalPanel(-1 if keyboard is None else keyboard, screen, clock))
        self.fingers = SimulatedPanel(clock)
        self.finger = Finger(self.fingers)
        self.typed = keyboard is not None
        self.journal = MemoryJournal()
        self.seed = 0
        self.table = Table(self.journal, lambda: self.seed, strict=strict)
        self.written = 0
        self.sockets = NO_SOCKETS
        self.archive = MemoryArchive(self.journal)

    def open(self, game: str, seats: Sequence[str], seed: int) -> None:
        """Opens the game; raises a RuleError if seats and game do not suit each other."""
        self.seed = seed
        open_game(self.table, game, dict(enumerate(seats, 1)), {})
        self.written = len(self.journal.entries)

    def play(self) -> str:
        """Plays until the game is over; returns the reason if it ends before that, else an empty string."""
        self.eye.start()
        if self.typed:
            self.say(*self.how_to_play)
        while True:
            now_s = step(self.clock, self.terminal if self.typed else self.fingers, self.eye, self.table)
            self.tell()
            self.sockets.turn(now_s, self.table, self.archive)
            state = self.table.state
            if state.match is None or isinstance(state.match.prompt, OverPrompt):
                return ""
            why = self.by_typing(now_s) if self.typed else self.by_itself(now_s)
            if why:
                return why

    @abstractmethod
    def by_typing(self, now_s: float) -> str:
        """Carries out what was typed; returns a reason to end, or an empty string."""

    @abstractmethod
    def by_itself(self, now_s: float) -> str:
        """Lets simulated people act; returns a reason to end, or an empty string."""

    def tell(self) -> None:
        """Prints what has counted since the last time, and the panel before it where nobody types."""
        for entry in self.journal.entries[self.written :]:
            words = told(entry, self.table.state.match)[1]
            self.say(*(words[1:] if isinstance(entry, Thrown) and self.dice_are_known else words))
        self.written = len(self.journal.entries)

    def say(self, *lines: str) -> None:
        """Prints lines, each as one."""
        for line in lines:
            self.screen.write(f"{plain(line)}\n")
        self.screen.flush()

    def ended(self, why: str) -> None:
        """Prints how the game stands at its end, or where it was left."""
        match = self.table.state.match
        if match is None:
            self.say(texts.terminal.ENDED)
        elif isinstance(match.prompt, OverPrompt):
            self.say(f"{narration.awaited(match)} ({narration.scores(match)})")
        else:
            stands = ", ".join(display.scores(match))
            self.say(f"{why}; the game stands at {stands}, awaiting: {narration.awaited(match)}")
