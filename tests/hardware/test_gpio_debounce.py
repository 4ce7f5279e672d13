"""Debouncing: changes shorter than the time do not count; longer ones count once, from their beginning."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hardware.gpio_panel import Debounce

PIN = 7
HOLD_MS = 5


def settled(edges_ms: list[int]) -> list[tuple[int, bool, float]]:
    """What comes of edges at these times, each one turning the level round, looked at whenever it is due."""
    debounce = Debounce(HOLD_MS)
    out = []
    level = False
    for at in edges_ms:
        while debounce.due_s <= at:
            out += debounce.settle(debounce.due_s)
        level = not level
        debounce.level(PIN, pressed=level, time_s=at)
    while debounce.due_s < float("inf"):
        out += debounce.settle(debounce.due_s)
    return out


def levels_that_held(edges_ms: list[int]) -> list[tuple[int, bool, float]]:
    """The same, by looking at the whole history."""
    out: list[tuple[int, bool, float]] = []
    stands = False
    for number, at in enumerate(edges_ms):
        level = number % 2 == 0
        until = edges_ms[number + 1] if number + 1 < len(edges_ms) else float("inf")
        if until - at >= HOLD_MS and level != stands:
            stands = level
            out.append((PIN, level, at))
    return out


@given(st.lists(st.integers(1, 12), max_size=40))
def test_a_level_counts_once_it_has_held(gaps_ms: list[int]) -> None:
    edges = [sum(gaps_ms[: n + 1]) for n in range(len(gaps_ms))]
    assert settled(edges) == levels_that_held(edges)


def test_a_press_that_bounces_is_one_press() -> None:
    assert settled([10, 11, 12, 14, 15, 100, 101, 103]) == [(PIN, True, 15), (PIN, False, 103)]


def test_a_glitch_is_nothing() -> None:
    assert settled([10, 14, 50, 51]) == []


def test_what_was_held_at_the_start_is_known() -> None:
    debounce = Debounce(HOLD_MS)
    debounce.reset({PIN: True})
    debounce.level(PIN, pressed=True, time_s=10)
    assert debounce.due_s == float("inf")
    debounce.level(PIN, pressed=False, time_s=20)
    assert debounce.settle(25) == [(PIN, False, 20)]
