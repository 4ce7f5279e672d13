"""`dicetable run` as a process: what it tells systemd, and its log."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dicetable.ledger.reader import Reader

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[3]
HANGING_S = 300


def config(folder: Path) -> Path:
    path = folder / "table.toml"
    path.write_text(
        '[camera]\ndriver = "simulated"\nseed = 2\n[panel]\ndriver = "simulated"\n'
        f'[table]\nseats = 3\n[ledger]\nfolder = "{folder}/state"\n'
    )
    return path


def until(what: Callable[[], bool]) -> None:
    end_s = time.monotonic() + HANGING_S
    while not what():
        assert time.monotonic() < end_s, f"waited for {HANGING_S} s"
        time.sleep(0.1)


def entries(folder: Path) -> int:
    try:
        with closing(Reader(folder / "state")) as reader:
            return sum(1 for _ in reader.lines())
    except FileNotFoundError:
        return 0


class Program:
    """The service, whose word to systemd and log are kept. It stops at the end of a with block."""

    def __init__(
        self, folder: Path, watchdog_s: float = 10.0, program: Sequence[str] = ("-m", "dicetable")
    ) -> None:
        self.said = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = folder / "notify"
        address.unlink(missing_ok=True)
        self.said.bind(str(address))
        self.said.settimeout(HANGING_S)
        self.log_path = folder / "log"
        environment = {
            "NOTIFY_SOCKET": str(address),
            "WATCHDOG_USEC": str(round(1e6 * watchdog_s)),
            "PYTHONFAULTHANDLER": "1",
        }
        with self.log_path.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, *program, "run", "--config", str(config(folder))],
                cwd=ROOT,
                env=os.environ | environment,
                stderr=log,
            )

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(HANGING_S)
        self.said.close()

    @property
    def log(self) -> str:
        return self.log_path.read_text()

    def hear(self, word: bytes) -> None:
        """Waits until systemd is told this."""
        while self.said.recv(1000) != word:
            pass

    def heard(self, seconds: float) -> list[bytes]:
        """All that systemd was told until now and is told for so long from now."""
        end_s = time.monotonic() + seconds
        said: list[bytes] = []
        while (left_s := end_s - time.monotonic()) > 0:
            self.said.settimeout(left_s)
            with suppress(TimeoutError):
                said.append(self.said.recv(1000))
        self.said.settimeout(HANGING_S)
        return said

    def end(self, number: signal.Signals) -> str:
        """Sends the signal and waits for the end; the whole log."""
        self.process.send_signal(number)
        self.process.wait(HANGING_S)
        return self.log
