"""Players of a league: pseudonyms, names, sign-up, logins, and everything that is stored about one of them.

A player of a table has a pseudonym made with the league's secret. People sign up with a name, or the
organiser names them and joins the pseudonyms that one person has at several tables. A name is shown only if
its owner agreed. Erasing a name leaves the pseudonym.
"""

import hashlib
import json
import re
import secrets
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, Final

from common import statements
from common.texts.plain import fold_name
from league.database import Database, Refusal, Session, lock_names, set_meta
from league.registry import CODE_LIFE_S, check_name, grouped, hashed, new_secret

SHORT: Final = 6
ALL: Final = 2**62
"""The limit of a query without a limit."""
VISIT_S: Final = 30 * 24 * 3600
"""How long a browser stays logged in."""
TOKEN_BYTES: Final = 32
SIGN_UP: Final = "sign_up"
"""The key in `meta` that says whether people may sign up; without it they may."""
LIKE_A_PSEUDONYM: Final = re.compile(r"player [0-9a-f]{6}", re.IGNORECASE)


class UnknownPlayer(LookupError):  # noqa: N818 - as the errors of games are
    """There is no such player; the text says what is."""


def player_name(player: int) -> str:
    return f"{player:016x}"


def player_of(text: str) -> int:
    """The id in 16 hexadecimal digits; raises UnknownPlayer for any other text."""
    try:
        player = int(text, 16)
    except ValueError:
        player = -1
    if not 0 <= player < 2**63 or player_name(player) != text:
        raise UnknownPlayer(f"{text!r} is no player: a player has 16 hexadecimal digits")
    return player


class Names:
    """The names and joined pseudonyms of a league, as they are when it is made."""

    def __init__(self, session: Session) -> None:
        self.main: dict[int, int] = {}
        self.names: dict[int, str] = {}
        self.public: set[int] = set()
        for player, main, name, is_shown in session.rows(
            "SELECT player_id, main_id, name, is_shown FROM player"
        ):
            self.main[player] = main
            if name is not None:
                self.names[player] = name
            if is_shown:
                self.public.add(player)

    def main_of(self, player: int) -> int:
        """The pseudonym under which a player is ranked."""
        return self.main.get(player, player)

    def shown(self, player: int) -> str:
        """What everyone sees: the name, if its owner agreed, or the pseudonym."""
        main = self.main_of(player)
        name = self.names.get(main) if main in self.public else None
        return name or f"player {player_name(main)[:SHORT]}"

    def private_name(self, player: int) -> str:
        """What the organiser and the player see: the name, shown to others or not, or the pseudonym."""
        return self.names.get(self.main_of(player)) or self.shown(player)

    def all_of(self, player: int) -> list[int]:
        """Every pseudonym of a player."""
        main = self.main_of(player)
        return sorted({main} | {player for player, main_player in self.main.items() if main_player == main})


def check_seen(session: Session, player: int) -> None:
    """Raises UnknownPlayer unless the pseudonym has played or has a name."""
    rows = session.rows("SELECT 1 FROM player WHERE player_id = ?", (player,))
    if not rows and not session.rows("SELECT 1 FROM result_seat WHERE player_id = ? LIMIT 1", (player,)):
        raise UnknownPlayer(f"no player is known as {player_name(player)}: see the standings")


# Names that the organiser gives.


def name_player(database: Database, player: int, name: str) -> None:
    """Gives a pseudonym a name, or joins it to the player who has that name.

    A new name is shown: the organiser has the player's consent. Raises ValueError or UnknownPlayer.
    """
    name = check_name(name)
    with database.transaction() as session:
        check_seen(session, player)
        owner = owner_of(session, name, player)
        main = player if owner is None else owner
        session.insert("player", [(player, main, None, 1, None)])
        session.execute("UPDATE player SET main_id = ? WHERE main_id = ?", (main, player))
        session.execute(
            "UPDATE player SET main_id = ?, is_shown = CASE WHEN name IS NULL THEN 1 ELSE is_shown END, "
            "name = ?, folded = ? WHERE player_id = ?",
            (main, *((name, fold_name(name)) if main == player else (None, None)), player),
        )


