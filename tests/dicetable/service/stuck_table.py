"""`dicetable run` that hangs as its first argument says, after SIGUSR1."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from dicetable.__main__ import main
from dicetable.eye.child import PARENT_DEATH_SIGNAL
from dicetable.ledger.store import Ledger
from dicetable.table.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dicetable.ledger.entries import Entry
    from hardware.ports import Lamp, PanelView

STUCK = "it is stuck"
signalled: list[int] = []


def get_stuck_in_a_screen() -> None:
    """The next view of a screen is never done."""
    view_of = Screen.lines

    def endless(self: Screen, lines: Iterable[str], lamps: Mapping[str, Lamp]) -> PanelView:
        if signalled:
            os.write(2, f"{STUCK}\n".encode())
        while signalled:
            pass
        return view_of(self, lines, lamps)

    Screen.lines = endless  # type: ignore[method-assign]


def get_stuck_in_a_write() -> None:
    """The next entry of the ledger waits for ever in the kernel, as a write to a dying card does."""
    append = Ledger.append
    pipe = Path(tempfile.mkdtemp()) / "pipe"

    def blocked(self: Ledger, entry: Entry, evidence: bytes = b"") -> int:
        if signalled:
            os.write(2, f"{STUCK}\n".encode())
            os.mkfifo(pipe)
            pipe.open("wb").close()  # waits for a reader, who never comes
        return append(self, entry, evidence)

    Ledger.append = blocked  # type: ignore[method-assign]


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)  # it must not outlive the test
    signal.signal(signal.SIGUSR1, lambda number, _: signalled.append(number))
    {"screen": get_stuck_in_a_screen, "write": get_stuck_in_a_write}[sys.argv.pop(1)]()
    sys.exit(main(sys.argv[1:]))
