"""Lets operators in, and no one else: what every request must pass, log in and out, and pair displays.

Other machines need TLS, unless the config says otherwise. A change comes from the gateway's own pages
(Origin), from a browser that is logged in (cookie), with a fresh token, and not too often.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from common import texts
from common.network import RateLimit, client_of, is_loopback
from gateway import displays
from gateway.displays import COOKIE as DISPLAY
from gateway.displays import Displays, is_this_machine, new_name
from gateway.invitation import Invitation
from gateway.operator.codes import CODE_LIVES_S, Codes
from gateway.operator.pages import page
from gateway.operator.passphrase import (
    LONGEST_PASSPHRASE,
    SHORTEST_PASSPHRASE,
    Passphrase,
    passphrase_matches,
)
from gateway.pages import address_of
from gateway.requests import (
    SESSION,
    TOKEN,
    RequestRefusedError,
    answer,
    check_origin,
    json_body,
    keep_cookie,
    text_of,
)
from gateway.sessions import OperatorSession, Sessions
from gateway.settings import GatewaySettings

BURST: Final = 40
EVERY_S: Final = 0.1
"""Requests of one session, or of one client that is not logged in: forty at once, then ten a second."""
ALL_BURST: Final = 120
ALL_EVERY_S: Final = 0.02
"""Requests of all clients that are not logged in, together, without this machine's own browser."""
BROWSER: Final = "dicetable_login"
WHERE: Final = "/operator"
YEAR_S: Final = 365 * 24 * 3600
Body = TypeVar("Body")


