"""The gateway: the guest page, the records, what it says at a terminal and to Home Assistant.

The operator's pages are in `operator`, the phones' in `phones`.
"""

from typing import Final

from common.texts import games, statistics
from common.texts.catalogue import ntr, tr
from common.texts.phones import PAUSED_BY

TITLE: Final = tr("Dice table")
ALL_CUPS: Final = tr("All cups")
GUEST_PAGE: Final = {
    "connecting": tr("Connecting to the table …"),
    "stale": tr("Out of date: the gateway isn't answering. This page keeps trying."),
    "away": tr("Out of date: the table isn't answering. This page continues once it does."),
    "idle_heading": tr("Dice Table"),
    "idle_text": tr("Press any button at the table to play."),
    "idle_phones": tr("Start a game on your phone."),
    "how_heading": tr("Real dice, read by a camera"),
    "how_text": tr(
        "You throw your own dice. The table sees them, plays by the rules and keeps the score. "
        "If it isn't sure of a die, you throw it again: it never guesses."
    ),
    "games_heading": tr("The games"),
    "set_up_heading": tr("A new game is being set up"),
    "off_heading": tr("Good night."),
    "paused": tr("Paused"),
    "paused_by": PAUSED_BY,
    "menu": tr("A player has the menu open."),
    "rolling": tr("Rolling …"),
    "waits": tr("The game waits."),
    "last_heading": tr("Last throw"),
    "throws_heading": tr("Throws"),
    "rules_heading": tr("The rules in short"),
    "seats_heading": tr("Scores"),
    "log_heading": tr("What happened"),
    "best_throw": tr("Best throw: one in {count}"),
    "rarest_throw": tr("Rarest throw: one in {count}"),
    "no_throws": tr("Nothing has been thrown yet."),
    "picture_alt": tr("The tray, as the camera saw this throw"),
    "motion_alt": tr("How the dice of this throw rolled, frame by frame"),
    "replay": tr("Replay"),
    "replay_still": tr("Show the frames"),
    "replay_end": tr("Show the dice at rest"),
    "by_hand": tr("entered by hand"),
    "corrected": tr("corrected"),
    "vouched": tr("vouched for"),
    "all_cups": ALL_CUPS,
    "earlier": tr("before this round"),
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
    "sit": tr("Play on your phone"),
    "sit_text": tr("Scan the code to take the next free seat"),
    "tablet": tr("All seats"),
    "next": tr("Next seat"),
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
    "phones_2": tr("The camera reads them and your phone says what's next."),
    "phones_3": tr("Tap your choice on your phone."),
    "attract_4": tr("If the camera can't read a die, throw it again."),
}
"""The texts by the names that guest.html and guest.js use."""


def players(fewest: int, most: int) -> str:
    if fewest == most:
        return tr("{count} players").format(count=fewest)
    return tr("{fewest} to {most} players").format(fewest=fewest, most=most)


def ready(count: int, host: str, button: str) -> str:
    """The host may begin: `3 in: Ann, press START`."""
    return tr("{count} in: {host}, press {button}").format(count=count, host=host, button=button)


def lies_best(name: str) -> str:
    return tr("Nobody lies like {name}.").format(name=name)


def luckiest(luckiest: str, winner: str) -> str:
    """Whether the dice were on the winner's side."""
    if luckiest == winner:
        return tr("The dice loved {name}.").format(name=winner)
    return tr("{luckiest} had the dice. {winner} won anyway.").format(luckiest=luckiest, winner=winner)


def too_few(count: int, fewest: int) -> str:
    return tr("{count} in. It takes {fewest}.").format(count=count, fewest=fewest)


def serving(host: str, port: int, *, tls: bool = False) -> str:
    everywhere = host in ("0.0.0.0", "::")  # noqa: S104 - shown, not bound
    shown = tr("this machine's address") if everywhere else host
    scheme = "https" if tls else "http"
    return tr("The screen: {url}").format(url=f"{scheme}://{f'[{shown}]' if ':' in shown else shown}:{port}/")


def cannot_listen(host: str, port: int, why: str) -> str:
    return tr("dicetable gateway: {host} port {port}: {why}: choose another `listen` in [web]").format(
        host=host, port=port, why=why
    )


def unknown_host(host: str) -> str:
    """The remedy for a name by which this machine doesn't know itself."""
    return tr(
        'This table doesn\'t answer to the name {host}. If the name is right, add hosts = ["{host}"] to '
        "[web] in the table's config. The table's address always works."
    ).format(host=host)


