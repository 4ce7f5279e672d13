"""The table's side of a league: signed questions go out over the socket, answers and news come in.

The gateway carries them and is treated as hostile: what it brings is checked and bounded, and can do no more
than name players and games of this table's own registry. The last news is kept in a file beside the ledger.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field, ValidationError

from common import texts
from common.files import atomic_write, read_file
from common.messages import Answer, Event
from dicetable.service import league
from dicetable.service.healing_ledger import HealingLedger
from dicetable.service.league import Member
from dicetable.service.server import Pace, Payload, RequestKind, TableServer, accepted, refused
from dicetable.table.pairings import Contest, LeaguePlayer, Pairing, Pairings
from games.registry import GAMES

if TYPE_CHECKING:
    from nacl.signing import SigningKey

    from dicetable.table.table import Table

KEPT_FILE: Final = "league.said"
LEAGUE: Final = Pace(10, 5.0)
"""News come every five minutes, and with each look at the menu."""
MOST_BYTES: Final = 128 * 1024
EVENT: Final = "league"
LOOK_S: Final = 5.0
"""How often to check whether the table is in a league."""
AGAIN_S: Final = 60.0
"""An unanswered question is signed again after this long, because the league refuses old ones."""

log = logging.getLogger(__name__)

Text = Annotated[str, Field(min_length=1, max_length=40)]


class Named(Payload):
    """A player."""

    player: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    name: Text


class ContestNews(Payload):
    """A contest, and who could play in it here."""

    contest: Annotated[int, Field(ge=0)]
    name: Text
    game: Text
    waiting: Annotated[list[Named], Field(max_length=64)]
    called: Annotated[list[Named], Field(max_length=8)]


class News(Payload):
    """The contests that the league has for this table."""

    contests: Annotated[list[ContestNews], Field(max_length=8)]


class LeagueReply(Payload):
    """The league's answer to a question; `why` says why there is none."""

    number: int
    why: Annotated[str, Field(max_length=200)] = ""
    game: Annotated[str, Field(max_length=40)] = ""
    players: Annotated[list[Named], Field(max_length=8)] = Field(default=[])


class Kept(News):
    """The content of the file."""

    links: dict[str, str] = Field(default={})


def erase_name(folder: Path, name: str) -> bool:
    """Erases a name from the file; returns whether it was there. Raises OSError."""
    try:
        stored = Kept.model_validate_json(read_file(folder / KEPT_FILE, MOST_BYTES))
    except (FileNotFoundError, ValidationError):
        return False

    def others(players: list[Named]) -> list[Named]:
        return [player for player in players if player.name != name]

    left = Kept(
        contests=[
            contest.model_copy(update={"waiting": others(contest.waiting), "called": others(contest.called)})
            for contest in stored.contests
        ],
        links={own_name: player for own_name, player in stored.links.items() if own_name != name},
    )
    if left != stored:
        atomic_write(folder / KEPT_FILE, left.model_dump_json().encode())
    return left != stored


