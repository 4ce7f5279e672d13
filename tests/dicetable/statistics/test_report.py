"""The verdicts, and what is said beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dicetable.statistics.report import DieReport, reports
from dicetable.statistics.tapes import ALONE, Tapes
from dicetable.table import bias
from dicetable.table.bias import Verdict
from games.dice import FACES, KINDS
from tests.dicetable.statistics.throwing import one_face_at, rolled, taped

if TYPE_CHECKING:
    from pathlib import Path

CROPS = "photos/dev/fickett_crops/labels.jsonl"


def of(tape_faces: list[int], asked: range | tuple[int, ...] = ()) -> DieReport:
    (found,) = reports({"d6": taped("d6", tape_faces, asked)})
    return found


def test_a_loaded_die_is_accused() -> None:
    found = of(rolled("d6", 1500, one_face_at("d6", 0.25), seed=3))
    assert found.verdict is Verdict.BIASED
    assert found.p_value < 0.001
    assert found.intervals[5][0] > 1 / 6
    assert found.log_e_highest >= found.log_e


def test_a_fair_die_is_never_called_fair() -> None:
    assert of(rolled("d6", 100)).verdict is Verdict.TOO_FEW
    assert of(rolled("d6", 3000)).verdict is Verdict.NO_BIAS_FOUND
    assert bias.next_step("d6", 100) == (50, 200)
    assert bias.next_step("d6", 3000) == (10, 3700)
    assert bias.next_step("d6", 10_000) is None
    assert [bias.excluded("d6", throws) for throws in (100, 300, 1700, 7000)] == [None, 50, 20, 10]


def test_a_bias_that_only_the_dice_asked_for_show_is_the_readers() -> None:
    """600 fair throws, and 300 sixes that people confirmed."""
    fair = rolled("d6", 600)
    found = of(fair + [6] * 300, range(600, 900))
    assert found.verdict is Verdict.DISPUTED
    assert list(found.asked) == [0, 0, 0, 0, 0, 300]
    assert found.log_e > 20 > 1 > found.log_e_without_asked


def test_a_bias_that_only_leaving_them_out_makes_is_the_readers_too() -> None:
    """The reader asks for every six: without these the die seems to have none."""
    faces = rolled("d6", 600)
    found = of(faces, tuple(number for number, face in enumerate(faces) if face == 6))
    assert found.verdict is Verdict.DISPUTED


def test_one_of_many_dice_needs_more_evidence() -> None:
    """E of 20 is enough for a die alone; beside thirty fair ones it happens by chance."""
    loaded = rolled("d6", 290, one_face_at("d6", 0.25), seed=14)
    alone = of(loaded)
    assert 3 < alone.log_e < 6
    assert alone.verdict is Verdict.BIASED
    many = {"loaded": taped("d6", loaded)} | {
        f"{n}": taped("d6", rolled("d6", 290, seed=n)) for n in range(100, 130)
    }
    assert reports(many)[0].verdict is not Verdict.BIASED


def test_a_die_with_two_faces_is_noticed_and_a_die_thrown_twice_is_not() -> None:
    assert of([3, 5] * 12).lacks_faces
    assert of([3, 3, 3] * 6).lacks_faces
    assert not of([3, 5]).lacks_faces


def test_the_medians_fall_with_the_excess_and_rise_with_the_faces() -> None:
    rows = [bias.MEDIAN_THROWS[kind] for kind in KINDS]
    assert all(row[0] < row[1] < row[2] for row in rows)
    assert rows == sorted(rows)


def test_the_json_holds_what_the_report_says() -> None:
    faces = rolled("d10", 500)
    (found,) = reports({"ten": taped("d10", faces, (0,))})
    shown = json.loads(json.dumps(found.to_json()))
    assert shown["throws"] == 500
    assert [face["count"] for face in shown["faces"]] == [faces.count(face) for face in range(1, 11)]
    assert sum(face["asked"] for face in shown["faces"]) == 1
    assert shown["verdict"] == "too_few"
    assert shown["opposite_faces"]["axes"][0]["faces"] == [1, 8]
    assert shown["pairs"] == 499


@pytest.mark.slow
@pytest.mark.photos
def test_the_crops_have_the_counts_of_their_labels_and_are_too_even_for_chance(shared: Path) -> None:
    """Their collector took as many of each face: no throws at all, which no test for bias may accuse."""
    tapes = Tapes()
    for line in (shared / CROPS).read_text().splitlines():
        for die in json.loads(line)["dice"]:
            tapes.add(die["type"], die["value"], ALONE)
    found = {each.kind: each for each in reports(tapes.all())}
    assert {kind: each.throws for kind, each in found.items()} == {"d6": 504, "d8": 80, "d20": 1320}
    for kind, each in found.items():
        assert np.ptp(each.counts) <= 2
        assert abs(each.counts - each.throws / FACES[kind]).max() <= 1.5
        assert each.log_e < 0
        assert each.p_value > 0.999
        assert each.verdict in (Verdict.TOO_FEW, Verdict.NO_BIAS_FOUND)
    assert (found["d20"].pairs_p_value or 1.0) < 0.001  # sorted by face, as far as any die goes