def cannot_encrypt(cert: str, key: str, why: str) -> str:
    return tr(
        "dicetable gateway: {cert} and {key}: {why}: name a certificate and its key (PEM) in [web]"
    ).format(cert=cert, key=key, why=why)


# At a terminal.
NEEDS_TERMINAL: Final = tr("works only in a terminal")
NOT_INSTALLED: Final = tr(
    "dicetable gateway: Starlette, uvicorn and aiomqtt are not installed: "
    "pip install --require-hashes -r requirements-gateway.lock"
)
INSTALL: Final = tr("install the gateway: pip install --require-hashes -r requirements-gateway.lock")
NOT_CONFIGURED: Final = tr(
    "there is no section [web], [mqtt] or [webhooks]: add [web] with `listen` (docs/screen.md), or one of "
    "the others (docs/signals.md)"
)

# The pages about players and dice.
RECORDS_OFF: Final = tr("The records are switched off at this table.")
RECORDS: Final = tr("Records")
DICE: Final = tr("The dice")
MY_PAGE: Final = tr("My games")
GAME: Final = tr("The game")
ALL_GAMES: Final = tr("All games")
WINS: Final = tr("Games won, out of those finished")
NO_GAMES: Final = tr("No one has played here yet. Be the first.")
NO_DICE: Final = tr("No die has been thrown yet.")
NO_PLAYER: Final = tr("No one by that name has played here.")
COUNTING: Final = tr("The table is counting. One moment …")
RECORDS_FAILED: Final = tr("The records can't be read right now.")
RECORDS_AWAY: Final = tr("The table doesn't answer right now. Try again in a moment.")
FORM: Final = tr("The latest games, won or lost; the newest is on the right")
LUCK: Final = tr("Luck")
LUCK_TEXT: Final = tr(
    "How lucky the dice were against the exact odds: more to the right is luckier. One result in twenty lies "
    "beyond the dashed lines."
)
SKILL_TEXT: Final = tr("Chips given away per decision, on average: fewer is better.")
BY_GAME: Final = tr("Game by game")
SHARE: Final = tr("Share as a picture")
DICE_TEXT: Final = tr(
    "The bars show how often each face came up: with a fair die they stay near the dashed line. The curve "
    "is the evidence against the die: with a biased die it climbs above the dashed line."
)


def won_of(won: int, played: int) -> str:
    return tr("{won} of {played}").format(won=won, played=played)


def of_games(played: int) -> str:
    return ntr("of {count:,} game won", "of {count:,} games won", played).format(count=played)


def streaks(longest: int, now: int) -> str:
    """The most wins in a row, and those up to now; empty without two in a row."""
    if longest <= 1:
        return ""
    sentence = tr("Longest streak: {longest} wins")
    if now > 1:
        sentence = tr("Longest streak: {longest} wins; {now} in a row now")
    return sentence.format(longest=longest, now=now)


def luck(game: str, total: float, expected: float, times: int) -> str:
    return statistics.luck(game, total, expected, times, None).removeprefix("; ")


def skill_in(game: str) -> str:
    return tr("Skill in {game}").format(game=games.title(game))


def skill(loss: float, times: int) -> str:
    return statistics.skill(loss, times).removeprefix("; ")


# Home Assistant.
HOME_DEVICE: Final = tr("Dice table")
HOME_ENTITIES: Final = {
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
HOME_EVENTS: Final = {
    "throw": tr("Throw"),
    "turn": tr("New turn"),
    "bust": tr("Bust"),
    "rack": tr("Rack"),
    "game_over": tr("Game over"),
}


def score_of_seat(seat: int) -> str:
    return tr("Score of seat {seat}").format(seat=seat)


# Requests of the gateway that the table refuses.
UNKNOWN_REQUEST: Final = tr("The table doesn't know this request: it may be older than the gateway.")
TABLE_BUSY: Final = tr("The table is still busy with earlier requests: try again in a moment.")
TOO_MANY_REQUESTS: Final = tr("Too many requests: try again in a moment.")
TABLE_FAILED: Final = tr("The table couldn't do this because of an internal fault; its log says more.")
NOT_PLAIN: Final = tr("The request is nested too deeply, or its text contains an invalid character.")


def bad_payload(where: str, fault: str) -> str:
    return f"{where}: {fault[:1].lower()}{fault[1:]}."
