"""A real ledger, the table's socket, the gateway's upload and a real server over HTTP."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from common import statements
from dicetable.__main__ import main
from dicetable.service import league as membership
from dicetable.service.league import LeagueOutbox
from gateway.link import BusyError
from gateway.signals import league
from gateway.signals.league import Upload
from league import database as schema
from league import registry
from league.database import connect, prepare
from tests.league.bars import Bar
from tests.league.serving import Neighbour, Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Link:
    """The gateway's link to a table, without the socket in between."""

    def __init__(self, bar: Bar) -> None:
        self.outbox = LeagueOutbox(bar.ledger)
        self.news = asyncio.Event()
        self.away = False

    async def read(self, _: str, number: int) -> bytes:
        if self.away:
            raise BusyError
        return self.outbox.answer(number)


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """In a thread of the tests, or of the kind that a test names."""
    kind: type[Server] = getattr(request, "param", Neighbour)
    made = kind(f"sqlite:///{tmp_path / 'league.sqlite3'}")
    yield made
    made.close()


@pytest.fixture
def bar(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Bar]:
    """A table that registers as its operator does it, by the command line."""
    assert main(["league", "code", "Left table", "--database", server.database]) == 0
    code = capsys.readouterr().out.split()[0]
    made = Bar(tmp_path / "bar")
    folder = str(made.ledger.folder)
    nowhere = str(tmp_path / "no" / "folder")
    assert main(["league", "register", code, "--folder", nowhere, "--server", server.url]) == 1
    assert "start the table once" in capsys.readouterr().err
    assert main(["league", "register", code, "--folder", folder, "--server", server.url]) == 0
    assert "'Left table'" in capsys.readouterr().out
    assert main(["league", "register", code, "--folder", folder, "--server", server.url]) == 1
    assert "in a league already" in capsys.readouterr().err
    yield made
    made.close()


def uploaded(bar: Bar, server: Server, steps: int = 50) -> Upload:
    """Lets the gateway work until nothing is left to send; its pauses are left out."""
    upload = Upload(Link(bar), server.url)  # type: ignore[arg-type]
    last = bar.ledger.last.number if bar.ledger.last else 0

    async def go() -> None:
        for _ in range(steps):
            if upload.next == last + 1:
                return
            with suppress(OSError):
                await upload.step()

    asyncio.run(go())
    return upload


def stored(server: Server) -> list[tuple[Any, ...]]:
    database = connect(server.database)
    try:
        with database.reading() as session:
            return [
                (number, bytes(checksum))
                for number, checksum in session.rows("SELECT number, checksum FROM entry ORDER BY number")
            ]
    finally:
        database.close()


def test_what_is_played_arrives_once(server: Server, bar: Bar) -> None:
    for _ in range(3):
        bar.play()
        uploaded(bar, server)
    rows = [(row.number, row.checksum) for row in bar.rows()]
    assert stored(server) == rows
    uploaded(bar, server)
    assert stored(server) == rows


@pytest.mark.parametrize("server", [Server], indirect=True)
def test_a_month_without_a_network_is_caught_up(server: Server, bar: Bar) -> None:
    bar.play()
    server.kill()
    upload = uploaded(bar, server, steps=3)
    assert upload.next is None
    for _ in range(10):
        bar.play()
    server.start()
    uploaded(bar, server)
    assert stored(server) == [(row.number, row.checksum) for row in bar.rows()]


def test_a_server_that_lost_rows_gets_them_again(server: Server, bar: Bar) -> None:
    """As after a restore of the league's own database."""
    bar.play("six_by_6", ("Ann", "Bob"))
    upload = uploaded(bar, server)
    rows = bar.rows()
    database = connect(server.database)
    with database.transaction() as session:
        session.execute("DELETE FROM entry WHERE number > 5")
        last = rows[4]
        session.execute("UPDATE stream SET number = 5, checksum = ?", (last.checksum,))
    database.close()
    bar.play("six_by_6", ("Ann", "Bob"))
    assert asyncio.run(upload.step()) == league.PACE_S
    assert upload.next is None
    uploaded(bar, server)
    assert stored(server) == [(row.number, row.checksum) for row in bar.rows()]


