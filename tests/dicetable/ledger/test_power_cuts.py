"""The power goes at any system call of a repair, an upgrade or a roll-back, and takes what was not synced."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Final

import pytest

from dicetable.ledger import upkeep
from dicetable.ledger.entries import Epoch, Thrown
from dicetable.ledger.repair import BUILDING, RESTORED
from tests.dicetable.ledger import release_0_1_0
from tests.dicetable.ledger.books import ledger, played
from tests.dicetable.ledger.crash_states import crash_states, lay
from tests.dicetable.ledger.test_cut_off_repair import ROWS, damaged
from tests.dicetable.ledger.torture import script

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
GOES_BACK: Final = """
import sys
from pathlib import Path
from dicetable.ledger import upkeep
from dicetable.ledger.entries import Epoch, Thrown
from dicetable.ledger.store import Ledger
upkeep.go_back(Ledger(Path(sys.argv[1])), 1)
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


def test_an_upgrade_survives_whatever_a_power_cut_leaves(tmp_path: Path) -> None:
    table = tmp_path / "table"
    shutil.copytree(release_0_1_0.LEDGER, table)
    shutil.copytree(table, tmp_path / "before")
    whole = ledger(tmp_path / "before")
    rows = played(whole)
    whole.close()
    for how, copy in left_by_cuts(table, OPENS):
        again = ledger(copy)
        assert (played(again), again.repaired, again.epoch) == (rows, None, 2), how
        again.close()


def test_a_roll_back_survives_whatever_a_power_cut_leaves(tmp_path: Path) -> None:
    table = tmp_path / "table"
    book = ledger(table)
    for entry in script("sixes", 3)[:ROWS]:
        book.append(entry, b"a picture of it" * 200 if isinstance(entry, Thrown) else b"")
    entries = book.entries()
    book.close()
    assert len(entries) == ROWS
    for how, copy in left_by_cuts(table, GOES_BACK):
        for _ in range(2):
            again = ledger(copy)
            found = [entry for entry in again.entries() if not isinstance(entry, Epoch)]
            assert (found, again.repaired) == (entries, None), how
            upkeep.go_back(again, 1)
