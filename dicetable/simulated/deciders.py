"""Simulated people who decide: they think as players do and press the panel's buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table.actions import numbers
from games.game import PlayerView
from games.prompts import ActPrompt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dicetable.simulated.finger import Finger
    from dicetable.table.table import Table
    from dicetable.table.table_state import TableState
    from games.game import Player
    from games.match import Match
    from games.requests import JsonObject


class Deciders:
    """Answer each decision of a game, by `step` whenever time has gone by."""

    def __init__(self, table: Table, finger: Finger, players: Mapping[str, Player]) -> None:
        self.table = table
        self.finger = finger
        self.players = players
        self.match: Match | None = None
        self.action: JsonObject | None = None

    def step(self, now_s: float) -> None:
        """Does the next thing, if it is time for one."""
        state = self.table.state
        if state.match is not self.match:
            self.follow(state.match)
        if now_s >= self.finger.free_s and state.match and isinstance(state.match.prompt, ActPrompt):
            self.decide(state, state.match.prompt)

    def follow(self, match: Match | None) -> None:
        """The game has gone on."""
        self.match, self.action = match, None

    def faces(self, seat: str) -> tuple[int, ...]:  # noqa: ARG002 - nobody has a cup here
        """What somebody sees who looks under the seat's cup."""
        return ()

    def player(self, seat: str) -> Player:
        """Who sits on the seat of this name."""
        return self.players[seat]

    def view(self, match: Match, seat: str) -> PlayerView:
        """What a person at that seat sees."""
        return PlayerView(match.game, seat, match.prompt, match.current, self.faces(seat))

    def in_menu(self, seat: int, item: str) -> None:
        """Goes to an item of the table's menu."""
        finger = self.finger
        if finger.line(0) == texts.panel.MENU_HEADING:
            finger.tap(seat, "plus")
        elif finger.line(0).startswith(f"{texts.panel.MENU_HEADING}:"):
            finger.toward(seat, list(texts.panel.MENU_ITEMS.values()), item)
        else:
            finger.tap(0, "menu")

    def decide(self, state: TableState, prompt: ActPrompt) -> None:
        """The seat that is asked makes up its mind, then walks there."""
        match, seat = state.match, state.panel_seats[prompt.seat]
        if match is None:
            return
        if self.action is None:
            self.action = self.player(prompt.seat).act(self.view(match, prompt.seat))
        kind = self.action["type"]
        offer = next(offer for offer in prompt.actions if offer.type == kind)
        words = match.rules.words
        labels = [words.action(other) for other in prompt.actions]
        if self.finger.toward(seat, labels, words.action(offer)):
            return
        chosen: list[int] = []
        for name in offer.fields:
            labels = [words.action(offer, [*chosen, n]) for n in numbers(offer, chosen)]
            chosen.append(self.action[name])
            if self.finger.toward(seat, labels, words.action(offer, chosen)):
                return
        if self.finger.choice:
            self.finger.hold(seat, "ok")
