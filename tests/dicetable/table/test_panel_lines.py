"""Whatever happens, the panel shows each line whole, with names of ten letters in every seat."""

from __future__ import annotations

import pytest

from common import texts
from dicetable.table.pairings import Contest, LeaguePlayer, Pairing, Pairings
from games.registry import GAMES
from tests.dicetable.readings import lie
from tests.dicetable.table.cut_lines import (
    Cuts,
    cut_in_an_evening,
    cut_in_facts,
    cut_while_a_name_is_spelled,
    pages,
)
from tests.dicetable.table.hands_on import EMPTY, HandsOn


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", GAMES)
def test_no_line_of_an_evening_is_cut(game: str, seed: int) -> None:
    assert cut_in_an_evening(game, seed) == set()


def test_no_fact_of_a_game_is_cut() -> None:
    assert cut_in_facts() == set()


def test_no_line_is_cut_while_a_name_is_spelled() -> None:
    assert cut_while_a_name_is_spelled() == set()


def test_a_long_name_from_a_league_is_shown_in_parts() -> None:
    players = tuple(
        LeaguePlayer(f"{number:016x}", f"Montgomery of the Ferdinandeum {number}") for number in range(3)
    )
    cup = Contest(7, "Winter championship of the taverns", "sixes", players)
    with Cuts() as cuts:
        at = HandsOn()
        at.table.pairings = Pairings(member=True, connected=True, contests=(cup,), number=40)
        at.settle(EMPTY)
        at.menu(2, texts.panel.MENU_ITEMS["league"])
        assert {"> Winter", "> championship of", "> the taverns"} <= set(pages(at, 3))
        at.tap("2.ok")
        assert "> Ferdinandeum 0" in pages(at)
        at.tap("2.ok")
        at.table.pairings.heard(41, Pairing("sixes", players))
        pages(at)
        at.tap("1.ok", "2.ok", "3.ok", "1.ok")
        for faces in ((1, 2, 3), (4, 4, 4), (5, 5, 6)):
            at.settle(EMPTY)
            at.settle(lie(*faces))
            pages(at)
    assert {line.partition(" | ")[2].split()[0] for line in cuts.lines} == {"lost"}, "a name beside a score"
