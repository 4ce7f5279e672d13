"""Players of a league: pseudonyms, the names that stand for them, and everything that is kept of one.

A player of a table has a pseudonym made with the league's secret. The organiser may give it a name, and join
the pseudonyms that somebody has at several tables. Erasing a name leaves the pseudonym.
"""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any, Final

from dicetable.league import statements
from dicetable.league.registry import checked_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dicetable.league.database import Database, Session

SHORT: Final = 6
ALL: Final = 2**62
"""As a limit of a query: none."""


class UnknownPlayer(LookupError):  # noqa: N818 - as the errors of games are
    """There is no such player; the text says what is."""


def player_name(player: int) -> str:
    """The id of a player as pages and the protocol write it: 16 hexadecimal digits."""
    return f"{player:016x}"


def player_of(text: str) -> int:
    """The id in 16 hexadecimal digits; UnknownPlayer if it is none."""
    try:
        player = int(text, 16)
    except ValueError:
        player = -1
    if not 0 <= player < 2**63 or player_name(player) != text:
        raise UnknownPlayer(f"{text!r} is no player: a player has 16 hexadecimal digits")
    return player


class Names:
    """The names and joined pseudonyms of a league."""

    def __init__(self, session: Session) -> None:
        self.main: dict[int, int] = {}
        self.names: dict[int, str | None] = {}
        for player, main, name in session.rows("SELECT player_id, main_id, name FROM player"):
            self.main[player] = main
            self.names[player] = name

    def main_of(self, player: int) -> int:
        """The pseudonym under which a player is ranked."""
        return self.main.get(player, player)

    def shown(self, player: int) -> str:
        """The player's name, or what stands for it."""
        main = self.main_of(player)
        return self.names.get(main) or f"player {player_name(main)[:SHORT]}"

    def all_of(self, player: int) -> list[int]:
        """Every pseudonym of a player."""
        main = self.main_of(player)
        return sorted({main} | {each for each, other in self.main.items() if other == main})


def name_player(database: Database, player: int, name: str) -> None:
    """Gives a pseudonym a name, or joins it to the player who has it. ValueError, UnknownPlayer."""
    name = checked_name(name)
    with database.transaction() as session:
        check_seen(session, player)
        found = session.rows("SELECT player_id FROM player WHERE name = ?", (name,))
        main = found[0][0] if found else player
        session.insert("player", [(player, main, None if found else name)])
        session.execute("UPDATE player SET main_id = ? WHERE main_id = ?", (main, player))
        session.execute(
            "UPDATE player SET main_id = ?, name = ? WHERE player_id = ?",
            (main, name if main == player else None, player),
        )


def named(session: Session, name: str) -> int:
    """The player of that name; a new one if nobody has it. ValueError."""
    name = checked_name(name)
    found = session.rows("SELECT player_id FROM player WHERE name = ?", (name,))
    if found:
        return int(found[0][0])
    player = secrets.randbits(62)
    session.insert("player", [(player, player, name)])
    return player


def check_seen(session: Session, player: int) -> None:
    """UnknownPlayer unless somebody has played under this pseudonym."""
    known = session.rows("SELECT 1 FROM player WHERE player_id = ?", (player,))
    if not known and not session.rows("SELECT 1 FROM result_seat WHERE player_id = ? LIMIT 1", (player,)):
        raise UnknownPlayer(f"nobody has played as {player_name(player)}: see the standings")


def erase(database: Database, player: int, visit: bytes = b"") -> None:
    """Drops the name of a player; the results stay, under the pseudonym.

    No browser stays logged in but that of `visit`, the digest of its secret. Raises UnknownPlayer.
    """
    with database.transaction() as session:
        check_seen(session, player)
        names = Names(session)
        session.execute("UPDATE player SET name = NULL WHERE player_id = ?", (names.main_of(player),))
        for each in names.all_of(player):
            session.execute("DELETE FROM player_code WHERE player_id = ?", (each,))
            session.execute("DELETE FROM visit WHERE player_id = ? AND hash <> ?", (each, visit))
    database.forget()


def everything(session: Session, player: int) -> dict[str, Any]:
    """All that the league has of a player, without rows of matches: they are others' too. UnknownPlayer."""
    check_seen(session, player)
    names = Names(session)
    every = names.all_of(player)
    marks = ", ".join("?" * len(every))

    def until_s(table: str) -> list[int]:
        sql = f"SELECT expires_s FROM {table} WHERE player_id IN ({marks}) ORDER BY expires_s"  # noqa: S608
        return [expires_s for (expires_s,) in session.rows(sql, tuple(every))]

    return {
        "player": player_name(names.main_of(player)),
        "name": names.names.get(names.main_of(player)),
        "pseudonyms": [player_name(each) for each in every],
        "results": [result for each in every for result in results(session, each)],
        "contests": list(contest_events(session, every)),
        "codes_valid_until_s": until_s("player_code"),
        "browsers_known_until_s": until_s("visit"),
    }


def contest_events(session: Session, every: Sequence[int]) -> Iterator[dict[str, Any]]:
    """What happened to somebody with these pseudonyms in contests, in order, and nothing of the others."""
    playing: dict[tuple[str, str], int] = {}
    for contest, text in session.rows(
        "SELECT c.name, e.event FROM contest_event e JOIN contest c ON c.contest_id = e.contest_id "
        "ORDER BY e.contest_id, e.place"
    ):
        event = json.loads(text)
        match = str(event.get("match", ""))
        told = {"contest": contest, "event": event["event"]}
        if event.get("player") in every:
            yield {**told, "player": player_name(event["player"])}
        for player in event.get("players", ()):
            if player in every:
                playing[contest, match] = player
                table = statements.table_name(event["table"])
                yield {**told, "player": player_name(player), "match": match, "table": table}
        if event["event"] in ("decided", "uncalled") and (contest, match) in playing:
            player = playing.pop((contest, match))
            won = player in event.get("winners", ())
            yield {**told, "player": player_name(player), "match": match, "won": won}


def export(database: Database, player: int) -> dict[str, Any]:
    """All that the league has of a player. UnknownPlayer."""
    with database.reading() as session:
        return everything(session, player)


def results(session: Session, player: int, most: int = ALL) -> list[dict[str, Any]]:
    """The matches of a pseudonym, newest first."""
    found = session.rows(
        "SELECT r.table_id, r.match, r.game, r.at_utc, r.at_s, r.outcome, s.points, s.won FROM result_seat s "
        "JOIN result r ON r.table_id = s.table_id AND r.match = s.match AND r.number = s.number "
        "WHERE s.player_id = ? ORDER BY r.at_s DESC, r.table_id, r.number DESC LIMIT ?",
        (player, most),
    )
    keys = ("table", "match", "game", "at_utc", "at_s", "outcome", "points", "won")
    return [
        {**dict(zip(keys, columns, strict=True)), "table": statements.table_name(columns[0])}
        for columns in found
    ]
