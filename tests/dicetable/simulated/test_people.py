"""What simulated people do with the dice in the tray between throws."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from common import texts
from dicetable.simulated.hands import Finger, Hands
from dicetable.simulated.people import Attempt, People, WantedGame
from dicetable.table import display
from dicetable.table.play import Play
from dicetable.table.table_state import Awaited
from games.match import Match
from games.players import SharpPlayer
from games.requests import Act
from hardware.ports import PanelView
from hardware.simulated.die import on_table, settled, turn_showing
from tests.hardware.simulated.tables import world

if TYPE_CHECKING:
    from dicetable.table.table import Table
    from games.dice import Die


def test_a_die_of_a_void_throw_is_never_kept_however_it_shows() -> None:
    made = world(3)
    kept, voided = made.pick(["d6", "d6"], set())
    six = [
        settled(die, on_table(die, turn_showing(made.chance, die, 6), x, 0.0))
        for die, x in ((kept, -60.0), (voided, 60.0))
    ]
    table: Any = None
    people = People(table, Hands(made), Finger(made.panel), WantedGame("six_by_6", ("ann", "bob")), {})
    awaited = Awaited(("d6",), (1,), (("d6", 6),))
    made.lay(six[:1])
    assert [lying.die.number for lying in people.aside(awaited)] == [kept.number]
    made.lay(six[1:])  # the one that was kept is out, and the one that was thrown was turned to a six
    assert people.aside(awaited) == []
    people.attempt = Attempt((1, 0))  # the throw was accepted: the six counts as it lies
    assert [lying.die.number for lying in people.aside(awaited)] == [voided.number]


def test_nobody_consents_to_another_throw_while_somebody_is_in_a_menu() -> None:
    class Asks(Play):
        @property
        def witnesses(self) -> list[int]:
            return [2]

    made = world(3)
    play = Asks.__new__(Asks)
    table: Any = SimpleNamespace(base=play, screen=play)
    people = People(table, Hands(made), Finger(made.panel), WantedGame("six_by_6", ("ann", "bob")), {})
    assert people.asked_for_consent()
    table.screen = object()
    assert not people.asked_for_consent()


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_a_player_keeps_the_dice_that_the_table_says_are_not_cast_again(count: int) -> None:
    made, table = world(3), cast("Table", None)
    seats = ("ann", "bob", "cleo")
    hands, players = Hands(made), {seat: SharpPlayer(1) for seat in seats}
    people = People(table, hands, Finger(made.panel), WantedGame("sixes", seats), players)
    match = Match.new("sixes", seats, {"first": "ann"}, seed=1)
    people.follow(match)
    for act in (Act("ann", {"type": "call", "value": 332}), Act("bob", {"type": "accept"})):
        match = match.apply(act)
        people.follow(match)
    before = Counter(hands.faces("bob"))
    people.follow(match.apply(Act("bob", {"type": "recast", "count": count})))
    after = Counter(hands.faces("bob"))
    assert after.total() == 3
    assert (before & after).total() >= 3 - count


def test_the_cups_of_the_game_before_are_empty() -> None:
    made, table = world(3), cast("Table", None)
    seats = ("ann", "bob", "cleo")
    players = {seat: SharpPlayer(1) for seat in seats}
    people = People(table, Hands(made), Finger(made.panel), WantedGame("sixes", seats), players)
    for game, dice in (("liars_dice", 6), ("sixes", 3)):
        people.follow(Match.new(game, seats, {"first": "ann"}, seed=1))
        assert len(people.faces("ann")) == dice


@pytest.mark.parametrize(
    ("sentence", "clears"),
    [
        (texts.throws.old_die_moved(reveal=False), True),
        (texts.throws.void(texts.throws.left_lying(1), 1), True),
        (texts.throws.void(texts.throws.left_lying(2), 3), True),
        (texts.throws.placed(1), False),
    ],
)
def test_people_take_out_what_they_had_set_aside_if_the_table_says_so(sentence: str, clears: bool) -> None:
    made = world(3)
    table: Any = None
    people = People(table, Hands(made), Finger(made.panel), WantedGame("six_by_6", ("ann", "bob")), {})
    made.panel.show(PanelView({}, ["six by 6", *display.wrapped(sentence)[:3]]))
    assert people.told_to_clear == clears


@pytest.mark.parametrize("heading", [texts.panel.NAMES, texts.panel.name_of(2)])
def test_people_go_back_from_names_that_a_lost_press_led_to(heading: str) -> None:
    made = world(3)
    finger = Finger(made.panel)
    held: list[tuple[int, str]] = []
    table: Any = SimpleNamespace(seats=2)
    people = People(table, Hands(made), finger, WantedGame("six_by_6", ("ann", "bob")), {})
    made.panel.show(PanelView({}, [heading]))
    finger.hold = lambda seat, key: held.append((seat, key))  # type: ignore[method-assign]
    people.set_up()
    assert held == [(1, "ok")]


@pytest.mark.parametrize(("die", "held"), [(("d6", 4), [(1, "ok")]), (("d4", 4), [])])
def test_people_go_back_from_a_kind_that_a_doubled_press_took(die: Die, held: list[tuple[int, str]]) -> None:
    made = world(3)
    finger = Finger(made.panel)
    pressed: list[tuple[int, str]] = []
    table: Any = None
    people = People(table, Hands(made), finger, WantedGame("six_shooter", ("ann", "bob")), {})
    people.attempt = Attempt((1, 0), dice=[die])
    asked: Any = SimpleNamespace(
        awaited=Awaited(("d4", "d6"), (1,)), panel_seats={"ann": 1}, to_act="ann", hands=str
    )
    made.panel.show(PanelView({}, ["Enter dice       1/4", "Die 1 of 1: d4", "> 1"]))
    finger.hold = lambda seat, key: pressed.append((seat, key))  # type: ignore[method-assign]
    people.by_hand(asked)
    assert pressed == held


def test_a_seat_that_was_renamed_by_mistake_is_still_the_same_players() -> None:
    made = world(3)
    seats = ("ann", "bob")
    players = {seat: SharpPlayer(1) for seat in seats}
    table: Any = SimpleNamespace(state=SimpleNamespace(panel_seats={"ann": 1, "aa": 2}, house={}))
    people = People(table, Hands(made), Finger(made.panel), WantedGame("six_by_6", seats), players)
    assert [people.player(seat) for seat in ("ann", "aa")] == [players["ann"], players["bob"]]
