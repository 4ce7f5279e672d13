"""Contests: arenas and brackets as the fold of their stored events, and what tables ask about them.

A match that is called to a table is decided by the first result there, after the call, of the same game with
the same players.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from common import statements
from common.texts.plain import fold_name
from games.errors import UnknownGame
from games.registry import find
from league import registry, results
from league.database import Database, Refusal, Session, lock_names, meta
from league.players import Names, UnknownPlayer, named, player_name, player_of
from league.registry import GameTable, check_name
from league.replay import ENDED, WON
from league.tournaments import Arena, Bracket, ContestState

ARENA: Final = "arena"
BRACKET: Final = "bracket"
KINDS: Final = (ARENA, BRACKET)
MOST_PLAYERS: Final = 500
"""The most players that a table links in one request."""
MOST_CONTESTS: Final = 8
MOST_WAITING: Final = 64
"""The most contests that the news lists, and the most players of each."""


@dataclass(frozen=True, slots=True)
class CalledMatch:
    """A match called to a table; `after` is the table's newest row at that time."""

    name: str
    table: int
    players: tuple[int, ...]
    after: int


@dataclass(frozen=True)
class Contest:
    """An arena or a bracket after some events, with the matches called to tables, by name."""

    number: int
    name: str
    kind: str
    game: str
    state: ContestState
    calls: Mapping[str, CalledMatch] = field(default_factory=dict)
    events: int = 0

    def after(self, event: Mapping[str, Any]) -> Contest:
        """The contest after an event. Raises ValueError if the event doesn't fit."""
        state, calls, name = self.state, dict(self.calls), str(event.get("match", ""))
        match event["event"]:
            case "joined":
                state = state.joined(event["player"])
            case "left":
                state = state.left(event["player"])
                calls = {match: call for match, call in calls.items() if match in state.called}
            case "begun":
                state = state.begun()
            case "called":
                players = tuple(event["players"])
                state = state.call(name, players)
                calls[name] = CalledMatch(name, event["table"], players, event["after"])
            case "uncalled":
                state = state.uncalled(name)
                calls.pop(name, None)
            case "decided":
                state = state.decided(name, tuple(event["winners"]))
                calls.pop(name, None)
            case other:
                raise ValueError(f"there is no event {other!r} here")
        return replace(self, state=state, calls=calls, events=self.events + 1)

    def due(self, player: int | None = None) -> tuple[str, tuple[int, ...]] | None:
        """Name and players of the next match, or of a player's next match; None if there is none now."""
        return self.state.next(player)

    def waiting(self) -> tuple[int, ...]:
        return self.state.next_players

    @property
    def players(self) -> frozenset[int]:
        return self.state.players

    @property
    def can_begin(self) -> bool:
        """Whether the first round of a bracket can be drawn."""
        return self.state.can_begin

    @property
    def over(self) -> bool:
        """Whether it has a champion. An arena goes on and on."""
        return self.state.over


def add(database: Database, name: str, kind: str, game: str, seats: int = 2) -> int:
    """Adds a contest; returns its number. Raises ValueError."""
    name = check_name(name)
    try:
        rules = find(game)
    except UnknownGame as error:
        raise ValueError(str(error)) from None
    if kind not in KINDS:
        raise ValueError(f"a contest is one of {', '.join(KINDS)}")
    if not rules.fewest_seats <= seats <= rules.most_seats or (kind == BRACKET and seats != 2):
        raise ValueError(
            f"{game} is played by {rules.fewest_seats} to {rules.most_seats}, a bracket match by two"
        )
    with database.transaction() as session:
        lock_names(session)
        for (taken,) in session.rows("SELECT name FROM contest WHERE folded = ?", (fold_name(name),)):
            raise ValueError(f"there is already a contest {taken!r}")
        ((number,),) = session.rows("SELECT coalesce(max(contest_id), 0) + 1 FROM contest")
        session.insert("contest", [(number, name, kind, game, seats, fold_name(name))])
    return int(number)


def load(session: Session, number: int, *, locking: str = "") -> Contest:
    """Folds the events of a contest. Raises Refusal (not_found)."""
    rows = session.rows(
        f"SELECT name, kind, game, seats FROM contest WHERE contest_id = ?{locking}",  # noqa: S608 - of constants
        (number,),
    )
    if not rows:
        raise Refusal("not_found", "there is no such contest")
    ((name, kind, game, seats),) = rows
    contest = Contest(number, name, kind, game, Arena(seats) if kind == ARENA else Bracket())
    for (event,) in session.rows(
        "SELECT event FROM contest_event WHERE contest_id = ? ORDER BY place", (number,)
    ):
        contest = contest.after(json.loads(event))
    return contest