def named(session: Session, name: str) -> int:
    """The player with that name; a new one if there is none. Raises ValueError."""
    name = check_name(name)
    owner = owner_of(session, name)
    if owner is None:
        owner = secrets.randbits(62)
        session.insert("player", [(owner, owner, name, 1, fold_name(name))])
    return owner


def owner_of(session: Session, name: str, player: int | None = None) -> int | None:
    """The player with that name, None if it is free; until the transaction ends it stays so.

    Raises ValueError if another name looks like it, unless it is that of `player`.
    """
    lock_names(session)
    rows = session.rows("SELECT player_id, name FROM player WHERE folded = ?", (fold_name(name),))
    if not rows:
        return None
    ((owner, owner_name),) = rows
    if owner_name != name and owner != player:
        raise ValueError(
            f"{name!r} looks like {owner_name!r}, another player's name: write that, or choose another"
        )
    return int(owner)


# Names that people give themselves.


def sign_up_is_open(session: Session) -> bool:
    return not session.rows("SELECT 1 FROM meta WHERE key = ? AND value = 'closed'", (SIGN_UP,))


def open_sign_up(database: Database, *, is_open: bool) -> None:
    with database.transaction() as session:
        set_meta(session, SIGN_UP, "open" if is_open else "closed")


def sign_up(database: Database, name: str, now_s: int, *, is_shown: bool) -> str:
    """Adds a player with a name of their own; returns the secret that logs the browser in.

    Raises ValueError for a name that cannot be, Refusal (closed, conflict) if it is taken.
    """
    name = check_name(" ".join(unicodedata.normalize("NFKC", name).split()))
    if LIKE_A_PSEUDONYM.fullmatch(name):
        raise ValueError("that looks like a pseudonym: choose another name")
    player = secrets.randbits(62)
    with database.transaction() as session:
        if not sign_up_is_open(session):
            raise Refusal("closed", "sign-up is closed: ask the organiser")
        # Adds nothing if the folded name is there already, also from another server at this moment.
        session.insert("player", [(player, player, name, int(is_shown), fold_name(name))])
        if not session.rows("SELECT 1 FROM player WHERE player_id = ?", (player,)):
            raise Refusal("conflict", "that name is taken: choose another, or ask the organiser for a code")
        return log_in(session, player, now_s)


def show_name(database: Database, player: int, *, is_shown: bool) -> None:
    with database.transaction() as session:
        main = Names(session).main_of(player)
        session.execute("UPDATE player SET is_shown = ? WHERE player_id = ?", (int(is_shown), main))


def erase(database: Database, player: int, visit: bytes = b"") -> None:
    """Drops the name of a player; the results stay, under the pseudonym. Raises UnknownPlayer.

    Logs all browsers out but that of `visit`, the digest of its secret.
    """
    with database.transaction() as session:
        check_seen(session, player)
        names = Names(session)
        main = names.main_of(player)
        session.execute(
            "UPDATE player SET name = NULL, folded = NULL, is_shown = 0 WHERE player_id = ?", (main,)
        )
        for pseudonym in names.all_of(player):
            session.execute("DELETE FROM player_code WHERE player_id = ?", (pseudonym,))
            session.execute("DELETE FROM visit WHERE player_id = ? AND hash <> ?", (pseudonym, visit))
    database.forget()


# Logins: a one-time code, then a secret in the browser. Only digests of both are stored. They are those of
# the player for whom the code was made: once that pseudonym is joined to another player they open nothing,
# so that no table can let one person in as another.


def new_code(database: Database, player: int, now_s: int) -> tuple[str, str]:
    """A code that opens a player's page once within a day, and the player's name. Raises UnknownPlayer."""
    code = new_secret()
    with database.transaction() as session:
        check_seen(session, player)
        session.execute("DELETE FROM player_code WHERE expires_s < ?", (now_s,))
        names = Names(session)
        session.insert("player_code", [(hashed(code), names.main_of(player), now_s + CODE_LIFE_S)])
        return grouped(code), names.private_name(player)


def enter(database: Database, code: str, now_s: int) -> str:
    """Uses a code up; returns the secret that logs the browser in. Raises Refusal (code)."""
    with database.transaction() as session:
        rows = session.rows(
            "DELETE FROM player_code WHERE hash = ? AND expires_s >= ? RETURNING player_id",
            (hashed(code), now_s),
        )
        if not rows:
            raise Refusal("code", "there is no such code, or it is too old: ask the organiser for a new one")
        return log_in(session, rows[0][0], now_s)


