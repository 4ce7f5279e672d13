"""Formulas: the dice they need, what real dice make of them, and one clear sentence for each mistake."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from games.errors import BadOption
from games.formula import parse, sum_of


def test_two_hundred_formulas_make_what_the_library_d20_makes_of_them() -> None:
    """The library, version 1.1.2, rolled each formula once; the file has its dice and its totals.

    It writes `p` for our `d` (drop), and a number behind each; the formulas are random ones in our notation.
    """
    lines = Path(__file__).with_name("formulas_by_d20.txt").read_text().splitlines()
    assert len(lines) == 200
    for line in lines:
        rolled, total = line.split(" = ")
        text, *words = rolled.split()
        dice = [(kind, int(value)) for kind, value in (word.split(":") for word in words)]
        formula = parse(text)
        assert Counter(formula.dice) == Counter(kind for kind, _ in dice), text
        assert formula.result(dice).total == int(total), line  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "dice", "total", "kept"),
    [
        ("3d6+2", "d6 1 4 6", 13, "111"),
        ("2d20kh", "d20 3 17", 17, "01"),
        ("2d20kl+5", "d20 3 17", 8, "10"),
        ("4d6dl", "d6 1 4 6 1", 11, "1110"),
        ("4d6dh2", "d6 1 4 6 1", 2, "1001"),
        ("4d6k3", "d6 2 4 6 1", 12, "1110"),
        ("8d6", "d6 1 2 3 4 5 6 6 6", 33, "11111111"),
        (" 1D20 + d4 - 1 ", "d4 2 d20 20", 21, "11"),
        ("10+d10-d12", "d10 10 d12 7", 13, "11"),
        ("-d6", "d6 5", -5, "1"),
    ],
)
def test_real_dice_make_what_the_formula_says(text: str, dice: str, total: int, kept: str) -> None:
    kind, read = "", []
    for word in dice.split():
        if word.startswith("d"):
            kind = word
        else:
            read.append((kind, int(word)))
    formula = parse(text)
    assert sorted(formula.dice) == sorted(kind for kind, _ in read)
    result = formula.result(read)  # type: ignore[arg-type]
    assert (result.total, "".join(str(int(counts)) for counts in result.counts)) == (total, kept)


@pytest.mark.parametrize("text", ["d100", "d%", "1d100", "d100+d10"])
@pytest.mark.parametrize(
    ("tens", "ones", "total"), [(0, 10, 100), (0, 7, 7), (30, 10, 30), (30, 4, 34), (90, 9, 99)]
)
def test_a_percentile_die_and_a_d10_are_one_number_from_1_to_100(
    text: str, tens: int, ones: int, total: int
) -> None:
    result = parse(text).result([("d10", ones), ("d100", tens)])
    assert (result.total, result.counts) == (total, (True, True))
    assert sum_of([("d100", tens), ("d10", ones)]).total == total


@pytest.mark.parametrize(("text", "tens", "total"), [("d100", 30, 30), ("d%+5", 0, 105), ("7-d100", 40, -33)])
def test_a_percentile_die_may_be_thrown_alone(text: str, tens: int, total: int) -> None:
    formula = parse(text)
    assert (formula.needed, formula.dice) == (("d100",), ("d10", "d100"))
    assert formula.result([("d100", tens)]).total == total


def test_a_percentile_die_among_other_dice() -> None:
    assert parse("d100+2d6kh").result([("d6", 3), ("d6", 5), ("d10", 2), ("d100", 0)]).total == 7
    assert sum_of([("d100", 30), ("d6", 4)]).total == 34
    assert sum_of([("d100", 30), ("d10", 10), ("d10", 10)]).total == 50


def test_of_equal_dice_the_first_count() -> None:
    assert parse("4d6dl").result([("d6", 1)] * 4).counts == (True, True, True, False)
    assert parse("2d20kl").result([("d20", 7)] * 2).counts == (True, False)


@pytest.mark.parametrize(
    ("text", "dice", "natural"),
    [
        ("2d20kh+5", [20, 1], 20),
        ("2d20kl+5", [20, 1], 1),
        ("2d20kl+5", [20, 2], None),
        ("2d20", [20, 20], None),
        ("d20", [19], None),
    ],
)
def test_a_natural_is_the_only_d20_that_counts(text: str, dice: list[int], natural: int | None) -> None:
    read = [("d20", face) for face in dice]
    assert parse(text).result(read).natural(read) == natural  # type: ignore[arg-type]


def test_without_a_formula_all_dice_count() -> None:
    assert sum_of([("d20", 17), ("d6", 4)]).total == 21
    assert sum_of([("d20", 20), ("d6", 4)]).natural([("d20", 20), ("d6", 4)]) == 20


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("5", "has no dice"),
        ("hello", "cannot be read at 'hello'"),
        ("3d6+", "cannot be read at '+'"),
        ("3d6 2d8", "cannot be read at ' 2d8'"),
        ("3d6!", "cannot be read at '!'"),
        ("2d7", "does not read a d7: use d4, d6, d8, d10, d12, d20, d100"),
        ("2d100", "has 2 d100: write d100, and throw once for each"),
        ("d100+2d10", "a d100 goes with the one d10 that gives its ones: write d100, or d100+d10"),
        ("d100-d10", "a d100 goes with the one d10 that gives its ones: write d100, or d100+d10"),
        ("0d6", "throws no dice"),
        ("2d20kh3", "keeps 3 of 2 dice"),
        ("2d20kh0", "keeps 0 of 2 dice"),
        ("2d6dl2", "keeps 0 of 2 dice"),
        ("d6+2d6", "d6 is in the formula 2 times: write all of them together"),
        ("31d6", "more than 30 dice"),
        ("16d6+15d8", "more than 30 dice"),
        ("d6+1000", "add at most 999"),
        ("d6+" + "+".join(["1"] * 40), "longer than 60 characters"),
        ("d6+٣", "cannot be read"),
    ],
)
def test_a_mistake_gets_one_sentence_with_the_remedy(text: str, says: str) -> None:
    with pytest.raises(BadOption) as refused:
        parse(text)
    assert says in str(refused.value)
    assert ": " in str(refused.value)
