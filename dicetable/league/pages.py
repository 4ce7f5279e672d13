"""The pages for browsers and televisions, and the same as JSON. Every text in them is escaped."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache, partial
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from dicetable import texts
from dicetable.league import contest_page, contests, folding, players, registry, standings
from dicetable.league.database import meta
from dicetable.league.html import facts, link, section, table_of
from dicetable.league.refusals import Refusal
from dicetable.league.replay import LiveMatches
from dicetable.texts.catalogue import LANGUAGE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request

    from dicetable.league.database import Database, Session

TRUST: Final = {
    "row": "Newest row",
    "epoch": "Epoch",
    "matches": "Matches",
    "broken": "Do not replay",
    "again": "Played to an end again",
    "forks": "Forked rows",
    "missing_rows": "Missing rows",
}
KINDS: Final = {
    "icon.svg": "image/svg+xml",
    "league.css": "text/css; charset=utf-8",
    "league.js": "text/javascript; charset=utf-8",
}


@cache
def static_files() -> Mapping[str, bytes]:
    """The files that the pages are made of, by name."""
    folder = files("dicetable.league").joinpath("static")
    return {name: folder.joinpath(name).read_bytes() for name in KINDS}


@cache
def template() -> Template:
    """The frame of every page."""
    return Template(files("dicetable.league").joinpath("static", "page.html").read_text("utf-8"))


def framed(title: str, content: str, league: str) -> str:
    """A page in its frame."""
    return template().substitute(
        lang=LANGUAGE,
        title=escape(title),
        league=escape(league),
        content=content,
        tables=texts.league.TABLES,
        own=texts.league.OWN_PAGE,
        stale=texts.league.STALE,
    )


class LeaguePages:
    """What each path answers. Each request makes its page anew; the script asks again every few seconds."""

    def __init__(self, database: Database, now_s: Callable[[], int]) -> None:
        self.database = database
        self.now_s = now_s
        self.live = LiveMatches()

    def routes(self) -> dict[str, Callable[[Request], Awaitable[Response]]]:
        """The answers by path."""
        made: dict[str, Callable[[Session, str], tuple[str, str]]] = {
            "/": self.home,
            "/seasons/{id}": self.season,
            "/tables": self.all_tables,
            "/tables/{id}": self.table,
            "/players/{id}": self.player,
            "/contests/{id}": self.contest,
        }
        told: dict[str, Callable[[Session, str], Any]] = {
            "/v1/standings/{id}": lambda session, given: standings.standings_json_of(session, number(given)),
            "/v1/tables/{id}": self.told_table,
            "/v1/players/{id}": self.told_player,
            "/v1/contests/{id}": lambda session, given: contests.told(session, number(given)),
        }
        return {
            **{path: partial(self.page, make) for path, make in made.items()},
            **{path: partial(self.told, tell) for path, tell in told.items()},
            "/static/{name}": self.static,
        }

    def alive(self) -> None:
        """Asks the database; Refusal (away)."""
        with self.database.reading() as session:
            meta(session, "schema")

    async def static(self, request: Request) -> Response:
        """A file that the pages are made of."""
        name = request.path_params["name"]
        if name not in KINDS:
            raise Refusal("not_found", "there is no such thing")
        return Response(static_files()[name], media_type=KINDS[name], headers={"cache-control": "no-cache"})

    async def page(self, make: Callable[[Session, str], tuple[str, str]], request: Request) -> Response:
        """A page of HTML."""
        given = request.path_params.get("id", "")
        html = await run_in_threadpool(self.framed, make, given)
        return Response(html, media_type="text/html", headers={"cache-control": "no-store"})

    def framed(self, make: Callable[[Session, str], tuple[str, str]], given: str) -> str:
        """A page in its frame."""
        with self.database.reading() as session:
            title, content = make(session, given)
            league = meta(session, "name")
        return framed(title, content, league)

    async def told(self, tell: Callable[[Session, str], Any], request: Request) -> Response:
        """The same as JSON."""

        def found() -> Any:
            with self.database.reading() as session:
                return tell(session, request.path_params["id"])

        content = json.dumps(await run_in_threadpool(found), separators=(",", ":"))
        return Response(content, media_type="application/json", headers={"cache-control": "no-store"})

    def home(self, session: Session, _: str) -> tuple[str, str]:
        """All seasons, and the standings of the newest that has begun."""
        seasons = folding.seasons(session)
        begun = [each for each in seasons if each.starts_s <= self.now_s()]
        content = self.standings(session, begun[-1]) if begun else section(texts.league.STANDINGS, "")
        listed = "".join(f"<li>{link(f'/seasons/{each.season}', each.name)}</li>" for each in seasons)
        found = session.rows("SELECT contest_id, name FROM contest ORDER BY contest_id DESC")
        held = "".join(f"<li>{link(f'/contests/{each}', name)}</li>" for each, name in found)
        content += section(texts.league.CONTESTS, f"<ul>{held}</ul>") if held else ""
        return texts.league.TITLE, content + section(
            texts.league.SEASONS, f"<ul>{listed}</ul>" if listed else ""
        )

    def season(self, session: Session, given: str) -> tuple[str, str]:
        """The standings of a season."""
        season = standings.season_of(session, number(given))
        return season.name, self.standings(session, season)

    def standings(self, session: Session, season: folding.Season) -> str:
        """A season's standings."""
        places = standings.standings(session, season.season)
        rows = [
            (each.place, link(f"/players/{each.player}", each.name), each.points, each.won, each.played)
            for each in places
        ]
        title = f"{texts.league.STANDINGS}: {season.name}"
        return section(title, table_of(texts.league.PLACE, rows) if rows else "")

    def contest(self, session: Session, given: str) -> tuple[str, str]:
        """An arena or a bracket."""
        about = contests.told(session, number(given))
        return about["name"], contest_page.content(about)

    def all_tables(self, session: Session, _: str) -> tuple[str, str]:
        """Every table, and what does not fit at it."""
        rows = [
            (
                link(f"/tables/{each['table']}", each["name"]),
                each["row"],
                each["matches"],
                each["broken"],
                each["forks"],
                each["epoch"],
                each["missing_rows"],
            )
            for each in standings.tables(session)
        ]
        heads = ("Table", "Newest row", "Matches", "Do not replay", "Forked rows", "Epoch", "Missing rows")
        return texts.league.TABLES, section(texts.league.TABLES, table_of(heads, rows) if rows else "")

    def table(self, session: Session, given: str) -> tuple[str, str]:
        """A table: what is played there, and what an organiser should look into."""
        found = registry.find(session, registry.table_of(given))
        live = standings.live(session, self.live, found.table)
        about = standings.trust(session, found.table)
        content = section(found.name, game(live) if live["playing"] else escape(texts.league.NO_MATCH))
        seen = datetime.fromtimestamp(about["seen_s"], UTC).strftime("%Y-%m-%d %H:%M UTC")
        content += section(
            "Trust", facts({**{TRUST[key]: about[key] for key in TRUST}, "Last heard of": seen})
        )
        for name, listed in standings.incidents(session, found.table).items():
            if listed:
                rows = [tuple(escape(str(value)) for value in each.values()) for each in listed]
                content += section(name.capitalize(), table_of(tuple(listed[0]), rows))
        return found.name, content

    def told_table(self, session: Session, given: str) -> dict[str, Any]:
        """The same as JSON."""
        found = registry.find(session, registry.table_of(given))
        return {
            "v": 1,
            "table": given,
            "name": found.name,
            "live": standings.live(session, self.live, found.table),
            "rows": standings.trust(session, found.table),
            "incidents": standings.incidents(session, found.table),
        }

    def player(self, session: Session, given: str) -> tuple[str, str]:
        """A player's matches."""
        about = self.told_player(session, given)
        rows = [
            (
                escape(each["at_utc"][:16].replace("T", " ")),
                escape(texts.games.title(each["game"])),
                escape(texts.league.outcome(each["outcome"])),
                "★" if each["won"] else "",
                each["points"],
                link(f"/tables/{each['table']}", each["table"][:6]),
            )
            for each in about["results"]
        ]
        played = table_of(("When", "Game", "Outcome", "Won", "Points", "Table"), rows) if rows else ""
        seasons = [
            (
                link(f"/seasons/{each['season']}", each["season_name"]),
                each["place"],
                each["points"],
                each["won"],
            )
            for each in about["seasons"]
        ]
        places = table_of(("Season", "Place", "Points", "Won"), seasons) if seasons else ""
        return about["shown"], section(texts.league.SEASONS, places) + section(about["shown"], played)

    def told_player(self, session: Session, given: str) -> dict[str, Any]:
        """A player's seasons and newest matches; Refusal (not_found)."""
        try:
            player = players.player_of(given)
            players.check_seen(session, player)
        except players.UnknownPlayer as error:
            raise Refusal("not_found", str(error)) from None
        names = players.Names(session)
        main = players.player_name(names.main_of(player))
        found = [
            {"season": season.season, "season_name": season.name, "place": each.place}
            | {"points": each.points, "won": each.won}
            for season in folding.seasons(session)
            if (each := standings.place_of(session, season.season, player)) is not None
        ]
        newest = [each for one in names.all_of(player) for each in players.results(session, one, 100)]
        newest.sort(key=lambda each: each["at_s"], reverse=True)
        return {
            "v": 1,
            "player": main,
            "shown": names.shown(player),
            "seasons": found,
            "results": newest[:100],
        }


def number(given: str) -> int:
    """A whole number in a path; Refusal (not_found) if it is none."""
    if not (given.isascii() and given.isdecimal()) or len(given) > 15:
        raise Refusal("not_found", "there is no such thing")
    return int(given)


def game(live: dict[str, Any]) -> str:
    """What is played at a table: each seat with what the rules say of it."""
    asked = live["prompt"].get("seat", "")
    seats = "".join(
        f"<li{' class=asked' if each['seat'] == asked else ''}><span>{escape(str(each['seat']))}</span>"
        f"<b>{escape(', '.join(told(each)))}</b></li>"
        for each in live["state"].get("seats", [])
    )
    return f"<h3>{escape(texts.games.title(live['game']))}</h3><ul class=seats>{seats}</ul>"


def told(seat: dict[str, Any]) -> list[str]:
    """What the rules say of a seat, but for lists, in words."""
    return [f"{key} {value}" for key, value in seat.items() if key != "seat" and isinstance(value, int | str)]
