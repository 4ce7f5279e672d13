"""`/records`, `/players/NAME` and `/dice`: what the ledger says of players and dice, for guests.

The table counts, which takes long; its answers are cached, so that a room of guests costs one counting. Every
text in the pages is escaped.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from common import texts
from gateway import charts
from gateway.charts import MOST_ROWS, Drawing, accent, luck_of, skill_of
from gateway.link import BusyError, TableLink
from gateway.pages import compressible, gzipped, looks, template
from gateway.settings import Look

DOTS: Final = (".", "..")
"""Names that browsers take for steps in a path: they have no page."""
Answer: TypeAlias = Mapping[str, Any]
HTML: Final = "text/html; charset=utf-8"
NO_STORE: Final = {"cache-control": "no-store"}
COUNTING_S: Final = 125.0
"""Longest wait for the table, whose program may take two minutes."""
WAIT_S: Final = 3.0
"""How long a guest waits for a counting; after that the page says what the table is doing."""
KEPT_S: Final = 30.0
KEPT_TIMES: Final = 20.0
"""An answer is kept this many times as long as it took to count."""


class NotFoundError(Exception):
    """There is nothing by that name; a sentence for guests."""


class RecordsPages:
    """Answers each path."""

    def __init__(self, look: Look, link: TableLink) -> None:
        self.look = look
        self.cache = RecordsCache(link)
        self.newest: dict[str, tuple[Answer, bytes, bytes]] = {}

    async def records(self, request: Request) -> Response:
        """The newest evening and all players."""
        return await self.everything(request, "players", texts.gateway.RECORDS, records_page)

    async def dice(self, request: Request) -> Response:
        """Every die."""
        return await self.everything(request, "dice", texts.gateway.DICE, dice_page)

    async def everything(
        self, request: Request, kind: str, heading: str, make: Callable[[Look, Answer], bytes]
    ) -> Response:
        """A long page, rendered once for each counting, however many guests open it."""

        def answered(counted: Answer) -> Response:
            made_of, plain, packed = self.newest.get(kind, (None, b"", b""))
            if made_of is not counted:
                plain = make(self.look, counted)
                packed = gzipped(plain)
                self.newest[kind] = (counted, plain, packed)
            return compressible(request, plain, HTML, lambda _: packed)

        return await self.page(kind, heading, answered)

    async def player(self, request: Request) -> Response:
        """One player."""
        name = request.path_params["name"]

        def answered(counted: Answer) -> Response:
            page = player_page(self.look, player_named(counted, name), counted["players"])
            return compressible(request, page, HTML, gzipped)

        return await self.page("players", name, answered)

    async def evening_picture(self, _: Request) -> Response:
        """The newest evening as a picture."""
        return await self.picture(lambda counted: charts.evening_picture(self.look, evening_of(counted)))

    async def player_picture(self, request: Request) -> Response:
        """One player as a picture."""
        name = request.path_params["name"]
        return await self.picture(
            lambda counted: charts.player_picture(self.look, player_named(counted, name), counted["players"])
        )

    async def best(self, _: Request) -> Response:
        """The records of all time, JSON; 503 while the table has not counted them."""
        try:
            counted = await self.counted("players")
        except (BusyError, CountingError):
            return Response(status_code=503)
        return JSONResponse({"v": 1, "best": counted.get("best", [])}, headers=NO_STORE)

    async def page(self, kind: str, heading: str, answered: Callable[[Answer], Response]) -> Response:
        """A page of what the table counted, or one that says why there is none."""
        status, state = 503, ""
        try:
            return answered(await self.counted(kind))
        except CountingError:
            sentence, status, state = texts.gateway.COUNTING, 200, "counting"
        except NotFoundError as error:
            sentence, status = str(error), 404
        except BusyError as error:
            sentence = str(error) or texts.gateway.RECORDS_AWAY
        return Response(note_page(self.look, heading, sentence, state), status, NO_STORE, HTML)

    async def picture(self, make: Callable[[Answer], bytes]) -> Response:
        """A picture of what the table counted; 404 where a page says why there is none."""
        try:
            drawn = make(await self.counted("players"))
        except (BusyError, CountingError, NotFoundError):
            return Response(status_code=404)
        return Response(drawn, 200, NO_STORE, "image/svg+xml")

    async def counted(self, kind: str) -> Answer:
        """What the table counted. Raises BusyError with a sentence if it could not."""
        counted = await self.cache.get(kind)
        if counted.get("failed"):
            raise BusyError(texts.gateway.RECORDS_FAILED)
        return counted


def player_named(counted: Answer, name: str) -> Answer:
    for player in counted["players"]:
        if player["name"] == name:
            return dict(player)
    raise NotFoundError(texts.gateway.NO_PLAYER)


def evening_of(counted: Answer) -> Answer:
    if counted["evening"] is None:
        raise NotFoundError(texts.gateway.NO_GAMES)
    return dict(counted["evening"])


class CountingError(Exception):
    """The table is still counting."""


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """The table's answer, None if it gave none: when it came, how long it took, and the connection."""

    counted: dict[str, Any] | None
    at_s: float
    took_s: float
    connection: object

    def is_fresh(self, now_s: float) -> bool:
        least_s = 0.0 if self.counted is None else KEPT_S
        return now_s < self.at_s + max(least_s, KEPT_TIMES * self.took_s)


