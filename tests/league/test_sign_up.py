"""People sign up by themselves; their names are shown if they agree, and to no one else."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING

import pytest

from league import contests, players
from league.database import Refusal
from league.pages import SIGN_UPS
from tests.gateway.serving import until
from tests.league.visiting import Place, Visitor, now_s, place

if TYPE_CHECKING:
    from league.database import Database

__all__ = ["place"]


def signed_up(place: Place, name: str, shown: str = "") -> Visitor:
    visitor = Visitor(place.server)
    form = f"name={name.replace(' ', '+')}&shown={shown}"
    assert visitor.ask("POST", "/me/sign-up", form)[0] == 303
    return visitor


def everywhere(place: Place) -> str:
    """All that strangers can read."""
    stranger = Visitor(place.server)
    with place.league.reading() as session:
        every = [player for (player,) in session.rows("SELECT player_id FROM player")]
    paths = ["/", "/contests/1", "/v1/contests/1", f"/v1/tables/{place.bar.table:016x}/news"]
    for player in every:
        name = players.player_name(player)
        paths += [f"/players/{name}", f"/v1/players/{name}"]
    return "".join(stranger.ask("GET", path)[1].decode() for path in paths)


def test_a_name_is_shown_only_where_its_owner_agreed(place: Place) -> None:
    number = contests.add(place.league, "Open arena", "arena", "six_by_6")
    shy, bold = signed_up(place, "Shy Sue"), signed_up(place, "Bold Bea", "yes")
    for visitor in (shy, bold):
        assert visitor.ask("POST", "/me/contest", f"contest={number}&event=joined")[0] == 303
    assert "Bold Bea" in everywhere(place)
    assert "Shy Sue" not in everywhere(place)
    assert "Shy Sue" in shy.page()
    assert shy.ask("POST", "/me/show", "shown=yes")[0] == 303
    assert bold.ask("POST", "/me/show", "shown=no")[0] == 303
    assert "Shy Sue" in everywhere(place)
    until(lambda: "Bold Bea" not in everywhere(place))  # the news for tables may be a second old
    told = json.loads(bold.ask("GET", "/me/export")[1])
    assert (told["name"], told["name_is_shown"]) == ("Bold Bea", False)
    assert [each["event"] for each in told["contests"]] == ["joined"]


def test_no_form_of_another_site_signs_anyone_up(place: Place) -> None:
    visitor = Visitor(place.server)
    for origin in ("null", "http://evil.example.com", "https://127.0.0.1"):
        for site in ({}, {"sec-fetch-site": "none"}, {"sec-fetch-site": "same-origin"}):
            form = visitor.ask("POST", "/me/sign-up", "name=Mallory", origin=origin, **site)
            assert form[0] == 403, (origin, site)
    assert visitor.cookie == ""


def test_the_browser_sends_the_origin_of_our_own_forms(place: Place) -> None:
    """With the policy no-referrer it would send "null"."""
    own = f"http://127.0.0.1:{place.server.port}"
    assert Visitor(place.server).ask("POST", "/me/sign-up", "name=Sue", origin=own)[0] == 303
    connection = http.client.HTTPConnection("127.0.0.1", place.server.port, timeout=300)
    connection.request("GET", "/me")
    assert connection.getresponse().headers["referrer-policy"] == "same-origin"
    connection.close()


def test_a_deleted_name_is_free_and_shown_to_no_one(place: Place) -> None:
    contests.add(place.league, "Open arena", "arena", "six_by_6")
    sue = signed_up(place, "Sue", "yes")
    assert sue.ask("POST", "/me/erase", "sure=yes")[0] == 303
    assert "none stored" in sue.page()
    assert "Sue" not in everywhere(place)
    assert sue.ask("POST", "/me/contest", "contest=1&event=joined")[0] == 400
    assert "Sue" in signed_up(place, "Sue").page()


def test_the_organiser_who_names_a_player_has_the_consent_and_changes_no_other(place: Place) -> None:
    with place.league.reading() as session:
        assert place.ann in players.Names(session).public
    signed_up(place, "Sue")
    players.name_player(place.league, place.bob, "Sue")
    with place.league.reading() as session:
        names = players.Names(session)
        assert names.private_name(place.bob) == "Sue"
        assert names.shown(place.bob).startswith("player ")


def test_a_name_that_looks_like_another_is_taken_and_odd_ones_are_refused(place: Place) -> None:
    for name in ("Ann Example", "ANN example", "  Ann   Example ", "Ａnn Example"):
        with pytest.raises(Refusal, match="taken"):
            players.sign_up(place.league, name, now_s(), is_shown=True)
    for name in ("", " ", "a\0b", "x" * 41, "Player 3F9a0c"):
        with pytest.raises(ValueError, match="name"):
            players.sign_up(place.league, name, now_s(), is_shown=True)


def test_the_organiser_closes_sign_up(place: Place) -> None:
    players.open_sign_up(place.league, is_open=False)
    visitor = Visitor(place.server)
    assert "Sign-up is closed" in visitor.page()
    status, body, _ = visitor.ask("POST", "/me/sign-up", "name=Sue")
    assert (status, visitor.cookie) == (403, "")
    assert b"ask the organiser" in body
    players.open_sign_up(place.league, is_open=True)
    assert "Sue" in signed_up(place, "Sue").page()


def test_a_player_opens_the_page_on_another_device(place: Place) -> None:
    sue, phone = signed_up(place, "Sue"), Visitor(place.server)
    status, body, _ = sue.ask("POST", "/me/code", "")
    code = body.decode().partition("<p>")[2].split()[0]
    assert status == 200
    assert phone.enter(code) == 303
    assert "Sue" in phone.page()
    assert Visitor(place.server).ask("POST", "/me/code", "")[0] == 403


def test_one_client_signs_up_seldom(place: Place) -> None:
    for number in range(SIGN_UPS[0]):
        signed_up(place, f"Sue {number}")
    assert Visitor(place.server).ask("POST", "/me/sign-up", "name=Sue")[0] == 429


def test_contests_are_joined_and_left_by_the_rules(place: Place) -> None:
    number = contests.add(place.league, "Cup", "bracket", "six_by_6")
    sue = signed_up(place, "Sue")

    def asked(event: str, contest: str = str(number)) -> int:
        return sue.ask("POST", "/me/contest", f"contest={contest}&event={event}")[0]

    assert [asked("joined"), asked("joined")] == [303, 400]
    assert "Cup Six By 6 Leave" in " ".join(sue.page().split())
    assert [asked("left"), asked("left")] == [303, 400]
    assert "Cup Six By 6 Join" in " ".join(sue.page().split())
    assert [asked("begun"), asked("joined", "9"), asked("joined", "x")] == [400, 404, 404]
    assert entrants(place.league, number) == 0


def entrants(league: Database, number: int) -> int:
    with league.reading() as session:
        return len(contests.load(session, number).players)
