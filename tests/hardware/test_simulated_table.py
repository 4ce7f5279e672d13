"""The simulated table: all of it follows from the seed, and it is the truth about what lies there."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.simulated.scene import placed
from hardware.simulated.table import HEIGHT, WIDTH, SimulatedTable
from tests.hardware.fakes import FakeClock


def table(seed: int) -> SimulatedTable:
    made = SimulatedTable(seed, FakeClock())
    made.start()
    return made


def pixels(made: SimulatedTable) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    frame = made.frame(0)
    assert frame is not None
    return frame.pixels


def test_the_same_seed_gives_the_same_throws_and_frames() -> None:
    one, other = table(7), table(7)
    for _ in range(2):
        assert [d.value for d in one.throw(["d6"] * 4)] == [d.value for d in other.throw(["d6"] * 4)]
        assert np.array_equal(pixels(one), pixels(other))


def test_other_seeds_give_other_tables() -> None:
    frames = []
    for seed in range(3):
        made = table(seed)
        made.throw(["d6"] * 3)
        frames.append(pixels(made))
    assert frames[0].shape == (HEIGHT, WIDTH, 3)
    assert not np.array_equal(frames[0], frames[1])
    assert abs(float(frames[0].mean()) - float(frames[1].mean())) > 1 or not np.array_equal(
        frames[1], frames[2]
    )


def test_two_frames_of_one_throw_differ_by_noise_alone() -> None:
    made = table(3)
    made.throw(["d6"] * 3)
    one, other = pixels(made).astype(int), pixels(made).astype(int)
    assert (one != other).any()
    assert np.abs(one - other).mean() < 10


@pytest.mark.parametrize("seed", range(12))
def test_all_of_the_dice_are_in_view(seed: int) -> None:
    made = table(seed)
    for die in made.throw(["d6"] * 8):
        seen = made.view.project(placed(die))
        assert (seen >= 0).all()
        assert (seen <= (WIDTH, HEIGHT)).all()


def test_kept_dice_lie_as_they_lay() -> None:
    made = table(4)
    first = made.throw(["d6"] * 6)
    again = made.throw(["d6"] * 4, first[:2])
    assert made.lying == [*first[:2], *again]
    made.throw(["d6"])
    assert len(made.lying) == 1


def test_without_dice_it_shows_its_floor() -> None:
    made = table(5)
    assert np.abs(pixels(made).astype(int) - made.floor).mean() < 6
