"""A visitor's browser before a league's pages."""

from __future__ import annotations

import http.client
import re
import time
from typing import TYPE_CHECKING

import pytest

from league import players, results
from league.database import connect, prepare
from tests.league.bars import Bar
from tests.league.sending import NOW_S, sent
from tests.league.serving import Neighbour, Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from league.database import Database


class Visitor:
    """A browser without scripts: it keeps the cookie and follows nothing by itself."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.cookie = ""
        self.set_cookie = ""

    def ask(self, method: str, path: str, form: str = "", **headers: str) -> tuple[int, bytes, str]:
        """Status, body, and where it sends the browser."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=300)
        try:
            cookie = {"cookie": self.cookie} if self.cookie else {}
            connection.request(method, path, form.encode(), {**cookie, **headers})
            response = connection.getresponse()
            if set_cookie := response.headers.get("set-cookie"):
                self.set_cookie = set_cookie
                self.cookie = set_cookie.partition(";")[0]
            return response.status, response.read(), response.headers.get("location", "")
        finally:
            connection.close()

    def page(self, path: str = "/me") -> str:
        status, body, _ = self.ask("GET", path)
        assert status == 200
        return re.sub(r"<[^>]+>|\s+", " ", body.decode().partition("<main>")[2])

    def refused(self, form: str) -> str:
        status, body, _ = self.ask("POST", "/me/enter", form)
        assert status == 403
        return body.decode()

    def enter(self, code: str) -> int:
        return self.ask("POST", "/me/enter", f"code={code}")[0]


class Place:
    """A league with one match of Ann against Bob. The league knows Ann's name only."""

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder / 'league.sqlite3'}"
        self.league: Database = connect(self.url)
        prepare(self.league)
        self.bar = Bar(folder / "bar")
        self.bar.register(self.league)
        self.bar.play("six_by_6", ("Ann", "Bob"))
        sent(self.league, self.bar, self.bar.batch(self.bar.rows()))
        results.fold_waiting(self.league, NOW_S)
        with self.league.reading() as session:
            seats = session.rows("SELECT player_id FROM result_seat ORDER BY seat")
        self.ann, self.bob = (player for (player,) in seats[:2])
        players.name_player(self.league, self.ann, "Ann Example")
        self.server = Neighbour(self.url)

    def code(self, player: int) -> str:
        return players.new_code(self.league, player, now_s())[0]

    def visitor(self, player: int) -> Visitor:
        made = Visitor(self.server)
        assert made.enter(self.code(player)) == 303
        return made


def now_s() -> int:
    return int(time.time())


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.server.close()
    made.bar.close()
    made.league.close()
