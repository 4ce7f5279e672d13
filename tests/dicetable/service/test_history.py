"""The evening, minute by minute, in virtual time."""

from __future__ import annotations

import pytest

from dicetable.service.loop import History
from dicetable.table.meters import Meters


@pytest.fixture
def warm() -> list[tuple[float, float] | None]:
    return [(51.23, 80.0)]


def test_each_minute_has_what_it_brought_and_the_temperature_at_its_end(
    warm: list[tuple[float, float] | None],
) -> None:
    meters = Meters()
    history = History(100.0, lambda: warm[0])
    meters.throws, meters.asked = 3, 1
    history.note(159.0, meters)
    assert history.to_json(160.0) == {"v": 1, "limit_c": None, "minutes": []}
    history.note(160.0, meters)
    meters.throws, meters.void = 5, 1
    warm[0] = None
    history.note(170.0, meters)
    history.note(221.0, meters)
    told = history.to_json(230.0)
    assert told == {"v": 1, "limit_c": 80.0, "minutes": [[70, 3, 1, 0, 51.2], [9, 2, 0, 1, None]]}


def test_a_table_made_anew_counts_from_nothing(warm: list[tuple[float, float] | None]) -> None:
    history = History(0.0, lambda: warm[0])
    meters = Meters()
    meters.throws = meters.asked = 9
    history.note(60.0, meters)
    meters = Meters()
    meters.throws = 2
    history.note(120.0, meters)
    assert [minute[1:4] for minute in history.to_json(120.0)["minutes"]] == [[9, 9, 0], [2, 0, 0]]


def test_it_holds_twelve_hours() -> None:
    history = History(0.0, lambda: None)
    meters = Meters()
    for minute in range(770):
        history.note(60.0 * (minute + 1), meters)
    assert len(history.to_json(0.0)["minutes"]) == 720
