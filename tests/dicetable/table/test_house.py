"""A seat of the house: the table decides, people throw, and under its cup nobody looks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dicetable.ledger.entries import (
    Closed,
    Decided,
    Ending,
    Opened,
    Revealed,
    Sat,
    Sitting,
    Thrown,
    dump,
    load,
)
from dicetable.service.publisher import snapshot
from dicetable.table.set_up import open_game
from dicetable.table.table import Table
from games.dice import Kind
from games.errors import BadLog, BadOption
from games.house import Strength
from hardware.ports import LampMode
from tests.dicetable.readings import die, lie
from tests.dicetable.table.hands_on import EMPTY, NAMES, HandsOn
from vision.reading import Reading


def opened(game: str, people: int, *house: Strength, strict: bool = False, **options: object) -> HandsOn:
    """A game of some people, and the house at the seats after theirs."""
    at = HandsOn()
    if strict:
        at.table = Table(at.journal, lambda: 7, names=NAMES, strict=True)
    at.settle(EMPTY)
    seats = dict(enumerate(house, people + 1))
    names = dict(enumerate(NAMES[:people], 1)) | {seat: f"House {seat}" for seat in seats}
    assert open_game(at.table, game, names, options, house=seats)
    return at


def dice(*thrown: tuple[int, Kind], start: int = 0) -> Reading:
    return Reading(tuple(die(value, start + at, kind=kind) for at, (value, kind) in enumerate(thrown)))


def test_the_house_is_seated_with_the_buttons_of_a_free_seat(at: HandsOn) -> None:
    at.settle(EMPTY)
    at.tap("1.ok")
    at.take(1, "Sixes")
    at.tap("2.ok", "4.plus", "4.plus")
    assert shown(at, 1) == "1:ann 2:bob 4:House medium"
    assert "Free seat +: house" in shown(at, 3)
    at.tap("1.ok", "1.ok")
    game = at.journal.entries[-1]
    assert isinstance(game, Opened)
    assert (game.seats, game.panel_seats) == (("ann", "bob", "House"), (1, 2, 4))
    assert game.house == ((4, "medium"),)
    assert load(dump(game)) == game


def shown(at: HandsOn, line: int) -> str:
    """What comes up on a line of the panel within its pages, in order."""
    seen: dict[str, None] = {}
    for _ in range(7):
        seen[at.lines[line].strip()] = None
        at.wait(1.0)
    return " ".join(seen)


def test_a_free_seat_goes_through_the_strengths_and_is_free_again(at: HandsOn) -> None:
    at.tap("1.ok")
    at.take(1, "Sixes")
    seen: list[Any] = []
    for _ in range(4):
        at.tap("3.plus")
        seen.append(at.table.base.draft.house.get(3))  # type: ignore[attr-defined]  # it is the set-up
    assert seen == ["easy", "medium", "hard", None]
    assert 3 not in at.table.base.draft.names  # type: ignore[attr-defined]


def test_a_person_takes_the_seat_of_the_house(at: HandsOn) -> None:
    at.tap("1.ok")
    at.take(1, "Sixes")
    at.tap("2.plus", "3.plus", "2.ok")
    draft = at.table.base.draft  # type: ignore[attr-defined]
    assert (draft.names, draft.house) == ({1: "ann", 2: "bob", 3: "House 2"}, {3: "easy"})


def test_the_host_seats_the_house_with_a_phone(at: HandsOn) -> None:
    at.settle(EMPTY)
    at.tap("1.ok")
    at.take(1, "Mia")
    for label in ("Let the house play", "House: play medium", "House: play hard", "Everyone's in", "START"):
        assert at.table.choose(1, label, ()), at.table.phone(1)
    game = at.journal.entries[-1]
    assert isinstance(game, Opened)
    assert (game.seats, game.house) == (("ann", "House"), ((2, "hard"),))


def test_the_host_sends_the_house_away(at: HandsOn) -> None:
    at.tap("1.ok")
    at.take(1, "Mia")
    assert at.table.choose(1, "Let the house play", ())
    assert at.table.choose(1, "House: leave", ())
    assert at.table.base.draft.names == {1: "ann"}  # type: ignore[attr-defined]
    assert [choice.label for choice in at.table.phone(2).choices if not choice.small] == ["I'm in"]


def test_the_next_game_has_the_same_house() -> None:
    at = opened("mia", 2, "hard")
    assert at.table.write(Closed(Ending.ENDED))
    at.tap("2.ok", "2.ok", "2.ok", "2.ok")
    game = at.journal.entries[-1]
    assert isinstance(game, Opened)
    assert (game.seats, game.house) == (("ann", "bob", "House 3"), ((3, "hard"),))


def test_who_starts_the_next_game_at_the_seat_of_the_house_is_a_person() -> None:
    at = opened("mia", 2, "hard")
    assert at.table.write(Closed(Ending.ENDED))
    at.tap("3.ok", "3.ok", "3.ok", "3.ok")
    game = at.journal.entries[-1]
    assert isinstance(game, Opened)
    assert (game.seats, game.house) == (("ann", "bob", "cleo"), ())


def test_the_house_does_not_play_alone(at: HandsOn) -> None:
    with pytest.raises(BadOption, match="needs a player"):
        open_game(at.table, "mia", {1: "House", 2: "House 2"}, {}, house={1: "easy", 2: "easy"})
    game = opened("mia", 1, "easy").journal.entries[-1]
    assert isinstance(game, Opened)
    for house in (((1, "easy"), (2, "easy")), ((3, "easy"),)):
        with pytest.raises(BadLog, match="the house plays"):
            at.table.state.after(Opened(**{**vars_of(game), "house": house}))


def vars_of(game: Opened) -> dict[str, Any]:
    return {name: getattr(game, name) for name in Opened.__dataclass_fields__}


def test_the_house_decides_after_a_pause_that_people_can_follow() -> None:
    at = opened("mia", 2, "hard", first="House 3")
    assert at.lines[1].strip() == "House 3 decides"
    at.wait(7.9)
    assert at.revision == 0
    at.wait(0.2)
    assert at.journal.entries[-1] == Decided("House 3", {"type": "call", "value": 61}, by_table=True)


def test_no_key_and_no_phone_decides_for_the_house() -> None:
    at = opened("mia", 2, "hard", first="House 3")
    for control in ("1.ok", "3.plus", "3.ok"):
        at.change(f"seat{control}", down=True)
        at.change(f"seat{control}", down=False)
    assert at.revision == 0
    assert [choice.label for choice in at.table.phone(3).choices if not choice.small] == []


def test_the_house_neither_sits_out_nor_leaves() -> None:
    at = opened("mia", 2, "hard")
    items = [choice.label for choice in at.table.phone(3).choices]
    assert items == ["Menu"]
    assert at.table.choose(3, "Menu", ())
    offered = {choice.label for choice in at.table.phone(3).choices}
    assert offered.isdisjoint({"Sit out", "Leave the game", "Join next game", "I'm back"})


def test_the_house_waits_while_the_game_is_paused() -> None:
    at = opened("mia", 2, "hard", first="House 3")
    at.menu(1, "Pause")
    at.wait(60.0)
    assert at.revision == 0
    at.tap("1.ok")
    at.wait(8.1)
    assert at.revision == 1


def test_the_house_waits_while_all_people_sit_out() -> None:
    at = opened("mia", 2, "hard", first="House 3")
    for seat, name in ((1, "ann"), (2, "bob")):
        assert at.table.write(Sat(seat, name, Sitting.SITS_OUT))
    at.wait(60.0)
    assert at.revision == 0


def test_the_next_person_to_its_right_throws_for_the_house() -> None:
    at = opened("ship_captain_crew", 2, "hard", "hard", first="House 3")
    for seat in ("House 3", "House 4"):
        assert at.table.state.hands(seat) == "bob"
    assert at.table.state.hands("ann") == "ann"
    assert at.table.write(Sat(2, "bob", Sitting.SITS_OUT))
    assert at.table.state.hands("House 3") == "ann"
    assert at.table.write(Sat(1, "ann", Sitting.SITS_OUT))
    assert at.table.state.hands("House 3") == "bob"


def test_the_first_seats_of_the_house_have_the_last_person_to_their_right(at: HandsOn) -> None:
    at.settle(EMPTY)
    names = {1: "House", 2: "ann", 3: "bob"}
    assert open_game(at.table, "ship_captain_crew", names, {}, house={1: "easy"})
    assert at.table.state.hands("House") == "bob"


def test_the_screens_say_who_throws_for_the_house() -> None:
    at = opened("ship_captain_crew", 2, "hard", first="House 3")
    state = snapshot(at.table, ())
    assert state["todo"] == "bob: throw 5 dice for the house"
    assert [seat["house"] for seat in state["seats"]] == ["", "", "hard"]
    assert at.lines[0].startswith("House 3")
    assert at.lines[1].strip() == "bob: 5 dice"
    lit = [name for name, lamp in at.table.view.lamps.items() if lamp.mode is LampMode.PULSE]
    assert lit == ["seat2"]
    at.settle(lie(6, 5, 4, 3, 2))
    thrown = at.journal.entries[-1]
    assert isinstance(thrown, Thrown)
    assert at.revision == 1


def test_the_house_names_the_dice_that_it_wants_thrown() -> None:
    at = opened("six_shooter", 1, "hard")  # seed 7 lets the house begin
    assert at.table.state.to_act == "House 2"
    state = snapshot(at.table, ())
    kinds = at.table.state.awaited.kinds if at.table.state.awaited else ()
    assert len(kinds) == len(set(kinds)) == 2
    assert state["todo"] == f"ann: throw {kinds[0]} and {kinds[1]} for the house"
    assert state["due"] == list(kinds)
    others: list[Kind] = [kind for kind in ("d4", "d6", "d8", "d10") if kind not in kinds]
    at.settle(dice((1, others[0]), (2, others[1]), start=10))
    assert at.revision == 0
    at.settle(dice((1, kinds[0]), (2, kinds[1]), start=20))
    assert at.revision == 1


def test_nobody_looks_under_the_cup_of_the_house() -> None:
    at = opened("mia", 1, "hard", first="House 2")
    assert snapshot(at.table, ())["facts"][0] == "ann handles the house's cup. Don't look under it!"
    assert shown(at, 2) == "ann handles the house's cup. Don't look under it!"
    assert replace(at.table.state, shown={"House 2": (("d6", 6),)}).cup_of_house is None
    assert at.revision == 0
    at.wait(1.1)
    assert at.table.state.to_act == "ann"
    assert snapshot(at.table, ())["facts"] == ["House 2 calls 61"]  # the cup is ann's now


def test_a_person_lifts_the_cup_of_the_house() -> None:
    at = opened("liars_dice", 1, "easy", dice=2, first="ann")
    assert at.table.write(Decided("ann", {"type": "bid", "quantity": 4, "face": 6}))
    at.wait(2.1)  # its dice were cast a while ago
    at.settle(lie(6, 6))
    assert isinstance(at.journal.entries[-1], Revealed)
    assert at.table.state.to_act == "House 2"
    assert snapshot(at.table, ())["todo"] == "ann: lift the house's cup, 2 dice"
    at.settle(lie(6, 6, 1, 2))
    last = at.journal.entries[-1]
    assert isinstance(last, Thrown)
    assert last.dice == (("d6", 1), ("d6", 2))


def test_the_house_vouches_for_no_throw() -> None:
    at = opened("six_by_6", 2, "hard", strict=True)
    assert at.table.thrower_and_witnesses() == (1, [2])
    alone = opened("six_by_6", 1, "hard", strict=True)
    assert alone.table.thrower_and_witnesses() == (1, [])


def test_a_restart_in_the_turn_of_the_house_continues() -> None:
    at = opened("mia", 2, "medium", first="House 3")
    again = HandsOn(list(at.journal.entries))
    again.settle(EMPTY)
    again.wait(8.1)
    at.wait(8.1)
    assert again.journal.entries[-1] == at.journal.entries[-1]
    assert again.revision == 1


def test_a_disk_that_is_full_delays_the_decision() -> None:
    at = opened("mia", 2, "hard", first="House 3")
    at.journal.full = True
    at.wait(8.1)
    assert at.revision == 0
    at.journal.full = False
    at.wait(8.1)
    assert at.revision == 1


def test_after_a_restart_the_house_waits_as_before() -> None:
    at = HandsOn(opened("mia", 2, "hard", first="House 3").journal.entries)
    at.wait(0.0)
    at.wait(7.9)
    assert at.revision == 0
    at.wait(0.2)
    assert at.revision == 1
