"""Files that are written whole, or not at all: nobody finds half of one, an older one stays until then."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Writes the file, or raises OSError and leaves what was there."""
    if is_no_file(path):
        path.write_bytes(data)
        return
    part = beside(path)
    try:
        part.write_bytes(data)
        part.replace(path.resolve())
    except OSError:
        part.unlink(missing_ok=True)
        raise


def check_writable(path: Path) -> None:
    """Raises OSError where `write_whole` would, but for want of room; leaves all as it is."""
    if is_no_file(path):
        path.open("ab").close()
        return
    part = beside(path)
    part.touch()
    part.unlink()


def is_no_file(path: Path) -> bool:
    """Whether a device or a folder is there: it stays what it is."""
    return path.exists() and not path.is_file()


def beside(path: Path) -> Path:
    """The file that becomes this one, or what it links to, when it is whole."""
    path = path.resolve()
    return path.with_name(f".{path.name}.part")
