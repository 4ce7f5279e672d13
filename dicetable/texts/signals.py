"""What Home Assistant shows of the table."""

from __future__ import annotations

from typing import Final

DEVICE: Final = "Dice table"
ENTITIES: Final = {
    "phase": "State",
    "game": "Game",
    "turn": "Turn",
    "todo": "To do",
    "last_throw": "Last throw",
    "winners": "Winners",
    "paused": "Paused",
    "trouble": "Trouble",
    "trouble_text": "Trouble text",
    "temperature": "Temperature",
    "pause": "Pause",
    "message": "Message on the screen",
}
EVENTS: Final = {
    "throw": "Throw",
    "turn": "New turn",
    "bust": "Bust",
    "rack": "Rack",
    "game_over": "Game over",
}


def score(seat: int) -> str:
    """The score of a seat."""
    return f"Score of seat {seat}"
