"""How often the nets look at a frame, which holds on any machine; `benchmarks.reader` times it.

One look at a picture costs this many millions of multiplications and additions: detector 3.1 for a square of
32 × 32 pixels, die 50.9, symbol 9.1, face 6.3, six_nine 3.0, attitude 4.7, and segmentation 74.4 for 160 × 96
pixels.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from hardware.simulated.world import frame_of
from vision.nets import NAMES, load_nets
from vision.reader import DiceReader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.reading import Box, Image, Net
    from vision.recognition.fusion import Views


class Counted:
    """A reader whose nets count the pictures that they are shown, the detector its squares of 32 × 32."""

    def __init__(self) -> None:
        self.looks: Counter[str] = Counter()
        nets = load_nets()
        counted: dict[str, Any] = {name: self.counting(name, getattr(nets, name)) for name in NAMES}
        self.reader = DiceReader(replace(nets, **counted))

    def counting(self, name: str, net: Net) -> Net:
        def look(pictures: NDArray[Any]) -> NDArray[Any]:
            squares = pictures[0, 0].size / 32**2 if name == "detector" else 1
            self.looks[name] += round(len(pictures) * squares)
            return net(pictures)

        return look


def noisy(frame: Image, seed: int) -> Image:
    noise = np.random.default_rng(seed).normal(0, 2, frame.shape)
    return np.asarray(np.clip(frame + noise, 0, 255), np.uint8)


@pytest.mark.parametrize(
    ("dice", "most"),
    [
        (0, {"detector": 140, "die": 2}),
        (1, {"detector": 82, "die": 2, "symbol": 1, "attitude": 1}),
        (6, {"detector": 82, "die": 15, "symbol": 20, "attitude": 12, "face": 12}),
        (30, {"detector": 160, "die": 84, "symbol": 132, "attitude": 60, "face": 60, "six_nine": 8}),
    ],
)
def test_a_frame_with_so_many_dice_takes_so_many_looks(dice: int, most: dict[str, int]) -> None:
    counted = Counted()
    counted.reader.read(frame_of(dice, seed=dice + 1))
    assert {name: count for name, count in counted.looks.items() if count > most.get(name, 0)} == {}


def test_the_nets_look_no_more_at_dice_that_lie_as_they_lay() -> None:
    counted = Counted()
    frame = frame_of(6, seed=7)
    views: dict[Box, Views] = {}
    before = counted.reader.read(frame, views=views)
    assert set(views) >= {die.box for die in before.dice}
    counted.looks.clear()
    lying = [die.box for die in before.dice]
    again = counted.reader.read(noisy(frame, 1), lying=lying, views=views)
    assert set(counted.looks) == {"detector"}
    assert [(die.kind, die.value, die.box) for die in again.dice] == [
        (die.kind, die.value, die.box) for die in before.dice
    ]
    counted.looks.clear()
    counted.reader.read(noisy(frame, 1), lying=lying, views={box: views[box] for box in lying[1:]})
    assert 1 <= counted.looks["die"] <= 4