class Access:
    """Checks who may do what. `now_s` never goes back."""

    def __init__(
        self,
        settings: GatewaySettings,
        runtime: Path | None,
        lasting: Path | None,
        now_s: Callable[[], float] = time.monotonic,
        *,
        kept_in: Path | None = None,
    ) -> None:
        """`runtime` is the folder of the pairing socket, `lasting` of the paired displays; None: without.

        `kept_in` is the folder of the passphrase; None: it goes with the gateway.
        """
        self.settings = settings
        self.runtime = runtime
        self.now_s = now_s
        self.sessions = Sessions(now_s)
        self.logins = Codes(now_s)
        self.pairings = Codes(now_s)
        self.invitation = Invitation(now_s)
        self.displays = Displays(lasting)
        self.passphrase = Passphrase(settings, kept_in)
        self.each = RateLimit(now_s, BURST, EVERY_S)
        self.strangers = RateLimit(now_s, ALL_BURST, ALL_EVERY_S)
        self.hashing = asyncio.Lock()
        self.commands: dict[str, Callable[[str], str]] = {
            "pair": lambda code: "paired" if self.pair(code) else "unknown",
            "invite": lambda _: self.invite(),
            "forget_passphrase": lambda _: self.forget_passphrase(),
        }

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Listens for `dicetable gateway pair` and `dicetable gateway invite` meanwhile."""
        server = None
        if self.runtime is not None:
            server = await displays.serve_machine(self.runtime / displays.SOCKET_NAME, self.commands)
        try:
            yield
        finally:
            if server is not None and self.runtime is not None:
                server.close()
                (self.runtime / displays.SOCKET_NAME).unlink(missing_ok=True)

    def pair(self, typed: str) -> bool:
        """Pairs the display that shows this code; False if there is none."""
        code = self.pairings.find(typed)
        if code is None:
            return False
        del self.pairings.living[code.browser]
        self.displays.pair(code.browser)
        return True

    def invite(self) -> str:
        """The address that logs one browser in; empty if other machines would need TLS for it."""
        settings = self.settings
        if not (settings.tls_cert or settings.plain_http or is_loopback(settings.host)):
            return ""
        return f"{address_of(settings)}{WHERE}#{self.invitation.new()}"

    async def log_in(self, browser: str, typed: str, passphrase: str) -> str | None:
        """The name of a new session; None if the code or the passphrase is wrong."""
        wanted = self.passphrase.stored
        async with self.hashing:  # one at a time: each takes 16 MB
            invited = self.invitation.fits(typed)
            if not self.under_way(browser, typed):  # or else anyone could have it hash without end
                return None
            passed = not wanted or await asyncio.to_thread(passphrase_matches, passphrase, wanted)
            if invited:
                right = self.invitation.use(typed, passed=passed)
            else:
                right = self.logins.use(browser, typed, passed=passed)
        return self.sessions.begin() if right else None

    def under_way(self, browser: str, typed: str) -> bool:
        """Whether the browser has a code, or brings the invitation: no crowd keeps it from logging in."""
        return self.logins.lives(browser) or self.invitation.fits(typed)

    def forget_passphrase(self) -> str:
        """Has the next operator choose a passphrase and ends every session; or says why it can't."""
        try:
            forgotten = self.passphrase.forget()
        except OSError as error:
            return error.strerror or str(error)
        if not forgotten:
            return "configured"
        self.sessions.end_all()
        return "forgotten"

    def check(self, request: Request) -> None:
        """Raises RequestRefusedError for plain HTTP and for clients that send too much."""
        self.check_transport(request)
        logged_in = self.session_of(request, used=False) is not None
        if not self.each.allows(request.cookies[SESSION] if logged_in else client_of(request)):
            raise RequestRefusedError(429, texts.operator.TOO_OFTEN)

    def check_transport(self, request: Request) -> None:
        if request.url.scheme != "https" and not (self.settings.plain_http or is_this_machine(request)):
            raise RequestRefusedError(403, texts.operator.NEEDS_TLS)

    def session_of(self, request: Request, *, used: bool = True) -> OperatorSession | None:
        return self.sessions.find(request.cookies.get(SESSION), used=used)

    def session(self, request: Request) -> OperatorSession:
        """The session of the browser. Raises RequestRefusedError unless it is logged in.

        Nor is there one before the first operator has chosen a passphrase.
        """
        session = self.first_session(request)
        if self.passphrase.is_due:
            raise RequestRefusedError(403, texts.operator.PASSPHRASE_DUE)
        return session

    def first_session(self, request: Request) -> OperatorSession:
        """The session of a browser that may still have to choose the passphrase."""
        self.check(request)
        session = self.session_of(request)
        if session is None:
            raise RequestRefusedError(401, texts.operator.LOGGED_OUT)
        return session

    async def stranger(self, request: Request) -> dict[str, Any]:
        """The body of a change by a browser that is not logged in yet."""
        self.check(request)
        check_origin(request)
        body = await json_body(request)
        client = "here" if is_this_machine(request) else ""
        under_way = self.under_way(request.cookies.get(BROWSER, ""), text_of(body, "code"))
        if not under_way and not self.strangers.allows(client):
            raise RequestRefusedError(429, texts.operator.TOO_OFTEN)
        return body

    async def change(self, request: Request) -> tuple[OperatorSession, dict[str, Any]]:
        """The session and the body of a change. Raises RequestRefusedError if anything about it is wrong."""
        return await self.sent(request, json_body)

    async def sent(
        self, request: Request, read: Callable[[Request], Awaitable[Body]]
    ) -> tuple[OperatorSession, Body]:
        """The session, and what `read` finds in the request. Raises RequestRefusedError as `change` does."""
        return await self.sent_by(self.session(request), request, read)

    async def first_change(self, request: Request) -> tuple[OperatorSession, dict[str, Any]]:
        """What `change` returns, by a browser that may still have to choose the passphrase."""
        return await self.sent_by(self.first_session(request), request, json_body)

    @staticmethod
    async def sent_by(
        session: OperatorSession, request: Request, read: Callable[[Request], Awaitable[Body]]
    ) -> tuple[OperatorSession, Body]:
        check_origin(request)
        body = await read(request)
        if not session.takes(request.headers.get(TOKEN, "")):
            raise RequestRefusedError(409, texts.operator.REPLAYED)
        return session, body


