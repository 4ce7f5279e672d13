"""What the eye and the table say to each other, as data and as bytes on the pipes of the eye's process.

The eye writes messages to its standard output: a header (mark, length) and JSON, with the picture in base64.
The table writes lessons to the eye's standard input, as lines of JSON; the operator's questions come there
too (child.py), and cannot pass for lessons. All that arrives is bounded and validated like the input of an
untrusted sender.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Final, Literal, Protocol, TypeAlias, runtime_checkable

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, with_config

from games.dice import VALUES, Kind
from hardware.ports import Degraded
from vision.reading import Observation, Settled, Unsettled

LONGEST_EVIDENCE: Final = 256 * 1024
LONGEST_FILM: Final = 360 * 1024
LONGEST_SENTENCE: Final = 200
MOST_DICE: Final = 500
LARGEST_PX: Final = 20_000
FARTHEST_MM: Final = 10_000.0
MOST_TILT_DEG: Final = 90.0
FASTEST_FPS: Final = 10_000.0
MOST_TAUGHT: Final = 40
"""Dice of one throw that are learned from: a line stays shorter than a pipe takes at once."""
HEADER: Final = struct.Struct(">4sI")
MARK: Final = b"EYE7"
LONGEST_JSON: Final = 1024 * 1024
"""Room for MOST_DICE with the longest picture and film, whose base64 takes 4/3 of their bytes."""
STRICT: Final = ConfigDict(
    extra="forbid", strict=True, allow_inf_nan=False, ser_json_bytes="base64", val_json_bytes="base64"
)


def possible(settled: Settled) -> Settled:
    """The message; ValueError if no camera over a tray can have seen this."""
    if len(settled.reading.dice) > MOST_DICE:
        raise ValueError("more dice than any tray holds")
    for die in settled.reading.dice:
        if min(die.box[2:]) <= 0 or min(die.box) < -LARGEST_PX or max(die.box) > LARGEST_PX:
            raise ValueError("not a box")
        if die.position_mm is not None and max(map(abs, die.position_mm)) > FARTHEST_MM:
            raise ValueError("not a position")
        if die.tilt_deg is not None and not 0 <= die.tilt_deg <= MOST_TILT_DEG:
            raise ValueError("not a tilt")
        if die.tilt_error_deg is not None and not 0 <= die.tilt_error_deg <= MOST_TILT_DEG:
            raise ValueError("not the error of a tilt")
    if settled.flight is not None and not 0 <= settled.flight.fps <= FASTEST_FPS:
        raise ValueError("not a rate of frames")
    if len(settled.evidence) > LONGEST_EVIDENCE:
        raise ValueError("too long a picture")
    if len(settled.film) > LONGEST_FILM:
        raise ValueError("too long a film")
    possible_picture(settled.evidence)
    possible_picture(settled.film)
    return settled


def possible_picture(picture: bytes) -> bytes:
    """The picture; ValueError if it is neither a JPEG nor empty."""
    if picture and not picture.startswith(b"\xff\xd8"):
        raise ValueError("no JPEG")
    return picture


def showable(degraded: Degraded) -> Degraded:
    """Returns the message. Raises ValueError if its sentences are not fit for a panel or a log."""
    for text in (degraded.what, degraded.remedy):
        if len(text) > LONGEST_SENTENCE or not text.isprintable():
            raise ValueError("not a sentence")
    return degraded


ShownDegraded = Annotated[Degraded, AfterValidator(showable)]


@dataclass(frozen=True, slots=True)
class Blind:
    """No frame that could be used comes from the camera."""

    degraded: ShownDegraded
    time_s: float


EyeMessage: TypeAlias = Observation | Blind


@dataclass(frozen=True, slots=True)
class Alive:
    """The eye has looked at a die or a frame, or waited for one in vain, and goes on.

    `bad_frames` counts the damaged frames that its camera has sent.
    """

    bad_frames: Annotated[int, Field(ge=0)] = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to the question of this number, and a picture of it, if there is one."""

    number: Annotated[int, Field(ge=1)]
    result: dict[str, Any]
    picture: Annotated[bytes, Field(max_length=LONGEST_EVIDENCE), AfterValidator(possible_picture)] = b""


@dataclass(frozen=True, slots=True)
class OwnDiceHealth:
    """Why the eye cannot use or store what it knows of the table's own dice; None: it can."""

    degraded: ShownDegraded | None


WireMessage: TypeAlias = EyeMessage | Alive | Answer | OwnDiceHealth


class Envelope(BaseModel):
    """A message on the pipe, under the name of its kind; exactly one field is set."""

    model_config = ConfigDict(**STRICT, defer_build=True)

    settled: Annotated[Settled, AfterValidator(possible)] | None = None
    unsettled: Unsettled | None = None
    blind: Blind | None = None
    alive: Alive | None = None
    answer: Answer | None = None
    own_dice: OwnDiceHealth | None = None


