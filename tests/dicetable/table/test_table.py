"""The table with people at it: set-up, play, refusals in words, the table's menu, what goes wrong."""

from __future__ import annotations

import pytest

from dicetable import texts
from dicetable.eye.messages import Settled, Why
from dicetable.journal import Closed, Corrected, Decided, Ending, Opened, Revealed, Sat, Sitting, Thrown
from dicetable.table.play import AWAY_S, WINNERS_S
from dicetable.table.set_up import IDLE_S
from dicetable.table.table import CALL_S, NOTHING_S
from hardware.ports import LampMode, Trouble
from tests.dicetable.readings import die, lie, together
from tests.dicetable.table.hands_on import DARK, EMPTY, HandsOn
from vision.reading import Reading

RACK = lie(1, 2, 3, 4, 5, 6, start=20)


@pytest.fixture
def at() -> HandsOn:
    return HandsOn()


@pytest.fixture
def six(at: HandsOn) -> HandsOn:
    """Six By 6 with ann and bob, before the first throw."""
    at.open("six_by_6", 2)
    return at


# From power-on to a game.


def test_an_idle_table_invites(at: HandsOn) -> None:
    pages = set()
    for _ in range(6):
        pages.add(tuple(at.lines))
        at.wait(2.5)
    assert texts.ATTRACT in pages
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
    at.take(3, "Chips", "51", "Who begins", "cleo", "START")
    opened = at.journal.entries[-1]
    assert isinstance(opened, Opened)
    assert (opened.seats, opened.places) == (("bob", "cleo", "eve"), (1, 3, 5))
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


def test_options_that_do_not_suit_are_said(at: HandsOn) -> None:
    at.tap("1.ok")
    at.take(1, "Six Shooter")
    at.tap("2.ok", "1.ok")
    at.take(1, "Ante", "21", "START")
    assert "Chips must be at least the ante" in at.text
    assert at.journal.entries == []


def test_only_the_host_sets_up_and_nobody_is_waited_for(at: HandsOn) -> None:
    at.tap("1.ok")
    before = at.choice
    at.tap("2.plus", "2.ok", "8.minus")
    assert at.choice == before
    at.wait(IDLE_S)
    assert at.choice == ""
    at.tap("2.ok")
    at.hold("2.ok")
    assert at.choice == ""


def test_after_the_winners_the_same_again_is_two_presses(six: HandsOn) -> None:
    six.settle(RACK)
    six.settle(lie(1, 2, 3, 4, 5, 6, start=40))
    assert six.over
    assert six.lines[0] == "ann and bob win"
    assert six.table.view.lamps["seat1"].mode is LampMode.CHASE
    six.tap("2.ok")
    assert six.journal.entries[-1] == Closed(Ending.OVER)
    six.tap("2.ok")
    assert isinstance(six.journal.entries[-1], Opened)
    assert six.journal.entries[-1].seats == ("ann", "bob")


def test_winners_give_way_to_the_invitation(six: HandsOn) -> None:
    six.settle(RACK)
    six.settle(lie(1, 2, 3, 4, 5, 6, start=40))
    six.wait(WINNERS_S)
    assert six.journal.entries[-1] == Closed(Ending.OVER)
    seen = set()
    for _ in range(4):
        seen.add(six.lines[0])
        six.wait(2.5)
    assert texts.LAST_WON in seen


# Throws.


def test_a_throw_is_written_with_what_lies_there_and_its_picture(six: HandsOn) -> None:
    six.stir()
    six.wait(1)
    six.table.eye(Settled(lie(6, 6, 1, 1, 2, 3), six.now_s, b"jpeg"))
    thrown = six.journal.entries[-1]
    assert isinstance(thrown, Thrown)
    assert [face for _, face in thrown.dice] == [6, 6, 1, 1, 2, 3]
    assert thrown.lying is not None
    assert [old.box for old in thrown.lying] == [d.box for d in lie(6, 6, 1, 1, 2, 3).dice]
    assert six.journal.pictures == [b"", b"jpeg"]
    assert six.lines[1:] == ["THROW 4 dice", "posted 2 carry 3", "6 6 1 1 2 3"]
    six.wait(1.7)
    assert six.lines[3] == "2 posted, +4 carry"


