"""The eye's messages as bytes on a pipe. Input is bounded and validated like that of an untrusted sender.

A message is a header (mark, length of the JSON) and the JSON, with the picture in base64.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, with_config
from vision.observation import Settled, Unsettled

from dicetable.eye.messages import (
    LONGEST_EVIDENCE,
    LONGEST_SENTENCE,
    Blind,
    EyeMessage,
    possible_evidence,
    showable,
)
from hardware.ports import Degraded

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER: Final = struct.Struct(">4sI")
MARK: Final = b"EYE5"
LONGEST_JSON: Final = 512 * 1024
"""Room for MOST_DICE with the longest picture, whose base64 takes 4/3 of its bytes."""
STRICT: Final = ConfigDict(
    extra="forbid", strict=True, allow_inf_nan=False, ser_json_bytes="base64", val_json_bytes="base64"
)


@dataclass(frozen=True, slots=True)
class Alive:
    """The eye has looked at a die or a frame, or waited for one in vain, and goes on.

    `bad_frames` counts the damaged frames that its camera has sent.
    """

    bad_frames: Annotated[int, Field(ge=0)] = 0
    message: Literal["alive"] = "alive"


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to the question of this number: what was asked for, and a picture of it, if there is one."""

    number: Annotated[int, Field(ge=1)]
    result: dict[str, Any]
    picture: Annotated[bytes, Field(max_length=LONGEST_EVIDENCE), AfterValidator(possible_evidence)] = b""
    message: Literal["told"] = "told"


@dataclass(frozen=True, slots=True)
class OwnDiceHealth:
    """Why the eye cannot use or keep what it knows of the table's own dice; None: it can."""

    degraded: Annotated[Degraded, AfterValidator(showable)] | None
    message: Literal["own_dice"] = "own_dice"


WireMessage: TypeAlias = EyeMessage | Alive | Answer | OwnDiceHealth


class BadMessageError(ValueError):
    """The bytes are no message of an eye."""


@cache
def adapter() -> TypeAdapter[WireMessage]:
    """Validates messages from JSON and serializes them to it."""
    for each in (Settled, Unsettled, Blind, Alive, Answer, OwnDiceHealth):
        with_config(STRICT)(each)
    return TypeAdapter(Annotated[WireMessage, Field(discriminator="message")])


def encode(message: WireMessage) -> bytes:
    """The message as bytes; a picture or a sentence that is too long is left out or cut."""
    if isinstance(message, Settled) and len(message.evidence) > LONGEST_EVIDENCE:
        message = replace(message, evidence=b"")
    elif isinstance(message, Blind):
        message = replace(message, degraded=shortened(message.degraded))
    elif isinstance(message, OwnDiceHealth):
        message = OwnDiceHealth(message.degraded and shortened(message.degraded))
    text = adapter().dump_json(message)
    return HEADER.pack(MARK, len(text)) + text


def shortened(degraded: Degraded) -> Degraded:
    """The same with sentences that are not too long for a message."""
    return Degraded(degraded.what[:LONGEST_SENTENCE], degraded.remedy[:LONGEST_SENTENCE])


class Decoder:
    """Assembles messages from chunks of bytes; holds at most one message and the last chunk."""

    def __init__(self) -> None:
        self.held = b""

    def feed(self, data: bytes) -> Iterator[WireMessage]:
        """The messages that are complete now; then BadMessageError if what follows is none."""
        self.held += data
        while len(self.held) >= HEADER.size:
            mark, length = HEADER.unpack_from(self.held)
            if mark != MARK or length > LONGEST_JSON:
                raise BadMessageError("not the beginning of a message")
            end = HEADER.size + length
            if len(self.held) < end:
                return
            message = decoded(self.held[HEADER.size : end])
            self.held = self.held[end:]
            yield message


def decoded(text: bytes) -> WireMessage:
    """The message; BadMessageError if it is none."""
    try:
        return adapter().validate_json(text)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise BadMessageError(f"{where or 'message'}: {first['msg']}"[:LONGEST_SENTENCE]) from None
