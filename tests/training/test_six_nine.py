"""Rendered sixes and nines: a style shows what it promises, and hardly any is swapped in silence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.extent import extent
from tests.vision.a_reader import READER
from training import lettering
from training.shots import STYLES, Style, count, die_of, shot

FONTS = Path("/usr/share/fonts/truetype/dejavu")
DICE = extent(15, 45)
RARE = 1
"""Most swapped dice per style. About one in 1,500 is; one that guesses swaps half of those unmarked."""


@pytest.fixture(autouse=True)
def few_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fonts that every machine of the project has, in place of the packages of docs/research/data.md."""
    files = tuple(str(path) for path in sorted(FONTS.glob("*.ttf")))
    if not files:
        pytest.skip(f"no fonts in {FONTS}: install fonts-dejavu-core")
    monkeypatch.setattr(lettering, "_families", lambda *, plain: (files,))  # noqa: ARG005 - as it is called


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_a_style_shows_sixes_and_nines_of_its_kind(style: Style) -> None:
    frame, dice = shot(style, np.random.default_rng(3))
    assert frame.dtype == np.uint8
    assert len(dice) >= 6
    assert {value for _, value in dice} == {6, 9}


def test_the_numerals_of_a_d10_stand_either_way_in_its_faces() -> None:
    rng = np.random.default_rng(1)
    usual, reversed_ = (die_of(Style("d10", reversed=turned, line="line"), rng) for turned in (False, True))
    assert (usual.turns, reversed_.turns) == (0, 1)


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_hardly_any_6_is_read_as_a_9_in_silence(style: Style) -> None:
    counted = count(style, DICE, READER)
    assert counted.swapped <= RARE, counted
    assert counted.dice == counted.right + counted.asked + counted.swapped + counted.wrong, counted
