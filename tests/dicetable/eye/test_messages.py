from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicetable.eye.messages import (
    HEADER,
    MARK,
    Alive,
    BadMessageError,
    Blind,
    Decoder,
    WireMessage,
    encode,
)
from games.dice import VALUES
from hardware.ports import Degraded
from vision.reading import Arrival, DieReading, Doubt, Flight, Reading, Reason, Settled, Unsettled

times = st.floats(0, 1e9)
boxes = st.tuples(st.integers(-50, 4000), st.integers(-50, 4000), st.integers(1, 900), st.integers(1, 900))


@st.composite
def dice(draw: st.DrawFn) -> DieReading:
    kind = draw(st.sampled_from([None, *VALUES]))
    value = draw(st.none() | st.sampled_from(VALUES[kind])) if kind else None
    doubt = draw(st.sampled_from(Doubt)) if value is None else draw(st.sampled_from([None, *Doubt]))
    mm = st.floats(-500, 500)
    position_mm, degrees = draw(st.none() | st.tuples(mm, mm)), st.none() | st.floats(0, 90)
    die = DieReading(kind, value, draw(st.floats(0, 1)), draw(boxes), doubt, position_mm, draw(degrees))
    return replace(die, tilt_error_deg=draw(degrees))


readings = st.lists(dice(), max_size=6).map(lambda dice: Reading(tuple(dice)))
pictures = st.binary(max_size=2000).map(lambda data: b"\xff\xd8" + data) | st.just(b"")
words = st.text("abc é°.,:", max_size=200)
flights = st.builds(Flight, st.tuples(), st.booleans(), st.booleans(), st.floats(0, 240))


@st.composite
def settled_dice(draw: st.DrawFn) -> Settled:
    reading = draw(readings)
    arrivals = tuple(draw(st.sampled_from(Arrival)) for _ in reading.dice)
    anew = draw(st.just(()) | st.just(tuple(draw(st.booleans()) for _ in reading.dice)))
    flight = draw(st.none() | flights.map(lambda flight: replace(flight, arrivals=arrivals, anew=anew)))
    return Settled(reading, draw(times), draw(pictures), flight, draw(st.booleans()), draw(st.booleans()))


messages: st.SearchStrategy[WireMessage] = (
    settled_dice()
    | st.builds(Unsettled, st.sampled_from(Reason), times)
    | st.builds(Blind, st.builds(Degraded, words, words), times)
    | st.builds(Alive, st.integers(0, 10**9))
)


@settings(max_examples=40)
@given(st.lists(messages, max_size=5), st.integers(1, 50))
def test_messages_arrive_as_they_were_sent_however_cut(sent: list[WireMessage], piece: int) -> None:
    data = b"".join(map(encode, sent))
    decoder = Decoder()
    got = [message for at in range(0, len(data), piece) for message in decoder.feed(data[at : at + piece])]
    assert got == sent
    assert decoder.buffer == b""


@settings(max_examples=40)
@given(st.lists(messages, min_size=1, max_size=3), st.data())
def test_a_changed_byte_is_no_message_or_another_one_but_no_crash(
    sent: list[WireMessage], data: st.DataObject
) -> None:
    sound = bytearray(b"".join(map(encode, sent)))
    at = data.draw(st.integers(0, len(sound) - 1))
    sound[at] ^= data.draw(st.integers(1, 255))
    decoder = Decoder()
    with contextlib.suppress(BadMessageError):
        list(decoder.feed(bytes(sound)))
    assert len(decoder.buffer) <= len(sound)


@given(st.binary(min_size=HEADER.size, max_size=300))
def test_noise_is_refused(noise: bytes) -> None:
    if noise[:4] != MARK:
        with pytest.raises(BadMessageError):
            list(Decoder().feed(noise))


@pytest.mark.parametrize("length", [1_048_577, 2**32 - 1])
def test_nothing_is_kept_for_a_message_that_is_too_long(length: int) -> None:
    decoder = Decoder()
    with pytest.raises(BadMessageError):
        list(decoder.feed(HEADER.pack(MARK, length)))
    assert len(decoder.buffer) == HEADER.size


DIE = {
    "kind": "d6",
    "value": 4,
    "confidence": 0.9,
    "box": [1, 2, 3, 4],
    "doubt": None,
    "position_mm": None,
    "tilt_deg": None,
}
FLIGHT = {"arrivals": ["thrown"], "knocked": False, "interfered": False, "fps": 30.0}


def blind(what: str, remedy: str) -> dict[str, Any]:
    return {"blind": {"time_s": 1.0, "degraded": {"what": what, "remedy": remedy}}}


def settled(*dice: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"settled": {"time_s": 1.0, "reading": {"dice": dice}} | fields}


def heard(text: bytes) -> list[WireMessage]:
    return list(Decoder().feed(HEADER.pack(MARK, len(text)) + text))


