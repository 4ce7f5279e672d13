"""Whether a folder lies in memory, where all of it is lost when the machine is switched off.

A Raspberry Pi whose root is an overlay (`raspi-config`, "overlay file system") writes everything to memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dicetable import texts

MOUNTS: Final = Path("/proc/self/mountinfo")
IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
ESCAPED: Final = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of mountinfo: where, of which kind, with which options of its file system."""

    point: Path
    kind: str
    options: str


def mounts(file: Path = MOUNTS) -> list[Mount]:
    """What is mounted, the newest last, as proc(5) has it; nothing where the kernel does not tell."""
    try:
        lines = file.read_text(errors="replace").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        before, dash, after = line.partition(" - ")
        fields, kinds = before.split(), after.split()
        if dash and len(fields) >= 5 and len(kinds) >= 3:
            found.append(Mount(Path(plain(fields[4])), kinds[0], kinds[2]))
    return found


def plain(text: str) -> str:
    """A path without the octal escapes of mountinfo."""
    return ESCAPED.sub(lambda escape: chr(int(escape[1], 8)), text)


def mount_of(path: Path, there: list[Mount]) -> Mount | None:
    """The mount that a path lies in."""
    return max(
        (mount for mount in reversed(there) if path.is_relative_to(mount.point)),
        key=lambda mount: len(mount.point.parts),
        default=None,
    )


def why_in_memory(folder: Path, file: Path = MOUNTS) -> str | None:
    """What keeps the folder in memory only; None if nothing does as far as one can see.

    An overlay whose upper layer this process cannot see, as in a container, counts as lasting.
    """
    there = mounts(file)
    mount = mount_of(folder.resolve(), there)
    if mount is None:
        return None
    if mount.kind in IN_MEMORY:
        return texts.doctor.is_in_memory(str(mount.point), mount.kind)
    upper = re.search(r"(?:^|,)upperdir=([^,]*)", mount.options) if mount.kind == "overlay" else None
    if upper is None:
        return None
    below = mount_of(Path(plain(upper[1])), [other for other in there if other != mount])
    return texts.doctor.is_overlay(str(mount.point)) if below and below.kind in IN_MEMORY else None
