"""A real PostgreSQL of Debian's in a private folder on a free port, ended with the tests that use it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

NOBODY = "nobody"
STARTS_WITHIN_S = 300.0


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; None if it is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).resolve().parent if initdb else None


def free_port() -> int:
    """A port that nobody used a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Cluster:
    """One server with its files; `url` is its database. It runs as nobody where the tests run as root."""

    def __init__(self, options: Sequence[str] = ()) -> None:
        """Makes the files and starts the server."""
        bin_folder = programs()
        assert bin_folder is not None
        self.bin = bin_folder
        self.folder = Path(tempfile.mkdtemp(prefix="dicetable-pg-"))
        self.user = pwd.getpwnam(NOBODY) if os.getuid() == 0 else None
        if self.user is not None:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.port = free_port()
        self.server: subprocess.Popen[bytes] | None = None
        self.options = options
        self.begin(
            "initdb", "-D", str(self.data), "-U", "league", "-A", "trust", "-E", "UTF8", "--no-sync"
        ).wait()
        self.start()

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def url(self) -> str:
        return f"postgresql://league@127.0.0.1:{self.port}/postgres"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def begin(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Starts a program as the server's user, in a group of processes of its own."""
        with self.log.open("ab") as output:
            return subprocess.Popen(
                [str(self.bin / program), *arguments],
                stdout=output,
                stderr=output,
                cwd=self.folder,
                user=self.user.pw_uid if self.user else None,
                group=self.user.pw_gid if self.user else None,
                extra_groups=[] if self.user else None,
                start_new_session=True,
            )

    def begin_server(self) -> None:
        """Starts the server and does not wait for it."""
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        listening = ("-p", str(self.port), "-k", str(self.folder), "-h", "127.0.0.1")
        sizes = ("-c", "max_connections=60", "-c", "shared_buffers=64MB", "-c", "max_wal_size=2GB")
        self.server = self.begin("postgres", "-D", str(self.data), *listening, *sizes, *self.options)

    def start(self) -> None:
        """Starts the server and waits until it answers, after whatever recovery it needs."""
        self.begin_server()
        assert self.server is not None
        asked = [str(self.bin / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        waited = time.monotonic()
        while subprocess.run(asked, check=False).returncode:
            assert self.server.poll() is None, self.log.read_text()
            assert time.monotonic() - waited < STARTS_WITHIN_S, self.log.read_text()
            time.sleep(0.02)

    def kill(self) -> None:
        """Kills the server and all its processes at once, as a power cut does."""
        if self.server is not None:
            children = children_of(self.server.pid)
            for pid in (self.server.pid, *children):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            self.server.wait()
            self.server = None

    def close(self) -> None:
        """Ends the server and removes its files."""
        if self.server is not None:
            self.server.send_signal(signal.SIGINT)
            self.server.wait(300)
            self.server = None
        shutil.rmtree(self.folder, ignore_errors=True)


def children_of(pid: int) -> list[int]:
    """The processes that a process has started and that still run."""
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(each) for each in found.split()]
