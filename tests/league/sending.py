"""Entries as tables send them, and what a league stores of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from common.statements import checksum
from league import ingestion, registry
from league.database import STATUS, Refusal
from tests.league.bars import Bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.statements import Row
    from league.database import Database


NOW_S = 1_800_000_000


GROWING = ("entry", "stream", "loss", "begun_epoch", "fork", "pending", "result", "tally")


def sent(league: Database, bar: Bar, data: bytes) -> ingestion.Ingested:
    return ingestion.ingest(league, registry.Tables(league).find(bar.table), data, NOW_S)


def refused(league: Database, bar: Bar, data: bytes) -> str:
    """Why a batch is refused; nothing of it was stored but a fork, in quarantine."""
    before = everything(league)
    with pytest.raises(Refusal) as error:
        sent(league, bar, data)
    assert error.value.status == STATUS[error.value.cause]
    assert len(str(error.value).split()) > 3
    after = everything(league)
    if error.value.cause == "fork":
        after["fork"] = before["fork"]
    assert after == before
    return error.value.cause


def everything(league: Database) -> dict[str, list[tuple[Any, ...]]]:
    with league.reading() as session:
        return {name: sorted(session.rows(f"SELECT * FROM {name}")) for name in GROWING}


def stored(league: Database, bar: Bar) -> list[tuple[int, bytes]]:
    with league.reading() as session:
        found = session.rows(
            "SELECT number, checksum FROM entry WHERE table_id = ? ORDER BY number", (bar.table,)
        )
    return [(number, bytes(each)) for number, each in found]


def expected(rows: list[Row]) -> list[tuple[int, bytes]]:
    return [(row.number, row.checksum) for row in rows]


def changed(row: Row, **fields: Any) -> Row:
    """The row with other fields and the checksum that belongs to them."""
    other = replace(row, **fields)
    summed = checksum(
        other.number, other.match, other.at_utc, other.body, other.evidence_sha256, other.previous
    )
    return replace(other, checksum=summed)


def with_bodies(rows: Sequence[Row], bodies: dict[int, bytes]) -> list[Row]:
    """The rows with other bodies by place, chained again."""
    found: list[Row] = []
    for place, row in enumerate(rows):
        previous = found[-1].checksum if found else row.previous
        found.append(changed(row, body=bodies.get(place, row.body), previous=previous))
    return found
