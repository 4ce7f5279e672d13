"""The firmware's screen.c and a display: it shows the right text from any state, and does not flicker."""

from __future__ import annotations

import ctypes
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.extent import extent
from tests.firmware_bridge.firmware.display import BLANK, Display

if TYPE_CHECKING:
    from collections.abc import Callable

POWER_UP_MS, REFRESH_MS = 50, 2000
TURN_US = 100  # how often the firmware looks whether the display wants a byte, about
WRITING_US = 20_000  # setting up and writing all of it
LINES = ("Six By 6            ", "throw six dice      ", "of 18               ", "- walk   OK = roll +")


class ScreenC(ctypes.Structure):
    _fields_ = (
        ("wanted", ctypes.c_char * 80),
        ("shown", ctypes.c_char * 80),
        ("refresh_at_ms", ctypes.c_uint32),
        ("step", ctypes.c_uint8),
        ("cell", ctypes.c_uint8),
        ("cursor", ctypes.c_uint8),
    )


class ScreenByte(ctypes.Structure):
    _fields_ = (
        ("busy_us", ctypes.c_uint16),
        ("byte", ctypes.c_uint8),
        ("is_data", ctypes.c_bool),
        ("is_nibble", ctypes.c_bool),
    )


class Bench:
    """The screen and the display, with a clock that goes round soon."""

    def __init__(self, portable: ctypes.CDLL) -> None:
        self._c = portable
        self._c.screen_next.restype = ctypes.c_bool
        self._screen, self._byte = ScreenC(), ScreenByte()
        self.display = Display()
        self.us = self._ready_us = 0
        self.seen: list[tuple[int, tuple[str, ...]]] = []
        portable.screen_start(ctypes.byref(self._screen), self._ms)

    @property
    def _ms(self) -> ctypes.c_uint32:
        return ctypes.c_uint32(0xFFFFFFFF - 3000 + self.us // 1000)

    def set_line(self, line: int, text: str) -> None:
        self._c.screen_set_line(ctypes.byref(self._screen), ctypes.c_uint8(line), text.encode())

    def announce(self, text: str) -> None:
        self._c.screen_announce(ctypes.byref(self._screen), text.encode())

    def run(self, us: int) -> None:
        until = self.us + us
        while self.us < until:
            self.us += TURN_US
            if self.us >= self._ready_us:
                self._send()

    def run_until(self, reached: Callable[[], bool], at_most_us: int) -> None:
        until = self.us + at_most_us
        while not reached():
            assert self.us < until, f"not reached within {at_most_us} us"
            self.run(TURN_US)

    def _send(self) -> None:
        if not self._c.screen_next(ctypes.byref(self._screen), ctypes.byref(self._byte), self._ms):
            return
        sent = self._byte
        self._ready_us = self.us + sent.busy_us
        for nibble in [sent.byte & 15] if sent.is_nibble else [sent.byte >> 4, sent.byte & 15]:
            self.display.take(self.us, is_data=sent.is_data, nibble=nibble)
            self.seen.append((self.us, self.display.lines))


@pytest.fixture
def bench(portable: ctypes.CDLL) -> Bench:
    """A display that shows LINES."""
    bench = Bench(portable)
    for line, text in enumerate(LINES):
        bench.set_line(line, text)
    bench.run(POWER_UP_MS * 1000 + WRITING_US)
    assert bench.display.lines == LINES
    return bench


def test_nothing_is_sent_before_the_display_has_started(portable: ctypes.CDLL) -> None:
    bench = Bench(portable)
    bench.run((POWER_UP_MS - 1) * 1000)
    assert bench.seen == []


@settings(max_examples=extent(15, 100))
@given(st.lists(st.tuples(st.integers(0, 3), st.text("abc ", min_size=20, max_size=20)), max_size=12))
def test_the_screen_brings_the_display_to_the_wanted_text(
    portable: ctypes.CDLL, writes: list[tuple[int, str]]
) -> None:
    bench = Bench(portable)
    bench.run(POWER_UP_MS * 1000)
    wanted = [" " * 20] * 4
    for n, (line, text) in enumerate(writes):
        bench.set_line(line, text)
        wanted[line] = text
        bench.run(n * 5 * TURN_US)  # the next line may come while this one is being written
    bench.run(WRITING_US)
    assert list(bench.display.lines) == wanted
    bench.seen.clear()
    bench.run((REFRESH_MS - POWER_UP_MS) * 1000 // 2)
    assert bench.seen == [], "it is at rest until the next refresh"
    assert bench.display.too_fast == 0


def test_an_announcement_is_alone_and_centred(bench: Bench) -> None:
    bench.announce("host lost")
    bench.run(WRITING_US)
    assert bench.display.lines == (BLANK[0], "     host lost      ", BLANK[0], BLANK[0])


def heals(bench: Bench) -> None:
    bench.run(REFRESH_MS * 1000 + WRITING_US)
    assert bench.display.lines == LINES


def test_a_display_that_lost_power_for_a_moment_heals(bench: Bench) -> None:
    bench.display.lose_power()
    assert bench.display.lines != LINES
    heals(bench)


def test_a_slipped_nibble_heals(bench: Bench) -> None:
    bench.display.slip()
    bench.set_line(1, "this comes garbled  ")
    bench.run(WRITING_US)
    assert bench.display.lines[1] != "this comes garbled  "
    bench.set_line(1, LINES[1])
    heals(bench)


def test_a_shifted_display_heals(bench: Bench) -> None:
    bench.display.shift()
    assert bench.display.lines != LINES
    heals(bench)


@pytest.mark.parametrize("seed", range(extent(15, 50)))
def test_a_display_in_any_state_heals(bench: Bench, seed: int) -> None:
    random = Random(seed)
    bench.run(random.randrange(REFRESH_MS * 1000))
    bench.display.garble(random)
    heals(bench)


def test_a_display_that_is_well_does_not_flicker(bench: Bench) -> None:
    """Over many refreshes it shows nothing else for longer than a third of a row's turn of 0.74 ms."""
    bench.seen.clear()
    bench.run(5 * REFRESH_MS * 1000)
    assert len(bench.seen) > 5 * 160
    assert bench.display.clears == 0
    other_us = 0
    for (us, lines), (next_us, _) in zip(bench.seen, bench.seen[1:], strict=False):
        other_us += (next_us - us) * (lines != LINES)
    assert 0 < other_us / 5 < 600
    assert {lines for _, lines in bench.seen} <= {LINES, (LINES[0], BLANK[1], LINES[2], BLANK[3])}


def test_a_new_text_during_a_refresh_comes_with_it(bench: Bench) -> None:
    bench.seen.clear()
    bench.run_until(lambda: bool(bench.seen), REFRESH_MS * 1000)
    bench.set_line(2, "changed meanwhile   ")
    bench.run(WRITING_US)
    assert bench.display.lines == (*LINES[:2], "changed meanwhile   ", LINES[3])
