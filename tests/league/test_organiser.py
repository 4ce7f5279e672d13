"""The organiser's page: a key opens it, each form needs its token, and it does what the commands do."""

from __future__ import annotations

import html
import re
from urllib.parse import urlencode

import pytest

from dicetable.__main__ import main
from league import contests, organiser, results
from tests.league.visiting import Place, Visitor, place

__all__ = ["place"]


class Organiser(Visitor):
    """A browser that is logged in."""

    def __init__(self, place: Place) -> None:
        super().__init__(place.server)
        self.key = organiser.new_key(place.league)
        self.status = self.log_in(self.key)

    def log_in(self, key: str) -> int:
        return self.ask("POST", "/organiser/log-in", urlencode({"key": key}))[0]

    @property
    def token(self) -> str:
        found = re.search(r'name="token" value="(\w+)"', self.ask("GET", "/organiser")[1].decode())
        assert found is not None
        return found.group(1)

    def do(self, what: str, **fields: object) -> tuple[int, str]:
        """Status and the sentence."""
        form = urlencode({"token": self.token, **fields})
        status, body, _ = self.ask("POST", f"/organiser/{what}", form)
        notice = re.search(r'class="notice"[^>]*>(.*?)</p>|<p>(.*?)</p>', body.decode(), re.DOTALL)
        assert notice is not None
        return status, html.unescape(notice.group(1) or notice.group(2))


@pytest.fixture
def browser_of_the_organiser(place: Place) -> Organiser:
    made = Organiser(place)
    assert made.status == 303
    return made


