"""Runs the program as if this were not Linux: without the modules and constants that other systems lack.

It hides them from our own code only; the standard library has been imported before.
"""

from __future__ import annotations

import asyncio  # noqa: F401 - its parts for Linux need what is hidden below
import multiprocessing.connection  # noqa: F401
import os
import socket
import subprocess  # noqa: F401
import sys
import tempfile  # noqa: F401

MACOS = {
    "os": ("O_PATH", "sched_getaffinity", "posix_fadvise"),
    "socket": ("TCP_USER_TIMEOUT", "SO_PEERCRED"),
}
WINDOWS = {
    "modules": ("fcntl", "termios", "tty", "pty", "pwd", "grp", "resource", "syslog"),
    "os": (
        *MACOS["os"],
        *("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_DIRECTORY", "pread", "pwrite", "getuid", "geteuid"),
        *("fchmod", "fchown", "mkfifo", "fork", "statvfs", "getloadavg", "setsid", "killpg"),
    ),
    "socket": (*MACOS["socket"], "AF_UNIX"),
}
SYSTEMS = {"macOS": MACOS, "Windows": WINDOWS}


def hide(system: str) -> None:
    hidden = SYSTEMS[system]
    for name in hidden.get("modules", ()):
        sys.modules[name] = None  # type: ignore[assignment]
    for module, names in ((os, hidden["os"]), (socket, hidden["socket"])):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)


if __name__ == "__main__":
    hide(sys.argv[1])
    from dicetable.__main__ import main

    sys.exit(main(sys.argv[2:]))
