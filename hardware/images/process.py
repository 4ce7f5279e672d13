"""The caller's side of the decoding process (worker.py): starts it, sends requests, stops it."""

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
"""Request: the longest side wanted and the length of the path, followed by the path."""
REPLY: Final = struct.Struct(">III")
"""Reply: scale, height and width, followed by the pixels; or 0, 0 and the length of an error text, and the
text."""
PATIENCE_S: Final = 60.0
"""Wall-clock time, in case a disk does not answer."""
ROOT: Final = Path(__file__).resolve().parents[2]
STACK_KB: Final = 1024
SETTINGS: Final = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "131072",  # memory that is freed is returned at once
    "OPENBLAS_NUM_THREADS": "1",
    "PILLOW_BLOCK_SIZE": "1m",
}
TOO_LONG: Final = "it takes more than 10 s to decode: save it smaller, or as a plain JPEG"
STUCK: Final = f"it cannot be read within {PATIENCE_S:.0f} s: copy it to another disk"
CRASHED: Final = "its decoder fails on it: copy it again from where it came, or save it as JPEG or PNG"


class DecodingProcess:
    """Decodes image files in a child process, which is started on first use and serves many images.

    Thread-safe.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.child: subprocess.Popen[bytes] | None = None
        self.patience_s = PATIENCE_S

    def start(self) -> None:
        """Starts the child in advance if there is none; does not wait."""
        with self.lock:
            self.running()

    def decode(self, path: Path, work_px: int) -> tuple[Pixels, int] | str:
        """Pixels (uint8 H×W×3 BGR, upright) and the scale, or the reason why there are none.

        The file is reduced to a half, a quarter or an eighth until no side is longer than `work_px`.
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
                self.kill()  # a late reply would answer another request
                raise

    def close(self) -> None:
        """Stops the child; the next image starts a new one."""
        with self.lock:
            self.kill()

    def running(self) -> subprocess.Popen[bytes]:
        """The child, started if necessary."""
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
        """The reply, retried once if the child had exited before the request."""
        for _ in range(2):
            try:
                return self.asked(request)
            except EOFError:
                if code := self.ended():
                    return TOO_LONG if code == -signal.SIGXCPU else CRASHED
        return CRASHED

    def asked(self, request: bytes) -> tuple[Pixels, int] | str:
        """One request and its reply. Raises EOFError if the child exits, TimeoutError if it hangs."""
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
        """The child's exit code once it has exited; None if there was no child."""
        child, self.child = self.child, None
        if child is None:
            return None
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()
        return child.wait()

    def kill(self) -> None:
        """Kills the child."""
        if self.child is not None:
            self.child.kill()
            self.ended()


def received(pipe: int, whole: Pixels, until_s: float) -> Pixels:
    """Fills a byte array from a pipe. Raises EOFError if the pipe ends early, TimeoutError if it is late."""
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