@pytest.mark.parametrize(
    ("status", "body", "pause_s"),
    [
        (409, {"error": "fork", "message": "no"}, league.REFUSED_S),
        (409, {"error": "gap", "message": "no"}, league.REFUSED_S),
        (404, {"error": "unknown_table"}, league.REFUSED_S),
    ],
)
def test_what_no_retry_heals_is_asked_seldom(status: int, body: dict[str, object], pause_s: float) -> None:
    upload = Upload(None, "http://127.0.0.1")  # type: ignore[arg-type]
    upload.next = 7
    assert upload.take(league.LeagueAnswer(status, body)) == pause_s
    assert upload.next is None
    for answer in (league.LeagueAnswer(200, {}), league.LeagueAnswer(200, {"row": "7"})):
        with pytest.raises((OSError, ValueError), match=r"."):
            upload.take(answer)


def test_the_pages_show_what_was_played(server: Server, bar: Bar, capsys: pytest.CaptureFixture[str]) -> None:
    season = ["league", "season", "Winter", "2026-11-01", "2027-02-28", "--database", server.database]
    assert main(season) == 0
    assert main(season) == 1
    assert "already" in capsys.readouterr().err
    bar.play("six_by_6", ("Ann", "Bob"))
    uploaded(bar, server)
    standings: dict[str, Any] = {"places": []}
    for _ in range(300):
        _, standings, _ = server.ask("GET", "/v1/standings/1")
        if standings["places"]:
            break
        asyncio.run(asyncio.sleep(0.1))
    first, second = standings["places"]
    assert (first["points"], first["won"], first["played"], first["place"]) == (1, 1, 1, 1)
    assert (second["points"], second["won"], second["played"], second["place"]) == (0, 0, 1, 2)
    named = ["--database", server.database]
    assert main(["league", "name-player", first["player"], "<b>Ann & Co</b>", *named]) == 0
    status, page, kind = server.ask("GET", "/")
    assert (status, kind) == (200, "text/html")
    assert "&lt;b&gt;Ann &amp; Co&lt;/b&gt;" in page
    assert "<b>Ann" not in page
    table = membership.read_member(bar.ledger.folder)
    assert table is not None
    for path in (f"/tables/{table.table}", "/tables", f"/players/{first['player']}", "/seasons/1"):
        status, page, kind = server.ask("GET", path)
        assert (status, kind) == (200, "text/html")
    _, about, _ = server.ask("GET", f"/v1/tables/{table.table}")
    assert about["live"] == {"playing": False}
    assert about["rows"]["broken"] == 0
    capsys.readouterr()
    assert main(["league", "export-player", first["player"], *named]) == 0
    exported = json.loads(capsys.readouterr().out)
    assert exported["name"] == "<b>Ann & Co</b>"
    assert exported["results"][0]["won"] == 1
    assert main(["league", "erase-player", first["player"], *named]) == 0
    assert capsys.readouterr().out == "The name is deleted. The results stay.\n"
    assert main(["league", "export-player", first["player"], *named]) == 0
    assert json.loads(capsys.readouterr().out)["name"] is None
    assert main(["league", "tables", *named]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "Left table"
    before = server.ask("GET", "/v1/standings/1")[1]
    assert main(["league", "rebuild", *named]) == 0
    assert capsys.readouterr().out == "1 match recomputed.\n"
    assert server.ask("GET", "/v1/standings/1")[1] == before


def test_a_picture_is_checked_against_its_row(
    server: Server, bar: Bar, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.league.bars import entries

    for entry in list(entries("six_by_6", ("Ann", "Bob"), 1))[:3]:
        bar.ledger.append(entry, b"a picture")
    uploaded(bar, server)
    table = membership.read_member(bar.ledger.folder)
    assert table is not None
    file = tmp_path / "picture.jpg"
    for data, row, code in ((b"a picture", "2", 0), (b"another", "2", 1), (b"a picture", "99", 1)):
        file.write_bytes(data)
        asked = ["league", "check-picture", table.table, row, str(file), "--database", server.database]
        assert main(asked) == code
    assert "no such row" in capsys.readouterr().err
    assert main([*asked[:4], str(tmp_path / "none"), *asked[5:]]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_game_is_seen_while_it_is_played(server: Server, bar: Bar) -> None:
    from tests.league.bars import entries

    for entry in list(entries("six_by_6", ("Ann", "Bob"), 1))[:4]:
        bar.ledger.append(entry)
    uploaded(bar, server)
    table = membership.read_member(bar.ledger.folder)
    assert table is not None
    live = server.ask("GET", f"/v1/tables/{table.table}")[1]["live"]
    assert live["playing"]
    assert live["game"] == "six_by_6"
    assert len(live["seats"]) == 2
    page = server.ask("GET", f"/tables/{table.table}")[1]
    assert all(seat in page for seat in live["seats"])


def test_the_league_says_who_plays_and_the_table_decides_it(
    server: Server, bar: Bar, capsys: pytest.CaptureFixture[str]
) -> None:
    at, table = ["--database", server.database], ["1", "--folder", str(bar.ledger.folder)]
    bar.play("six_by_6", ("Ann", "Bob"))
    uploaded(bar, server)
    assert main(["league", "contest", "Friday cup", "bracket", "six_by_6", *at]) == 0
    assert main(["league", "next", *table]) == 0
    assert capsys.readouterr().out == (
        "Contest 1 is 'Friday cup'. Now enter its players.\nFriday cup: no one is up here right now.\n"
    )
    assert main(["league", "enter", "1", "Ann", "Bob", *at]) == 0
    assert main(["league", "enter", "1", "Cleo", "Ann", *at]) == 1
    assert "already" in capsys.readouterr().err
    assert main(["league", "begin", "1", *at]) == 0
    for _ in range(60):
        about = server.ask("GET", "/v1/contests/1")[1]
        if about["champion"]:
            break
        assert main(["league", "next", *table]) == 0
        if "Ann and Bob" in (said := capsys.readouterr().out) or "Bob and Ann" in said:
            before = len([each for each in about["matches"] if each["winner"]])
            bar.play("six_by_6", ("Ann", "Bob"))
            uploaded(bar, server)
            for _ in range(100):
                about = server.ask("GET", "/v1/contests/1")[1]
                if not about["calls"]:
                    break
                asyncio.run(asyncio.sleep(0.1))
            assert len([each for each in about["matches"] if each["winner"]]) >= before
    assert about["champion"]["name"] in ("Ann", "Bob")
    page = server.ask("GET", "/contests/1")[1]
    assert f"★ {about['champion']['name']}" in page
    assert "Friday cup" in server.ask("GET", "/")[1]
    membership.leave(bar.ledger.folder)
    assert main(["league", "next", *table]) == 1
    assert "in no league" in capsys.readouterr().err


def test_requests_of_a_table_are_signed_and_not_old(server: Server, bar: Bar) -> None:
    found, signing = membership.read_member(bar.ledger.folder), membership.read_key(bar.ledger.folder)
    assert found is not None
    assert signing is not None
    path = f"/v1/tables/{found.table}/next"

    def asked(text: str, signed_path: str = path) -> str:
        statement = statements.request(int(found.table, 16), signed_path, text)
        request = {"v": 1, "asked": text, "signature": signing.sign(statement).signature.hex()}
        return str(server.ask("POST", path, json.dumps(request).encode())[1]["error"])

    now_s = int(time.time())
    assert asked(json.dumps({"contest": 1, "at": now_s})) == "not_found"
    assert asked(json.dumps({"contest": 1, "at": now_s - 3600})) == "late"
    assert asked(json.dumps({"contest": 1, "at": now_s}), path + "s") == "forged"
    assert asked(json.dumps({"contest": "1", "at": now_s})) == "malformed"
    assert asked("[]") == "malformed"
    players = f"/v1/tables/{found.table}/players"
    given = {"x": "00000000000000ab", "y": "no"}
    assert membership.signed(found, signing, "players", {"players": given})["players"] == 0
    assert server.ask("POST", players, b"{}")[1]["error"] == "malformed"


@pytest.mark.parametrize(
    ("method", "path", "data", "status", "cause"),
    [
        ("GET", "/v1/tables/00000000000000ab/acknowledged", None, 404, "unknown_table"),
        ("POST", "/v1/tables/00000000000000ab/rows", b"{}", 404, "unknown_table"),
        ("POST", "/v1/tables/zz/rows", b"{}", 404, "unknown_table"),
        ("POST", "/v1/tables", b"{", 400, "malformed"),
        ("POST", "/v1/tables", b"x" * 10_000, 413, "too_large"),
        ("POST", "/v1/tables/00000000000000ab/rows", b"x" * 600_000, 413, "too_large"),
        ("GET", "/v1/standings/9", None, 404, "not_found"),
        ("GET", "/v1/players/00000000000000ab", None, 404, "not_found"),
        ("GET", "/seasons/x", None, 404, "not_found"),
        ("GET", "/static/secret", None, 404, "not_found"),
    ],
)
def test_what_is_refused_says_why(
    tmp_path_factory: pytest.TempPathFactory,
    method: str,
    path: str,
    data: bytes | None,
    status: int,
    cause: str,
) -> None:
    found, body, _ = refusing(tmp_path_factory).ask(method, path, data)
    assert (found, body["error"]) == (status, cause)
    assert body["message"]


SERVERS: list[Server] = []


def refusing(folders: pytest.TempPathFactory) -> Server:
    """One server for all refusals."""
    if not SERVERS:
        SERVERS.append(Server(f"sqlite:///{folders.mktemp('league') / 'league.sqlite3'}"))
    return SERVERS[0]


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    """Ends that server with the tests."""
    yield
    while SERVERS:
        SERVERS.pop().close()


def test_a_wrong_server_or_database_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path)
    assert main(["league", "register", "CODE", "--folder", folder]) == 1
    assert "names no league" in capsys.readouterr().err
    assert main(["league", "register", "CODE", "--folder", folder, "--server", "http://127.0.0.1:1"]) == 1
    assert "127.0.0.1:1" in capsys.readouterr().err
    for wrong in ("mysql://x", f"sqlite:///{tmp_path}/none/there.sqlite3"):
        assert main(["league", "tables", "--database", wrong]) == 1
        assert capsys.readouterr().err.count("\n") == 1
    assert (
        main(["league", "season", "W", "2027-02-30", "2027-01-01", "--database", f"sqlite:///{folder}/a"])
        == 1
    )
    assert "is not a date" in capsys.readouterr().err
    assert main(["league", "status", "--folder", folder]) == 0
    assert json.loads(capsys.readouterr().out)["league"] is None


def test_the_sql_for_several_servers_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["league", "schema", "citus"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("create_distributed_table") == len(schema.GROWING)
    assert printed.count("create_reference_table") == len(schema.REFERENCE)
    assert "PARTITION" not in printed
    assert main(["league", "schema", "coordinator", "a", "b"]) == 0
    assert capsys.readouterr().out.count("CREATE FOREIGN TABLE") == 2 * len(schema.GROWING)
    assert main(["league", "schema", "shard"]) == 0
    assert "FOREIGN" not in capsys.readouterr().out
    assert main(["league", "schema", "coordinator"]) == 1
    assert "has servers" in capsys.readouterr().err


def test_nothing_in_a_league_is_money() -> None:
    columns = " ".join([columns for columns, _ in schema.GROWING.values()] + list(schema.REFERENCE.values()))
    assert not re.search(r"cash|money|chip|stake|price|amount|euro|coin|pot\b", columns)


def test_two_servers_may_prepare_a_league_at_once(url: str) -> None:
    from concurrent.futures import ThreadPoolExecutor

    databases = [connect(url) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(prepare, databases))
    codes = [registry.new_code(each, "Left", 0) for each in databases]
    assert len(set(codes)) == 4
    for each in databases:
        each.close()


@pytest.mark.parametrize(
    "body", [b'{"message":"\\ud800"}', b'{"row":1' + b"0" * 30 + b"}", b"[" * 9999, b"\xff"]
)
def test_what_no_league_says_is_an_error_and_not_passed_on(body: bytes) -> None:
    """A server may be anybody's: the table would be asked to take it over its socket."""

    class Hostile(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with HTTPServer(("127.0.0.1", 0), Hostile) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        upload = Upload(None, f"http://127.0.0.1:{server.server_port}")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"\w"):
            upload.request("GET", "/v1/tables/0000000000001234/news", b"")
        thread.join(30)
