"""Who is let in at the operator page: codes, sessions, tokens, limits, paired displays, the passphrase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from starlette.requests import HTTPConnection, Request

from common.network import ClientAddress, RateLimit
from gateway.displays import Displays
from gateway.operator.codes import Codes
from gateway.operator.login import Access
from gateway.operator.passphrase import hash_passphrase, passphrase_matches
from gateway.requests import SESSION, RequestRefusedError
from gateway.sessions import OperatorSession, Sessions
from gateway.settings import GatewaySettings

if TYPE_CHECKING:
    from pathlib import Path


class Time:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.s = 1000.0

    def __call__(self) -> float:
        return self.s


@pytest.fixture
def time() -> Time:
    return Time()


def test_a_code_counts_once_and_only_for_the_browser_that_asked(time: Time) -> None:
    given = Codes(time)
    code = given.new("mine", "192.0.2.1")
    assert code is not None
    assert len(code.text) == 8
    assert not given.use("another", code.text)
    assert given.use("mine", code.grouped)
    assert not given.use("mine", code.text)


def test_codes_are_drawn_from_all_of_eight_digits(time: Time) -> None:
    texts = [code.text for _ in range(40) if (code := Codes(time).new("browser", "192.0.2.1")) is not None]
    assert len(set(texts)) == 40
    assert {len(text) for text in texts} == {8}
    assert len({text[0] for text in texts}) > 1  # a chance of one in 10³⁹ that it fails for nothing


def test_a_code_is_void_after_five_wrong_ones_and_after_two_minutes(time: Time) -> None:
    given = Codes(time)
    code = given.new("mine", "192.0.2.1")
    assert code is not None
    wrong = "000000" if code.text != "000000" else "000001"
    assert [given.use("mine", wrong) for _ in range(5)] == [False] * 5
    assert not given.use("mine", code.text)
    code = given.new("mine", "192.0.2.1")
    assert code is not None
    time.s += 119.0
    assert given.lives("mine")
    time.s += 1.0
    assert not given.lives("mine")
    assert not given.use("mine", code.text)


def test_a_client_gets_a_few_codes_at_once_and_then_one_in_a_while(time: Time) -> None:
    given = Codes(time)
    got = [given.new(f"browser {n}", "192.0.2.1") for n in range(10)]
    assert sum(code is not None for code in got) == 3
    time.s += 20.0
    assert given.new("late", "192.0.2.1") is not None


@pytest.mark.parametrize("crowd", [1, 3, 250])
def test_no_crowd_ends_a_login_in_progress(time: Time, crowd: int) -> None:
    given = Codes(time)
    operator = given.new("operator", "198.51.100.1")
    assert operator is not None
    for second in range(119):
        for guest in range(crowd):
            given.new(f"another {second} {guest}", f"192.0.2.{guest}")
        time.s += 1
    assert given.use("operator", operator.text)


def test_a_crowd_at_many_addresses_gets_few_codes_and_this_machine_always_one(time: Time) -> None:
    given = Codes(time)
    got = 0
    for second in range(600):
        got += sum(given.new(f"{second} {guest}", f"192.0.2.{guest}") is not None for guest in range(250))
        time.s += 1
    assert got <= 6 + 120
    here = given.new("television", "127.0.0.1")
    assert here is not None
    assert given.use("television", here.text)


def test_an_operator_who_asks_without_end_stops_no_other_at_the_same_address(time: Time) -> None:
    access = Access(GatewaySettings("0.0.0.0", 8080, "none", plain_http=True), None, None, time)

    def request(session: str) -> Request:
        cookie = f"{SESSION}={session}".encode()
        return Request({
            "type": "http", "method": "GET", "scheme": "http", "path": "/", "query_string": b"",
            "client": ("192.0.2.9", 1), "server": ("x", 80), "headers": [(b"cookie", cookie)],
        })  # fmt: skip

    greedy, other = access.sessions.begin(), access.sessions.begin()
    for _ in range(40):
        access.check(request(greedy))
    with pytest.raises(RequestRefusedError):
        access.check(request(greedy))
    access.check(request(other))


def test_a_session_ends_when_nobody_uses_it_and_at_the_end_of_the_evening(time: Time) -> None:
    all_of_them = Sessions(time)
    name = all_of_them.begin()
    assert all_of_them.find(name) is not None
    assert all_of_them.find("another") is None
    assert all_of_them.find(None) is None
    time.s += 1801.0
    assert all_of_them.find(name) is None
    name = all_of_them.begin()
    for _ in range(72):
        time.s += 600
        assert all_of_them.find(name) is not None
    time.s += 600
    assert all_of_them.find(name) is None


def test_logging_out_everywhere_leaves_no_session(time: Time) -> None:
    all_of_them = Sessions(time)
    names = [all_of_them.begin() for _ in range(9)]
    assert all_of_them.find(names[0]) is None
    assert all(all_of_them.find(name) for name in names[1:])
    assert not any(name.encode() in digest for name in names for digest in all_of_them.all)
    all_of_them.end_all()
    assert not any(all_of_them.find(name) for name in names)


def test_a_token_allows_one_change(time: Time) -> None:
    session = Sessions(time).all.setdefault(b"", OperatorSession(0.0, 0.0))
    token = session.token()
    assert session.takes(token)
    assert not session.takes(token)
    assert not session.takes("")
    old = session.token()
    for _ in range(64):
        session.token()
    assert not session.takes(old)
    assert len(session.tokens) == 64


def test_a_limit_lets_a_burst_through_and_then_the_rate(time: Time) -> None:
    limit = RateLimit(time, 5, 2.0)
    assert sum(limit.allows("one") for _ in range(100)) == 5
    assert limit.allows("another")
    time.s += 4.0
    assert sum(limit.allows("one") for _ in range(100)) == 2
    for number in range(10_000):
        limit.allows(str(number))
    assert len(limit.buckets) <= 500


def test_a_passphrase_is_known_again_and_no_other() -> None:
    stored = hash_passphrase("correct horse")
    assert "correct" not in stored
    assert hash_passphrase("correct horse") != stored
    assert passphrase_matches("correct horse", stored)
    assert not passphrase_matches("correct horses", stored)
    assert not passphrase_matches("", stored)
    assert not passphrase_matches("correct horse", stored.replace("scrypt", "bcrypt"))


@pytest.mark.parametrize(
    "stored", ["", "scrypt", "plain$1$1$1$aa$aa", "scrypt$99999999$8$1$aaaa$aaaa", "scrypt$x$8$1$aaaa$aaaa"]
)
def test_a_line_that_is_no_hash_lets_nobody_in(stored: str) -> None:
    assert not passphrase_matches("", stored)
    assert not passphrase_matches("correct horse", stored)


def test_paired_displays_are_kept_over_a_restart_and_can_be_forgotten(tmp_path: Path) -> None:
    displays = Displays(tmp_path)
    displays.pair("a name")
    assert "a name" not in (tmp_path / "paired.json").read_text()
    again = Displays(tmp_path)
    assert again.paired == displays.paired != []
    again.forget_all()
    assert Displays(tmp_path).paired == []
    (tmp_path / "paired.json").write_text("nonsense")
    assert Displays(tmp_path).paired == []


def test_behind_a_proxy_no_browser_is_at_the_machine_until_it_is_paired(tmp_path: Path) -> None:
    local: dict[str, Any] = {
        "type": "http",
        "client": ("127.0.0.1", 5000),
        "headers": [(b"host", b"localhost:8080")],
    }
    displays = Displays(tmp_path)
    assert displays.shows_codes(HTTPConnection(local))
    local["client"] = ClientAddress(nothing, proxied=True).client(local)
    assert not displays.shows_codes(HTTPConnection(local))
    displays.pair("a name")
    local["headers"] += [(b"cookie", b"dicetable_display=a name")]
    assert displays.shows_codes(HTTPConnection(local))


async def nothing(*_: object) -> None:
    """An application that answers nothing."""