def test_what_the_refused_messages_differ_from_is_taken() -> None:
    reading = Reading((DieReading("d6", 4, 0.9, (1, 2, 3, 4)),))
    assert heard(json.dumps(settled(DIE)).encode()) == [Settled(reading, 1.0)]
    flight = Flight((Arrival.THROWN,), fps=30.0)
    assert heard(json.dumps(settled(DIE, flight=FLIGHT)).encode()) == [Settled(reading, 1.0, flight=flight)]
    assert heard(json.dumps(blind("x" * 200, "")).encode()) == [Blind(Degraded("x" * 200, ""), 1.0)]


@pytest.mark.parametrize(
    "fields",
    [
        [],
        {},
        {"gossip": {}},
        {"alive": {"more": 1}},
        {"alive": {}, "own_dice": {"degraded": None}},
        {"alive": {}, "gossip": {}},
        {"own_dice": {}},
        {"settled": None},
        {"own_dice": {"degraded": {"what": "no\n", "remedy": "sentence"}}},
        settled(time_s=float("nan")),
        settled(time_s="now"),
        settled(time_s=True),
        settled(more=1),
        settled(reading={"dice": [], "more": 1}),
        settled(reading=None),
        settled(evidence="AAAA"),  # no JPEG
        settled(evidence="?"),
        settled(evidence="_9g" + "A" * 349_525),
        settled(*[DIE] * 501),
        settled(DIE | {"value": 7}),
        settled(DIE | {"kind": "d7"}),
        settled(DIE | {"kind": ["d6"]}),
        settled(DIE | {"value": True}),
        settled(DIE | {"value": 4.0}),
        settled(DIE | {"value": None}),
        settled(DIE | {"confidence": float("nan")}),
        settled(DIE | {"confidence": 1.5}),
        settled(DIE | {"box": [1, 2, 0, 4]}),
        settled(DIE | {"box": [1, 2, 10**9, 4]}),
        settled(DIE | {"box": [-(10**9), 2, 3, 4]}),
        settled(DIE | {"box": [1, 2, 3]}),
        settled({name: field for name, field in DIE.items() if name != "confidence"}),
        settled(DIE | {"more": 1}),
        settled(DIE | {"doubt": "bored"}),
        settled(DIE | {"doubt": True}),
        settled(DIE | {"position_mm": [1.0]}),
        settled(DIE | {"position_mm": [1.0, 1e9]}),
        settled(DIE | {"position_mm": [1.0, float("nan")]}),
        settled(DIE | {"tilt_deg": "flat"}),
        settled(DIE | {"tilt_deg": 91.0}),
        settled(DIE | {"tilt_deg": -1.0}),
        settled(DIE | {"tilt_deg": float("nan")}),
        settled(DIE | {"tilt_error_deg": 91.0}),
        settled(DIE | {"tilt_error_deg": -1.0}),
        settled(DIE, flight=FLIGHT | {"arrivals": []}),
        settled(DIE, flight=FLIGHT | {"anew": [True, True]}),
        settled(DIE, flight=FLIGHT | {"arrivals": ["flew"]}),
        settled(DIE, flight=FLIGHT | {"knocked": 1}),
        settled(DIE, flight=FLIGHT | {"fps": 1e9}),
        settled(DIE, flight=FLIGHT | {"fps": -1.0}),
        settled(DIE, flight=FLIGHT | {"more": 1}),
        settled(DIE, flight=["thrown"]),
        {"unsettled": {"time_s": 1.0, "reason": "bored"}},
        blind("x" * 201, ""),
        blind("a\x1b[2J", ""),
        blind("", "a\nb"),
    ],
)
def test_what_no_eye_says_is_refused(fields: Any) -> None:
    with pytest.raises(BadMessageError):
        heard(json.dumps(fields).encode())


@pytest.mark.parametrize("text", [b"", b"\xff", b"[" * 100_000, b'{"alive":{}} '[:-2]])
def test_what_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(BadMessageError):
        heard(text)


def test_a_picture_that_is_too_long_is_left_out() -> None:
    sent = Settled(Reading(()), 1.0, b"\xff\xd8" * 262_144)
    assert list(Decoder().feed(encode(sent))) == [Settled(Reading(()), 1.0, b"")]


def test_a_sentence_that_is_too_long_is_cut() -> None:
    sent = Blind(Degraded("x" * 300, "y" * 300), 1.0)
    assert list(Decoder().feed(encode(sent))) == [Blind(Degraded("x" * 200, "y" * 200), 1.0)]


def test_the_most_dice_with_the_longest_picture_are_a_message() -> None:
    mm = -123.45678901234567
    die = DieReading("d20", None, 0.1 + 0.2, (-12345,) * 2 + (12345,) * 2, Doubt.LIKE_ANOTHER_FACE, (mm, mm))
    picture = b"\xff\xd8".ljust(262_144, b"\xff")
    sent = Settled(
        Reading((replace(die, tilt_deg=-mm / 2, tilt_error_deg=-mm / 2),) * 500),
        123456.78901234567,
        picture,
    )
    sent = replace(sent, flight=Flight((Arrival.HANDLED,) * 500, fps=1 / 3, anew=(False,) * 500))
    assert list(Decoder().feed(encode(sent))) == [sent]
