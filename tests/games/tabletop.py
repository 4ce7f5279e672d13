"""A table in software: it rolls the dice, keeps hidden ones outside the match, and asks the players.

The match never contains a hidden die before its reveal, and a player never sees more than a person in that
seat.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from games.dice import VALUES
from games.game import PlayerView
from games.prompts import ActPrompt, OverPrompt, ThrowPrompt
from games.requests import Act, Dice

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from games.dice import Die, Kind
    from games.game import Player
    from games.match import Match


class Tabletop:
    """Plays a match with its players; every die comes from `seed`."""

    def __init__(self, match: Match, players: Mapping[str, Player], seed: int) -> None:
        self.match = match
        self.players = players
        self.chance = Random(seed)
        self.cups: dict[str, tuple[int, ...]] = {}
        self.cast_cups({})

    def view(self, seat: str) -> PlayerView:
        match = self.match
        return PlayerView(match.game, seat, match.prompt, match.current, self.cups.get(seat, ()))

    def roll(self, kinds: Iterable[Kind]) -> tuple[Die, ...]:
        return tuple((kind, self.chance.choice(VALUES[kind])) for kind in kinds)

    def step(self) -> None:
        """Answers the prompt. The match must not be over."""
        prompt = self.match.prompt
        kept: dict[str, tuple[int, ...]] = {}
        if isinstance(prompt, ActPrompt):
            kept = self.decide(prompt)
        elif isinstance(prompt, ThrowPrompt):
            picked = self.players[prompt.seat].pick(self.view(prompt.seat), prompt)
            self.match = self.match.apply(Dice(self.roll(picked)))
        else:
            hidden: list[Die] = [("d6", face) for faces in self.cups.values() for face in faces]
            self.cups.clear()
            self.match = self.match.apply(Dice(tuple(hidden)))
        self.cast_cups(kept)

    def decide(self, prompt: ActPrompt) -> dict[str, tuple[int, ...]]:
        """Applies the seat's action; returns the dice that it keeps under its cup if it recasts."""
        seat = prompt.seat
        player, view = self.players[seat], self.view(seat)
        action = player.act(view)
        self.match = self.match.apply(Act(seat, action))
        if action["type"] == "accept":
            # The cup has been passed on: this seat may look now.
            (faces,) = self.cups.values()
            self.cups = {seat: faces}
        if action["type"] == "concede":
            self.cups.clear()
        if action["type"] == "recast":
            return {seat: player.keep(view, action["count"])}
        return {}

    def cast_cups(self, kept: Mapping[str, tuple[int, ...]]) -> None:
        """Rolls the dice that the last events said were cast unseen."""
        for event in self.match.events:
            if event["event"] == "cast":
                seat = event["seat"]
                fresh = tuple(self.chance.randint(1, 6) for _ in range(event["count"]))
                self.cups[seat] = kept.get(seat, ()) + fresh

    def play(self, most_steps: int = 100_000) -> Match:
        """Plays to the end, or for a number of steps; returns the match at that point."""
        for _ in range(most_steps):
            if isinstance(self.match.prompt, OverPrompt):
                break
            self.step()
        return self.match
