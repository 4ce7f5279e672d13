"""The table's side of a league: its contests, and the question against whom a player plays here."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LeaguePlayer:
    """A player of the league: the league's id, 16 hexadecimal digits, and the name."""

    player: str
    name: str


@dataclass(frozen=True, slots=True)
class Contest:
    """An arena or a bracket by the league's number: its game here, and who could be paired now.

    `called` are the players of the match that this table was given already, if it has one.
    """

    number: int
    name: str
    game: str
    waiting: tuple[LeaguePlayer, ...] = ()
    called: tuple[LeaguePlayer, ...] = ()

    @property
    def free(self) -> Sequence[LeaguePlayer]:
        """The players who may play here: those of this table's match first."""
        return tuple(dict.fromkeys((*self.called, *self.waiting)))


@dataclass(frozen=True, slots=True)
class Pairing:
    """The league's answer: who plays which game; without players, why there is no match."""

    game: str
    players: tuple[LeaguePlayer, ...]
    why: str = ""


@dataclass
class Pairings:
    """What the screens read and ask; `LeagueDesk` passes it between them and the league. No I/O, no clock.

    Attributes:
        member: whether the table is in a league.
        connected: whether questions can reach the league.
        contests: the newest known, maybe from long ago.
        open_request: number, contest and player of the open question; None without one.
        answer: to the newest question; None while it is open.
        looks: how often a screen listed the contests: the league is asked for news at once.
        links: the league's id of each name that plays here, until the league knows of it.
    """

    member: bool = False
    connected: bool = False
    contests: tuple[Contest, ...] = ()
    open_request: tuple[int, int, str] | None = None
    answer: Pairing | None = None
    links: dict[str, str] = field(default_factory=dict)
    looks: int = 0
    number: int = 0

    def ask(self, contest: Contest, player: LeaguePlayer) -> None:
        """Asks against whom the player plays here; this table's own match is known without asking."""
        self.number += 1
        self.open_request, self.answer = None, None
        if player in contest.called:
            self.answer = Pairing(contest.game, contest.called)
        elif self.connected:
            self.open_request = (self.number, contest.number, player.player)

    def heard(self, number: int, answer: Pairing) -> bool:
        """Takes the answer to a question; False if that question is no longer open."""
        if self.open_request is None or self.open_request[0] != number:
            return False
        self.open_request, self.answer = None, answer
        return True

    def forget(self) -> None:
        self.open_request, self.answer = None, None

    def plays(self, players: Sequence[LeaguePlayer]) -> None:
        """Notes that they play here, for the league."""
        self.links |= {player.name: player.player for player in players}
