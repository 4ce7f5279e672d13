"""The section [games]: games of one's own, house rules by name, and which games are offered first."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema

from common.texts.plain import fold_name
from dicetable.config.mistakes import Mistake, example_of
from dicetable.config.sections import ON_PAGE, FilePath, Section, name_on_panel
from games.errors import BadOption
from games.game import read_options
from games.registry import GAMES, find

LONGEST_RULES = 40
"""Longest name of house rules, in characters: the panel turns its pages, a phone's button takes two lines."""
MOST_RULES = 50
OTHER_NAME = 'name = "The Anchor\'s Ten Thousand"'
FIRST = "first"
"""The option that names a seat. It belongs to an evening, not to the house."""


def rules_name(name: str) -> str:
    """Returns the name if the panel can show all of it, page by page. Raises PydanticCustomError."""
    return name_on_panel(name, LONGEST_RULES)


class HouseRules(Section):
    """House rules: the options of a game under a name. The list of games offers them beside the game."""

    name: Annotated[
        str,
        AfterValidator(rules_name),
        WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST_RULES}),
    ] = Field(examples=["The Anchor's Ten Thousand"])
    """What people call them; no two have the same name."""
    game: str = Field(examples=["ten_thousand"])
    """The name of the game in the engine, such as `ten_thousand`."""
    options: dict[str, Any] = Field(min_length=1, examples=[{"target": 5000, "opening": 350}])
    """The options that differ from the game's own, as its page in docs/games names them."""

    def govern(self, options: Mapping[str, Any]) -> bool:
        """Whether a game with these options is played by these rules; who begins and how long are free."""
        rules = find(self.game)
        defaults = {name: option.default for name, option in rules.options.__dataclass_fields__.items()}
        fixed = [name for name in defaults if name in self.options or name not in (FIRST, rules.limit)]
        played, own = {**defaults, **options}, {**defaults, **self.options}
        return all(played[name] == own[name] for name in fixed)


class GamesSection(Section):
    """Games of your own ([adding a game](adding-a-game.md)), house rules, and the games that come first."""

    folder: FilePath | None = Field(default=None, examples=["/etc/dicetable/games"])
    """A folder: each file `*.py` in it that has a `GAME` joins the list of games when the table starts. Such
    a file runs with the rights of the table, so it has to belong to root or the table's user, and only its
    owner may write it. A file that can't be used is left out; the display, `dicetable doctor` and the log
    say why."""
    favourites: list[str] = Field(
        default=[], max_length=MOST_RULES, examples=[["ten_thousand", "yacht"]], json_schema_extra=ON_PAGE
    )
    """The games, or names of house rules, that the list of games offers first. After them come those that
    the table's last games were."""
    house_rules: list[HouseRules] = Field(
        default=[], max_length=MOST_RULES, examples=["[[games.house_rules]]"], json_schema_extra=ON_PAGE
    )
    """House rules by name; the operator page has a page of its own for them."""


def unusable(section: GamesSection, *, others: bool = False) -> Iterator[tuple[str, Mistake]]:
    """The house rules and favourites that can't be used, by name, and why.

    With `others` there may be games that are not loaded yet, so that a game that is not known is no mistake.
    """
    names = [fold_name(rules.name) for rules in section.house_rules]
    for number, rules in enumerate(section.house_rules):
        where = f"games.house_rules.{number}"
        if names.index(fold_name(rules.name)) < number:
            yield rules.name, Mistake(f"{where}.name", f"{rules.name!r} is taken", OTHER_NAME)
        elif any(fold_name(rules.name) == fold_name(game.title) for game in GAMES.values()):
            yield rules.name, Mistake(f"{where}.name", f"{rules.name!r} is a game's title", OTHER_NAME)
        if rules.game in GAMES:
            for place, fault, right in wrong_options(rules.game, rules.options):
                yield rules.name, Mistake(f"{where}.options{place}", fault, right)
        elif not others:
            yield rules.name, Mistake(f"{where}.game", *no_such_game("game", rules.game))
    for favourite in section.favourites:
        if favourite not in GAMES and fold_name(favourite) not in names and not others:
            yield favourite, Mistake("games.favourites", *no_such_game("favourites", favourite))


def no_such_game(setting: str, name: str) -> tuple[str, str]:
    near = difflib.get_close_matches(name, GAMES, n=1)
    right = near[0] if near else next(iter(GAMES))
    shown = [right] if setting == "favourites" else right
    return f"there is no game {name!r}", example_of(setting, shown)


def wrong_options(game: str, options: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Each option that the game does not take: its place below `options`, why, and what would be right."""
    rules = find(game)
    fields = {name: option for name, option in rules.options.__dataclass_fields__.items() if name != FIRST}
    defaults = {name: 10 if option.default is None else option.default for name, option in fields.items()}
    single = True
    for name, value in options.items():
        if name not in fields:
            near = difflib.get_close_matches(name, fields, n=1)
            yield f".{name}", f"{rules.title} has no such option", near[0] if near else ", ".join(fields)
        elif why := refused(game, {name: value}):
            yield f".{name}", why.removeprefix(f"{name} "), example_of(name, defaults[name])
        else:
            continue
        single = False
    if single and (why := refused(game, options)):
        yield "", why, example_of("options", {name: defaults[name] for name in options})


def refused(game: str, options: Mapping[str, Any]) -> str:
    """Why no number of seats can play with these options; empty if one can."""
    rules, why = find(game), ""
    for count in range(rules.fewest_seats, rules.most_seats + 1):
        try:
            read_options(rules.options, options, tuple(map(str, range(count))))
        except BadOption as error:
            why = why or str(error)
        else:
            return ""
    return why


def named_rules(house_rules: Sequence[HouseRules], game: str, name: str) -> HouseRules | None:
    """The house rules of a game by their name, in whatever case; None if it has none of that name."""
    return next(
        (rules for rules in house_rules if rules.game == game and fold_name(rules.name) == fold_name(name)),
        None,
    )
