"""The process that decodes image files, with limits on memory and processor time for each of them.

Requests arrive on standard input and replies go to standard output, in the format of process.py. The process
exits at the end of its input, after a while without requests, and when it has grown.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
from pathlib import Path
from typing import Final

from hardware.images.decoders import MOST_WORDS, STANDARD_ERROR, decode
from hardware.images.header import MOST_BYTES, ImageFileError
from hardware.images.process import REPLY, REQUEST

PROCESSOR_S: Final = 9
"""Seconds for one image; the whole reading stays within ten."""
SOURCE: Final = 0
SINK: Final = 1
IDLE_S: Final = 5.0
GROWN_BYTES: Final = 16_000_000


def main() -> int:
    """Serves requests until there is no more to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it exits with its caller
    os.dup2(os.memfd_create("standard error"), STANDARD_ERROR)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_WORDS, MOST_WORDS))
    size = address_space_bytes()
    resource.setrlimit(resource.RLIMIT_AS, (size + MOST_BYTES, size + MOST_BYTES))
    while select.select([SOURCE], [], [], IDLE_S)[0] and (head := os.read(SOURCE, REQUEST.size)):
        spent = resource.getrusage(resource.RUSAGE_SELF)
        limit_s = int(spent.ru_utime + spent.ru_stime) + PROCESSOR_S
        resource.setrlimit(resource.RLIMIT_CPU, (limit_s, resource.RLIM_INFINITY))
        answer(head)
        if address_space_bytes() > size + GROWN_BYTES:
            break  # so that the next image has as much memory as the first
    return 0


def answer(head: bytes) -> None:
    """Reads one file and sends the reply."""
    while len(head) < REQUEST.size:
        head += os.read(SOURCE, REQUEST.size - len(head))
    work_px, length = REQUEST.unpack(head)
    path = b""
    while len(path) < length:
        path += os.read(SOURCE, length - len(path))
    try:
        pixels, scale = decode(path, work_px)
    except ImageFileError as error:
        words = str(error).encode(errors="replace")
        write(REPLY.pack(0, 0, len(words)), words)
    else:
        write(REPLY.pack(scale, *pixels.shape[:2]), pixels.data)


def write(*parts: bytes | memoryview) -> None:
    """Writes all of it, however little a pipe takes at a time."""
    for part in parts:
        left = memoryview(part).cast("B")
        while left:
            left = left[os.write(SINK, left) :]


def address_space_bytes() -> int:
    """The size of this process's address space, which bounds the memory that it uses."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * resource.getpagesize()


if __name__ == "__main__":
    sys.exit(main())
