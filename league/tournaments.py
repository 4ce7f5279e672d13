"""The two kinds of contests, as immutable values: events in, pairings out.

In an arena, free players are paired again and again, and people come and go. In a bracket (double
elimination) a player who loses twice is out; empty places are byes. A latecomer takes the place of a bye if
that changes nothing that was played or called; after that a bye's place on the losers' side, as after a loss;
after that it is too late.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Final, Protocol, TypeAlias

Shown: TypeAlias = Callable[[int], dict[str, str] | None]
"""A player as the protocol shows one; None for BYE and OPEN."""


class ContestState(Protocol):
    """An arena or a bracket at one moment. Its matches have names; what doesn't fit raises ValueError."""

    @property
    def players(self) -> frozenset[int]:
        """The players who are in it."""

    @property
    def called(self) -> frozenset[str]:
        """The matches that are being played."""

    @property
    def next_players(self) -> tuple[int, ...]:
        """The players who wait for a match that can be called."""

    @property
    def can_begin(self) -> bool:
        """Whether the first round can be drawn."""

    @property
    def over(self) -> bool:
        """Whether it has a champion."""

    def next(self, first: int | None = None) -> tuple[str, tuple[int, ...]] | None:
        """Name and players of the next match, or of that of one player; None if there is none now."""

    def joined(self, player: int) -> ContestState:
        """Adds a player."""

    def left(self, player: int) -> ContestState:
        """Takes a player out."""

    def begun(self) -> ContestState:
        """Draws the first round."""

    def call(self, name: str, players: tuple[int, ...], /) -> ContestState:
        """Calls players to a match."""

    def uncalled(self, name: str) -> ContestState:
        """Takes a match back."""

    def decided(self, name: str, winners: tuple[int, ...]) -> ContestState:
        """Ends a match, which has no winners if it doesn't count."""

    def to_json(self, shown: Shown) -> dict[str, Any]:
        """What the protocol says of it."""