def log_in(session: Session, player: int, now_s: int) -> str:
    token = secrets.token_hex(TOKEN_BYTES)
    session.execute("DELETE FROM visit WHERE expires_s < ?", (now_s,))
    session.insert("visit", [(digest(token), player, now_s + VISIT_S)])
    return token


def logged_in(session: Session, token: str, now_s: int) -> int | None:
    rows = session.rows(
        "SELECT player_id FROM visit WHERE hash = ? AND expires_s >= ?", (digest(token), now_s)
    )
    if not rows:
        return None
    player = int(rows[0][0])
    return player if Names(session).main_of(player) == player else None


def log_out(database: Database, token: str) -> None:
    with database.transaction() as session:
        session.execute("DELETE FROM visit WHERE hash = ?", (digest(token),))


def digest(token: str) -> bytes:
    """The hash that is stored in place of a secret of 256 random bits."""
    return hashlib.sha256(token.encode()).digest()


# What is stored about a player.


def everything(session: Session, player: int) -> dict[str, Any]:
    """All that the league has about a player, without rows of matches, which are the opponents' too.

    Raises UnknownPlayer.
    """
    check_seen(session, player)
    names = Names(session)
    main = names.main_of(player)
    every = names.all_of(player)
    marks = ", ".join("?" * len(every))

    def until_s(table: str) -> list[int]:
        sql = f"SELECT expires_s FROM {table} WHERE player_id IN ({marks}) ORDER BY expires_s"  # noqa: S608 - of constants
        return [expires_s for (expires_s,) in session.rows(sql, tuple(every))]

    return {
        "player": player_name(main),
        "name": names.names.get(main),
        "name_is_shown": main in names.public,
        "pseudonyms": [player_name(pseudonym) for pseudonym in every],
        "results": [result for pseudonym in every for result in results(session, pseudonym)],
        "contests": list(contest_events(session, every)),
        "codes_valid_until_s": until_s("player_code"),
        "browsers_known_until_s": until_s("visit"),
    }


def contest_events(session: Session, every: Sequence[int]) -> Iterator[dict[str, Any]]:
    """What happened to the player with these pseudonyms in contests, in order, without the opponents."""
    playing: dict[tuple[str, str], int] = {}
    for contest, text in session.rows(
        "SELECT c.name, e.event FROM contest_event e JOIN contest c ON c.contest_id = e.contest_id "
        "ORDER BY e.contest_id, e.place"
    ):
        event = json.loads(text)
        match = str(event.get("match", ""))
        about = {"contest": contest, "event": event["event"]}
        if event.get("player") in every:
            yield {**about, "player": player_name(event["player"])}
        for player in event.get("players", ()):
            if player in every:
                playing[contest, match] = player
                table = statements.table_name(event["table"])
                yield {**about, "player": player_name(player), "match": match, "table": table}
        if event["event"] in ("decided", "uncalled") and (contest, match) in playing:
            player = playing.pop((contest, match))
            won = player in event.get("winners", ())
            yield {**about, "player": player_name(player), "match": match, "won": won}


def export(database: Database, player: int) -> dict[str, Any]:
    with database.reading() as session:
        return everything(session, player)


def results(session: Session, player: int, most: int = ALL) -> list[dict[str, Any]]:
    rows = session.rows(
        "SELECT r.table_id, r.match, r.game, r.at_utc, r.at_s, r.outcome, s.points, s.won FROM result_seat s "
        "JOIN result r ON r.table_id = s.table_id AND r.match = s.match AND r.number = s.number "
        "WHERE s.player_id = ? ORDER BY r.at_s DESC, r.table_id, r.number DESC LIMIT ?",
        (player, most),
    )
    keys = ("table", "match", "game", "at_utc", "at_s", "outcome", "points", "won")
    return [
        {**dict(zip(keys, columns, strict=True)), "table": statements.table_name(columns[0])}
        for columns in rows
    ]


def newest_results(session: Session, names: Names, player: int, most: int) -> list[dict[str, Any]]:
    newest = [result for pseudonym in names.all_of(player) for result in results(session, pseudonym, most)]
    return sorted(newest, key=lambda result: -result["at_s"])[:most]
