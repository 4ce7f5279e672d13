"""Questions from the operator page to the eye, answered from the eye's own frames; and the table's lessons.

A question is a line of JSON on the eye's standard input. The work is done in a thread of low priority, while
the eye goes on reading dice; while nobody asks, no frame is copied and nothing is drawn. Lessons (lessons.py)
come the same way and have no answer.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections import deque
from queue import Empty, Full, Queue
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.eye.lessons import decoded_lesson
from dicetable.eye.wire import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dicetable.eye.in_process import InProcessEye
    from dicetable.eye.lessons import Teaching
    from dicetable.eye.wizards import Wizards

    Answer = Callable[[dict[str, Any]], tuple[dict[str, Any], bytes]]

LONGEST_LINE: Final = 4096
MOST_WAITING: Final = 4
NICE: Final = 5
READ_BYTES: Final = 4096

log = logging.getLogger(__name__)


class Questions:
    """Reads questions from a pipe and yields their answers; neither blocks.

    `calibration` is the folder of the rig's calibration, `dice` the file of the table's own dice.
    """

    def __init__(self, source: int, eye: InProcessEye, calibration: Path | None, dice: Path | None) -> None:
        os.set_blocking(source, False)
        self.source = source
        self.eye = eye
        self.calibration = calibration
        self.dice = dice
        self.waiting = b""
        self.jobs: Queue[tuple[int, Answer, dict[str, Any]]] = Queue(MOST_WAITING)
        self.done: deque[Answer] = deque()
        self.wizards: Wizards | None = None
        self.thread: threading.Thread | None = None

    def answers(self) -> Iterator[Answer]:
        """Reads new questions and yields the answers that are ready; to be called often."""
        try:
            self.waiting += os.read(self.source, READ_BYTES)
        except BlockingIOError:
            pass
        except OSError as error:
            log.warning("questions=lost error=%r", str(error))
        *lines, self.waiting = self.waiting.split(b"\n")
        self.waiting = self.waiting[:LONGEST_LINE]
        for line in lines:
            self.take(line)
        if self.wizards is not None and self.eye.newest is not None:
            self.wizards.frame(self.eye.newest)
        while self.done:
            yield self.done.popleft()

    def take(self, line: bytes) -> None:
        """Queues one question; a malformed line is logged."""
        try:
            asked = json.loads(line)
            if "lesson" in asked:
                self.learn(decoded_lesson(line))
                return
            number, what, payload = int(asked["number"]), str(asked["what"]), dict(asked["payload"])
        except (ValueError, KeyError, TypeError) as error:
            log.warning("question=bad error=%r", str(error))
            return
        if self.wizards is None:  # what draws and calibrates is only loaded once somebody asks
            from dicetable.eye.wizards import Wizards

            self.wizards = Wizards(self.eye, self.calibration, self.dice)
            self.thread = threading.Thread(target=self.work, name="questions", daemon=True)
            self.thread.start()
        answer = self.wizards.answers.get(what)
        if answer is None:
            self.done.append(Answer(number, {"error": texts.operator.NOTHING}))
            return
        try:
            self.jobs.put_nowait((number, answer, payload))
        except Full:
            self.done.append(Answer(number, {"error": texts.operator.EYE_BUSY}))

    def learn(self, lesson: Teaching) -> None:
        """Hands a lesson on, if there are own dice to learn of."""
        if self.eye.learns is not None:
            self.eye.learns.put(lesson)

    def work(self) -> None:
        """Answers one question after the other, for ever."""
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        while True:
            try:
                number, answer, payload = self.jobs.get(timeout=60.0)
            except Empty:
                continue
            try:
                result, picture = answer(payload)
            except Exception as error:  # the eye goes on, whatever a question does
                log.exception("question=failed")
                result, picture = {"error": texts.operator.eye_failed(str(error))}, b""
            self.done.append(Answer(number, result, picture))
