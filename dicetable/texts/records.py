"""The pages about players and dice that guests may open."""

from __future__ import annotations

from typing import Final

from dicetable.texts import games, statistics
from dicetable.texts.catalogue import ntr, tr

OFF: Final = tr("The records are switched off at this table.")
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
FAILED: Final = tr("The records can't be read right now.")
AWAY: Final = tr("The table doesn't answer right now. Try again in a moment.")
FORM: Final = tr("The latest games, newest on the right: won or not")
LUCK: Final = tr("Luck")
LUCK_TEXT: Final = tr(
    "What the dice brought, compared with the exact odds, in standard deviations. One result in twenty lies "
    "beyond the dashed lines."
)
SKILL_TEXT: Final = tr("Chips given away per decision, on average: fewer is better.")
BY_GAME: Final = tr("Game by game")
SHARE: Final = tr("Share as a picture")
DICE_TEXT: Final = tr(
    "The bars show how often each face came up: a fair die stays near the dashed line. The curve is the "
    "evidence against the die: a biased die's climbs above the dashed line."
)


def of(won: int, played: int) -> str:
    """What stands beside a bar."""
    return tr("{won} of {played}").format(won=won, played=played)


def of_games(played: int) -> str:
    """What stands below the number of wins."""
    return ntr("of {count:,} game won", "of {count:,} games won", played).format(count=played)


def streaks(longest: int, now: int) -> str:
    """The most wins in a row, and those up to now; empty without two in a row."""
    if longest <= 1:
        return ""
    said = tr("Longest streak: {longest} wins")
    if now > 1:
        said = tr("Longest streak: {longest} wins; {now} in a row now")
    return said.format(longest=longest, now=now)


def luck(game: str, came: float, expected: float, times: int, deviations: float | None) -> str:
    """What came beside what was expected."""
    return statistics.luck(game, came, expected, times, deviations).removeprefix("; ")


def skill_in(game: str) -> str:
    """What stands above the skill in a game."""
    return tr("Skill in {game}").format(game=games.title(game))


def skill(loss: float, times: int) -> str:
    """What decisions gave away."""
    return statistics.skill(loss, times).removeprefix("; ")
