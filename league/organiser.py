"""The organiser's page: seasons, contests, tables and players in the browser.

A key opens it, which `dicetable league organiser-key` prints once; the league stores its digest. A browser
that has logged in has a secret in a cookie that no script reads and no other site sends. Each form holds a
token made from that secret, so that no other site can send one.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from common import texts
from common.network import RateLimit, client_of
from common.statements import table_name
from games.registry import GAMES
from league import contests, players, registry, results
from league.contests import ARENA, Contest
from league.database import Database, Refusal, Session, meta, set_meta
from league.pages import (
    NO_STORE,
    Answer,
    FormAnswer,
    Page,
    form_routes,
    keep_cookie,
    number,
    rendered,
    table_rows,
)
from league.players import Names, digest, player_name, player_of

HOME: Final = "/organiser"
COOKIE: Final = "dicetable_organiser"
KEY: Final = "organiser_key"
"""The key in `meta` of the digest of the organiser's key."""
KEY_LETTERS: Final = 24
VISIT_S: Final = 12 * 3600
"""How long a browser stays logged in."""
MOST_FORM_BYTES: Final = 16 * 1024
TRIES: Final = (5, 10.0)
"""How many keys a client may try at once, and the seconds until each further one."""
ALL_TRIES: Final = (30, 2.0)
"""How many keys all clients together may try at once, and the seconds until each further one."""
MOST_NAMED: Final = 500
"""How many players the page lists."""


def new_key(database: Database) -> str:
    """A new key of the organiser's page; earlier ones no longer work, and all browsers are logged out."""
    key = registry.new_secret(KEY_LETTERS)
    with database.transaction() as session:
        set_meta(session, KEY, registry.hashed(key).hex())
        session.execute("DELETE FROM organiser_visit")
    return registry.grouped(key)


def log_in(database: Database, key: str, now_s: int) -> str:
    """The secret that logs a browser in; Refusal (code) for a wrong key."""
    with database.transaction() as session:
        wanted = session.rows("SELECT value FROM meta WHERE key = ?", (KEY,))
        if not wanted or not hmac.compare_digest(wanted[0][0], registry.hashed(key).hex()):
            raise Refusal("code", "that isn't the organiser's key")
        token = secrets.token_hex(32)
        session.execute("DELETE FROM organiser_visit WHERE expires_s < ?", (now_s,))
        session.insert("organiser_visit", [(digest(token), now_s + VISIT_S)])
    return token


def form_token(secret: str) -> str:
    return hmac.digest(secret.encode(), b"form", hashlib.sha256).hex()


