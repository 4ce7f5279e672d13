"""Requests that must be refused: without a session, from elsewhere, sent again, malformed, too many."""

from __future__ import annotations

import http.client
import ssl
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from gateway.operator.passphrase import hash_passphrase
from tests.dicetable.config.forms import HOSTILE, TEXT, WHOLE
from tests.gateway.serving import HANGING_S, PretendTable, Served, Stream, until
from tests.gateway.visitor import PLAIN, Visitor, patiently

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

POSTS = (
    "do/start", "do/pause", "do/resume", "do/end", "do/correct", "do/restart", "do/off",
    "eye/rig", "eye/keep_rig", "eye/background", "eye/face", "eye/throw", "eye/name", "eye/keep_dice",
    "eye/lens", "eye/keep_lens", "eye/put_back_lens", "eye/put_back_rig", "eye/put_back_dice",
    "devices/preview", "devices/try",
    "settings/check", "settings/save", "bundle", "logout", "unpair",
)  # fmt: skip
GETS = (
    "overview", "seats", "eye/view", "eye/explain", "picture/x.jpg", "dice", "doctor", "logs", "link",
    "ledger", "ledger.jsonl", "settings", "devices", "history/void.svg", "set_up", "sheets/tray-a4.pdf",
    "token",
)  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    table = PretendTable(tmp_path_factory.mktemp("table") / "table.sock")
    with closing(table), Served(table.path, "dice.example.org") as made:
        yield made


@pytest.fixture
def stranger(served: Served) -> Visitor:
    until(lambda: Visitor(served.port).ask("GET", "/operator/api/pair")[0] == 200)
    return Visitor(served.port)


@pytest.fixture(scope="module")
def operator(served: Served) -> Visitor:
    made = Visitor(served.port)
    made.log_in()
    return made


@pytest.mark.parametrize("path", POSTS)
def test_every_change_without_a_session_is_refused(stranger: Visitor, path: str) -> None:
    for cookies in ({}, {"dicetable_operator": "guessed"}):
        stranger.cookies = cookies
        status, told = patiently(stranger, path)
        assert status == 401
        assert told["error"]


@pytest.mark.parametrize("path", GETS)
def test_nothing_is_told_without_a_session(stranger: Visitor, path: str) -> None:
    until(lambda: stranger.ask("GET", f"/operator/api/{path}")[0] != 429)
    assert stranger.ask("GET", f"/operator/api/{path}")[0] in (401, 429)


@pytest.mark.parametrize("path", POSTS)
def test_a_change_from_a_foreign_page_is_refused(operator: Visitor, path: str) -> None:
    assert patiently(operator, path, origin="http://evil.example.com")[0] == 403


@pytest.mark.parametrize(
    "origin", ["null", "", "https://127.0.0.1", "http://127.0.0.1", "http://localhost:1"]
)
def test_an_origin_that_is_not_quite_ours_is_refused(operator: Visitor, origin: str) -> None:
    assert patiently(operator, "do/off", origin=origin)[0] == 403


def test_another_site_s_request_is_refused_though_its_origin_be_ours(operator: Visitor) -> None:
    assert patiently(operator, "do/off", sec_fetch_site="cross-site")[0] == 403


def test_a_request_that_is_sent_again_changes_nothing(operator: Visitor) -> None:
    until(lambda: operator.ask("GET", "/operator/api/token")[0] == 200)
    used = operator.token
    assert patiently(operator, "do/nothing")[0] == 404
    for token in (used, "", "made up"):
        status, told = patiently(operator, "do/nothing", x_operator_token=token)
        assert status == 409
        assert "nothing was done" in told["error"]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", "application/json", 400),
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"null", "application/json", 400),
        (b'{"a": NaN}', "application/json", 400),
        (b"[" * 100_000, "application/json", 413),
        (b'{"a":' * 40 + b"1" + b"}" * 40, "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b'{"a": "%s"}' % (b"x" * 70_000), "application/json", 413),
        (b"a=1", "application/x-www-form-urlencoded", 415),
        (b"{}", "text/plain", 415),
        (b"{}", "", 415),
    ],
)
def test_a_malformed_body_is_refused(operator: Visitor, body: bytes, kind: str, status: int) -> None:
    headers = {"content-type": kind, "origin": operator.origin, "x-operator-token": operator.token}
    answers = []

    def answered() -> bool:
        answers.append(operator.ask("POST", "/operator/api/settings/save", body, headers)[0])
        return answers[-1] != 429

    until(answered)
    assert answers[-1] == status


@pytest.mark.parametrize("code", ["", "000000", "0" * 10_000, "'; DROP TABLE", "１２３４５６"])
def test_a_wrong_code_lets_nobody_in(stranger: Visitor, code: str) -> None:
    stranger.open_the_form()
    assert patiently(stranger, "login", {"code": code})[0] in (400, 403)
    assert "dicetable_operator" not in stranger.cookies


