"""The panel, and the keyboard that stands in for it: set-up of a game, the menu, a test of dice."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from common.texts.catalogue import ntr, tr
from common.texts.statistics import evidence
from games.dice import Kind

# Between games.
ATTRACT = (tr("     DICE TABLE     "), "", tr("  Press any button  "), tr("      to play       "))
LAST_WON = tr("Last winners:")
CHOOSE_GAME = tr("Which game?")
WHO_PLAYS = tr("Who plays? Press OK")
START = tr("START")
NAMES = tr("Names")
NO_LIMIT = tr("no limit")
BY_CHANCE = tr("by chance")
LETTER = tr("-/+ letter, OK next")
NAME_DONE = tr("END")
SAME_NAME = tr("That name is taken.")


SEATS_HOUSE = tr("Free seat +: house")


def house(number: int) -> str:
    """The name of the house at its first seat, and at any further one, in ten characters."""
    return tr("House") if number == 1 else tr("House {number}").format(number=number)


def seats_needed(fewest: int, most: int, players: int) -> str:
    return tr("{there} in, {fewest} to {most} play").format(there=players, fewest=fewest, most=most)


def players(fewest: int, most: int) -> str:
    return tr("{fewest} to {most} players").format(fewest=fewest, most=most)


def paused_by(name: str) -> str:
    return tr("{name} paused").format(name=name)


def not_enough(fewest: int, most: int) -> str:
    return tr("This game is for {fewest} to {most} players.").format(fewest=fewest, most=most)


def option_value(option: str, value: Any) -> str:
    """The value of an option; there is none where it is by chance, or without end."""
    if value is None:
        return BY_CHANCE if option == "first" else NO_LIMIT
    return str(value)


def goes_on(seat: int) -> str:
    return tr("Seat {seat} OK: go on").format(seat=seat)


def seat_name(seat: int) -> str:
    return tr("Seat {seat}").format(seat=seat)


def name_of(seat: int) -> str:
    return tr("Name of seat {seat}").format(seat=seat)


# The menu, and what it opens.
MENU_HEADING = tr("MENU")
WHOSE_MENU = tr("Any seat: - or +")
CLOSE_MENU = tr("Back")
MENU_ITEMS = {
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


def asks(name: str) -> str:
    return tr("{name} asks:").format(name=name)


IS_IT_RIGHT = tr("Is this right?")
END_GAME = tr("End this game?")
NEW_GAME = tr("Start a new game?")
POWER_OFF = tr("Power off?")


def countdown(seconds: int) -> str:
    return tr("Any button: {seconds} s").format(seconds=seconds)


def die_field(number: int, count: int, kind: str) -> str:
    return tr("Die {number} of {count}: {kind}").format(number=number, count=count, kind=kind)


def kind_field(number: int, count: int) -> str:
    return tr("Die {number} of {count}: kind?").format(number=number, count=count)


def face_field(face: int) -> str:
    return tr("How many show {face}?").format(face=face)


# A test of dice, on the panel and on the pages.
WHICH_DICE_TO_TEST = tr("Test which dice?")
HOW_MANY_DICE = tr("How many dice?")
THROWN_TOGETHER = tr("thrown together")
THROW_AGAIN = tr("THROW AGAIN")
TEST_PAGE: Final = {
    "test_heading": tr("Are these dice fair?"),
    "test_throws": tr("throws"),
    "test_evidence": tr("Evidence against fair dice: E ="),
    "test_faces": tr("How often each face came up; the line is the share of fair dice"),
    "test_curve": tr("E after each throw; at the line, 20, the dice may be called biased"),
    "test_biased": tr("BIASED. E reached 20 after throw {throw}: the dice may be called biased."),
    "test_was": tr(
        "E reached 20 after throw {throw} and has come down since: keep throwing, or call them biased."
    ),
    "test_disputed": tr("No verdict: it hinges on dice that players confirmed, so the camera may be biased."),
    "test_too_few": tr(
        "Not enough throws yet: {throws} more throws would show a face that comes up {excess} % too often."
    ),
    "test_none": tr(
        "No bias found so far: {throws} more throws would show a face that comes up {excess} % too often."
    ),
    "test_enough": tr("No bias found: a face that comes up 10 % too often would probably have shown."),
}
"""The texts by the names that fairness.html and fairness.js use."""


def dice_to_test(kind: Kind, count: int) -> str:
    """The dice that are tested, such as `2 d6`."""
    return f"{count} {kind}"


def throw_count(count: int) -> str:
    """`1 throw`, `120 throws`."""
    return ntr("{count} throw", "{count} throws", count).format(count=count)


def panel_evidence(log_e: float, accused_at: int | None) -> str:
    """E, or after which throw the dice could be called biased, in at most twenty characters."""
    if accused_at is None:
        return tr("E {evidence}; 20 is biased").format(evidence=evidence(log_e))
    return tr("BIASED at {throw:,}").format(throw=accused_at)


# A game at a terminal.
TERMINAL_KEYS = tr("Type a key, then Enter: + and - change, b goes back, m is the menu, 2+ is seat 2's +.")
ENTER_THROWS = tr("Enter alone presses OK for the seat whose turn it is, and throws its dice. Ctrl-D quits.")
ENTER_TAKES = tr("Enter alone presses OK for the seat whose turn it is. Ctrl-D quits.")
ENTER_RUNS = tr(
    "Enter alone presses OK for the seat whose lamp is lit, such as (seat1). Ctrl-C stops the table."
)
SIMULATED_PLAYERS = tr('Simulated players throw and press; with panel.driver = "keyboard" you press.')
YOU_LEFT = tr("you left")
NO_MORE_PHOTOGRAPHS = tr("no more photographs")
GAME_ENDED = tr("the game was ended")
ENTERED_BY_HAND = tr(" (entered by hand)")
VOUCHED = tr(" (vouched for)")
NOT_SEEN = tr(" (not seen to roll)")
NO_DICE = tr("no dice")


def under_cup(seat: str, faces: Sequence[int]) -> str:
    return tr("    (under {seat}'s cup: {faces})").format(seat=seat, faces=" ".join(map(str, sorted(faces))))


ENTER = {
    "throw": tr("throws the dice"),
    "any": tr("throws the dice"),
    "reveal": tr("lifts the cup"),
    "act": tr("takes the choice"),
    "over": tr("ends"),
    "menu": tr("is OK"),
    "question": tr("is another seat's yes"),
    "alone": tr("takes your own word for it"),
}
CHOICES = ("act", "menu")
QUESTIONS = ("question", "alone")
ANSWERS = {"Backspace": tr("throws again")}
CHANGES = {"+ -": tr("change it"), "Backspace": tr("goes back")}
ALWAYS = {
    "m": tr("menu"),
    "1-8": tr("next key is that seat's"),
    ":": tr("a fault"),
    "Ctrl-D": tr("leaves"),
}


def terminal_keys(question: str) -> Mapping[str, str]:
    """What each key does while this is asked: a kind of prompt, `menu`, or a question about a throw.

    `question` is for another seat, `alone` for the thrower, with no other seat to ask.
    """
    further = CHANGES if question in CHOICES else ANSWERS if question in QUESTIONS else {}
    return {"Enter": ENTER[question], **further, **ALWAYS}
