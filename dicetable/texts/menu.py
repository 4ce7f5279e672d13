"""The table's own menu, and what it opens."""

from __future__ import annotations

HEADING = "MENU"
WHOSE = "Any seat: - or +"
CLOSE = "Back"
ITEMS = {
    "close": "Back to the game",
    "scores": "Scores",
    "rules": "Rules in short",
    "pause": "Pause",
    "by_hand": "Enter dice by hand",
    "correct": "Correct last throw",
    "sit_out": "I sit out",
    "come_back": "I am back",
    "leave": "I leave",
    "join": "I join next game",
    "hurry": "Somebody is away",
    "end": "End this game",
    "new": "New game",
    "league": "League match",
    "test": "Test dice",
    "help": "Help",
    "off": "Power off",
}

BY_HAND = "Enter dice"
CORRECT = "Correct throw"
SCORES = "SCORES"
HELP = "HELP"
TURN_PAGES = "-/+ turn   OK closes"
HELP_TEXTS = (
    "Each seat has three buttons: -, + and OK.",
    "- and + change the choice. Hold to repeat.",
    "OK takes the choice after the >.",
    "Hold OK for a second to go back one step.",
    "A pulsing green lamp: that seat is asked.",
    "Throw when the table asks, then keep your hands out.",
    "Throw a die again if I cannot read it. I never guess.",
    "MENU has the scores, the rules, a pause and more.",
)

PAUSED = "PAUSED"
PAUSED_TEXT = "Any OK: play on"
GOOD_NIGHT = ("", "     Good night.    ", "", "")
SAFE_TO_UNPLUG = ("Good night.", "Safe to unplug when", "the Pi's green light", "is out.")

ANOTHER_SEAT = "Another seat: OK"
ANY_SEAT = "Any seat: OK"
SAME_SEAT = "OK: yes"
NO_HOLD = "Hold OK: no"
IS_IT_RIGHT = "Is this right?"
END_GAME = "End this game?"
NEW_GAME = "Start a new game?"
POWER_OFF = "Power off?"


def countdown(seconds: int) -> str:
    """How long somebody has who is waited for."""
    return f"press a key: {seconds} s"


def die_field(number: int, count: int, kind: str) -> str:
    """Which die is entered."""
    return f"Die {number} of {count}: {kind}"


def kind_field(number: int, count: int) -> str:
    """Which die's kind is entered."""
    return f"Die {number} of {count}: kind?"


def face_field(face: int) -> str:
    """How many dice show that face."""
    return f"How many show {face}?"