class OrganiserPages:
    """What `/organiser` answers. Each act does one thing and returns the sentence that says so."""

    def __init__(self, database: Database, now_s: Callable[[], int]) -> None:
        self.database = database
        self.now_s = now_s
        self.tries = RateLimit(time.monotonic, *TRIES)
        self.all_tries = RateLimit(time.monotonic, *ALL_TRIES)

    def routes(self) -> dict[str, tuple[str, Answer]]:
        """Methods and answer by path."""
        acts: dict[str, Callable[[Mapping[str, str]], str]] = {
            "code": self.add_table,
            "remove-table": self.remove_table,
            "season": self.add_season,
            "contest": self.add_contest,
            "enter": self.enter_players,
            "withdraw": self.withdraw,
            "begin": self.begin,
            "uncall": self.uncall,
            "name-player": self.name_player,
            "player-code": self.player_code,
            "erase-player": self.erase_player,
            "sign-up": self.open_sign_up,
        }
        posts: dict[str, FormAnswer] = {f"/{name}": partial(self.do, act) for name, act in acts.items()}
        posts |= {"/log-in": self.log_in, "/log-out": self.log_out}
        gets = {"": self.show, "/contests/{id}": self.show}
        return form_routes(self.database, HOME, gets, posts, MOST_FORM_BYTES)

    def secret(self, session: Session, request: Request) -> str | None:
        """The secret of a browser that is logged in; None for a stranger's."""
        secret = request.cookies.get(COOKIE, "")
        rows = session.rows(
            "SELECT 1 FROM organiser_visit WHERE hash = ? AND expires_s >= ?", (digest(secret), self.now_s())
        )
        return secret if rows else None

    def show(self, request: Request) -> Response:
        path_id = request.path_params.get("id")
        return self.page(request, None if path_id is None else number(path_id))

    def page(self, request: Request, contest: int | None, notice: str = "") -> Response:
        with self.database.reading() as session:
            secret = self.secret(session, request)
            if secret is None:
                page: Page = "organiser_login.html", texts.league.ORGANISER, {}
            else:
                page = league_page(session) if contest is None else contest_page(session, contest)
                page[2].update(token=form_token(secret), notice=notice)
            return rendered(page, meta(session, "name"))

    def log_in(self, request: Request, fields: Mapping[str, str]) -> Response:
        """Takes the key; the browser is logged in from then on."""
        if not (self.tries.allows(client_of(request)) and self.all_tries.allows("")):
            raise Refusal("often", "too many tries: wait a minute")
        secret = log_in(self.database, fields.get("key", ""), self.now_s())
        response = RedirectResponse(HOME, 303, NO_STORE)
        keep_cookie(response, request, COOKIE, secret, HOME, VISIT_S)
        return response

    def log_out(self, request: Request, fields: Mapping[str, str]) -> Response:
        """Logs this browser out."""
        self.check(request, fields)
        with self.database.transaction() as session:
            secret = digest(request.cookies[COOKIE])
            session.execute("DELETE FROM organiser_visit WHERE hash = ?", (secret,))
        response = RedirectResponse(HOME, 303, NO_STORE)
        response.delete_cookie(COOKIE, path=HOME)
        return response

    def check(self, request: Request, fields: Mapping[str, str]) -> None:
        """Refusal (code, forged) unless the organiser sent this form from our page."""
        with self.database.reading() as session:
            secret = self.secret(session, request)
        if secret is None:
            raise Refusal("code", "log in first")
        if not hmac.compare_digest(fields.get("token", "").encode(), form_token(secret).encode()):
            raise Refusal("forged", "this form is not from your page")

    def do(
        self, act: Callable[[Mapping[str, str]], str], request: Request, fields: Mapping[str, str]
    ) -> Response:
        """Does what a form asks and shows the page again, with the sentence that says what was done."""
        self.check(request, fields)
        notice = act(fields)
        of_contest = number(fields["contest"]) if "contest" in fields else None
        return self.page(request, of_contest, notice)

    def add_table(self, fields: Mapping[str, str]) -> str:
        name = fields.get("name", "")
        return texts.league.code(name, registry.new_code(self.database, name, self.now_s()))

    def remove_table(self, fields: Mapping[str, str]) -> str:
        table = registry.table_of(fields.get("table", ""))
        sure(fields)
        contests.remove_table(self.database, table, self.now_s())
        with self.database.reading() as session:
            return texts.league.table_removed(registry.find(session, table).name)

    def add_season(self, fields: Mapping[str, str]) -> str:
        name, first, last = (fields.get(key, "") for key in ("name", "starts", "ends"))
        results.add_season(self.database, name, fields.get("game", ""), first, last)
        return texts.league.season_added(name, first, last)

    def add_contest(self, fields: Mapping[str, str]) -> str:
        name, kind = fields.get("name", ""), fields.get("kind", "")
        seats = number(fields.get("seats", "2")) if kind == ARENA else 2
        added = contests.add(self.database, name, kind, fields.get("game", ""), seats)
        return texts.league.contest_added(added, name)

    def enter_players(self, fields: Mapping[str, str]) -> str:
        names = [line.strip() for line in fields.get("players", "").splitlines() if line.strip()]
        contest = contests.change_players(self.database, number(fields.get("contest", "")), "joined", names)
        return texts.league.entered(names, contest.name)

    def withdraw(self, fields: Mapping[str, str]) -> str:
        player = player_of(fields.get("player", ""))
        event = {"event": "left", "player": player}
        contest = contests.add_event(self.database, number(fields.get("contest", "")), event)
        with self.database.reading() as session:
            return texts.league.withdrawn([Names(session).private_name(player)], contest.name)

    def begin(self, fields: Mapping[str, str]) -> str:
        contest = contests.add_event(self.database, number(fields.get("contest", "")), {"event": "begun"})
        return texts.league.begun(contest.name)

    def uncall(self, fields: Mapping[str, str]) -> str:
        table = registry.table_of(fields.get("table", ""))
        matches = contests.uncall(self.database, number(fields.get("contest", "")), table)
        return texts.league.uncalled(matches) if matches else texts.league.NOT_CALLED

    def name_player(self, fields: Mapping[str, str]) -> str:
        player, name = fields.get("player", ""), fields.get("name", "")
        players.name_player(self.database, player_of(player), name)
        return texts.league.player_named(player, name)

    def player_code(self, fields: Mapping[str, str]) -> str:
        player = player_of(fields.get("player", ""))
        code, name = players.new_code(self.database, player, self.now_s())
        return texts.league.player_code(name, code)

    def erase_player(self, fields: Mapping[str, str]) -> str:
        player = player_of(fields.get("player", ""))
        sure(fields)
        players.erase(self.database, player)
        return texts.league.NAME_DELETED

    def open_sign_up(self, fields: Mapping[str, str]) -> str:
        is_open = fields.get("open") == "yes"
        players.open_sign_up(self.database, is_open=is_open)
        return texts.league.SIGN_UP_OPENED if is_open else texts.league.SIGN_UP_CLOSED


