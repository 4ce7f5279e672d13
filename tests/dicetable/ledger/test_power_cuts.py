"""The power goes at any system call of a repair, and takes what was not synced."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Final

import pytest

from dicetable.ledger.repair import BUILDING, RESTORED
from tests.dicetable.ledger.books import ledger, played
from tests.dicetable.ledger.crash_states import crash_states, lay
from tests.dicetable.ledger.repairs import ROWS, damaged

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace: apt install strace"),
]

OPENS: Final = """
import sys
from pathlib import Path
from dicetable.ledger.store import Ledger
Ledger(Path(sys.argv[1])).close()
"""


def left_by_cuts(table: Path, program: str) -> Iterator[tuple[str, Path]]:
    """A folder as each cut may leave it, and how it came about; says how many there were."""
    states = 0
    copy = table.with_name("copy")
    for how, left in crash_states(table, program, table.with_name("log")):
        states += 1
        lay(left, copy)
        yield how, copy
        shutil.rmtree(copy)
    assert states > 50
    sys.stdout.write(f"{states} states\n")


def test_a_repair_survives_whatever_a_power_cut_leaves(tmp_path: Path) -> None:
    rows = damaged(tmp_path)
    kept = set()
    for how, copy in left_by_cuts(tmp_path / "table", OPENS):
        again = ledger(copy)
        assert again.repaired is not None, f"nothing is said: {how}"
        found = played(again)
        assert found == rows[: len(found)], how
        assert (again.repaired.kept, again.repaired.last_lost) == (len(found), ROWS - len(found)), how
        kept.add(len(found))
        added = again.add(b"{}", opens=True)
        again.close()
        assert not list(copy.glob(f"{BUILDING}*")) + list(copy.glob(RESTORED)), how
        last = ledger(copy)
        assert (last.repaired, last.last) == (None, added), how
        last.close()
    assert len(kept) == 1
    sys.stdout.write(f"{kept.pop()} of {ROWS} rows left in each\n")