class LeagueClient:
    """Joins the table's `Pairings` to the socket."""

    def __init__(self, ledger: HealingLedger) -> None:
        self.ledger = ledger
        self.member: Member | None = None
        self.key: SigningKey | None = None
        self.looked_s = self.signed_s = float("-inf")
        self.sent: tuple[int, str] = (0, "")
        self.looks = 0
        self.news = News(contests=[])
        self.linking: dict[str, str] = {}
        self.kept: tuple[News, dict[str, str]] = (self.news, {})
        self.pairings = Pairings(number=int(1000 * time.time()))
        self.load()

    @property
    def file(self) -> Path:
        return self.ledger.folder / KEPT_FILE

    def kinds(self) -> Mapping[str, RequestKind[Any]]:
        return {
            "league_news": RequestKind(News, self.take_news, LEAGUE),
            "league_said": RequestKind(LeagueReply, self.take_reply, LEAGUE),
        }

    def load(self) -> None:
        try:
            stored = Kept.model_validate_json(read_file(self.file, MOST_BYTES))
        except (OSError, ValidationError):
            return
        self.take(stored)
        self.pairings.links = dict(stored.links)
        self.kept = (self.news, dict(stored.links))

    def take(self, news: News) -> None:
        """Takes news over, without games that are not played here and names that no panel can show."""
        self.news = News(contests=news.contests)
        self.pairings.contests = tuple(
            Contest(
                contest.contest, contest.name, contest.game, shown(contest.waiting), shown(contest.called)
            )
            for contest in news.contests
            if contest.game in GAMES and contest.name.isprintable()
        )

    def keep(self) -> None:
        """Writes the file if anything is new; a disk that fails is logged."""
        if (self.news, self.pairings.links) == self.kept:
            return
        self.kept = (self.news, dict(self.pairings.links))
        stored = Kept(contests=self.news.contests, links=self.pairings.links)
        try:
            atomic_write(self.file, stored.model_dump_json().encode())
        except OSError as error:
            log.warning("league=not_kept path=%s error=%r", self.file, str(error))

    def take_news(self, news: News, _: Table) -> Answer:
        """The gateway brings what the league has for this table."""
        if news != self.news:
            self.take(news)
            self.keep()
        return accepted()

    def take_reply(self, reply: LeagueReply, _: Table) -> Answer:
        """The gateway brings an answer."""
        pairings = self.pairings
        if (reply.number, "players") == self.sent:
            for name in self.linking:
                pairings.links.pop(name, None)
            if reply.why:
                log.warning("league=links_refused why=%r", reply.why)
            self.linking = {}
            self.keep()
            return accepted()
        players = shown(reply.players) if reply.game in GAMES else ()
        is_awaited = pairings.heard(reply.number, Pairing(reply.game, players, reply.why))
        return accepted() if is_awaited else refused(texts.league.NOT_ASKED)

    def join(self, now_s: float) -> None:
        """Checks from time to time whether the table is in a league."""
        if now_s < self.looked_s + LOOK_S:
            return
        self.looked_s = now_s
        member = league.read_member(self.ledger.folder)
        if member != self.member:
            self.member = member
            self.key = league.read_key(self.ledger.folder) if member else None
        self.pairings.member = self.member is not None and self.key is not None

    def publish(self, server: TableServer, table: Table, now_s: float) -> None:
        """Publishes the waiting question, signed, and lets the table know whether there is a gateway."""
        table.pairings = self.pairings
        self.join(now_s)
        self.pairings.connected = bool(server.clients)
        if self.member is None or self.key is None:
            if self.signed_s > float("-inf"):  # it has left
                nothing = {"table": "", "number": 0, "path": "", "body": "", "looks": 0}
                server.publish(Event(EVENT, nothing))
            return
        self.keep()
        number, kind, content = self.question()
        looks = self.pairings.looks
        if number != self.sent[0] or looks != self.looks or now_s > self.signed_s + AGAIN_S:
            self.signed_s, self.looks = now_s, looks
            payload: dict[str, Any] = {"table": self.member.table, "number": number, "path": "", "body": ""}
            payload["looks"] = looks
            if number:
                path, data = league.signed_request(self.member, self.key, kind, content)
                payload |= {"path": path, "body": data.decode()}
            self.sent = (number, kind)
            server.publish(Event(EVENT, payload))

    def question(self) -> tuple[int, str, dict[str, Any]]:
        """Number, kind and content of the waiting question; number 0 if there is none."""
        if self.pairings.open_request is not None:
            number, contest, player = self.pairings.open_request
            return number, "next", {"contest": contest, "player": player}
        ledger = self.ledger.ledger
        ids = ledger.players.ids if ledger is not None else {}
        linking = {name: player for name, player in self.pairings.links.items() if name in ids}
        if not linking:
            return 0, "", {}
        if linking != self.linking:
            self.pairings.number += 1
            self.linking = linking
        return self.pairings.number, "players", {"players": {ids[n]: player for n, player in linking.items()}}


def shown(players: list[Named]) -> tuple[LeaguePlayer, ...]:
    return tuple(LeaguePlayer(player.player, player.name) for player in players if player.name.isprintable())
