"""Rows that were pruned before the league had them are noted as ranges."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dicetable.ledger import unsent

if TYPE_CHECKING:
    from pathlib import Path


def test_ranges_that_meet_are_one_and_no_row_is_noted_twice(tmp_path: Path) -> None:
    unsent.acknowledge(tmp_path, 5)
    unsent.note_pruning(tmp_path, 10, 0)
    unsent.note_pruning(tmp_path, 20, 0)
    assert unsent.pruned(tmp_path) == [[6, 19]]
    unsent.note_pruning(tmp_path, 20, 0)
    unsent.note_pruning(tmp_path, 30, 25)
    assert unsent.pruned(tmp_path) == [[6, 19], [26, 29]]


def test_only_the_thousand_newest_ranges_are_noted(tmp_path: Path) -> None:
    unsent.acknowledge(tmp_path, 0)
    noted = [[3 * number, 3 * number] for number in range(1, 1001)]
    (tmp_path / unsent.PRUNED).write_text(json.dumps(noted))
    unsent.note_pruning(tmp_path, 3004, 3002)
    assert unsent.pruned(tmp_path) == [*noted[1:], [3003, 3003]]
