"""The lamp modes on pins, compared with what the board's firmware does at the same millisecond."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.gpio_panel import levels, next_change_s
from hardware.ports import LAMPS, Lamp, LampMode


def lit(lamps: dict[str, Lamp], now_s: float) -> set[str]:
    """The lamps that shine by a driver that does not dim."""
    shine = levels(lamps, now_s, dims=False)
    assert set(shine.values()) <= {0.0, 1.0}
    return {name for name, level in shine.items() if level}


views = st.dictionaries(st.sampled_from(LAMPS), st.builds(Lamp, st.sampled_from(LampMode)))


def board_levels(lamps: dict[str, Lamp], ms: int) -> dict[str, int]:
    """Brightness of 255 as firmware_bridge/firmware/lamps.c has it."""
    chasing = [name for name in LAMPS if lamps.get(name, Lamp()).mode is LampMode.CHASE]
    up = min(ms % 2048, 2047 - ms % 2048)
    levels = {
        LampMode.OFF: 0,
        LampMode.ON: 255,
        LampMode.BLINK: 255 * (ms % 1000 < 500),
        LampMode.PULSE: up // 4,
    }
    turn = chasing[ms // 128 % len(chasing)] if chasing else ""
    return {
        name: 255 * (name == turn) if name in chasing else levels[lamp.mode] for name, lamp in lamps.items()
    }


@given(views, st.integers(0, 10**6))
def test_a_lamp_is_lit_where_the_board_shines_brightly(lamps: dict[str, Lamp], ms: int) -> None:
    bright = {name for name, level in board_levels(lamps, ms).items() if level >= 224}
    near_an_edge = {
        name
        for name, lamp in lamps.items()
        if lamp.mode is LampMode.PULSE and min(abs(ms % 2048 - t) for t in (896, 1152)) < 4
    }
    assert lit(lamps, ms / 1000 + 1e-9) - near_an_edge == bright - near_an_edge


@given(views, st.integers(0, 10**6))
def test_a_lamp_that_can_be_dimmed_is_as_bright_as_the_boards(lamps: dict[str, Lamp], ms: int) -> None:
    dimmed = levels(lamps, ms / 1000 + 1e-9, dims=True)
    board = board_levels(lamps, ms)
    for name, level in dimmed.items():
        if lamps[name].mode is LampMode.PULSE:
            assert abs(level - board[name] / 255) < 0.05
        else:
            assert level == board[name] / 255


@given(views, st.floats(0, 1e6), st.booleans())
def test_nothing_changes_before_the_next_change(lamps: dict[str, Lamp], now_s: float, dims: bool) -> None:
    change_s = next_change_s(lamps, now_s, dims=dims)
    assert change_s > now_s
    for part in (0.0, 0.3, 0.9):
        at_s = now_s + part * (min(change_s, now_s + 10) - now_s)
        if change_s - at_s > 1e-6:
            assert levels(lamps, at_s + 1e-7, dims=dims) == levels(lamps, now_s + 1e-7, dims=dims)


@pytest.mark.parametrize("mode", [LampMode.BLINK, LampMode.PULSE, LampMode.CHASE])
def test_what_moves_is_both_on_and_off(mode: LampMode) -> None:
    lamps = {"seat1": Lamp(mode), "seat2": Lamp(mode)}
    now_s, seen = 0.0, []
    while now_s < 5:
        seen.append("seat1" in lit(lamps, now_s + 1e-6))
        now_s = next_change_s(lamps, now_s, dims=False)
    assert {True, False} == set(seen)
