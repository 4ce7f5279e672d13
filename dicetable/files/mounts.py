"""Which file system a folder lies in, as the kernel tells in mountinfo."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MOUNTS: Final = Path("/proc/self/mountinfo")
NETWORK: Final = frozenset(
    {"9p", "afs", "ceph", "cifs", "davfs", "nfs", "nfs4", "smb3", "smbfs"}
    | {f"fuse.{kind}" for kind in ("davfs2", "glusterfs", "rclone", "sshfs")}
)
"""File systems of other machines, where SQLite's log is unsafe: https://sqlite.org/wal.html."""
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


def network(folder: Path, file: Path | None = None) -> str:
    """The kind of file system if another machine keeps the folder; empty if none is known to."""
    mount = mount_of(folder.resolve(), mounts(file or MOUNTS))
    return mount.kind if mount is not None and mount.kind in NETWORK else ""
