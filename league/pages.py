"""The pages for everyone, the same as JSON, and a player's own page.

Templates are in `templates/`; they escape every text. Pages for everyone are made anew for each request, and
their script asks for them again every few seconds. A player's browser has a secret in a cookie, which is sent
to `/me` alone.
"""

import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from importlib.resources import files
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qs, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from common import texts
from common.network import RateLimit, client_of
from common.texts.catalogue import LANGUAGE
from league import contests, players, registry, results
from league.database import Database, Refusal, Session, meta
from league.replay import LiveMatches

Answer: TypeAlias = Callable[[Request], Awaitable[Response] | Response]
"""What answers a request; a thread runs it if it is no coroutine."""
FormAnswer: TypeAlias = Callable[[Request, Mapping[str, str]], Response]
"""What answers a form, in a thread."""
Page: TypeAlias = tuple[str, str, dict[str, Any]]
"""The name of a template, the title of the page, and what the template shows."""

KINDS: Final = {
    "icon.svg": "image/svg+xml",
    "league.css": "text/css; charset=utf-8",
    "league.js": "text/javascript; charset=utf-8",
}
NO_STORE: Final = {"cache-control": "no-store"}
NEWEST: Final = 100
"""How many matches of a player are listed."""
OWN: Final = "/me"
COOKIE: Final = "dicetable_player"
MOST_FORM_BYTES: Final = 1000
SAME_SITE: Final = ("same-origin", "none")
"""What `sec-fetch-site` says where a page of ours asks, or a person who typed the address."""
SIGN_UPS: Final = (5, 60.0)
"""How often a client may sign up at once, and the seconds until each further time."""
ALL_SIGN_UPS: Final = (60, 5.0)
"""How often all clients together may sign up at once, and the seconds until each further time."""