def test_a_proxy_is_not_this_machine_and_gets_no_code_and_no_page(stranger: Visitor) -> None:
    for name in ("x-forwarded-for", "forwarded", "via"):
        headers = {name: "192.0.2.7"}
        assert stranger.ask("GET", "/operator", b"", headers)[0] == 403


def test_no_code_is_in_what_everybody_may_read(served: Served) -> None:
    asking = Visitor(served.port)
    asking.open_the_form()
    answers: list[dict[str, Any]] = []

    def told() -> bool:
        status, found = asking.post("login/code")
        answers.append(found)
        return status == 200

    until(told)
    code = answers[-1]["code"]
    plain = code.replace(" ", "")
    seen = []
    for path, headers in (("/events", ()), ("/display", ("Via: x",)), ("/display", ())):
        stream = Stream(served.port, path, *headers)
        seen.append(stream.until(b"event: state"))
        stream.close()
    for data in (served.get("/")[2], served.get("/api/state")[2], served.get("/operator")[2], *seen):
        assert code.encode() not in data
        assert plain.encode() not in data


@pytest.mark.slow
def test_a_hostile_form_changes_nothing_that_it_may_not(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TEXT.format(secret=hash_passphrase("correct horse")) + WHOLE)
    before = file.read_text()
    table = PretendTable(tmp_path / "table.sock")
    with closing(table), Served(table.path, config=str(file)) as served:
        operator = Visitor(served.port)
        operator.log_in()
        version = operator.ask("GET", "/operator/api/settings")[1]["version"]
        asked = {"changes": {**HOSTILE, "table.seats": 3}, "version": version}
        status, told = patiently(operator, "settings/save", asked)
        assert (status, told["saved"]) == (200, False)
        told_of = "\n".join(mistake["text"] for mistake in told["mistakes"])
        assert [key for key in HOSTILE if key not in told_of] == []
        assert file.read_text() == before


@pytest.mark.slow
def test_a_thousand_requests_a_second_are_mostly_refused_and_the_guests_are_served(served: Served) -> None:
    statuses = []
    body = b'{"code": "123456"}'
    began_s = time.monotonic()
    with closing(http.client.HTTPConnection("127.0.0.1", served.port, timeout=HANGING_S)) as connection:
        while (lasted_s := time.monotonic() - began_s) < 3.0:
            headers = PLAIN | {"origin": f"http://127.0.0.1:{served.port}"}
            connection.request("POST", "/operator/api/login", body, headers)
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)
    assert set(statuses) <= {403, 429}
    assert statuses.count(403) <= 40 + lasted_s / 0.1 + 5
    assert served.get("/api/state")[0] == 200
    stream = served.stream()
    stream.until(b"event: state")
    stream.close()


PROXIED = {"via": "1.1 another"}


def test_from_another_machine_it_needs_more_than_plain_http(tmp_path: Path) -> None:
    table = PretendTable(tmp_path / "table.sock")
    with closing(table), Served(table.path) as served:
        assert Visitor(served.port).ask("GET", "/operator", b"", PROXIED)[0] == 403


@pytest.mark.slow
def test_from_another_machine_it_needs_tls(tmp_path: Path) -> None:
    import trustme

    table = PretendTable(tmp_path / "table.sock")
    authority = trustme.CA()
    cert = authority.issue_cert("127.0.0.1")
    chain, key = tmp_path / "web.pem", tmp_path / "web.key"
    chain.write_bytes(b"".join(part.bytes() for part in cert.cert_chain_pems))
    key.write_bytes(cert.private_key_pem.bytes())
    with closing(table):
        with Served(table.path, plain_http=True) as served:
            assert Visitor(served.port).ask("GET", "/operator", b"", PROXIED)[0] == 200
        with Served(table.path, proxied=True) as served:
            silent = Visitor(served.port)
            assert silent.ask("GET", "/operator", b"", {})[0] == 403, "a proxy may have passed it on"
            until(lambda: silent.ask("GET", "/api/state", b"", {})[0] == 200)
        with Served(table.path, tls_cert=str(chain), tls_key=str(key)) as served:
            trusting = ssl.create_default_context()
            authority.configure_trust(trusting)
            connection = http.client.HTTPSConnection(
                "127.0.0.1", served.port, timeout=HANGING_S, context=trusting
            )
            with closing(connection):
                connection.request("GET", "/operator", headers=PROXIED)
                response = connection.getresponse()
                assert response.status == 200
                assert "secure" in (response.getheader("set-cookie") or "").lower()
                assert b'id="typed"' in response.read()
