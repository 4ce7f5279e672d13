"""How large the risk of a sure reading may be, and the threshold that it leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from training import calibrate
from training.calibrate import (
    BEGIN,
    END,
    Series,
    bound,
    counts,
    least_threshold,
    most_risk,
    table,
    write_table,
)

if TYPE_CHECKING:
    from pathlib import Path


def series(name: str, *runs: tuple[float, int, int]) -> Series:
    """A source of readings: of each run the trust, how many are right, how many wrong."""
    trust = np.concatenate([np.full(right + wrong, p) for p, right, wrong in runs])
    right = np.concatenate([np.arange(right + wrong) < right for _, right, wrong in runs])
    return Series(name, trust, right, 2 * len(trust))


@pytest.mark.parametrize(
    ("wrong", "sure", "most"),
    [(0, 327, 0.0091), (0, 1000, 0.0030), (0, 0, 1.0), (1, 1, 1.0), (5, 1000, 0.0105)],
)
def test_the_bound_is_the_exact_one(wrong: int, sure: int, most: float) -> None:
    assert most_risk(wrong, sure) == pytest.approx(most, abs=5e-5)


def test_the_threshold_is_the_lowest_before_the_first_that_fails() -> None:
    good = series("a", (0.97, 400, 0), (0.93, 100, 0), (0.89, 100, 1), (0.82, 9, 9))
    assert least_threshold([good]) == 0.85
    bad = series("b", (0.91, 100, 10), (0.5, 100_000, 0))
    assert least_threshold([good, bad]) == 0.92
    assert least_threshold([series("c", (0.99, 100, 0))]) is None


def test_thresholds_below_one_that_fails_are_never_chosen() -> None:
    # From 0.5 on the risk would be small again, but then chance has two tries.
    both = series("a", (0.97, 1000, 0), (0.91, 100, 15), (0.6, 100_000, 0))
    assert most_risk(15, 101_115) < calibrate.RISK
    assert least_threshold([both]) == 0.92


def test_the_table_tells_each_source_and_the_photographs_apart() -> None:
    felt = series("felt", (0.97, 300, 0), (0.6, 10, 90))
    all_finds = [series("renders", (0.97, 90, 10)), felt]
    told = table(all_finds, [series("renders", (0.97, 90, 4)), felt], [5.0] * len(calibrate.THRESHOLDS))
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in told.splitlines()]
    assert rows[0][1:3] == ["renders right / wrong", "felt right / wrong"]
    first, last = rows[2], rows[-2]
    assert first == ["0.50", "45.0 / 5.0", "38.8 / 11.2", "5.0", "19.03 (22.17)", "22.50 (26.21)"]
    assert last == ["0.96", "45.0 / 5.0", "37.5 / 0.0", "5.0", "1.02 (2.31)", "0.00 (0.99)"]
    assert rows[-1][0] == "expected calibration error"
    assert {len(row) for row in rows} == {6}


def test_nothing_that_is_sure_bounds_nothing() -> None:
    assert counts([series("a", (0.4, 10, 0))], 0.5) == (0, 0)
    assert bound(0, 0) == "0.00 (100.00)"


def test_the_cards_table_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    card = tmp_path / "README.md"
    card.write_text(f"# Card\n\n{BEGIN}| old |\n{END}\nafter\n")
    write_table(card, "| new |\n")
    write_table(card, "| newer |\n")
    assert card.read_text() == f"# Card\n\n{BEGIN}| newer |\n{END}\nafter\n"
