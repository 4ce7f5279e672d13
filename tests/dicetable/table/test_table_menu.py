"""The table's own menu: entry by hand, correction, pause, leaving and joining, the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from common import texts
from dicetable.ledger.entries import (
    Closed,
    Corrected,
    Decided,
    Ending,
    Opened,
    Revealed,
    Sat,
    Sitting,
    Thrown,
)
from games.registry import GAMES
from tests.dicetable.readings import die, lie
from tests.dicetable.table.hands_on import RACK, HandsOn
from vision.reading import Reading

if TYPE_CHECKING:
    from games.game import Game


def test_the_menu_belongs_to_whoever_presses_first(six: HandsOn) -> None:
    six.tap("menu")
    assert six.lines[2] == texts.panel.WHOSE_MENU
    six.tap("2.plus")
    assert six.heading == "MENU: bob"
    six.tap("1.plus", "1.ok")
    assert six.choice == texts.panel.MENU_ITEMS["close"]
    six.tap("menu")
    assert six.lines[1] == "THROW 6 dice"
    six.tap("menu")
    six.wait(30)
    assert six.lines[1] == "THROW 6 dice"


def test_dice_are_entered_by_hand_and_a_second_seat_confirms(six: HandsOn) -> None:
    six.settle(Reading((die(None, 0, kind=None),)))
    six.menu(2, texts.panel.MENU_ITEMS["by_hand"])
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
    six.menu(1, texts.panel.MENU_ITEMS["by_hand"])
    six.tap(*["1.ok"] * 6, "2.ok")
    assert six.state["seats"][0]["total"] > 0
    six.settle(lie(1, 1, 1, 1, 1, 1))
    assert texts.throws.not_seen(reveal=False) in six.text
    assert six.revision == 1


def test_kinds_are_entered_too(at: HandsOn) -> None:
    at.open("six_shooter", 2, first="ann")
    at.menu(1, texts.panel.MENU_ITEMS["by_hand"])
    at.take(1, "d20", "13", "d4", "3")
    at.tap("2.ok")
    assert at.state["seats"][0]["dice"] == [["d4", 3], ["d20", 13]]


def test_many_dice_are_entered_by_their_faces(at: HandsOn) -> None:
    at.open("liars_dice", 2, dice=4, first="ann")
    at.take(1, "Bid 1...", "Bid 1 two")
    at.take(2, "Challenge!")
    at.menu(1, texts.panel.MENU_ITEMS["by_hand"])
    at.take(1, "3", "2", "0", "3")
    at.tap("2.ok")
    thrown = at.journal.entries[-1]
    assert isinstance(thrown, Thrown)
    assert thrown.dice == tuple(("d6", face) for face in (1, 1, 1, 2, 2, 4, 4, 4))


def test_the_last_throw_is_corrected_by_two_seats(six: HandsOn) -> None:
    six.settle(RACK)
    assert six.state["turn"]["seat"] == "bob"
    six.menu(2, texts.panel.MENU_ITEMS["correct"])
    six.tap(*["2.ok"] * 5)
    six.take(2, "1")
    assert "ann: 6 is really 1" in six.text
    six.tap("1.ok")
    assert six.journal.entries[-1] == Corrected(1, tuple(("d6", face) for face in (1, 2, 3, 4, 5, 1)), (2, 1))
    assert six.state["turn"]["seat"] == "ann"
    assert HandsOn(six.journal.entries).state == six.state


def test_a_correction_that_nobody_confirms_is_none(six: HandsOn) -> None:
    six.settle(RACK)
    for way_out in ("hold", "menu", "idle"):
        six.menu(1, texts.panel.MENU_ITEMS["correct"])
        six.tap(*["1.ok"] * 5)
        six.take(1, "1")
        assert six.lines[0] == texts.panel.IS_IT_RIGHT
        if way_out == "hold":
            six.hold("2.ok")
        elif way_out == "menu":
            six.tap("menu")
        else:
            six.wait(31)
        assert six.lines[1] == "THROW 6 dice"
    assert len(six.journal.entries) == 2


def test_a_correction_that_changes_nothing_asks_no_one(six: HandsOn) -> None:
    six.settle(RACK)
    six.menu(1, texts.panel.MENU_ITEMS["correct"])
    six.tap(*["1.ok"] * 6)
    assert six.lines[1] == "THROW 6 dice"


def labels(at: HandsOn, seat: int) -> list[str]:
    return [choice.label for choice in at.table.phone(seat).choices]


def test_a_menu_on_a_phone_holds_up_no_one(six: HandsOn) -> None:
    six.open("liars_dice", 2, first="ann")
    assert six.table.choose(2, texts.phones.MENU, ())
    assert texts.panel.MENU_ITEMS["pause"] in labels(six, 2)
    assert six.table.choose(1, "Bid", (1, 2)), "the player to act is asked as before"
    assert texts.panel.MENU_ITEMS["pause"] in labels(six, 2)
    six.wait(30)
    assert texts.panel.MENU_ITEMS["pause"] not in labels(six, 2)
    assert "Liar!" in labels(six, 2)


def test_dice_for_a_correction_are_entered_on_a_phone_alone(six: HandsOn) -> None:
    six.settle(RACK)
    six.table.choose(1, texts.phones.MENU, ())
    six.table.choose(1, texts.panel.MENU_ITEMS["correct"], ())
    for face in (1, 2, 3, 4, 5):
        six.table.choose(1, str(face), ())
        assert six.lines[1] == "THROW 6 dice"
    six.table.choose(1, "1", ())
    assert "ann: 6 is really 1" in six.text
    assert "ann asks:\nIs this right?\nann: 6 is really 1" in six.table.phone(2).text
    assert six.table.choose(2, texts.phones.YES, ())
    assert six.journal.entries[-1] == Corrected(1, tuple(("d6", face) for face in (1, 2, 3, 4, 5, 1)), (1, 2))


def test_guests_never_switch_off_and_end_a_game_only_together(six: HandsOn) -> None:
    six.table.choose(2, texts.phones.MENU, ())
    items = six.table.phone(2).choices
    assert texts.panel.MENU_ITEMS["off"] not in labels(six, 2)
    assert next(item for item in items if item.label == texts.panel.MENU_ITEMS["end"]).small
    assert six.table.choose(2, texts.panel.MENU_ITEMS["end"], ())
    assert six.table.phone(1).text == f"bob asks:\n{texts.panel.END_GAME}"
    assert texts.phones.YES not in labels(six, 2)
    assert six.lines[0] == "bob asks:"
    assert six.table.choose(1, texts.phones.YES, ())
    assert six.journal.entries[-1] == Closed(Ending.ENDED)


def test_a_table_in_safe_mode_lets_no_phone_switch_it_off() -> None:
    at = HandsOn(safe=True)
    assert texts.health.SAFE_ITEMS["off"] not in labels(at, 1)
    assert texts.health.SAFE_ITEMS["new"] in labels(at, 1)


def pages(at: HandsOn, seat: int, item: str) -> list[list[str]]:
    """Every page of what an item of the menu opens; then it is closed."""
    at.menu(seat, item)
    read: list[list[str]] = []
    while not read or at.lines[1:] != read[0]:
        read.append(at.lines[1:])
        at.tap(f"{seat}.plus")
    at.tap(f"{seat}.ok")
    return read


def test_a_menu_says_where_in_it_one_is(six: HandsOn) -> None:
    six.tap("menu", "2.plus")
    assert six.lines[0].endswith(" 1/12")
    six.tap("2.minus")
    assert six.lines[0].endswith(" 12/12")
    six.tap("menu")
    six.open("liars_dice", 2, first="ann")
    six.wait(5)
    six.tap("1.plus")
    six.wait(2.5 - six.now_s % 2.5 + (2.5 if "hold" in six.lines[3] else 0))
    assert "-/+ 2/12" in six.lines[3]


def test_help_says_what_the_buttons_do_also_between_games(at: HandsOn) -> None:
    help_ = pages(at, 1, texts.panel.MENU_ITEMS["help"])
    assert [" ".join(page).strip() for page in help_] == list(texts.panel.HELP_TEXTS)


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_the_rules_of_the_game_are_in_the_menu(at: HandsOn, game: Game[Any, Any]) -> None:
    at.open(game.name, game.fewest_seats)
    rules = pages(at, 1, texts.panel.MENU_ITEMS["rules"])
    assert [" ".join(page).strip() for page in rules] == list(game.words.rules)


def test_the_rules_can_be_read_while_a_game_is_chosen(at: HandsOn) -> None:
    at.tap("1.ok")
    at.walk(1, "Sixes")
    rules = pages(at, 1, texts.panel.MENU_ITEMS["rules"])
    assert rules[0][0].startswith("Three dice")
    assert at.choice == "Sixes"


def test_pages_are_their_owner_s_and_go_away_by_themselves(six: HandsOn) -> None:
    six.menu(2, texts.panel.MENU_ITEMS["rules"])
    before = six.lines[1:]
    six.tap("1.plus", "1.ok")
    assert six.lines[1:] == before
    six.wait(100)
    assert six.lines[1] == "THROW 6 dice"


def test_scores_show_every_seat_with_its_running_turn(at: HandsOn) -> None:
    at.open("six_by_6", 3)
    at.settle(lie(6, 6, 1, 1, 2, 3))
    assert at.lines[0] == "ann             0+12"
    assert pages(at, 2, texts.panel.MENU_ITEMS["scores"]) == [
        ["ann             0+12", "bob            0 pts", "cleo           0 pts"]
    ]
    at.menu(1, texts.panel.MENU_ITEMS["new"])
    at.tap("2.ok")
    at.open("six_shooter", 2, first="ann")
    at.settle(Reading((die(4, 3, kind="d8"), die(11, 5, kind="d12"))))
    assert pages(at, 2, texts.panel.MENU_ITEMS["scores"]) == [
        ["ann         18 chips", "              has 15", "bob         18 chips"]
    ]


def test_nothing_counts_in_a_pause(six: HandsOn) -> None:
    six.menu(1, texts.panel.MENU_ITEMS["pause"])
    six.settle(RACK)
    assert six.lines == ["PAUSED", "Six By 6", "ann paused", "Any OK: play on"]
    six.tap("menu", "2.plus", "menu")
    assert six.lines[0] == texts.panel.PAUSED
    six.tap("2.ok")
    assert texts.throws.not_seen(reveal=False) in six.text
    six.settle(lie(1, 2, 3, 4, 5, 6, start=40))
    assert six.revision == 1


@pytest.mark.parametrize("when", ["before", "during"])
def test_a_pause_does_not_cost_the_reveal(at: HandsOn, when: str) -> None:
    at.open("liars_dice", 2, dice=2, first="ann")
    at.take(1, "Bid 1...", "Bid 1 two")
    at.take(2, "Challenge!")
    if when == "before":
        at.settle(lie(3))
        assert texts.throws.wrong_count(1, 2) in at.text
    at.menu(2, texts.panel.MENU_ITEMS["pause"])
    at.settle(lie(3, 4))
    assert len(at.journal.entries) == 3
    at.tap("1.ok")
    assert at.journal.entries[-1] == Revealed("ann", (("d6", 3), ("d6", 4)), at.table.state.baseline, (0, 1))


def test_who_sits_out_leaves_by_the_game_s_own_means(at: HandsOn) -> None:
    at.open("money_shot", 3, first="ann")
    at.menu(2, texts.panel.MENU_ITEMS["sit_out"])
    assert Sat(2, "bob", Sitting.SITS_OUT) in at.journal.entries
    at.take(1, "Bet 2")
    assert at.lines[1] == texts.games.THINKS
    at.wait(1.5)
    assert isinstance(at.journal.entries[-1], Decided)
    assert at.journal.entries[-1].seat == "ann"
    at.wait(0.5)
    assert Decided("bob", {"type": "bow_out"}, by_table=True) in at.journal.entries
    again = HandsOn(at.journal.entries)
    assert again.stands() == at.stands()
    at.tap("2.ok")
    assert Sat(2, "bob", Sitting.PLAYS) in at.journal.entries


def test_a_game_that_everybody_has_left_waits(at: HandsOn) -> None:
    at.open("sixes", 3, first="ann")
    for seat in (1, 2, 3):
        at.menu(seat, texts.panel.MENU_ITEMS["leave" if seat == 3 else "sit_out"])
    written = len(at.journal.entries)
    at.wait(1000)
    assert len(at.journal.entries) == written
    assert texts.games.EVERYBODY_AWAY in at.text
    at.tap("1.ok")
    assert at.choice == "Call 111"


def test_who_does_not_answer_a_call_sits_out(at: HandsOn) -> None:
    at.open("sixes", 3, first="ann")
    at.menu(2, texts.panel.MENU_ITEMS["hurry"])
    at.wait(10)
    assert at.lines[3] == texts.panel.countdown(51)
    at.tap("1.plus")
    at.wait(60)
    assert not any(isinstance(entry, Sat) for entry in at.journal.entries)
    at.menu(2, texts.panel.MENU_ITEMS["hurry"])
    at.wait(60)
    assert at.journal.entries[-1] == Sat(1, "ann", Sitting.SITS_OUT)


def test_who_left_is_not_in_the_next_game_and_who_joined_is(six: HandsOn) -> None:
    six.menu(2, texts.panel.MENU_ITEMS["leave"])
    six.menu(4, texts.panel.MENU_ITEMS["join"])
    six.settle(RACK)
    assert six.lines[1] == "THROW 6 for them"
    six.settle(lie(1, 2, 3, 4, 5, 6, start=40))
    six.tap("1.ok", "4.ok")
    six.wait(0.1)
    opened = six.journal.entries[-1]
    assert isinstance(opened, Opened)
    assert (opened.seats, opened.panel_seats) == (("ann", "dan"), (1, 4))


def test_a_game_is_ended_by_two_seats(six: HandsOn) -> None:
    six.menu(1, texts.panel.MENU_ITEMS["end"])
    six.tap("1.ok", "1.ok")
    assert six.table.state.match is not None
    six.tap("2.ok")
    assert six.journal.entries[-1] == Closed(Ending.ENDED)
    assert six.table.state.match is None


def test_a_new_game_in_the_middle_of_another(six: HandsOn) -> None:
    six.menu(1, texts.panel.MENU_ITEMS["new"])
    six.tap("3.ok")
    assert six.journal.entries[-1] == Closed(Ending.ENDED)
    assert six.heading == texts.panel.CHOOSE_GAME


def test_power_off_keeps_the_game(six: HandsOn) -> None:
    six.settle(lie(6, 6, 1, 1, 2, 3))
    six.menu(1, texts.panel.MENU_ITEMS["off"])
    assert not six.table.off_requested
    six.tap("2.ok")
    assert six.table.off_requested
    assert tuple(six.lines) == texts.panel.GOOD_NIGHT
    six.tap("1.ok", "menu")
    six.settle(RACK)
    assert HandsOn(six.journal.entries).lines[1] == "THROW 4 dice"


def test_with_one_seat_it_confirms_itself() -> None:
    alone = HandsOn(seats=1)
    alone.open("six_by_6", 1)
    alone.menu(1, texts.panel.MENU_ITEMS["end"])
    alone.tap("1.ok")
    assert alone.table.state.match is None
