"""A line or dot tells a 6 from a 9, the numerals beside a d20 its value; what contradicts is a doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from games.dice import KINDS
from hardware.simulated.clock import VirtualClock
from hardware.simulated.places import at_random
from hardware.simulated.world import World
from tests.vision.a_reader import READER
from vision.recognition.classifiers import CROP_PX, VALUES, SixNineClassifier, Symbol, SymbolClassifier
from vision.recognition.corroboration import (
    OFF_MIDDLE,
    STANDARD,
    Corroborators,
    beside,
    likelihoods,
    numbered_beside,
    read_beside,
)
from vision.recognition.doubts import LEAST_SIX_NINE, MOST_UPSIDE_DOWN
from vision.recognition.fusion import Prediction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.recognition.classifiers import Floats, Pixels

CROP = np.zeros((CROP_PX, CROP_PX, 3), np.uint8)
SYMBOL = Symbol(CROP_PX / 2, CROP_PX / 2, 30, 0.9, ())


class Line(SixNineClassifier):
    """Says of every 6 or 9 that it stands upright by these log odds."""

    def __init__(self, odds: float) -> None:
        self.odds = odds

    def upright(self, _crop: Pixels, _symbol: Symbol, _up_deg: float) -> float:
        return self.odds


class BothWays(SymbolClassifier):
    """Reads a symbol as one value where it stands upright along 90°, and as the other upside down."""

    def __init__(self, ahead: int, reverse: int) -> None:
        self.values = {90.0: ahead, 270.0: reverse}

    def predict_all(self, _crop: Pixels, symbols: Sequence[tuple[Symbol, float]]) -> Floats:
        return np.array([np.eye(VALUES)[self.values[up_deg]] for _, up_deg in symbols])


class Beside(SymbolClassifier):
    """Reads these numerals beside the top, in the first of the ways up of each; 0 is nothing.

    The numeral of the top is `top` if it stands upright along 90°, else the other one of 6 and 9, with the
    probability `plain`; the rest is that it is the other one.
    """

    def __init__(self, *values: int, top: int = 6, plain: float = 0.99) -> None:
        self.values = values
        self.top = top
        self.plain = plain

    def predict_all(self, _crop: Pixels, symbols: Sequence[tuple[Symbol, float]]) -> Floats:
        said = np.zeros((len(symbols), VALUES))
        for row, (_, up_deg) in zip(said, symbols, strict=True):
            value = self.top if up_deg % 360 == 90 else 15 - self.top
            row[value], row[15 - value] = self.plain, 1 - self.plain
        return said

    def predict_views(self, _views: Sequence[Pixels]) -> Floats:
        said = np.full((3, 3, VALUES), 0.001)
        said[..., 0] = 0.98
        for face, value in enumerate(self.values):
            said[face, 0] = 0.001
            said[face, 0, value] = 0.98
        return said.reshape(9, VALUES)


def read(kind: str, value: int, sure: float = 0.98, other: int = 0) -> Prediction:
    joint = np.zeros((len(KINDS), VALUES))
    joint[KINDS.index(kind), value] = sure
    joint[KINDS.index(kind), other or 1] = 1 - sure
    return Prediction(joint, SYMBOL, 0.9, 0.8, 0.01, 0.01, 0.001, 90.0, value)


def told(
    said: Prediction, line: float = 0.0, beside: tuple[int, ...] = (0, 0, 0), plain: float = 0.99
) -> Prediction:
    symbols = Beside(*beside, top=said.read_as, plain=plain)
    return Corroborators(symbols, Line(line)).corroborated(said, CROP)


def is_sure(said: Prediction) -> bool:
    return said.six_nine >= LEAST_SIX_NINE


@pytest.mark.parametrize("kind", ["d10", "d12", "d20"])
@pytest.mark.parametrize("value", [6, 9])
def test_a_line_that_bears_out_the_way_up_makes_it_sure(kind: str, value: int) -> None:
    said = told(read(kind, value), line=8.0)
    assert said.best == (KINDS.index(kind), value)
    assert is_sure(said)


@pytest.mark.parametrize("kind", ["d10", "d12", "d20"])
@pytest.mark.parametrize("value", [6, 9])
def test_without_a_line_or_dot_the_way_up_alone_is_not_enough(kind: str, value: int) -> None:
    assert not is_sure(told(read(kind, value, 1.0)))


@pytest.mark.parametrize("line", [5.5, -5.5])
@pytest.mark.parametrize(("kind", "sure"), [("d12", False), ("d20", True)])
def test_a_faint_line_bears_out_the_way_up_of_a_d20_and_not_of_a_d12(
    kind: str, sure: bool, line: float
) -> None:
    """Of numerals without line and dot, two in a thousand show as much of one."""
    value = 6 if line > 0 else 9
    said = told(read(kind, value, 1.0), line=abs(line))
    assert said.best == (KINDS.index(kind), value)
    assert is_sure(said) is sure


@pytest.mark.parametrize("kind", ["d12", "d20"])
def test_a_line_against_the_way_up_is_a_doubt(kind: str) -> None:
    said = told(read(kind, 6, 1.0), line=-8.0)
    assert said.best == (KINDS.index(kind), 9)
    assert not is_sure(said)


def test_a_plain_line_tells_a_d10_whose_numerals_stand_the_other_way() -> None:
    said = told(read("d10", 6, 1.0), line=-10.0)
    assert said.best == (KINDS.index("d10"), 9)
    assert is_sure(said)


@pytest.mark.parametrize("kind", ["d10", "d12", "d20"])
@pytest.mark.parametrize("line", [8.0, -12.0])
def test_a_line_tells_nothing_of_a_shape_that_may_be_either(kind: str, line: float) -> None:
    assert is_sure(told(read(kind, 6, 1.0), line=line, plain=0.96))
    blotted = told(read(kind, 6, 1.0), line=line, plain=0.9)
    assert blotted.best == (KINDS.index(kind), 6)
    assert not is_sure(blotted)


class Shapes(SymbolClassifier):
    """Says of a symbol along 90° that it is a 6 with this probability, and of it upside down likewise."""

    def __init__(self, upright: float, reverse: float) -> None:
        self.six = {90.0: upright, 270.0: reverse}

    def predict_all(self, _crop: Pixels, symbols: Sequence[tuple[Symbol, float]]) -> Floats:
        said = np.zeros((len(symbols), VALUES))
        said[:, 6] = [self.six[up_deg % 360] for _, up_deg in symbols]
        said[:, 0] = 1 - said[:, 6]
        return said


@pytest.mark.parametrize(
    ("upright", "reverse", "sure"),
    [(0.95, 0.0, True), (0.95, 0.25, True), (0.85, 0.0, False), (0.95, 0.35, False)],
)
@pytest.mark.parametrize("kind", ["d10", "d12"])
def test_a_line_tells_nothing_of_a_shape_that_is_blurred_or_the_same_both_ways(
    kind: str, upright: float, reverse: float, sure: bool
) -> None:
    said = Corroborators(Shapes(upright, reverse), Line(8.0)).corroborated(read(kind, 6), CROP)
    assert is_sure(said) is sure


@pytest.mark.parametrize(("kind", "value"), [("d6", 6), ("d8", 6), ("d20", 16), ("d12", 3)])
def test_what_has_no_other_one_needs_no_line(kind: str, value: int) -> None:
    said = told(read(kind, value), line=-20.0)
    assert said.best == (KINDS.index(kind), value)
    assert said.six_nine == 1


@pytest.mark.parametrize(
    ("kind", "ahead", "reverse", "doubted"),
    [
        ("d10", 8, 3, True),
        ("d10", 7, 6, True),
        ("d10", 7, 0, False),
        ("d10", 8, 8, False),
        ("d12", 3, 9, True),  # a worn one
        ("d12", 8, 3, False),  # its numerals stand one way
        ("d8", 8, 3, False),
    ],
)
def test_a_numeral_that_is_another_one_upside_down_is_doubted_where_makers_differ(
    kind: str, ahead: int, reverse: int, doubted: bool
) -> None:
    told = Corroborators(BothWays(ahead, reverse), Line(0.0)).corroborated(read(kind, ahead), CROP)
    assert (told.upside_down >= MOST_UPSIDE_DOWN) is doubted


def test_numerals_beside_the_top_tell_a_6_without_a_line() -> None:
    near = tuple(np.flatnonzero(numbered_beside()[6]).tolist())
    assert is_sure(told(read("d20", 6, 0.9, other=9), beside=near))


def test_numerals_beside_the_top_bear_out_what_is_hardly_read() -> None:
    said = told(read("d20", 8, 0.6, other=3), beside=(20, 16, 10))
    assert said.best == (KINDS.index("d20"), 8)
    assert said.confidence > 0.99
    assert said.beside > 3
    assert not said.beside_differs


def test_a_worn_8_that_is_read_as_a_3_is_contradicted_by_what_stands_beside_it() -> None:
    assert told(read("d20", 3, 0.995, other=8), beside=(20, 16, 10)).beside_differs
    assert not told(read("d20", 3, 0.995, other=8)).beside_differs


def test_one_misread_numeral_beside_the_top_contradicts_nothing() -> None:
    assert not told(read("d20", 8, 0.99, other=3), beside=(20, 16, 13)).beside_differs


def test_what_is_surely_no_d20_is_not_looked_at_beside() -> None:
    assert told(read("d12", 3), beside=(20, 16, 10)).beside == 0


def test_nothing_legible_beside_tells_nothing() -> None:
    blank = np.zeros((3, VALUES))
    blank[:, 0] = 1
    assert likelihoods(blank, STANDARD, 0.0) == pytest.approx(np.ones(VALUES - 1))


def test_a_d20_has_three_faces_beside_each_at_the_same_angle() -> None:
    assert (numbered_beside().sum(1)[1:] == 3).all()
    assert np.degrees(np.arccos(beside().normals[:, 2])) == pytest.approx([41.81] * 3, abs=0.01)


def test_the_numerals_beside_the_top_are_read_on_simulated_dice() -> None:
    values = [20, 13, 7, 2, 8, 17]
    world = World(3, VirtualClock())
    dice = world.pick(["d20"] * len(values), set())
    world.lay(at_random(np.random.default_rng(3), dice, [], values))
    frame = np.array(world.picture_at(world.settled_at_s + 1))
    right = 0
    for seen in READER.recognize(frame):
        said = seen.prediction
        assert said.symbol is not None
        near = read_beside(seen.crop, said.symbol, said.up_deg, READER.symbols, OFF_MIDDLE)
        assert near is not None
        right += sum(bool(numbered_beside()[said.best[1], int(one.argmax())]) for one in near)
        assert said.beside > 1
        assert not said.beside_differs
    assert right >= 0.8 * 3 * len(values)
