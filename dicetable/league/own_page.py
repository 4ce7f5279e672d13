"""A player's own page: all that is kept of him, to take along or to delete.

A browser that came in with a code has a secret in a cookie, which is sent to these pages alone.
"""

from __future__ import annotations

import json
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from dicetable import texts
from dicetable.league import players, visits
from dicetable.league.database import meta
from dicetable.league.html import button, facts, field, link, section, table_of
from dicetable.league.refusals import Refusal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request

    from dicetable.league.database import Database, Session

    Framed = Callable[[str, str, str], str]
    Answer = Callable[[Request], Awaitable[Response]]

PATH: Final = "/me"
COOKIE: Final = "dicetable_player"
MOST_FORM_BYTES: Final = 1000
NO_STORE: Final = {"cache-control": "no-store"}
SAME_SITE: Final = ("same-origin", "none")
"""What browsers say of a request of the page itself, or of somebody who typed the address."""
RECENT: Final = 100
"""Matches that are listed."""


class OwnPages:
    """What each path answers. `framed` puts a title and content into the frame of all pages."""

    def __init__(self, database: Database, now_s: Callable[[], int], framed: Framed) -> None:
        self.database = database
        self.now_s = now_s
        self.framed = framed

    def routes(self) -> dict[str, tuple[str, Answer]]:
        """Methods and answer by path."""
        gets: dict[str, Answer] = {
            "": partial(self.show, self.home),
            "/export": self.export,
        }
        posts: dict[str, Answer] = {
            "/enter": self.enter,
            "/erase": partial(self.do, self.erase),
            "/leave": partial(self.do, self.leave),
        }
        return {
            **{PATH + path: ("GET", self.readable(answer)) for path, answer in gets.items()},
            **{PATH + path: ("GET POST", posted(self.readable(answer))) for path, answer in posts.items()},
        }

    def player(self, session: Session, request: Request) -> int | None:
        """Whose browser it is."""
        token = request.cookies.get(COOKIE, "")
        return visits.player_of(session, token, self.now_s()) if token else None

    async def show(
        self, make: Callable[[Session, int, Mapping[str, str]], tuple[str, str]], request: Request
    ) -> Response:
        """A page for the player, or the form for the code."""

        def made() -> str:
            with self.database.reading() as session:
                player = self.player(session, request)
                title, content = (
                    (texts.league.OWN_PAGE, entrance())
                    if player is None
                    else make(session, player, request.path_params)
                )
                league = meta(session, "name")
            return self.framed(title, content, league)

        return Response(await run_in_threadpool(made), media_type="text/html", headers=NO_STORE)

    async def problem(self, refusal: Refusal) -> Response:
        """A page that says why something was refused."""

        def made() -> str:
            with self.database.reading() as session:
                league = meta(session, "name")
            why = escape(str(refusal)[:1].upper() + str(refusal)[1:])
            said = f"<p class=refused>{why}.</p><p>{link(PATH, texts.league.OWN_PAGE)}</p>"
            return self.framed(texts.league.OWN_PAGE, section(texts.league.REFUSED, said), league)

        html = await run_in_threadpool(made)
        return Response(html, refusal.status, NO_STORE, "text/html")

    def readable(self, answer: Answer) -> Answer:
        """The answer; for people, what is refused is a page."""

        async def answered(request: Request) -> Response:
            try:
                return await answer(request)
            except Refusal as refusal:
                if refusal.cause == "away":
                    raise
                return await self.problem(refusal)

        return answered

    async def do(self, act: Callable[[int, Mapping[str, str], str], str], request: Request) -> Response:
        """Does what a form asks, and goes on to the page that shows it; Refusal (code) to strangers."""
        given = await form(request)

        def done() -> str:
            with self.database.reading() as session:
                player = self.player(session, request)
            if player is None:
                raise Refusal("code", "open your page with a code of the organiser first")
            return act(player, given, request.cookies[COOKIE])

        return RedirectResponse(await run_in_threadpool(done), 303, NO_STORE)

    async def enter(self, request: Request) -> Response:
        """Takes a code; the browser is known from then on."""
        code = (await form(request)).get("code", "")
        token = await run_in_threadpool(visits.enter, self.database, code, self.now_s())
        response = RedirectResponse(PATH, 303, NO_STORE)
        secure = request.headers.get("x-forwarded-proto", request.url.scheme) == "https"
        response.set_cookie(
            COOKIE, token, visits.VISIT_S, path=PATH, secure=secure, httponly=True, samesite="strict"
        )
        return response

    async def export(self, request: Request) -> Response:
        """Everything that is kept of the player, as a file."""

        def found() -> bytes:
            with self.database.reading() as session:
                player = self.player(session, request)
                if player is None:
                    raise Refusal("code", "open your page with a code of the organiser first")
                return json.dumps(players.everything(session, player), indent=1).encode()

        headers = {**NO_STORE, "content-disposition": 'attachment; filename="dice-league.json"'}
        return Response(await run_in_threadpool(found), media_type="application/json", headers=headers)

    def erase(self, player: int, given: Mapping[str, str], token: str) -> str:
        """Drops the key to the name, if the box was ticked."""
        if given.get("sure") != "yes":
            raise Refusal("malformed", "tick the box to delete your name")
        players.erase(self.database, player, visits.digest(token))
        return PATH

    def leave(self, _: int, __: Mapping[str, str], token: str) -> str:
        """Forgets the browser."""
        visits.leave(self.database, token)
        return PATH

    def home(self, session: Session, player: int, _: Mapping[str, str]) -> tuple[str, str]:
        """Who the player is, his matches, and what he may do with all of it."""
        names = players.Names(session)
        name = names.names.get(names.main_of(player))
        about = facts(
            {
                texts.league.NAME: name or texts.league.NO_NAME,
                texts.league.SHOWN_AS: names.shown(player),
                texts.league.KNOWN_AS: ", ".join(map(players.player_name, names.all_of(player))),
            }
        )
        results = [each for one in names.all_of(player) for each in players.results(session, one, RECENT)]
        rows = [
            (
                escape(each["at_utc"][:16].replace("T", " ")),
                escape(texts.games.title(each["game"])),
                escape(texts.league.outcome(each["outcome"])),
                "★" if each["won"] else "",
                each["points"],
            )
            for each in sorted(results, key=lambda each: -each["at_s"])[:RECENT]
        ]
        played = table_of(("When", "Game", "Outcome", "Won", "Points"), rows) if rows else ""
        take = f"<p>{link(f'{PATH}/export', texts.league.TAKE_ALONG)}</p>"
        delete = button(
            f"{PATH}/erase", texts.league.DELETE_NAME, {}, field("sure", texts.league.SURE, box=True)
        )
        erase = section(texts.league.DELETE_NAME, f"<p>{escape(texts.league.DELETED)}</p>{delete}")
        content = section(name or names.shown(player), about) + section(texts.league.YOUR_MATCHES, played)
        leave = button(f"{PATH}/leave", texts.league.LEAVE, {})
        return texts.league.OWN_PAGE, content + section(texts.league.YOUR_DATA, take + leave) + (
            erase if name else ""
        )


def posted(answer: Answer) -> Answer:
    """The answer to a form; whoever opens or reloads its address is sent to the page of the player."""

    async def answered(request: Request) -> Response:
        return await answer(request) if request.method == "POST" else RedirectResponse(PATH, 303, NO_STORE)

    return answered


def entrance() -> str:
    """The form for the code."""
    return section(
        texts.league.OWN_PAGE,
        f"<p>{escape(texts.league.ASK_ORGANISER)}</p>"
        + button(f"{PATH}/enter", texts.league.OPEN, {}, field("code", texts.league.CODE)),
    )


async def form(request: Request) -> dict[str, str]:
    """What a form of these pages sent; Refusal (forged) if another site sent it, (too_large, malformed)."""
    if request.headers.get("sec-fetch-site", "none") not in SAME_SITE:
        raise Refusal("forged", "another site has sent this form")
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > MOST_FORM_BYTES:
            raise Refusal("too_large", "this is no form of these pages")
    try:
        found = parse_qs(data.decode(), max_num_fields=8, strict_parsing=bool(data))
    except ValueError:
        raise Refusal("malformed", "this is no form of these pages") from None
    return {name: values[0] for name, values in found.items()}
