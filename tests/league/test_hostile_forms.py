"""What the league's forms, codes and signed rows may hold: each is taken or refused, and nothing fails."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.signing import SigningKey
from starlette.requests import Request

from common import statements
from common.network import RateLimit
from dicetable.__main__ import main
from league import contests, ingestion, organiser, pages, players, registry, replay, results
from league.database import Refusal, connect, prepare
from league.registry import GameTable
from tests.extent import extent
from tests.league.bars import Bar, batch
from tests.league.hostile import anything
from tests.league.sending import with_bodies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from starlette.responses import Response

    from common.statements import Row
    from league.database import Database

NOW_S = 1_800_000_000
KEY = SigningKey(bytes(32))
REGISTRATION = json.dumps({"v": 1, "code": "ABCD", "key": "0" * 64, "signature": "0" * 128}).encode()
LINES = st.text(st.characters(codec="utf-8"), max_size=60)
DATES = st.sampled_from(
    ["2027-01-01", "0001-01-01", "1970-01-01", "2027-02-30", "9999-12-31", "2027-W01-1", "20270101"]
)
NUMBERS = st.sampled_from(["1", "2", "0", "-1", "8", "\u0661", "\u00b2", "9" * 15, "9" * 30, "1e3"])
IDS = st.sampled_from(["0" * 16, "f" * 16, "7" + "f" * 15, "+" + "0" * 15, "0x" + "0" * 14])
YES = st.sampled_from(["yes", "no"])
FIELDS = {
    "name": st.sampled_from(["Cup", "Ann", "player 0a1b2c", "Ann\0", "\u202e", "\ufdfa" * 3]),
    "starts": DATES,
    "ends": DATES,
    "game": st.sampled_from(["", "six_by_6", "liars_dice", "chess"]),
    "kind": st.sampled_from(["arena", "bracket", "cup"]),
    "seats": NUMBERS,
    "contest": NUMBERS,
    "players": st.lists(st.sampled_from(["Ann", "Bob", "Cleo", "\t"]) | LINES, max_size=3).map("\r\n".join),
    "player": IDS,
    "table": IDS,
    "sure": YES,
    "open": YES,
    "shown": YES,
    "event": st.sampled_from(["joined", "left", "begun"]),
    "code": st.just("ABCD-ABCD-ABCD-ABCD"),
    "key": st.just("ABCD"),
}
FORMS = {
    "/me/sign-up": ("name", "shown"),
    "/me/enter": ("code",),
    "/me/code": (),
    "/me/show": ("shown",),
    "/me/contest": ("contest", "event"),
    "/me/erase": ("sure",),
    "/organiser/log-in": ("key",),
    "/organiser/code": ("name",),
    "/organiser/remove-table": ("table", "sure"),
    "/organiser/season": ("name", "starts", "ends", "game"),
    "/organiser/contest": ("name", "kind", "game", "seats"),
    "/organiser/enter": ("contest", "players"),
    "/organiser/withdraw": ("contest", "player"),
    "/organiser/begin": ("contest",),
    "/organiser/uncall": ("contest", "table"),
    "/organiser/name-player": ("player", "name"),
    "/organiser/player-code": ("player",),
    "/organiser/erase-player": ("player", "sure"),
    "/organiser/sign-up": ("open",),
}


@st.composite
def forms(draw: st.DrawFn, fields: Sequence[str]) -> bytes:
    """The fields of a form with some missing, odd or too many; now and then bytes of any kind."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=80))
    given_ = {name: draw(FIELDS[name] if draw(st.integers(0, 5)) else LINES) for name in fields}
    if draw(st.integers(0, 4)) == 0:
        given_[draw(st.sampled_from(sorted(FIELDS)))] = draw(LINES)
    if given_ and draw(st.integers(0, 9)) == 0:
        del given_[draw(st.sampled_from(sorted(given_)))]
    return urlencode(given_).encode()


class Patient(RateLimit):
    """A limit that lets everything through."""

    def __init__(self) -> None:
        super().__init__(time.monotonic, 1, 1.0)

    def allows(self, name: str) -> bool:  # noqa: ARG002 - as in the class above
        return True


