"""A game at a terminal whose throws are photographs, one a settled throw."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dicetable import texts
from dicetable.eye.messages import EyeMessage
from dicetable.eye.stills import look
from dicetable.play.terminal_game import TerminalGame
from dicetable.simulated.deciders import Deciders
from dicetable.table import narration
from games.players import RandomPlayer
from games.prompts import ActPrompt
from hardware.ports import SystemClock
from hardware.simulated.clock import VirtualClock
from vision.observation import Settled
from vision.reader import DiceReader
from vision.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from games.match import Match
    from hardware.photograph import FolderCamera
    from hardware.ports import Clock


class Album:
    """An `Eye` that is shown one photograph after the other; between them it sees an empty tray.

    So dice that nobody moved from one photograph to the next do not count, and of the others nobody can
    know but whoever took the pictures.
    """

    def __init__(self, camera: FolderCamera, clock: Clock) -> None:
        self.camera = camera
        self.clock = clock
        self.reader = DiceReader()
        self.waiting: list[EyeMessage] = []
        self.shown = 0

    def start(self, news: Callable[[], None] | None = None) -> None:  # noqa: ARG002 - it is asked
        """Opens the album."""
        self.waiting = [Settled(Reading(()), self.clock.now_s())]

    def turn(self) -> str:
        """Shows the next photograph; what there was to see, or what is wrong with it."""
        seen = look(self.camera, 1, self.reader)
        if seen is None:
            return f"    {self.camera.degraded.what}" if self.camera.degraded else ""
        self.shown += 1
        now_s = self.clock.now_s()
        self.waiting = [Settled(Reading(()), now_s), Settled(seen.reading, now_s)]
        return f"  {seen.frame.name}: {narration.dice_line(seen.reading.dice) or texts.panel.NO_DICE}"

    def messages(self) -> Sequence[EyeMessage]:
        """What is new since the last call."""
        messages, self.waiting = self.waiting, []
        return messages

    def stop(self) -> None:
        """Closes the album."""
        self.camera.stop()


class Photographs(TerminalGame):
    """Decisions are typed, or taken by chance where nobody types."""

    dice_are_known = True

    def __init__(self, camera: FolderCamera, keyboard: int | None, screen: TextIO) -> None:
        clock = SystemClock() if keyboard is not None else VirtualClock()
        self.album = Album(camera, clock)
        super().__init__(clock, self.album, keyboard, screen)
        self.deciders = Deciders(self.table, self.finger, {})
        self.offered: Match | None = None

    def open(self, game: str, seats: Sequence[str], seed: int) -> None:
        """Opens the game over an empty tray."""
        self.album.start()
        for message in self.album.messages():
            self.table.eye(message)
        super().open(game, seats, seed)
        self.deciders.players = {seat: RandomPlayer(seed + number) for number, seat in enumerate(seats)}

    def by_itself(self, now_s: float) -> str:
        """A photograph if dice are due, else a decision by chance."""
        if isinstance(self.table.state.match and self.table.state.match.prompt, ActPrompt):
            self.deciders.step(now_s)
            return ""
        return self.next_photograph()

    def by_typing(self, now_s: float) -> str:  # noqa: ARG002 - photographs wait for nobody
        """A photograph if dice are due and nobody is at a menu."""
        if self.terminal.degraded:
            return texts.panel.YOU_LEFT
        if self.table.above or self.table.state.awaited is None:
            return ""
        return self.next_photograph()

    def next_photograph(self) -> str:
        """Shows the next one, after what came of the last."""
        match, awaited = self.table.state.match, self.table.state.awaited
        if match is None or awaited is None:
            return ""
        if match is self.offered and not self.album.camera.degraded:
            self.say(f"    {self.table.sentence or texts.throws.wrong_count(0, awaited.counts[0])}")
        if not self.album.camera.left:
            return texts.panel.NO_MORE_PHOTOGRAPHS
        self.offered = match
        self.say(narration.awaited(match), self.album.turn())
        return ""
