"""Which throws of a simulated table count as honest ones."""

from __future__ import annotations

import pytest

from dicetable.simulated.hands import Hands
from dicetable.simulated.judge import Honest
from hardware.simulated.clock import VirtualClock
from hardware.simulated.places import at_random, cocked
from hardware.simulated.world import World


@pytest.fixture
def hands() -> Hands:
    return Hands(World(3, VirtualClock(), real=False))


def test_outcomes_of_honest_throws_are_counted(hands: Hands) -> None:
    honest = Honest(hands)
    both = {"confirmed": True, "vouched": True}
    for asked in ({}, {"confirmed": True}, {"vouched": True}, both):
        honest.begins()
        honest.ends(accepted=True, **asked)
    honest.begins()
    honest.ends(accepted=False)
    assert honest.summary == {"throws": 5, "accepted": 1, "void": 1, "confirmed": 2, "vouched": 1}


def test_a_throw_in_which_a_die_comes_to_rest_cocked_is_not_counted(hands: Hands) -> None:
    chance, honest = hands.world.chance, Honest(hands)
    flat, other = at_random(chance, hands.world.pick(["d6", "d6"], set()), [])
    tilted = cocked(chance, other, [flat], (10.0, 20.0))
    assert tilted.value is None
    hands.world.lay([flat, tilted])
    hands.thrown = [flat, tilted]
    honest.begins()
    honest.ends(accepted=False)
    assert not any(honest.summary.values())
    hands.thrown = [flat]  # the cocked one is of an earlier throw
    honest.begins()
    honest.ends(accepted=False)
    assert honest.summary["void"] == 1
