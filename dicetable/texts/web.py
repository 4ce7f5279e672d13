"""The pages in a browser, and what the gateway says at a terminal."""

from __future__ import annotations

from typing import Final

from dicetable.texts.catalogue import tr

TITLE: Final = tr("Dice table")
PAGE: Final = {
    "connecting": tr("Connecting to the table …"),
    "stale": tr("Out of date: the gateway isn't answering. This page keeps trying."),
    "away": tr("Out of date: the table isn't answering. This page continues once it does."),
    "idle_heading": tr("Dice Table"),
    "idle_text": tr("Press any button at the table to play."),
    "how_heading": tr("Real dice, read by a camera"),
    "how_text": tr(
        "You throw your own dice. The table sees them, plays by the rules and keeps the score. "
        "If it isn't sure of a die, you throw it again: it never guesses."
    ),
    "games_heading": tr("The games"),
    "set_up_heading": tr("A new game is being set up"),
    "off_heading": tr("Good night."),
    "paused": tr("Paused"),
    "menu": tr("A player has the menu open."),
    "rolling": tr("Rolling …"),
    "last_heading": tr("Last throw"),
    "throws_heading": tr("Throws"),
    "rules_heading": tr("The rules in short"),
    "seats_heading": tr("Scores"),
    "no_throws": tr("Nothing has been thrown yet."),
    "picture_alt": tr("The tray, as the camera saw this throw"),
    "motion_alt": tr("How the dice of this throw rolled, frame by frame"),
    "replay": tr("Replay"),
    "replay_still": tr("Show the frames"),
    "replay_end": tr("Show the dice at rest"),
    "by_hand": tr("entered by hand"),
    "corrected": tr("corrected"),
    "vouched": tr("vouched for"),
    "unseen": tr("not seen to roll"),
    "last_won": tr("Last game won by"),
    "tonight": tr("Tonight"),
    "best_of_all": tr("Best of all time"),
    "so_far": tr("{games} games, {dice} dice thrown"),
    "away_seat": tr("sits out"),
    "turn": tr("to play"),
    "winner": tr("winner"),
    "cup": tr("under the cup:"),
    "skip": tr("Choices:"),
    "join": tr("Follow on your phone"),
    "join_text": tr("Scores, rules, odds and your own throws"),
    "sit": tr("Sit down with your phone"),
    "sit_text": tr("Scan the code of a free seat"),
    "tablet": tr("All seats"),
    "sound": tr("Sound"),
    "sound_on": tr("Sound on"),
    "sound_off": tr("Sound off"),
    "volume": tr("Volume"),
    "say_turn": tr("{seat}: {todo}"),
    "say_winner": tr("{winners} won!"),
    "details": tr("How it works"),
    "attract_1": tr("Throw real dice into the tray. Let them come to rest."),
    "attract_2": tr("The camera reads them and the panel says what's next."),
    "attract_3": tr("Minus and plus choose, OK takes. Hold OK to go back."),
    "attract_4": tr("If the camera can't read a die, throw it again."),
}
"""By the names that guest.html and guest.js use."""


def players(fewest: int, most: int) -> str:
    """How many can play a game."""
    if fewest == most:
        return tr("{count} players").format(count=fewest)
    return tr("{fewest} to {most} players").format(fewest=fewest, most=most)


def serving(host: str, port: int, *, tls: bool = False) -> str:
    """Where the page is."""
    everywhere = host in ("0.0.0.0", "::")  # noqa: S104 - shown, not bound
    shown = tr("this machine's address") if everywhere else host
    scheme = "https" if tls else "http"
    return tr("The screen: {url}").format(url=f"{scheme}://{f'[{shown}]' if ':' in shown else shown}:{port}/")


def cannot_listen(host: str, port: int, why: str) -> str:
    """The address cannot be used."""
    return tr("dicetable gateway: {host} port {port}: {why}: choose another `listen` in [web]").format(
        host=host, port=port, why=why
    )


def cannot_encrypt(cert: str, key: str, why: str) -> str:
    """The certificate cannot be used."""
    return tr(
        "dicetable gateway: {cert} and {key}: {why}: name a certificate and its key (PEM) in [web]"
    ).format(cert=cert, key=key, why=why)


NEEDS_TERMINAL: Final = tr("works only at a terminal")
NOT_INSTALLED: Final = tr(
    "dicetable gateway: Starlette, uvicorn and aiomqtt are not installed: "
    "pip install --require-hashes -r requirements-gateway.lock"
)
INSTALL: Final = tr("install the gateway: pip install --require-hashes -r requirements-gateway.lock")
NOT_CONFIGURED: Final = tr(
    "there is no table [web], [mqtt] or [webhooks]: add [web], with `listen` as docs/screen.md shows, "
    "or one of the others, as docs/signals.md shows"
)
