"""Texts of phones that serve as the panel's buttons."""

from __future__ import annotations

from typing import Final

from dicetable.texts.catalogue import tr

WRONG_CODE: Final = tr("This code is no longer valid: read it again from the table's display.")
TOO_MANY: Final = tr("Too many wrong codes: wait half a minute.")
NO_SEAT: Final = tr("This phone has no seat now: enter a code to take one.")
NO_CONTROL: Final = tr("The table has no such button.")
TOO_LATE: Final = tr("Too late: the table asks something else now.")
NOT_YOURS: Final = tr("Not pressed: this seat belongs to another phone, or the table is out of reach.")
NO_TABLE: Final = tr("The table does not answer now: try again in a moment.")
TOO_FAST: Final = tr("Too many presses at once: wait a moment.")
HELD_UP: Final = tr("Not pressed: it took too long on its way to the table.")

PAGE: Final = {
    "connecting": tr("Connecting to the table …"),
    "stale": tr("Out of date: the gateway does not answer. This page tries again by itself."),
    "away": tr("Out of date: the table does not answer. This page continues as soon as it does."),
    "claim_heading": tr("Take your seat"),
    "claim_text": tr("Enter the six digits that the table's display shows for your seat."),
    "code": tr("Code"),
    "claim": tr("Sit down"),
    "leave": tr("Give the seat back"),
    "leave_sure": tr("Give the seat back? Press once more."),
    "seats_heading": tr("Seats"),
    "free": tr("free"),
    "held": tr("has a phone"),
    "lost": tr("phone is silent: its code is shown again"),
    "minus": tr("minus"),
    "plus": tr("plus"),
    "ok": tr("OK"),
    "back": tr("Hold OK to go back."),
    "table_menu": tr("Menu"),
    "your_turn": tr("Your turn"),
    "game_heading": tr("The game"),
    "scores_heading": tr("Scores"),
    "last_heading": tr("Last throw"),
    "odds_heading": tr("Odds"),
    "odds_text": tr("Exact odds with fair dice, from what everybody can see."),
    "no_odds": tr("There are no odds to show now."),
    "odds_off": tr("Odds are switched off at this table."),
    "rules_heading": tr("Rules"),
    "history_heading": tr("Throws of"),
    "everybody": tr("everybody"),
    "older": tr("Older throws"),
    "no_more": tr("There are no older ones."),
    "no_throws": tr("Nothing has been thrown yet."),
    "picture_alt": tr("The tray, as the camera saw this throw"),
    "by_hand": tr("entered by hand"),
    "corrected": tr("corrected"),
    "vouched": tr("vouched for"),
    "unseen": tr("not seen to roll"),
    "rolling": tr("Rolling …"),
    "paused": tr("Paused"),
    "nobody": tr("Nobody is playing now."),
    "cup": tr("under the cup:"),
    "away_seat": tr("sits out"),
}
"""By the names that phone.html and phone.js use."""
