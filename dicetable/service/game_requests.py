"""Requests about games: start, pause, resume, end, correct; who could play."""

import asyncio
from typing import Annotated, Any, Final

from pydantic import Field

from common import texts
from common.messages import Answer
from common.texts.plain import fold_name
from dicetable.config.sections import LONGEST_NAME, panel_name
from dicetable.ledger.entries import Closed, Corrected, Ending
from dicetable.service.server import LOOKS, Nothing, Payload, RequestKind, accepted, refused
from dicetable.table.correct_throw import CorrectThrow
from dicetable.table.set_up import Draft, WhoPlays, draft_for, open_game
from dicetable.table.table import Table
from dicetable.table.table_menu import Paused
from games.dice import VALUES, Die
from games.errors import RuleError
from games.house import Strength
from games.match import Match
from games.prompts import OverPrompt
from games.registry import GAMES, find

ANSWER_S: Final = 35.0
"""How long a seat's OK is waited for; the question on the panel disappears before that."""
LOOK_S: Final = 0.05
"""How often to check whether a seat has answered."""
PANEL_SEATS: Final = frozenset(map(str, range(1, 9)))

Name = Annotated[str, Field(max_length=40)]
KindAndFace = Annotated[list[str | int], Field(min_length=2, max_length=2)]
"""A die in JSON, such as `["d6", 4]`."""


class Start(Payload):
    """A game: its name, its players by seat, and options that differ from those of its house rules.

    `house` are further seats, at which the house plays, by their strength.
    """

    game: Annotated[str, Field(max_length=40)]
    house_rules: Annotated[str, Field(max_length=64)] = ""
    names: Annotated[dict[str, Name], Field(max_length=8)]
    options: Annotated[dict[str, int | str | None], Field(max_length=20)] = Field(default={})
    house: Annotated[dict[str, Strength], Field(max_length=8)] = Field(default={})


class Correct(Payload):
    """A correction: what the throw that led to `revision` really showed."""

    revision: Annotated[int, Field(ge=0, le=1_000_000)]
    dice: Annotated[list[KindAndFace], Field(min_length=1, max_length=100)]


def is_over(table: Table) -> bool:
    match = table.state.match
    return match is None or isinstance(match.prompt, OverPrompt)


def name_seats(_: Nothing, table: Table) -> Answer:
    """Every seat with its name, and whether it plays; the options of each game, and the house rules."""
    draft = draft_for(table, 1)
    step = WhoPlays(table, draft)
    seats = [
        {
            "seat": seat,
            "name": draft.names.get(seat) or step.names_for(seat)[0],
            "plays": seat in draft.names,
        }
        for seat in range(1, table.seats + 1)
    ]
    rules = [own.model_dump() for own in table.games.house_rules]
    game_options = {name: options(name) for name in GAMES}
    return accepted(
        {
            "seats": seats,
            "longest": LONGEST_NAME,
            "options": game_options,
            "house_rules": rules,
            "strengths": texts.games.STRENGTHS,
        }
    )


def options(game: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "label": texts.games.option(game, name),
            "default": field.default if isinstance(field.default, int) else None,
            "least": field.metadata.get("least", 1),
        }
        for name, field in find(game).options.__dataclass_fields__.items()
        if name != "first" and not field.metadata.get("text")
    ]


