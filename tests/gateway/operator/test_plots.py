"""The plots of the evening."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from gateway.charts import WIDE
from gateway.operator.plots import BOTTOM, LEFT, TOP, counted, slots, warmth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gateway.charts import Drawing


def told(ago_s: float) -> str:
    return f"{ago_s / 60:.0f} min"


def shapes(drawing: Drawing, tag: str) -> list[dict[str, str]]:
    return [dict(each.attrib) for each in ET.fromstring(drawing.svg("a plot")).iter(tag)]


def words(drawing: Drawing) -> list[str]:
    return [each.text or "" for each in ET.fromstring(drawing.svg("a plot")).iter("text")]


def test_a_bar_is_as_high_as_its_ten_minutes_count() -> None:
    minutes: list[list[float | None]] = [
        [1205.0, 1, 0, 0, None],
        [1195.0, 4, 0, 0, None],
        [600.0, 4, 1, 0, None],
        [0, 2, 0, 1, None],
    ]
    bars = shapes(counted(minutes, 1, told), "rect")
    assert [float(bar["height"]) for bar in bars] == pytest.approx(
        [(BOTTOM - TOP) * part / 8 for part in (1, 8, 2)], abs=0.1
    )
    assert all(LEFT <= float(bar["x"]) < WIDE for bar in bars)
    assert len(shapes(counted(minutes, 3, told), "rect")) == 1


@pytest.mark.parametrize("minutes", [[], [[0, 0, 0, 0, None]]])
def test_an_evening_without_anything_says_so(minutes: Sequence[Sequence[float | None]]) -> None:
    assert "nothing yet" in words(counted(minutes, 1, told))
    assert ("no thermometer" if minutes else "nothing yet") in words(warmth(minutes, None, told))


def test_a_long_evening_is_drawn_whole() -> None:
    minutes = [[60 * ago, 1, 0, 0, 50.0] for ago in range(720, -1, -1)]
    assert slots(minutes) == 73
    drawing = counted(minutes, 1, told)
    assert sum(float(bar["height"]) for bar in shapes(drawing, "rect")) > 0
    assert "730 min" in words(drawing)
    (line,) = shapes(warmth(minutes, 80.0, told), "polyline")
    points = [float(each) for each in re.split("[ ,]", line["points"])]
    assert all(LEFT <= x <= WIDE for x in points[::2])
    assert all(TOP <= y <= BOTTOM for y in points[1::2])


def test_too_hot_is_above_the_limit_s_line() -> None:
    drawing = warmth([[0, 0, 0, 0, 95.0]], 80.0, told)
    limit = next(float(each["y1"]) for each in shapes(drawing, "line") if "stroke-dasharray" in each)
    (line,) = shapes(drawing, "polyline")
    assert float(line["points"].partition(",")[2]) < limit
    assert "95 °C" in words(drawing)
