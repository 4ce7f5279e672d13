"""What Home Assistant shows of the table."""

from __future__ import annotations

from typing import Final

from dicetable.texts.catalogue import tr

DEVICE: Final = tr("Dice table")
ENTITIES: Final = {
    "phase": tr("State"),
    "game": tr("Game"),
    "turn": tr("Turn"),
    "todo": tr("To do"),
    "last_throw": tr("Last throw"),
    "winners": tr("Winners"),
    "paused": tr("Paused"),
    "trouble": tr("Trouble"),
    "trouble_text": tr("Trouble text"),
    "temperature": tr("Temperature"),
    "pause": tr("Pause"),
    "message": tr("Message on the screen"),
}
EVENTS: Final = {
    "throw": tr("Throw"),
    "turn": tr("New turn"),
    "bust": tr("Bust"),
    "rack": tr("Rack"),
    "game_over": tr("Game over"),
}


def score(seat: int) -> str:
    """The score of a seat."""
    return tr("Score of seat {seat}").format(seat=seat)
