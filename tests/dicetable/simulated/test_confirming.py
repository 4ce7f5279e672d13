"""Simulated people answer truthfully whether a die lies flat, what it shows, and if a throw was fair."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dicetable.ledger.entries import DieDetails
from dicetable.simulated.cheats import Cheats
from dicetable.simulated.hands import Finger, Hands
from dicetable.simulated.people import People, WantedGame
from dicetable.table.acceptance import NeedsConfirmation, ThrownDie
from dicetable.table.confirm_throw import ConfirmReading, Vouch
from hardware.simulated.places import at_random, cocked
from tests.dicetable.readings import die
from tests.dicetable.simulated.true_reading import true_reading
from tests.hardware.simulated.tables import world
from vision.reading import Doubt, Reading, Settled

if TYPE_CHECKING:
    from hardware.simulated.die import Lying
    from hardware.simulated.world import World

THROWER, WITNESS = 1, 2


def note_presses(made: World) -> tuple[Finger, list[tuple[str, str]]]:
    """A finger, and what it presses: each key, and whether it taps or holds it."""
    pressed: list[tuple[str, str]] = []

    class Noted(Finger):
        def press(self, place: int, key: str, hold_s: float) -> None:
            pressed.append((f"{place}.{key}", "held" if hold_s > 0.5 else "tapped"))

    return Noted(made.panel), pressed


def asked_about(lying: Lying, proposed: int) -> tuple[str, str]:
    """The seat's key that people press first, and whether they tap or hold it."""
    made = world(3)
    made.lay([lying])
    (seen,) = true_reading(made).dice
    cocked_die = replace(seen, value=proposed, doubt=Doubt.COCKED)
    asked = ThrownDie(0, cocked_die, lying.kind, proposed, DieDetails())
    throw = NeedsConfirmation(Settled(Reading((cocked_die,)), 0.0), (asked,))
    finger, pressed = note_presses(made)
    table: Any = None
    people = People(table, Hands(made), finger, WantedGame("sixes", ("ann", "bob")), {})
    people.answer(ConfirmReading(table, THROWER, [WITNESS], throw))
    return pressed[0]


@pytest.mark.parametrize(
    ("cheat", "witnesses", "pressed"),
    [
        (False, [WITNESS], ("2.ok", "tapped")),
        (True, [WITNESS], ("2.ok", "held")),
        (False, [], ("1.ok", "tapped")),
    ],
)
def test_neighbours_vouch_for_an_honest_throw_alone(
    cheat: bool, witnesses: list[int], pressed: tuple[str, str]
) -> None:
    made = world(3)
    finger, noted = note_presses(made)
    table: Any = None
    cheats = Cheats(made, [], 1, at_work=cheat)
    unseen = ThrownDie(0, die(1, 0), "d6", 1, DieDetails(vouched_by="nobody"))
    throw = NeedsConfirmation(Settled(Reading((unseen.reading,)), 0.0), (unseen,))
    people = People(table, Hands(made), finger, WantedGame("sixes", ("ann", "bob")), {}, cheats)
    people.answer(Vouch(table, THROWER, witnesses, throw))
    assert noted == [pressed]


@pytest.fixture
def flat() -> Lying:
    chance = world(3).chance
    (die,) = at_random(chance, world(3).pick(["d6"], set()), [])
    return die


def test_a_throw_with_a_cocked_die_is_called_void() -> None:
    chance = world(3).chance
    below, other = at_random(chance, world(3).pick(["d6", "d6"], set()), [])
    assert asked_about(cocked(chance, other, [below], (10.0, 20.0)), 3) == ("1.ok", "held")


def test_a_flat_die_is_accepted_by_another_seat_once_its_value_is_right(flat: Lying) -> None:
    assert flat.value is not None
    assert asked_about(flat, flat.value) == ("2.ok", "tapped")
    assert asked_about(flat, flat.value % 6 + 1) == ("1.plus", "tapped")
