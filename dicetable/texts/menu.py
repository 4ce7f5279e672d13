"""The table's own menu, and what it opens."""

from __future__ import annotations

from dicetable.texts.catalogue import tr

HEADING = tr("MENU")
WHOSE = tr("Any seat: - or +")
CLOSE = tr("Back")
ITEMS = {
    "close": tr("Back to the game"),
    "scores": tr("Scores"),
    "rules": tr("Rules in short"),
    "pause": tr("Pause"),
    "by_hand": tr("Enter dice by hand"),
    "correct": tr("Correct last throw"),
    "sit_out": tr("Sit out"),
    "come_back": tr("I'm back"),
    "leave": tr("Leave the game"),
    "join": tr("Join next game"),
    "hurry": tr("Player missing"),
    "end": tr("End this game"),
    "new": tr("New game"),
    "league": tr("League match"),
    "test": tr("Test dice"),
    "help": tr("Help"),
    "off": tr("Power off"),
}

BY_HAND = tr("Enter dice")
CORRECT = tr("Correct throw")
SCORES = tr("SCORES")
HELP = tr("HELP")
TURN_PAGES = tr("-/+ turn   OK closes")
HELP_TEXTS = (
    tr("Each seat has three buttons: -, + and OK."),
    tr("- and + change the choice. Hold to repeat."),
    tr("OK takes the choice after the >."),
    tr("Hold OK for a second to go back one step."),
    tr("A pulsing green lamp: it's that seat's turn."),
    tr("Throw when the table asks, then keep your hands out."),
    tr("Throw a die again if I can't read it. I never guess."),
    tr("MENU has the scores, the rules, a pause and more."),
)

PAUSED = tr("PAUSED")
PAUSED_TEXT = tr("Any OK: play on")
GOOD_NIGHT = ("", tr("     Good night.    "), "", "")
SAFE_TO_UNPLUG = (tr("Good night."), tr("Safe to unplug when"), tr("the Pi's green light"), tr("is out."))

ANOTHER_SEAT = tr("Another seat: OK")
ANY_SEAT = tr("Any seat: OK")
SAME_SEAT = tr("OK: yes")
NO_HOLD = tr("Hold OK: no")
IS_IT_RIGHT = tr("Is this right?")
END_GAME = tr("End this game?")
NEW_GAME = tr("Start a new game?")
POWER_OFF = tr("Power off?")


def countdown(seconds: int) -> str:
    """How long somebody has who is waited for."""
    return tr("Any button: {seconds} s").format(seconds=seconds)


def die_field(number: int, count: int, kind: str) -> str:
    """Which die is entered."""
    return tr("Die {number} of {count}: {kind}").format(number=number, count=count, kind=kind)


def kind_field(number: int, count: int) -> str:
    """Which die's kind is entered."""
    return tr("Die {number} of {count}: kind?").format(number=number, count=count)


def face_field(face: int) -> str:
    """How many dice show that face."""
    return tr("How many show {face}?").format(face=face)