def test_only_the_newest_key_opens_the_page(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    stranger = Visitor(place.server)
    assert "prints the key" in stranger.page("/organiser")
    assert stranger.ask("POST", "/organiser/log-in", "key=AAAA")[0] == 403
    assert main(["league", "organiser-key", "--database", place.url]) == 0
    key = capsys.readouterr().out.split()[0]
    visitor = Organiser(place)
    assert visitor.log_in(key) == 403
    assert visitor.log_in(visitor.key.lower().replace("-", "")) == 303
    assert "Path=/organiser" in visitor.set_cookie
    assert "HttpOnly" in visitor.set_cookie
    assert "SameSite=strict" in visitor.set_cookie
    assert "Add a contest" in visitor.page("/organiser")
    organiser.new_key(place.league)
    assert "prints the key" in visitor.page("/organiser")


def test_keys_are_tried_seldom(place: Place) -> None:
    visitor = Visitor(place.server)
    tries = [visitor.ask("POST", "/organiser/log-in", "key=AAAA")[0] for _ in range(organiser.TRIES[0] + 1)]
    assert tries == [403] * organiser.TRIES[0] + [429]


def test_strangers_and_other_sites_change_nothing(place: Place, browser_of_the_organiser: Organiser) -> None:
    visitor = browser_of_the_organiser
    form = {"name": "Cup", "kind": "bracket", "game": "six_by_6"}
    good = urlencode({**form, "token": visitor.token})
    for other in (Visitor(place.server), player(place)):
        assert other.ask("POST", "/organiser/contest", good)[0] == 403
    for bad in (urlencode(form), urlencode({**form, "token": "0" * 64}), urlencode({**form, "token": "é"})):
        assert visitor.ask("POST", "/organiser/contest", bad)[0] == 403
    for site in ("cross-site", "same-site"):
        assert visitor.ask("POST", "/organiser/contest", good, **{"sec-fetch-site": site})[0] == 403
    assert visitor.ask("POST", "/organiser/contest", good, origin="https://evil.example")[0] == 403
    assert visitor.ask("POST", "/organiser/contest", "x" * 20_000)[0] == 413
    assert visitor.ask("GET", "/organiser/contest") == (303, b"", "/organiser")
    with place.league.reading() as session:
        assert session.rows("SELECT * FROM contest") == []
    assert visitor.ask("POST", "/organiser/contest", good)[0] == 200


def player(place: Place) -> Visitor:
    """A player who has the player's cookie, sent as the organiser's."""
    visitor = place.visitor(place.ann)
    visitor.cookie = visitor.cookie.replace("dicetable_player", "dicetable_organiser")
    return visitor


def test_logged_out_is_out(browser_of_the_organiser: Organiser) -> None:
    visitor = browser_of_the_organiser
    cookie = visitor.cookie
    assert visitor.ask("POST", "/organiser/log-out", urlencode({"token": visitor.token}))[0] == 303
    visitor.cookie = cookie
    assert "prints the key" in visitor.page("/organiser")


def test_a_contest_from_its_first_player_to_a_match_taken_back(
    place: Place, browser_of_the_organiser: Organiser
) -> None:
    visitor = browser_of_the_organiser
    about = {"name": "Cup", "kind": "bracket", "game": "six_by_6", "seats": 2}
    assert visitor.do("contest", **about) == (200, "Contest 1 is 'Cup'. Now enter its players.")
    assert visitor.do("contest", **about)[0] == 400
    assert visitor.do("enter", contest=1, players="Ann\r\n Bob \r\n\r\nCleo") == (
        200,
        "Entered in Cup: Ann, Bob, Cleo.",
    )
    assert visitor.do("enter", contest=1, players="Dan\nAnn")[0] == 400
    with place.league.reading() as session:
        (cleo,) = session.rows("SELECT player_id FROM player WHERE name = 'Cleo'")[0]
    assert visitor.do("withdraw", contest=1, player=f"{cleo:016x}")[1] == "Withdrawn from Cup: Cleo."
    assert "Draw the first round" in visitor.page("/organiser/contests/1")
    assert visitor.do("begin", contest=1)[0] == 200
    assert visitor.do("begin", contest=1)[0] == 400
    assert "Draw the first round" not in visitor.page("/organiser/contests/1")
    table = f"{place.bar.table:016x}"
    assert visitor.do("uncall", contest=1, table=table)[1] == "this table has no match in that contest"
    contests.call(place.league, 1, place.bar.table)
    assert "Take the match back" in visitor.page("/organiser/contests/1")
    assert visitor.do("uncall", contest=1, table=table)[1].startswith("Taken back: W1-0.")
    assert visitor.ask("GET", "/organiser/contests/2")[0] == 404
    assert visitor.do("begin", contest=2)[0] == 404


def test_seasons_tables_and_players(place: Place, browser_of_the_organiser: Organiser) -> None:
    visitor = browser_of_the_organiser
    season = {"name": "Winter", "starts": "2026-11-01", "ends": "2027-02-28", "game": ""}
    assert visitor.do("season", **season)[1] == "The season 'Winter' runs from 2026-11-01 to 2027-02-28."
    assert visitor.do("season", **{**season, "name": "W", "starts": "soon"})[0] == 400
    with place.league.reading() as session:
        assert len(results.standings(session, 1)) == 2
    code = visitor.do("code", name="Right <table>")[1]
    assert "registers 'Right <table>' within a day" in code
    bob = f"{place.bob:016x}"
    assert visitor.do("name-player", player=bob, name="Bob") == (200, f"Player {bob} is Bob.")
    assert visitor.do("name-player", player="bob", name="Bob")[0] == 400
    code = visitor.do("player-code", player=bob)[1].split()[0]
    assert Visitor(place.server).enter(code) == 303
    assert visitor.do("erase-player", player=bob)[0] == 400
    assert visitor.do("erase-player", player=bob, sure="yes") == (
        200,
        "The name is deleted. The results stay.",
    )
    assert visitor.do("sign-up", open="no")[1].startswith("Sign-up is closed")
    assert visitor.do("sign-up", open="yes")[1] == "Sign-up is open."
    table = f"{place.bar.table:016x}"
    assert visitor.do("remove-table", table=table)[0] == 400
    assert "table 1 is shut out." in visitor.do("remove-table", table=table, sure="yes")[1]
    assert "table 1 (removed)" in visitor.page("/organiser")
