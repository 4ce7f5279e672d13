"""Texts of phones that serve as the panel's buttons."""

from collections.abc import Iterable
from typing import Final

from common.texts.catalogue import either, tr

WRONG_CODE: Final = tr("This code is no longer valid: get the new one from the table's display.")
TOO_MANY: Final = tr("Too many wrong codes: wait half a minute.")
NO_SEAT: Final = tr("This phone has no seat now: enter a code to take one.")
NO_CONTROL: Final = tr("The table has no such button.")
TOO_LATE: Final = tr("Too late: the table has moved on.")
SEATS_DAMAGED: Final = tr("The phones' seats were damaged and are all free.")
SEATS_DAMAGED_REMEDY: Final = tr("scan the table's code again")
NOT_YOURS: Final = tr("That didn't count: this seat belongs to another phone, or the table is out of reach.")
NO_TABLE: Final = tr("The table isn't answering: try again in a moment.")
TOO_FAST: Final = tr("Too many presses at once: wait a moment.")
HELD_UP: Final = tr("That didn't count: it took too long to reach the table.")

NO_GAME: Final = tr("What shall we play?")
NEW_GAME: Final = tr("Start a game")
FIRST_TIME: Final = tr("First time here?")
FIRST_THROW: Final = tr("Your first throw: let all dice go above the tray, then take your hand away.")
FIRST_READ: Final = tr("The camera has read the dice. If it isn't sure of one, it asks you. Throw the rest.")
FIRST_DECISION: Final = tr("Now it's your decision: your phone asks, and you tap your answer.")
YES: Final = tr("Yes")
NO: Final = tr("No")
FAIR: Final = tr("Yes, it was fair")
NOT_FAIR: Final = tr("No, throw again")
THROW_AGAIN: Final = tr("Throw again")
OTHER_VALUE: Final = tr("It shows")
ANOTHER_PLAYER: Final = tr("Another player answers.")
OPERATOR_ASKS: Final = tr("The operator asks:")
SITTING_OUT: Final = tr("You're sitting out.")
COME_BACK: Final = tr("I'm back")
REMATCH: Final = tr("Rematch")
START_NOW: Final = tr("Start now")
PLAY_ON: Final = tr("Play on")
PAUSED: Final = tr("Paused")
PAUSED_BY: Final = tr("{name} paused the game.")
HAND_OVER_DICE: Final = tr("A hand came over the dice.\nThe throw doesn't count.")
JOIN: Final = tr("I'm in")
NOT_ME: Final = tr("Sit this one out")
GO_ON: Final = tr("Everyone's in")
ADD_HOUSE: Final = tr("Let the house play")
MENU: Final = tr("Menu")
CLOSE_MENU: Final = tr("Close the menu")
NO_NAME: Final = tr("Use one to ten Latin letters, digits or symbols.")
NAME_TAKEN: Final = tr("Another player has that name.")
COLOUR_TAKEN: Final = tr("Another player has that colour.")


def it_shows(value: int) -> str:
    return tr("Yes, it shows {value}").format(value=value)


def other_kind(kind: str) -> str:
    return tr("It's a {kind}").format(kind=kind)


def flat(value: int) -> str:
    return tr("Yes, it lies flat on {value}").format(value=value)


def may_answer(names: Iterable[str]) -> str:
    return tr("{names} may answer").format(names=either(names))


def house_plays(name: str, strength: str) -> str:
    return tr("{name}: play {strength}").format(name=name, strength=strength)


def without_house(name: str) -> str:
    return tr("{name}: leave").format(name=name)


def be(name: str) -> str:
    return tr("I'm {name}").format(name=name)


def sets_up(host: str) -> str:
    return tr("{host} is setting up a game.").format(host=host)


def paused_by(name: str) -> str:
    return PAUSED_BY.format(name=name)


def in_menu(name: str) -> str:
    return tr("{name} is in the menu.").format(name=name)


COLOURS: Final = (
    tr("red"),
    tr("blue"),
    tr("green"),
    tr("gold"),
    tr("violet"),
    tr("orange"),
    tr("cyan"),
    tr("pink"),
)
"""The names of the colours by their numbers, from 1 on."""
PAGE: Final = {
    "language": tr("Language"),
    "connecting": tr("Connecting to the table …"),
    "stale": tr("Out of date: the gateway isn't answering. This page keeps trying."),
    "away": tr("Out of date: the table isn't answering. This page continues once it does."),
    "claim_heading": tr("Take your seat"),
    "claim_text": tr("Scan the code of a free seat on the table's display, or enter its six digits."),
    "code": tr("Code"),
    "claim": tr("Sit down"),
    "leave": tr("Give the seat back"),
    "leave_sure": tr("Give the seat back? Press once more."),
    "seats_heading": tr("Seats"),
    "free": tr("free"),
    "held": tr("has a phone"),
    "lost": tr("phone is silent: the code is back on the display"),
    "minus": tr("one less"),
    "plus": tr("one more"),
    "your_turn": tr("Your turn"),
    "turn_of": tr("{seat}'s turn"),
    "you_win": tr("You win!"),
    "name_heading": tr("What's your name?"),
    "name": tr("Name"),
    "name_done": tr("That's me"),
    "colour_heading": tr("Your colour"),
    "colours": ", ".join(COLOURS),
    "name_for": tr("You're {name}. Tap to change it."),
    "name_next": tr("Your name changes with the next game."),
    "game_heading": tr("The game"),
    "scores_heading": tr("Scores"),
    "last_heading": tr("Last throw"),
    "best_throw": tr("Best throw: one in {count}"),
    "rarest_throw": tr("Rarest throw: one in {count}"),
    "odds_heading": tr("Odds"),
    "odds_text": tr("Exact odds with fair dice, from what everyone can see."),
    "no_odds": tr("There are no odds to show now."),
    "odds_off": tr("Odds are switched off at this table."),
    "rules_heading": tr("Rules"),
    "history_heading": tr("Throws of"),
    "everyone": tr("everyone"),
    "older": tr("Older throws"),
    "no_more": tr("There are no older ones."),
    "no_throws": tr("Nothing has been thrown yet."),
    "picture_alt": tr("The tray, as the camera saw this throw"),
    "by_hand": tr("entered by hand"),
    "corrected": tr("corrected"),
    "vouched": tr("vouched for"),
    "unseen": tr("not seen to roll"),
    "all_cups": tr("All cups"),
    "log_heading": tr("What happened"),
    "make_clip": tr("Film my throw"),
    "making_clip": tr("Filming …"),
    "share_clip": tr("Share the clip"),
    "earlier": tr("before this round"),
    "rolling": tr("Rolling …"),
    "waits": tr("The game waits."),
    "paused": tr("Paused"),
    "paused_by": PAUSED_BY,
    "no_game": tr("No one is playing right now."),
    "cup": tr("under the cup:"),
    "away_seat": tr("sits out"),
}
"""The texts by the names that phone.html and phone.js use."""