def append_event(session: Session, contest: Contest, event: dict[str, Any]) -> Contest:
    """Adds an event to a contest that is locked. Raises ValueError if it doesn't fit."""
    after = contest.after(event)
    session.insert("contest_event", [(contest.number, contest.events, json.dumps(event))])
    return after


def add_event(database: Database, number: int, event: dict[str, Any]) -> Contest:
    """Adds an event; returns the contest after it. Raises ValueError or Refusal (not_found)."""
    with database.transaction() as session:
        return append_event(session, load(session, number, locking=session.locking), event)


def change_players(database: Database, number: int, event: str, names: Sequence[str]) -> Contest:
    """Players join or leave by their names, all of them or none. Raises ValueError or Refusal (not_found)."""
    with database.transaction() as session:
        contest = load(session, number, locking=session.locking)
        for name in names:
            contest = append_event(session, contest, {"event": event, "player": named(session, name)})
    return contest


def open_contests(session: Session, player: int) -> list[tuple[Contest, bool]]:
    """The contests that aren't over, newest first, each with whether the player is in it."""
    contests = []
    for (number,) in session.rows("SELECT contest_id FROM contest ORDER BY contest_id DESC"):
        contest = load(session, number)
        if not contest.over:
            contests.append((contest, player in contest.players))
    return contests


def call(database: Database, number: int, table: int, player: int | None = None) -> CalledMatch | None:
    """Calls a table to the next match, or returns the one it already has; None if there is none.

    With `player`, only a match of that player. Raises Refusal (conflict, removed) if the table has another
    match of this contest, or was shut out.
    """
    with database.transaction() as session:
        # Locked: two tables that ask at once must not get the same match.
        contest = load(session, number, locking=session.locking)
        registry.check_welcome(session, table)
        open_here = [open_call for open_call in contest.calls.values() if open_call.table == table]
        for open_call in open_here:
            if player is None or player in open_call.players:
                return open_call
        due = contest.due(player)
        if due is not None and open_here:
            names = Names(session)
            who = ", ".join(names.shown(opponent) for opponent in open_here[0].players)
            raise Refusal(
                "conflict", f"first finish the match of {who} here, or ask the organiser to take it back"
            )
        if due is None:
            return None
        name, players = due
        newest = session.rows("SELECT number FROM stream WHERE table_id = ?", (table,))
        after = newest[0][0] if newest else 0
        event = {"event": "called", "match": name, "players": list(players), "table": table, "after": after}
        return append_event(session, contest, event).calls[name]


def uncall(database: Database, number: int, table: int) -> list[str]:
    """Takes back the matches that a table was called to; returns their names. Raises Refusal (not_found)."""
    with database.transaction() as session:
        contest = load(session, number, locking=session.locking)
        matches = [due.name for due in contest.calls.values() if due.table == table]
        for name in matches:
            contest = append_event(session, contest, {"event": "uncalled", "match": name})
    return matches


def remove_table(database: Database, table: int, now_s: int) -> None:
    """Shuts a table out for good and takes its matches back; results that it has sent count.

    Raises Refusal (unknown_table).
    """
    with database.transaction() as session:
        registry.remove(session, table, now_s)
    with database.reading() as session:
        numbers = [number for (number,) in session.rows("SELECT contest_id FROM contest")]
    for number in numbers:
        uncall(database, number, table)


def news(session: Session) -> list[dict[str, Any]]:
    """The newest open contests, for all tables; `called` has the players by the table's id."""
    names = Names(session)

    def shown(players: Sequence[int]) -> list[dict[str, str]]:
        return [{"player": player_name(player), "name": names.shown(player)} for player in players]

    news: list[dict[str, Any]] = []
    for (number,) in session.rows("SELECT contest_id FROM contest ORDER BY contest_id DESC"):
        contest = load(session, number)
        called = {match.table: shown(match.players) for match in contest.calls.values()}
        if not contest.over and len(news) < MOST_CONTESTS:
            news.append(
                {
                    "contest": number,
                    "name": contest.name,
                    "game": contest.game,
                    "waiting": shown(contest.waiting()[:MOST_WAITING]),
                    "called": called,
                }
            )
    return news


def news_for(table: int, every: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**contest, "called": contest["called"].get(table, [])} for contest in every]


