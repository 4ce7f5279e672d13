"""Reads the table's own small files: never more than expected, and only regular files."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


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
    """The first bytes of the file.

    Raises:
        OSError: it cannot be read, or it is a folder, a pipe or a device.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "is no file", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(most_bytes)
    finally:
        os.close(descriptor)
