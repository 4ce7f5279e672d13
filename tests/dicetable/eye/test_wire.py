from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicetable.eye.messages import Blind, Settled, Unsettled, Why
from dicetable.eye.wire import (
    HEADER,
    LONGEST_EVIDENCE,
    LONGEST_JSON,
    MARK,
    Alive,
    BadMessageError,
    Decoder,
    Sent,
    encode,
)
from games.dice import FACES
from hardware.ports import Trouble
from vision.reading import DieReading, Doubt, Reading

times = st.floats(0, 1e9)
boxes = st.tuples(st.integers(-50, 4000), st.integers(-50, 4000), st.integers(1, 900), st.integers(1, 900))


@st.composite
def dice(draw: st.DrawFn) -> DieReading:
    kind = draw(st.sampled_from([None, *FACES]))
    value = draw(st.none() | st.integers(1, FACES[kind])) if kind else None
    doubt = draw(st.sampled_from(Doubt)) if value is None else draw(st.sampled_from([None, *Doubt]))
    mm = st.floats(-500, 500)
    position_mm, tilt_deg = draw(st.none() | st.tuples(mm, mm)), draw(st.none() | st.floats(0, 90))
    return DieReading(kind, value, draw(st.floats(0, 1)), draw(boxes), doubt, position_mm, tilt_deg)


readings = st.lists(dice(), max_size=6).map(lambda dice: Reading(tuple(dice)))
pictures = st.binary(max_size=2000).map(lambda data: b"\xff\xd8" + data) | st.just(b"")
words = st.text("abc é°.,:", max_size=200)
messages: st.SearchStrategy[Sent] = (
    st.builds(Settled, readings, times, pictures)
    | st.builds(Unsettled, st.sampled_from(Why), times)
    | st.builds(Blind, st.builds(Trouble, words, words), times)
    | st.just(Alive())
)


@settings(max_examples=40)
@given(st.lists(messages, max_size=5), st.integers(1, 50))
def test_messages_arrive_as_they_were_sent_however_cut(sent: list[Sent], piece: int) -> None:
    data = b"".join(map(encode, sent))
    decoder = Decoder()
    got = [message for at in range(0, len(data), piece) for message in decoder.feed(data[at : at + piece])]
    assert got == sent
    assert decoder.held == b""


@settings(max_examples=40)
@given(st.lists(messages, min_size=1, max_size=3), st.data())
def test_a_changed_byte_is_no_message_or_another_one_but_no_crash(
    sent: list[Sent], data: st.DataObject
) -> None:
    sound = bytearray(b"".join(map(encode, sent)))
    at = data.draw(st.integers(0, len(sound) - 1))
    sound[at] ^= data.draw(st.integers(1, 255))
    decoder = Decoder()
    with contextlib.suppress(BadMessageError):
        list(decoder.feed(bytes(sound)))
    assert len(decoder.held) <= len(sound)


@given(st.binary(min_size=HEADER.size, max_size=300))
def test_noise_is_refused(noise: bytes) -> None:
    if noise[:4] != MARK:
        with pytest.raises(BadMessageError):
            list(Decoder().feed(noise))


@pytest.mark.parametrize("sizes", [(LONGEST_JSON + 1, 0), (10, LONGEST_EVIDENCE + 1), (2**32 - 1, 2**32 - 1)])
def test_nothing_is_kept_for_a_message_that_is_too_long(sizes: tuple[int, int]) -> None:
    decoder = Decoder()
    with pytest.raises(BadMessageError):
        list(decoder.feed(HEADER.pack(MARK, *sizes)))
    assert len(decoder.held) == HEADER.size


SETTLED = {"is": "settled", "time_s": 1.0, "dice": []}
DIE = ["d6", 4, 0.9, None, [1, 2, 3, 4], None, None]


@pytest.mark.parametrize(
    "fields",
    [
        [],
        {},
        {"is": "gossip"},
        {"is": "alive", "more": 1},
        SETTLED | {"time_s": float("nan")},
        SETTLED | {"time_s": "now"},
        SETTLED | {"dice": [DIE] * 501},
        SETTLED | {"dice": [["d6", 7, *DIE[2:]]]},
        SETTLED | {"dice": [["d7", 4, *DIE[2:]]]},
        SETTLED | {"dice": [["d6", True, *DIE[2:]]]},
        SETTLED | {"dice": [["d6", 4, float("nan"), *DIE[3:]]]},
        SETTLED | {"dice": [["d6", 4, 1.5, *DIE[3:]]]},
        SETTLED | {"dice": [["d6", None, *DIE[2:]]]},
        SETTLED | {"dice": [[*DIE[:4], [1, 2, 0, 4], None, None]]},
        SETTLED | {"dice": [[*DIE[:4], [1, 2, 10**9, 4], None, None]]},
        SETTLED | {"dice": [DIE[:-1]]},
        SETTLED | {"dice": [[*DIE[:3], "bored", *DIE[4:]]]},
        SETTLED | {"dice": [[*DIE[:3], True, *DIE[4:]]]},
        SETTLED | {"dice": [[*DIE[:5], [1.0], None]]},
        SETTLED | {"dice": [[*DIE[:5], [1.0, 1e9], None]]},
        SETTLED | {"dice": [[*DIE[:5], [1.0, float("nan")], None]]},
        SETTLED | {"dice": [[*DIE[:-1], 0]]},
        SETTLED | {"dice": [[*DIE[:-1], 91.0]]},
        SETTLED | {"dice": [[*DIE[:-1], float("nan")]]},
        SETTLED | {"dice": [[["d6"], 4, *DIE[2:]]]},
        {"is": "unsettled", "time_s": 1.0, "why": "bored"},
        {"is": "blind", "time_s": 1.0, "trouble": ["x" * 201, ""]},
        {"is": "blind", "time_s": 1.0, "trouble": ["a\x1b[2J", ""]},
        {"is": "blind", "time_s": 1.0, "trouble": ["a\nb", ""]},
    ],
)
def test_what_no_eye_says_is_refused(fields: Any) -> None:
    text = json.dumps(fields).encode()
    with pytest.raises(BadMessageError):
        list(Decoder().feed(HEADER.pack(MARK, len(text), 0) + text))


def test_a_picture_that_is_too_long_is_left_out() -> None:
    sent = Settled(Reading(()), 1.0, b"\xff\xd8" * LONGEST_EVIDENCE)
    assert list(Decoder().feed(encode(sent))) == [Settled(Reading(()), 1.0, b"")]
