"""What a table signs for a league: its rows, never its key, nothing from before it joined, no name."""

from __future__ import annotations

import shutil
import sqlite3
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest
from nacl.signing import SigningKey

from common import statements
from dicetable.ledger import store, unsent
from dicetable.ledger.entries import Decided
from dicetable.ledger.store import Bounds
from dicetable.service import league
from dicetable.service.league import MOST_BATCH_ROWS, LeagueOutbox
from league import ingestion, registry
from tests.dicetable.oddities import ODDITIES, put
from tests.league.bars import Bar, entries
from tests.league.bars import join as joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dicetable.ledger.entries import Opened


JPEG = b"\xff\xd8 what lay there"
TABLE = 0x1234


@pytest.fixture
def bar(tmp_path: Path) -> Iterator[Bar]:
    made = Bar(tmp_path / "bar", bounds=Bounds(days=0, rows=200))
    yield made
    made.close()


def join(bar: Bar, now_s: Callable[[], float] = time.monotonic) -> LeagueOutbox:
    joined(bar, TABLE)
    return LeagueOutbox(bar.ledger, now_s)


def taken(bar: Bar, outbox: LeagueOutbox, number: int) -> ingestion.Batch | None:
    """The batch as the server reads it; its signature is checked."""
    table, _, data = outbox.answer(number).partition(b"\n")
    assert table == b"0000000000001234"
    if not data:
        return None
    batch = ingestion.read_batch(data)
    last = batch.last
    statement = statements.head(TABLE, batch.epoch, batch.missing, last.number, last.checksum)
    registry.check_signature(statement, batch.signature, bytes(bar.key.verify_key))
    return batch


def everything(bar: Bar, outbox: LeagueOutbox, number: int = 1) -> list[ingestion.Batch]:
    found = []
    while (batch := taken(bar, outbox, number)) is not None:
        found.append(batch)
        number = batch.last.number + 1
    return found


def test_a_table_in_no_league_tells_nothing(bar: Bar) -> None:
    bar.play()
    outbox = LeagueOutbox(bar.ledger)
    assert outbox.answer(0) == outbox.answer(1) == b""
    assert not (bar.ledger.folder / unsent.ACKNOWLEDGED).exists()
    join(bar)
    assert outbox.answer(0) == b"0000000000001234\n"
    league.leave(bar.ledger.folder)
    assert outbox.answer(0) == b""


def test_all_rows_go_out_in_bounded_signed_batches(bar: Bar) -> None:
    outbox = join(bar)
    assert taken(bar, outbox, 1) is None
    for _ in range(3):
        bar.play("liars_dice", bar.names)
    found = everything(bar, outbox)
    assert [row for batch in found for row in batch.rows] == bar.rows()
    assert all(len(batch.rows) <= MOST_BATCH_ROWS and batch.missing is None for batch in found)
    assert len(found) > 1


def test_nothing_from_before_it_joined_goes_out(bar: Bar) -> None:
    bar.play()
    rows = bar.rows()
    half = bar.rows()[: len(rows) - 1]
    outbox = join(bar)
    bar.ledger.append(Decided("Ann", {"type": "stay"}))  # the match that was running
    assert taken(bar, outbox, 1) is None
    bar.play()
    (batch, *_) = everything(bar, outbox)
    assert batch.rows[0].opens
    assert batch.rows[0].number == len(half) + 3
    assert batch.missing is None


@pytest.mark.parametrize("kept", [{"house": ((2, "hard"),)}, {"frames_by": "gateway"}])
def test_a_match_with_the_house_or_under_a_phone_stays_at_the_table(bar: Bar, kept: dict[str, Any]) -> None:
    outbox = join(bar)
    opening, *others = entries("six_by_6", ("Ann", "House"), 1)
    for entry in (replace(cast("Opened", opening), **kept), *others):
        bar.ledger.append(entry)
    stayed = len(bar.rows())
    assert taken(bar, outbox, 1) is None
    bar.play()
    sent = [row.number for batch in everything(bar, outbox) for row in batch.rows]
    assert sent == [row.number for row in bar.rows(stayed + 1)]


def test_pruned_rows_are_told_and_written_down(bar: Bar) -> None:
    outbox = join(bar)
    bar.play("six_by_6", ("Ann", "Bob"))
    (batch,) = everything(bar, outbox)
    has = batch.last.number
    outbox.answer(has + 1)
    while bar.ledger.first <= has + 1:
        bar.play()
    first = bar.ledger.first
    assert unsent.pruned(bar.ledger.folder) == [[has + 1, first - 1]]
    batch = everything(bar, outbox, has + 1)[0]
    assert batch.missing == statements.Missing(has + 1, first - 1, "pruned")
    assert batch.rows[0].number == first
    assert league.status(bar.ledger.folder)["pruned_unsent"] == unsent.pruned(bar.ledger.folder)


def test_rows_that_went_before_any_was_sent_are_told_too(bar: Bar) -> None:
    outbox = join(bar)
    while bar.ledger.first == 1:
        bar.play()
    first = bar.ledger.first
    assert unsent.pruned(bar.ledger.folder) == [[1, first - 1]]
    assert everything(bar, outbox)[0].missing == statements.Missing(1, first - 1, "pruned")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"server":1,"table":2,"name":3,"league":4,"after":5}'])
def test_a_broken_membership_is_none(bar: Bar, text: str) -> None:
    outbox = join(bar)
    (bar.ledger.folder / league.MEMBER).write_text(text)
    assert outbox.answer(1) == b""


