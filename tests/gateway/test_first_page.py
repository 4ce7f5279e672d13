"""The first page of a game under a camera, for this machine and for the browser with the terminal's code."""

from __future__ import annotations

import json
from contextlib import closing
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

import pytest

from common.texts import first_page as texts
from tests.gateway.serving import HANGING_S, PretendTable, Served, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PICTURE = b"\xff\xd8 a picture"
CODE = "of_the_terminal"


class Asked:
    """What the table was asked, and whether it knows of a camera."""

    def __init__(self) -> None:
        self.all: list[tuple[str, dict[str, Any]]] = []
        self.knows = True

    def answer(self, kind: str, payload: dict[str, Any]) -> bytes | None:
        self.all.append((kind, payload))
        return PICTURE if self.knows else None


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def served(tmp_path: Path, asked: Asked) -> Iterator[Served]:
    table = PretendTable(tmp_path / "table.sock", asked.answer)
    with Served(tmp_path / "table.sock", first_code=CODE) as serving:
        until(lambda: table.connection is not None)
        yield serving
    table.close()


def test_the_page_shows_the_picture_that_the_table_sent_last(served: Served, asked: Asked) -> None:
    assert b"/static/start.js" in served.get("/start")[2]
    assert served.json("/start/state") == {"picture": True}
    assert served.get("/start/picture.jpg")[2] == PICTURE
    assert asked.all == [("camera_check", {})]


def test_a_table_without_a_camera_to_check_says_how_to_start_one(served: Served, asked: Asked) -> None:
    asked.knows = False
    status, _, body = served.get("/start/state")
    assert (status, json.loads(body)["error"]) == (404, texts.PAGE["away"])


def elsewhere(served: Served, path: str, cookie: str = "", code: str | None = None) -> tuple[int, Any, str]:
    """Status, body and cookie of an answer to another machine's browser that sends the `code`."""
    headers = {"Host": "localhost", "X-Forwarded-For": "192.0.2.7", "Cookie": cookie}
    body = None
    if code is not None:
        headers |= {"Origin": "http://localhost", "Content-Type": "application/json"}
        body = json.dumps({"code": code})
    with closing(HTTPConnection("127.0.0.1", served.port, timeout=HANGING_S)) as asking:
        asking.request("GET" if code is None else "POST", path, body, headers)
        response = asking.getresponse()
        return response.status, response.read(), response.getheader("Set-Cookie", "").partition(";")[0]


@pytest.mark.parametrize("path", ["/start/state", "/start/picture.jpg"])
def test_another_machine_s_browser_sees_nothing(served: Served, asked: Asked, path: str) -> None:
    status, body, _ = elsewhere(served, path)
    assert (status, json.loads(body)["error"]) == (403, texts.ONLY_HERE)
    assert asked.all == []


def test_the_terminal_s_code_lets_one_browser_in_once(served: Served) -> None:
    assert elsewhere(served, "/start/pair", code="guessed")[0] == 403
    status, _, cookie = elsewhere(served, "/start/pair", code=CODE)
    assert status == 200
    assert elsewhere(served, "/start/state", cookie)[0] == 200
    assert elsewhere(served, "/start/picture.jpg", cookie)[1] == PICTURE
    assert elsewhere(served, "/start/pair", code=CODE)[::2] == (403, "")
    assert elsewhere(served, "/start/pair", cookie, code=CODE)[::2] == (200, "")


def test_without_a_code_no_other_browser_gets_in(tmp_path: Path) -> None:
    with Served(tmp_path / "table.sock") as serving:
        assert elsewhere(serving, "/start/pair", code="")[::2] == (403, "")


@pytest.mark.parametrize(("origin", "status"), [("http://localhost", 200), ("http://elsewhere", 403)])
def test_only_the_page_itself_chooses_another_camera(
    served: Served, asked: Asked, origin: str, status: int
) -> None:
    headers = {"Host": "localhost", "Origin": origin, "Content-Type": "application/json"}
    with closing(HTTPConnection("127.0.0.1", served.port, timeout=HANGING_S)) as asking:
        asking.request("POST", "/start/camera", b'{"path": "/dev/video1"}', headers)
        assert asking.getresponse().status == status
    assert asked.all == ([("camera_choose", {"path": "/dev/video1"})] if status == 200 else [])
