"""What the league has said about who plays here, and what it is asked. No files, no network, no clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class LeaguePlayer:
    """A player as the league knows him: its id, 16 hexadecimal digits, and the name."""

    player: str
    name: str


@dataclass(frozen=True, slots=True)
class Contest:
    """An arena or a bracket.

    Attributes:
        number: the league's.
        game: one of the games here.
        waiting: who could be paired now.
        called: the players of the match that this table was given already; nobody if it has none.
    """

    number: int
    name: str
    game: str
    waiting: tuple[LeaguePlayer, ...] = ()
    called: tuple[LeaguePlayer, ...] = ()

    @property
    def free(self) -> Sequence[LeaguePlayer]:
        """Who may say that he plays here: those of the match of this table first."""
        return tuple(dict.fromkeys((*self.called, *self.waiting)))


@dataclass(frozen=True, slots=True)
class Pairing:
    """The league's answer: who plays which game; nobody, and why, if there is no such match."""

    game: str
    players: tuple[LeaguePlayer, ...]
    why: str = ""


@dataclass
class Pairings:
    """The table's side of a league; screens read and ask, `LeagueDesk` carries.

    Attributes:
        member: whether the table is in a league.
        connected: whether there is somebody who carries questions.
        contests: what the league said last, maybe long ago.
        asked: number, contest and player of the question that waits; None if none does.
        answer: to the newest question; None while there is none.
        looks: how often somebody wanted to see what there is: the league is asked at once.
        links: league's id of each name that plays here, until the league was told.
    """

    member: bool = False
    connected: bool = False
    contests: tuple[Contest, ...] = ()
    asked: tuple[int, int, str] | None = None
    answer: Pairing | None = None
    links: dict[str, str] = field(default_factory=dict)
    looks: int = 0
    number: int = 0

    def ask(self, contest: Contest, player: LeaguePlayer) -> None:
        """Asks against whom he plays here. The match that the table has already is known without asking."""
        self.number += 1
        self.asked, self.answer = None, None
        if player in contest.called:
            self.answer = Pairing(contest.game, contest.called)
        elif self.connected:
            self.asked = (self.number, contest.number, player.player)

    def heard(self, number: int, answer: Pairing) -> bool:
        """The answer to a question; False if nobody waits for it any more."""
        if self.asked is None or self.asked[0] != number:
            return False
        self.asked, self.answer = None, answer
        return True

    def forget(self) -> None:
        """Nobody waits for an answer."""
        self.asked, self.answer = None, None

    def plays(self, players: Sequence[LeaguePlayer]) -> None:
        """They play here now: the league is to know which players of this table they are."""
        self.links |= {each.name: each.player for each in players}
