"""Which throws of a simulated table count as honest ones."""

from __future__ import annotations

import pytest

from dicetable.simulated.honest import Honest
from hardware.simulated.clock import VirtualClock
from hardware.simulated.leaning import leaning
from hardware.simulated.resting import at_random
from hardware.simulated.world import World


@pytest.fixture
def world() -> World:
    return World(3, VirtualClock(), real=False)


def test_outcomes_of_honest_throws_are_counted(world: World) -> None:
    honest = Honest(world)
    for accepted, confirmed in ((True, False), (True, True), (False, False)):
        honest.begins()
        honest.ends(accepted=accepted, confirmed=confirmed)
    assert honest.summary == {"throws": 3, "accepted": 1, "confirmed": 1, "void": 1}


def test_a_throw_in_which_a_die_comes_to_rest_cocked_is_not_counted(world: World) -> None:
    honest = Honest(world)
    lying = at_random(world.chance, world.pick(["d6", "d6"], set()), [])
    world.lay([lying[0], leaning(world.chance, lying[1], lying[:1], (10.0, 20.0))])
    assert [die.value is None for die in world.lying] == [False, True]
    honest.begins()
    honest.ends(accepted=False)
    assert not any(honest.summary.values())
