"""A player's own page: opened with a code; everything to take along, the name to delete."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from dicetable.__main__ import main
from league import contests, players
from tests.gateway.serving import until
from tests.league.visiting import Place, Visitor, place

__all__ = ["place"]


def test_a_code_of_the_organiser_opens_the_page_once(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "The organiser has a code" in Visitor(place.server).page()
    player = players.player_name(place.ann)
    assert main(["league", "player-code", player, "--database", place.url]) == 0
    code = capsys.readouterr().out.split()[0]
    ann = Visitor(place.server)
    assert ann.enter("AAAA-AAAA-AAAA-AAAA") == 403
    assert ann.enter(code.lower()) == 303
    assert "HttpOnly" in ann.set_cookie
    assert "SameSite=strict" in ann.set_cookie
    assert "Secure" not in ann.set_cookie
    assert "Ann Example" in ann.page()
    assert "Six By 6" in ann.page()
    assert Visitor(place.server).enter(code) == 403
    assert "There is no such code, or it is too old" in Visitor(place.server).refused("code=" + code)
    stranger = Visitor(place.server)
    stranger.cookie = "dicetable_player=" + "00" * 32
    assert "The organiser has a code" in stranger.page()
    assert main(["league", "player-code", "00" * 8, "--database", place.url]) == 1
    assert "no player is known as" in capsys.readouterr().err


def test_behind_a_proxy_with_a_certificate_the_cookie_is_for_https_alone(place: Place) -> None:
    ann = Visitor(place.server)
    ann.ask("POST", "/me/enter", f"code={place.code(place.ann)}", **{"x-forwarded-proto": "https"})
    assert "Secure" in ann.set_cookie


def test_a_player_takes_everything_along_and_nothing_of_others(place: Place) -> None:
    ann = place.visitor(place.ann)
    status, body, _ = ann.ask("GET", "/me/export")
    told: dict[str, Any] = json.loads(body)
    assert status == 200
    assert (told["name"], told["player"]) == ("Ann Example", players.player_name(place.ann))
    assert [each["game"] for each in told["results"]] == ["six_by_6"]
    assert players.player_name(place.bob).encode() not in body
    assert Visitor(place.server).ask("GET", "/me/export")[0] == 403
    bob = place.visitor(place.bob)
    assert b"Ann" not in bob.ask("GET", "/me/export")[1]


def test_a_player_deletes_the_name_himself(place: Place) -> None:
    ann, bob, elsewhere = (place.visitor(each) for each in (place.ann, place.bob, place.ann))
    unused = place.code(place.ann)
    assert ann.ask("POST", "/me/erase", "")[0] == 400
    assert bob.ask("POST", "/me/erase", "sure=yes")[0] == 303
    assert Visitor(place.server).ask("POST", "/me/erase", "sure=yes")[0] == 403
    assert "Ann Example" in ann.page()
    assert ann.ask("POST", "/me/erase", "sure=yes") == (303, b"", "/me")
    assert "Ann Example" not in ann.page()
    assert "none stored" in ann.page()
    assert Visitor(place.server).enter(unused) == 403
    assert "The organiser has a code" in elsewhere.page(), "no other browser stays logged in"
    assert "The organiser has a code" not in bob.page()
    with place.league.reading() as session:
        assert session.rows("SELECT name FROM player WHERE name IS NOT NULL") == []
        assert session.rows("SELECT count(*) FROM result") == [(1,)]
    for path in ("/", f"/players/{players.player_name(place.ann)}"):
        assert b"Ann Example" not in ann.ask("GET", path)[1]


def test_whom_the_organiser_erases_is_logged_in_nowhere(place: Place) -> None:
    ann = place.visitor(place.ann)
    assert main(["league", "erase-player", players.player_name(place.ann), "--database", place.url]) == 0
    assert "The organiser has a code" in ann.page()


def test_the_export_tells_contests_browsers_and_every_match(place: Place) -> None:
    number = contests.add(place.league, "Friday", "arena", "six_by_6")
    table = f"{place.bar.table:016x}"
    for player in (place.ann, place.bob):
        contests.add_event(place.league, number, {"event": "joined", "player": player})
    for _ in range(2):
        assert contests.call(place.league, number, place.bar.table) is not None
        contests.uncall(place.league, number, place.bar.table)
    contests.call(place.league, number, place.bar.table)
    event = {"event": "decided", "match": "2", "winners": [place.ann]}
    contests.add_event(place.league, number, event)
    place.code(place.ann)
    place.visitor(place.ann)
    count = 10_001
    with place.league.transaction() as session:
        ((match, *about),) = session.rows(
            "SELECT match, number, game, at_utc, at_s, outcome, why FROM result"
        )
        table_id = place.bar.table
        session.insert("result", [(table_id, match + each, *about) for each in range(1, count)])
        seats = [(table_id, match + each, about[0], 0, place.ann, 0, 0) for each in range(1, count)]
        session.insert("result_seat", seats)
    told = players.export(place.league, place.ann)
    happened = [(each["event"], each.get("match"), each.get("won")) for each in told["contests"]]
    assert happened == [
        ("joined", None, None),
        ("called", "0", None),
        ("uncalled", "0", False),
        ("called", "1", None),
        ("uncalled", "1", False),
        ("called", "2", None),
        ("decided", "2", True),
    ]
    assert {each.get("table", table) for each in told["contests"]} == {table}
    assert players.player_name(place.bob) not in json.dumps(told)
    assert len(told["results"]) == count
    assert len(told["browsers_known_until_s"]) == len(told["codes_valid_until_s"]) == 1


def test_forms_of_other_sites_and_odd_ones_do_nothing(place: Place) -> None:
    ann = place.visitor(place.ann)
    for site in ("cross-site", "same-site"):
        assert ann.ask("POST", "/me/erase", "sure=yes", **{"sec-fetch-site": site})[0] == 403
    for form, status in (("x" * 1001, 413), ("sure", 400), ("&".join("abcdefghij"), 400), ("%ff=%fe", 400)):
        assert ann.ask("POST", "/me/erase", form)[0] == status
    assert "Ann Example" in ann.page()
    for path in ("/me/enter", "/me/erase", "/me/leave"):
        assert ann.ask("GET", path) == (303, b"", "/me")
    assert "Ann Example" in ann.page()


def test_a_browser_is_forgotten(place: Place) -> None:
    ann = place.visitor(place.ann)
    assert ann.ask("POST", "/me/leave", "")[0] == 303
    assert "The organiser has a code" in ann.page()


def test_a_table_that_joins_pseudonyms_lets_nobody_in_as_somebody_else(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    mal, late = place.visitor(place.bob), Visitor(place.server)
    code = place.code(place.bob)
    with place.league.transaction() as session:
        contests.join(session, players.Names(session), place.bob, players.player_name(place.ann))
    for visitor in (mal, late):
        assert visitor is mal or visitor.enter(code) == 303
        assert "The organiser has a code" in visitor.page()
        assert visitor.ask("GET", "/me/export")[0] == 403
    player = players.player_name(place.bob)
    assert main(["league", "player-code", player, "--database", place.url]) == 0
    assert "of 'Ann Example'" in capsys.readouterr().out, "the organiser sees whom the code lets in"


def test_a_deleted_name_is_in_no_file_and_the_files_are_private(place: Place) -> None:
    """The log would keep what the row was before until SQLite happens to write over it."""
    folder = place.bar.ledger.folder.parent
    files = list(folder.glob("league.sqlite3*"))
    assert any(b"Ann Example" in path.read_bytes() for path in files)
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert place.visitor(place.ann).ask("POST", "/me/erase", "sure=yes")[0] == 303
    assert not any(b"Ann Example" in path.read_bytes() for path in folder.glob("league.sqlite3*"))


def held(place: Place, name: bytes) -> bool:
    return any(name in path.read_bytes() for path in place.bar.ledger.folder.parent.glob("league.sqlite3*"))


@pytest.mark.slow
def test_a_deleted_name_leaves_the_files_once_no_other_program_reads_them(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    file = place.bar.ledger.folder.parent / "league.sqlite3"
    erase = ["league", "erase-player", players.player_name(place.ann), "--database", place.url]
    with closing(sqlite3.connect(file, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert ("Ann Example",) in reader.execute("SELECT name FROM player").fetchall()
        ann = place.visitor(place.ann)
        assert ann.ask("POST", "/me/erase", "sure=yes")[0] == 303
        assert "none stored" in ann.page()
        assert main(erase) == 1
        assert "another program is using the database" in capsys.readouterr().err
        assert held(place, b"Ann Example")
    until(lambda: not held(place, b"Ann Example"))
    assert main(erase) == 0
