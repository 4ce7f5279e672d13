"""The list of games to choose from: house rules beside their games, favourites first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from common import texts
from common.texts.plain import fold_name
from dicetable.config.games import HouseRules, named_rules
from dicetable.ledger.entries import Opened
from dicetable.table import display
from games.dice_needed import DiceNeeded, dice_needed
from games.registry import GAMES, find

LONGEST_HEADING = 14
Choice: TypeAlias = tuple[str, str | None]
"""A game, and the name of its house rules if it is played by some."""


@dataclass(frozen=True, slots=True)
class OfferedGame:
    """A game in the list, by its own rules or by rules of the house."""

    game: str
    house_rules: HouseRules | None = None

    @property
    def title(self) -> str:
        """The name of the house rules, or else the game's title: no two games of the list have the same."""
        return self.house_rules.name if self.house_rules else texts.games.title(self.game)

    @property
    def heading(self) -> str:
        """The title for a line of the panel with a place in a menu; the game's own, if the name is longer."""
        return display.fitting(self.title, texts.games.title(self.game), room=LONGEST_HEADING)

    @property
    def options(self) -> dict[str, Any]:
        return dict(self.house_rules.options) if self.house_rules else {}

    @property
    def choice(self) -> Choice:
        return self.game, self.house_rules.name if self.house_rules else None

    @property
    def players(self) -> str:
        rules = find(self.game)
        return texts.panel.players(rules.fewest_seats, rules.most_seats)

    @property
    def dice(self) -> str:
        """The dice that it needs, such as `six d6`."""
        return texts.games.dice_needed(needed(self.game, tuple(self.options.items())))

    @property
    def facts(self) -> list[str]:
        """What people should know before they choose it: whose rules it changes, for how many, which dice."""
        return [*([texts.games.title(self.game)] if self.house_rules else []), self.players, self.dice]

    def fits(self, seats: int) -> bool:
        """Whether this many seats can play it. A single seat always fits: the others may still join."""
        rules = find(self.game)
        return seats < 2 or rules.fewest_seats <= seats <= rules.most_seats


@lru_cache(maxsize=256)
def needed(game: str, options: tuple[tuple[str, Any], ...]) -> DiceNeeded:
    return dice_needed(game, dict(options))


class GameList:
    """The games to choose from.

    Args:
        house_rules: those of the house, each for a game of the registry.
        favourites: games, and names of house rules, that come first whatever is played.

    `played` counts the games that this table played, and so orders the others.
    """

    def __init__(self, house_rules: Sequence[HouseRules] = (), favourites: Iterable[str] = ()) -> None:
        self.house_rules = house_rules
        self.favourites = [fold_name(favourite) for favourite in favourites]
        self.played: Counter[Choice] = Counter()

    def count(self, opened: Opened) -> None:
        self.played[opened.game, opened.house_rules] += 1

    def house_rules_of(self, game: str) -> list[HouseRules]:
        return [rules for rules in self.house_rules if rules.game == game]

    def named(self, game: str, name: str | None) -> HouseRules | None:
        """The house rules of a game by their name; None if it has none of that name."""
        return named_rules(self.house_rules, game, name) if name else None

    def offered(self, seats: int) -> list[OfferedGame]:
        """Every game with its house rules: those that fit this many seats first, favourites ahead."""
        groups = [
            sorted((OfferedGame(game, own) for own in (None, *self.house_rules_of(game))), key=self.rank)
            for game in GAMES
        ]
        groups.sort(key=lambda group: (not group[0].fits(seats), self.rank(group[0])))
        return [offered for group in groups for offered in group]

    def rank(self, offered: OfferedGame) -> tuple[int, int]:
        names = [fold_name(name) for name in offered.choice if name is not None]
        favourite = next((place for place, name in enumerate(self.favourites) if name == names[-1]), None)
        return len(self.favourites) if favourite is None else favourite, -self.played[offered.choice]
