"""Recurring faults, and faults that somebody types."""

from __future__ import annotations

from itertools import pairwise

from hardware.simulated.faults import FAULTS, parse
from hardware.simulated.world import FaultInjection, run_command
from tests.hardware.simulated.tables import world


def working(name: str, seconds: int, seed: int = 0) -> list[bool]:
    """Each second, whether the fault is at work."""
    made = world()
    injection = FaultInjection(made, [parse(name)], seed)
    seen = []
    for _ in range(seconds):
        made.clock.sleep(1)
        injection.step()
        seen.append(bool(made.faults.all(made.clock.now_s())))
    return seen


def test_a_fault_comes_again_and_again() -> None:
    seen = working("dark:4", 300)
    begins = [i for i in range(1, 300) if seen[i] and not seen[i - 1]]
    assert len(begins) >= 10
    assert all(5 <= b - a <= 31 for a, b in pairwise(begins))
    assert seen == working("dark:4", 300)
    assert seen != working("dark:4", 300, seed=1)


def test_a_fault_of_throws_waits_for_one() -> None:
    made = world()
    injection = FaultInjection(made, [parse("too_many:1")])
    counts = []
    for _ in range(30):
        made.clock.sleep(10)
        injection.step()
        counts.append(len(made.throw(["d6"] * 2)))
    assert set(counts) == {2, 3}
    assert counts.count(3) == injection.struck - len(made.faults.all(made.clock.now_s()))


def test_what_is_typed_is_done() -> None:
    made = world()
    assert run_command(made, "flicker:0.4") == []
    assert run_command(made, " dark ") == []
    assert [fault.name for fault in made.faults.all(made.clock.now_s())] == ["flicker", "dark"]
    assert run_command(made, "clear flicker") == []
    assert [fault.name for fault in made.faults.all(made.clock.now_s())] == ["dark"]
    assert run_command(made, "clear") == []
    assert made.faults.all(made.clock.now_s()) == []
    assert " ".join(run_command(made, "faults")).split(", ") == [*FAULTS]


def test_what_means_nothing_is_answered() -> None:
    made = world()
    for typed in ("flikker", "clear nothing", "clear dark dark", "", "flicker:9"):
        (answer,) = run_command(made, typed)
        assert answer
    assert made.faults.all(made.clock.now_s()) == []