KINDS: Final = {
    Settled: "settled",
    Unsettled: "unsettled",
    Blind: "blind",
    Alive: "alive",
    Answer: "answer",
    OwnDiceHealth: "own_dice",
}


class Eye(Protocol):
    """Watches the tray. May be started again after it was stopped."""

    def start(self, news: Callable[[], None] | None = None) -> None:
        """Begins to watch; does nothing if it already does.

        Eyes with a source of events call `news` on the running asyncio loop when there may be some.
        """

    def messages(self) -> Sequence[EyeMessage]:
        """Messages since the last call, in order; does not wait."""

    def stop(self) -> None:
        """Stops watching and lets go of the camera; does nothing if it already has."""


# From the eye.


class BadMessageError(ValueError):
    """The bytes are no message of an eye."""


def encode(message: WireMessage) -> bytes:
    """The message as bytes; a picture or a sentence that is too long is left out or cut."""
    if isinstance(message, Settled) and len(message.evidence) > LONGEST_EVIDENCE:
        message = replace(message, evidence=b"")
    elif isinstance(message, Blind | OwnDiceHealth) and message.degraded is not None:
        cause, remedy = message.degraded.what[:LONGEST_SENTENCE], message.degraded.remedy[:LONGEST_SENTENCE]
        message = replace(message, degraded=Degraded(cause, remedy))
    envelope = Envelope.model_construct(None, **{KINDS[type(message)]: message})
    text = envelope.model_dump_json(exclude_unset=True).encode()
    return HEADER.pack(MARK, len(text)) + text


class Decoder:
    """Assembles messages from chunks of bytes; holds at most one message and the last chunk."""

    def __init__(self) -> None:
        self.buffer = b""

    def feed(self, data: bytes) -> Iterator[WireMessage]:
        """The messages that are complete now; then BadMessageError if what follows is none."""
        self.buffer += data
        while len(self.buffer) >= HEADER.size:
            mark, length = HEADER.unpack_from(self.buffer)
            if mark != MARK or length > LONGEST_JSON:
                raise BadMessageError("not the beginning of a message")
            end = HEADER.size + length
            if len(self.buffer) < end:
                return
            try:
                envelope = Envelope.model_validate_json(self.buffer[HEADER.size : end])
            except ValidationError as error:
                raise BadMessageError(first_fault(error)[:LONGEST_SENTENCE]) from None
            messages = [getattr(envelope, kind) for kind in envelope.model_fields_set]
            if len(messages) != 1 or messages[0] is None:
                raise BadMessageError("not exactly one message")
            self.buffer = self.buffer[end:]
            yield messages[0]


def first_fault(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'message'}: {first['msg']}"


# To the eye.

Count: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]


@dataclass(frozen=True, slots=True)
class TaughtDie:
    """The value of a die that counted, and its number in the reading, from 0.

    `confirmed`: another seat's OK accepted the value; else the reading was sure.
    """

    number: Count
    kind: Kind
    value: Annotated[int, Field(ge=0)]
    confirmed: bool

    def __post_init__(self) -> None:
        if self.value not in VALUES[self.kind]:
            raise ValueError(f"a {self.kind} has no face {self.value}")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A throw was accepted; from the dice that counted and are not in doubt, the eye may learn its own.

    `time_s` is that of the reading, `row` the throw's in the ledger; `seed` names the game, and `revision` is
    the one that the throw led to.
    """

    time_s: float
    row: Count
    seed: Count
    revision: Count
    dice: Annotated[tuple[TaughtDie, ...], Field(max_length=MOST_TAUGHT)]
    lesson: Literal["learn"] = "learn"


@dataclass(frozen=True, slots=True)
class Retraction:
    """The throw that led to this revision of the game was corrected: the eye forgets what it taught."""

    seed: Count
    revision: Count
    lesson: Literal["retract"] = "retract"


Teaching: TypeAlias = Lesson | Retraction


@runtime_checkable
class LearningEye(Protocol):
    """An eye that learns.

    `dice_degraded` is why it cannot use or store what it knows of the table's own dice, None while it can.
    """

    dice_degraded: Degraded | None

    def teach(self, lesson: Teaching) -> bool:
        """Hands over a lesson; False if that is not possible now. Does not wait."""


class BadLessonError(ValueError):
    """The bytes are no lesson."""


@cache
def lessons() -> TypeAdapter[Teaching]:
    for message_type in (TaughtDie, Lesson, Retraction):
        with_config(STRICT)(message_type)
    return TypeAdapter(Annotated[Teaching, Field(discriminator="lesson")])


def encode_lesson(lesson: Teaching) -> bytes:
    return lessons().dump_json(lesson) + b"\n"


def decoded_lesson(line: bytes) -> Teaching:
    """The lesson in a line; BadLessonError if it is none."""
    try:
        return lessons().validate_json(line)
    except ValidationError as error:
        raise BadLessonError(first_fault(error)) from None
