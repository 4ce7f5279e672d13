"""A whole game at a table in a league: its rows come over the real socket, signed, while it is played."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING

from common import messages, statements
from dicetable.ledger import unsent
from dicetable.service import league
from dicetable.service.league import Member
from hardware.simulated import physics
from league import ingestion, registry, replay
from tests.dicetable.service.evenings import Evening

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from common.statements import Row

TABLE = 77


def test_a_game_at_the_table_goes_to_the_league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(physics, "available", lambda: False)
    evening = Evening(tmp_path, "midnight")
    folder = tmp_path / "ledger"
    gateway = evening.connect()
    gateway.ask(messages.ROWS, 1)
    evening.turns(5)
    assert [each.answer.body for each in gateway.answers()] == [b""]

    key = league.made_key(folder)
    member = Member("http://127.0.0.1", statements.table_name(TABLE), "Left", "League", 0)
    league.write(folder, league.MEMBER, json.dumps(asdict(member)).encode())
    unsent.acknowledge(folder, 0)
    while not evening.over:
        evening.turn()
    evening.turns(400)
    gateway = evening.connect()  # the first has read nothing for long and was let go
    rows: list[Row] = []
    number = 1
    while True:
        gateway.ask(messages.ROWS, number)
        evening.turns(3)
        (told,) = [each.answer.body for each in gateway.answers()]
        table, _, data = told.partition(b"\n")
        assert table == b"000000000000004d"
        if not data:
            break
        batch = ingestion.read_batch(data)
        statement = statements.head(TABLE, batch.epoch, batch.missing, batch.last.number, batch.last.checksum)
        registry.check_signature(statement, batch.signature, bytes(key.verify_key))
        rows += batch.rows
        number = batch.last.number + 1
    assert number > evening.service.parts.ledger.count - 2
    ends = [row for row in rows if ingestion.closes(row)]
    assert ends
    outcome = replay.outcome(replay.chained_to(ends[0], rows))
    assert (outcome.outcome, outcome.game) == (replay.WON, "midnight")
    assert len(outcome.players) == 3
    evening.close()


def test_root_writes_into_the_folder_of_a_user_as_that_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = {"user": 0, "group": 0}
    seen: list[tuple[int, int, bool]] = []
    monkeypatch.setattr(os, "geteuid", lambda: now["user"])
    monkeypatch.setattr(os, "getegid", lambda: now["group"])
    monkeypatch.setattr(os, "seteuid", lambda user: now.update(user=user))
    monkeypatch.setattr(os, "setegid", lambda group: now.update(group=group))
    monkeypatch.setattr(
        league, "atomic_write", lambda *_, private: seen.append((now["user"], now["group"], private))
    )
    monkeypatch.setattr(
        type(tmp_path), "stat", lambda _: os.stat_result((0, 0, 0, 0, 1001, 1002, 0, 0, 0, 0))
    )
    league.write(tmp_path, league.KEY, b"")
    assert seen == [(1001, 1002, True)]
    assert now == {"user": 0, "group": 0}