class Login:
    """Answers the paths for logging in and for displays. `show_code` shows a code on the panel if it can."""

    def __init__(self, access: Access, show_code: Callable[[str, int], Awaitable[bool]]) -> None:
        self.access = access
        self.show_code = show_code

    def form(self, request: Request) -> Response:
        """The page to log in."""
        response = page("login", {"data-passphrase": "yes" if self.access.passphrase.stored else ""})
        if not request.cookies.get(BROWSER):
            keep_cookie(response, request, BROWSER, new_name(), WHERE)
        return response

    async def code(self, request: Request) -> Response:
        """Has a code shown where only people at the table see it: never on the television.

        Answers for how long it is valid, `lives_s`, and whether the `panel` shows it; the `code` itself only
        to a browser on this machine. Where neither can be, the passphrase is enough, if there is one.
        """
        await self.access.stranger(request)
        browser = request.cookies.get(BROWSER, "")
        code = self.access.logins.new(browser, client_of(request)) if browser else None
        if code is None:
            raise RequestRefusedError(429, texts.operator.TOO_MANY_CODES)
        on_panel = await self.show_code(code.grouped, int(CODE_LIVES_S))
        is_here = is_this_machine(request)
        if not (on_panel or is_here):
            if not self.access.passphrase.stored:
                self.access.logins.living.pop(browser, None)
                raise RequestRefusedError(503, texts.operator.NOWHERE_TO_SHOW)
            code.text = ""
        return answer(
            {"lives_s": int(CODE_LIVES_S), "panel": on_panel, "code": code.grouped if is_here else ""}
        )

    async def log_in(self, request: Request) -> Response:
        """Begins a session, as a cookie, if `code` and `passphrase` are right.

        In place of the code, an invitation will do; the browser that brings it is paired too.
        """
        body = await self.access.stranger(request)
        typed, passphrase = text_of(body, "code"), text_of(body, "passphrase")
        invited = self.access.invitation.fits(typed)
        name = await self.access.log_in(request.cookies.get(BROWSER, ""), typed, passphrase)
        if name is None:
            has_passphrase = self.access.passphrase.stored
            raise RequestRefusedError(
                403, texts.operator.WRONG_BOTH if has_passphrase else texts.operator.WRONG_CODE
            )
        response = answer({"welcome": True})
        keep_cookie(response, request, SESSION, name, WHERE)
        response.delete_cookie(BROWSER, path=WHERE)
        if invited:
            display = new_name()
            self.access.displays.pair(display)
            keep_cookie(response, request, DISPLAY, display, "/", YEAR_S)
        return response

    async def choose(self, request: Request, session: OperatorSession, body: dict[str, Any]) -> Response:
        """Keeps the first `passphrase`, and ends every other session: one may be a guest's."""
        chosen, access = text_of(body, "passphrase", LONGEST_PASSPHRASE), self.access
        if len(chosen) < SHORTEST_PASSPHRASE:
            raise RequestRefusedError(400, texts.operator.passphrase_short(SHORTEST_PASSPHRASE))
        async with access.hashing:
            if not access.passphrase.is_due:
                raise RequestRefusedError(409, texts.operator.PASSPHRASE_CHOSEN)
            try:
                await asyncio.to_thread(access.passphrase.choose, chosen)
            except OSError as error:
                why = error.strerror or str(error)
                raise RequestRefusedError(503, texts.operator.passphrase_not_saved(why)) from None
        access.sessions.end_others(request.cookies.get(SESSION, ""))
        return answer({"chosen": True}, session)

    async def log_out(self, request: Request, _: OperatorSession, body: dict[str, Any]) -> Response:
        """Ends this session, or all of them if `everywhere`."""
        if body.get("everywhere") is True:
            self.access.sessions.end_all()
        else:
            self.access.sessions.end(request.cookies.get(SESSION, ""))
        response = answer({"bye": True})
        response.delete_cookie(SESSION, path=WHERE)
        return response

    async def pair_page(self, request: Request) -> Response:
        """The page that pairs this browser."""
        self.access.check(request)
        return page("pair", {"data-paired": "yes" if self.access.displays.shows_codes(request) else ""})

    async def pair_code(self, request: Request) -> Response:
        """A `code` that this display shows until it is typed at this machine, for `lives_s` at most."""
        await self.access.stranger(request)
        name = new_name()
        code = self.access.pairings.new(name, client_of(request))
        if code is None:
            raise RequestRefusedError(429, texts.operator.TOO_MANY_CODES)
        response = answer({"code": code.grouped, "lives_s": int(CODE_LIVES_S)})
        keep_cookie(response, request, DISPLAY, name, "/", YEAR_S)
        return response

    async def unpair(self, _: Request, session: OperatorSession, __: dict[str, Any]) -> Response:
        """Unpairs all displays but this machine's own."""
        self.access.displays.forget_all()
        return answer({"done": texts.operator.UNPAIRED}, session)
