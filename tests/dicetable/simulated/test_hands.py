from __future__ import annotations

from dicetable.simulated.hands import Hands
from hardware.simulated.clock import VirtualClock
from hardware.simulated.places import over_marker
from hardware.simulated.world import World

PUSHES = 30


def test_dice_that_are_pushed_show_what_they_showed_and_hide_no_marker() -> None:
    world = World(1, VirtualClock(), real=False)
    hands = Hands(world)
    hands.throw(["d6"] * 6, [])
    before = [(lying.die.number, lying.value) for lying in hands.thrown]
    for _ in range(PUSHES):
        hands.push()
        assert [(lying.die.number, lying.value) for lying in hands.thrown] == before
        assert not any(over_marker(lying) for lying in hands.thrown)
