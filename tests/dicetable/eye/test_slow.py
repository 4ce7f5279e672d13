"""On a slow machine an eye that reads many dice is not taken for stuck."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from dicetable.eye.child import Signs
from dicetable.eye.messages import Decoder
from dicetable.eye.process import Supervision
from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import frame_of
from vision.nets import load_nets
from vision.reader import DiceReader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.reading import Net


COST_S = {"detector": 0.010, "die": 0.006, "symbol": 0.001}
"""Seconds that a net takes for one picture on a machine of usual speed, with the work around it."""


def slowed_reader(clock: VirtualClock, factor: int) -> DiceReader:
    """A reader whose nets take `factor` times the usual time on this clock; everything else takes none."""
    usual = load_nets()

    def slow(name: str, net: Net) -> Net:
        def run(pictures: NDArray[Any]) -> NDArray[Any]:
            clock.sleep(factor * COST_S[name] * len(pictures))
            return net(pictures)

        return run

    slowed: dict[str, Any] = {name: slow(name, getattr(usual, name)) for name in COST_S}
    return DiceReader(replace(usual, **slowed))


@pytest.mark.parametrize(
    ("count", "factor", "longer_than_one_deadline"),
    [
        (6, 12, False),
        (30, 6, True),
        pytest.param(48, 12, True, marks=pytest.mark.slow),
    ],
)
def test_an_eye_on_a_slow_machine_is_not_given_up(
    count: int, factor: int, longer_than_one_deadline: bool
) -> None:
    clock = VirtualClock()
    reader = slowed_reader(clock, factor)
    frame = frame_of(count, seed=count)
    began_s = clock.now_s()
    supervision = Supervision()
    supervision.started(began_s)
    supervision.sign(began_s)

    def progress() -> None:
        assert not supervision.hangs(clock.now_s())
        supervision.sign(clock.now_s())

    assert reader.read(frame, progress=progress).dice
    progress()
    took_s = clock.now_s() - began_s
    assert (took_s > 3.0) == longer_than_one_deadline


def test_more_dice_are_no_longer_silence() -> None:
    silences_s: list[float] = []
    for count in (6, 24):
        clock = VirtualClock()
        reader = slowed_reader(clock, 1)
        signs_s = [clock.now_s()]

        def progress(clock: VirtualClock = clock, signs_s: list[float] = signs_s) -> None:
            signs_s.append(clock.now_s())

        reader.read(frame_of(count, seed=count), progress=progress)
        signs_s.append(clock.now_s())
        silences_s.append(max(after - before for before, after in pairwise(signs_s)))
    assert silences_s[1] < 2 * silences_s[0], silences_s


def test_an_eye_that_is_stuck_within_a_die_is_given_up() -> None:
    supervision = Supervision()
    supervision.started(0.0)
    supervision.sign(1.0)
    assert not supervision.hangs(4.0)
    assert supervision.hangs(4.1)


def test_signs_are_given_while_a_frame_is_read_but_not_at_each_die(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[bytes] = []
    monkeypatch.setattr("dicetable.eye.child.write", lambda _out, data: said.append(data))
    clock = VirtualClock()
    signs = Signs(clock, 1)
    for _ in range(100):
        signs.give()
        clock.sleep(0.020001)
    assert len(list(Decoder().feed(b"".join(said)))) == 10
