"""Gateways by fork from a process that has imported everything: each starts in milliseconds, not in a second.

`python -m tests.gateway.zygote DESCRIPTOR`: each message on that socket is an environment as JSON, with the
gateway's standard input; the answer is its process id. It ends, and all its gateways, when the socket closes.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

from gateway import __main__ as program
from gateway import app  # noqa: F401 - it takes longest

ROOT: Final = Path(__file__).resolve().parents[2]
MOST_BYTES: Final = 1 << 20
PARENT_DEATH_SIGNAL: Final = 1


class Forked:
    """A gateway that the zygote has started."""

    def __init__(self, standard_input: int) -> None:
        """Starts it in this process's environment."""
        asking, _ = zygote()
        socket.send_fds(asking, [json.dumps(dict(os.environ)).encode()], [standard_input])
        self.pid = int(asking.recv(64))
        self.ended = os.pidfd_open(self.pid)

    def runs(self) -> bool:
        return not select.select([self.ended], [], [], 0.0)[0]

    def signal(self, number: signal.Signals) -> None:
        signal.pidfd_send_signal(self.ended, number)

    def kill(self, hanging_s: float) -> None:
        """Kills it and waits until it has ended."""
        if self.runs():
            self.signal(signal.SIGKILL)
        assert select.select([self.ended], [], [], hanging_s)[0]
        os.close(self.ended)


@cache
def zygote() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """The socket of this process's own, and the process."""
    ours, its = socket.socketpair(type=socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST_BYTES)
    with its:
        command = [sys.executable, "-m", "tests.gateway.zygote", str(its.fileno())]
        return ours, subprocess.Popen(command, cwd=ROOT, pass_fds=[its.fileno()])


def run(environment: dict[str, str], standard_input: int, asked: socket.socket) -> None:
    """What `python -m gateway` does, in the forked process."""
    asked.close()
    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(standard_input, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    program.main()


def main() -> None:
    """Forks a gateway for each message."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so the kernel forgets each gateway that ends
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the end of the socket comes after it
    with socket.socket(fileno=int(sys.argv[1])) as asked:
        while True:
            message, descriptors, *_ = socket.recv_fds(asked, MOST_BYTES, 1)
            if not message:
                return
            pid = os.fork()
            if pid == 0:
                try:
                    run(json.loads(message), descriptors[0], asked)
                finally:
                    os._exit(1)
            os.close(descriptors[0])
            asked.send(str(pid).encode())


if __name__ == "__main__":
    main()
