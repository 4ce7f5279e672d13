"""The gateway as a process: its paths, access control, and what it does when the table goes away."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from common import messages
from gateway.settings import GatewaySettings
from tests.gateway.serving import ROOT, PretendTable, Served, first_page, over_the_wire, until
from tests.zygote import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

JPEG = b"\xff\xd8 a picture \xff\xd9"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PretendTable]:
    made = PretendTable(tmp_path_factory.mktemp("table") / "table.sock")
    yield made
    made.close()


@pytest.fixture(scope="module")
def running(table: PretendTable) -> Iterator[Served]:
    with Served(table.path, "dice.example.org") as made:
        yield made


@pytest.fixture
def served(running: Served, table: PretendTable) -> Served:
    """Connected to the table, which is as at the beginning."""
    until(lambda: running.get("/health")[0] == 200)
    table.asked.clear()
    table.tell(b'{"v":1,"revision":1}')
    until(lambda: running.get("/api/state")[2] == table.state)
    return running


def test_every_path_answers_and_no_page_may_run_what_is_not_ours(served: Served, table: PretendTable) -> None:
    for kind in (messages.PICTURE, messages.MOTION):
        table.bodies[(kind, 41)] = JPEG
    table.bodies[(messages.MARKS, 41)] = b'{"boxes":[],"motion":null}'
    kinds = {
        "/": "text/html; charset=utf-8",
        "/static/guest.css": "text/css; charset=utf-8",
        "/static/guest.js": "text/javascript; charset=utf-8",
        "/api/state": "application/json",
        "/api/throws?before=41": "application/json",
        "/throws/41.jpg": "image/jpeg",
        "/throws/41-motion.jpg": "image/jpeg",
        "/throws/41.json": "application/json",
        "/health": "application/json",
    }
    for path, kind in kinds.items():
        status, headers, body = served.get(path)
        assert (status, headers["content-type"]) == (200, kind), path
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert ("cross-origin-opener-policy" in headers) == kind.startswith("text/html"), path
        assert body
    assert served.get("/throws/41.jpg")[2] == JPEG
    assert served.json("/api/throws") == {"v": 1, "throws": []}
    assert served.json("/health")["table"] == "connected"
    asked = [41, messages.PICTURE, messages.MOTION, messages.MARKS, messages.HIGHEST]
    assert [number if kind == messages.THROWS else kind for kind, number in table.asked] == asked


MOST_PAGE = 38_000
"""Bytes of the first page over the wire; with the picture of a throw it has to stay below 60 kB."""


def test_the_page_is_small_and_asks_for_nothing_from_elsewhere(served: Served) -> None:
    found = first_page(served.port)
    assert {"/static/guest.css", "/static/fairness.js", "/static/sound.js", "/qr.svg"} <= found.keys()
    assert sum(found.values()) < MOST_PAGE, found
    for path in [*found, "/phone", "/static/phone.css", "/static/phone.js", "/static/language.js"]:
        part = served.get(path)[2]
        own = part.replace(b"http://www.w3.org/2000/svg", b"")
        assert not re.search(rb"https?:|url\(|@import|[\"']//", own), path
        assert b"<script>" not in part
        assert b"innerHTML" not in part


@pytest.mark.parametrize("path", ["/", "/phone", "/static/guest.js", "/operator/static/operator.css"])
def test_texts_are_compressed_for_whoever_takes_it(served: Served, path: str) -> None:
    plain = served.get(path)
    for accepted in ("gzip", "br;q=1.0, gzip;q=0.8", "GZIP"):
        head, _, body = over_the_wire(served.port, path, f"Accept-Encoding: {accepted}").partition(
            b"\r\n\r\n"
        )
        assert b"content-encoding: gzip" in head
        assert gzip.decompress(body) == plain[2]
    assert "content-encoding" not in plain[1]
    languages = ", accept-language, cookie" if path == "/phone" else ""
    assert plain[1]["vary"] == f"accept-encoding{languages}"
    for accepted in ("identity", "gzip;q=0", "br"):
        told = over_the_wire(served.port, path, f"Accept-Encoding: {accepted}")
        assert told.partition(b"\r\n\r\n")[2] == plain[2]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/throws/42.jpg", 404),
        ("/throws/42-motion.jpg", 404),
        ("/throws/42.json", 404),
        ("/throws/42-marks.jpg", 404),
        ("/throws/-1.jpg", 404),
        ("/throws/%C2%B2.jpg", 404),
        ("/throws/99999999999999999999.jpg", 404),
        ("/throws/..%2f..%2fetc%2fpasswd.jpg", 404),
        ("/api/throws?before=x", 400),
        ("/api/throws?before=-1", 400),
        ("/static/app.py", 404),
        ("/static/..%2fapp.py", 404),
        ("/operator/nothing", 404),
        ("/operator/static/pages.py", 404),
        ("/docs", 404),
    ],
)
def test_what_is_not_there_is_refused(served: Served, path: str, status: int) -> None:
    assert served.get(path)[0] == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
def test_nothing_can_be_sent_to_it(served: Served, method: str) -> None:
    for path in ("/", "/events", "/api/state"):
        assert served.get(path, method=method)[0] == 405


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("localhost:8080", 200),
        ("127.0.0.1:1", 200),
        ("Dice.Example.Org", 200),
        ("[::1]:8080", 200),
        ("evil.example.com", 421),
        ("127.0.0.1.evil.example.com", 421),
        ("192.0.2.7", 421),
        ("", 421),
        ("localhost|evil.example.com", 400),
    ],
)
def test_only_this_machine_s_own_names_are_answered(served: Served, host: str, status: int) -> None:
    assert served.get("/api/state", host)[0] == status


def test_a_stream_has_the_whole_state_at_once_and_on_each_change(served: Served, table: PretendTable) -> None:
    stream = served.stream()
    stream.until(b'event: state\ndata: {"v":1,"revision":1}\n\n')
    table.tell(b'{"v":1,"revision":2}')
    stream.until(b'event: state\ndata: {"v":1,"revision":2}\n\n')
    assert served.json("/health")["screens"] == 1
    stream.close()
    until(lambda: served.json("/health")["screens"] == 0)


def test_it_says_when_the_table_is_away_and_when_it_is_back(served: Served, table: PretendTable) -> None:
    stream = served.stream()
    stream.until(b'"revision":1')
    table.state = b'{"v":1,"revision":9}'
    table.hang_up()
    stream.until(b"event: away")
    stream.until(b'"revision":9')
    assert served.get("/api/state")[2] == b'{"v":1,"revision":9}'
    stream.close()


def test_without_a_table_it_waits_for_one(tmp_path: Path) -> None:
    with Served(tmp_path / "table.sock") as served:
        assert served.get("/")[0] == 200
        for path in ("/api/state", "/api/throws", "/throws/1.jpg", "/health"):
            assert served.get(path)[0] == 503
        stream = served.stream()
        stream.until(b"event: away")
        table = PretendTable(served.table)
        stream.until(b'"revision":1')
        stream.close()
        table.close()


def test_a_table_that_talks_nonsense_is_left_and_asked_again(served: Served, table: PretendTable) -> None:
    assert table.connection is not None
    first = table.connection
    first.sendall(b"nonsense\n")
    until(lambda: table.connection is not first)
    until(lambda: served.get("/health")[0] == 200)


@pytest.mark.slow
def test_two_hundred_idle_screens_and_one_that_reads_nothing(served: Served, table: PretendTable) -> None:
    screens = [served.stream() for _ in range(200)]
    stuck = served.stream()
    for screen in screens:
        screen.until(b'"revision":1')
    large = b'{"v":1,"pad":"%s"}' % (b"x" * 60_000)
    for _ in range(10):
        table.tell(large)
    table.tell(b'{"v":1,"revision":77}')
    for screen in screens:
        screen.until(b'"revision":77')
    assert sum(screen.seen.count(b"event: state") for screen in screens) <= 200 * 12
    for screen in (*screens, stuck):
        screen.close()


def test_the_gateway_holds_neither_pixels_nor_hardware() -> None:
    check = (
        "import sys; import gateway.app; "
        "print(*({'numpy', 'cv2', 'vision', 'hardware', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout == "\n"


def test_an_address_that_is_taken_is_told_in_one_line(served: Served) -> None:
    settings = GatewaySettings("127.0.0.1", served.port, str(served.table))
    with settings.file() as file:
        done = run("-m", "gateway", typed=os.read(file, 1 << 16), cwd=ROOT)
    assert done.returncode == 1
    assert done.stderr == (
        f"dicetable gateway: 127.0.0.1 port {served.port}: Address already in use: "
        "choose another `listen` in [web]\n"
    )
