"""The firmware's portable parts on this machine: the golden vectors, debouncing, lamps, screen."""

from __future__ import annotations

import ctypes
import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.messages import BoardLampMode
from firmware_bridge.protocol import FrameDecoder, encode_frame
from tests.firmware_bridge.vectors import rows, unhex
from tests.firmware_bridge.world import INPUTS, LAMPS

MAX_ENCODED, MAX_WIRE = 65, 66


class Decoder(ctypes.Structure):
    _fields_ = (
        ("bytes", ctypes.c_uint8 * MAX_ENCODED),
        ("length", ctypes.c_uint8),
        ("damaged", ctypes.c_uint16),
    )


class Debounce(ctypes.Structure):
    _fields_ = (("stable", ctypes.c_uint32), ("differs", ctypes.c_uint8 * INPUTS))


class LampC(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint8) for name in ("mode", "red", "green", "blue"))


class Rgb(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint8) for name in ("red", "green", "blue"))


def encoded(portable: ctypes.CDLL, body: bytes) -> bytes:
    wire = (ctypes.c_uint8 * MAX_WIRE)()
    length = portable.frame_encode(body, ctypes.c_uint8(len(body)), wire)
    return bytes(wire[:length])


def decoded(portable: ctypes.CDLL, decoder: Decoder, data: bytes) -> list[bytes]:
    bodies = []
    for byte in data:
        length = portable.frame_take(ctypes.byref(decoder), ctypes.c_uint8(byte))
        if length:
            bodies.append(bytes(decoder.bytes[:length]))
    return bodies


@pytest.mark.parametrize(("name", "body", "wire"), rows("frame"))
def test_golden_frame(portable: ctypes.CDLL, name: str, body: str, wire: str) -> None:
    assert encoded(portable, unhex(body)) == unhex(wire), name
    assert decoded(portable, Decoder(), unhex(wire)) == [unhex(body)], name


@pytest.mark.parametrize(("name", "wire"), rows("damaged"))
def test_golden_damage(portable: ctypes.CDLL, name: str, wire: str) -> None:
    decoder = Decoder()
    assert decoded(portable, decoder, unhex(wire)) == [], name
    assert decoder.damaged == 1
    assert decoded(portable, decoder, encode_frame(b"next")) == [b"next"]


def test_both_decoders_agree_on_noise(portable: ctypes.CDLL) -> None:
    random = Random(2)
    decoder, model = Decoder(), FrameDecoder()
    for _ in range(3000):
        data = bytearray(encode_frame(random.randbytes(random.randrange(1, 63))))
        for _ in range(random.randrange(3)):
            data[random.randrange(len(data))] = random.choice((0, 1, random.randrange(256)))
        assert decoded(portable, decoder, bytes(data)) == model.feed(bytes(data))
        assert decoder.damaged == model.damaged


@pytest.mark.parametrize(("name", "key", "body"), rows("message"))
def test_golden_check(portable: ctypes.CDLL, name: str, key: str, body: str) -> None:
    whole = unhex(body)
    plain = len(whole) - 4
    room = ctypes.create_string_buffer(whole[:plain], 64)
    portable.check_append(room, ctypes.c_uint8(plain), ctypes.c_uint32(int(key, 16)))
    assert room.raw[: len(whole)] == whole, name
    portable.check_fits.restype = ctypes.c_bool
    assert portable.check_fits(whole, ctypes.c_uint8(len(whole)), ctypes.c_uint32(int(key, 16)))
    assert not portable.check_fits(whole, ctypes.c_uint8(len(whole)), ctypes.c_uint32(int(key, 16) ^ 1))


def test_golden_session_key(portable: ctypes.CDLL) -> None:
    ((_, host, board, version, key),) = rows("key")
    portable.check_session_key.restype = ctypes.c_uint32
    ids = ctypes.c_uint32(int(host, 16)), ctypes.c_uint32(int(board, 16)), ctypes.c_uint8(int(version))
    assert portable.check_session_key(*ids) == int(key, 16)


