"""The server as a Starlette application: the protocol of tables under /v1, and the pages.

It holds nothing but connections to the database: any number of copies may run behind any balancer.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dicetable.http_server import client_disconnected
from dicetable.league import (
    batches,
    calls,
    contests,
    folding,
    ingestion,
    registry,
    statements,
)
from dicetable.league.own_page import OwnPages
from dicetable.league.pages import LeaguePages, framed
from dicetable.league.refusals import Refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from dicetable.league.database import Database

    Answer = Callable[[Request], Awaitable[Response]]

FOLD_S: Final = 2.0
"""So often it is looked for matches that another server took in; one's own are folded at once."""
RETRY_S: Final = 5
CONTESTS_S: Final = 1.0
"""How long the news of contests is served from memory before it is queried again."""
SECURITY: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

log = logging.getLogger(__name__)


class SecurityHeaders:
    """Adds the same headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.headers = [(name.encode(), value.encode()) for name, value in SECURITY.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.headers]
            await send(message)

        await self.app(scope, receive, with_headers)


class Folder:
    """A thread that folds matches as they end; a fault in it costs time, never a result."""

    def __init__(self, database: Database, now_s: Callable[[], int]) -> None:
        self.database = database
        self.now_s = now_s
        self.news = threading.Event()
        self.ending = False
        self.thread = threading.Thread(target=self.run, name="folder", daemon=True)

    def run(self) -> None:
        """Folds what is waiting, until `stop`."""
        while not self.ending:
            self.news.clear()
            for work in (self.fold, self.settle, self.forget):
                try:
                    work()
                except Refusal as refusal:
                    log.warning("%s=later why=%r", work.__name__, str(refusal))
                except Exception:  # what nobody foresaw in one of them must not stop the others
                    log.exception("%s=failed", work.__name__)
            self.news.wait(FOLD_S)

    def fold(self) -> None:
        """Folds the matches that have ended."""
        folding.fold_waiting(self.database, self.now_s())

    def settle(self) -> None:
        """Decides the matches of contests that have a result."""
        contests.settle(self.database)

    def forget(self) -> None:
        """Cleans the files where another program kept that from being done at once."""
        if self.database.holds_deleted:
            self.database.forget(patience_s=0)

    def stop(self) -> None:
        """Ends the thread after the match that it is at."""
        self.ending = True
        self.news.set()
        self.thread.join()


class Protocol:
    """What tables ask for."""

    def __init__(self, database: Database, folder: Folder, now_s: Callable[[], int]) -> None:
        self.database = database
        self.folder = folder
        self.now_s = now_s
        self.tables = registry.Tables(database)
        self.contests: list[dict[str, Any]] = []
        self.looked_s = float("-inf")

    async def register(self, request: Request) -> Response:
        """A table registers with its code."""
        data = await body(request, registry.MOST_BYTES)
        return JSONResponse(await run_in_threadpool(registry.register, self.database, data, self.now_s()))

    async def rows(self, request: Request) -> Response:
        """A table sends rows."""
        table = registry.table_of(request.path_params["table"])
        data = await body(request, batches.MOST_BYTES)
        return JSONResponse((await run_in_threadpool(self.take, table, data)).to_json())

    def take(self, table: int, data: bytes) -> ingestion.Taken:
        """Takes a batch in."""
        taken = ingestion.take(self.database, self.tables.find(table), data, self.now_s())
        if taken.ended:
            self.folder.news.set()
        return taken

    async def acknowledged(self, request: Request) -> Response:
        """What of a table is stored."""
        table = registry.table_of(request.path_params["table"])
        return JSONResponse(await run_in_threadpool(self.look, table), headers={"cache-control": "no-store"})

    def look(self, table: int) -> dict[str, object]:
        """The acknowledgement."""
        self.tables.find(table)
        return ingestion.answer(ingestion.acknowledged(self.database, table))

    async def next_match(self, request: Request) -> Response:
        """A table asks for its next match; the news is queried again after that."""
        answer = await self.signed(request, calls.next_match)
        self.looked_s = float("-inf")
        return JSONResponse(answer)

    async def link(self, request: Request) -> Response:
        """A table says which of its players are players of the league."""
        return JSONResponse(await self.signed(request, calls.link))

    async def news(self, request: Request) -> Response:
        """What the league has for a table: contests."""
        table = registry.table_of(request.path_params["table"])
        told = await run_in_threadpool(self.tell_news, table)
        return JSONResponse(told, headers={"cache-control": "no-store"})

    def tell_news(self, table: int) -> dict[str, Any]:
        """The same; contests are looked up for all tables at once."""
        self.tables.find(table)
        with self.database.reading() as session:
            if time.monotonic() >= self.looked_s + CONTESTS_S:
                self.contests, self.looked_s = contests.news(session), time.monotonic()
        found = contests.news_for(table, self.contests)
        return {"v": statements.PROTOCOL, "contests": found}

    async def signed(self, request: Request, answer: calls.Answer) -> dict[str, Any]:
        """The answer to a request that the table has signed."""
        table = registry.table_of(request.path_params["table"])
        data = await body(request, calls.MOST_BYTES)

        def answered() -> dict[str, Any]:
            found = self.tables.find(table)
            asked = calls.read(found, request.url.path, data, self.now_s())
            return answer(self.database, found, asked)

        return await run_in_threadpool(answered)


async def body(request: Request, most_bytes: int) -> bytes:
    """The body of a request; Refusal (too_large) before more than that was read."""
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > most_bytes:
            raise Refusal("too_large", f"{most_bytes} bytes are possible at most")
    return bytes(data)


async def refused(_: Request, error: Exception) -> Response:
    """The answer to what is refused: its cause, and a sentence."""
    if not isinstance(error, Refusal):
        raise error
    headers = {"retry-after": str(RETRY_S)} if error.status == 503 else {}
    if error.status == 503:
        log.warning("refused=%s why=%r", error.cause, str(error))
    content = {"error": error.cause, "message": str(error)}
    return Response(json.dumps(content) + "\n", error.status, headers, "application/json")


def unix_now_s() -> int:
    """The time of day."""
    return int(time.time())


def application(database: Database, now_s: Callable[[], int] = unix_now_s) -> Starlette:
    """The application; it folds while it lives."""
    folder = Folder(database, now_s)
    protocol = Protocol(database, folder, now_s)
    pages = LeaguePages(database, now_s)

    async def health(_: Request) -> Response:
        await run_in_threadpool(pages.alive)
        return JSONResponse({"version": version("dicetable")}, headers={"cache-control": "no-store"})

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        folder.thread.start()
        yield
        await asyncio.to_thread(folder.stop)

    routes: dict[str, tuple[str, Any]] = {
        "/v1/tables": ("POST", protocol.register),
        "/v1/tables/{table}/rows": ("POST", protocol.rows),
        "/v1/tables/{table}/next": ("POST", protocol.next_match),
        "/v1/tables/{table}/players": ("POST", protocol.link),
        "/v1/tables/{table}/news": ("GET", protocol.news),
        "/v1/tables/{table}/acknowledged": ("GET", protocol.acknowledged),
        "/health": ("GET", health),
        **{path: ("GET", answer) for path, answer in pages.routes().items()},
        **OwnPages(database, now_s, framed).routes(),
    }
    return Starlette(
        routes=[Route(path, answer, methods=methods.split()) for path, (methods, answer) in routes.items()],
        middleware=[Middleware(SecurityHeaders)],
        exception_handlers={Refusal: refused, ClientDisconnect: client_disconnected},
        lifespan=lifespan,
    )
