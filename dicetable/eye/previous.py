"""Keeps the files that new ones replace: enrolled dice, a lens, a calibration; puts them back in one press.

A kept file lies beside its successor, with a name that ends in `.previous`. Files that belong together are
kept and put back together. Putting back swaps: after a second time the newer files are back.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from common.files import atomic_write, durable_rename, read_file

MOST_BYTES: Final = 64 * 2**20
"""Larger files are not kept: nothing that belongs to a rig is larger."""


def previous(file: Path) -> Path:
    """Where the file that was replaced last lies."""
    return file.with_name(f"{file.name}.previous")


def aside(file: Path) -> Path:
    """Where a file lies while it is swapped with its predecessor."""
    return file.with_name(f"{file.name}.aside")


def kept_since_s(file: Path) -> float | None:
    """When the kept predecessor of a file was written, in seconds since 1970; None if there is none.

    A swap that a power cut interrupted is completed first.
    """
    try:
        if aside(file).exists() and not previous(file).exists():
            durable_rename(aside(file), previous(file))
        return previous(file).stat().st_mtime
    except OSError:
        return None


def keep_previous(files: Sequence[Path]) -> None:
    """Keeps these files before they are replaced; the others are of no use without the first.

    Raises OSError.
    """
    if not files[0].is_file():
        return
    for file in files:
        if file.exists():
            copy(file, previous(file))
        else:
            previous(file).unlink(missing_ok=True)


def swap(files: Sequence[Path]) -> None:
    """Puts the kept files in the place of these, which are kept instead. Raises OSError."""
    for file in files:
        before = previous(file)
        if file.exists():
            copy(file, aside(file))
        if before.exists():
            durable_rename(before, file)  # at no moment is there no file
        else:
            file.unlink(missing_ok=True)
        if aside(file).exists():
            durable_rename(aside(file), before)


def copy(file: Path, target: Path) -> None:
    """Copies a file with its time. Raises OSError."""
    time_ns = file.stat().st_mtime_ns
    atomic_write(target, read_file(file, MOST_BYTES))
    os.utime(target, ns=(time_ns, time_ns))