def test_what_the_league_has_is_pruned_without_a_word(bar: Bar) -> None:
    outbox = join(bar)
    while bar.ledger.first == 1:
        bar.play()
        everything(bar, outbox, bar.ledger.last.number if bar.ledger.last else 1)
        outbox.answer((bar.ledger.last.number if bar.ledger.last else 0) + 1)
    assert unsent.pruned(bar.ledger.folder) == []


def test_a_table_in_no_league_prunes_without_a_word(bar: Bar) -> None:
    while bar.ledger.first == 1:
        bar.play()
    assert not list(bar.ledger.folder.glob("league.*"))


def test_a_restore_goes_out_as_a_new_epoch(bar: Bar, tmp_path: Path) -> None:
    outbox = join(bar)
    bar.play("six_by_6", ("Ann", "Bob"))
    copy = tmp_path / "copy.sqlite3"
    assert bar.ledger.connection is not None
    bar.ledger.connection.execute("VACUUM INTO ?", (str(copy),))
    kept = bar.rows()[-1].number
    bar.play("six_by_6", ("Ann", "Bob"))
    used = bar.rows()[-1].number
    store.restore(bar.ledger, copy)
    bar.play("six_by_6", ("Ann", "Bob"))
    found = everything(bar, outbox)
    assert [batch.epoch for batch in found] == [1, 2]
    assert found[1].missing == statements.Missing(kept + 1, used, "lost")
    assert ingestion.begun_epoch(found[1].rows[0]) == 2


def test_a_damaged_row_waits_for_the_repair(bar: Bar, tmp_path: Path) -> None:
    outbox = join(bar)
    bar.play("six_by_6", ("Ann", "Bob"))
    assert bar.ledger.connection is not None
    bar.ledger.connection.execute("DROP TRIGGER entry_stays")
    with pytest.raises(sqlite3.Error):
        bar.ledger.connection.execute("UPDATE entry SET body = 'text' WHERE number = 3")
    bar.ledger.connection.execute("DROP TABLE epoch")
    assert outbox.answer(1) == b"0000000000001234\n"
    shutil.rmtree(tmp_path / "nowhere", ignore_errors=True)


def test_the_key_is_read_by_the_table_alone(bar: Bar) -> None:
    made = league.made_key(bar.ledger.folder)
    path = bar.ledger.folder / league.KEY
    assert path.stat().st_mode & 0o777 == 0o600
    assert league.read_key(bar.ledger.folder) == made == league.made_key(bar.ledger.folder)
    join(bar)
    bar.play()
    private = bytes(bar.key)
    assert private.hex().encode() not in LeagueOutbox(bar.ledger).answer(1)
    path.write_text("no key")
    assert league.read_key(bar.ledger.folder) is None
    assert LeagueOutbox(bar.ledger).answer(1) == b""
    assert isinstance(made, SigningKey)
    with pytest.raises(league.MembershipError, match="is not a key any more"):
        league.made_key(bar.ledger.folder)
    assert path.read_text() == "no key"


@pytest.mark.parametrize("oddity", ODDITIES)
@pytest.mark.parametrize("name", [league.MEMBER, league.KEY])
def test_what_lies_in_place_of_its_membership_puts_the_table_in_no_league(
    bar: Bar, name: str, oddity: str
) -> None:
    outbox = join(bar)
    bar.play()
    put(bar.ledger.folder / name, oddity)
    assert outbox.answer(1) == b""
    assert league.status(bar.ledger.folder)["league"] is None or name == league.KEY


@pytest.mark.parametrize("oddity", ODDITIES)
@pytest.mark.parametrize("name", [unsent.ACKNOWLEDGED, unsent.PRUNED])
def test_rows_are_pruned_and_noted_whatever_lies_in_place_of_the_notes(
    bar: Bar, name: str, oddity: str
) -> None:
    outbox = join(bar)
    put(bar.ledger.folder / name, oddity)
    outbox.answer(1)
    unsent.acknowledged(bar.ledger.folder)
    if name == unsent.ACKNOWLEDGED and oddity != "dangling link":
        unsent.note_pruning(bar.ledger.folder, 10, 0)
        assert unsent.pruned(bar.ledger.folder) == [[1, 9]]
    else:
        absent = name == unsent.ACKNOWLEDGED or oddity == "dangling link"
        assert unsent.pruned(bar.ledger.folder) == ([] if absent else None)


def test_a_damaged_note_of_pruned_rows_is_kept_and_logged(bar: Bar, caplog: pytest.LogCaptureFixture) -> None:
    folder = bar.ledger.folder
    unsent.acknowledge(folder, 0)
    (folder / unsent.PRUNED).write_bytes(b"[[1, 4")
    assert league.status(folder)["pruned_unsent"] is None
    unsent.note_pruning(folder, 10, 5)
    assert unsent.pruned(folder) == [[6, 9]]
    assert (folder / f"damaged-{unsent.PRUNED}").read_bytes() == b"[[1, 4"
    assert "pruned=damaged" in caplog.text


def test_a_gateway_that_says_this_and_that_has_little_written(
    bar: Bar, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table's loop waits for each write, and the gateway may be hostile."""
    now_s = [0.0]
    outbox = join(bar, lambda: now_s[0])
    for _ in range(4):
        bar.play()
    written: list[int] = []
    monkeypatch.setattr(unsent, "acknowledge", lambda _, has: written.append(has))

    def hear() -> int:
        for number in range(100):
            outbox.answer(1 if number % 2 else 2**50)
        return len(written)

    assert [hear(), hear()] == [20, 20]
    now_s[0] = 11.0
    assert hear() == 22
    assert bar.ledger.last is not None
    assert max(written) <= bar.ledger.league_has <= bar.ledger.last.number
