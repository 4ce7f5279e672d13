"""What a power cut may leave of a folder, at each system call of a program that changes it.

strace records the calls; a model of a file system plays them. A file's content is safe once the file was
synced, a name once its folder was; of everything else a power cut may keep all, nothing or some, in any
order. What a program wrote through a mapping (SQLite's `-shm`, which it rebuilds) is never safe here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT: Final = Path(__file__).resolve().parents[3]
PLAYED: Final = (
    *("openat", "close", "write", "pwrite64", "ftruncate", "fsync", "fdatasync"),
    *("rename", "unlink", "mkdir", "rmdir"),
)
UNKNOWN: Final = (
    *("creat", "writev", "pwritev", "pwritev2", "truncate", "fallocate", "link", "linkat", "symlink"),
    *("symlinkat", "renameat", "renameat2", "unlinkat", "mkdirat", "sendfile", "copy_file_range"),
)
"""Calls that change a disk too, which the model does not know: a program that makes one is refused."""
CALL: Final = re.compile(r"(?P<name>\w+)\((?P<arguments>.*)\)\s+= (?P<result>-?\d+)")
TEXT: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')

State = dict[str, bytes | None]
"""Content by path under the folder; None: a folder."""


@dataclass
class Node:
    """A file, or a folder if `content` is None."""

    content: bytearray | None
    synced: bytes | None = b""


Names = dict[str, Node]
"""By path under the folder; a folder comes before what lies in it."""


@dataclass
class Renaming:
    """A name that was given, taken away or changed, and the folders whose names are not on the disk yet."""

    old: str
    new: str
    node: Node
    folders: set[str]

    def apply(self, names: Names) -> None:
        """Does nothing where the old name was lost."""
        if self.old and names.pop(self.old, None) is not self.node:
            return
        if self.new:
            names[self.new] = self.node


@dataclass
class Disk:
    """A folder of a file system, with what the programs see and what is safe."""

    root: Path
    names: Names = field(default_factory=dict)
    safe_names: Names = field(default_factory=dict)
    unsafe: list[Renaming] = field(default_factory=list)
    opened: dict[int, tuple[str, Node]] = field(default_factory=dict)
    offsets: dict[int, int] = field(default_factory=dict)
    """Where the next `write` to a descriptor begins."""

    @classmethod
    def of(cls, folder: Path) -> Disk:
        """What lies in a folder now, all of it safe."""
        disk = cls(folder)
        for path in sorted(folder.rglob("*")):
            data = None if path.is_dir() else path.read_bytes()
            node = Node(None if data is None else bytearray(data), data)
            disk.names[str(path.relative_to(folder))] = node
        disk.safe_names = dict(disk.names)
        return disk

    def play(self, line: str) -> str:
        """Plays a line of strace's log; the call's name if it changed anything here, else nothing."""
        found = CALL.match(line)
        if found is None or int(found["result"]) < 0:
            return ""
        name, arguments, result = found["name"], found["arguments"], int(found["result"])
        texts = [bytes.fromhex(text.replace("\\x", "")) for text in TEXT.findall(arguments)]
        if name == "openat":
            return self.open(self.inside(texts[0]), arguments, result)
        if name in ("rename", "unlink", "mkdir", "rmdir", *UNKNOWN):
            paths = [self.inside(text) for text in texts]
            if not any(paths):
                return ""
            assert name not in UNKNOWN, line[:200]
            return self.rename_or_remove(name, paths)
        numbers = [int(word) for word in re.findall(r"(?<!x)\b\d+\b", TEXT.sub("", arguments))]
        if name == "close":
            self.opened.pop(numbers[0], None)
            return ""
        if numbers[0] not in self.opened:
            return ""
        path, node = self.opened[numbers[0]]
        if name in ("fsync", "fdatasync"):
            self.sync(path, node)
        else:
            assert node.content is not None
            if name == "ftruncate":
                change(node.content, numbers[1])
            else:
                at = numbers[-1] if name == "pwrite64" else self.offsets[numbers[0]]
                if name == "write":
                    self.offsets[numbers[0]] += result
                change(node.content, max(at, len(node.content)))
                node.content[at : at + result] = texts[0][:result]
        return name

    def inside(self, path: bytes) -> str:
        """The path under the folder, which is `.` itself; empty for all others."""
        text = os.fsdecode(path)
        if text == str(self.root):
            return "."
        return text.removeprefix(f"{self.root}/") if text.startswith(f"{self.root}/") else ""

    def open(self, path: str, arguments: str, descriptor: int) -> str:
        """Remembers the descriptor; makes the file, or empties it, if it is to."""
        if not path:
            return ""
        made = path != "." and path not in self.names
        if made:
            assert "O_CREAT" in arguments, path
            self.rename("", path, Node(bytearray()))
        node = Node(None) if path == "." else self.names[path]
        emptied = "O_TRUNC" in arguments and bool(node.content)
        if emptied and node.content is not None:
            node.content.clear()
        self.opened[descriptor] = (path, node)
        assert "O_APPEND" not in arguments, path
        self.offsets[descriptor] = 0
        return "openat" if made or emptied else ""

    def rename_or_remove(self, name: str, paths: list[str]) -> str:
        """Plays a call about one or two names."""
        if name == "mkdir":
            self.rename("", paths[0], Node(None, None))
        else:
            self.rename(paths[0], paths[1] if name == "rename" else "", self.names[paths[0]])
        return name

    def rename(self, old: str, new: str, node: Node) -> None:
        """Gives a file another name, its first name or none."""
        done = Renaming(old, new, node, {above(path) for path in (old, new) if path})
        done.apply(self.names)
        self.unsafe.append(done)

    def sync(self, path: str, node: Node) -> None:
        """Makes a file's content safe, or the names in a folder."""
        if node.content is not None:
            node.synced = bytes(node.content)
            return
        for each in self.unsafe:
            each.folders.discard(path)
            if not each.folders:
                each.apply(self.safe_names)
        self.unsafe = [each for each in self.unsafe if each.folders]

    def states(self, chance: Random) -> Iterator[tuple[str, State]]:
        """What a power cut may leave now, each with a word for how it came about."""
        yield "all is kept", self.state_now()
        yield "blocks of content are kept", state(self.names, lambda node: torn(node, chance))
        for number, (kept, names) in enumerate(self.kept_names()):
            yield f"{kept}, no content", state(names, lambda node: node.synced)
            if number < FEW:
                yield f"{kept}, all content", state(names, seen)

    def state_now(self) -> State:
        """As programs see it."""
        return state(self.names, seen)

    def kept_names(self) -> Iterator[tuple[str, Names]]:
        """What may be left of the names."""
        for kept in subsets(len(self.unsafe)):
            names = dict(self.safe_names)
            for number in sorted(kept):
                self.unsafe[number].apply(names)
            yield f"{len(kept)} of {len(self.unsafe)} unsynced names are kept", names


