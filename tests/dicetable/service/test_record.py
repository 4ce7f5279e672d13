from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dicetable.ledger.entries import Closed, Ending, JournalError, Later, Opened
from dicetable.ledger.store import Bounds, Ledger
from dicetable.service.healing_ledger import HealingLedger
from dicetable.statistics import totals

if TYPE_CHECKING:
    from pathlib import Path

OPENED = Opened("six_by_6", ("ann",), {}, 1, (), (1,), None)


def test_what_was_accepted_is_there_the_next_time(tmp_path: Path) -> None:
    accepted: list[str] = []
    record = HealingLedger(tmp_path, lambda: accepted.append("entry"))
    assert record.open(0.0)
    assert not record.open(100.0)
    record.append(OPENED)
    assert accepted == ["entry"]
    record.close()
    again = HealingLedger(tmp_path, lambda: None)
    again.open(0.0)
    assert again.entries() == [OPENED]
    again.close()


def test_a_ledger_that_cannot_be_opened_is_tried_again(tmp_path: Path) -> None:
    other = Ledger(tmp_path)
    record = HealingLedger(tmp_path, lambda: None)
    assert not record.open(0.0)
    assert record.degraded is not None
    with pytest.raises(JournalError, match="Another program"):
        record.append(OPENED)
    other.append(OPENED)
    other.close()
    assert not record.open(4.9)
    assert record.open(5.0)
    assert record.degraded is None
    record.append(Closed(Ending.OVER))
    assert record.entries() == [OPENED, Closed(Ending.OVER)]
    record.close()


def test_entries_that_this_program_does_not_know_are_not_played(tmp_path: Path) -> None:
    with_future = Ledger(tmp_path)
    with_future.add(b'{"entry":"from the future"}', opens=True)
    with_future.close()
    record = HealingLedger(tmp_path, lambda: None)
    record.open(0.0)
    assert record.entries() == [Later("from the future")]
    record.close()


def test_rows_that_the_table_prunes_are_counted_first(tmp_path: Path) -> None:
    record = HealingLedger(tmp_path, lambda: None)
    record.open(0.0)
    assert record.ledger is not None
    record.ledger.bounds = Bounds(rows=2, days=0)
    for _ in range(3):
        record.append(OPENED)
    record.close()
    assert totals.read(tmp_path).reached == 1