class Browser:
    """Sends forms to the handlers of a league, without a network, as a person who is logged in."""

    def __init__(self, folder: Path) -> None:
        self.league: Database = connect(f"sqlite:///{folder / 'league.sqlite3'}")
        prepare(self.league)
        self.organiser = organiser.log_in(self.league, organiser.new_key(self.league), NOW_S)
        self.player = players.sign_up(self.league, "Zoe", NOW_S, is_shown=True)
        own = pages.OwnPages(self.league, lambda: NOW_S)
        own.sign_ups = own.all_sign_ups = Patient()
        organisers = organiser.OrganiserPages(self.league, lambda: NOW_S)
        organisers.tries = organisers.all_tries = Patient()
        self.routes = {**own.routes(), **organisers.routes()}

    def ask(self, method: str, path: str, form: bytes = b"", at: Mapping[str, str] | None = None) -> Response:
        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": form, "more_body": False}

        cookie = f"{pages.COOKIE}={self.player}; {organiser.COOKIE}={self.organiser}"
        headers = [(b"cookie", cookie.encode())]
        scope: dict[str, Any] = {
            "type": "http",
            "method": method,
            "headers": headers,
            "path_params": at or {},
        }
        scope |= {"client": ("127.0.0.1", 1), "scheme": "http", "path": path, "query_string": b""}
        found: Any = self.routes[path][1](Request(scope, receive))
        answer: Response = asyncio.run(found) if asyncio.iscoroutine(found) else found
        return answer


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("forms"))
    yield made
    made.league.close()


def test_every_form_is_tried(browser: Browser) -> None:
    forms_of = {path for path, (methods, _) in browser.routes.items() if "POST" in methods}
    assert forms_of == {*FORMS, "/me/leave", "/organiser/log-out"}  # these two hold nothing


@pytest.mark.parametrize("path", FORMS)
def test_any_form_is_answered_or_refused(browser: Browser, path: str) -> None:
    token = urlencode({"token": organiser.form_token(browser.organiser)}).encode()

    def sent(form: bytes) -> None:
        answer = browser.ask("POST", path, form + b"&" + token if path.startswith("/organiser") else form)
        assert answer.status_code < 500
        for page in ("/organiser", "/me"):
            assert browser.ask("GET", page).status_code == 200

    settings(deadline=None, max_examples=extent(15, 200))(given(forms(FORMS[path]))(sent))()


