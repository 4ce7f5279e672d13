"""A test of dice at the panel: from the menu, throw after throw, through a kill, to its end."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from common import texts
from dicetable.ledger.entries import Closed, Ending, Opened, Thrown, dump
from dicetable.service.publisher import NOTHING, snapshot
from dicetable.statistics.fold import fold
from dicetable.statistics.report import reports
from dicetable.table.bias import Verdict
from tests.dicetable.readings import die, lie
from tests.dicetable.table.hands_on import EMPTY, HandsOn
from vision.reading import Reading


def begun(at: HandsOn) -> HandsOn:
    """Two d6 are tested by seat 1."""
    at.settle(EMPTY)
    at.menu(1, "Test dice")
    at.take(1, "d6", "2")
    return at


def thrown(at: HandsOn, *faces: int, start: int = 20) -> None:
    """The dice are taken up and thrown."""
    at.settle(EMPTY)
    at.settle(lie(*faces, start=start))


def test_it_begins_from_the_menu_and_counts_throw_after_throw(at: HandsOn) -> None:
    begun(at)
    assert at.lines[0].split() == ["2", "d6", "0", "throws"]
    for number, faces in enumerate([(1, 2), (6, 6), (3, 4)], 1):
        thrown(at, *faces, start=20 * number)
        assert at.lines[0].split() == ["2", "d6", str(number), f"throw{'s' if number > 1 else ''}"]
    assert at.lines[1].startswith("E ")
    assert at.state["counts"] == [1, 1, 1, 1, 0, 2]
    assert all(len(line) <= 20 for line in at.lines)


def test_what_lies_in_the_tray_is_offered(at: HandsOn) -> None:
    at.settle(lie(1, 2, 3))
    at.menu(1, "Test dice")
    assert at.choice == "d6"
    at.tap("1.ok")
    assert at.choice == "3"
    at.hold("1.ok")
    at.hold("1.ok")
    assert "DICE TABLE" in at.text


def test_it_goes_on_after_a_kill_and_ends_from_the_menu(at: HandsOn) -> None:
    thrown(begun(at), 1, 2)
    again = HandsOn(at.journal.entries)
    again.settle(EMPTY)
    thrown(again, 6, 6, start=40)
    assert again.state["counts"] == [1, 1, 0, 0, 0, 2]
    again.menu(1, "End this game")
    again.tap("2.ok")
    assert again.table.state.match is None
    assert again.table.state.run is None
    assert isinstance(again.journal.entries[0], Opened)
    assert again.journal.entries[-1] == Closed(Ending.ENDED)
    folded = fold(("2026-11-21", dump(entry)) for entry in again.journal.entries)
    assert list(folded.tapes.kinds["d6"].counts) == [1, 1, 0, 0, 0, 2]
    assert folded.throws == sum(isinstance(entry, Thrown) for entry in again.journal.entries) == 2


def test_the_last_throw_can_be_corrected(at: HandsOn) -> None:
    thrown(begun(at), 1, 2)
    at.menu(1, "Correct last throw")
    assert "Correct throw" in at.text


def test_what_makes_no_sense_in_a_test_is_not_offered(at: HandsOn) -> None:
    begun(at)
    at.tap("menu", "1.plus")
    offered = set()
    for _ in range(10):
        offered.add(at.choice)
        at.tap("1.plus")
    assert offered == {"Back to the game", "Rules in short", "Pause", "End this game", "Help", "Power off"}


def test_pages_are_told_of_it(at: HandsOn) -> None:
    assert snapshot(at.table, [])["fairness"] is None
    thrown(begun(at), 1, 2)
    told = snapshot(at.table, [])
    assert (told["phase"], told["title"]) == ("play", "Dice test")
    assert told["fairness"] is not None
    assert (told["fairness"]["throws"], told["fairness"]["counts"]) == (1, [1, 1, 0, 0, 0, 0])
    assert set(told) >= set(NOTHING)


def test_a_wrong_number_of_dice_is_told(at: HandsOn) -> None:
    thrown(begun(at), 1, 2, 3)
    assert at.state["throws"] == 0
    assert at.table.sentence == texts.throws.wrong_count(3, 2)


def test_only_the_loaded_one_of_two_enrolled_dice_is_biased(at: HandsOn) -> None:
    """An evening with two d20 of which one often shows its 1; what is not identified counts for its kind."""
    at.settle(EMPTY)
    at.menu(1, "Test dice")
    at.take(1, "d20", "2")
    chance = Random(4)
    for number in range(200):
        faces = (1 if chance.random() < 0.3 else chance.randint(1, 20), chance.randint(1, 20))
        known = ("old red d20", "blue d20" if number % 10 else None)
        at.settle(EMPTY)
        at.settle(
            Reading(
                tuple(
                    replace(die(face, 20 + 2 * (number % 20) + i, kind="d20"), die_id=each)
                    for i, (face, each) in enumerate(zip(faces, known, strict=True))
                )
            )
        )
    folded = fold(("2026-11-21", dump(entry)) for entry in at.journal.entries)
    tapes = folded.tapes.all()
    assert {name: len(tape) for name, tape in tapes.items()} == {
        "d20": 400,
        "blue d20": 180,
        "old red d20": 200,
    }
    judged = {report.name: report.verdict for report in reports(tapes)}
    assert judged["old red d20"] is Verdict.BIASED
    assert judged["blue d20"] is not Verdict.BIASED
