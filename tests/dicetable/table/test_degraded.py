"""Full disks, dead panels, restarts, safe mode, a table with fewer seats."""

from __future__ import annotations

from common import texts
from dicetable.ledger.entries import Closed, Decided, Ending, Sat, Sitting
from dicetable.table.table_state import fold
from hardware.ports import Degraded
from tests.dicetable.readings import lie, together
from tests.dicetable.table.hands_on import RACK, HandsOn


def test_what_cannot_be_saved_does_not_count(at: HandsOn) -> None:
    at.open("money_shot", 3, first="ann")
    at.journal.full = True
    at.take(1, "Bet 3")
    assert at.revision == 0
    assert "disk is full: make room" in at.text
    at.wait(6)
    assert at.choice == "Bet 3"
    assert "table" in at.table.view.lamps
    at.journal.full = False
    at.tap("1.ok")
    assert at.revision == 1
    assert "table" not in at.table.view.lamps


def test_a_throw_that_could_not_be_saved_is_offered_again(six: HandsOn) -> None:
    six.journal.full = True
    six.settle(RACK)
    assert (six.revision, "make room" in six.text) == (0, True)
    six.wait(3)
    six.journal.full = False
    assert six.revision == 0
    six.wait(3)
    assert six.revision == 1


def test_a_panel_that_works_may_be_said_to_work_all_the_time(at: HandsOn) -> None:
    at.open("sixes", 3, first="ann")
    for down in (True, False):
        at.wait(0.06)
        at.change("seat1.ok", down=down)
        at.table.report("panel", None)
    assert at.revision == 1


def test_no_throw_counts_while_nobody_can_see_the_panel(six: HandsOn) -> None:
    six.table.report("panel", Degraded("The panel does not answer", "plug it in"))
    six.settle(RACK)
    assert six.revision == 0
    six.table.report("panel", None)
    assert six.revision == 1


def test_a_restart_comes_back_to_the_same_prompt_with_the_dice_that_lie_there(six: HandsOn) -> None:
    thrown = lie(6, 6, 1, 1, 2, 3)
    six.settle(thrown)
    again = HandsOn(six.journal.entries)
    assert again.stands() == six.stands()
    assert again.lines[:2] == six.lines[:2]
    again.settle(thrown)
    assert again.revision == 1
    again.settle(together(lie(6, 6), lie(2, 3, 4, 5, start=30)))
    assert again.revision == 2


def test_dice_thrown_while_the_power_was_off_do_not_count(six: HandsOn) -> None:
    again = HandsOn(six.journal.entries)
    again.settle(RACK)
    assert again.revision == 0
    assert texts.throws.not_seen(reveal=False) in again.text


def test_safe_mode_goes_on_only_when_asked_to(six: HandsOn) -> None:
    six.settle(lie(6, 6, 1, 1, 2, 3))
    safe = HandsOn(six.journal.entries, safe=True)
    assert safe.text.startswith(texts.health.SAFE_TEXT)
    safe.settle(RACK)
    safe.tap("2.minus", "2.minus", "2.minus")
    assert safe.choice == texts.health.SAFE_ITEMS["resume"]
    safe.tap("2.ok")
    assert safe.stands() == six.stands()
    fresh = HandsOn(six.journal.entries, safe=True)
    fresh.take(2, texts.health.SAFE_ITEMS["new"])
    assert fresh.heading == texts.panel.CHOOSE_GAME


def test_a_damaged_game_is_said_and_a_new_one_can_begin(six: HandsOn) -> None:
    six.settle(RACK)
    opened, thrown = six.journal.entries
    damaged = HandsOn([opened, Decided("ann", {"type": "stick"}), thrown])
    assert "damaged" in damaged.text
    damaged.take(1, texts.health.SAFE_ITEMS["new"], "Six By 6")
    damaged.tap("1.ok")
    damaged.take(1, "START")
    assert damaged.table.state.match is not None
    assert HandsOn(damaged.journal.entries).stands() == damaged.stands()


def test_a_table_with_fewer_seats_than_the_game_offers_to_go_on_without_them(at: HandsOn) -> None:
    at.open("money_shot", 4, first="dan")
    again = HandsOn(at.journal.entries, seats=3)
    assert again.lines[:2] == ["Seat 4 plays, but", "the table has 3:"]
    again.settle(lie(5))
    assert again.table.state.match is None
    again.take(1, "Resume the game")
    again.wait(2.0)
    assert again.journal.entries[-2:] == [
        Sat(4, "dan", Sitting.LEAVES),
        Decided("dan", {"type": "bet", "amount": 1}, by_table=True),
    ]
    third = HandsOn(again.journal.entries, seats=3)
    assert third.table.state.match is not None


def test_a_table_with_fewer_seats_goes_on_only_once_that_is_saved(at: HandsOn) -> None:
    at.open("money_shot", 4, first="dan")
    again = HandsOn(at.journal.entries, seats=3)
    again.journal.full = True
    again.take(1, "Resume the game")
    assert again.choice == "Resume the game"
    again.journal.full = False
    again.take(1, "Resume the game")
    assert again.table.state.away("dan")


def test_a_table_with_fewer_seats_can_begin_anew(at: HandsOn) -> None:
    at.open("money_shot", 4, first="dan")
    again = HandsOn(at.journal.entries, seats=3)
    again.take(1, "New game")
    assert again.heading == texts.panel.CHOOSE_GAME


def test_the_end_of_a_game_that_was_never_opened_is_named() -> None:
    state, why = fold([Closed(Ending.OVER)])
    assert why == "entry 1 (closed): no game is open for an entry 'closed'"
    assert state.match is None
