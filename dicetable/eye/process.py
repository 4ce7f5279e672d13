"""The eye in a process of its own: it may crash, hang or grow, and the game stays where it is.

The child runs a command that writes messages as in wire.py to its standard output and reads its settings from
its standard input.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.eye.messages import Blind, EyeMessage
from dicetable.eye.supervision import Supervision
from dicetable.eye.wire import Alive, BadMessageError, Decoder, Told
from hardware.ports import Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hardware.ports import Clock

READ_BYTES: Final = 65536
LEAST_READ_BYTES: Final = 4096
"""A read of less counts as so much: being woken for a byte costs as much as for a page."""
MOST_BYTES_A_SECOND: Final = 4 * 2**20
"""A child that says more is of no use. An eye with a picture in every message says a tenth of it."""
MEMORY_EVERY_S: Final = 5.0
AHEAD_S: Final = 1.0
"""A message may not come from further ahead than this, nor from before its child was started."""
MOST_TOLD: Final = 8
"""Answers that wait until somebody takes them; older ones are let go."""
PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")

log = logging.getLogger(__name__)


class ProcessEye:
    """An `Eye` whose work is done by a child process, which is supervised whenever `messages` is called.

    `restarts` counts the children that were lost.
    """

    def __init__(self, command: Sequence[str], settings: bytes, clock: Clock) -> None:
        """`settings` go to the child's standard input, whole: at most what a pipe holds, 64 KB."""
        if len(settings) > READ_BYTES:
            raise ValueError(f"settings of {len(settings)} bytes")
        self.command = tuple(command)
        self.settings = settings
        self.clock = clock
        self.wanted = False
        self.news: Callable[[], None] | None = None
        self.restarts = 0
        self.supervision = Supervision()
        self.decoder = Decoder()
        self.child: subprocess.Popen[bytes] | None = None
        self.dying: list[subprocess.Popen[bytes]] = []
        self.memory_s = 0.0
        self.second_s = 0.0
        self.bytes_in_second = 0
        self.asked = 0
        self.told: dict[int, Told] = {}

    def ask(self, what: str, payload: Mapping[str, Any]) -> int:
        """Asks the child something (questions.py); the question's number, 0 if nobody can be asked now."""
        child = self.child
        if child is None or child.stdin is None:
            return 0
        line = json.dumps({"number": self.asked + 1, "what": what, "payload": payload}).encode() + b"\n"
        try:
            if os.write(child.stdin.fileno(), line) < len(line):
                return 0
        except OSError:
            return 0
        self.asked += 1
        return self.asked

    def answer(self, number: int) -> Told | None:
        """The answer to the question, once; None as long as there is none."""
        return self.told.pop(number, None)

    def start(self, news: Callable[[], None] | None = None) -> None:
        """Begins to watch; does nothing if it already does.

        With `news` the running asyncio loop calls it as soon as the child has said something or is gone.
        """
        if not self.wanted:
            self.wanted = True
            self.news = news
            self.supervision = Supervision()

    def stop(self) -> None:
        """Ends the child; does nothing if there is none."""
        self.wanted = False
        if self.child is not None:
            self.let_go(self.child)

    def messages(self) -> Sequence[EyeMessage]:
        """What is new since the last call, in order; does not wait."""
        now_s = self.clock.now_s()
        self.dying = [child for child in self.dying if child.poll() is None]
        if not self.wanted:
            return []
        if self.child is None:
            if not self.supervision.to_start(now_s):
                return []
            return self.spawn(now_s)
        messages, why = self.heard(self.child, now_s)
        why = why or self.misbehaves(self.child, now_s)
        if why:
            self.lose(self.child, why, now_s)
            messages.append(Blind(Trouble(texts.trouble.EYE_LOST, texts.trouble.EYE_LOST_REMEDY), now_s))
        return messages

    def spawn(self, now_s: float) -> Sequence[EyeMessage]:
        """Starts a child; says so if that is not possible now."""
        self.decoder = Decoder()
        try:
            child = subprocess.Popen(  # noqa: S603 - our own program
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, process_group=0
            )
        except OSError as error:
            log.error("eye=failed error=%r", str(error))
            self.supervision.ended(now_s)
            return [Blind(Trouble(texts.trouble.EYE_LOST, texts.trouble.EYE_LOST_REMEDY), now_s)]
        self.child = child
        self.supervision.started(now_s)
        self.memory_s = now_s + MEMORY_EVERY_S
        if child.stdin is None or child.stdout is None:
            raise ValueError("the child has no pipes")
        os.set_blocking(child.stdout.fileno(), False)
        if self.news is not None:
            asyncio.get_running_loop().add_reader(child.stdout.fileno(), self.news)
        with suppress(OSError):  # it is gone already, which the next look tells
            child.stdin.write(self.settings + b"\n")
        os.set_blocking(child.stdin.fileno(), False)
        log.info("eye=started pid=%d", child.pid)
        return []

    def heard(self, child: subprocess.Popen[bytes], now_s: float) -> tuple[list[EyeMessage], str]:
        """What the child has said, and why it is of no more use, if so."""
        messages: list[EyeMessage] = []
        if child.stdout is None:
            return messages, "has no pipe"
        while not self.too_much(now_s):
            try:
                data = os.read(child.stdout.fileno(), READ_BYTES)
            except BlockingIOError:
                return messages, ""
            except OSError as error:
                return messages, f"cannot be heard: {error}"
            if not data:
                return messages, "ended"
            self.bytes_in_second += max(len(data), LEAST_READ_BYTES)
            waited_s = waited_for_processor_s(child.pid)
            try:
                for message in self.decoder.feed(data):
                    self.supervision.sign(now_s, waited_s)
                    if isinstance(message, Told):
                        self.take(message)
                    elif not isinstance(message, Alive):
                        self.check_time(message.time_s, now_s)
                        messages.append(message)
            except BadMessageError as error:
                return messages, f"said what is no message: {error}"
        return messages, "says more than anybody can hear"

    def take(self, told: Told) -> None:
        """Keeps an answer for whoever asked."""
        self.told[told.number] = told
        while len(self.told) > MOST_TOLD:
            del self.told[next(iter(self.told))]

    def too_much(self, now_s: float) -> bool:
        """Whether the child has said more in this second than anybody can hear."""
        if now_s - self.second_s >= 1.0:
            self.second_s, self.bytes_in_second = now_s, 0
        return self.bytes_in_second > MOST_BYTES_A_SECOND

    def check_time(self, time_s: float, now_s: float) -> None:
        """Raises BadMessageError for a message out of another time."""
        started_s = self.supervision.started_s or 0.0
        if not started_s - AHEAD_S <= time_s <= now_s + AHEAD_S:
            raise BadMessageError(f"from {time_s - now_s:+.1f} s")

    def misbehaves(self, child: subprocess.Popen[bytes], now_s: float) -> str:
        """Why a child that says nothing wrong is of no use; empty if it is."""
        if self.supervision.hangs(now_s, waited_for_processor_s(child.pid)):
            return "hangs"
        if now_s >= self.memory_s:
            self.memory_s = now_s + MEMORY_EVERY_S
            resident = resident_bytes(child.pid)
            if self.supervision.grows(resident):
                return f"has grown to {resident >> 20} MB"
        return ""

    def lose(self, child: subprocess.Popen[bytes], why: str, now_s: float) -> None:
        """Gives the child up; the next one comes by itself."""
        self.let_go(child)
        self.restarts += 1
        self.supervision.ended(now_s)
        code = child.poll()
        log.warning(
            "eye=lost pid=%d why=%r code=%s again_in_s=%.2f", child.pid, why, code, self.supervision.pause_s
        )

    def let_go(self, child: subprocess.Popen[bytes]) -> None:
        """Kills the child, without waiting until it is gone."""
        child.kill()
        if child.stdout is not None:
            if self.news is not None:
                asyncio.get_running_loop().remove_reader(child.stdout.fileno())
            child.stdout.close()
        if child.stdin is not None:
            with suppress(OSError):
                child.stdin.close()
        self.told.clear()
        self.dying.append(child)
        self.child = None


def waited_for_processor_s(pid: int) -> float:
    """How long a process could have run and others did; 0 if it is gone, or the kernel does not tell."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def resident_bytes(pid: int) -> int:
    """How much memory a process has resident; 0 if it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
    except (OSError, ValueError, IndexError):
        return 0
