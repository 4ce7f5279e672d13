"""The eye's messages as bytes on a pipe. What comes in is bounded and checked as if a stranger had sent it.

A message is a header (mark, length of the JSON, length of the picture), the JSON, and the picture.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from dicetable.eye.messages import Blind, EyeMessage, Settled, Unsettled, Why
from games.dice import FACES
from hardware.ports import Trouble
from vision.reading import DieReading, Doubt, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER: Final = struct.Struct(">4sII")
MARK: Final = b"EYE2"
LONGEST_JSON: Final = 128 * 1024
LONGEST_EVIDENCE: Final = 256 * 1024
LONGEST_SENTENCE: Final = 200
MOST_DICE: Final = 500
LARGEST_PX: Final = 20_000
FARTHEST_MM: Final = 10_000.0


@dataclass(frozen=True, slots=True)
class Alive:
    """The eye has looked at a die or a frame, or waited for one in vain, and goes on."""


Sent: TypeAlias = EyeMessage | Alive


class BadMessageError(ValueError):
    """The bytes are no message of an eye."""


def encode(message: Sent) -> bytes:
    """The message as bytes; a picture or a sentence that is too long is left out or cut."""
    evidence = b""
    fields: dict[str, Any]
    match message:
        case Settled(reading, time_s, evidence):
            fields = {"is": "settled", "time_s": time_s, "dice": [listed(die) for die in reading.dice]}
        case Unsettled(why, time_s):
            fields = {"is": "unsettled", "time_s": time_s, "why": why}
        case Blind(trouble, time_s):
            words = [trouble.what[:LONGEST_SENTENCE], trouble.remedy[:LONGEST_SENTENCE]]
            fields = {"is": "blind", "time_s": time_s, "trouble": words}
        case Alive():
            fields = {"is": "alive"}
    if len(evidence) > LONGEST_EVIDENCE:
        evidence = b""
    text = json.dumps(fields).encode()
    return HEADER.pack(MARK, len(text), len(evidence)) + text + evidence


def listed(die: DieReading) -> list[Any]:
    """The fields of a die, in their order."""
    return [die.kind, die.value, die.confidence, die.doubt, list(die.box), die.position_mm, die.tilt_deg]


class Decoder:
    """Puts messages together from pieces; holds at most one message and what was fed last."""

    def __init__(self) -> None:
        self.held = b""

    def feed(self, data: bytes) -> Iterator[Sent]:
        """The messages that are complete now; then BadMessageError if what follows is none."""
        self.held += data
        while len(self.held) >= HEADER.size:
            mark, text_bytes, evidence_bytes = HEADER.unpack_from(self.held)
            if mark != MARK or text_bytes > LONGEST_JSON or evidence_bytes > LONGEST_EVIDENCE:
                raise BadMessageError("not the beginning of a message")
            middle = HEADER.size + text_bytes
            end = middle + evidence_bytes
            if len(self.held) < end:
                return
            message = decoded(self.held[HEADER.size : middle], self.held[middle:end])
            self.held = self.held[end:]
            yield message


def decoded(text: bytes, evidence: bytes) -> Sent:
    """The message; BadMessageError if it is none."""
    try:
        fields = json.loads(text)
        match fields:
            case {"is": "alive", **rest} if not rest and not evidence:
                return Alive()
            case {"is": "settled", "time_s": time_s, "dice": list(dice), **rest} if not rest:
                if len(dice) > MOST_DICE or (evidence and evidence[:2] != b"\xff\xd8"):
                    raise BadMessageError("more dice than any tray holds, or a picture that is no JPEG")
                return Settled(Reading(tuple(map(die, dice))), time(time_s), evidence)
            case {"is": "unsettled", "time_s": time_s, "why": why, **rest} if not rest and not evidence:
                return Unsettled(Why(why), time(time_s))
            case {"is": "blind", "time_s": time_s, "trouble": [str(what), str(remedy)], **rest} if not (
                rest or evidence
            ):
                return Blind(Trouble(sentence(what), sentence(remedy)), time(time_s))
    except (ValueError, TypeError, RecursionError) as error:
        raise BadMessageError(f"no message: {error}"[:LONGEST_SENTENCE]) from None
    raise BadMessageError("no message")


def die(fields: Any) -> DieReading:
    """The die in its fields; ValueError if it cannot be."""
    match fields:
        case [
            kind,
            value,
            float(confidence) | int(confidence),
            None | str() as doubt,
            [x, y, w, h],
            position_mm,
            tilt_deg,
        ]:
            box = (x, y, w, h)
            whole = all(type(part) is int and -LARGEST_PX <= part <= LARGEST_PX for part in box)
            known = kind is None or (type(kind) is str and kind in FACES)
            if whole and w > 0 and h > 0 and known and (value is None or type(value) is int):
                reason = None if doubt is None else Doubt(doubt)
                return DieReading(kind, value, confidence, box, reason, place(position_mm), tilt(tilt_deg))
    raise BadMessageError("not a die")


def place(value: Any) -> tuple[float, float] | None:
    """The position in mm; ValueError if it cannot be one."""
    match value:
        case None:
            return None
        case [float(x), float(y)] if abs(x) <= FARTHEST_MM and abs(y) <= FARTHEST_MM:
            return x, y
    raise BadMessageError("not a position")


def tilt(value: Any) -> float | None:
    """The tilt in degrees; ValueError if it cannot be one."""
    if value is None or (type(value) is float and 0 <= value <= 90):
        return value
    raise BadMessageError("not a tilt")


def time(value: Any) -> float:
    """The time; ValueError if it is none."""
    if type(value) is not float or not math.isfinite(value):
        raise BadMessageError("not a time")
    return value


def sentence(text: str) -> str:
    """The text; ValueError if no panel or log should have to show it."""
    if len(text) > LONGEST_SENTENCE or not text.isprintable():
        raise BadMessageError("not a sentence")
    return text
