"""Atomic writes: readers find the complete old file or the complete new one, even after a power cut."""

from __future__ import annotations

import errno
import os
import select
import stat
from typing import TYPE_CHECKING, Final

READER_S: Final = 5.0

if TYPE_CHECKING:
    from pathlib import Path


def atomic_write(
    path: Path, data: bytes, about: os.stat_result | None = None, *, private: bool = False
) -> None:
    """Replaces the file by one with the content `data`, which is on the disk when this returns.

    A symbolic link is followed and its target replaced. A device is written to directly, and so is a pipe if
    somebody reads it. A reader is waited for at most READER_S, each time that it lets the pipe fill up.
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
    part = beside(path)
    try:
        part.unlink(missing_ok=True)
        with open(part, "xb", opener=owners_only if private or about is not None else None) as file:
            if about is not None:
                keep(file.fileno(), about)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        durable_rename(part, path.resolve())
    except OSError as error:
        error.filename = str(path)
        part.unlink(missing_ok=True)
        raise


def owners_only(path: str, flags: int) -> int:
    """Opens a file that only its owner can read."""
    return os.open(path, flags, 0o600)


def keep(descriptor: int, about: os.stat_result) -> None:
    """Gives a file an owner, a group and a mode. Raises OSError if this user may not."""
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) != (about.st_uid, about.st_gid):
        os.fchown(descriptor, about.st_uid, about.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(about.st_mode))


def write_directly(path: Path, data: bytes) -> None:
    """Writes to a device or a pipe. Raises OSError; TimeoutError if nothing is taken for READER_S."""
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
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
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_writable(path: Path) -> None:
    """Raises OSError if `atomic_write` would, except for a full disk; changes nothing."""
    if is_no_file(path):
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        return
    part = beside(path)
    part.touch()
    part.unlink()


def is_no_file(path: Path) -> bool:
    """Whether the path is a device or a folder, which is not replaced."""
    return path.exists() and not path.is_file()


def beside(path: Path) -> Path:
    """The temporary name under which the file is written first."""
    path = path.resolve()
    return path.with_name(f".{path.name}.part")
