"""The ledger on the operator page says who threw."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from dicetable.service.ledger_queries import search
from games.registry import GAMES
from tests.dicetable.ledger.books import ledger as ledger_at_noon
from tests.dicetable.ledger.scripts import SEATS, script

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("game", GAMES)
def test_each_throw_has_the_seat_that_it_belongs_to(tmp_path: Path, game: str) -> None:
    with closing(ledger_at_noon(tmp_path)) as ledger:
        for entry in script(game, 3):
            ledger.append(entry)
    (found,) = search(tmp_path, {"words": "", "before": 0, "match": 0})["games"]
    entries = search(tmp_path, {"match": found["number"]})["entries"]
    assert {each["seat"] for each in entries if not each["throw"]} <= {""}
    throwers = {each["seat"] for each in entries if each["throw"]}
    assert len(throwers) > 1
    assert throwers - set(SEATS) <= ({""} if game == "liars_dice" else set())  # cups lifted at once
