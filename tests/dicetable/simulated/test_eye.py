"""The real eye on a simulated table: it sees throws settle, and reports what prevents reading."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dicetable.simulated.eye import SimulatedEye
from dicetable.simulated.judge import judge
from games.dice import KINDS
from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import parse
from hardware.simulated.world import World
from tests.extent import extent
from vision.reading import Reason, Settled, Unsettled

if TYPE_CHECKING:
    from dicetable.eye.messages import EyeMessage


def watched(world: World, eye: SimulatedEye, seconds: float) -> list[EyeMessage]:
    end_s = world.clock.now_s() + seconds
    messages: list[EyeMessage] = []
    while world.clock.now_s() < end_s:
        world.clock.sleep(1 / 30)
        messages += eye.messages()
    return messages


def test_a_throw_settles_as_it_lies_and_what_hides_it_is_said() -> None:
    world = World(3, VirtualClock(), real=False)
    eye = SimulatedEye(world)
    eye.start()
    watched(world, eye, 0.7)
    world.throw(["d6"] * 3)
    *_, settled = watched(world, eye, 3)
    assert isinstance(settled, Settled)
    assert sorted(die.value or 0 for die in settled.reading.dice) == sorted(d.value or 0 for d in world.lying)
    assert len(eye.reading_ms) >= 2
    world.inject(parse("dark:1"))
    assert any(isinstance(m, Unsettled) and m.reason is Reason.UNLIT for m in watched(world, eye, 1))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, extent(3, 11)))
def test_in_many_throws_at_a_table_no_die_is_wrong_and_one_in_ten_is_asked_at_most(seed: int) -> None:
    """Each table has its own light, camera and dice. It is looked at when all is still."""
    world = World(seed, VirtualClock(), fps=10)
    eye = SimulatedEye(world)
    eye.start()
    chance = np.random.default_rng(seed)
    told: Counter[str] = Counter()
    for _ in range(extent(10, 20)):
        thrown = world.throw([KINDS[kind] for kind in chance.integers(len(KINDS), size=4)])
        world.settle()
        (settled,) = (m for m in watched(world, eye, 1) if isinstance(m, Settled))
        verdict = judge(world, thrown, settled.reading, settled.time_s)
        told.update(right=verdict.right, asked=verdict.asked, wrong=verdict.wrong)
    assert told["wrong"] == 0
    assert told["asked"] <= 0.10 * told.total()
