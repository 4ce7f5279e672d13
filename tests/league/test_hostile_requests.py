"""Requests that no table sends: each is refused as what it is, and none is a fault of the server."""

from __future__ import annotations

import gc
import json
import os
import socket
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey, VerifyKey

from common import statements
from league import contests, ingestion, registry
from league.database import Refusal, connect, prepare
from league.registry import GameTable
from tests.league.hostile import anything
from tests.league.serving import Neighbour, Server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from league.database import Database

TABLE = 0x1234
PATH = "/v1/tables/0000000000001234/next"
NOW_S = 1_800_000_000
DEEP = b"[" * 100_000 + b"]" * 100_000
BODIES = [
    b"", b"null", b"[]", b"\xff\xfe", b'"\\ud800"', b'{"v":1,"code":"\\ud800"}', b'{"\\ud800":1}',
    b"1" + b"0" * 30, b'{"v":1' + b"0" * 30 + b"}", b"1e999", b"NaN", DEEP, b'{"v":' + DEEP + b"}",
]  # fmt: skip
HUGE = "1" + "0" * 30


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Neighbour(f"sqlite:///{tmp_path_factory.mktemp('league') / 'league.sqlite3'}")
    yield made
    made.close()


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Database:
    made = connect(f"sqlite:///{tmp_path_factory.mktemp('asked') / 'league.sqlite3'}")
    prepare(made)
    return made


@pytest.mark.parametrize("path", ["/v1/tables", *(f"/v1/tables/{TABLE:016x}/{x}" for x in (
    "rows", "next", "players"))])  # fmt: skip
def test_what_no_table_says_is_refused(server: Server, path: str) -> None:
    for body in BODIES:
        status, _, _ = server.ask("POST", path, body)
        assert 400 <= status < 500, (path, body[:40])


@pytest.mark.parametrize(
    "asked",
    [
        '{"at":NOW,"contest":' + HUGE + "}",
        '{"at":' + HUGE + ',"contest":1}',
        '{"at":NOW,"contest":1,"player":"\\ud800"}',
        '{"at":NOW,"players":{"\\ud800":"3f9a0c5be1d2a477"}}',
        '{"at":NOW,"players":{"3f9a0c5be1d2a477":"\\udfff"}}',
        '{"at":NOW,"players":' + DEEP.decode() + "}",
    ],
)
def test_what_a_registered_table_signs_is_checked_all_the_same(asked: str) -> None:
    asked = asked.replace("NOW", str(NOW_S))
    key = SigningKey.generate()
    signature = key.sign(statements.request(TABLE, PATH, asked)).signature
    data = json.dumps({"v": statements.PROTOCOL, "asked": asked, "signature": signature.hex()}).encode()
    table = GameTable(TABLE, "A bar", bytes(key.verify_key))
    with pytest.raises(Refusal, match="a request is"):
        registry.read_request(table, PATH, data, NOW_S)


@pytest.mark.parametrize("body", BODIES)
def test_the_parsers_know_no_other_error(body: bytes) -> None:
    for read in (ingestion.read_batch, registry.read_registration):
        with pytest.raises(Refusal):
            read(body)


def test_strangers_leave_nothing_in_memory() -> None:
    gc.collect()
    before = sum(isinstance(each, VerifyKey) for each in gc.get_objects())
    for _ in range(200):
        with pytest.raises(Refusal):
            registry.check_signature(b"", bytes(64), os.urandom(32))
    gc.collect()
    assert sum(isinstance(each, VerifyKey) for each in gc.get_objects()) <= before


@given(asked=st.dictionaries(st.sampled_from(["players", "contest", "player", "more"]), anything))
def test_any_signed_request_has_an_answer_or_a_refusal(league: Database, asked: dict[str, Any]) -> None:
    key = SigningKey(bytes(32))
    table = GameTable(TABLE, "A bar", bytes(key.verify_key))
    text = json.dumps({**asked, "at": NOW_S})
    signature = key.sign(statements.request(TABLE, PATH, text)).signature
    data = json.dumps({"v": statements.PROTOCOL, "asked": text, "signature": signature.hex()}).encode()
    for answer in (contests.link_players, contests.next_match):
        with suppress(Refusal):
            answer(league, table, registry.read_request(table, PATH, data, NOW_S))


@pytest.mark.slow
def test_idle_connections_close_the_pages_to_nobody(server: Server) -> None:
    """More of them than there may be connections, from one address."""
    with ExitStack() as stack:
        for _ in range(1010):
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 30, ("127.0.0.2", 0)))
        assert [server.ask("GET", "/health")[0] for _ in range(20)] == [200] * 20