def sure(fields: Mapping[str, str]) -> None:
    if fields.get("sure") != "yes":
        raise Refusal("malformed", "tick the box first")


def league_page(session: Session) -> Page:
    """Contests, seasons, tables and players, with the forms that change them."""
    names = Names(session)
    named = sorted((name, player) for player, name in names.names.items())[:MOST_NAMED]
    tables = results.tables(session)
    every = session.rows("SELECT contest_id FROM contest ORDER BY contest_id DESC")
    values: dict[str, Any] = {
        "contests": [contest_row(contests.load(session, contest)) for (contest,) in every],
        "seasons": [
            (
                (f"/seasons/{season.season}", season.name),
                day(season.starts_s),
                day(season.ends_s - 1),
                texts.games.title(season.game) if season.game else texts.league.ALL_GAMES,
            )
            for season in results.seasons(session)
        ],
        "tables": table_rows(tables),
        "removable": [(table["table"], table["name"]) for table in tables if not table["removed"]],
        "players": [
            ((f"/players/{player_name(player)}", name + hidden(player, names)), player_name(player))
            for name, player in named
        ],
        "named": [(player_name(player), name) for name, player in named],
        "games": [(game, texts.games.title(game)) for game in GAMES],
        "sign_up_is_open": players.sign_up_is_open(session),
    }
    return "organiser.html", texts.league.ORGANISER, values


def hidden(player: int, names: Names) -> str:
    return "" if player in names.public else f" ({texts.league.HIDDEN})"


def contest_row(contest: Contest) -> tuple[object, ...]:
    return (
        (f"{HOME}/contests/{contest.number}", contest.name),
        texts.league.KINDS[contest.kind],
        texts.games.title(contest.game),
        len(contest.players),
    )


def contest_page(session: Session, contest_id: int) -> Page:
    """A contest: who is in it, what is played, and the forms that change it."""
    contest, names = contests.load(session, contest_id), Names(session)
    tables = {table["table"]: table["name"] for table in results.tables(session)}
    entrants = sorted((names.private_name(player), player_name(player)) for player in contest.players)
    values: dict[str, Any] = {
        "contest": contest,
        "heading": f"{contest.name}: {texts.games.title(contest.game)}",
        "entrants": [(player, name) for name, player in entrants],
        "can_begin": contest.can_begin,
        "calls": [
            (
                table_name(called.table),
                tables.get(table_name(called.table), table_name(called.table)),
                ", ".join(names.private_name(player) for player in called.players),
            )
            for called in contest.calls.values()
        ],
    }
    return "organiser_contest.html", contest.name, values


def day(at_s: int) -> str:
    return datetime.fromtimestamp(at_s, UTC).date().isoformat()