def test_a_season_may_last_for_ever(
    browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    form = {"name": "All time", "starts": "0001-01-01", "ends": "9999-12-31", "game": ""}
    token = {"token": organiser.form_token(browser.organiser)}
    assert browser.ask("POST", "/organiser/season", urlencode(form | token).encode()).status_code == 200
    assert b"9999-12-31" in browser.ask("GET", "/organiser").body
    command = ["league", "season", "All time", "0001-01-01", "9999-12-31"]
    assert main([*command, "--database", f"sqlite:///{tmp_path / 'league.sqlite3'}"]) == 0
    assert "9999-12-31" in capsys.readouterr().out


def test_a_number_that_no_database_holds_is_bad_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = ["--database", f"sqlite:///{tmp_path / 'league.sqlite3'}"]
    for command in (
        ["withdraw", "9" * 30, "Ann"],
        ["begin", "9" * 30],
        ["check-picture", "0" * 16, "-9", "a"],
    ):
        with pytest.raises(SystemExit) as ended:
            main(["league", *command, *database])
        assert ended.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_code_that_is_no_text_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--folder", str(tmp_path), "--server", "http://127.0.0.1:9"]
    assert main(["league", "register", "\udcff", *where]) == 1
    assert capsys.readouterr().err.endswith("there is no such code: ask the organiser for a new one\n")


@given(LINES | st.text(st.characters(codec=None), max_size=20))
def test_any_code_is_a_digest(code: str) -> None:
    try:
        assert len(registry.hashed(code)) == 32
    except UnicodeEncodeError:  # half a character, which neither a form nor JSON lets through
        assert any("\ud800" <= character <= "\udfff" for character in code)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_registration_or_refused(data: bytes) -> None:
    with pytest.raises(Refusal):
        registry.read_registration(data)


@given(st.data())
def test_a_registration_with_anything_in_any_place_is_refused(data: st.DataObject) -> None:
    given_ = json.loads(REGISTRATION)
    given_[data.draw(st.sampled_from([*given_, "more"]))] = data.draw(anything)
    with pytest.raises(Refusal):
        registry.read_registration(json.dumps(given_).encode())


@given(st.binary(max_size=200) | st.dictionaries(st.sampled_from(["v", "asked", "signature"]), anything).map(
    lambda found: json.dumps(found).encode()
))  # fmt: skip
def test_no_request_without_a_signature_is_read(data: bytes) -> None:
    table = GameTable(1, "A bar", bytes(KEY.verify_key))
    with pytest.raises(Refusal):
        registry.read_request(table, "/v1/tables/0000000000000001/next", data, NOW_S)


@given(NUMBERS | IDS | LINES)
def test_any_text_in_an_address_is_a_number_an_id_or_refused(text: str) -> None:
    for read, own in (
        (pages.number, Refusal),
        (registry.table_of, Refusal),
        (players.player_of, players.UnknownPlayer),
    ):
        with suppress(own):
            assert 0 <= read(text) < 2**63


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    bar = Bar(tmp_path_factory.mktemp("bar"))
    bar.play("six_by_6", ("Ann", "Bob"))
    rows = bar.rows()
    bar.close()
    return rows


ENTRY_FIELDS = (
    "entry", "game", "seats", "options", "seed", "draws", "panel_seats", "before", "seat", "action", "dice",
    "revision", "why", "epoch", "details",
)  # fmt: skip
ENTRY_VALUES = anything | st.sampled_from(
    ["opened", "closed", "decided", "corrected", "thrown", "revealed", "epoch", "over", "six_by_6", 10**9,
     -1, {"player": "Ann"}, {"player": "\ud800"}, [["d6", 7]], [["d6"]], [["d6", 1]] * 60, "\u202e", "Ann\0"]
)  # fmt: skip


@given(data=st.data())
@settings(deadline=None, max_examples=extent(30, 300))
def test_a_match_of_any_signed_rows_is_stored_judged_and_shown(
    tmp_path_factory: pytest.TempPathFactory, match: list[Row], data: st.DataObject
) -> None:
    """Whatever a table signs: its rows are refused as a whole, or all stored, folded and shown."""
    bodies: dict[int, bytes] = {}
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, min(9, len(match) - 1)))
        entry = json.loads(match[place].body)
        entry[data.draw(st.sampled_from([*entry, *ENTRY_FIELDS]))] = data.draw(ENTRY_VALUES)
        text = json.dumps(entry, ensure_ascii=data.draw(st.booleans()))
        cut = len(text) if data.draw(st.integers(0, 9)) else data.draw(st.integers(0, len(text)))
        bodies[place] = text[:cut].encode(errors="surrogatepass")
    bodies = {place: body for place, body in bodies.items() if valid(body)}
    rows = with_bodies(match, bodies)
    league = connect(f"sqlite:///{tmp_path_factory.mktemp('rows') / 'league.sqlite3'}")
    try:
        prepare(league)
        code = registry.new_code(league, "A bar", NOW_S)
        bar = registry.register(league, registration(code), NOW_S)
        table = GameTable(registry.table_of(str(bar["table"])), "A bar", bytes(KEY.verify_key))
        try:
            taken = ingestion.ingest(league, table, batch(KEY, table.table, rows), NOW_S)
        except Refusal:
            assert ingestion.acknowledged(league, table.table) is None
            return
        assert taken.new == len(rows)
        results.fold_waiting(league, NOW_S)
        contests.settle(league)
        with league.reading() as session:
            json.dumps(results.live(session, replay.LiveMatches(), table.table))
            assert session.rows("SELECT count(*) FROM pending") == [(0,)]
            trusted = results.trust(session, table.table)
            assert trusted["row"] == rows[-1].number
    finally:
        league.close()


def valid(body: bytes) -> bool:
    """Whether a body is text, as a batch has it."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def registration(code: str) -> bytes:
    public = bytes(KEY.verify_key)
    signature = KEY.sign(statements.registration(code, public)).signature
    return json.dumps({"v": 1, "code": code, "key": public.hex(), "signature": signature.hex()}).encode()


@pytest.mark.parametrize(
    "name", ["\u3164", "\u2800", "\uffa0\u115f", "\ufe0f", "\u0301", "Ann\u3164", "Ann\u034f"]
)
def test_a_name_that_people_cannot_see_or_tell_from_another_is_none(browser: Browser, name: str) -> None:
    with pytest.raises(ValueError, match="characters that can be shown"):
        players.sign_up(browser.league, name, NOW_S, is_shown=True)
    assert registry.check_name(" Zoe\u0308 \u2764\ufe0f ") == "Zoe\u0308 \u2764\ufe0f"
