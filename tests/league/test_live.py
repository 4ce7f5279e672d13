"""A table's page shows how its match stands without playing all of it at each view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from league import replay
from tests.league.bars import Bar, entries

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from common.statements import Row
    from league.replay import Playing


def test_each_row_is_played_once_however_often_it_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bar = Bar(tmp_path)
    *played_on, _ = entries("six_by_6", ("Ann", "Bob"), 5)
    for entry in played_on:
        bar.ledger.append(entry)
    rows = bar.rows()
    played: list[int] = []
    after = replay.replay_row

    def counted(playing: Playing, row: Row) -> Playing:
        played.append(row.number)
        return after(playing, row)

    monkeypatch.setattr(replay, "replay_row", counted)
    live = replay.LiveMatches()
    for upto in (10, 10, 5, len(rows), len(rows)):
        whole = replay.LiveMatches().current(rows[:upto])
        played.clear()
        match = live.current(rows[:upto])
        assert match is not None
        assert whole is not None
        assert match.state() == whole.state()
        assert len(played) == {10: 10, 5: 5}.get(upto, len(rows) - 10) or not played
    played.clear()
    assert live.current(rows) is not None
    assert played == []
    assert live.current([]) is None
    for number in range(1, len(rows)):
        live.current(rows[:number])
    assert len(live.known) <= replay.MOST_LIVE


def test_a_match_that_many_look_at_drives_no_other_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "MOST_LIVE", 3)
    busy, quiet = Bar(tmp_path / "busy"), Bar(tmp_path / "quiet")
    for bar in (busy, quiet):
        for entry in list(entries("six_by_6", ("Ann", "Bob"), 5))[:-1]:
            bar.ledger.append(entry)
    live = replay.LiveMatches()
    live.current(quiet.rows())
    for number in range(1, 8):
        live.current(busy.rows()[:number])
    monkeypatch.setattr(replay, "replay_row", None)
    assert live.current(quiet.rows()) is not None
