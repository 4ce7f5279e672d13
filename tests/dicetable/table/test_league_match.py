"""A match of a league at the panel: the table asks who plays, the league says against whom."""

from __future__ import annotations

import pytest

from common import texts
from dicetable.ledger.entries import Opened
from dicetable.table.pairings import Contest, LeaguePlayer, Pairing, Pairings
from tests.dicetable.table.hands_on import EMPTY, HandsOn

ANN, BOB, CLEO = (LeaguePlayer(f"{number:016x}", name) for number, name in enumerate(("Ann", "Bob", "Cleo")))
CUP = Contest(7, "Friday cup", "six_by_6", (ANN, BOB, CLEO))
ITEM = texts.panel.MENU_ITEMS["league"]


def in_league(*contests: Contest, connected: bool = True) -> HandsOn:
    at = HandsOn()
    at.table.pairings = Pairings(member=True, connected=connected, contests=contests, number=40)
    at.settle(EMPTY)
    return at


def words(at: HandsOn) -> str:
    """All that the panel says within some seconds."""
    said = []
    for _ in range(8):
        said += [line.strip() for line in at.lines]
        at.wait(1.0)
    return " ".join(dict.fromkeys(said))


def test_without_a_league_nothing_of_it_is_offered(at: HandsOn) -> None:
    at.settle(EMPTY)
    with pytest.raises(AssertionError, match="is not offered"):
        at.menu(1, ITEM)


def test_the_league_says_against_whom_and_each_takes_a_seat() -> None:
    at = in_league(CUP)
    at.menu(2, ITEM)
    at.take(2, "Friday cup", "Bob")
    assert texts.league.IS_ASKED in at.text
    pairings = at.table.pairings
    assert pairings.open_request == (41, 7, BOB.player)
    assert not pairings.heard(40, Pairing("six_by_6", (BOB, ANN)))
    assert pairings.heard(41, Pairing("six_by_6", (BOB, CLEO)))
    at.wait(0.2)
    assert "Bob - Cleo" in at.text
    assert "Bob: press OK" in at.text
    at.tap("3.ok", "3.ok")
    assert "Cleo: press OK" in at.text
    at.tap("1.ok")
    opened = at.journal.entries[-1]
    assert isinstance(opened, Opened)
    assert (opened.game, opened.panel_seats, opened.seats) == ("six_by_6", (1, 3), ("Cleo", "Bob"))
    assert pairings.links == {"Bob": BOB.player, "Cleo": CLEO.player}


@pytest.mark.parametrize("connected", [True, False])
def test_when_nobody_answers_an_ordinary_game_can_be_played(connected: bool) -> None:
    at = in_league(CUP, connected=connected)
    at.menu(1, ITEM)
    at.take(1, "Friday cup", "Ann")
    at.wait(0.2)
    if connected:
        assert texts.league.IS_ASKED in at.text
        at.wait(9.5)
        assert texts.league.IS_ASKED in at.text
        at.wait(0.5)
    assert "The league isn't answering." in words(at)
    assert at.table.pairings.open_request is None
    at.hold("1.ok")
    at.hold("1.ok")
    at.tap("1.ok")
    at.take(1, "Six By 6")
    at.tap("2.ok", "1.ok", "1.ok")
    assert isinstance(at.journal.entries[-1], Opened)
    assert not at.table.pairings.links


def test_the_match_that_the_table_was_given_is_played_without_a_network() -> None:
    at = in_league(Contest(7, "Friday cup", "six_by_6", called=(ANN, BOB)), connected=False)
    at.menu(1, ITEM)
    at.take(1, "Friday cup", "Bob")
    at.wait(0.2)
    at.tap("1.ok", "2.ok")
    opened = at.journal.entries[-1]
    assert isinstance(opened, Opened)
    assert opened.seats == ("Ann", "Bob")


def test_why_there_is_no_match_is_said() -> None:
    at = in_league(CUP, Contest(8, "Empty cup", "sixes"))
    at.menu(1, ITEM)
    at.take(1, "Empty cup")
    assert texts.league.NOBODY_WAITS in words(at)
    at.take(1, "Friday cup", "Ann")
    at.table.pairings.heard(41, Pairing("", (), "there is no such contest"))
    assert "there is no such contest" in words(at)
    at.take(1, "Ann")
    many = tuple(LeaguePlayer(f"{n:016x}", f"P{n}") for n in range(9))
    at.table.pairings.heard(42, Pairing("six_by_6", many))
    assert texts.league.TOO_FEW_SEATS in words(at)


def test_a_league_without_a_contest_says_so() -> None:
    at = in_league()
    at.menu(1, ITEM)
    assert "has no contests yet" in words(at)


def test_seats_are_given_back_and_nobody_has_two() -> None:
    at = in_league(Contest(7, "Friday cup", "six_by_6", called=(ANN, BOB)))
    at.menu(1, ITEM)
    at.take(1, "Friday cup", "Ann")
    at.wait(0.2)
    at.tap("2.ok")
    at.hold("2.ok")
    assert "Ann: press OK" in at.text
    at.hold("1.ok")
    assert not [entry for entry in at.journal.entries if isinstance(entry, Opened)]
    assert at.lines == list(texts.panel.ATTRACT)
