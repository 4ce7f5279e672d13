"""The real firmware on a simulated ATmega328P: buttons in at the pins, lamps and text out of them."""

from __future__ import annotations

import itertools
from functools import partial
from random import Random
from typing import TYPE_CHECKING

import pytest

from firmware_bridge.host_session import InputsReported, LossCause, Lost
from firmware_bridge.messages import BoardLamp, BoardLampMode, ResetCause
from tests.extent import extent
from tests.firmware_bridge import damage
from tests.firmware_bridge.world import INPUTS, LAMPS

if TYPE_CHECKING:
    from tests.firmware_bridge.firmware.simulation import SimulatedPanel

COLOURS = tuple((10 * n, 255 - n, n) for n in range(LAMPS))
STEADY = tuple(BoardLamp(BoardLampMode.ON, *colour) for colour in COLOURS)
LINES = ("Six By 6            ", "throw six dice      ", "                    ", "- walk   OK = roll +")
DARK = ((0, 0, 0),) * LAMPS


def test_it_says_what_it_is(panel: SimulatedPanel) -> None:
    panel.settle()
    board = panel.host.board
    assert board is not None
    assert (board.board_id, board.inputs, board.lamps) == ("dicetable-25x9", INPUTS, LAMPS)
    assert panel.display.too_fast == 0


def test_without_a_host_it_says_so(panel: SimulatedPanel) -> None:
    panel.connected = False
    panel.run(100_000)
    assert panel.display.lines[1].strip() == "no host yet"
    assert panel.lamps[-1].colours == DARK


def test_every_button_arrives_once_pressed_and_once_released(panel: SimulatedPanel) -> None:
    panel.settle()
    for which in range(INPUTS):
        panel.press(which)
        panel.run(12_000)
        panel.release(which)
        panel.run(12_000)
    panel.run(20_000)
    assert panel.changes == [(which, pressed) for which in range(INPUTS) for pressed in (True, False)]
    assert panel.lost == 0


def test_all_buttons_at_once(panel: SimulatedPanel) -> None:
    panel.settle()
    for which in range(INPUTS):
        panel.press(which)
    panel.run(80_000)
    assert panel.changes == [(which, True) for which in range(INPUTS)]


@pytest.mark.parametrize("seed", range(extent(1, 3)))
def test_bounce_of_five_milliseconds_is_one_event(panel: SimulatedPanel, seed: int) -> None:
    random = Random(seed)
    panel.settle()
    for pressed in (True, False) * 3:
        bounces = sorted(random.sample(range(5000), random.randrange(2, 40) * 2))
        for n, in_us in enumerate(bounces):
            panel.move(4, pressed=pressed ^ (n % 2 == 1), in_us=in_us)
        panel.move(4, pressed=pressed, in_us=5000)
        panel.run(30_000)
    assert panel.changes == [(4, True), (4, False)] * 3


def test_a_spike_of_five_milliseconds_is_no_event(panel: SimulatedPanel) -> None:
    panel.settle()
    for start in range(0, 100_000, 10_000):
        panel.move(9, pressed=True, in_us=start)
        panel.move(9, pressed=False, in_us=start + 4_950)
    panel.run(130_000)
    assert panel.changes == []


def test_lamps_and_text_come_out_of_the_pins(panel: SimulatedPanel) -> None:
    panel.show(STEADY, LINES)
    panel.settle()
    assert panel.lamps[-1].colours == COLOURS
    assert set(panel.lamps[-1].brightness) == {12}
    assert panel.display.lines == LINES
    changed = (LINES[0], "throw them again    ", *LINES[2:])
    panel.show(STEADY[::-1], changed)
    panel.run(40_000)
    assert panel.lamps[-1].colours == COLOURS[::-1]
    assert panel.display.lines == changed
    assert panel.display.too_fast == 0


