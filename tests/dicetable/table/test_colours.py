"""The colours of players, on lamps that have colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.ports import SEATS, Colour, Lamp, LampMode

if TYPE_CHECKING:
    from tests.dicetable.table.hands_on import HandsOn


def test_the_lamp_of_who_is_asked_has_the_player_s_colour(at: HandsOn) -> None:
    at.open("sixes", 3, first="bob")
    assert at.table.view.lamps["seat2"] == Lamp(LampMode.PULSE, Colour.BLUE)
    at.table.colour_seat(2, 8)
    assert at.table.view.lamps["seat2"] == Lamp(LampMode.PULSE, Colour.PINK)


def test_every_seat_has_a_colour_of_its_own_whoever_takes_which(at: HandsOn) -> None:
    for seat, colour in ((1, 5), (5, 1), (2, 5), (3, 3), (8, 2)):
        at.table.colour_seat(seat, colour)
        assert at.table.colours[seat] == colour
        assert sorted(at.table.colours.values()) == list(range(1, SEATS + 1))
