"""Batches at random: whatever is sent, what is stored is the beginning of what was written."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey

from common import statements
from common.statements import Row
from dicetable.ledger.stored_rows import chained
from league import ingestion, registry
from league.database import Refusal
from league.ingestion import Acknowledged, Batch
from tests.league.bars import batch

if TYPE_CHECKING:
    from hypothesis.strategies import DataObject

KEY = SigningKey(bytes(32))


def chain(count: int, words: str = "a") -> list[Row]:
    """So many rows of one match."""
    found: list[Row] = []
    for number in range(count):
        body = json.dumps({"entry": "decided", "n": number, "words": words}).encode()
        found.append(chained(found[-1] if found else None, number == 0, "noon", body))
    return found


TRUE = chain(30)
FORKED = [*TRUE[:15], *(row for row in chain(30, "b")[15:])]
GOOD = batch(KEY, 1, TRUE[:3])


@given(st.lists(st.tuples(st.integers(0, 29), st.integers(1, 12), st.booleans()), max_size=40))
def test_what_is_stored_is_the_beginning_of_what_was_written(
    pieces: list[tuple[int, int, bool]],
) -> None:
    stored: dict[int, Row] = {}
    causes: set[str] = set()
    for first, count, forked in pieces:
        rows = (FORKED if forked else TRUE)[first : first + count]
        last = stored[len(stored)] if stored else None
        acknowledged = Acknowledged(1, last.number, last.checksum) if last else None
        known = {number: (1, row.checksum) for number, row in stored.items()}
        try:
            new = ingestion.new_rows(Batch(1, None, tuple(rows), b""), acknowledged, known)
        except Refusal as refusal:
            causes.add(refusal.cause)
            continue
        for row in new:
            assert row.number == len(stored) + 1
            stored[row.number] = row
    assert causes <= {"gap", "fork"}
    values = list(stored.values())
    assert values in (TRUE[: len(values)], FORKED[: len(values)])


@given(st.binary(max_size=200))
def test_any_bytes_are_a_batch_or_refused(data: bytes) -> None:
    with suppress(Refusal):
        ingestion.read_batch(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=70),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


@given(st.data())
def test_a_batch_with_anything_in_any_place_is_refused_by_a_known_cause(data: DataObject) -> None:
    whole = json.loads(GOOD)
    field = data.draw(st.sampled_from(["v", "epoch", "missing", "rows", "signature", "more"]))
    if field == "rows" and data.draw(st.booleans()):
        whole["rows"][data.draw(st.integers(0, 2))][data.draw(st.integers(0, 6))] = data.draw(JSON)
    else:
        whole[field] = data.draw(JSON)
    with suppress(Refusal):  # whose cause is a known one, or it could not be made
        found = ingestion.read_batch(json.dumps(whole).encode())
        assert all(row.sound for row in found.rows)


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 255))
def test_one_changed_byte_is_never_taken_for_the_table_s_word(place: int, byte: int) -> None:
    changed = GOOD[:place] + bytes([byte]) + GOOD[place + 1 :]
    try:
        found = ingestion.read_batch(changed)
        last = found.last
        statement = statements.head(1, found.epoch, found.missing, last.number, last.checksum)
        registry.check_signature(statement, found.signature, bytes(KEY.verify_key))
    except Refusal:
        return
    assert found == ingestion.read_batch(GOOD)


def test_a_batch_has_a_thousand_rows_at_most() -> None:
    rows = chain(1001)
    assert len(ingestion.read_batch(batch(KEY, 1, rows[:1000])).rows) == 1000
    with pytest.raises(Refusal, match="1 to 1000 rows"):
        ingestion.read_batch(batch(KEY, 1, rows))