@pytest.mark.parametrize(
    ("reading", "text"),
    [
        (lie(1, 2, 3), texts.wrong_count(3, 6)),
        (Reading((*lie(1, 2, 3, 4, 5).dice, die(8, 9, kind="d8"))), texts.wrong_kind("d8", ["d6"])),
        (Reading((*lie(1, 2, 3, 4, 5).dice, die(None, 8, cocked=True))), texts.leaning("d6", reveal=False)),
        (Reading((*lie(1, 2, 3, 4, 5).dice, die(4, 8, sure=False))), texts.unsure(1, ["d6 4"], reveal=False)),
    ],
)
def test_what_does_not_count_is_said_until_it_is_otherwise(six: HandsOn, reading: Reading, text: str) -> None:
    six.settle(reading)
    assert " ".join(six.lines[1:]).strip() == text
    assert six.lines[0] == "ann: throw 6 dice"
    assert six.table.view.lamps["table"].mode is LampMode.BLINK
    assert six.revision == 0
    six.settle(EMPTY)
    assert six.lines[1] == "THROW 6 dice"
    six.settle(RACK)
    assert six.revision == 1


def test_a_tray_that_stays_empty_after_something_moved_is_said(six: HandsOn) -> None:
    six.wait(2 * NOTHING_S)
    assert six.lines[1] == "THROW 6 dice"
    six.settle(EMPTY)
    six.wait(NOTHING_S - 0.1)
    assert six.lines[1] == "THROW 6 dice"
    six.wait(0.1)
    assert " ".join(six.lines[1:]).strip() == "I see no dice: throw 6 dice."
    six.stir()
    assert six.lines[1] == "THROW 6 dice"
    six.settle(RACK)
    six.wait(NOTHING_S)
    assert "I see" not in six.text
    assert six.revision == 1


def test_a_tray_with_old_dice_only_is_said(six: HandsOn) -> None:
    six.settle(lie(6, 6, 1, 1, 2, 3))
    six.settle(lie(6, 6))
    assert six.lines[1] == "THROW 4 dice"
    six.wait(NOTHING_S)
    assert " ".join(six.lines[1:]).strip() == "I see no new dice: throw 4 dice."


def test_an_old_throw_that_lies_unmoved_is_said(six: HandsOn) -> None:
    six.settle(lie(6, 6, 1, 1, 2, 3))
    six.settle(lie(6, 6, 1, 1, 2, 3))
    assert " ".join(six.lines[1:]).strip() == texts.nothing_thrown(4)
    assert six.revision == 1


def test_an_empty_tray_in_a_reveal_is_said(at: HandsOn) -> None:
    at.open("liars_dice", 2, dice=1, first="ann")
    at.take(1, "Bid 1 x ?", "Bid 1 x 2s")
    at.take(2, "Challenge!")
    at.settle(EMPTY)
    at.wait(NOTHING_S)
    assert "I see no dice: lift the cup over one die." in at.text


def test_nothing_is_missed_in_a_menu(six: HandsOn) -> None:
    six.settle(EMPTY)
    six.tap("menu")
    six.wait(NOTHING_S)
    six.tap("menu")
    assert six.lines[1] == "THROW 6 dice"
    six.wait(NOTHING_S)
    assert "I see no dice" in six.text


@pytest.mark.parametrize("why", [why for why in Why if why is not Why.MOVING])
def test_why_the_tray_cannot_be_read_is_said(six: HandsOn, why: Why) -> None:
    six.stir(why)
    assert " ".join(six.lines[1:]).strip() == texts.EYE[why]


def test_rolling_dice_are_no_trouble(six: HandsOn) -> None:
    six.stir()
    assert six.lines == ["ann            0 pts", "THROW 6 dice", "posted 0 carry 0", "Rolling..."]


