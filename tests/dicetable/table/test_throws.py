"""What counts as a throw or a reveal, and what is said of what does not."""

from __future__ import annotations

import pytest

from common import texts
from dicetable.ledger.entries import Revealed, Thrown
from hardware.ports import LampMode
from tests.dicetable.readings import die, lie, together
from tests.dicetable.table.hands_on import DARK, EMPTY, RACK, HandsOn
from vision.reading import Part, Reading, Reason, Settled


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
    assert six.lines[1:] == ["THROW 4 dice", "posted 2 carry 3", "ann: 6 6 1 1 2 3"]
    six.wait(1.7)
    assert six.lines[3] == "2 posted, +4 carry"


@pytest.mark.parametrize(
    ("reading", "text"),
    [
        (lie(1, 2, 3), texts.throws.wrong_count(3, 6)),
        (Reading((*lie(1, 2, 3, 4, 5).dice, die(8, 9, kind="d8"))), texts.throws.wrong_kind("d8", ["d6"])),
        (
            Reading((*lie(1, 2, 3, 4, 5).dice, die(None, 8, cocked=True))),
            texts.throws.cocked("d6", reveal=False),
        ),
        (
            Reading((*lie(1, 2, 3, 4, 5).dice, die(4, 8, sure=False))),
            texts.throws.unsure(1, ["4"], reveal=False),
        ),
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
    six.wait(12.0)
    assert six.lines[1] == "THROW 6 dice"
    six.settle(EMPTY)
    six.wait(5.9)
    assert six.lines[1] == "THROW 6 dice"
    six.wait(0.1)
    assert " ".join(six.lines[1:]).strip() == "I see no dice: throw 6 dice."
    six.stir()
    assert six.lines[1] == "THROW 6 dice"
    six.settle(RACK)
    six.wait(6.0)
    assert "I see" not in six.text
    assert six.revision == 1


def test_a_tray_with_old_dice_only_is_said(six: HandsOn) -> None:
    six.settle(lie(6, 6, 1, 1, 2, 3))
    six.settle(lie(6, 6))
    assert six.lines[1] == "THROW 4 dice"
    six.wait(6.0)
    assert " ".join(six.lines[1:]).strip() == "I see no new dice: throw 4 dice."


def test_an_old_throw_that_lies_unmoved_is_said(six: HandsOn) -> None:
    six.settle(lie(6, 6, 1, 1, 2, 3))
    six.settle(lie(6, 6, 1, 1, 2, 3))
    assert " ".join(six.lines[1:]).strip() == texts.throws.nothing_thrown(4)
    assert six.revision == 1


def test_an_empty_tray_in_a_reveal_is_said(at: HandsOn) -> None:
    at.open("liars_dice", 2, dice=1, first="ann")
    at.take(1, "Bid 1...", "Bid 1 two")
    at.take(2, "Challenge!")
    at.settle(EMPTY)
    at.wait(6.0)
    assert "I see no dice: lift the cup over one die." in at.text


def test_nothing_is_missed_in_a_menu(six: HandsOn) -> None:
    six.settle(EMPTY)
    six.tap("menu")
    six.wait(6.0)
    six.tap("menu")
    assert six.lines[1] == "THROW 6 dice"
    six.wait(6.0)
    assert "I see no dice" in six.text


@pytest.mark.parametrize("why", [why for why in Reason if why is not Reason.MOVING])
def test_why_the_tray_cannot_be_read_is_said_once_it_lasts(six: HandsOn, why: Reason) -> None:
    six.stir(why)
    six.wait(1.9)
    assert six.lines[1] == "THROW 6 dice"
    six.wait(0.1)
    assert " ".join(six.lines[1:]).strip() == texts.health.EYE[why]


@pytest.mark.parametrize("part", Part)
def test_where_something_covers_the_tray_is_said_at_once(six: HandsOn, part: Part) -> None:
    six.table.eye(Settled(Reading(()), six.now_s, covered=part))
    assert " ".join(six.lines[1:]).strip() == texts.health.COVERED[part]
    six.stir()
    assert "covers" not in six.text


def test_why_a_throw_does_not_count_comes_before_what_covers_the_tray(six: HandsOn) -> None:
    six.stir()
    six.table.eye(Settled(lie(1, 2), six.now_s, covered=Part.TOP))
    assert "covers" not in six.text


def test_rolling_dice_degrade_nothing(six: HandsOn) -> None:
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
    assert texts.throws.left_lying(1) in six.text
    six.settle(together(lie(6), lie(6, start=50), lie(3, 4, 5, start=30)))
    assert texts.throws.old_die_moved(reveal=False) in six.text
    assert six.revision == 1


def test_a_camera_that_was_knocked_needs_a_fresh_throw(six: HandsOn) -> None:
    six.stir(Reason.CAMERA_MOVED)
    six.wait(1)
    six.table.eye(Settled(RACK, six.now_s))
    assert texts.throws.not_seen(reveal=False) in six.text
    six.settle(lie(1, 2, 3, 4, 5, 6, start=40))
    assert six.revision == 1


def test_a_reading_from_before_the_question_is_no_answer(at: HandsOn) -> None:
    at.open("money_shot", 3, first="ann")
    d12 = Reading((die(7, 0, kind="d12"),))
    at.take(1, "Bet 1")
    at.settle(d12)
    at.take(2, "Fade")
    assert texts.throws.TOO_EARLY in at.text
    assert at.state["peak"] is None
    at.table.eye(Settled(Reading((die(5, 3, kind="d12"),)), at.now_s - 0.2))
    assert at.state["peak"] is None
    at.settle(Reading((die(9, 5, kind="d12"),)))
    assert at.state["peak"] == 9


def test_a_reveal_is_taken_seat_by_seat(at: HandsOn) -> None:
    at.open("liars_dice", 3, dice=2, first="ann")
    at.take(1, "Bid 1...", "Bid 1 two")
    at.take(2, "Challenge!")
    assert at.lines[:2] == ["ann           2 dice", "LIFT CUP: 2 dice"]
    at.wait(2.5 - at.now_s % 2.5)
    shown = at.lines[2]
    at.wait(2.5)
    assert "or all 6 at once" in (shown, at.lines[2])
    at.settle(lie(3, 4))
    assert at.journal.entries[-1] == Revealed("ann", (("d6", 3), ("d6", 4)), at.table.state.baseline, (0, 1))
    assert at.lines[0].startswith("bob")
    again = HandsOn(at.journal.entries)
    assert (again.stands(), again.lines[:2]) == (at.stands(), at.lines[:2])
    at.settle(together(lie(3, 4), lie(1, start=20)))
    assert texts.throws.wrong_count(1, 2) in at.text
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
