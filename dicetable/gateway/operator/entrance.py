"""Who is let in at the operator page: sessions, codes, paired displays, limits."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.gateway.operator import local_door, passphrase
from dicetable.gateway.operator.board import Board, Notice
from dicetable.gateway.operator.codes import LIVES_S, Codes
from dicetable.gateway.operator.displays import Displays, is_this_machine
from dicetable.gateway.operator.guard import (
    SESSION,
    TOKEN,
    RequestRefusedError,
    check_origin,
    check_transport,
    json_body,
)
from dicetable.gateway.operator.sessions import Sessions
from dicetable.network.addresses import client_of
from dicetable.network.limits import Limit

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from starlette.requests import Request

    from dicetable.gateway.operator.codes import Code
    from dicetable.gateway.operator.sessions import OperatorSession
    from dicetable.gateway.settings import GatewaySettings

BURST: Final = 40
EVERY_S: Final = 0.1
"""Requests of one session, or of one client that is not logged in: forty at once, then ten a second."""
ALL_BURST: Final = 120
ALL_EVERY_S: Final = 0.02
"""Requests of all clients that are not logged in yet, together; this machine's own browser is not one."""


class Entrance:
    """Lets operators in, and nobody else. `now_s` never goes back."""

    def __init__(
        self,
        settings: GatewaySettings,
        runtime: Path | None,
        kept: Path | None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """`runtime` is the folder of the local door, `kept` that of the paired displays; None: do without."""
        self.settings = settings
        self.runtime = runtime
        self.now_s = now_s
        self.sessions = Sessions(now_s)
        self.logins = Codes(now_s)
        self.pairings = Codes(now_s)
        self.displays = Displays(kept)
        self.board = Board(now_s)
        self.each = Limit(now_s, BURST, EVERY_S)
        self.strangers = Limit(now_s, ALL_BURST, ALL_EVERY_S)
        self.hashing = asyncio.Lock()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Listens for the machine's own user meanwhile."""
        door = None
        if self.runtime is not None:
            door = await local_door.serve(self.runtime / local_door.NAME, self.pair)
        try:
            yield
        finally:
            if door is not None and self.runtime is not None:
                door.close()
                (self.runtime / local_door.NAME).unlink(missing_ok=True)

    def pair(self, typed: str) -> bool:
        """Pairs the display that shows this code; whether there is one."""
        code = self.pairings.find(typed)
        if code is None:
            return False
        del self.pairings.living[code.browser]
        self.displays.pair(code.browser)
        self.board.tell()
        return True

    def new_code(self, browser: str, client: str) -> Code | None:
        """A code to log in with, on the displays at once; None if too many were asked for."""
        code = self.logins.new(browser, client)
        if code is not None:
            for gone in [name for name in self.board.notices if name not in self.logins.living]:
                self.board.hide(gone)
            self.board.show(browser, Notice(texts.operator.LOGIN_CODE, code.grouped, code.until_s))
        return code

    async def log_in(self, browser: str, typed: str, given: str) -> str | None:
        """The name of a new session; None if the code or the passphrase is wrong."""
        wanted = self.settings.passphrase
        async with self.hashing:  # one at a time: each takes 16 MB
            hashes = wanted and self.logins.lives(browser)  # or else anyone could have it hash without end
            if hashes and not await asyncio.to_thread(passphrase.matches, given, wanted):
                typed = ""  # the code is tried all the same, so that tries of the passphrase are counted
            right = self.logins.use(browser, typed)
        if browser not in self.logins.living:
            self.board.hide(browser)
        return self.sessions.begin() if right else None

    # What every request must pass.

    def check(self, request: Request) -> None:
        """RequestRefusedError where not even the login may be seen, or too much is asked."""
        self.check_transport(request)
        logged_in = self.session_of(request, used=False) is not None
        if not self.each.allows(request.cookies[SESSION] if logged_in else client_of(request)):
            raise RequestRefusedError(429, texts.operator.TOO_OFTEN)

    def check_transport(self, request: Request) -> None:
        """RequestRefusedError where not even the login may be seen."""
        check_transport(request, plain_http=self.settings.plain_http or is_this_machine(request))

    def session_of(self, request: Request, *, used: bool = True) -> OperatorSession | None:
        """Who asks, if somebody is logged in there."""
        return self.sessions.find(request.cookies.get(SESSION), used=used)

    def session(self, request: Request) -> OperatorSession:
        """Who asks; RequestRefusedError unless somebody is logged in there."""
        self.check(request)
        found = self.session_of(request)
        if found is None:
            raise RequestRefusedError(401, texts.operator.LOGGED_OUT)
        return found

    async def stranger(self, request: Request) -> dict[str, Any]:
        """The body of a change by somebody who is not logged in yet."""
        self.check(request)
        if not self.strangers.allows("here" if is_this_machine(request) else ""):
            raise RequestRefusedError(429, texts.operator.TOO_OFTEN)
        check_origin(request)
        return await json_body(request)

    async def change(self, request: Request) -> tuple[OperatorSession, dict[str, Any]]:
        """Who changes something, and the body. RequestRefusedError for whatever is not in order."""
        session = self.session(request)
        check_origin(request)
        body = await json_body(request)
        if not session.takes(request.headers.get(TOKEN, "")):
            raise RequestRefusedError(409, texts.operator.REPLAYED)
        return session, body


def lives_s() -> int:
    """How long a code is valid, in whole seconds."""
    return int(LIVES_S)
