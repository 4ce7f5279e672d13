"""Simulated people who decide: they think as players do and press the panel's buttons."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table.display import printable
from dicetable.table.screens.play import numbers
from games.prompts import ActPrompt
from games.view import PlayerView

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dicetable.table.table import Table
    from dicetable.table.table_state import TableState
    from games.match import Match
    from games.requests import JsonObject
    from games.view import Player
    from hardware.ports import PanelView
    from hardware.simulated.panel import SimulatedPanel

PLACE = re.compile(r"\s+\d+/\d+$")
TAP_S = 0.06
HOLD_S = 1.0
PAUSE_S = 0.4
"""Between two presses; sooner ones of OK would be taken for one burst."""


class Finger:
    """Presses the panel's buttons, not before `free_s`."""

    def __init__(self, panel: SimulatedPanel) -> None:
        self.panel = panel
        self.free_s = 0.0

    @property
    def view(self) -> PanelView:
        """What people see."""
        return self.panel.shown

    def line(self, number: int) -> str:
        """A line of the display; empty if there is none."""
        return self.view.lines[number] if number < len(self.view.lines) else ""

    @property
    def heading(self) -> str:
        """The first line without the place in the menu, such as 3/9, at its end."""
        return PLACE.sub("", self.line(0))

    @property
    def choice(self) -> str:
        """What the menu shows; empty if there is no menu."""
        return next((line[2:] for line in self.view.lines if line.startswith("> ")), "")

    def tap(self, seat: int, key: str) -> None:
        """Presses and releases a key of a seat; seat 0 is the table's menu button."""
        self.press(seat, key, TAP_S)

    def hold(self, seat: int, key: str) -> None:
        """Holds a key long enough for OK to mean back."""
        self.press(seat, key, HOLD_S)

    def press(self, seat: int, key: str, hold_s: float) -> None:
        """Holds a key for `hold_s` seconds and sets `free_s` to PAUSE_S after its release."""
        self.panel.press(f"seat{seat}.{key}" if seat else "table.menu", hold_s)
        self.free_s = self.panel.clock.now_s() + hold_s + PAUSE_S

    def toward(self, seat: int, labels: Sequence[str], wanted: str) -> bool:
        """Presses once to bring the menu closer to `wanted`, or OK if it is shown.

        Returns:
            False, without a press, if the menu shows none of the labels.
        """
        shown = [printable(f"> {label}")[2:] for label in labels]
        if self.choice not in shown:
            return False
        away = (labels.index(wanted) - shown.index(self.choice)) % len(labels)
        if not away:
            self.tap(seat, "ok")
        else:
            self.tap(seat, "plus" if away <= len(labels) / 2 else "minus")
        return True


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
        if finger.line(0) == texts.menu.HEADING:
            finger.tap(seat, "plus")
        elif finger.line(0).startswith(f"{texts.menu.HEADING}:"):
            finger.toward(seat, list(texts.menu.ITEMS.values()), item)
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