def test_a_blind_eye_is_said_and_heals(six: HandsOn) -> None:
    six.blind()
    assert DARK.what in six.text
    assert DARK.remedy in six.text
    six.settle(RACK)
    assert six.revision == 1
    assert "table" not in six.table.view.lamps


def test_old_dice_do_not_count_again(six: HandsOn) -> None:
    thrown = lie(6, 6, 1, 1, 2, 3)
    six.settle(thrown)
    six.settle(thrown)
    assert six.revision == 1
    assert "throw 4 dice" in six.text
    six.settle(together(lie(6, 6), lie(1, start=2), lie(3, 4, 5, start=30)))
    assert texts.left_lying(1) in six.text
    six.settle(together(lie(6), lie(6, start=50), lie(3, 4, 5, start=30)))
    assert texts.old_die_moved(reveal=False) in six.text
    assert six.revision == 1


def test_a_camera_that_was_knocked_needs_a_fresh_throw(six: HandsOn) -> None:
    six.stir(Why.BUMPED)
    six.wait(1)
    six.table.eye(Settled(RACK, six.now_s))
    assert texts.not_seen(reveal=False) in six.text
    six.settle(lie(1, 2, 3, 4, 5, 6, start=40))
    assert six.revision == 1


def test_a_reading_from_before_the_question_is_no_answer(at: HandsOn) -> None:
    at.open("money_shot", 3, first="ann")
    d12 = Reading((die(7, 0, kind="d12"),))
    at.take(1, "Bet 1")
    at.settle(d12)
    at.take(2, "Fade")
    assert texts.TOO_EARLY in at.text
    assert at.state["peak"] is None
    at.table.eye(Settled(Reading((die(5, 3, kind="d12"),)), at.now_s - 0.2))
    assert at.state["peak"] is None
    at.settle(Reading((die(9, 5, kind="d12"),)))
    assert at.state["peak"] == 9


def test_a_reveal_is_taken_seat_by_seat(at: HandsOn) -> None:
    at.open("liars_dice", 3, dice=2, first="ann")
    at.take(1, "Bid 1 x ?", "Bid 1 x 2s")
    at.take(2, "Challenge!")
    assert at.lines[:2] == ["ann           2 dice", "LIFT CUP: 2 dice"]
    at.wait(2.5 - at.now_s % 2.5)
    shown = at.lines[2]
    at.wait(2.5)
    assert "or all 6 at once" in (shown, at.lines[2])
    at.settle(lie(3, 4))
    assert at.journal.entries[-1] == Revealed("ann", (("d6", 3), ("d6", 4)), at.table.evening.lying)
    assert at.lines[0].startswith("bob")
    again = HandsOn(at.journal.entries)
    assert (again.stands(), again.lines[:2]) == (at.stands(), at.lines[:2])
    at.settle(together(lie(3, 4), lie(1, start=20)))
    assert texts.wrong_count(1, 2) in at.text
    at.settle(together(lie(3, 4), lie(1, 5, 6, 6, start=20)))
    assert isinstance(at.journal.entries[-1], Thrown)
    assert [seat["dice"] for seat in at.state["seats"]] == [2, 1, 2]


def test_dice_shown_before_the_panel_asked_need_not_be_shown_again(at: HandsOn) -> None:
    at.open("sixes", 3, first="ann")
    at.take(1, "Call 111")
    at.settle(lie(6, 6, 5))
    assert at.lines[1] == "> Accept"
    at.take(2, "Challenge!")
    assert [seat["losses"] for seat in at.state["seats"]] == [0, 1, 0]


# Decisions.


def test_decisions_are_for_the_seat_that_is_asked(at: HandsOn) -> None:
    at.open("sixes", 3, first="bob")
    at.tap("1.plus", "1.ok", "3.ok", "8.ok")
    assert (at.choice, at.revision) == ("Call 111", 0)
    at.tap("2.minus", "2.ok")
    assert at.state["call"] == {"seat": "bob", "value": 666}


