"""Atomic writes: a reader finds the old file or the new one, whole, also after a power cut."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def atomic_write(path: Path, data: bytes) -> None:
    """Replaces the file by one that holds `data`; it is on the disk when this returns.

    A link is followed: what it points to is replaced. A device is written to as it is, a pipe if somebody
    reads it: it is never waited for.

    Raises:
        OSError: the old file is still there, or, if only the folder could not be synced, it is not known
            whether the new name survives a power cut.
    """
    if is_no_file(path):
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_NONBLOCK), "wb") as file:
            os.set_blocking(file.fileno(), True)
            file.write(data)
        return
    part = beside(path)
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        durable_rename(part, path.resolve())
    except OSError:
        part.unlink(missing_ok=True)
        raise


def durable_rename(source: Path, target: Path) -> None:
    """Renames, replacing what is there; both folders are on the disk when this returns. Raises OSError."""
    source.replace(target)
    for folder in {target.parent, source.parent}:
        sync(folder)


def sync(path: Path) -> None:
    """Waits until the file's content, or the folder's list of names, is on the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_writable(path: Path) -> None:
    """Raises OSError where `atomic_write` would, except for want of room; leaves all as it is."""
    if is_no_file(path):
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        return
    part = beside(path)
    part.touch()
    part.unlink()


def is_no_file(path: Path) -> bool:
    """Whether a device or a folder is there: it stays what it is."""
    return path.exists() and not path.is_file()


def beside(path: Path) -> Path:
    """The name under which the file is written before it is whole."""
    path = path.resolve()
    return path.with_name(f".{path.name}.part")
