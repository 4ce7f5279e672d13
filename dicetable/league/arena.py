"""Arenas: whoever is there is paired again and again; people come and go. Events in, pairings out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Arena:
    """An arena at one moment.

    Attributes:
        seats: how many play in a match.
        waiting: who is free, whoever waits longest first.
        playing: the players of the matches that are called, by number.
        met: how often two have played together.
        points: of each player: one for everybody beaten.
        matches: how many were called so far.
        leaving: who goes as soon as the match that they play is over.
    """

    seats: int = 2
    waiting: tuple[int, ...] = ()
    playing: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    met: Mapping[frozenset[int], int] = field(default_factory=dict)
    points: Mapping[int, int] = field(default_factory=dict)
    matches: int = 0
    leaving: frozenset[int] = frozenset()

    @property
    def busy(self) -> frozenset[int]:
        """Who plays now."""
        return frozenset(player for players in self.playing.values() for player in players)

    def joined(self, player: int) -> Arena:
        """With one more player, who may have left before; ValueError if he is there."""
        if player in self.leaving:
            return replace(self, leaving=self.leaving - {player})
        if player in self.waiting or player in self.busy:
            raise ValueError("this player is in it already")
        points = {**self.points, player: self.points.get(player, 0)}
        return replace(self, waiting=(*self.waiting, player), points=points)

    def left(self, player: int) -> Arena:
        """A player leaves, after the match if he plays; ValueError if he is not there."""
        if player in self.busy:
            return replace(self, leaving=self.leaving | {player})
        if player not in self.waiting:
            raise ValueError("this player is not in it")
        return replace(self, waiting=tuple(each for each in self.waiting if each != player))

    def next(self, first: int | None = None) -> tuple[int, ...] | None:
        """Who should play now; None if too few are free, or `first` is not.

        `first`, or else whoever waits longest, with those whom he has met least, then with the nearest in
        points.
        """
        if len(self.waiting) < self.seats or first not in (None, *self.waiting):
            return None
        chosen = [self.waiting[0] if first is None else first]
        while len(chosen) < self.seats:
            others = [each for each in self.waiting if each not in chosen]
            chosen.append(min(others, key=lambda other: self.cost(other, chosen)))
        return tuple(chosen)

    def cost(self, other: int, chosen: list[int]) -> tuple[int, int, int]:
        """How little a player suits those who were chosen."""
        met = sum(self.met.get(frozenset((other, each)), 0) for each in chosen)
        apart = abs(self.points.get(other, 0) - self.points.get(chosen[0], 0))
        return met, apart, self.waiting.index(other)

    def call(self, players: tuple[int, ...]) -> Arena:
        """These play now; ValueError unless all of them are free."""
        if len(set(players)) != self.seats or not set(players) <= set(self.waiting):
            raise ValueError("somebody of them is not free")
        met = Counter(self.met)
        met.update(frozenset(pair) for pair in combinations(players, 2))
        return replace(
            self,
            waiting=tuple(each for each in self.waiting if each not in players),
            playing={**self.playing, self.matches: players},
            met=dict(met),
            matches=self.matches + 1,
        )

    def uncalled(self, match: int) -> Arena:
        """A match is taken back: its players wait again, before all others. ValueError unless played."""
        players = self.playing.get(match)
        if players is None:
            raise ValueError("this match is not played")
        met = Counter(self.met)
        met.subtract(frozenset(pair) for pair in combinations(players, 2))
        return replace(
            self,
            waiting=(*(each for each in players if each not in self.leaving), *self.waiting),
            playing={number: each for number, each in self.playing.items() if number != match},
            met=dict(+met),
            leaving=self.leaving - set(players),
        )

    def decided(self, match: int, winners: tuple[int, ...]) -> Arena:
        """A match is over; its players wait again. ValueError unless it is played and the winners play in it.

        Without winners it counts for nobody.
        """
        players = self.playing.get(match)
        if players is None or not set(winners) <= set(players):
            raise ValueError("this match is not played, or a winner is not in it")
        beaten = len(players) - len(winners)
        points = {player: count + beaten * (player in winners) for player, count in self.points.items()}
        back = tuple(each for each in players if each not in self.leaving)
        return replace(
            self,
            waiting=(*self.waiting, *back),
            playing={number: each for number, each in self.playing.items() if number != match},
            points=points,
            leaving=self.leaving - set(players),
        )