def test_back_leads_to_the_choice_before(at: HandsOn) -> None:
    at.open("liars_dice", 2, first="ann")
    at.take(1, "Bid 3 x ?")
    at.walk(1, "Bid 3 x 5s")
    at.hold("1.ok")
    assert at.choice == "Bid 3 x ?"
    at.take(1, "Bid 4 x ?", "Bid 4 x 2s")
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


# The table's menu.


def test_the_menu_belongs_to_whoever_presses_first(six: HandsOn) -> None:
    six.tap("menu")
    assert six.lines[2] == texts.MENU_WHOSE
    six.tap("2.plus")
    assert six.lines[0] == "MENU: bob"
    six.tap("1.plus", "1.ok")
    assert six.choice == texts.MENU_ITEMS["close"]
    six.tap("menu")
    assert six.lines[1] == "THROW 6 dice"
    six.tap("menu")
    six.wait(30)
    assert six.lines[1] == "THROW 6 dice"


def test_dice_are_entered_by_hand_and_a_second_seat_confirms(six: HandsOn) -> None:
    six.settle(Reading((die(None, 0, kind=None),)))
    six.menu(2, texts.MENU_ITEMS["by_hand"])
    for face in (6, 6, 1, 2):
        six.take(2, str(face))
    six.hold("2.ok")
    assert six.choice == "2"
    for face in (3, 3, 4):
        six.take(2, str(face))
    assert "6 6 1 3 3 4" in six.text
    six.tap("2.ok")
    assert six.revision == 0
    six.tap("7.ok")
    thrown = six.journal.entries[-1]
    assert isinstance(thrown, Thrown)
    assert (thrown.by_hand, thrown.by) == (True, (2, 7))
    assert thrown.dice == tuple(("d6", face) for face in (6, 6, 1, 3, 3, 4))
    assert thrown.lying is not None
    assert [old.value for old in thrown.lying] == [None]


def test_dice_entered_blindly_are_not_counted_again_when_the_eye_is_back(six: HandsOn) -> None:
    six.blind()
    six.menu(1, texts.MENU_ITEMS["by_hand"])
    six.tap(*["1.ok"] * 6, "2.ok")
    assert six.state["seats"][0]["total"] > 0
    six.settle(lie(1, 1, 1, 1, 1, 1))
    assert texts.not_seen(reveal=False) in six.text
    assert six.revision == 1


def test_kinds_are_entered_too(at: HandsOn) -> None:
    at.open("six_shooter", 2, first="ann")
    at.menu(1, texts.MENU_ITEMS["by_hand"])
    at.take(1, "d20", "13", "d4", "3")
    at.tap("2.ok")
    assert at.state["seats"][0]["dice"] == [["d4", 3], ["d20", 13]]


def test_many_dice_are_entered_by_their_faces(at: HandsOn) -> None:
    at.open("liars_dice", 2, dice=4, first="ann")
    at.take(1, "Bid 1 x ?", "Bid 1 x 2s")
    at.take(2, "Challenge!")
    at.menu(1, texts.MENU_ITEMS["by_hand"])
    at.take(1, "3", "2", "0", "3")
    at.tap("2.ok")
    thrown = at.journal.entries[-1]
    assert isinstance(thrown, Thrown)
    assert thrown.dice == tuple(("d6", face) for face in (1, 1, 1, 2, 2, 4, 4, 4))


def test_the_last_throw_is_corrected_by_two_seats(six: HandsOn) -> None:
    six.settle(RACK)
    assert six.state["turn"]["seat"] == "bob"
    six.menu(2, texts.MENU_ITEMS["correct"])
    six.tap(*["2.ok"] * 5)
    six.take(2, "1")
    assert "1 2 3 4 5 1" in six.text
    six.tap("1.ok")
    assert six.journal.entries[-1] == Corrected(1, tuple(("d6", face) for face in (1, 2, 3, 4, 5, 1)), (2, 1))
    assert six.state["turn"]["seat"] == "ann"
    assert HandsOn(six.journal.entries).state == six.state