TEMPLATES: Final = Environment(
    loader=PackageLoader("league"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)
TEMPLATES.globals |= {"t": texts.league, "lang": LANGUAGE, "game_title": texts.games.title}


def rendered(page: Page, league: str, status: int = 200, *, fresh: bool = False) -> Response:
    """A page, which a script keeps up to date if it is `fresh`."""
    template, title, values = page
    html = TEMPLATES.get_template(template).render(title=title, league=league, fresh=fresh, **values)
    return HTMLResponse(html, status, NO_STORE)


def message(title: str, text: str, back: str) -> Page:
    return "message.html", title, {"message": text, "back": back}


@cache
def static_files() -> Mapping[str, bytes]:
    folder = files("league").joinpath("static")
    return {name: folder.joinpath(name).read_bytes() for name in KINDS}


class PublicPages:
    """The pages for everyone."""

    def __init__(self, database: Database, now_s: Callable[[], int]) -> None:
        self.database = database
        self.now_s = now_s
        self.live = LiveMatches()

    def routes(self) -> dict[str, Answer]:
        pages: dict[str, Callable[[Session, str], Page]] = {
            "/": self.home,
            "/seasons/{id}": self.season,
            "/tables": self.all_tables,
            "/tables/{id}": self.table,
            "/players/{id}": self.player,
            "/contests/{id}": self.contest,
        }
        data: dict[str, Callable[[Session, str], Any]] = {
            "/v1/standings/{id}": lambda session, path_id: results.standings_json_of(
                session, number(path_id)
            ),
            "/v1/tables/{id}": self.table_json,
            "/v1/players/{id}": self.player_json,
            "/v1/contests/{id}": lambda session, path_id: contests.contest_json(session, number(path_id)),
        }
        return {
            **{path: partial(self.html, page) for path, page in pages.items()},
            **{path: partial(self.json, make) for path, make in data.items()},
            "/static/{name}": self.static,
        }

    def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in KINDS:
            raise Refusal("not_found", "there is no such thing")
        return Response(static_files()[name], media_type=KINDS[name], headers={"cache-control": "no-cache"})

    def html(self, page: Callable[[Session, str], Page], request: Request) -> Response:
        with self.database.reading() as session:
            content = page(session, request.path_params.get("id", ""))
            return rendered(content, meta(session, "name"), fresh=True)

    def json(self, make: Callable[[Session, str], Any], request: Request) -> Response:
        with self.database.reading() as session:
            made = json.dumps(make(session, request.path_params["id"]), separators=(",", ":"))
        return Response(made, media_type="application/json", headers=NO_STORE)

    def home(self, session: Session, _: str) -> Page:
        seasons = results.seasons(session)
        begun = [season for season in seasons if season.starts_s <= self.now_s()]
        rows = session.rows("SELECT contest_id, name FROM contest ORDER BY contest_id DESC")
        values = {
            "seasons": seasons,
            "contests": rows,
            "sign_up_is_open": players.sign_up_is_open(session),
            **standings(session, begun[-1] if begun else None),
        }
        return "home.html", texts.league.TITLE, values

    def season(self, session: Session, path_id: str) -> Page:
        season = results.season_of(session, number(path_id))
        return "season.html", season.name, standings(session, season)

    def contest(self, session: Session, path_id: str) -> Page:
        about = contests.contest_json(session, number(path_id))
        calls = [
            (
                (f"/tables/{called['table']}", called["table_name"] or called["table"][:6]),
                ", ".join(player["name"] for player in called["players"]),
            )
            for called in about["calls"]
        ]
        values = {
            "about": about,
            "heading": f"{about['name']}: {texts.games.title(about['game'])}",
            "calls": calls,
            "called": {called["match"] for called in about["calls"]},
            "places": [(place["points"], place["name"]) for place in about.get("places", ())],
            "sides": {side: rounds(side, about.get("matches", ())) for side in texts.league.SIDES},
        }
        return "contest.html", about["name"], values

    def all_tables(self, session: Session, _: str) -> Page:
        return "tables.html", texts.league.TABLES, {"rows": table_rows(results.tables(session))}

    def table(self, session: Session, path_id: str) -> Page:
        """The page of a table: its games, and its incidents that an organiser should look into."""
        table = registry.find(session, registry.table_of(path_id))
        about = results.trust(session, table.table)
        about["seen"] = minute_of(about["seen_s"])
        incidents = {
            texts.league.INCIDENTS[name]: (
                [texts.league.INCIDENT_HEADS[key] for key in listed[0]],
                [[str(value) for value in incident.values()] for incident in listed],
            )
            for name, listed in results.incidents(session, table.table).items()
            if listed
        }
        values = {
            "live": results.live(session, self.live, table.table),
            "trust": {name: about[key] for key, name in texts.league.TRUST_FACTS.items()},
            "incidents": incidents,
        }
        return "table.html", table.name, values

    def table_json(self, session: Session, path_id: str) -> dict[str, Any]:
        table = registry.find(session, registry.table_of(path_id))
        return {
            "v": 1,
            "table": path_id,
            "name": table.name,
            "live": results.live(session, self.live, table.table),
            "rows": results.trust(session, table.table),
            "incidents": results.incidents(session, table.table),
        }

    def player(self, session: Session, path_id: str) -> Page:
        about = self.player_json(session, path_id)
        seasons = [
            (
                (f"/seasons/{season['season']}", season["season_name"]),
                season["place"],
                season["points"],
                season["won"],
            )
            for season in about["seasons"]
        ]
        return (
            "player.html",
            about["shown"],
            {"seasons": seasons, "matches": match_rows(about["results"])},
        )

    def player_json(self, session: Session, path_id: str) -> dict[str, Any]:
        try:
            player = players.player_of(path_id)
            players.check_seen(session, player)
        except players.UnknownPlayer as error:
            raise Refusal("not_found", str(error)) from None
        names = players.Names(session)
        seasons = [
            {"season": season.season, "season_name": season.name, "place": place.place}
            | {"points": place.points, "won": place.won}
            for season in results.seasons(session)
            if (place := results.place_of(session, season.season, player)) is not None
        ]
        return {
            "v": 1,
            "player": players.player_name(names.main_of(player)),
            "shown": names.shown(player),
            "seasons": seasons,
            "results": players.newest_results(session, names, player, NEWEST),
        }


def number(text: str) -> int:
    """A whole number in a path; Refusal (not_found) if it is none."""
    if not (text.isascii() and text.isdecimal()) or len(text) > 15:
        raise Refusal("not_found", "there is no such thing")
    return int(text)


def standings(session: Session, season: results.Season | None) -> dict[str, Any]:
    places = results.standings(session, season.season) if season else []
    rows = [
        (place.place, (f"/players/{place.player}", place.name), place.points, place.won, place.played)
        for place in places
    ]
    return {"season": season, "places": rows}


def table_rows(
    tables: Sequence[Mapping[str, Any]],
) -> list[tuple[object, ...]]:
    return [
        (
            (
                f"/tables/{table['table']}",
                table["name"] + (f" ({texts.league.REMOVED})" if table["removed"] else ""),
            ),
            minute_of(table["seen_s"]),
            *(table[key] for key in ("row", "matches", "broken", "forks", "epoch", "missing_rows")),
        )
        for table in tables
    ]


def match_rows(results: Sequence[Mapping[str, Any]]) -> list[tuple[object, ...]]:
    return [
        (
            result["at_utc"][:16].replace("T", " "),
            texts.games.title(result["game"]),
            texts.league.outcome(result["outcome"]),
            "★" if result["won"] else "",
            result["points"],
            (f"/tables/{result['table']}", result["table"][:6]),
        )
        for result in results
    ]


def minute_of(at_s: int) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%d %H:%M UTC") if at_s else texts.league.NEVER


def rounds(side: str, matches: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """The matches of one side of a bracket by round, without byes and a second final that no one reached."""
    by_round: dict[str, list[Mapping[str, Any]]] = {}
    for match in matches:
        played = not match["bye"] and (match["match"] != "F2" or any(match["players"]))
        if match["match"].startswith(side) and played:
            by_round.setdefault(match["match"].partition("-")[0], []).append(match)
    return by_round


class OwnPages:
    """What a player sees and does at `/me`: sign up or come in with a code, contests, own data."""

    def __init__(self, database: Database, now_s: Callable[[], int]) -> None:
        self.database = database
        self.now_s = now_s
        self.sign_ups = RateLimit(time.monotonic, *SIGN_UPS)
        self.all_sign_ups = RateLimit(time.monotonic, *ALL_SIGN_UPS)

    def routes(self) -> dict[str, tuple[str, Answer]]:
        posts: dict[str, FormAnswer] = {
            "/sign-up": self.sign_up,
            "/enter": self.enter,
            "/code": self.code,
            "/show": partial(self.do, self.show),
            "/contest": partial(self.do, self.contest),
            "/erase": partial(self.do, self.erase),
            "/leave": partial(self.do, self.leave),
        }
        gets = {"": self.home, "/export": self.export}
        return form_routes(self.database, OWN, gets, posts, MOST_FORM_BYTES)

    def player(self, session: Session, request: Request) -> int:
        """Whose browser it is; Refusal (code) for a stranger's."""
        token = request.cookies.get(COOKIE, "")
        player = players.logged_in(session, token, self.now_s()) if token else None
        if player is None:
            raise Refusal("code", "sign up first, or open your page with a code from the organiser")
        return player

    def home(self, request: Request) -> Response:
        """The player's page, or the forms to sign up and to come in with a code."""
        with self.database.reading() as session:
            try:
                page = self.own_page(session, self.player(session, request))
            except Refusal:
                is_open = players.sign_up_is_open(session)
                page = "sign_up.html", texts.league.OWN_PAGE, {"sign_up_is_open": is_open}
            return rendered(page, meta(session, "name"))

    def own_page(self, session: Session, player: int) -> Page:
        names = players.Names(session)
        main = names.main_of(player)
        values = {
            "name": names.names.get(main),
            "name_is_shown": main in names.public,
            "shown": names.shown(player),
            "pseudonyms": [players.player_name(pseudonym) for pseudonym in names.all_of(player)],
            "contests": contests.open_contests(session, main),
            "matches": match_rows(players.newest_results(session, names, player, NEWEST)),
        }
        return "me.html", texts.league.OWN_PAGE, values

    def sign_up(self, request: Request, fields: Mapping[str, str]) -> Response:
        if not (self.sign_ups.allows(client_of(request)) and self.all_sign_ups.allows("")):
            raise Refusal("often", "too many people are signing up at once: try again in a minute")
        name, is_shown = fields.get("name", ""), fields.get("shown") == "yes"
        return logged_in(request, players.sign_up(self.database, name, self.now_s(), is_shown=is_shown))

    def enter(self, request: Request, fields: Mapping[str, str]) -> Response:
        return logged_in(request, players.enter(self.database, fields.get("code", ""), self.now_s()))

    def code(self, request: Request, _: Mapping[str, str]) -> Response:
        """A code that opens this page on another device."""
        with self.database.reading() as session:
            player, league = self.player(session, request), meta(session, "name")
        code, name = players.new_code(self.database, player, self.now_s())
        return rendered(message(texts.league.OTHER_DEVICE, texts.league.player_code(name, code), OWN), league)

    def export(self, request: Request) -> Response:
        with self.database.reading() as session:
            data = json.dumps(players.everything(session, self.player(session, request)), indent=1)
        headers = {**NO_STORE, "content-disposition": 'attachment; filename="dice-league.json"'}
        return Response(data, media_type="application/json", headers=headers)

    def do(
        self, act: Callable[[int, Mapping[str, str], str], None], request: Request, fields: Mapping[str, str]
    ) -> Response:
        """Does what a form asks, and goes on to the player's page."""
        with self.database.reading() as session:
            player = self.player(session, request)
        act(player, fields, request.cookies[COOKIE])
        return RedirectResponse(OWN, 303, NO_STORE)

    def show(self, player: int, fields: Mapping[str, str], _: str) -> None:
        players.show_name(self.database, player, is_shown=fields.get("shown") == "yes")

    def contest(self, player: int, fields: Mapping[str, str], _: str) -> None:
        """Joins or leaves a contest, under a name."""
        with self.database.reading() as session:
            names = players.Names(session)
        main, event = names.main_of(player), fields.get("event")
        if main not in names.names or event not in ("joined", "left"):
            raise Refusal("malformed", "contests are for players with a name")
        contest = number(fields.get("contest", ""))
        contests.add_event(self.database, contest, {"event": event, "player": main})

    def erase(self, player: int, fields: Mapping[str, str], token: str) -> None:
        """Drops the name, if the box was ticked."""
        if fields.get("sure") != "yes":
            raise Refusal("malformed", "tick the box to delete your name")
        players.erase(self.database, player, players.digest(token))

    def leave(self, _: int, __: Mapping[str, str], token: str) -> None:
        players.log_out(self.database, token)


def logged_in(request: Request, token: str) -> Response:
    response = RedirectResponse(OWN, 303, NO_STORE)
    keep_cookie(response, request, COOKIE, token, OWN, players.VISIT_S)
    return response


# What the forms of a player's and the organiser's pages share.


def form_routes(
    database: Database,
    home: str,
    gets: Mapping[str, Callable[[Request], Response]],
    posts: Mapping[str, FormAnswer],
    most_bytes: int,
) -> dict[str, tuple[str, Answer]]:
    """Methods and answer by path, below `home`, where every refusal is a page.

    What a form holds may be a ValueError or an UnknownPlayer. A browser that opens or reloads the address of
    a form is sent home.
    """

    def refused(refusal: Refusal) -> Response:
        if refusal.cause == "away":
            raise refusal
        with database.reading() as session:
            league = meta(session, "name")
        why = f"{str(refusal)[:1].upper()}{str(refusal)[1:]}."
        return rendered(message(texts.league.REFUSED, why, home), league, refusal.status)

    def shown(answer: Callable[[Request], Response], request: Request) -> Response:
        try:
            return answer(request)
        except Refusal as refusal:
            return refused(refusal)

    async def done(answer: FormAnswer, request: Request) -> Response:
        if request.method == "GET":
            return RedirectResponse(home, 303, NO_STORE)
        try:
            return await run_in_threadpool(answer, request, await form(request, most_bytes))
        except (ValueError, players.UnknownPlayer) as error:
            refusal = Refusal("malformed", str(error))
        except Refusal as error:
            refusal = error
        return await run_in_threadpool(refused, refusal)

    return {
        **{home + path: ("GET", partial(shown, answer)) for path, answer in gets.items()},
        **{home + path: ("GET POST", partial(done, answer)) for path, answer in posts.items()},
    }


def keep_cookie(
    response: Response, request: Request, name: str, value: str, path: str, age_s: int | None = None
) -> None:
    """A cookie that no script reads and no other site sends; only over HTTPS if the browser used it."""
    secure = request.headers.get("x-forwarded-proto", request.url.scheme) == "https"
    response.set_cookie(name, value, age_s, path=path, secure=secure, httponly=True, samesite="strict")


async def body_of(request: Request, most_bytes: int, why: str) -> bytes:
    """The body of a request; Refusal (too_large) before more than that was read."""
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > most_bytes:
            raise Refusal("too_large", why)
    return bytes(data)


async def form(request: Request, most_bytes: int) -> dict[str, str]:
    """The fields of a form on a page of ours; Refusal (forged, too_large, malformed)."""
    origin = request.headers.get("origin", "")
    foreign = origin and urlsplit(origin).netloc != request.headers.get("host", "")
    if foreign or request.headers.get("sec-fetch-site", "none") not in SAME_SITE:
        raise Refusal("forged", "another site has sent this form")
    data = await body_of(request, most_bytes, "this form isn't from these pages")
    try:
        fields = parse_qs(data.decode(), max_num_fields=8, strict_parsing=bool(data))
    except ValueError:
        raise Refusal("malformed", "this form isn't from these pages") from None
    return {name: values[0] for name, values in fields.items()}
