"""The server as a Starlette application: the protocol of tables under /v1, and the pages.

Its state is in the database: any number of copies may run behind any balancer.
"""

import asyncio
import json
import logging
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, Final, TypeAlias

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from common import network, statements, texts
from common.http_server import Entrance, Listener, SecurityHeaders, client_disconnected, run
from common.network import ClientAddress
from league import contests, ingestion, registry, results
from league.database import Database, Refusal, meta
from league.organiser import OrganiserPages
from league.pages import NO_STORE, Answer, OwnPages, PublicPages, body_of

SignedAnswer: TypeAlias = Callable[[Database, registry.GameTable, Mapping[str, Any]], dict[str, Any]]

FOLD_S: Final = 2.0
"""How often to look for matches that another server took in; this server's own are folded at once."""
RETRY_S: Final = 5
CONTESTS_S: Final = 1.0
"""How long the news of contests is served from memory before it is queried again."""
MOST_REQUEST_BYTES: Final = 64 * 1024
"""The longest signed request."""
MOST_CONNECTIONS: Final = 1000
FAREWELL_S: Final = 5

log = logging.getLogger(__name__)


class Folder:
    """A thread that folds matches as they end; a fault in it costs time, never a result."""

    def __init__(self, database: Database, now_s: Callable[[], int]) -> None:
        self.database = database
        self.now_s = now_s
        self.news = threading.Event()
        self.ending = False
        self.thread = threading.Thread(target=self.run, name="folder", daemon=True)

    def run(self) -> None:
        while not self.ending:
            self.news.clear()
            for work in (self.fold, self.settle, self.forget):
                try:
                    work()
                except Refusal as refusal:
                    log.warning("%s=later why=%r", work.__name__, str(refusal))
                except Exception:  # a fault in one of them must not stop the others
                    log.exception("%s=failed", work.__name__)
            self.news.wait(FOLD_S)

    def fold(self) -> None:
        results.fold_waiting(self.database, self.now_s())

    def settle(self) -> None:
        contests.settle(self.database)

    def forget(self) -> None:
        """Cleans the files where another program kept that from being done at once."""
        if self.database.holds_deleted:
            self.database.forget(patience_s=0)

    def stop(self) -> None:
        self.ending = True
        self.news.set()
        self.thread.join()


class TableProtocol:
    """What tables ask for under /v1. Threads answer, because the database makes them wait."""

    def __init__(self, database: Database, folder: Folder, now_s: Callable[[], int]) -> None:
        self.database = database
        self.folder = folder
        self.now_s = now_s
        self.tables = registry.Tables(database)
        self.contests: list[dict[str, Any]] = []
        self.looked_s = float("-inf")

    def table(self, request: Request) -> registry.GameTable:
        return self.tables.find(registry.table_of(request.path_params["table"]))

    def register(self, _: Request, data: bytes) -> Response:
        """Registers a table with its code."""
        return JSONResponse(registry.register(self.database, data, self.now_s()))

    def rows(self, request: Request, data: bytes) -> Response:
        """Takes rows of a table in."""
        taken = ingestion.ingest(self.database, self.table(request), data, self.now_s())
        if taken.ended:
            self.folder.news.set()
        return JSONResponse(ingestion.answer(taken.acknowledged))

    def acknowledged(self, request: Request) -> Response:
        """Answers what of a table is stored."""
        stream = ingestion.acknowledged(self.database, self.table(request).table)
        return JSONResponse(ingestion.answer(stream), headers=NO_STORE)

    def next_match(self, request: Request, data: bytes) -> Response:
        """Calls a table to its next match; the news is queried again after that."""
        answer = self.signed(request, data, contests.next_match)
        self.looked_s = float("-inf")
        return answer

    def link(self, request: Request, data: bytes) -> Response:
        """Links players of a table to players of the league."""
        return self.signed(request, data, contests.link_players)

    def signed(self, request: Request, data: bytes, answer: SignedAnswer) -> Response:
        table = self.table(request)
        content = registry.read_request(table, request.url.path, data, self.now_s())
        return JSONResponse(answer(self.database, table, content))

    def news(self, request: Request) -> Response:
        """Answers with a table's contests, which are looked up for all tables at once."""
        table = self.table(request).table
        with self.database.reading() as session:
            if time.monotonic() >= self.looked_s + CONTESTS_S:
                self.contests, self.looked_s = contests.news(session), time.monotonic()
        reply = {"v": statements.PROTOCOL, "contests": contests.news_for(table, self.contests)}
        return JSONResponse(reply, headers=NO_STORE)

    def health(self, _: Request) -> Response:
        """The version, if the database answers."""
        with self.database.reading() as session:
            meta(session, "schema")
        return JSONResponse({"version": version("dicetable")}, headers=NO_STORE)


