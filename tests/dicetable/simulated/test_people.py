"""What simulated people do with the dice in the tray between throws."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from dicetable.simulated.finger import Finger
from dicetable.simulated.hands import Hands
from dicetable.simulated.people import Attempt, People, Wish
from dicetable.table.screens.play import Play
from dicetable.throws.awaited import Awaited
from hardware.simulated.die import on_table, settled, turn_showing
from tests.hardware.simulated.tables import world


def test_a_die_of_a_void_throw_is_never_kept_however_it_shows() -> None:
    made = world(3)
    kept, voided = made.pick(["d6", "d6"], set())
    six = [
        settled(die, on_table(die, turn_showing(made.chance, die, 6), x, 0.0))
        for die, x in ((kept, -60.0), (voided, 60.0))
    ]
    table: Any = None
    people = People(table, Hands(made), Finger(made.panel), Wish("six_by_6", ("ann", "bob")), {})
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
    people = People(table, Hands(made), Finger(made.panel), Wish("six_by_6", ("ann", "bob")), {})
    assert people.asked_for_consent()
    table.screen = object()
    assert not people.asked_for_consent()
