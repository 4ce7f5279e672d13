"""Reading and writing of files: atomic writes, bounded reads, and the file system that a folder lies in."""

import errno
import os
import re
import select
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

READER_S: Final = 5.0
AT_ONCE: Final = getattr(os, "O_NONBLOCK", 0)
"""Opens a pipe without waiting for its other end; Windows has no such pipes among its files."""
NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
"""Refuses to open a symbolic link, where the system can."""
BYTES: Final = getattr(os, "O_BINARY", 0)
"""Keeps Windows from changing line feeds."""
MOUNTS: Final = Path("/proc/self/mountinfo")
NETWORK: Final = frozenset(
    {"9p", "afs", "ceph", "cifs", "davfs", "nfs", "nfs4", "smb3", "smbfs"}
    | {f"fuse.{kind}" for kind in ("davfs2", "glusterfs", "rclone", "sshfs")}
)
"""File systems of other machines, where SQLite's log is unsafe: https://sqlite.org/wal.html."""


def atomic_write(
    path: Path, data: bytes, about: os.stat_result | None = None, *, private: bool = False
) -> None:
    """Replaces the file by one with the content `data`, which is on the disk when this returns.

    A symbolic link is followed and its target replaced. A device is written to directly, and so is a pipe if
    something reads it; its reader may take READER_S each time that it lets the pipe fill up.
    With `about` the new file gets its owner, group and mode, and no one else can read it before; if it is
    `private`, only its owner can read it.

    Raises:
        TimeoutError: the pipe's reader does not read.
        OSError: the old file is still there; or, if only the folder could not be synced, it is unknown
            whether the new name would survive a power cut.
    """
    if is_no_file(path):
        write_directly(path, data)
        return
    part = temporary_name(path)
    try:
        part.unlink(missing_ok=True)
        mode = 0o600 if private or about is not None else 0o666
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            if about is not None:
                made = os.fstat(file.fileno())
                if (made.st_uid, made.st_gid) != (about.st_uid, about.st_gid):
                    os.fchown(file.fileno(), about.st_uid, about.st_gid)
                os.fchmod(file.fileno(), stat.S_IMODE(about.st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        durable_rename(part, path.resolve())
    except OSError as error:
        error.filename = str(path)
        part.unlink(missing_ok=True)
        raise


def write_directly(path: Path, data: bytes) -> None:
    """Writes to a device or a pipe. Raises OSError; TimeoutError if nothing is taken for READER_S."""
    descriptor = os.open(path, os.O_WRONLY | AT_ONCE)
    try:
        left = memoryview(data)
        while left:
            if not select.select((), (descriptor,), (), READER_S)[1]:
                raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT), str(path))
            left = left[os.write(descriptor, left) :]
    finally:
        os.close(descriptor)


def durable_rename(source: Path, target: Path) -> None:
    """Renames, replacing an existing file; both folders are on the disk when this returns. Raises OSError."""
    source.replace(target)
    for folder in {target.parent, source.parent}:
        sync(folder)


def sync(path: Path) -> None:
    """Waits until a file's content, or a folder's entries, are on the disk. Raises OSError."""
    if os.name == "nt" and path.is_dir():
        return  # Windows writes the entries of a folder itself, and opens none
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock(descriptor: int, *, wait: bool) -> None:
    """Locks an open file until it is closed. Raises OSError if another program has it and we do not wait."""
    try:
        import fcntl
    except ImportError:
        lock_on_windows(descriptor, wait=wait)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def lock_on_windows(descriptor: int, *, wait: bool) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)


def check_writable(path: Path) -> None:
    """Raises OSError if `atomic_write` would, except for a full disk; changes nothing."""
    if is_no_file(path):
        os.close(os.open(path, os.O_WRONLY | AT_ONCE))
        return
    part = temporary_name(path)
    part.touch()
    part.unlink()


def is_no_file(path: Path) -> bool:
    """Whether the path is a device, a pipe or a folder, which is not replaced."""
    return path.exists() and not path.is_file()


def temporary_name(path: Path) -> Path:
    """The name under which the file is written first."""
    path = path.resolve()
    return path.with_name(f".{path.name}.part")


def read_file(path: Path, most_bytes: int) -> bytes:
    """The file's content. Never waits for a pipe.

    Raises:
        OSError: it cannot be read, is larger than `most_bytes`, or is a folder, a pipe or a device.
    """
    data = first_bytes(path, most_bytes + 1)
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"is larger than {most_bytes} bytes", str(path))
    return data


def first_bytes(path: Path, most_bytes: int) -> bytes:
    """The first bytes of the file. Never waits for a pipe.

    Raises:
        OSError: it cannot be read, or it is a folder, a pipe or a device.
    """
    descriptor = os.open(path, os.O_RDONLY | AT_ONCE | BYTES)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "is no file", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(most_bytes)
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of mountinfo: the mount point, and the kind and the options of its file system."""

    point: Path
    kind: str
    options: str


def mounts(file: Path = MOUNTS) -> list[Mount]:
    """All mounts, the newest last, as proc(5) lists them; none where the kernel does not say."""
    try:
        lines = file.read_text(errors="replace").splitlines()
    except OSError:
        return []
    entries = []
    for line in lines:
        before, dash, after = line.partition(" - ")
        fields, kinds = before.split(), after.split()
        if dash and len(fields) >= 5 and len(kinds) >= 3:
            entries.append(Mount(Path(unescaped(fields[4])), kinds[0], kinds[2]))
    return entries


def unescaped(text: str) -> str:
    """A path without the octal escapes of mountinfo."""
    return re.sub(r"\\([0-7]{3})", lambda escape: chr(int(escape[1], 8)), text)


def mount_of(path: Path, among: list[Mount]) -> Mount | None:
    around = (mount for mount in reversed(among) if path.is_relative_to(mount.point))
    return max(around, key=lambda mount: len(mount.point.parts), default=None)


def network_kind(folder: Path, file: Path | None = None) -> str:
    """The kind of file system if another machine keeps the folder; else empty."""
    mount = mount_of(folder.resolve(), mounts(file or MOUNTS))
    return mount.kind if mount is not None and mount.kind in NETWORK else ""
