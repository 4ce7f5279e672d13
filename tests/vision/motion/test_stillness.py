"""How much a place may vary before something moved there."""

from __future__ import annotations

import numpy as np
import pytest

from vision.motion.stillness import Stillness

SPOT = (slice(40, 46), slice(60, 66))


@pytest.mark.parametrize(("spread", "still"), [(3.5, True), (4.5, False)])
def test_a_spot_that_varies_five_times_as_much_as_the_noise_moved(spread: float, still: bool) -> None:
    """The spread of a spot's noise is that many grey levels, everywhere else 2; its square counts."""
    random, watch = np.random.default_rng(4), Stillness(window_s=2.0)
    told = []
    for number in range(64):
        level = 120 + 2 * random.standard_normal((96, 160))
        level[SPOT] = 120 + spread * random.standard_normal((6, 6))
        told.append(watch.see(np.clip(level.round(), 0, 255).astype(np.uint8), number / 30))
    assert told[-1] is still
