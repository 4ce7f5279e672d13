"""Log in, log out, pair a display, and what paired displays show."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from starlette.responses import RedirectResponse, Response

from dicetable import texts
from dicetable.gateway.operator.displays import COOKIE as DISPLAY
from dicetable.gateway.operator.displays import new_name
from dicetable.gateway.operator.entrance import lives_s
from dicetable.gateway.operator.guard import SESSION, RequestRefusedError, answer, text_of
from dicetable.gateway.operator.pages import page
from dicetable.gateway.streams import event
from dicetable.network.addresses import client_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from starlette.requests import Request

    from dicetable.gateway.operator.entrance import Entrance

BROWSER: Final = "dicetable_login"
WHERE: Final = "/operator"
ALIVE_S: Final = 10.0
YEAR_S: Final = 365 * 24 * 3600


class Login:
    """The paths that do not need a session. `show_code` tells the panel, and whether it shows the code."""

    def __init__(self, entrance: Entrance, show_code: Callable[[str, int], Awaitable[bool]]) -> None:
        self.entrance = entrance
        self.show_code = show_code

    def form(self, request: Request) -> Response:
        """The page to log in."""
        response = page("login", {"data-passphrase": "yes" if self.entrance.settings.passphrase else ""})
        if not request.cookies.get(BROWSER):
            keep_cookie(response, request, BROWSER, new_name())
        return response

    async def code(self, request: Request) -> Response:
        """Has a code shown where only people at the table see it.

        Answers for how long it is valid, `lives_s`, and whether the `panel` and paired `displays` show it;
        the `code` itself only to a display that shows codes.
        """
        await self.entrance.stranger(request)
        browser = request.cookies.get(BROWSER, "")
        code = self.entrance.new_code(browser, client_of(request)) if browser else None
        if code is None:
            raise RequestRefusedError(429, texts.operator.TOO_MANY_CODES)
        on_panel = await self.show_code(code.grouped, lives_s())
        here = self.entrance.displays.shows_codes(request)
        if not (on_panel or here or self.entrance.displays.paired):
            raise RequestRefusedError(503, texts.operator.NOWHERE_TO_SHOW)
        told = {"lives_s": lives_s(), "panel": on_panel, "displays": bool(self.entrance.displays.paired)}
        return answer({**told, "code": code.grouped if here else ""})

    async def log_in(self, request: Request) -> Response:
        """Begins a session, as a cookie, if `code` and `passphrase` are right."""
        body = await self.entrance.stranger(request)
        typed, passphrase = text_of(body, "code"), text_of(body, "passphrase")
        name = await self.entrance.log_in(request.cookies.get(BROWSER, ""), typed, passphrase)
        if name is None:
            asked = self.entrance.settings.passphrase
            raise RequestRefusedError(403, texts.operator.WRONG_BOTH if asked else texts.operator.WRONG_CODE)
        response = answer({"welcome": True})
        keep_cookie(response, request, SESSION, name)
        response.delete_cookie(BROWSER, path=WHERE)
        return response

    async def log_out(self, request: Request) -> Response:
        """Ends this session, or all of them if `everywhere`."""
        _, body = await self.entrance.change(request)
        if body.get("everywhere") is True:
            self.entrance.sessions.end_all()
        else:
            self.entrance.sessions.end(request.cookies.get(SESSION, ""))
        response = answer({"bye": True})
        response.delete_cookie(SESSION, path=WHERE)
        return response

    # Displays.

    async def pair_page(self, request: Request) -> Response:
        """The page that pairs this browser."""
        self.entrance.check(request)
        return page("pair", {"data-paired": "yes" if self.entrance.displays.shows_codes(request) else ""})

    async def pair_code(self, request: Request) -> Response:
        """A `code` that this display shows until it is typed at this machine, for `lives_s` at most."""
        await self.entrance.stranger(request)
        name = new_name()
        code = self.entrance.pairings.new(name, client_of(request))
        if code is None:
            raise RequestRefusedError(429, texts.operator.TOO_MANY_CODES)
        response = answer({"code": code.grouped, "lives_s": lives_s()})
        keep_cookie(response, request, DISPLAY, name, path="/", age_s=YEAR_S)
        return response

    async def unpair(self, request: Request) -> Response:
        """No display but this machine's own is paired any more."""
        session, _ = await self.entrance.change(request)
        self.entrance.displays.forget_all()
        return answer({"done": texts.operator.UNPAIRED}, session)

    async def notices(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Events for a paired display: `notices`, at once and whenever they change, and every ten seconds."""
        try:
            self.entrance.check_transport(request)
        except RequestRefusedError:
            return
        board = self.entrance.board
        while self.entrance.displays.shows_codes(request):
            news = board.news
            yield event("notices", json.dumps(board.shown()).encode())
            with suppress(TimeoutError):
                async with asyncio.timeout(ALIVE_S):
                    await news.wait()


def keep_cookie(
    response: Response,
    request: Request,
    name: str,
    value: str,
    *,
    path: str = WHERE,
    age_s: int | None = None,
) -> None:
    """A cookie that no script reads and no other site sends."""
    response.set_cookie(
        name,
        value,
        max_age=age_s,
        path=path,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )


def to_login() -> Response:
    """Whoever is logged out sees the login."""
    return RedirectResponse(WHERE, 303)
