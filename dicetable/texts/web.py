"""The pages in a browser, and what the gateway says at a terminal."""

from __future__ import annotations

from typing import Final

TITLE: Final = "Dice table"
PAGE: Final = {
    "connecting": "Connecting to the table …",
    "stale": "Out of date: the gateway does not answer. This page tries again by itself.",
    "away": "Out of date: the table does not answer. This page goes on as soon as it does.",
    "idle_heading": "Dice Table",
    "idle_text": "Press any button at the table to play.",
    "how_heading": "Real dice, read by a camera",
    "how_text": "You throw your own dice. The table sees them, plays by the rules and keeps the score. "
    "What it cannot read for sure is thrown again: it never guesses.",
    "games_heading": "The games",
    "set_up_heading": "A new game is set up",
    "off_heading": "Good night.",
    "paused": "Paused",
    "menu": "Somebody is in the table's menu.",
    "rolling": "Rolling …",
    "last_heading": "Last throw",
    "throws_heading": "Throws",
    "rules_heading": "The rules in short",
    "seats_heading": "Scores",
    "no_throws": "Nothing has been thrown yet.",
    "picture_alt": "The tray, as the camera saw this throw",
    "by_hand": "entered by hand",
    "corrected": "corrected",
    "last_won": "Last winners",
    "away_seat": "sits out",
    "turn": "to play",
    "winner": "winner",
    "cup": "under the cup:",
    "skip": "Choices:",
}
"""By the names that guest.html and guest.js use."""


def players(fewest: int, most: int) -> str:
    """How many can play a game."""
    return f"{fewest} players" if fewest == most else f"{fewest} to {most} players"


def serving(host: str, port: int, *, tls: bool = False) -> str:
    """Where the page is."""
    shown = {"0.0.0.0": "this machine's address", "::": "this machine's address"}.get(host, host)  # noqa: S104 - shown, not bound
    scheme = "https" if tls else "http"
    return f"The screen: {scheme}://{f'[{shown}]' if ':' in shown else shown}:{port}/"


def cannot_listen(host: str, port: int, why: str) -> str:
    """The address cannot be used."""
    return f"dicetable gateway: {host} port {port}: {why}: choose another `listen` in [web]"


def cannot_encrypt(cert: str, key: str, why: str) -> str:
    """The certificate cannot be used."""
    return f"dicetable gateway: {cert} and {key}: {why}: name a certificate and its key (PEM) in [web]"


NEEDS_TERMINAL: Final = "only at a terminal, where somebody plays and the game takes its time"
NOT_INSTALLED: Final = (
    "dicetable gateway: Starlette, uvicorn and aiomqtt are not installed: "
    "pip install --require-hashes -r requirements-gateway.lock"
)
NOT_CONFIGURED: Final = (
    "there is no table [web], [mqtt] or [webhooks]: add [web], with `listen` as docs/screen.md shows, "
    "or one of the others, as docs/signals.md shows"
)
