"""A throw-away machine under a real systemd: this machine's own root below an overlay, in systemd-nspawn.

Nothing that happens in it reaches this machine. It shares the network, so that pip works in it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = "/mnt/dicetable"
BOUND_S = 300.0
TOOLS = ("systemd-nspawn", "nsenter", "unshare", "mount")

BOOT = """
mount -t tmpfs tmpfs "$WORK"
mkdir "$WORK/upper" "$WORK/work" "$WORK/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$WORK/upper,workdir=$WORK/work" "$WORK/root"
rm -rf "$WORK"/root/etc/systemd/system/*.wants "$WORK"/root/var/log/journal
rm -f "$WORK/root/usr/sbin/policy-rc.d"  # a container's, which lets no package start its service
: > "$WORK/root/etc/machine-id"
exec systemd-nspawn --quiet --directory="$WORK/root" --register=no --keep-unit --console=pipe \\
    --kill-signal=SIGRTMIN+3 --machine="dicetest-$$" --bind-ro="$SOURCE_HERE:$SOURCE_THERE" \\
    --boot systemd.unit=multi-user.target
"""


def why_not() -> str | None:
    """What a machine cannot be booted for; None if it can."""
    if os.geteuid() != 0:
        return "booting systemd in a container needs root"
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    return f"there is no {missing[0]}: apt install systemd-container" if missing else None


def wait_for(what: str, happened: Callable[[], bool], bound_s: float = BOUND_S) -> None:
    """Returns as soon as it has happened; fails after the bound."""
    end_s = time.monotonic() + bound_s
    while not happened():
        if time.monotonic() > end_s:
            pytest.fail(f"did not happen within {bound_s:.0f} s: {what}")
        time.sleep(0.2)


def cgroups() -> list[Path]:
    """The two cgroups that systemd-nspawn makes below this process's own, in each hierarchy it uses."""
    found = []
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, name, path = line.split(":", 2)
        mounted = {"name=systemd": "systemd", "": "unified"}.get(name)
        if mounted is None:
            continue
        tops = [top for top in (Path("/sys/fs/cgroup") / mounted, Path("/sys/fs/cgroup")) if top.is_dir()]
        found += [tops[0] / path.strip("/") / made for made in ("payload", "supervisor")]
    return found


class Machine:
    """One booted machine; a context manager that ends it. Only one at a time on this host."""

    def __init__(self, folder: Path) -> None:
        self._lock = Path("/run/lock/dicetable-machine").open("w")  # noqa: SIM115 - held until the end
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        work = folder / "machine"
        work.mkdir()
        self._console = folder / "console"
        names = {"WORK": str(work), "SOURCE_HERE": str(ROOT), "SOURCE_THERE": SOURCE}
        with self._console.open("wb") as console:
            self._nspawn = subprocess.Popen(
                ["unshare", "--mount", "--propagation", "private", "bash", "-ec", BOOT],
                env=os.environ | names,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
            )
        self._first = 0

    def __enter__(self) -> Self:
        try:
            wait_for("the machine's first process", self._find_first)
            wait_for("its systemd is up", self._is_up)
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def run(self, *command: str, check: bool = True) -> str:
        """Runs a command in the machine as root; what it wrote."""
        inside = ["nsenter", "--target", str(self._first), "--all", *command]
        done = subprocess.run(inside, capture_output=True, text=True, timeout=900, check=False)
        if check and done.returncode:
            pytest.fail(f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return (done.stdout + done.stderr).strip()

    def write(self, path: str, text: str) -> None:
        """Puts a file into the machine."""
        inside = ["nsenter", "--target", str(self._first), "--all", "sh", "-c"]
        put = 'mkdir -p "$(dirname "$0")" && cat > "$0"'
        subprocess.run([*inside, put, path], input=text, text=True, check=True, timeout=300)

    def unpack(self, tar: bytes, folder: str) -> None:
        """Unpacks an archive into a new folder of the machine."""
        self.run("mkdir", "-p", folder)
        inside = ["nsenter", "--target", str(self._first), "--all", "tar", "-x", "-C", folder]
        subprocess.run(inside, input=tar, check=True, timeout=300)

    def show(self, *properties: str) -> dict[str, str]:
        """What systemd knows about the service."""
        lines = self.run("systemctl", "show", "dicetable", f"--property={','.join(properties)}").splitlines()
        return dict(line.split("=", 1) for line in lines)

    def journal(self) -> str:
        """What the service has said."""
        return self.run("journalctl", "--unit=dicetable", "--no-pager", "--output=cat")

    def has_ended(self) -> bool:
        """Whether the machine has gone down."""
        return self._nspawn.poll() is not None

    def end(self) -> None:
        """Switches it off."""
        if self._first and not self.has_ended():
            os.kill(self._first, signal.SIGRTMIN + 4)
            try:
                self._nspawn.wait(BOUND_S)
            except subprocess.TimeoutExpired:
                self._nspawn.kill()
        elif not self.has_ended():
            self._nspawn.kill()
        self._nspawn.wait(BOUND_S)
        for top in cgroups():
            for folder in sorted((top, *top.rglob("*/")), reverse=True):
                with contextlib.suppress(OSError):  # files of it, and what is already gone
                    folder.rmdir()
        self._lock.close()

    def _find_first(self) -> bool:
        if self.has_ended():
            pytest.fail(f"systemd-nspawn ended:\n{self._console.read_text()}")
        pid = self._nspawn.pid
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            own = Path("/proc/self/ns/pid").readlink()
            inside = [child for child in children if Path(f"/proc/{child}/ns/pid").readlink() != own]
        except OSError:
            return False
        self._first = int(inside[0]) if inside else 0
        return bool(inside)

    def _is_up(self) -> bool:
        return self.run("systemctl", "is-system-running", check=False) in {"running", "degraded"}
