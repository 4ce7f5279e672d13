"""A fixed sample of the games with several faults at a time; `make sweep` plays all of them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from dicetable.commands import simulate
from hardware.simulated.faults import FAULTS
from tests.dicetable.commands.sweep import TOGETHER, Case, Played, Result, cases, play, sweep

QUICK = ("mia", "money_shot")
"""Games of few dice and few throws; one of Midnight takes as long as ten of them."""
JOBS = 2


def sample() -> list[Case]:
    """Few games in which every honest fault comes up: always the one that brings most new faults."""
    chosen: list[Case] = []
    quick = [case for case in cases() if case.game in QUICK]
    missing = {name for case in cases() for name in case.faults}
    while missing:
        case = max(quick, key=lambda case: len(missing & set(case.faults)))
        chosen.append(case)
        missing -= set(case.faults)
    return chosen


def test_each_pair_of_faults_meets_with_each_seed() -> None:
    every = cases(2)
    honest = [kind.name for kind in FAULTS.values() if kind.part != "cheat"]
    for seed in (1, 2):
        groups = [case.faults for case in every if case.seed == seed]
        assert all(len(set(group)) == TOGETHER for group in groups)
        pairs = {frozenset(pair) for group in groups for pair in combinations(group, 2)}
        assert pairs == {frozenset(pair) for pair in combinations(honest, 2)}
    assert {name for case in sample() for name in case.faults} == set(honest)


def test_a_game_that_does_not_come_to_its_end_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("sixes", 1, ("hand", "dark"))
    monkeypatch.setattr(simulate, "LONGEST_S", 5.0)
    assert "the game hangs at" in play(case).failure

    def breaks(*_: object) -> None:
        raise KeyError("seat9")

    monkeypatch.setattr(simulate.SimulatedGame, "play", breaks)
    assert "KeyError: 'seat9'" in play(case).failure


def test_a_cocked_die_that_is_read_is_no_failure_and_a_flat_one_is() -> None:
    cocked = Played(Case("sixes", 1, ("leaning", "hand")), Counter(wrong=2, wrong_cocked=2))
    flat = Played(Case("sixes", 2, ("leaning", "dark")), Counter(wrong=2, wrong_cocked=1))
    result = Result([cocked, flat])
    assert result.bad == [flat]
    assert list(result.lines())[1:] == [
        "0 thrown, 0 right, 0 asked, 4 wrong, 3 wrong_cocked",
        "leaning: wrong in 2 of 2 games; in 1 a die that lay flat",
        "hand: wrong in 1 of 1 games; in 0 a die that lay flat",
        "dark: wrong in 1 of 1 games; in 1 a die that lay flat",
        "dicetable simulate --game sixes --seed 2 --rounds 1 --fps 15 --fault leaning --fault dark: "
        "misread, though they lay flat: 1",
    ]


@pytest.mark.slow
def test_in_a_few_games_every_fault_is_survived() -> None:
    result = sweep(sample(), JOBS)
    assert len(result.played) == len(sample())
    assert result.bad == [], "\n".join(result.lines())
