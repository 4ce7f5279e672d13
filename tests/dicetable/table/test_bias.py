"""The evidence against a die: its mathematics, and that a test which goes on shows the ledger's."""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dicetable.ledger.entries import Corrected, DieDetails, Entry, Opened, Thrown, dump
from dicetable.statistics.fold import fold
from dicetable.statistics.report import reports
from dicetable.statistics.tapes import Tape
from dicetable.table import bias
from dicetable.table.bias import RunEvidence, Verdict, evidence
from dicetable.table.table_state import TableState
from games.dice import FACES, KINDS
from tests.dicetable.statistics.throwing import one_face_at, rolled, taped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from games.dice import Kind


def opened(dice: int = 1) -> Opened:
    return Opened("fairness", ("ann",), {"faces": 6, "dice": dice}, 1, (), (1,), ())


def threw(*faces: int, details: tuple[DieDetails, ...] = (), by_hand: bool = False) -> Thrown:
    return Thrown(tuple(("d6", face) for face in faces), (), by_hand=by_hand, details=details)


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
    assert found.confirmed == tuple(report.asked)
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
    assert len(found.curve) <= 200
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


E_TO_ACCUSE = log(20)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("throws", [0, 1, 17, 400])
def test_e_is_the_ratio_of_scipys_likelihoods(kind: Kind, throws: int) -> None:
    k = FACES[kind]
    counts = taped(kind, rolled(kind, throws, one_face_at(kind, 1.5 / k))).counts
    stats = pytest.importorskip("scipy.stats")
    fair = stats.multinomial.logpmf(counts, throws, [1 / k] * k)
    ratios = [stats.dirichlet_multinomial.logpmf(counts, [a] * k, throws) - fair for a in bias.CONCENTRATIONS]
    assert bias.log_e(counts) == pytest.approx(np.logaddexp.reduce(ratios) - log(len(ratios)), abs=1e-8)


def test_the_curve_ends_at_e_and_has_a_point_for_each_throw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bias, "CHUNK", 70)
    tape = taped("d20", rolled("d20", 300))
    curve = bias.log_e_curve(tape.faces, tape.day_ends[0])
    assert curve.shape == (300,)
    for throws in (1, 2, 150, 300):
        counts = np.bincount(tape.faces[:throws], minlength=21)[1:]
        assert curve[throws - 1] == pytest.approx(bias.log_e(counts), abs=1e-9)
    assert len(bias.log_e_curve(Tape("d6").faces, Tape("d6").counts)) == 0


def test_e_means_one_over_all_that_a_fair_die_can_show() -> None:
    """What makes it an E value, by hand: every way that three throws of a d4 can fall."""
    ways = [(a, b, c) for a in range(1, 5) for b in range(1, 5) for c in range(1, 5)]
    mean = sum(exp(bias.log_e(taped("d4", way).counts)) for way in ways) / len(ways)
    assert mean == pytest.approx(1)


def test_e_bh_is_as_defined() -> None:
    assert bias.accused([]) == []
    assert bias.accused([log(20.001)]) == [True]
    assert bias.accused([log(19.999)]) == [False]
    assert bias.accused([log(30), log(1)]) == [False, False]
    assert bias.accused([log(41), log(1)]) == [True, False]
    assert bias.accused([log(21), log(1), log(31), log(32)]) == [False, False, False, False]
    assert bias.accused([log(27), log(1), log(31), log(32)]) == [True, False, True, True]


def test_e_bh_accuses_only_where_the_mean_is_twenty() -> None:
    """So that looking at several fair dice after every throw accuses any of them in one case of twenty."""
    rng = np.random.default_rng(6)
    for log_es in rng.normal(2.5, 1.5, (2000, 6)):
        if any(bias.accused(list(log_es))):
            assert np.exp(log_es).mean() >= 20 - 1e-9


def crossings(shares: list[float], throws: int, dice: int, seed: int) -> NDArray[np.int64]:
    """After which throw each of many dice first has E of 20 or more; `throws` + 1 if never."""
    rng = np.random.default_rng(seed)
    k = len(shares)
    edges = np.cumsum(shares)[:-1]
    a = np.array(bias.CONCENTRATIONS, np.float64)
    every = np.arange(dice)
    counts = np.zeros((dice, k))
    logs = np.zeros((dice, len(a)))
    first = np.full(dice, throws + 1)
    for throw in range(throws):
        face = np.searchsorted(edges, rng.random(dice), side="right")
        logs += np.log((a + counts[every, face][:, np.newaxis]) / (k * a + throw)) + log(k)
        counts[every, face] += 1
        e = np.logaddexp.reduce(logs, axis=1) - log(len(a))
        first[(first > throws) & (e >= E_TO_ACCUSE)] = throw + 1
    assert e[0] == pytest.approx(bias.log_e(counts[0].astype(np.int64)), abs=1e-6)
    return first


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_table_of_throws_that_tell_is_drawn_again(kind: Kind) -> None:
    for excess, median in zip(bias.EXCESSES[:2], bias.MEDIAN_THROWS[kind][:2], strict=True):
        shares = one_face_at(kind, (1 + excess / 100) / FACES[kind])
        assert np.median(crossings(shares, 2 * median, 1_000, seed=5)) == pytest.approx(median, rel=0.1)
