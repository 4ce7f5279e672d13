"""Words for any game: its title, whose turn it is, the odds. A game's own words are in its `Words`."""

from collections.abc import Sequence
from typing import Final

from common.texts.catalogue import joined, ntr, tr
from games import words
from games.dice_needed import DiceNeeded
from games.errors import UnknownGame
from games.game import Event
from games.match import Match
from games.registry import GAMES, find

STRENGTHS: Final = {"easy": tr("easy"), "medium": tr("medium"), "hard": tr("hard")}
"""How well the house plays."""
OPTIONS = {"first": tr("Who goes first")}
"""Options that any game may have."""


def variant(game: str, house_rules: str | None) -> str:
    """The name under which statistics count a game; with house rules it has a count of its own."""
    return f"{game}/{house_rules}" if house_rules else game


def title(game: str) -> str:
    """The title of a game or variant; made from its name if the game no longer exists."""
    game, _, house_rules = game.partition("/")
    if house_rules:
        return house_rules
    try:
        return find(game).title
    except UnknownGame:
        return words.titled(game)


ANY_DICE: Final = tr("any dice")
DICE: Final = (
    *(tr("one {kind}"), tr("two {kind}"), tr("three {kind}"), tr("four {kind}")),
    *(tr("five {kind}"), tr("six {kind}"), tr("seven {kind}"), tr("eight {kind}")),
)
"""How many dice of a kind, from one on."""


def dice_needed(needed: DiceNeeded) -> str:
    """The dice that a game needs: `six d6`, `six d6 each`, or a list of kinds with one die of each."""
    if needed.any:
        return ANY_DICE
    if len(needed.counts) > 1 and all(count == 1 for _, count in needed.counts):
        return " ".join(kind for kind, _ in needed.counts)
    dice = joined(
        DICE[count - 1].format(kind=kind) if count <= len(DICE) else f"{count} {kind}"
        for kind, count in needed.counts
    )
    return tr("{dice} each").format(dice=dice) if needed.per_seat else dice


def titles() -> list[str]:
    return [game.title for game in GAMES.values()]


def option(game: str, name: str) -> str:
    return OPTIONS.get(name) or GAMES[game].words.option(name)


def event(match: Match, event: Event) -> str:
    if event["event"] == "corrected":
        dice = words.dice([(kind, face) for kind, face in event["dice"]])
        return tr("now {dice}").format(dice=dice)
    if event["event"] == "stopped":
        return tr("play on from here")
    return match.rules.words.event(event)


# Turns.
GO_BACK = tr("hold OK to go back")
HINTS = (tr("-/+ change  OK takes"), GO_BACK)
"""What the keys do in a menu, in turn."""
THINKS = tr("sits out: I decide")
EVERYBODY_AWAY = tr("All sit out: press OK to come back.")
REMATCH_HINTS = (tr("OK: rematch"), tr("hold OK: new game"))
"""What the keys do at the end of a game, in turn."""


def take(position: str) -> str:
    return tr("{walk:11} OK takes").format(walk=f"-/+ {position}")


def rematch(present: int, of: int) -> str:
    """How many want the same game again, in twenty characters."""
    return tr("Rematch: {there} of {all} in").format(there=present, all=of)


def to_throw(seat: str, count: int) -> str:
    return tr("{seat}: throw {dice}").format(seat=seat, dice=words.dice_count(count))


def to_roll(seat: str) -> str:
    return tr("{seat}: roll").format(seat=seat)


def to_reveal(seat: str, count: int) -> str:
    return tr("{seat}: show {dice}").format(seat=seat, dice=words.dice_count(count))


def to_act(seat: str) -> str:
    return tr("{seat}: your turn").format(seat=seat)


def house_acts(seat: str) -> str:
    """The house decides, in twenty characters."""
    return tr("{seat} decides").format(seat=seat)


def throw_for_house(hands: str, count: int, kinds: Sequence[str]) -> str:
    """Asks a player to throw dice for the house: their number, or their kinds if it matters."""
    dice = joined(kinds) if kinds else words.dice_count(count)
    return tr("{hands}: throw {dice} for the house").format(hands=hands, dice=dice)


def lift_for_house(hands: str, count: int) -> str:
    return tr("{hands}: lift the house's cup, {dice}").format(hands=hands, dice=words.dice_count(count))


def cup_of_house(hands: str) -> str:
    return tr("{hands} handles the house's cup. Don't look under it!").format(hands=hands)


def turn_of(seat: str) -> str:
    """Whose turn it is, in twenty characters."""
    return tr("{seat}'s turn").format(seat=seat)


def throw_in_short(seat: str, count: int) -> str:
    """Who is to throw or show how many dice, in twenty characters."""
    return tr("{seat}: {dice}").format(seat=seat, dice=words.dice_count(count))


def threw(seat: str, dice: str) -> str:
    return tr("{seat}: {dice}").format(seat=seat, dice=dice)


def won(winners: Sequence[str]) -> str:
    return ntr("{winners} wins", "{winners} win", len(winners)).format(winners=joined(winners))


def throw_line(count: int, *, for_somebody: bool) -> str:
    if for_somebody:
        return tr("THROW {count} for them").format(count=count)
    return tr("THROW {dice}").format(dice=words.dice_count(count))


ROLL_ANY_DICE: Final = tr("ROLL ANY DICE")


def show_line(count: int) -> str:
    return tr("LIFT CUP: {dice}").format(dice=words.dice_count(count))


def still_to_show(count: int) -> str:
    return tr("or all {count} at once").format(count=count)


# Odds on the phone page.
MOST_ODDS: Final = 8
"""At most this many lines of odds are shown."""
RACK: Final = tr("A rack in this turn")
MEAN_SCORE: Final = tr("Points of this turn, on average")
MEAN_THROWS: Final = tr("Throws of this turn, on average")


def bid(count: int, face: int) -> str:
    return tr("At least {bid} on the table").format(bid=words.count_of(count, face))


def reads(value: int) -> str:
    return tr("Three fresh dice read {value} or more").format(value=value)


def beats(value: int) -> str:
    return tr("A recast of all dice beats {value}").format(value=value)


def busts(kind: str) -> str:
    return tr("Bust with a {kind}").format(kind=kind)


def peak(value: int) -> str:
    return tr("A peak over {value}").format(value=value)


def money_shot(value: int) -> str:
    return tr("The money shot, a {value}").format(value=value)
