"""A simulated table beside the service, which sees no more of it than its panel and its camera's frames.

People throw when a game waits for dice. If the panel is simulated too, they press its buttons: game after
game, each kind in turn, for as long as the service runs.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from common import texts
from dicetable.simulated.hands import Finger, Hands
from dicetable.simulated.people import People, WantedGame
from dicetable.table.table import Table
from games.game import Player
from games.players import LEVELS
from games.prompts import OverPrompt
from games.registry import GAMES
from hardware.ports import Clock
from hardware.simulated.camera import FrameBoard
from hardware.simulated.picture import HEIGHT, WIDTH
from hardware.simulated.world import World

FRAME_S: Final = 1 / 30
OVER_S: Final = 3.0
"""How long people look at who has won."""
ROUNDS: Final = 3


class SimulatedPlayers(dict[str, "Player"]):
    """A player for every name that comes up."""

    def __missing__(self, seat: str) -> Player:
        self[seat] = LEVELS["tipsy"](len(self))
        return self[seat]


class Simulation:
    """The world and its people; `live` moves them on in real time."""

    def __init__(self, seed: int, clock: Clock, seats: int, *, presses: bool) -> None:
        self.clock = clock
        self.seats = seats
        self.house = 0
        """At how many of the last seats the house plays."""
        self.presses = presses
        self.world = World(seed, clock)
        self.hands = Hands(self.world)
        self.finger = Finger(self.world.panel)
        self.board = FrameBoard(HEIGHT, WIDTH)
        self.games = [name for name, game in GAMES.items() if game.fewest_seats <= seats]
        self.played = 0
        self.people: People | None = None
        self.over_s: float | None = None
        self.playing = self.leaving = False
        """`leaving`: from the game that is over, which the panel offers again, to the choice of games."""

    @property
    def board_path(self) -> Path:
        return Path(self.board.path)

    async def live(self, table: Callable[[], Table], news: Callable[[], None]) -> None:
        """Takes a picture thirty times a second, and lets people do what they do; calls `news` each time."""
        self.world.camera.start()
        while True:
            frame = self.world.camera.frame(0.0)
            degraded = self.world.camera.degraded
            if frame is not None or degraded is not None:
                self.board.put(frame, self.clock.now_s(), degraded)
            self.step(table(), self.clock.now_s())
            news()
            await asyncio.sleep(FRAME_S)

    def step(self, table: Table, now_s: float) -> None:
        if self.people is None or self.people.table is not table:
            self.people = self.gathered(table)
        people, match = self.people, table.state.match
        if self.playing and match is None:
            self.played += 1
            people.wanted = self.wanted_game()
            self.hands.cups = {}
            self.leaving = self.presses
        self.playing = match is not None
        over = match is not None and isinstance(match.prompt, OverPrompt)
        self.over_s = (self.over_s or now_s) if over else None
        if self.over_s is None:
            set_up = self.finger.under(texts.panel.WHO_PLAYS, *texts.games.titles())
            self.leaving = self.leaving and set_up
            if self.leaving and now_s >= self.finger.free_s:
                self.finger.hold(1, "ok")
            elif not self.leaving and (self.presses or match is not None):
                people.step(now_s)
        elif self.presses and now_s >= max(self.over_s + OVER_S, self.finger.free_s):
            self.finger.hold(1, "ok")

    def gathered(self, table: Table) -> People:
        """The people around the table; if a game is going on, they have come to where it stands.

        Their dice lie in the tray as the game knows them, and under their cups as no one does.
        """
        state = table.state
        match, opened = state.match, state.opened
        self.hands.cups = {}
        if match is not None and opened is not None:
            if self.people is None:
                self.hands.find(state.baseline or ())
            if opened.game in self.games:
                self.played = self.games.index(opened.game)
            for seat, count in match.cups.items():
                self.hands.cast(seat, count, ())
        people = People(table, self.hands, self.finger, self.wanted_game(), SimulatedPlayers())
        people.match = match
        return people

    def wanted_game(self) -> WantedGame:
        game = self.games[self.played % len(self.games)]
        seats = tuple(map(texts.panel.seat_name, range(1, self.seats + 1)))
        return WantedGame(game, seats, ROUNDS, house=self.house)