def start(request: Start, table: Table) -> Answer:
    """Opens a game, unless one is in progress."""
    if not is_over(table):
        return refused(texts.operator.GAME_RUNS)
    if table.above:
        return refused(texts.operator.MENU_OPEN)
    try:
        names = {
            int(seat): panel_name(name.strip()) for seat, name in request.names.items() if seat in PANEL_SEATS
        }
    except ValueError:
        return refused(texts.phones.NO_NAME)
    draft = Draft(1, request.game, names)
    for seat in sorted(request.house.keys() & PANEL_SEATS - request.names.keys()):
        draft.seat_house(int(seat), request.house[seat])
    is_known = request.game in GAMES and len(names) == len(request.names) + len(request.house)
    if not is_known or any(seat > table.seats for seat in names):
        return refused(texts.operator.NO_SUCH_GAME)
    chosen = table.games.named(request.game, request.house_rules)
    if request.house_rules and chosen is None:
        return refused(texts.operator.NO_SUCH_GAME)
    chosen_options = dict(chosen.options) if chosen else {}
    chosen_options |= {name: value for name, value in request.options.items() if value is not None}
    fewest, most = find(request.game).fewest_seats, find(request.game).most_seats
    if not fewest <= len(names) <= most:
        return refused(texts.panel.not_enough(fewest, most))
    if len(set(map(fold_name, names.values()))) < len(names):
        return refused(texts.panel.SAME_NAME)
    try:
        Match.new(request.game, tuple(names.values()), chosen_options, seed=0)
        # The previous game is closed only if this one can be opened.
        closed = table.state.match is None or table.write(Closed(Ending.OVER))
        governed = chosen if chosen is not None and chosen.govern(chosen_options) else None
        opened = closed and open_game(table, request.game, names, chosen_options, governed, draft.house)
    except (RuleError, ValueError, TypeError) as error:
        return refused(f"{str(error).capitalize()}.")
    return accepted() if opened else refused(texts.operator.NOT_WRITTEN)


def pause(_: Nothing, table: Table) -> Answer:
    """Pauses the game until it is resumed."""
    if is_over(table):
        return refused(texts.operator.NO_GAME)
    if not table.paused:
        table.open(Paused(table))
    return accepted()


def resume(_: Nothing, table: Table) -> Answer:
    """Resumes the game."""
    paused = next((screen for screen in table.above if isinstance(screen, Paused)), None)
    if paused is None:
        return refused(texts.operator.NOT_PAUSED)
    paused.play_on()
    return accepted()


def end(_: Nothing, table: Table) -> Answer:
    """Ends the game without winners; if it is over, closes the display of the winners."""
    match = table.state.match
    if match is None:
        return refused(texts.operator.NO_GAME)
    if table.above:
        table.close(table.above[0])
    why = Ending.OVER if isinstance(match.prompt, OverPrompt) else Ending.ENDED
    return accepted() if table.write(Closed(why)) else refused(texts.operator.NOT_WRITTEN)


async def correct(request: Correct, table: Table) -> Answer:
    """Asks the seats whether to correct a throw, and answers once one of them has confirmed."""
    match = table.state.match
    if match is None:
        return refused(texts.operator.NO_GAME)
    if table.above:
        return refused(texts.operator.MENU_OPEN)
    dice = known_dice(request.dice)
    if dice is None:
        return refused(texts.operator.NO_SUCH_DIE)
    try:
        table.state.after(Corrected(request.revision, dice, (1,)))
    except (RuleError, ValueError) as error:
        return refused(f"{str(error).capitalize()}.")
    thrown = table.state.throw_at(request.revision)
    if thrown is None or len(thrown[1]) != len(dice):
        return refused(texts.operator.NO_SUCH_DIE)
    question = CorrectThrow(table, 0, request.revision, *thrown, dice)
    table.open(question)
    until_s = table.now_s + ANSWER_S
    try:
        while question in table.above and table.now_s < until_s:
            await asyncio.sleep(LOOK_S)
    finally:  # also when the client is gone
        if question in table.above:
            table.close(question)
    return accepted() if question.written else refused(texts.operator.NOT_CONFIRMED)


def known_dice(written: list[list[str | int]]) -> tuple[Die, ...] | None:
    """The dice; None if one of them is impossible."""
    dice = tuple(
        (kind, value)
        for wanted, value in written
        for kind, values in VALUES.items()
        if kind == wanted and isinstance(value, int) and value in values
    )
    return dice if len(dice) == len(written) else None


KINDS: Final[dict[str, RequestKind[Any]]] = {
    "operator_seats": RequestKind(Nothing, name_seats, LOOKS),
    "operator_start": RequestKind(Start, start),
    "operator_pause": RequestKind(Nothing, pause),
    "operator_resume": RequestKind(Nothing, resume),
    "operator_end": RequestKind(Nothing, end),
    "operator_correct": RequestKind(Correct, correct),
}
