"""The table's two sockets: passed by systemd, or in a folder of the user's own on a laptop."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import MutableMapping

STATE: Final = "state.sock"
CONTROL: Final = "control.sock"
NAMES: Final = (STATE, CONTROL)
SYSTEM: Final = Path("/run/dicetable")
FIRST_DESCRIPTOR: Final = 3
"""The first file descriptor that systemd passes (sd_listen_fds)."""
WAITING: Final = 8


def own_folder(environment: MutableMapping[str, str]) -> Path:
    """The folder for a table that a user runs directly."""
    runtime = environment.get("XDG_RUNTIME_DIR")
    if runtime and Path(runtime).is_dir():
        return Path(runtime) / "dicetable"
    return Path(tempfile.gettempdir()) / f"dicetable-{os.getuid()}"


def path_of(environment: MutableMapping[str, str]) -> Path:
    """The `state.sock` of the table that a gateway serves: the user's own if it exists, else the system's."""
    own = own_folder(environment) / STATE
    return SYSTEM / STATE if not own.exists() and (SYSTEM / STATE).exists() else own


def inherited(environment: MutableMapping[str, str]) -> dict[str, socket.socket]:
    """The sockets that systemd passed, by name; removes the environment variables that announce them."""
    pid, count = environment.pop("LISTEN_PID", ""), environment.pop("LISTEN_FDS", "")
    environment.pop("LISTEN_FDNAMES", None)
    if pid != str(os.getpid()) or not count.isdigit():
        return {}
    found: dict[str, socket.socket] = {}
    for descriptor in range(FIRST_DESCRIPTOR, FIRST_DESCRIPTOR + int(count)):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - it has no name
        handed = socket.socket(fileno=descriptor)
        name = Path(handed.getsockname()).name if handed.family == socket.AF_UNIX else ""
        if name in NAMES and name not in found:
            found[name] = handed
        else:
            handed.close()
    return found


def opened(environment: MutableMapping[str, str]) -> dict[str, socket.socket]:
    """Sockets to which only this user can connect. Raises OSError if another table uses them."""
    folder = own_folder(environment)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o077:
        raise PermissionError(errno.EPERM, "is not a folder of yours alone: remove it", str(folder))
    made: dict[str, socket.socket] = {}
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # tables that start at once take turns
        for name in NAMES:
            made[name] = bound(folder / name)
    except OSError:
        for path, listener in zip((folder / name for name in NAMES), made.values(), strict=False):
            path.unlink(missing_ok=True)
            listener.close()
        raise
    finally:
        os.close(descriptor)
    return made


def bound(path: Path) -> socket.socket:
    """A listening socket. Raises OSError if that is not possible."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if answers(path):
            raise OSError(errno.EADDRINUSE, "another table uses it: end that one first", str(path))
        path.unlink(missing_ok=True)
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(WAITING)
    except OSError:
        listener.close()
        raise
    return listener


def answers(path: Path) -> bool:
    """Whether a table listens there, even one that hangs and accepts no more connections."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.0)
        return probe.connect_ex(str(path)) in (0, errno.EAGAIN)


def place(listener: socket.socket) -> tuple[Path, int]:
    """The socket's path and the inode there, which is 0 if the path is gone."""
    path = Path(listener.getsockname())
    with suppress(OSError):
        return path, path.lstat().st_ino
    return path, 0
