"""A game at a terminal whose dice are thrown on the simulated table."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dicetable import texts
from dicetable.play.terminal_game import TerminalGame
from dicetable.simulated.bar import step
from dicetable.simulated.eye import SimulatedEye
from dicetable.simulated.hands import Hands
from dicetable.simulated.people import Attempt, People, Wish
from games.players import LEVELS
from games.prompts import ActPrompt
from hardware.simulated.clock import PacedClock, VirtualClock
from hardware.simulated.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.match import Match


READ_S = 3.0
"""How long dice that lie still may take to be read."""
OPENS_S = 4.0
"""How long the eye may take to see that the tray is empty."""


class RoundTheTable(TerminalGame):
    """Whoever types throws by OK and decides by the menu; where nobody does, simulated people play."""

    how_to_play: Sequence[str] = (texts.panel.TERMINAL_KEYS, texts.panel.ENTER_THROWS)

    def __init__(self, seed: int, keyboard: int | None, screen: TextIO) -> None:
        clock = PacedClock() if keyboard is not None else VirtualClock()
        self.world = World(seed, clock)
        super().__init__(clock, SimulatedEye(self.world), keyboard, screen, strict=True)
        self.hands = Hands(self.world)
        self.people = People(self.table, self.hands, self.finger, Wish("", ()), {})
        self.peeked: Match | None = None
        self.thrown: tuple[Match | None, int] | None = None

    def open(self, game: str, seats: Sequence[str], seed: int) -> None:
        """Opens the game once the eye has seen the empty tray."""
        self.eye.start()
        begun_s = self.clock.now_s()
        while self.table.acceptance.seen is None and self.clock.now_s() < begun_s + OPENS_S:
            step(self.clock, self.fingers, self.eye, self.table)
        super().open(game, seats, seed)
        level = LEVELS["tipsy"]
        self.people.wish = Wish(game, tuple(seats))
        self.people.players = {seat: level(seed + number) for number, seat in enumerate(seats)}

    def tell(self) -> None:
        """Prints what has counted, below the panel that it brought about where nobody types."""
        if not self.typed and self.written < len(self.journal.entries):
            self.terminal.show(self.table.view)
        super().tell()

    def by_itself(self, now_s: float) -> str:
        """Simulated people play."""
        self.people.step(now_s)
        return ""

    def rolling(self, now_s: float) -> bool:
        """Whether dice roll or lie unread: a second Enter must not reach over them."""
        still_s = self.world.settled_at_s
        unread = now_s < still_s + READ_S and not self.table.sentence
        return self.thrown == self.awaited and (now_s < still_s or unread)

    @property
    def awaited(self) -> tuple[Match | None, int]:
        """Which throw or which part of a reveal is awaited."""
        return self.table.state.match, len(self.table.state.shown)

    def by_typing(self, now_s: float) -> str:
        """The thrower's OK throws; whoever decides sees what lies under the cup."""
        state, people = self.table.state, self.people
        if self.terminal.degraded:
            return texts.panel.YOU_LEFT
        if state.match is not people.match:
            people.follow(state.match)
        seat = state.asked or ""
        if (
            state.awaited is not None
            and state.panel_seats[seat] in self.terminal.oks
            and not self.table.above
            and not self.rolling(now_s)
        ):
            people.attempt = Attempt(people.attempt.key, aside=people.attempt.aside)
            people.bring_dice(state, now_s)
            self.thrown = self.awaited
        faces = self.hands.faces(seat)
        if faces and self.peeked is not state.match and state.match is not None:
            self.peeked = state.match
            if isinstance(state.match.prompt, ActPrompt):
                self.say(texts.panel.under_cup(seat, faces))
        return ""
