"""Questions that a seat answers with its three buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.ledger.entries import Decided

if TYPE_CHECKING:
    from tests.dicetable.table.hands_on import HandsOn


def test_decisions_are_for_the_seat_that_is_asked(at: HandsOn) -> None:
    at.open("sixes", 3, first="bob")
    at.tap("1.plus", "1.ok", "3.ok", "8.ok")
    assert (at.choice, at.revision) == ("Call 111", 0)
    at.tap("2.minus", "2.ok")
    assert at.state["call"] == {"seat": "bob", "value": 666}


def test_back_leads_to_the_choice_before(at: HandsOn) -> None:
    at.open("liars_dice", 2, first="ann")
    at.take(1, "Bid 3...")
    at.walk(1, "Bid 3 fives")
    at.hold("1.ok")
    assert at.choice == "Bid 3..."
    at.take(1, "Bid 4...", "Bid 4 twos")
    assert at.journal.entries[-1] == Decided("ann", {"type": "bid", "quantity": 4, "face": 2})
    at.take(2, "Bid...")
    at.hold("2.ok")
    at.take(2, "Challenge!")
    assert at.revision == 2


def test_hammering_answers_one_question_only(at: HandsOn) -> None:
    at.open("sixes", 3, first="ann")
    at.take(1, "Call 333")
    for _ in range(20):
        at.wait(0.06)
        at.change("seat2.ok", down=True)
        at.wait(0.06)
        at.change("seat2.ok", down=False)
    assert at.journal.entries[-1] == Decided("bob", {"type": "accept"})
    at.tap("2.ok")
    assert at.journal.entries[-1] == Decided("bob", {"type": "recast", "count": 0})


def test_a_key_that_is_held_walks_on_but_not_into_the_next_question(at: HandsOn) -> None:
    at.open("sixes", 3, first="ann")
    at.change("seat1.plus", down=True)
    for _ in range(12):
        at.wait(0.1)
    assert at.choice not in ("Call 111", "Call 211", "Call 221")
    at.change("seat2.plus", down=True)
    at.tap("1.ok")
    assert at.choice == "Accept"
    at.wait(3.0)
    assert at.choice == "Accept"


def test_an_ok_that_answers_nothing_is_counted_all_the_same(at: HandsOn) -> None:
    """A screen shows the next thing then."""
    at.open("sixes", 3, first="bob")
    before = at.table.oks
    at.tap("1.ok", "3.ok")
    assert (at.revision, at.table.oks) == (0, before + 2)
    at.tap("1.plus", "1.minus", "8.plus")
    at.hold("2.ok")
    assert at.table.oks == before + 2