class RecordsCache:
    """Has the table count `players` or `dice`, and caches its answers. `now_s` never goes back."""

    def __init__(self, link: TableLink, now_s: Callable[[], float] = time.monotonic) -> None:
        self.link = link
        self.now_s = now_s
        self.known: dict[str, CachedAnswer] = {}
        self.counting: dict[str, asyncio.Task[CachedAnswer]] = {}

    async def get(self, kind: str) -> dict[str, Any]:
        """The newest answer.

        Raises:
            CountingError: there is none yet.
            BusyError: the table is away, or refuses to count.
        """
        if self.link.writer is None:
            raise BusyError
        cached = self.known.get(kind)
        if cached is not None and cached.connection is not self.link.writer:
            cached = None  # names may have been erased while the table was away
        if cached is None or not cached.is_fresh(self.now_s()):
            task = self.counting.get(kind)
            if task is None or task.done():
                task = self.counting[kind] = asyncio.create_task(self.count(kind))
            done, _ = await asyncio.wait((task,), timeout=WAIT_S)
            cached = task.result() if done else cached
        if cached is None:
            raise CountingError
        if cached.counted is None:
            raise BusyError
        return cached.counted

    async def count(self, kind: str) -> CachedAnswer:
        """Asks the table and caches its answer; keeps the one before if it gives none on this connection."""
        connection, began_s = self.link.writer, self.now_s()
        before = self.known.get(kind)
        counted = before.counted if before is not None and before.connection is connection else None
        with suppress(BusyError):
            answer = await self.link.ask("records", {"what": kind}, COUNTING_S)
            counted = json.loads(answer.body) if answer.accepted else counted
        now_s = self.now_s()
        cached = self.known[kind] = CachedAnswer(counted, now_s, now_s - began_s, connection)
        return cached


def whole_page(look: Look, heading: str, main: Iterable[str], picture: str = "", state: str = "") -> bytes:
    """A whole page of sections, with the path of a picture to share.

    `state` is `counting` if it has to be loaded again, `wall` if it keeps itself up to date.
    """
    share = (
        f'<button id="share" type="button" data-picture="{escape(picture)}">'
        f"{escape(texts.gateway.SHARE)}</button>"
    )
    named = looks(look) | {"title": f"{escape(heading)} · {looks(look)['title']}"}
    page = template("records.html").substitute(
        named,
        game=escape(texts.gateway.GAME),
        records=escape(texts.gateway.RECORDS),
        dice=escape(texts.gateway.DICE),
        bar=escape(look.name or texts.gateway.TITLE),
        share=share if picture else "",
        state=state,
        main="\n".join(main),
    )
    return page.encode()


def note_page(look: Look, heading: str, sentence: str, state: str = "") -> bytes:
    main = [f"<h1>{escape(heading)}</h1>", f'<p class="note">{escape(sentence)}</p>']
    return whole_page(look, heading, main, state=state)


def records_page(look: Look, counted: Mapping[str, Any]) -> bytes:
    evening = counted["evening"]
    if evening is None:
        return note_page(look, texts.gateway.RECORDS, texts.gateway.NO_GAMES, "wall")
    shown = [
        f'<section id="evening"><h1>{escape(evening["day"])}</h1>',
        paragraph(evening["counted"]),
        figure(charts.wins(finishers(evening)[:MOST_ROWS], accent(look)), texts.gateway.WINS),
        "</section>",
        f'<section id="highlights">{listed(evening["highlights"], "highlights")}</section>',
        f'<section id="all"><h2>{escape(texts.gateway.ALL_GAMES)}</h2>',
        listed(counted["records"], "highlights"),
        f"<ol>{''.join(player_row(player) for player in finishers(counted))}</ol></section>",
        f'<section id="matches">{listed(evening["matches"], "matches")}</section>',
    ]
    return whole_page(look, texts.gateway.RECORDS, shown, "/pictures/evening", "wall")


