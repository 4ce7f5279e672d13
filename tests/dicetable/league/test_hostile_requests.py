"""Whatever a stranger or a registered table sends, the server answers with a cause of its own."""

from __future__ import annotations

import gc
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey, VerifyKey

from dicetable.files.json_text import parsed
from dicetable.league import batches, calls, registry, statements
from dicetable.league.database import connect, prepare
from dicetable.league.refusals import Refusal
from dicetable.league.registry import GameTable

if TYPE_CHECKING:
    from dicetable.league.database import Database

KEY = SigningKey(bytes(32))
TABLE = GameTable(7, "bar", bytes(KEY.verify_key))
PATH = "/v1/tables/0000000000000007/players"
NOW_S = 1_700_000_000
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()), inner, max_size=4),
    max_leaves=12,
)


def signed(text: str) -> bytes:
    """A request of the table, with its signature where the text can be signed at all."""
    try:
        signature = KEY.sign(statements.request(7, PATH, text)).signature.hex()
    except UnicodeEncodeError:
        signature = "0" * 128
    return json.dumps({"v": statements.PROTOCOL, "asked": text, "signature": signature}).encode()


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Database:
    made = connect(f"sqlite:///{tmp_path_factory.mktemp('league')}/league.sqlite3")
    prepare(made)
    return made


@given(asked=st.dictionaries(st.sampled_from(["players", "contest", "player", "more"]), json_values))
def test_any_signed_request_has_an_answer(league: Database, asked: dict[str, Any]) -> None:
    text = json.dumps({**asked, "at": NOW_S})
    for answer in (calls.link, calls.next_match):
        try:
            found = calls.read(TABLE, PATH, signed(text), NOW_S)
            answer(league, TABLE, found)
        except Refusal:
            pass


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"at": NOW_S, "players": {"\ud800": "0"}}),
        json.dumps({"at": NOW_S, "contest": 10**30}),
        "[" * 30_000,
        "\ud800",
    ],
)
def test_what_no_text_and_no_database_takes_is_malformed(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        calls.read(TABLE, PATH, signed(text), NOW_S)
    assert refused.value.cause == "malformed"


@given(st.binary(max_size=300) | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_json_or_a_value_error(data: bytes) -> None:
    try:
        found = parsed(data)
    except ValueError:
        return
    json.dumps(found, ensure_ascii=False, allow_nan=False).encode()


def test_strangers_leave_nothing_in_memory() -> None:
    before = sum(isinstance(each, VerifyKey) for each in gc.get_objects())
    for _ in range(200):
        with pytest.raises(Refusal):
            batches.check_signature(b"", bytes(64), os.urandom(32))
    with pytest.raises(Refusal):
        registry.read_registration(json.dumps({"v": 1, "code": "\ud800"}).encode())
    gc.collect()
    assert sum(isinstance(each, VerifyKey) for each in gc.get_objects()) == before
