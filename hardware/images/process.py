"""The caller's end of the decoding process (worker.py): starts it, asks it, ends it."""

from __future__ import annotations

import atexit
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from hardware.ports import Pixels

REQUEST: Final = struct.Struct(">II")
"""The longest side wanted, the length of the path; then the path."""
REPLY: Final = struct.Struct(">III")
"""Scale, height, width, then the pixels; or 0, 0 and the length of the reason why there are none, then it."""
PATIENCE_S: Final = 60.0
"""Of the clock on the wall, for a disk that does not answer."""
ROOT: Final = Path(__file__).resolve().parents[2]
STACK_KB: Final = 1024
SETTINGS: Final = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "131072",  # what is freed goes back at once
    "OPENBLAS_NUM_THREADS": "1",
    "PILLOW_BLOCK_SIZE": "1m",
}
TOO_LONG: Final = "it takes more than 10 s to decode: save it smaller, or as a plain JPEG"
STUCK: Final = f"it cannot be read within {PATIENCE_S:.0f} s: copy it to another disk"
CRASHED: Final = "its decoder fails on it: copy it again from where it came, or save it as JPEG or PNG"


class DecodingProcess:
    """Decodes image files in a child that is started when it is first needed and serves many images.

    Threads may share it.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.child: subprocess.Popen[bytes] | None = None
        self.patience_s = PATIENCE_S

    def start(self) -> None:
        """Starts the child, if there is none, so that it is ready when it is needed; does not wait."""
        with self.lock:
            self.running()

    def decode(self, path: Path, work_px: int) -> tuple[Pixels, int] | str:
        """Pixels, uint8 H×W×3 BGR, upright, and how many of the file each stands for; or why there are none.

        The file is reduced to a half, a quarter or an eighth while a side is longer than `work_px`.
        """
        name = os.fsencode(path.absolute())
        request = REQUEST.pack(work_px, len(name)) + name
        with self.lock:
            try:
                return self.answered(request)
            except TimeoutError:
                self.kill()
                return STUCK
            except BaseException:
                self.kill()  # what it would still say answers another question
                raise

    def close(self) -> None:
        """Ends the child; the next image starts another."""
        with self.lock:
            self.kill()

    def running(self) -> subprocess.Popen[bytes]:
        """The child, started if there is none."""
        if self.child is None:
            small_stacks = ("sh", "-c", f'ulimit -S -s {STACK_KB}; exec "$@"', "sh")
            path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
            self.child = subprocess.Popen(  # noqa: S603 - our own program
                (*small_stacks, sys.executable, "-P", "-m", "hardware.images.worker"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                env=os.environ | SETTINGS | {"PYTHONPATH": path},
            )
        return self.child

    def answered(self, request: bytes) -> tuple[Pixels, int] | str:
        """The answer of a child that may have ended by itself before it was asked."""
        for _ in range(2):
            try:
                return self.asked(request)
            except EOFError:
                if code := self.ended():
                    return TOO_LONG if code == -signal.SIGXCPU else CRASHED
        return CRASHED

    def asked(self, request: bytes) -> tuple[Pixels, int] | str:
        """One request and its reply. Raises EOFError if the child ends, TimeoutError if it hangs."""
        child = self.running()
        if child.stdin is None or child.stdout is None:
            raise ValueError("the child has no pipes")
        try:
            child.stdin.write(request)
        except BrokenPipeError:
            raise EOFError from None
        replies = child.stdout.fileno()
        until_s = time.monotonic() + self.patience_s
        head = received(replies, np.empty(REPLY.size, np.uint8), until_s)
        scale, height, width = REPLY.unpack(head.tobytes())
        if scale == 0:
            return received(replies, np.empty(width, np.uint8), until_s).tobytes().decode(errors="replace")
        pixels = np.empty((height, width, 3), np.uint8)
        received(replies, pixels.reshape(-1), until_s)
        return pixels, scale

    def ended(self) -> int | None:
        """The exit code of the child, once it has ended; None if there was none."""
        child, self.child = self.child, None
        if child is None:
            return None
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()
        return child.wait()

    def kill(self) -> None:
        """Ends the child, whatever it does."""
        if self.child is not None:
            self.child.kill()
            self.ended()


def received(pipe: int, whole: Pixels, until_s: float) -> Pixels:
    """Fills an array of bytes from a pipe. Raises EOFError if it ends before, TimeoutError if it is late."""
    waiting = select.poll()
    waiting.register(pipe, select.POLLIN)
    left = memoryview(whole.data)
    while left:
        if not waiting.poll(max(0.0, 1000 * (until_s - time.monotonic()))):
            raise TimeoutError
        if not (count := os.readv(pipe, [left])):
            raise EOFError
        left = left[count:]
    return whole


DECODING: Final = DecodingProcess()
atexit.register(DECODING.close)
