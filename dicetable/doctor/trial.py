"""`dicetable run` as a program of its own, measured from outside: start, processor time, memory."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

TICKS: Final = os.sysconf("SC_CLK_TCK")
PATIENCE_S: Final = 30.0


class Trial:
    """A running service, until the end of the with block."""

    def __init__(self, folder: Path) -> None:
        """Starts it with `folder`/table.toml."""
        self.said = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = folder / "notify"
        address.unlink(missing_ok=True)
        self.said.bind(str(address))
        self.said.settimeout(PATIENCE_S)
        self.began_s = time.monotonic()
        self.program = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "dicetable", "run", "--config", str(folder / "table.toml")],
            env=os.environ | {"NOTIFY_SOCKET": str(address)},
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def ready_s(self) -> float:
        """Waits until the service is ready; how long that took from its start. TimeoutError after 30 s."""
        while self.said.recv(1000) != b"READY=1":
            pass
        return time.monotonic() - self.began_s

    def processes(self) -> Iterator[int]:
        """The service and what it has started."""
        yield self.program.pid
        children = Path(f"/proc/{self.program.pid}/task/{self.program.pid}/children").read_text()
        yield from map(int, children.split())

    def cpu_s(self) -> float:
        """Processor time of all of them so far."""
        fields = [
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self.processes()
        ]
        return sum(int(each[11]) + int(each[12]) for each in fields) / TICKS

    def memory_mb(self) -> tuple[float, float]:
        """Resident memory of all of them, and the same with what they share counted once."""
        rss = pss = 0
        for pid in self.processes():
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            sizes = {line.split()[0]: int(line.split()[1]) for line in lines[1:]}
            rss, pss = rss + sizes["Rss:"], pss + sizes["Pss:"]
        return rss / 1024, pss / 1024

    def stop(self) -> float:
        """Ends it by SIGTERM, or else by force; how long that took."""
        began_s = time.monotonic()
        self.program.send_signal(signal.SIGTERM)
        try:
            self.program.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.program.kill()
            self.program.wait()
        self.said.close()
        return time.monotonic() - began_s