@dataclass(frozen=True)
class Arena:
    """An arena at one moment; its matches are called by their numbers.

    Attributes:
        seats: players in a match.
        waiting: the free players; the one who has waited longest comes first.
        playing: the players of the matches that are called, by number.
        met: how often each pair has played together.
        points: one for each opponent beaten.
        matches: how many were called so far.
        leaving: players who leave when their match is over.
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
        return frozenset(player for players in self.playing.values() for player in players)

    def joined(self, player: int) -> Arena:
        """Adds a player, who may have left before. Raises ValueError if the player is in it."""
        if player in self.leaving:
            return replace(self, leaving=self.leaving - {player})
        if player in self.waiting or player in self.busy:
            raise ValueError("this player is already in it")
        points = {**self.points, player: self.points.get(player, 0)}
        return replace(self, waiting=(*self.waiting, player), points=points)

    @property
    def players(self) -> frozenset[int]:
        return frozenset(self.waiting) | (self.busy - self.leaving)

    @property
    def called(self) -> frozenset[str]:
        return frozenset(map(str, self.playing))

    @property
    def next_players(self) -> tuple[int, ...]:
        return self.waiting if self.next() else ()

    @property
    def can_begin(self) -> bool:
        return False

    @property
    def over(self) -> bool:
        """False: an arena goes on and on."""
        return False

    def begun(self) -> Arena:
        """Raises ValueError: an arena has no first round to draw."""
        raise ValueError("an arena has begun when it is made")

    def left(self, player: int) -> Arena:
        """Takes a player out, after the match of one who plays. Raises ValueError if not in it."""
        if player in self.busy:
            return replace(self, leaving=self.leaving | {player})
        if player not in self.waiting:
            raise ValueError("this player is not in it")
        return replace(self, waiting=tuple(waiting for waiting in self.waiting if waiting != player))

    def next(self, first: int | None = None) -> tuple[str, tuple[int, ...]] | None:
        """Name and players of the next match; None if too few are free, or `first` isn't.

        It is for `first`, or the player who has waited longest, and those met least, then nearest in points.
        """
        if len(self.waiting) < self.seats or first not in (None, *self.waiting):
            return None
        chosen = [self.waiting[0] if first is None else first]
        while len(chosen) < self.seats:
            others = [player for player in self.waiting if player not in chosen]
            chosen.append(min(others, key=lambda candidate: self.cost(candidate, chosen)))
        return str(self.matches), tuple(chosen)

    def cost(self, candidate: int, chosen: list[int]) -> tuple[int, int, int]:
        met = sum(self.met.get(frozenset((candidate, opponent)), 0) for opponent in chosen)
        apart = abs(self.points.get(candidate, 0) - self.points.get(chosen[0], 0))
        return met, apart, self.waiting.index(candidate)

    def call(self, name: str, players: tuple[int, ...]) -> Arena:
        """Calls players to a match. Raises ValueError unless all of them are free."""
        if len(set(players)) != self.seats or not set(players) <= set(self.waiting):
            raise ValueError("one of them is not free")
        met = Counter(self.met)
        met.update(frozenset(pair) for pair in combinations(players, 2))
        return replace(
            self,
            waiting=tuple(player for player in self.waiting if player not in players),
            playing={**self.playing, int(name): players},
            met=dict(met),
            matches=self.matches + 1,
        )

    def uncalled(self, name: str) -> Arena:
        """Takes a match back: its players wait again, before all others. Raises ValueError."""
        match = int(name)
        players = self.playing.get(match)
        if players is None:
            raise ValueError("this match is not played")
        met = Counter(self.met)
        met.subtract(frozenset(pair) for pair in combinations(players, 2))
        return replace(
            self,
            waiting=(*(player for player in players if player not in self.leaving), *self.waiting),
            playing={number: group for number, group in self.playing.items() if number != match},
            met=dict(+met),
            leaving=self.leaving - set(players),
        )

    def decided(self, name: str, winners: tuple[int, ...]) -> Arena:
        """Ends a match; its players wait again. Without winners it counts for no one.

        Raises ValueError unless it is played and the winners play in it.
        """
        match = int(name)
        players = self.playing.get(match)
        if players is None or not set(winners) <= set(players):
            raise ValueError("this match is not played, or a winner is not in it")
        beaten = len(players) - len(winners)
        points = {player: count + beaten * (player in winners) for player, count in self.points.items()}
        back = tuple(player for player in players if player not in self.leaving)
        return replace(
            self,
            waiting=(*self.waiting, *back),
            playing={number: group for number, group in self.playing.items() if number != match},
            points=points,
            leaving=self.leaving - set(players),
        )

    def to_json(self, shown: Shown) -> dict[str, Any]:
        """The players by their points, and those who wait."""
        names = {player: (shown(player) or {}).get("name", "") for player in self.points}
        ranked = sorted(self.points.items(), key=lambda entry: (-entry[1], names[entry[0]]))
        return {
            "places": [{**(shown(player) or {}), "points": points} for player, points in ranked],
            "waiting": [shown(player) for player in self.waiting],
        }


BYE: Final = 0
"""Stands in the place of a player: no one."""
OPEN: Final = -1
"""Stands in the place of a player: not decided yet."""
FINAL: Final = "F1"
AGAIN: Final = "F2"
"""The second final, if the player from the losers' side has won the first."""


