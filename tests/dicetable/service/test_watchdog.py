"""The watchdog is fed while all parts meet their deadlines, and by nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetable.service.watchdog import DEADLINES_S, Watchdog

PERIOD_S = 10.0
PARTS = tuple(DEADLINES_S)
STEP_S = 0.125  # so that the sums are exact


def test_it_is_fed_four_times_a_period() -> None:
    watchdog = Watchdog(PERIOD_S, 0.0)
    fed = []
    for step in range(161):
        now_s = step * STEP_S
        for part in PARTS:
            watchdog.met(part, now_s)
        if watchdog.feed(now_s):
            fed.append(now_s)
    assert fed == [2.5 * n for n in range(9)]


@pytest.mark.parametrize("hung", PARTS)
def test_one_part_that_hangs_starves_it_until_it_is_back(hung: str) -> None:
    watchdog = Watchdog(PERIOD_S, 0.0)
    for step in range(1, 400):
        now_s = step * STEP_S
        for part in PARTS:
            if part != hung or now_s >= 30:
                watchdog.met(part, now_s)
        fed = watchdog.feed(now_s)
        if 5 < now_s < 30:
            assert not fed
            assert watchdog.late(now_s) == [hung]
        if now_s == 30:
            assert fed
            assert watchdog.late(now_s) == []


def test_without_systemd_it_is_never_fed() -> None:
    assert not Watchdog(None, 0.0).feed(0.0)


def test_a_part_that_is_not_watched_is_an_error() -> None:
    with pytest.raises(KeyError):
        Watchdog(PERIOD_S, 0.0).met("camera", 0.0)


@given(st.lists(st.tuples(st.integers(1, 40), st.sets(st.sampled_from(PARTS))), max_size=60))
def test_fed_if_and_only_if_due_and_all_are_in_time(turns: list[tuple[int, set[str]]]) -> None:
    watchdog = Watchdog(PERIOD_S, 0.0)
    now_s, met, fed_s = 0.0, dict.fromkeys(PARTS, 0.0), -PERIOD_S
    for steps, parts in turns:
        now_s += steps * STEP_S
        for part in parts:
            watchdog.met(part, now_s)
            met[part] = now_s
        in_time = all(now_s - met[part] <= DEADLINES_S[part] for part in PARTS)
        fed = watchdog.feed(now_s)
        assert fed == (in_time and now_s - fed_s >= PERIOD_S / 4)
        fed_s = now_s if fed else fed_s