def test_a_correction_that_nobody_confirms_is_none(six: HandsOn) -> None:
    six.settle(RACK)
    for way_out in ("hold", "menu", "idle"):
        six.menu(1, texts.MENU_ITEMS["correct"])
        six.tap(*["1.ok"] * 6)
        assert six.lines[0] == texts.IS_IT_RIGHT
        if way_out == "hold":
            six.hold("2.ok")
        elif way_out == "menu":
            six.tap("menu")
        else:
            six.wait(31)
        assert six.lines[1] == "THROW 6 dice"
    assert len(six.journal.entries) == 2


def test_nothing_counts_in_a_pause(six: HandsOn) -> None:
    six.menu(1, texts.MENU_ITEMS["pause"])
    six.settle(RACK)
    assert six.lines[0] == texts.PAUSED
    six.tap("menu", "2.plus", "menu")
    assert six.lines[0] == texts.PAUSED
    six.tap("2.ok")
    assert texts.not_seen(reveal=False) in six.text
    six.settle(lie(1, 2, 3, 4, 5, 6, start=40))
    assert six.revision == 1


def test_who_sits_out_leaves_by_the_game_s_own_means(at: HandsOn) -> None:
    at.open("money_shot", 3, first="ann")
    at.menu(2, texts.MENU_ITEMS["sit_out"])
    assert Sat(2, "bob", Sitting.SITS_OUT) in at.journal.entries
    at.take(1, "Bet 2")
    assert at.lines[1] == texts.THINKS
    at.wait(AWAY_S)
    assert Decided("bob", {"type": "bow_out"}, by_table=True) in at.journal.entries
    again = HandsOn(at.journal.entries)
    assert again.stands() == at.stands()
    at.tap("2.ok")
    assert Sat(2, "bob", Sitting.PLAYS) in at.journal.entries


def test_a_game_that_everybody_has_left_waits(at: HandsOn) -> None:
    at.open("sixes", 3, first="ann")
    for place in (1, 2, 3):
        at.menu(place, texts.MENU_ITEMS["leave" if place == 3 else "sit_out"])
    written = len(at.journal.entries)
    at.wait(1000)
    assert len(at.journal.entries) == written
    assert texts.EVERYBODY_AWAY in at.text
    at.tap("1.ok")
    assert at.choice == "Call 111"


def test_who_does_not_answer_a_call_sits_out(at: HandsOn) -> None:
    at.open("sixes", 3, first="ann")
    at.menu(2, texts.MENU_ITEMS["hurry"])
    at.wait(10)
    assert at.lines[3] == texts.countdown(51)
    at.tap("1.plus")
    at.wait(CALL_S)
    assert not any(isinstance(entry, Sat) for entry in at.journal.entries)
    at.menu(2, texts.MENU_ITEMS["hurry"])
    at.wait(CALL_S)
    assert at.journal.entries[-1] == Sat(1, "ann", Sitting.SITS_OUT)


def test_who_left_is_not_in_the_next_game_and_who_joined_is(six: HandsOn) -> None:
    six.menu(2, texts.MENU_ITEMS["leave"])
    six.menu(4, texts.MENU_ITEMS["join"])
    six.settle(RACK)
    assert six.lines[1] == "THROW 6 for them"
    six.settle(lie(1, 2, 3, 4, 5, 6, start=40))
    six.tap("1.ok", "1.ok")
    opened = six.journal.entries[-1]
    assert isinstance(opened, Opened)
    assert (opened.seats, opened.places) == (("ann", "dan"), (1, 4))


def test_a_game_is_ended_by_two_seats(six: HandsOn) -> None:
    six.menu(1, texts.MENU_ITEMS["end"])
    six.tap("1.ok", "1.ok")
    assert six.table.evening.match is not None
    six.tap("2.ok")
    assert six.journal.entries[-1] == Closed(Ending.ENDED)
    assert six.table.evening.match is None


def test_a_new_game_in_the_middle_of_another(six: HandsOn) -> None:
    six.menu(1, texts.MENU_ITEMS["new"])
    six.tap("3.ok")
    assert six.journal.entries[-1] == Closed(Ending.ENDED)
    assert six.lines[0] == texts.CHOOSE_GAME


