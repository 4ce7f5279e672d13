"""Whether a folder lies in memory, where all of it is lost when the machine is switched off.

A Raspberry Pi whose root is an overlay (`raspi-config`, "overlay file system") writes everything to memory.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from dicetable import files, texts
from dicetable.files import MOUNTS, mount_of, unescaped

IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})


def why_in_memory(folder: Path, file: Path = MOUNTS) -> str | None:
    """What keeps the folder in memory only; None if nothing does as far as one can see.

    An overlay whose upper layer this process cannot see, as in a container, counts as lasting.
    """
    there = files(file)
    mount = mount_of(folder.resolve(), there)
    if mount is None:
        return None
    if mount.kind in IN_MEMORY:
        return texts.doctor.is_in_memory(str(mount.point), mount.kind)
    upper = re.search(r"(?:^|,)upperdir=([^,]*)", mount.options) if mount.kind == "overlay" else None
    if upper is None:
        return None
    below = mount_of(Path(unescaped(upper[1])), [other for other in there if other != mount])
    return texts.doctor.is_overlay(str(mount.point)) if below and below.kind in IN_MEMORY else None
