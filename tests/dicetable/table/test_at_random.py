"""Whatever is pressed and seen at whatever time, in every game: nothing is lost, doubled or made up."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from common import texts
from dicetable.ledger.entries import Corrected, Decided, Opened, Thrown
from games.registry import GAMES
from tests.dicetable.table.hammered import CONTROLS, Evening

EXAMPLES = int(os.environ.get("DICETABLE_EXAMPLES", "6"))
"""Of each game; more of them take their time."""

changes = st.tuples(st.just("change"), st.sampled_from(CONTROLS), st.booleans())
taps = st.tuples(st.just("tap"), st.sampled_from([1, 2, 3, 8]), st.sampled_from(["minus", "plus", "ok"]))
asked = st.tuples(st.just("asked"), st.sampled_from(["minus", "plus", "ok", "hold"]))
fitting = st.tuples(st.just("throw"), st.integers(0, 2**30))
odd = st.tuples(st.just("odd"), st.integers(0, 2**30))
things = st.tuples(
    st.just("thing"),
    st.sampled_from(["moving", "hand", "blind", "panel", "camera_moved", "full", "menu", "again"]),
)
items = st.tuples(
    st.just("item"), st.sampled_from([1, 2, 3, 8]), st.sampled_from(sorted(texts.panel.MENU_ITEMS.values()))
)
waits = st.tuples(st.just("wait"), st.sampled_from([0.01, 0.1, 0.6, 3.0, 40.0]))
steps = st.lists(
    st.one_of(asked, asked, asked, fitting, fitting, fitting, taps, changes, odd, things, waits, items),
    min_size=20,
    max_size=60,
)


@pytest.mark.parametrize("game", GAMES)
@given(steps)
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_nothing_is_lost_doubled_or_made_up(game: str, happened: list[tuple[Any, ...]]) -> None:
    evening = Evening(game)
    for what in happened:
        written = len(evening.at.journal.entries)
        evening.step(what)
        assert len(evening.at.lines) <= 4
        new = evening.at.journal.entries[written:]
        if new:
            evening.check()
        if what[0] not in ("change", "tap", "asked", "item"):
            assert not any(isinstance(entry, Opened | Corrected) for entry in new)
            assert all(entry.by_table for entry in new if isinstance(entry, Decided))
        if what[0] == "odd":
            most = 30 if game == "rolls" else 6
            assert not any(isinstance(entry, Thrown) and len(entry.dice) > most for entry in new)
    evening.restart()
