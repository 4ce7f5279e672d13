"""The eye in a child process, so that its crash, hang or growth does not affect the game.

The child runs child.py: it reads its settings, questions and lessons from its standard input, and writes
messages (messages.py) to its standard output.
"""

import asyncio
import json
import logging
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from common import texts
from dicetable.eye.messages import (
    Alive,
    Answer,
    BadMessageError,
    Blind,
    Decoder,
    EyeMessage,
    OwnDiceHealth,
    Teaching,
    WireMessage,
    encode_lesson,
)
from hardware.ports import Clock, Degraded

READ_BYTES: Final = 65536
LEAST_READ_BYTES: Final = 4096
"""A shorter read counts as this many bytes, because a wake-up for one byte costs as much as for a page."""
MOST_BYTES_A_SECOND: Final = 4 * 2**20
"""A child that writes more is killed. An eye with a picture in every message writes a tenth of this."""
ANSWERS_A_SECOND: Final = 2**20
LONGEST_ANSWER: Final = 512 * 1024
"""Room for the longest picture in base64, with what is told beside it."""
MOST_ANSWERS: Final = 4 * LONGEST_ANSWER
"""Bytes of answers that are asked for in a second, and at once: no question costs the child its life."""
MEMORY_EVERY_S: Final = 5.0
AHEAD_S: Final = 1.0
"""A message's time may be at most this far in the future, and at most this far before its child's start."""
MOST_UNFETCHED: Final = 8
"""Answers kept until they are fetched; the oldest are dropped."""
PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
STARTING_S: Final = 30.0
"""The longest time from the eye's start to its first sign of life; a slow card takes seconds to load it."""
FRAME_DEADLINE_S: Final = 3.0
"""The longest time between two signs of life. The eye gives one between two dice, so this is about progress:
a machine that takes half a minute for a frame of many dice is slow, and not stuck.

Time that the eye waited for a processor does not count: a busy machine is no hang.
"""
LONGEST_SILENCE_S: Final = 30.0
"""However busy the machine is, an eye that is silent for longer is killed."""
MOST_RESIDENT_BYTES: Final = 400 * 2**20
FIRST_PAUSE_S: Final = 0.25
LONGEST_PAUSE_S: Final = 5.0
PROVEN_S: Final = 2.0
"""An eye that dies later than this after its first sign of life is restarted at once."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Supervision:
    """One child at a time: `started_s` is None while there is none, and the next one starts at `restart_s`.

    `waited_s` is how long the child had waited for a processor by its last sign of life.
    """

    restart_s: float = float("-inf")
    started_s: float | None = None
    first_sign_s: float | None = None
    last_sign_s: float = 0.0
    waited_s: float = 0.0
    pause_s: float = 0.0

    def to_start(self, now_s: float) -> bool:
        return self.started_s is None and now_s >= self.restart_s

    def started(self, now_s: float) -> None:
        self.started_s, self.first_sign_s = now_s, None

    def sign(self, now_s: float, waited_s: float = 0.0) -> None:
        """The child gave a sign of life; it has waited so long for a processor since it was started."""
        self.last_sign_s, self.waited_s = now_s, waited_s
        if self.first_sign_s is None:
            self.first_sign_s = now_s

    def hangs(self, now_s: float, waited_s: float = 0.0) -> bool:
        """Whether the child has missed its deadline, not counting the time it waited for a processor."""
        if self.started_s is None:
            return False
        if self.first_sign_s is None:
            return now_s - self.started_s > STARTING_S
        silent_s = now_s - self.last_sign_s
        return silent_s - (waited_s - self.waited_s) > FRAME_DEADLINE_S or silent_s > LONGEST_SILENCE_S

    def ended(self, now_s: float) -> None:
        """The child is gone: the next one starts at once, or after a pause if this one did not last."""
        proven = self.first_sign_s is not None and now_s - self.first_sign_s >= PROVEN_S
        self.pause_s = 0.0 if proven else min(max(2 * self.pause_s, FIRST_PAUSE_S), LONGEST_PAUSE_S)
        self.started_s = self.first_sign_s = None
        self.restart_s = now_s + self.pause_s


class ProcessEye:
    """An `Eye` whose work is done by a child process, which is supervised whenever `messages` is called.

    `restarts` counts the children that were lost, `bad_frames` the damaged frames that the camera has sent to
    the present one. `dice_degraded` says what is wrong with the files of the table's own dice.
    """

    def __init__(
        self, command: Sequence[str], settings: bytes, clock: Clock, handed: Sequence[int] = ()
    ) -> None:
        """`settings` go to the child's standard input, whole: at most what a pipe holds, 64 KB.

        `handed` are descriptors that each child inherits.
        """
        if len(settings) > READ_BYTES:
            raise ValueError(f"settings of {len(settings)} bytes")
        self.command = tuple(command)
        self.handed = tuple(handed)
        self.settings = settings
        self.clock = clock
        self.wanted = False
        self.news: Callable[[], None] | None = None
        self.restarts = 0
        self.bad_frames = 0
        self.dice_degraded: Degraded | None = None
        self.supervision = Supervision()
        self.decoder = Decoder()
        self.child: subprocess.Popen[bytes] | None = None
        self.dying: list[subprocess.Popen[bytes]] = []
        self.memory_s = 0.0
        self.second_s = 0.0
        self.bytes_in_second = 0
        self.asked = 0
        self.room, self.room_s = float(MOST_ANSWERS), clock.now_s()
        self.unfetched: dict[int, Answer] = {}

    def start(self, news: Callable[[], None] | None = None) -> None:
        """Begins to watch; does nothing if it already does.

        With `news` the running asyncio loop calls it as soon as the child has written something or is gone.
        """
        if not self.wanted:
            self.wanted = True
            self.news = news
            self.supervision = Supervision()

    def stop(self) -> None:
        self.wanted = False
        if self.child is not None:
            self.kill(self.child)

    def ask(self, kind: str, payload: Mapping[str, Any]) -> int:
        """Sends a question (child.py); returns its number, or 0 if it could not be sent.

        It is not sent while the answers that may come could exceed what a child may write in a second.
        """
        now_s = self.clock.now_s()
        self.room = min(MOST_ANSWERS, self.room + ANSWERS_A_SECOND * (now_s - self.room_s))
        self.room_s = now_s
        if self.room < LONGEST_ANSWER:
            return 0
        line = json.dumps({"number": self.asked + 1, "what": kind, "payload": payload}).encode() + b"\n"
        if not self.send(line):
            return 0
        self.asked += 1
        self.room -= LONGEST_ANSWER
        return self.asked

    def answer(self, number: int) -> Answer | None:
        """The answer to the question, once; None until it has come."""
        return self.unfetched.pop(number, None)

    def teach(self, lesson: Teaching) -> bool:
        """Sends a lesson to the child; False if it could not be sent."""
        return self.send(encode_lesson(lesson))

    def send(self, line: bytes) -> bool:
        """Writes a line to the child's standard input; False if that is impossible now. Does not wait."""
        if self.child is None or self.child.stdin is None:
            return False
        try:
            return os.write(self.child.stdin.fileno(), line) == len(line)
        except OSError:
            return False

    def messages(self) -> Sequence[EyeMessage]:
        now_s = self.clock.now_s()
        self.dying = [child for child in self.dying if child.poll() is None]
        if not self.wanted:
            return []
        child = self.child
        if child is None:
            started = not self.supervision.to_start(now_s) or self.spawn(now_s)
            return [] if started else [lost(now_s)]
        messages, why = self.received(child, now_s)
        if not why and self.supervision.hangs(now_s, waited_for_processor_s(child.pid)):
            why = "hangs"
        if not why and now_s >= self.memory_s:
            self.memory_s = now_s + MEMORY_EVERY_S
            resident = resident_bytes(child.pid)
            if resident > MOST_RESIDENT_BYTES:
                why = f"has grown to {resident >> 20} MB"
        if not why:
            return messages
        self.kill(child)
        self.restarts += 1
        self.supervision.ended(now_s)
        pause_s = self.supervision.pause_s
        log.warning("eye=lost pid=%d why=%r code=%s again_in_s=%.2f", child.pid, why, child.poll(), pause_s)
        return [*messages, lost(now_s)]

    def spawn(self, now_s: float) -> bool:
        self.decoder = Decoder()
        self.bad_frames = 0
        try:
            child = subprocess.Popen(  # noqa: S603 - our own program
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                process_group=0,
                pass_fds=self.handed,
            )
        except OSError as error:
            log.error("eye=failed error=%r", str(error))
            self.supervision.ended(now_s)
            return False
        self.child = child
        self.supervision.started(now_s)
        self.memory_s = now_s + MEMORY_EVERY_S
        if child.stdin is None or child.stdout is None:
            raise ValueError("the child has no pipes")
        os.set_blocking(child.stdout.fileno(), False)
        if self.news is not None:
            asyncio.get_running_loop().add_reader(child.stdout.fileno(), self.news)
        with suppress(OSError):  # it is gone already, as the next call of `messages` finds
            child.stdin.write(self.settings + b"\n")
        os.set_blocking(child.stdin.fileno(), False)
        log.info("eye=started pid=%d", child.pid)
        return True

    def received(self, child: subprocess.Popen[bytes], now_s: float) -> tuple[list[EyeMessage], str]:
        """The child's new messages, and why it must be killed (empty if it need not be)."""
        messages: list[EyeMessage] = []
        if child.stdout is None:
            return messages, "has no pipe"
        if now_s - self.second_s >= 1.0:
            self.second_s, self.bytes_in_second = now_s, 0
        while self.bytes_in_second <= MOST_BYTES_A_SECOND:
            try:
                data = os.read(child.stdout.fileno(), READ_BYTES)
            except BlockingIOError:
                return messages, ""
            except OSError as error:
                return messages, f"cannot be read from: {error}"
            if not data:
                return messages, "ended"
            self.bytes_in_second += max(len(data), LEAST_READ_BYTES)
            waited_s = waited_for_processor_s(child.pid)
            try:
                for message in self.decoder.feed(data):
                    self.supervision.sign(now_s, waited_s)
                    if (news := self.take(message, now_s)) is not None:
                        messages.append(news)
            except BadMessageError as error:
                return messages, f"sent what is no message: {error}"
        return messages, "sends more than can be read"

    def take(self, message: WireMessage, now_s: float) -> EyeMessage | None:
        """Stores answers and states; returns news. Raises BadMessageError if its time is impossible."""
        if isinstance(message, Alive):
            self.bad_frames = message.bad_frames
        elif isinstance(message, OwnDiceHealth):
            self.dice_degraded = message.degraded
        elif isinstance(message, Answer):
            self.room = min(MOST_ANSWERS, self.room + LONGEST_ANSWER - 4 * len(message.picture) / 3)
            self.unfetched[message.number] = message
            while len(self.unfetched) > MOST_UNFETCHED:
                del self.unfetched[next(iter(self.unfetched))]
        else:
            earliest_s = (self.supervision.started_s or 0.0) - AHEAD_S
            if not earliest_s <= message.time_s <= now_s + AHEAD_S:
                raise BadMessageError(f"from {message.time_s - now_s:+.1f} s")
            return message
        return None

    def kill(self, child: subprocess.Popen[bytes]) -> None:
        """Kills the child and closes its pipes, without waiting for its exit."""
        child.kill()
        if child.stdout is not None and self.news is not None:
            asyncio.get_running_loop().remove_reader(child.stdout.fileno())
        for pipe in (child.stdout, child.stdin):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self.unfetched.clear()
        self.dice_degraded = None
        self.dying.append(child)
        self.child = None


def lost(now_s: float) -> Blind:
    return Blind(Degraded(texts.health.EYE_LOST, texts.health.EYE_LOST_REMEDY), now_s)


def waited_for_processor_s(pid: int) -> float:
    """Seconds a process was runnable but did not run; 0 if it is gone or the kernel does not say."""
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
