"""The answers of the symbol net decide which symbol and which orientation count."""

from __future__ import annotations

import numpy as np
import pytest

from games.dice import KINDS
from tests.vision.recognition.tables import Table, of, predicted, value
from vision.recognition.classifiers import (
    Orientation,
    Symbol,
)

D4, D8, D10, D20 = (KINDS.index(kind) for kind in ("d4", "d8", "d10", "d20"))


def symbol(x: float, score: float, *ups: tuple[float, float]) -> Symbol:
    return Symbol(x, 50, 20, score, tuple(Orientation(*up) for up in ups))


@pytest.fixture
def table() -> Table:
    return Table()


def test_an_orientation_in_which_nothing_is_legible_does_not_count(table: Table) -> None:
    table.says[50, 90] = (17, 0.95)
    best, sure = value(table, D20, symbol(50, 0.6, (0, 0.6), (90, 0.3)))
    assert best == 17
    assert sure > 0.9


def test_a_much_fainter_place_hardly_counts(table: Table) -> None:
    table.says[50, 0], table.says[80, 0] = (17, 0.98), (3, 0.98)
    best, sure = value(table, D20, symbol(50, 0.7, (0, 1.0)), symbol(80, 0.2, (0, 1.0)))
    assert best == 17
    assert sure > 0.9


def test_of_two_places_as_plain_neither_is_sure(table: Table) -> None:
    table.says[50, 0], table.says[80, 0] = (17, 0.98), (3, 0.98)
    assert value(table, D20, symbol(50, 0.5, (0, 1.0)), symbol(80, 0.49, (0, 1.0)))[1] < 0.6


def test_of_two_places_as_plain_the_one_where_the_camera_shows_tops_says_it(table: Table) -> None:
    table.says[50, 0], table.says[80, 0] = (17, 0.98), (3, 0.98)
    symbols = symbol(50, 0.5, (0, 1.0)), symbol(80, 0.5, (0, 1.0))
    values, top = predicted(table, *symbols, prior=lambda seen: -4.0 if seen == symbols[0] else 0.0)
    assert values[D20].argmax() + 1 == 3
    assert values[D20].max() > 0.9
    assert top.symbol == symbols[1]


def test_a_symbol_is_read_once_however_often_it_is_weighed(table: Table) -> None:
    table.says[50, 0] = (17, 0.98)
    symbols = of(table, symbol(50, 0.7, (0, 1.0)))
    first = symbols.predict()
    again = symbols.predict(lambda _: -1.0)
    assert first is not None
    assert again is not None
    assert np.allclose(first[0], again[0])
    assert table.batches == [1]


def test_all_orientations_of_all_symbols_are_one_batch(table: Table) -> None:
    predicted(table, symbol(50, 0.6, (0, 0.6), (90, 0.3)), symbol(80, 0.6, (0, 1.0)))
    assert table.batches == [3]


def test_numerals_of_a_d4_that_agree_bear_one_another_out(table: Table) -> None:
    table.says[50, 0], table.says[70, 0], table.says[90, 0] = (3, 0.4), (3, 0.4), (3, 0.4)
    three = [symbol(x, 0.6, (0, 1.0)) for x in (50, 70, 90)]
    alone, together = value(table, D4, three[0]), value(table, D4, *three)
    assert (alone[0], together[0]) == (3, 3)
    few, many = (sure / (predicted(table, *of_it)[0][D4].sum() - sure) for sure, of_it in
                 ((alone[1], three[:1]), (together[1], three)))  # fmt: skip
    assert many > 20 * few
    assert value(table, D8, *three)[1] == pytest.approx(value(table, D8, three[0])[1])


def test_numerals_of_a_d4_as_plain_that_differ_leave_it_unsure(table: Table) -> None:
    table.says[50, 0], table.says[80, 0] = (1, 0.98), (3, 0.98)
    assert value(table, D4, symbol(50, 0.5, (0, 1.0)), symbol(80, 0.5, (0, 1.0)))[1] < 0.6


def test_a_faint_numeral_of_a_d4_does_not_count_against_a_plain_one(table: Table) -> None:
    table.says[50, 0], table.says[80, 0] = (1, 0.9), (3, 0.98)
    best, sure = value(table, D4, symbol(50, 0.65, (0, 1.0)), symbol(80, 0.25, (0, 1.0)))
    assert best == 1
    assert sure > 0.85


def test_a_numeral_that_no_d4_has_makes_no_d4_likely(table: Table) -> None:
    table.says[50, 0] = (17, 0.98)
    assert predicted(table, symbol(50, 0.7, (0, 1.0)))[0][D4].sum() < 0.02


def test_a_value_that_the_kind_lacks_is_not_said(table: Table) -> None:
    table.says[50, 0] = (17, 0.98)
    assert value(table, D8, symbol(50, 0.7, (0, 1.0)))[1] < 0.02


def test_the_orientation_in_which_a_symbol_counts_is_told_and_what_is_read_there(table: Table) -> None:
    table.says[50, 90] = (9, 0.98)
    _, top = predicted(table, symbol(50, 0.7, (0, 0.5), (90, 0.5)))
    assert (top.up_deg, top.read_as) == (90, 9)


def test_on_a_die_without_a_9_what_looks_like_one_is_a_6_upside_down(table: Table) -> None:
    table.says[50, 0], table.says[50, 180] = (9, 0.98), (6, 0.98)
    assert value(table, D8, symbol(50, 0.7, (0, 1.0)))[0] == 6


def test_a_die_without_symbols_has_no_value(table: Table) -> None:
    assert of(table).predict() is None
    assert table.batches == []


def test_a_face_of_pips_is_read_in_one_orientation_alone(table: Table) -> None:
    table.says[50, 90] = (5, 0.98)
    pips = symbol(50, 0.9, (90, 0.3), (180, 0.25), (270, 0.25), (0, 0.2))
    best, sure = value(table, KINDS.index("d6"), pips)
    assert best == 5
    table.says[50, 180], table.says[50, 270], table.says[50, 0] = (2, 0.98), (2, 0.98), (2, 0.98)
    assert value(table, KINDS.index("d6"), pips) == (best, sure)


def test_a_numeral_that_says_nothing_as_it_stands_is_read_upside_down_where_makers_set_it_so(
    table: Table,
) -> None:
    table.says[50, 270] = (7, 0.98)
    seen = symbol(50, 0.6, (90, 1.0))
    as_it_stands, either_way = (of(table, seen).predict(either_way=either) for either in (False, True))
    assert as_it_stands is not None
    assert as_it_stands[1].up_deg == 90
    assert either_way is not None
    values, top = either_way
    assert (top.up_deg, top.read_as) == (270, 7)
    assert values[D10].argmax() + 1 == 7
    assert values[D10].max() > 0.9


def test_a_numeral_that_says_something_as_it_stands_is_not_read_upside_down(table: Table) -> None:
    table.says[50, 90], table.says[50, 270] = (4, 0.9), (7, 0.99)
    told = of(table, symbol(50, 0.6, (90, 1.0))).predict(either_way=True)
    assert told is not None
    assert (told[1].up_deg, told[1].read_as) == (90, 4)
    assert table.batches == [1]