@pytest.mark.slow
def test_lamps_animate_by_themselves(panel: SimulatedPanel) -> None:
    blink, pulse = BoardLamp(BoardLampMode.BLINK, 255, 0, 0), BoardLamp(BoardLampMode.PULSE, 0, 255, 0)
    chase = BoardLamp(BoardLampMode.CHASE, 0, 0, 255)
    panel.show(
        (blink, blink, pulse, pulse, BoardLamp(BoardLampMode.ON, 9, 9, 9), BoardLamp(), chase, chase, chase),
        LINES,
    )
    panel.settle()
    panel.lamps.clear()
    panel.run(2_100_000)
    red = [frame.colours[0][0] for frame in panel.lamps]
    assert set(red) == {0, 255}
    assert 4 <= sum(a != b for a, b in itertools.pairwise(red)) <= 5
    green = {frame.colours[2][1] for frame in panel.lamps}
    assert min(green) <= 2  # it is looked at every 16 ms, in which it goes by four levels
    assert max(green) >= 253
    assert len(green) > 60
    for frame in panel.lamps:
        assert frame.colours[0] == frame.colours[1]
        assert frame.colours[2] == frame.colours[3]
        assert frame.colours[4:6] == ((9, 9, 9), (0, 0, 0))
        assert sorted(frame.colours[6:]) == [(0, 0, 0), (0, 0, 0), (0, 0, 255)]
    lit = [frame.colours[6:].index((0, 0, 255)) for frame in panel.lamps]
    turns = [b for a, b in zip([*lit[:1], *lit], lit, strict=False) if a != b]
    assert turns == [(turns[0] + n) % 3 for n in range(len(turns))]
    assert len(turns) >= 15


def test_host_lost_is_shown_after_1500_ms_and_goes_when_it_is_back(panel: SimulatedPanel) -> None:
    panel.show(STEADY, LINES)
    panel.settle()
    panel.connected = False
    panel.run(1_200_000)
    assert panel.display.lines == LINES
    panel.run(400_000)
    assert [line.strip() for line in panel.display.lines] == ["", "host lost", "", ""]
    assert panel.lamps[-1].colours == DARK
    panel.connected = True
    panel.run_until(lambda: panel.display.lines == LINES)
    panel.run(20_000)
    assert panel.lamps[-1].colours == COLOURS


@pytest.mark.slow
def test_last_words_stay_on_the_display_with_all_lamps_off(panel: SimulatedPanel) -> None:
    panel.show(STEADY, LINES)
    panel.settle()
    words = ("Good night.         ", "Safe to unplug when ", "the Pi's green light", "is out.             ")
    panel.host.show(STEADY, words, stays=True)
    panel.run(400_000)
    panel.connected = False
    panel.run(1_700_000)
    assert panel.display.lines == words
    assert panel.lamps[-1].colours == DARK
    panel.connected = True
    panel.show(STEADY, LINES)
    panel.run_until(lambda: panel.display.lines == LINES)


def test_a_reset_in_mid_session_resyncs(panel: SimulatedPanel) -> None:
    panel.show(STEADY, LINES)
    panel.settle()
    panel.press(3)
    panel.run(20_000)
    panel.command("reset button")
    panel.run_until(lambda: len(panel.boards) == 2)
    panel.run_until(lambda: panel.host.shown)
    panel.run(60_000)
    assert LossCause.BOARD_RESET in [event.cause for _, event in panel.events if isinstance(event, Lost)]
    assert panel.display.lines == LINES
    assert panel.lamps[-1].colours == COLOURS
    last = panel.events[-1][1]
    assert isinstance(last, InputsReported)
    assert last.held == {3}, "it is still held, and the new boot has told so"
    panel.release(3)
    panel.run(20_000)
    assert panel.changes == [(3, True), (3, False)]


def test_a_reset_at_any_moment_resyncs(panel: SimulatedPanel) -> None:
    panel.show(STEADY, LINES)
    for n in range(12):
        panel.run(7_300 * n)
        panel.command("reset button")
    panel.run_until(lambda: panel.host.board is not None, 3_000_000)
    panel.run_until(lambda: panel.host.shown)
    panel.run(40_000)
    assert panel.display.lines == LINES
    assert panel.lamps[-1].colours == COLOURS


def test_a_program_that_hangs_is_reset_by_the_watchdog(panel: SimulatedPanel) -> None:
    panel.show(STEADY, LINES)
    panel.settle()
    panel.starts.clear()
    hung_us = panel.now_us
    panel.command("hang 1")
    panel.run_until(lambda: bool(panel.starts))
    assert panel.starts[0] - hung_us < 300_000
    panel.run_until(lambda: len(panel.boards) == 2)
    assert panel.boards[1].reset_cause is ResetCause.WATCHDOG
    panel.run_until(lambda: panel.host.shown)
    panel.run(60_000)
    assert panel.display.lines == LINES


