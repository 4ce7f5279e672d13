"""The end of a game, and the vote for a rematch."""

from __future__ import annotations

import pytest

from common import texts
from dicetable.ledger.entries import Closed, Ending, Opened
from dicetable.service.publisher import snapshot
from hardware.ports import LampMode
from tests.dicetable.readings import die, lie
from tests.dicetable.table.hands_on import RACK, HandsOn
from vision.reading import Reading

RACKS = (RACK, lie(1, 2, 3, 4, 5, 6, start=40), lie(1, 2, 3, 4, 5, 6, start=60))


@pytest.fixture
def over(at: HandsOn) -> HandsOn:
    """Six By 6 that ann, bob and cleo have all won."""
    at.open("six_by_6", 3)
    for rack in RACKS:
        at.settle(rack)
    assert at.over
    return at


def seats_opened(at: HandsOn) -> tuple[str, ...]:
    """The seats of the game that was opened last, if it goes on."""
    last = at.journal.entries[-1]
    return last.seats if isinstance(last, Opened) else ()


def vote(at: HandsOn) -> tuple[str, list[str]]:
    """What screens show of the vote: the line, and the names of those who are in."""
    shown = snapshot(at.table, ())["rematch"]
    assert shown is not None
    return shown["text"], [seat["name"] for seat in shown["seats"] if seat["wants"]]


def buttons(at: HandsOn, seat: int) -> list[str]:
    return [choice.label for choice in at.table.phone(seat).choices]


def test_once_all_are_in_the_same_game_begins(over: HandsOn) -> None:
    assert over.lines[0] == "ann, bob and cleo"
    assert over.table.view.lamps["seat1"].mode is LampMode.CHASE
    assert vote(over) == ("Rematch: 0 of 3 in", [])
    over.tap("2.ok", "1.ok")
    assert vote(over) == ("Rematch: 2 of 3 in", ["ann", "bob"])
    assert over.lines[3].strip() == "Rematch: 2 of 3 in"
    assert seats_opened(over) == ()
    over.tap("3.ok")
    over.wait(0.1)
    assert over.journal.entries[-2] == Closed(Ending.OVER)
    assert seats_opened(over) == ("ann", "bob", "cleo")


def test_the_first_who_is_in_begins_without_the_others_but_not_alone(over: HandsOn) -> None:
    over.tap("2.ok", "2.ok", "2.ok")
    assert vote(over)[0] == "Rematch: 1 of 3 in"
    over.tap("1.ok", "1.ok")
    assert seats_opened(over) == ()
    over.tap("2.ok")
    assert seats_opened(over) == ("ann", "bob")


def test_a_seat_changes_its_mind_and_the_next_one_is_the_host(over: HandsOn) -> None:
    over.tap("2.ok", "1.ok")
    over.hold("2.ok")
    assert vote(over) == ("Rematch: 1 of 3 in", ["ann"])
    over.tap("3.ok", "1.ok")
    assert seats_opened(over) == ("ann", "cleo")


def test_who_leaves_the_table_is_not_waited_for(over: HandsOn) -> None:
    over.tap("1.ok", "2.ok")
    over.menu(3, "Leave the game")
    over.wait(0.1)
    assert seats_opened(over) == ("ann", "bob")


def test_a_phone_that_gives_its_seat_back_is_not_waited_for(over: HandsOn) -> None:
    over.table.on_phones, over.table.seated = True, frozenset({1, 2, 3})
    over.tap("1.ok", "2.ok")
    over.wait(0.1)
    assert seats_opened(over) == ()
    over.table.seated = frozenset({1, 2})
    over.wait(0.1)
    assert seats_opened(over) == ("ann", "bob")


def test_too_few_for_the_game_are_told_and_others_may_join(at: HandsOn) -> None:
    at.open("money_shot", 3, chips=1, first="ann")
    at.settle(Reading((die(12, 5, kind="d12"),)))
    assert at.over
    at.tap("2.ok", "3.ok")
    at.menu(1, "Leave the game")
    at.wait(0.1)
    assert at.over
    at.tap("2.ok")
    assert at.journal.entries[-1] == Closed(Ending.OVER)
    assert at.lines[0].strip() == texts.panel.WHO_PLAYS
    assert "3 to 8" in at.text


def test_a_new_player_is_in_and_names_chosen_meanwhile_count(over: HandsOn) -> None:
    assert over.table.call_seat(1, "Anna")
    over.tap("1.ok", "2.ok", "4.ok")
    assert vote(over)[0] == "Rematch: 3 of 4 in"
    over.tap("3.ok")
    over.wait(0.1)
    assert seats_opened(over) == ("Anna", "bob", "cleo", "dan")


def test_phones_offer_what_may_be_done(over: HandsOn) -> None:
    assert buttons(over, 1)[:2] == ["Rematch", "New game"]
    assert over.table.choose(1, "Rematch", ())
    assert buttons(over, 1)[:1] == ["Sit this one out"]
    assert buttons(over, 2)[:1] == ["Rematch"]
    assert over.table.choose(2, "Rematch", ())
    assert buttons(over, 1)[:2] == ["Start now", "Sit this one out"]
    assert "Start now" not in buttons(over, 2)
    assert over.table.choose(1, "Start now", ())
    assert seats_opened(over) == ("ann", "bob")


def test_before_the_first_is_in_ok_held_chooses_another_game(over: HandsOn) -> None:
    over.hold("3.ok")
    assert over.journal.entries[-1] == Closed(Ending.OVER)
    assert over.heading == texts.panel.CHOOSE_GAME


def test_winners_give_way_to_the_invitation(over: HandsOn) -> None:
    over.wait(299)
    assert over.journal.entries[-1] != Closed(Ending.OVER)
    over.wait(1)
    assert over.journal.entries[-1] == Closed(Ending.OVER)
    seen = set()
    for _ in range(4):
        seen.add(over.lines[0])
        over.wait(2.5)
    assert texts.panel.LAST_WON in seen
