"""Plays games over a ledger until the power is cut; run in a virtual machine that may be cut off.

    python -m tests.dicetable.ledger.power_loss FOLDER SEED CUT_AFTER

First holds what is in the ledger against the games of that seed and says so, then plays on and says what is
shown. When so many more entries are shown, and a part of the next that the fraction tells, the machine
restarts at once, without a word to its disk. 0: only look.
"""

from __future__ import annotations

import sys
import termios
import threading
import time
from pathlib import Path

from dicetable.ledger.entries import Entry, Opened, dump, load
from dicetable.ledger.store import Ledger
from dicetable.table.table_state import fold
from games.registry import GAMES
from tests.dicetable.ledger.scripts import script

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
    folder, seed, cut_after = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    entries = entries_of(seed)
    ledger = Ledger(folder)
    found = [dump(load(ledger.players.to_names(row.body))) for row in ledger.rows()]
    same = found == [dump(entry) for entry in entries[: len(found)]]
    _, error = fold(ledger.entries())
    say(f"found {len(found)} same {same} repaired {ledger.repaired} error {error!r}")
    if not cut_after:
        return 0
    more, part = divmod(cut_after, 1)
    for number, entry in enumerate(entries[len(found) :], 1):
        began_s = time.monotonic()
        ledger.append(entry, b"" if isinstance(entry, Opened) else b"\xff\xd8 a picture" * 500)
        say(f"shown {len(found) + number}")
        if number == more:
            took_s = time.monotonic() - began_s
            threading.Thread(target=cut, args=(part * took_s,), daemon=True).start()
    return 1


def say(line: str) -> None:
    """Only when the line is out of the machine is it shown."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
    if sys.stdout.isatty():
        termios.tcdrain(sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
