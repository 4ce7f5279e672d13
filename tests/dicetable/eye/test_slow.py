"""A slow machine is slow and not stuck: no eye is given up while it reads many dice."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from dicetable.eye.child import SIGN_S, Signs
from dicetable.eye.supervision import FRAME_DEADLINE_S, Supervision
from dicetable.eye.wire import Decoder
from games.dice import KINDS
from hardware.simulated.clock import VirtualClock
from hardware.simulated.resting import at_random
from hardware.simulated.world import World
from vision.reader import read_dice


def seconds_between_signs(count: int) -> list[float]:
    """How long a reading of so many dice goes on without progress, each time."""
    world = World(count, VirtualClock())
    picked = world.pick([KINDS[at % 6] for at in range(count)], set())
    dice = [replace(die, scale=0.6 * die.scale) for die in picked]
    world.lay(at_random(np.random.default_rng(count), dice, []))
    frame = np.array(world.seen(world.still_at_s + 1))
    marks = [time.process_time()]
    read_dice(frame, progress=lambda: marks.append(time.process_time()))
    marks.append(time.process_time())
    return np.diff(marks).tolist()


@pytest.mark.parametrize("count", [6, 30, 48])
def test_an_eye_on_a_slow_machine_is_not_given_up(count: int) -> None:
    spent = seconds_between_signs(count)
    assert len(spent) > 2 * count
    for factor in (2, 6, 12):
        now_s = 100.0
        supervision = Supervision()
        supervision.started(now_s)
        supervision.sign(now_s)
        for each in spent:
            now_s += each * factor
            assert not supervision.hangs(now_s), f"{factor} times slower"
            supervision.sign(now_s)
    assert 12 * sum(spent) > FRAME_DEADLINE_S or count == 6


def test_an_eye_that_is_stuck_within_a_die_is_given_up() -> None:
    supervision = Supervision()
    supervision.started(0.0)
    supervision.sign(1.0)
    assert not supervision.hangs(1.0 + FRAME_DEADLINE_S)
    assert supervision.hangs(1.1 + FRAME_DEADLINE_S)


def test_signs_are_given_while_a_frame_is_read_but_not_at_each_die(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[bytes] = []
    monkeypatch.setattr("dicetable.eye.child.write", lambda _out, data: said.append(data))
    clock = VirtualClock()
    signs = Signs(clock, 1)
    for _ in range(100):
        signs.give()
        clock.sleep(SIGN_S / 10 + 1e-6)
    assert len(list(Decoder().feed(b"".join(said)))) == 10