def test_power_off_keeps_the_game(six: HandsOn) -> None:
    six.settle(lie(6, 6, 1, 1, 2, 3))
    six.menu(1, texts.MENU_ITEMS["off"])
    assert not six.table.off_requested
    six.tap("2.ok")
    assert six.table.off_requested
    assert tuple(six.lines) == texts.GOOD_NIGHT
    six.tap("1.ok", "menu")
    six.settle(RACK)
    assert HandsOn(six.journal.entries).lines[1] == "THROW 4 dice"


def test_with_one_seat_it_confirms_itself() -> None:
    alone = HandsOn(seats=1)
    alone.open("six_by_6", 1)
    alone.menu(1, texts.MENU_ITEMS["end"])
    alone.tap("1.ok")
    assert alone.table.evening.match is None


# What goes wrong.


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
        at.table.trouble("panel", None)
    assert at.revision == 1


def test_no_throw_counts_while_nobody_can_see_the_panel(six: HandsOn) -> None:
    six.table.trouble("panel", Trouble("The panel does not answer", "plug it in"))
    six.settle(RACK)
    assert six.revision == 0
    six.table.trouble("panel", None)
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
    assert texts.not_seen(reveal=False) in again.text


def test_safe_mode_goes_on_only_when_asked_to(six: HandsOn) -> None:
    six.settle(lie(6, 6, 1, 1, 2, 3))
    safe = HandsOn(six.journal.entries, safe=True)
    assert safe.text.startswith(texts.SAFE_TEXT)
    safe.settle(RACK)
    safe.tap("2.minus", "2.minus", "2.minus")
    assert safe.choice == texts.SAFE_ITEMS["resume"]
    safe.tap("2.ok")
    assert safe.stands() == six.stands()
    fresh = HandsOn(six.journal.entries, safe=True)
    fresh.take(2, texts.SAFE_ITEMS["new"])
    assert fresh.lines[0] == texts.CHOOSE_GAME


def test_a_damaged_game_is_said_and_a_new_one_can_begin(six: HandsOn) -> None:
    six.settle(RACK)
    opened, thrown = six.journal.entries
    damaged = HandsOn([opened, Decided("ann", {"type": "stick"}), thrown])
    assert "damaged" in damaged.text
    damaged.take(1, texts.SAFE_ITEMS["new"], "Six By 6")
    damaged.tap("1.ok")
    damaged.take(1, "START")
    assert damaged.table.evening.match is not None
    assert HandsOn(damaged.journal.entries).stands() == damaged.stands()


def test_a_table_with_fewer_seats_than_the_game_offers_to_go_on_without_them(at: HandsOn) -> None:
    at.open("money_shot", 4, first="dan")
    again = HandsOn(at.journal.entries, seats=3)
    assert again.lines[:2] == ["Seat 4 plays, but", "the table has 3:"]
    again.settle(lie(5))
    assert again.table.evening.match is None
    again.take(1, "Resume the game")
    again.wait(AWAY_S)
    assert again.journal.entries[-2:] == [
        Sat(4, "dan", Sitting.LEAVES),
        Decided("dan", {"type": "bet", "amount": 1}, by_table=True),
    ]
    third = HandsOn(again.journal.entries, seats=3)
    assert third.table.evening.match is not None


def test_a_table_with_fewer_seats_goes_on_only_once_that_is_saved(at: HandsOn) -> None:
    at.open("money_shot", 4, first="dan")
    again = HandsOn(at.journal.entries, seats=3)
    again.journal.full = True
    again.take(1, "Resume the game")
    assert again.choice == "Resume the game"
    again.journal.full = False
    again.take(1, "Resume the game")
    assert again.table.evening.away("dan")


def test_a_table_with_fewer_seats_can_begin_anew(at: HandsOn) -> None:
    at.open("money_shot", 4, first="dan")
    again = HandsOn(at.journal.entries, seats=3)
    again.take(1, "New game")
    assert again.lines[0] == texts.CHOOSE_GAME
