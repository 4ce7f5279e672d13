"""From power-on to a game: set-up, names, options, and what comes after the winners."""

from __future__ import annotations

import pytest

from common import texts
from dicetable.ledger.entries import Opened
from dicetable.table.set_up import SetUp, open_game
from games.errors import BadOption
from hardware.ports import LampMode
from tests.dicetable.table.hands_on import EMPTY, HandsOn


def test_an_idle_table_invites(at: HandsOn) -> None:
    pages = set()
    for _ in range(6):
        pages.add(tuple(at.lines))
        at.wait(2.5)
    assert texts.panel.ATTRACT in pages
    assert any("Money Shot" in line for page in pages for line in page)
    assert all(lamp.mode is LampMode.CHASE for lamp in at.table.view.lamps.values())


def test_a_game_is_set_up_with_three_buttons(at: HandsOn) -> None:
    at.settle(EMPTY)
    at.tap("3.ok")
    at.take(3, "Money Shot")
    at.tap("3.ok")
    assert "for 3 to 8 players" in at.text
    at.tap("5.ok", "8.ok", "8.ok", "1.ok", "1.plus")
    assert "3 in, 3 to 8 play" in at.text
    at.tap("3.ok")
    at.take(3, "Chips", "51", "Who goes first", "cleo", "START")
    opened = at.journal.entries[-1]
    assert isinstance(opened, Opened)
    assert (opened.seats, opened.panel_seats) == (("bob", "cleo", "eve"), (1, 3, 5))
    assert opened.options == {"chips": 51, "first": "cleo"}
    assert opened.lying == ()
    assert at.state["active"] == "cleo"
    assert at.table.view.lamps["seat3"].mode is LampMode.PULSE


def test_a_name_is_spelt(at: HandsOn) -> None:
    at.tap("1.ok")
    at.take(1, "Six By 6")
    at.tap("1.ok")
    at.take(1, "Names", "1: ann", "b", "bb", "bbc")
    at.hold("1.ok")
    at.take(1, "bb END?")
    assert at.choice == "1: bb"
    at.hold("1.ok")
    at.take(1, "START")
    opened = at.journal.entries[-1]
    assert isinstance(opened, Opened)
    assert opened.seats == ("bb",)


def test_a_game_with_names_that_look_alike_is_not_opened(at: HandsOn) -> None:
    for names in ({1: "Ann", 2: "ANN"}, {1: "Zoë", 2: "Zoe"}):
        with pytest.raises(BadOption):
            open_game(at.table, "six_by_6", names, {})
    assert at.journal.entries == []


def test_only_values_that_suit_the_seats_and_the_other_options_are_offered(at: HandsOn) -> None:
    at.tap("1.ok")
    at.take(1, "Six Shooter")
    at.tap("2.ok", "1.ok")
    at.take(1, "Ante")
    at.tap("1.minus", "1.minus")
    assert at.choice == "20"  # the largest: all of a seat's chips
    at.hold("1.ok")
    at.hold("1.ok")
    at.hold("1.ok")
    at.take(1, "Liar's Dice")
    at.tap("1.ok")
    at.take(1, "Dice each")
    at.tap(*["1.minus"] * 6)
    assert at.choice == "20"


def test_options_that_no_longer_suit_are_said(at: HandsOn) -> None:
    at.tap("1.ok")
    at.take(1, "Liar's Dice")
    at.tap("2.ok", "1.ok")
    at.take(1, "Dice each", "20")
    at.hold("1.ok")
    at.tap("3.ok", "1.ok")
    at.take(1, "START")
    assert at.journal.entries == []
    said = at.text
    at.wait(2.5)
    assert (
        "at most 20 dice a seat and 48 at the table"
        in f"{said} {at.text}".replace("Liar's Dice 1/5 ", "").lower()
    )


def test_a_name_of_ten_letters_is_shown_whole(at: HandsOn) -> None:
    at.tap("1.ok")
    at.take(1, "Six By 6")
    at.tap("1.ok")
    at.take(1, "Names", "1: ann", *(("j" * count) for count in range(1, 10)))
    at.tap("1.ok")
    assert at.choice == "jjjjjjjjjj END?"
    at.tap("1.ok")
    at.hold("1.ok")
    at.take(1, "START")
    assert at.lines[0].startswith("jjjjjjjjjj ")


def test_only_the_host_sets_up_and_nobody_is_waited_for(at: HandsOn) -> None:
    at.tap("1.ok")
    before = at.choice
    at.tap("2.plus", "2.ok", "8.minus")
    assert at.choice == before
    at.wait(SetUp.idle_s)
    assert at.choice == ""
    at.tap("2.ok")
    at.hold("2.ok")
    assert at.choice == ""