def test_boot_ids_differ_at_each_reset(panel: SimulatedPanel) -> None:
    def said_hello(times: int) -> bool:
        return len(panel.boards) >= times

    for times in range(1, 6):
        panel.run_until(partial(said_hello, times))
        panel.command("reset button")
    assert len({board.boot_id for board in panel.boards}) == 5


def test_power_cut_at_any_moment_of_a_start_leaves_new_boot_ids(panel: SimulatedPanel) -> None:
    panel.slice_us = 100
    for n in range(60):
        panel.run(panel.slice_us * (n % 30))
        panel.command("reset power 0")
    panel.slice_us = 500
    panel.run_until(lambda: len(panel.boards) == 1)
    panel.command("reset power 0")
    panel.run_until(lambda: len(panel.boards) == 2)
    ids = [board.boot_id for board in panel.boards]
    assert 0 < ids[0] < ids[1] <= 2 * 62


@pytest.mark.slow
def test_a_display_that_shows_garbage_is_put_right(panel: SimulatedPanel) -> None:
    panel.show(STEADY, LINES)
    panel.settle()
    panel.display.garble(Random(1))
    changed = (LINES[0], "throw them again    ", *LINES[2:])
    panel.show(STEADY, changed)
    panel.run(40_000)
    assert panel.display.lines != changed
    panel.run(2_050_000)
    assert panel.display.lines == changed
    assert panel.display.clears == 0


def test_a_flood_both_ways_during_lamp_updates_loses_nothing_silently(panel: SimulatedPanel) -> None:
    """Buttons at the debouncer's limit and a new view every 2 ms: far more than the line carries."""
    panel.settle()
    random = Random(3)
    pushed: list[tuple[int, bool]] = []
    held = [False] * INPUTS
    for n in range(60):
        for which in range(INPUTS):
            held[which] = not held[which]
            pushed.append((which, held[which]))
            panel.move(which, pressed=held[which])
        for _ in range(5):
            lamps = tuple(BoardLamp(BoardLampMode.ON, *random.randbytes(3)) for _ in range(LAMPS))
            lines = tuple(f"{n:4}{random.random():.14f}" for _ in range(4))
            panel.show(lamps, lines)
            panel.run(2_000)
    panel.run_until(lambda: panel.host.shown and len(panel.changes) + panel.lost >= len(pushed))
    panel.run(40_000)
    assert panel.lost > 0, "this was to be more than fits"
    assert len(panel.changes) + panel.lost == len(pushed)
    assert panel.lamps[-1].colours == tuple((lamp.red, lamp.green, lamp.blue) for lamp in lamps)
    assert panel.display.lines == lines
    assert [event for _, event in panel.events if isinstance(event, Lost)] == []
    assert panel.host.board_health.dropped_bytes == 0
    last = [event for _, event in panel.events if isinstance(event, InputsReported)][-1]
    assert last.held <= set(range(INPUTS))


@pytest.mark.slow
def test_noise_at_line_rate_is_counted_and_survived(panel: SimulatedPanel) -> None:
    random = Random(5)
    panel.show(STEADY, LINES)
    panel.settle()
    for _ in range(100):
        panel.command(f"rx {random.randbytes(115).hex()}00")
        panel.run(10_000)
    panel.run_until(lambda: panel.host.shown)
    panel.press(1)
    panel.run(300_000)
    assert (1, True) in panel.changes
    assert panel.host.board_health.damaged_frames > 0


def test_bytes_that_find_no_room_are_counted(panel: SimulatedPanel) -> None:
    """While the program does something else for 40 ms nobody empties the receiver's 128 bytes."""
    panel.settle()
    panel.command("hang 1")
    panel.command(f"rx {'55' * 400}00")
    panel.run(40_000)
    panel.command("resume")
    panel.run(300_000)
    assert 400 - 130 <= panel.host.board_health.dropped_bytes < 400


@pytest.mark.slow
def test_one_percent_damage_both_ways_loses_no_press(panel: SimulatedPanel) -> None:
    panel.settle()
    panel.damage_up = damage.bytes_at(0.01, Random(1))
    panel.damage_down = damage.bytes_at(0.01, Random(2))
    pushed = []
    for n in range(40):
        pushed.append((n % INPUTS, n < INPUTS))
        panel.move(n % INPUTS, pressed=n < INPUTS)
        panel.run(25_000)
    panel.run(500_000)
    assert panel.changes == pushed
    assert panel.lost == 0
