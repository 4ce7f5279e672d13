"""A coin on a corner marker of the simulated table: no die, and not thrown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import parse
from hardware.simulated.world import World
from vision.observer import Observer
from vision.reading import Reason, Settled, Unsettled
from vision.tray.markers import find_markers
from vision.tray.pose import learn

if TYPE_CHECKING:
    from vision.reading import Observation

LASTS_S = 10.0


def watched(world: World, observer: Observer, seconds: float) -> list[Observation]:
    end_s, said = world.clock.now_s() + seconds, []
    while world.clock.now_s() < end_s:
        frame = world.camera.frame(1.0)
        assert frame is not None
        if (observed := observer.observe(frame.pixels, frame.time_s)) is not None:
            said.append(observed)
    return said


@pytest.mark.slow
@pytest.mark.parametrize("marker", [0, 3])
def test_a_coin_on_a_marker_is_named_and_is_no_die(marker: int) -> None:
    world = World(1, VirtualClock(), real=False)
    world.camera.start()
    empty = world.camera.frame(1.0)
    assert empty is not None
    observer = Observer(learn(find_markers(empty.pixels)), empty.pixels)
    world.throw(["d6", "d6"])
    lying = watched(world, observer, 4.0)[-1]
    assert isinstance(lying, Settled)
    world.inject(parse(f"covered:{marker}"))
    covered = watched(world, observer, LASTS_S - 1)
    assert not any(isinstance(one, Settled) for one in covered)
    last = covered[-1]
    assert isinstance(last, Unsettled)
    assert last.reason is Reason.MARKERS
    free = watched(world, observer, 2.0)[-1]
    assert isinstance(free, Settled)
    assert [die.box for die in free.reading.dice] == [die.box for die in lying.reading.dice]
