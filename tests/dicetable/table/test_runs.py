"""The evidence of a test of dice while it goes on is that of the ledger."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import pytest

from dicetable.ledger.entries import Corrected, DieDetails, Entry, Opened, Thrown, dump
from dicetable.statistics.fold import fold
from dicetable.statistics.report import reports
from dicetable.table.bias import MOST_POINTS, RunEvidence, Verdict, evidence
from dicetable.table.table_state import TableState
from tests.dicetable.statistics.throwing import one_face_at, rolled

if TYPE_CHECKING:
    from collections.abc import Sequence


def opened(dice: int = 1) -> Opened:
    return Opened("fairness", ("ann",), {"faces": 6, "dice": dice}, 1, (), (1,), ())


def threw(*faces: int, details: tuple[DieDetails, ...] = (), by_hand: bool = False) -> Thrown:
    return Thrown(tuple(("d6", face) for face in faces), (), by_hand, details=details)


def after(entries: Sequence[Entry]) -> RunEvidence:
    state = TableState()
    for entry in entries:
        state = state.after(entry)
    assert state.run is not None
    return evidence(state.run)


def test_a_run_says_what_the_ledger_says() -> None:
    asked = (DieDetails(confirmed_by=2, proposed=4), DieDetails())
    entries: list[Entry] = [
        opened(2),
        *[threw(a, b) for a, b in zip(rolled("d6", 40), rolled("d6", 40, seed=2), strict=True)],
        threw(4, 5, details=asked),
        threw(6, 6, by_hand=True),
        threw(3, 1),
        Corrected(43, (("d6", 1), ("d6", 2)), (1,)),
        Corrected(5, (("d6", 1), ("d6", 1)), (1,)),
    ]
    found = after(entries)
    folded = fold(("2026-11-21", dump(entry)) for entry in entries)
    (report,) = reports(folded.tapes.all())
    assert found.throws == folded.throws == 42
    assert found.counts == tuple(report.counts)
    assert found.asked == tuple(report.asked)
    assert found.log_e == pytest.approx(report.log_e)
    assert found.log_e_without_asked == pytest.approx(report.log_e_without_asked)
    assert found.verdict is report.verdict is Verdict.TOO_FEW


def test_the_moment_is_told_when_the_dice_may_be_called_biased() -> None:
    faces = rolled("d6", 1500, one_face_at("d6", 0.25), seed=3)
    found = after([opened(), *[threw(face) for face in faces]])
    assert found.verdict is Verdict.BIASED
    assert found.accused_at is not None
    assert after([opened(), *[threw(face) for face in faces[: found.accused_at]]]).log_e >= log(20)
    assert after([opened(), *[threw(face) for face in faces[: found.accused_at - 1]]]).log_e < log(20)
    assert len(found.curve) <= MOST_POINTS
    assert found.curve[0] == (0, 0.0)
    throws, power = found.curve[-1]
    assert throws == 1500
    assert power == pytest.approx(found.log_e / log(10), abs=0.001)


@pytest.mark.parametrize(
    "asked",
    [DieDetails(confirmed_by=2, proposed=6), DieDetails(vouched_by=2), DieDetails(vouched_by="nobody")],
)
def test_a_bias_of_the_reader_or_of_what_was_not_seen_accuses_nobody(asked: DieDetails) -> None:
    """Each six is asked for, and comes too often only because of that."""
    sixes = [threw(6, details=(asked,)) for _ in range(300)]
    found = after([opened(), *[threw(face) for face in rolled("d6", 600)], *sixes])
    assert found.verdict is Verdict.DISPUTED
    assert found.accused_at is None


def test_before_the_first_throw_there_is_nothing_to_say() -> None:
    found = after([opened()])
    assert (found.throws, found.log_e, found.accused_at, found.curve) == (0, 0.0, None, ((0, 0.0),))
    assert found.to_json()["verdict"] == "too_few"