def finishers(counted: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The players who played a game to its end."""
    return [player for player in counted["players"] if any(player["played"].values())]


def player_row(player: Mapping[str, Any]) -> str:
    name = escape(player["name"])
    if player["name"] not in DOTS:
        name = f'<a href="{player_path(player["name"])}">{name}</a>'
    won, played = sum(player["won"].values()), sum(player["played"].values())
    return f"<li>{name} <span>{escape(texts.statistics.won(won, played))}</span></li>"


def player_path(name: str) -> str:
    return f"/players/{escape(quote(name, safe=''))}"


def player_page(look: Look, player: Mapping[str, Any], players: Sequence[Mapping[str, Any]]) -> bytes:
    won, played = sum(player["won"].values()), sum(player["played"].values())
    shown = [
        f'<section id="player"><h1>{escape(player["name"])}</h1>',
        f'<p class="big"><strong>{won}</strong> {escape(texts.gateway.of_games(played))}</p>',
        paragraph(texts.gateway.streaks(player["longest_streak"], player["streak"])),
        figure(charts.form(player["form"], accent(look)), texts.gateway.FORM) if player["form"] else "",
        "</section>",
    ]
    if rows := luck_of(player):
        shown += [
            f"<section><h2>{escape(texts.gateway.LUCK)}</h2>",
            figure(charts.luck(rows), texts.gateway.LUCK_TEXT),
            "</section>",
        ]
    for game in player["skill"]:
        chart = charts.skill(skill_of(game, player["name"], players), player["name"], accent(look))
        shown += [
            f"<section><h2>{escape(texts.gateway.skill_in(game))}</h2>",
            figure(chart, texts.gateway.SKILL_TEXT),
            "</section>",
        ]
    shown += [
        f'<section id="games"><h2>{escape(texts.gateway.BY_GAME)}</h2><div>',
        *(
            game_of(player, game)
            for game in dict.fromkeys((*player["played"], *player["luck"], *player["skill"]))
        ),
        "</div></section>",
    ]
    return whole_page(look, player["name"], shown, f"/pictures{player_path(player['name'])}")


def game_of(player: Mapping[str, Any], game: str) -> str:
    played = player["played"].get(game, 0)
    facts = [texts.statistics.won(player["won"].get(game, 0), played)] if played else []
    if (luck := player["luck"].get(game)) is not None:
        facts.append(texts.gateway.luck(game, luck["came"], luck["expected"], luck["times"]))
    if (skill := player["skill"].get(game)) is not None:
        facts.append(texts.gateway.skill(skill["chips_lost"], skill["decisions"]))
    return f"<div><h3>{escape(texts.games.title(game))}</h3>{listed(facts, 'facts')}</div>"


def dice_page(look: Look, counted: Mapping[str, Any]) -> bytes:
    dice = counted["dice"]
    if not dice:
        return note_page(look, texts.gateway.DICE, texts.gateway.NO_DICE)
    shown = [f"<header><h1>{escape(texts.gateway.DICE)}</h1>{paragraph(texts.gateway.DICE_TEXT)}</header>"]
    for die in dice:
        title = texts.statistics.title(die["name"], die["kind"], die["throws"])
        verdict = die["words"][:1].upper() + die["words"][1:]
        shown.append(
            f'<section class="die"><div><h2>{escape(title)}</h2>'
            f'<p class="verdict {escape(die["verdict"])}">{escape(verdict)}.</p></div>'
            f"{charts.faces(die).svg(texts.statistics.FACES_PLOT)}"
            f"{charts.evidence(die['curve']).svg(texts.statistics.EVIDENCE_PLOT)}</section>"
        )
    return whole_page(look, texts.gateway.DICE, shown)


def figure(drawing: Drawing, caption: str) -> str:
    return f"<figure>{drawing.svg(caption)}<figcaption>{escape(caption)}</figcaption></figure>"


def listed(lines: Sequence[str], name: str) -> str:
    return f'<ul class="{name}">{"".join(f"<li>{escape(line)}</li>" for line in lines)}</ul>' if lines else ""


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""
