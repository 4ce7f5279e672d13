"""Plays games over a ledger until the power is cut; run in a virtual machine that may be cut off.

    python -m tests.dicetable.ledger.power_loss FOLDER SEED CUT_AFTER_S

First holds what is in the ledger against the games of that seed and says so, then plays on and says what is
shown. After so many seconds of play the machine restarts at once, without a word to its disk. 0: only look.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from dicetable.journal import Entry, Opened, dump
from dicetable.ledger.store import Ledger
from dicetable.table.evening import fold
from games.registry import GAMES
from tests.dicetable.ledger.torture import script

GAMES_IN_A_ROW = 20


def entries_of(seed: int) -> list[Entry]:
    """Game after game, each kind in turn."""
    names = sorted(GAMES)
    return [
        entry
        for number in range(GAMES_IN_A_ROW)
        for entry in script(names[number % len(names)], 1000 * seed + number)
    ]


def cut(after_s: float) -> None:
    time.sleep(after_s)
    Path("/proc/sysrq-trigger").write_text("b")


def main() -> int:
    folder, seed, cut_after_s = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    entries = entries_of(seed)
    ledger = Ledger(folder)
    found = [row.body for row in ledger.rows()]
    same = found == [dump(entry) for entry in entries[: len(found)]]
    _, trouble = fold(ledger.entries())
    say(f"found {len(found)} same {same} repaired {ledger.repaired} trouble {trouble!r}")
    if not cut_after_s:
        return 0
    threading.Thread(target=cut, args=(cut_after_s,), daemon=True).start()
    for number, entry in enumerate(entries[len(found) :], len(found) + 1):
        ledger.append(entry, b"" if isinstance(entry, Opened) else b"\xff\xd8 a picture" * 500)
        say(f"shown {number}")
    return 1


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