def with_body(answer: Callable[[Request, bytes], Response], most_bytes: int) -> Answer:
    """Reads the body of a request before a thread answers it; Refusal (too_large) before more was read."""

    async def answered(request: Request) -> Response:
        data = await body_of(request, most_bytes, f"{most_bytes} bytes are possible at most")
        return await run_in_threadpool(answer, request, data)

    return answered


async def refused(_: Request, error: Exception) -> Response:
    """The answer to what is refused: its cause, and a sentence."""
    if not isinstance(error, Refusal):
        raise error
    headers = {"retry-after": str(RETRY_S)} if error.status == 503 else {}
    if error.status == 503:
        log.warning("refused=%s why=%r", error.cause, str(error))
    content = {"error": error.cause, "message": str(error)}
    return Response(json.dumps(content) + "\n", error.status, headers, "application/json")


def application(
    database: Database,
    now_s: Callable[[], int] = lambda: int(time.time()),
    *,
    proxied: bool = False,
) -> Starlette:
    """The application; it folds while it lives. `proxied`: a proxy on this machine passes requests on."""
    folder = Folder(database, now_s)
    protocol = TableProtocol(database, folder, now_s)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        folder.thread.start()
        yield
        await asyncio.to_thread(folder.stop)

    routes: dict[str, tuple[str, Any]] = {
        "/v1/tables": ("POST", with_body(protocol.register, registry.MOST_BYTES)),
        "/v1/tables/{table}/rows": ("POST", with_body(protocol.rows, ingestion.MOST_BYTES)),
        "/v1/tables/{table}/next": ("POST", with_body(protocol.next_match, MOST_REQUEST_BYTES)),
        "/v1/tables/{table}/players": ("POST", with_body(protocol.link, MOST_REQUEST_BYTES)),
        "/v1/tables/{table}/news": ("GET", protocol.news),
        "/v1/tables/{table}/acknowledged": ("GET", protocol.acknowledged),
        "/health": ("GET", protocol.health),
        **{path: ("GET", answer) for path, answer in PublicPages(database, now_s).routes().items()},
        **OwnPages(database, now_s).routes(),
        **OrganiserPages(database, now_s).routes(),
    }
    return Starlette(
        routes=[Route(path, answer, methods=methods.split()) for path, (methods, answer) in routes.items()],
        middleware=[
            Middleware(SecurityHeaders, form_action="'self'", referrer="same-origin"),
            Middleware(ClientAddress, proxied=proxied),
            Middleware(GZipMiddleware),
        ],
        exception_handlers={Refusal: refused, ClientDisconnect: client_disconnected},
        lifespan=lifespan,
    )


def serve(database: Database, host: str, port: int, *, proxied: bool = False) -> int:
    """Serves until SIGTERM; returns 1 if the address cannot be used. Port 0 is any free one."""
    network.set_up_logging()
    try:
        listening = Listener(host, port, MOST_CONNECTIONS)
    except OSError as error:
        sys.stderr.write(f"{texts.league.cannot_listen(host, port, error.strerror or str(error))}\n")
        return 1
    sys.stdout.write(f"{texts.league.serving(host, listening.getsockname()[1])}\n")
    sys.stdout.flush()
    run(FAREWELL_S, Entrance(application(database, proxied=proxied), listening))
    return 0
