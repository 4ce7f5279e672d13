"""Runs long work for the operator page in separate processes, which the table checks once per turn.

This way neither a search in a ledger of years nor the doctor delays a throw. The processes have a low
priority, are few, and are killed when they take too long or nobody waits for them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Final

from dicetable import texts
from dicetable.state.requests import accepted, refused
from dicetable.state.wire import MOST_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dicetable.state.requests import Reply
    from hardware.ports import Clock

AT_ONCE: Final = 2
LONGEST_S: Final = 120.0
NICE: Final = 10


class Programs:
    """Runs modules of this program; their output becomes the body of the reply."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.running = 0

    def run(self, module: str, *arguments: str) -> Iterator[Reply | None]:
        """The output of a module, or a refusal if too many are running."""
        return self.output(["nice", "-n", str(NICE), sys.executable, "-P", "-m", module, *arguments])

    def output(self, command: Sequence[str]) -> Iterator[Reply | None]:
        """None until the process has exited, then the reply."""
        if self.running >= AT_ONCE:
            yield refused(texts.gateway.TABLE_BUSY)
            return
        until_s = self.clock.now_s() + LONGEST_S
        self.running += 1
        child = None
        try:
            with tempfile.TemporaryFile() as out:
                child = subprocess.Popen(  # noqa: S603 - our own program
                    command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL
                )
                while child.poll() is None and self.clock.now_s() < until_s:
                    yield None
                if child.returncode not in (0, 1):  # exit code 1: it found something wrong, and says what
                    yield refused(texts.operator.FAILED if child.returncode else texts.operator.TOO_SLOW)
                    return
                size = out.seek(0, 2)
                out.seek(0)
                yield accepted({}, out.read()) if size <= MOST_BYTES else refused(texts.operator.TOO_MUCH)
        except OSError as error:
            yield refused(texts.operator.eye_failed(error.strerror or str(error)))
        finally:
            self.running -= 1
            if child is not None and child.poll() is None:
                child.kill()
                child.wait()
