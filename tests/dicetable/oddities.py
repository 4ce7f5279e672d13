"""What may lie where a file is expected."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

ODDITIES = ("pipe", "folder", "dangling link", "endless device", "binary", "large")


def put(path: Path, oddity: str) -> None:
    """Puts it where the file would be."""
    path.unlink(missing_ok=True)
    if oddity == "pipe":
        os.mkfifo(path)
    elif oddity == "folder":
        path.mkdir()
    elif oddity == "binary":
        path.write_bytes(b"\xff\x00[")
    elif oddity == "large":
        path.write_bytes(b" " * 10**6)
    else:
        path.symlink_to("/dev/zero" if oddity == "endless device" else "nowhere/at all")