FEW: Final = 3
"""So many of the choices of names are tried with unsynced content too."""


def subsets(count: int) -> Iterator[set[int]]:
    """None, all, each alone, and all but each."""
    everything = set(range(count))
    yield from ({*()}, everything)
    for number in everything:
        yield {number}
        yield everything - {number}


def seen(node: Node) -> bytes | None:
    """The content as programs see it."""
    return None if node.content is None else bytes(node.content)


def change(content: bytearray, length: int) -> None:
    """Cuts content off, or fills it up with zeros."""
    del content[length:]
    content.extend(bytes(length - len(content)))


def above(path: str) -> str:
    """The folder that a path lies in."""
    return path.rpartition("/")[0] or "."


def torn(node: Node, chance: Random, block: int = 512) -> bytes | None:
    """Of each block the synced or the unsynced content."""
    if node.content is None or node.synced is None:
        return None
    old, new = node.synced.ljust(len(node.content), b"\0"), bytes(node.content)
    return b"".join(chance.choice((old, new))[at : at + block] for at in range(0, len(new), block))


def state(names: Names, content: Callable[[Node], bytes | None]) -> State:
    """The content by path; what lies in a folder that was lost is lost."""
    found: State = {}
    for path in sorted(names):
        if above(path) in (".", *found):
            data = content(names[path])
            found[path] = b"" if data is not None and path.endswith("-shm") else data
    return found


def crash_states(folder: Path, program: str, log: Path) -> Iterator[tuple[str, State]]:
    """Runs a Python program on a folder; each state that a power cut may leave, once, and how it came."""
    disk = Disk.of(folder)
    traced = ["strace", "-qq", "-xx", "-s", str(2**24), "-e", f"trace={','.join((*PLAYED, *UNKNOWN))}"]
    command = [*traced, "-o", str(log), sys.executable, "-B", "-c", program, str(folder)]
    subprocess.run(command, cwd=ROOT, capture_output=True, timeout=300, check=True)
    chance = Random(1)
    known: set[int] = set()
    with log.open(encoding="ascii") as lines:
        for number, line in enumerate(lines):
            name = disk.play(line)
            for how, left in disk.states(chance) if name else ():
                mark = hash(frozenset(left.items()))
                if mark not in known:
                    known.add(mark)
                    yield f"{how} after {name}, line {number}", left
    assert disk.state_now() == Disk.of(folder).state_now(), "the model is wrong"


def lay(left: State, folder: Path) -> None:
    """Makes a folder as a power cut left it."""
    folder.mkdir()
    for path, data in left.items():
        if data is None:
            (folder / path).mkdir()
        else:
            (folder / path).write_bytes(data)
