"""The frame codec: golden bytes, round trips, resynchronisation, bounded memory."""

from __future__ import annotations

import random
import sys
from binascii import crc_hqx
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.errors import FrameError
from firmware_bridge.protocol import (
    FrameDecoder,
    decode_frame,
    encode_frame,
)
from tests.firmware_bridge.vectors import rows, unhex

BODIES = st.binary(min_size=1, max_size=62)
# Zeros are what COBS is about, so they are made common.
ZERO_HEAVY = st.lists(st.sampled_from([0, 0, 1, 2, 255]), min_size=1, max_size=62).map(bytes)


def test_crc_is_ibm_3740() -> None:
    assert crc_hqx(b"123456789", 0xFFFF) == 0x29B1  # the check value of the CRC catalogue


@pytest.mark.parametrize(("name", "body", "wire"), rows("frame"))
def test_golden_frame(name: str, body: str, wire: str) -> None:
    assert encode_frame(unhex(body)) == unhex(wire), name
    assert FrameDecoder().feed(unhex(wire)) == [unhex(body)], name


@pytest.mark.parametrize(("name", "wire"), rows("damaged"))
def test_golden_damage(name: str, wire: str) -> None:
    decoder = FrameDecoder()
    assert decoder.feed(unhex(wire)) == [], name
    assert decoder.damaged == 1, name
    assert decoder.feed(encode_frame(b"next")) == [b"next"], name


@given(BODIES | ZERO_HEAVY)
def test_round_trip(body: bytes) -> None:
    wire = encode_frame(body)
    assert wire.index(0) == len(wire) - 1 == len(body) + 3
    assert decode_frame(wire[:-1]) == body


@pytest.mark.parametrize("body", [b"", bytes(63)])
def test_a_body_that_fits_no_frame_is_refused(body: bytes) -> None:
    with pytest.raises(FrameError):
        encode_frame(body)


@given(st.lists(BODIES | ZERO_HEAVY, max_size=8), st.lists(st.integers(0, 600), max_size=8))
def test_cut_anywhere_it_reads_the_same(bodies: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(encode_frame(body) for body in bodies)
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    decoder = FrameDecoder()
    pieces = (stream[a:b] for a, b in pairwise(places))
    assert [body for piece in pieces for body in decoder.feed(piece)] == bodies
    assert decoder.damaged == 0


def test_one_byte_at_a_time() -> None:
    bodies = [bytes([n, 0, 255 - n]) for n in range(100)]
    decoder = FrameDecoder()
    stream = b"".join(encode_frame(body) for body in bodies)
    assert [body for byte in stream for body in decoder.feed(bytes((byte,)))] == bodies


@given(BODIES, BODIES, st.data())
def test_damage_costs_at_most_the_frame_and_the_next(
    first: bytes, second: bytes, data: st.DataObject
) -> None:
    wire = encode_frame(first)
    at = data.draw(st.integers(0, len(wire) - 1))
    byte = data.draw(st.binary(min_size=1, max_size=1))
    before, after_at = wire[:at], wire[at + 1 :]
    damaged = data.draw(
        st.sampled_from([before + after_at, before + byte + wire[at:], before + byte + after_at])
    )
    after = [encode_frame(second), encode_frame(b"third")]
    assert FrameDecoder().feed(damaged + b"".join(after))[-1] == b"third"


@given(st.lists(st.binary(max_size=300), max_size=10))
def test_noise_never_raises_and_the_next_delimiter_heals(noise: list[bytes]) -> None:
    decoder = FrameDecoder()
    for piece in noise:
        decoder.feed(piece)
    decoder.feed(b"\x00")
    assert decoder.feed(encode_frame(b"after")) == [b"after"]


def test_delimiters_alone_are_no_damage() -> None:
    decoder = FrameDecoder()
    assert decoder.feed(b"\x00" * 10 + encode_frame(b"x")) == [b"x"]
    assert decoder.damaged == 0


def test_memory_is_bounded_without_a_delimiter() -> None:
    decoder = FrameDecoder()
    for _ in range(1000):
        decoder.feed(b"\x01" * 1000)
    assert sys.getsizeof(decoder._pending) < 129
    assert decoder.feed(b"\x00" + encode_frame(b"x")) == [b"x"]
    assert decoder.damaged == 1


def test_every_short_burst_of_flipped_bits_is_caught() -> None:
    """A CRC of 16 bits misses no burst of up to 16 bits; COBS must not weaken that for equal lengths."""
    random_ = random.Random(1)
    body = random_.randbytes(20)
    decoded = body + crc_hqx(body, 0xFFFF).to_bytes(2, "big")
    whole = int.from_bytes(decoded, "big")
    for shift in range(len(decoded) * 8 - 16):
        burst = random_.randrange(1, 1 << 16) << shift
        assert crc_hqx((whole ^ burst).to_bytes(len(decoded), "big"), 0xFFFF) != 0