def samples(portable: ctypes.CDLL, debounce: Debounce, raw: str) -> list[int]:
    """The indices of the samples ("1" pressed) with which input 3 changed."""
    portable.debounce_sample.restype = ctypes.c_uint32
    changed = []
    for n, level in enumerate(raw):
        if portable.debounce_sample(ctypes.byref(debounce), ctypes.c_uint32(int(level) << 3)):
            changed.append(n)
    return changed


def test_a_change_counts_with_its_seventh_sample(portable: ctypes.CDLL) -> None:
    assert samples(portable, Debounce(), "0" * 5 + "1" * 20 + "0" * 20) == [11, 31]


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), max_size=30))
def test_no_bounce_of_six_samples_passes(portable: ctypes.CDLL, bounces: list[tuple[int, int]]) -> None:
    debounce = Debounce()
    assert samples(portable, debounce, "".join("1" * up + "0" * down for up, down in bounces)) == []
    assert samples(portable, debounce, "1" * 20) == [6]
    assert samples(portable, debounce, "".join("0" * down + "1" * up for up, down in bounces)) == []


def test_inputs_are_debounced_apart(portable: ctypes.CDLL) -> None:
    debounce = Debounce()
    portable.debounce_sample.restype = ctypes.c_uint32
    everything = (1 << INPUTS) - 1
    changed = [
        portable.debounce_sample(ctypes.byref(debounce), ctypes.c_uint32(everything)) for _ in range(8)
    ]
    assert changed == [0] * 6 + [everything, 0]
    assert portable.debounce_sample(ctypes.byref(debounce), ctypes.c_uint32(0xFFFFFFFF)) == 0, (
        "25 inputs, not 32"
    )


def rendered(portable: ctypes.CDLL, mode: BoardLampMode, now_ms: int) -> list[tuple[int, int, int]]:
    lamps, shown = (LampC * LAMPS)(), (Rgb * LAMPS)()
    for lamp in lamps:
        lamp.mode, lamp.red, lamp.green, lamp.blue = mode, 255, 100, 1
    portable.lamps_render(lamps, ctypes.c_uint32(now_ms), shown)
    return [(rgb.red, rgb.green, rgb.blue) for rgb in shown]


FULL, NONE = (255, 100, 1), (0, 0, 0)


def test_lamps_off_on_and_blinking(portable: ctypes.CDLL) -> None:
    for now_ms in (0, 499, 500, 999, 1000, 123_456_789):
        assert rendered(portable, BoardLampMode.OFF, now_ms) == [NONE] * LAMPS
        assert rendered(portable, BoardLampMode.ON, now_ms) == [FULL] * LAMPS
        lit = now_ms % 1000 < 500
        assert rendered(portable, BoardLampMode.BLINK, now_ms) == [FULL if lit else NONE] * LAMPS


def test_a_pulse_goes_up_and_down_without_a_jump(portable: ctypes.CDLL) -> None:
    levels = [rendered(portable, BoardLampMode.PULSE, now_ms)[0][0] for now_ms in range(4096)]
    assert levels[:1024] == sorted(levels[:1024])
    assert levels[1024:2048] == levels[:1024][::-1]
    assert levels[2048:] == levels[:2048]
    assert (min(levels), max(levels)) == (0, 255)
    assert max(abs(a - b) for a, b in itertools.pairwise(levels)) == 1


def test_a_chase_lights_one_lamp_after_the_other(portable: ctypes.CDLL) -> None:
    for now_ms in range(0, 128 * 20, 64):
        lit = [n for n, rgb in enumerate(rendered(portable, BoardLampMode.CHASE, now_ms)) if rgb == FULL]
        assert lit == [now_ms // 128 % LAMPS]


def test_colours_are_dimmed_to_the_nearest(portable: ctypes.CDLL) -> None:
    for now_ms in range(0, 2048, 7):
        level, green, blue = rendered(portable, BoardLampMode.PULSE, now_ms)[0]
        assert green == round(100 * level / 255)
        assert blue == round(level / 255)