def settle(database: Database) -> int:
    """Decides the called matches that have a result; returns how many. Many servers may do so at once."""
    with database.reading() as session:
        numbers = [number for (number,) in session.rows("SELECT contest_id FROM contest")]
        called = [number for number in numbers if load(session, number).calls]
    done = 0
    # A transaction for each contest: other servers wait for one of them, not for all.
    for number in called:
        with database.transaction() as session:
            contest = load(session, number, locking=session.locking)
            names = Names(session)
            for called_match in list(contest.calls.values()):
                winners = winners_of(session, contest, called_match, names)
                if winners is not None:
                    event = {"event": "decided", "match": called_match.name, "winners": list(winners)}
                    contest = append_event(session, contest, event)
                    done += 1
    return done


def winners_of(
    session: Session, contest: Contest, called: CalledMatch, names: Names
) -> tuple[int, ...] | None:
    """The winners of a called match; empty if it is to be played again, None without a result yet."""
    for match, number, outcome in session.rows(
        "SELECT match, number, outcome FROM result WHERE table_id = ? AND match > ? AND game = ? "
        "AND outcome IN (?, ?) ORDER BY number",
        (called.table, called.after, contest.game, WON, ENDED),
    ):
        seats = session.rows(
            "SELECT player_id, won FROM result_seat WHERE table_id = ? AND match = ? AND number = ?",
            (called.table, match, number),
        )
        played = {names.main_of(player): bool(won) for player, won in seats}
        if set(played) == {names.main_of(player) for player in called.players}:
            winners = tuple(player for player in called.players if played[names.main_of(player)])
            # A bracket's match has one winner; a tie is played again.
            tied = contest.kind == BRACKET and len(winners) != 1
            return () if outcome == ENDED or tied else winners
    return None


def contest_json(session: Session, number: int) -> dict[str, Any]:
    """A contest for the protocol. Raises Refusal (not_found)."""
    contest = load(session, number)
    names = Names(session)
    tables = {
        called_match.table: name
        for called_match in contest.calls.values()
        for (name,) in session.rows("SELECT name FROM game_table WHERE table_id = ?", (called_match.table,))
    }

    def shown(player: int) -> dict[str, str] | None:
        return {"player": player_name(player), "name": names.shown(player)} if player > 0 else None

    about: dict[str, Any] = {
        "v": statements.PROTOCOL,
        "contest": number,
        "name": contest.name,
        "kind": contest.kind,
        "game": contest.game,
        "calls": [
            {
                "match": called_match.name,
                "table": statements.table_name(called_match.table),
                "table_name": tables.get(called_match.table, ""),
                "players": [shown(player) for player in called_match.players],
            }
            for called_match in contest.calls.values()
        ],
    }
    return about | contest.state.to_json(shown)


def next_match(database: Database, table: GameTable, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answers with the match that a contest has for this table, or for a player there."""
    contest = request.get("contest")
    if type(contest) is not int:
        raise Refusal("malformed", "contest is a whole number")
    with database.reading() as session:
        names = Names(session)
        about = load(session, contest)
    player = request.get("player")
    try:
        chosen = None if player is None else names.main_of(player_of(str(player)))
    except UnknownPlayer as error:
        raise Refusal("not_found", str(error)) from None
    called = call(database, contest, table.table, chosen)
    players = called.players if called else ()
    return {
        "v": statements.PROTOCOL,
        "contest": about.name,
        "game": about.game,
        "match": called.name if called else None,
        "players": [{"player": player_name(player), "name": names.shown(player)} for player in players],
    }


def link_players(database: Database, table: GameTable, request: Mapping[str, Any]) -> dict[str, Any]:
    """Joins players of this table to players of the league; those already joined stay as they are.

    The answer counts the players that the league knows; it ignores the others.
    """
    pairs = request.get("players")
    if not isinstance(pairs, dict) or len(pairs) > MOST_PLAYERS:
        raise Refusal("malformed", f"players are an object of at most {MOST_PLAYERS}")
    with database.transaction() as session:
        secret = meta(session, "secret")
        names = Names(session)
        joined = [
            join(session, names, results.pseudonym(secret, table.table, str(local)), str(player))
            for local, player in pairs.items()
        ]
    return {"v": statements.PROTOCOL, "players": sum(joined)}


def join(session: Session, names: Names, pseudonym: int, player: str) -> bool:
    """Joins a pseudonym of a table to a player with a name; False if there is none with that id."""
    try:
        main = names.main_of(player_of(player))
    except UnknownPlayer:
        return False
    if names.names.get(main) is None:
        return False
    if pseudonym not in names.main:
        session.insert("player", [(pseudonym, main, None, 0, None)])
    return True
