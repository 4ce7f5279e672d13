"""What the table tells the eye of its own dice: which readings counted, and which throws were corrected.

A lesson is a line of JSON on the eye's standard input. Only the table writes there: whatever a browser asks
of the eye is wrapped into a question (questions.py) and cannot pass for a lesson.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal, Protocol, TypeAlias, runtime_checkable

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config

from games.dice import FACES, Kind
from hardware.ports import Degraded

LESSON_STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
MOST_TAUGHT = 40
"""Dice of one throw that are learned from: a line stays shorter than a pipe takes at once."""

Count: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]


@dataclass(frozen=True, slots=True)
class TaughtDie:
    """The value of a die that counted.

    Attributes:
        number: of the die in the reading, from 0.
        kind, value: what it showed.
        confirmed: another seat's OK accepted the value; else the reading was sure.
    """

    number: Count
    kind: Kind
    value: Annotated[int, Field(ge=1)]
    confirmed: bool

    def __post_init__(self) -> None:
        if self.value > FACES[self.kind]:
            raise ValueError(f"a {self.kind} has no face {self.value}")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A throw was accepted.

    Attributes:
        time_s: that of the reading it was accepted from.
        row: its row in the ledger.
        seed: that of its game.
        revision: the revision of the game that it led to.
        dice: those that counted and are not in doubt.
    """

    time_s: float
    row: Count
    seed: Count
    revision: Count
    dice: Annotated[tuple[TaughtDie, ...], Field(max_length=MOST_TAUGHT)]
    lesson: Literal["learn"] = "learn"


@dataclass(frozen=True, slots=True)
class Retraction:
    """The throw that led to this revision of the game was corrected: nothing learned from it stays."""

    seed: Count
    revision: Count
    lesson: Literal["retract"] = "retract"


Teaching: TypeAlias = Lesson | Retraction


class BadLessonError(ValueError):
    """The bytes are no lesson."""


@runtime_checkable
class LearningEye(Protocol):
    """An eye that learns.

    `dice_degraded` is why it cannot use or keep what it knows of the table's own dice, None while it can.
    """

    dice_degraded: Degraded | None

    def teach(self, lesson: Teaching) -> bool:
        """Hands over a lesson; False if that is not possible now. Does not wait."""


@cache
def lesson_adapter() -> TypeAdapter[Teaching]:
    """Validates lessons from JSON and serializes them to it."""
    for each in (TaughtDie, Lesson, Retraction):
        with_config(LESSON_STRICT)(each)
    return TypeAdapter(Annotated[Teaching, Field(discriminator="lesson")])


def encode_lesson(lesson: Teaching) -> bytes:
    """The lesson as a line."""
    return lesson_adapter().dump_json(lesson) + b"\n"


def decoded_lesson(line: bytes) -> Teaching:
    """The lesson in a line; BadLessonError if it is none."""
    try:
        return lesson_adapter().validate_json(line)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise BadLessonError(f"{where or 'lesson'}: {first['msg']}") from None
