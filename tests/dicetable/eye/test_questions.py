"""Lessons come only from the table: what a browser asks never passes for one."""

from __future__ import annotations

import json
import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from dicetable.eye.child import Questions
from dicetable.eye.messages import Retraction, encode_lesson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dicetable.eye.in_process import InProcessEye
    from dicetable.eye.messages import Teaching


class PipedQuestions:
    """Questions over a pipe, and the lessons that came out of it."""

    def __init__(self) -> None:
        source, self.pipe = os.pipe()
        self.learned: list[Teaching] = []
        self.eye = cast(
            "InProcessEye",
            SimpleNamespace(learns=SimpleNamespace(put=self.learned.append), newest=None),
        )
        self.questions = Questions(source, self.eye, None, None)

    def say(self, line: bytes) -> list[Any]:
        os.write(self.pipe, line)
        return list(self.questions.answers())


@pytest.fixture
def asked() -> Iterator[PipedQuestions]:
    made = PipedQuestions()
    yield made
    os.close(made.pipe)
    os.close(made.questions.source)


def test_a_lesson_is_handed_on_and_has_no_answer(asked: PipedQuestions) -> None:
    lesson = Retraction(7, 3)
    line = encode_lesson(lesson)
    assert asked.say(line[:9]) == []
    assert asked.say(line[9:]) == []
    assert asked.learned == [lesson]
    asked.eye.learns = None
    assert asked.say(line) == []


def test_a_question_never_passes_for_a_lesson(asked: PipedQuestions) -> None:
    lesson = json.loads(encode_lesson(Retraction(7, 3)))
    for what in ("retract", "learn", "lesson"):
        question = {"number": 1, "what": what, "payload": lesson}
        (told,) = asked.say(json.dumps(question).encode() + b"\n")
        assert "error" in told.result
    assert asked.learned == []


@pytest.mark.parametrize("line", [b'{"lesson": "learn"}', b'{"lesson": 1}', b'["lesson"]', b'"lesson"', b"7"])
def test_a_malformed_line_is_logged_and_no_more(
    asked: PipedQuestions, line: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    assert asked.say(line + b"\n") == []
    assert asked.learned == []
    assert "question=bad" in caplog.text