class TooLateError(ValueError):
    """It is too late to join."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """One match of a bracket. Players are ids, BYE or OPEN."""

    name: str
    players: tuple[int, int]
    winner: int
    loser: int

    @property
    def due(self) -> bool:
        """Whether it can be played now."""
        return self.winner == OPEN and min(self.players) > BYE


@dataclass(frozen=True)
class Bracket:
    """A tournament at one moment.

    Attributes:
        entrants: in the order of joining; the first ones get the byes.
        size: places of the first round, a power of two; 0 before it begins.
        slots: the player at each place of the first round.
        late: latecomers on the losers' side, by the match of the winners' side that was a bye.
        won: winners of the matches that were played, by name.
        called: matches that are being played.
        gone: players who left; they lose the matches that they have not played.
    """

    entrants: tuple[int, ...] = ()
    size: int = 0
    slots: tuple[int, ...] = ()
    late: Mapping[str, int] = field(default_factory=dict)
    won: Mapping[str, int] = field(default_factory=dict)
    called: frozenset[str] = frozenset()
    gone: frozenset[int] = frozenset()

    def joined(self, player: int) -> Bracket:
        """Adds a player. Raises ValueError if the player is in it, TooLateError if no place is left."""
        if player in self.entrants:
            raise ValueError("this player is already in it")
        entered = replace(self, entrants=(*self.entrants, player))
        if not self.size:
            return entered
        # First a bye of the first round, as long as nothing that was played would change.
        for place, slot in enumerate(self.slots):
            slots = (*self.slots[:place], player, *self.slots[place + 1 :])
            if slot == BYE and (changed := replace(entered, slots=slots)).keeps(self):
                return changed
        # Then a bye on the losers' side: the latecomer starts as if after one loss.
        for name, pairing in self.pairings.items():
            if (
                name.startswith("W")
                and pairing.loser == BYE
                and pairing.winner > BYE
                and name not in self.late
            ):
                changed = replace(entered, late={**self.late, name: player})
                if changed.keeps(self):
                    return changed
        raise TooLateError("all places are taken, or entering would change what was played")

    def keeps(self, before: Bracket) -> bool:
        """Whether every match that was played or called still has the same players."""
        settled = {*before.won, *before.called}
        return all(self.pairings[name].players == before.pairings[name].players for name in settled)

    def begun(self) -> Bracket:
        """Draws the first round. Raises ValueError if it is drawn, or with fewer than two players."""
        if self.size or len(self.entrants) < 2:
            raise ValueError("it has begun" if self.size else "two players are needed")
        size = 2
        while size < len(self.entrants):
            size *= 2
        slots = tuple(self.entrants[seed] if seed < len(self.entrants) else BYE for seed in seeds(size))
        return replace(self, size=size, slots=slots)

    def call(self, name: str, _players: tuple[int, ...] = ()) -> Bracket:
        """Calls a match, whose players are known. Raises ValueError if it is not due."""
        if name not in self.pairings or not self.pairings[name].due or name in self.called:
            raise ValueError(f"{name} is not due")
        return replace(self, called=self.called | {name})

    def uncalled(self, name: str) -> Bracket:
        return replace(self, called=self.called - {name})

    def decided(self, name: str, winners: tuple[int, ...]) -> Bracket:
        """Ends a match; without a winner it is played again.

        Raises ValueError unless it is due and the winner plays in it.
        """
        if not winners:
            return self.uncalled(name)
        winner, pairing = winners[0], self.pairings.get(name)
        if pairing is None or not pairing.due or winner not in pairing.players:
            raise ValueError(f"{name} is not due, or that player is not in it")
        return replace(self, won={**self.won, name: winner}, called=self.called - {name})

    def left(self, player: int) -> Bracket:
        """Takes a player out, who loses the matches not yet played. Raises ValueError if not in it."""
        if player not in self.entrants:
            raise ValueError("this player is not in it")
        if not self.size:
            return replace(self, entrants=tuple(entrant for entrant in self.entrants if entrant != player))
        changed = replace(self, gone=self.gone | {player})
        return replace(changed, called=frozenset(name for name in self.called if changed.pairings[name].due))

    @cached_property
    def pairings(self) -> dict[str, Pairing]:
        pairings: dict[str, Pairing] = {}
        for name, sources in matches(self.size) if self.size else ():
            first, second = (self.source(source, pairings) for source in sources)
            winner, loser = self.outcome(name, first, second, pairings)
            pairings[name] = Pairing(name, (first, second), winner, loser)
        return pairings

    def source(self, origin: tuple[str, str | int], pairings: Mapping[str, Pairing]) -> int:
        kind, of = origin
        if isinstance(of, int):
            return self.slots[of]
        return pairings[of].winner if kind == "winner" else pairings[of].loser

    def outcome(self, name: str, first: int, second: int, pairings: Mapping[str, Pairing]) -> tuple[int, int]:
        if (
            name == AGAIN
            and pairings[FINAL].winner != OPEN
            and pairings[FINAL].winner == pairings[FINAL].players[0]
        ):
            return pairings[FINAL].winner, BYE  # the unbeaten player has won: there is no second final
        if OPEN in (first, second):
            return OPEN, OPEN
        if BYE in (first, second):
            return max(first, second), self.late.get(name, BYE)
        winner = self.won.get(name, OPEN)
        if winner == OPEN and (first in self.gone or second in self.gone):
            winner = second if first in self.gone else first
        return winner, OPEN if winner == OPEN else second if winner == first else first

    @property
    def due(self) -> list[Pairing]:
        return [
            pairing for pairing in self.pairings.values() if pairing.due and pairing.name not in self.called
        ]

    @property
    def players(self) -> frozenset[int]:
        return frozenset(self.entrants) - self.gone

    def next(self, first: int | None = None) -> tuple[str, tuple[int, ...]] | None:
        """Name and players of the next match that is due, or of that of one player."""
        due = (match for match in self.due if first is None or first in match.players)
        return next(((match.name, match.players) for match in due), None)

    @property
    def next_players(self) -> tuple[int, ...]:
        return tuple(player for match in self.due for player in match.players)

    @property
    def can_begin(self) -> bool:
        """Whether the first round can be drawn."""
        return not self.size and len(self.entrants) > 1

    @property
    def over(self) -> bool:
        return self.champion is not None

    def to_json(self, shown: Shown) -> dict[str, Any]:
        """The entrants, the champion, and every match."""
        matches = [
            {
                "match": match.name,
                "players": [shown(player) for player in match.players],
                "bye": BYE in match.players,
                "winner": shown(match.winner),
                "due": match.due,
            }
            for match in self.pairings.values()
        ]
        entrants = [shown(player) for player in self.entrants]
        return {"entrants": entrants, "champion": shown(self.champion or BYE), "matches": matches}

    @property
    def champion(self) -> int | None:
        last = self.pairings[AGAIN].winner if self.size else OPEN
        return last if last > BYE else None


def seeds(size: int) -> list[int]:
    """The seed at each place, so that the first two can meet only at the end: 0 7 3 4 1 6 2 5."""
    order = [0]
    while len(order) < size:
        count = 2 * len(order)
        order = [place for seed in order for place in (seed, count - 1 - seed)]
    return order


def matches(size: int) -> Iterator[tuple[str, tuple[tuple[str, str | int], tuple[str, str | int]]]]:
    """Each match of a bracket of that size, and where its two players come from."""
    rounds = size.bit_length() - 1
    for place in range(size // 2):
        yield f"W1-{place}", (("slot", 2 * place), ("slot", 2 * place + 1))
    for turn in range(2, rounds + 1):
        for place in range(size >> turn):
            before = f"W{turn - 1}-{2 * place}", f"W{turn - 1}-{2 * place + 1}"
            yield f"W{turn}-{place}", (("winner", before[0]), ("winner", before[1]))
    # The losers' side has two turns for each of the winners': among themselves, then against new losers.
    for turn in range(1, 2 * rounds - 1):
        count = size >> (2 + (turn - 1) // 2)
        for place in range(count):
            yield f"L{turn}-{place}", below(turn, place, count)
    lowest = ("winner", f"L{2 * rounds - 2}-0") if rounds > 1 else ("loser", "W1-0")
    yield FINAL, (("winner", f"W{rounds}-0"), lowest)
    yield AGAIN, (("winner", FINAL), ("loser", FINAL))


def below(turn: int, place: int, count: int) -> tuple[tuple[str, str], tuple[str, str]]:
    if turn == 1:
        return ("loser", f"W1-{2 * place}"), ("loser", f"W1-{2 * place + 1}")
    if turn % 2:
        return ("winner", f"L{turn - 1}-{2 * place}"), ("winner", f"L{turn - 1}-{2 * place + 1}")
    # From the other end, so that the same two do not meet again at once.
    return ("winner", f"L{turn - 1}-{place}"), ("loser", f"W{turn // 2 + 1}-{count - 1 - place}")
