"""A repair that is killed at each system call that changes the disk: the next start has the sound rows.

The kernel kills it, by strace's injection, before the call is made. A call that changes nothing (it fails,
opens what is there, or waits for the disk) leaves to the next start what the call after it would. What a kill
leaves in the page cache a power cut may not: test_cut_off_repair.py drops what was not synced.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from dicetable.ledger.repair import BUILDING, RESTORED
from tests.dicetable.ledger.books import ledger, played
from tests.dicetable.ledger.repairs import ROWS, damaged
from tests.extent import extent

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace: apt install strace"),
]

HANGING_S: Final = 600
ROOT: Final = Path(__file__).resolve().parents[3]
CALLS: Final = ("rename", "unlink", "mkdir", "ftruncate", "write", "pwrite64", "openat")
SAMPLE: Final = extent(24, 8)
"""The repair is killed at one in so many of its writes into the new file."""
OPENS: Final = """
import sys
from pathlib import Path
from dicetable.ledger.store import Ledger
Ledger(Path(sys.argv[1])).close()
"""


def calls(folder: Path, log: Path) -> list[tuple[str, int]]:
    """The system calls of a whole repair that change the disk, each with its count."""
    traced(folder, "-e", f"trace={','.join(CALLS)}", "-o", str(log)).check_returncode()
    count = Counter[str]()
    found, opened = [], set()
    for line in log.read_text().splitlines():
        name = line.partition("(")[0]
        count[name] += 1
        path = line.partition('"')[2].partition('"')[0]
        if " = -1 " in line or (name == "openat" and ("O_CREAT" not in line or path in opened)):
            continue
        opened.add(path)
        if name != "pwrite64" or count[name] % SAMPLE == 0:
            found.append((name, count[name]))
    return found


def traced(folder: Path, *options: str) -> subprocess.CompletedProcess[bytes]:
    """Opens the ledger in a folder, and so repairs it, under strace."""
    program = ["strace", "-qq", *options, sys.executable, "-B", "-c", OPENS, str(folder)]
    return subprocess.run(program, cwd=ROOT, capture_output=True, timeout=HANGING_S, check=False)


def test_a_repair_may_be_killed_at_each_system_call_that_changes_the_disk(tmp_path: Path) -> None:
    rows = damaged(tmp_path)
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path / "table", copy)
    made = calls(copy, tmp_path / "log")
    assert {name for name, _ in made} == set(CALLS)
    kept = set()
    for name, nth in made:
        shutil.rmtree(copy)
        shutil.copytree(tmp_path / "table", copy)
        inject = f"inject={name}:signal=KILL:when={nth}"
        killed = traced(copy, "-e", f"trace={name}", "-e", inject)
        assert killed.returncode != 0, f"{name} {nth}"
        again = ledger(copy)
        assert again.repaired is not None, f"nothing is said after a kill at {name} {nth}"
        found = played(again)
        assert found == rows[: len(found)], f"{name} {nth}"
        assert again.repaired.kept == len(found)
        assert again.repaired.last_lost == ROWS - len(found)
        kept.add(len(found))
        added = again.add(b"{}", opens=True)
        again.close()
        assert not list(copy.glob(f"{BUILDING}*")) + list(copy.glob(RESTORED)), f"{name} {nth}"
        last = ledger(copy)
        assert (last.repaired, last.last) == (None, added), f"{name} {nth}"
        last.close()
    assert len(kept) == 1
    count = Counter(name for name, _ in made)
    sys.stdout.write(f"killed at {len(made)} system calls, {dict(count)}: {kept.pop()} of {ROWS} rows left\n")
