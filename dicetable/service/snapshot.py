"""What guests may see of the table, as one JSON object: never more than the panel shows or has shown.

docs/screen.md describes every field. Fields may be added to version 1; existing fields
keep their names and meanings.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from dicetable import texts
from dicetable.statistics.runs import evidence
from dicetable.table import display, narration
from dicetable.table.screens.attract import Attract
from dicetable.table.screens.of_throw import OfThrow
from dicetable.table.screens.play import Play
from dicetable.table.screens.set_up_step import SetUp
from games import options
from games.prompts import ActPrompt, OverPrompt
from games.registry import GAMES
from games.stage import Seen, parted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dicetable.service.throws import Board, ListedThrow
    from dicetable.table.table import Table
    from games.dice import Die
    from games.match import Match
    from games.requests import JsonObject
    from games.stage import Stage
    from games.words import Words

VERSION: Final = 1
NOTHING: Final[JsonObject] = {
    "game": None,
    "title": "",
    "rules": [],
    "asked": None,
    "awaits": None,
    "todo": "",
    "choices": [],
    "due": [],
    "wrong": "",
    "rolling": False,
    "happened": [],
    "facts": [],
    "seats": [],
    "stage": None,
    "moments": None,
    "position": {},
    "options": {},
    "fairness": None,
}
"""The fields of a match while none is played."""


class Phase(StrEnum):
    """The phase of the table."""

    IDLE = "idle"
    SET_UP = "set_up"
    PLAY = "play"
    OVER = "over"
    OFF = "off"


def snapshot(
    table: Table,
    throws: Sequence[ListedThrow],
    row: int = 0,
    events: Iterable[JsonObject] = (),
    board: Board | None = None,
) -> JsonObject:
    """The state without its revision.

    Args:
        table: the table.
        throws: the latest throws, oldest first.
        row: the newest row of the ledger.
        events: the latest events, oldest first.
        board: of the evening.
    """
    table_state = table.state
    match = None if table.off_requested else table_state.match
    newest = [throw.to_json() for throw in reversed(throws)]
    return {
        "v": VERSION,
        "phase": phase(table),
        "paused": table.paused,
        "oks": table.oks,
        "menu": bool(table.above) and not table.paused and not isinstance(table.screen, OfThrow),
        "panel": panel_lines(table),
        "set_up": set_up(table),
        "troubles": degraded(table),
        "winners": winners(table),
        "tonight": board.to_json() if board is not None else None,
        "throws": newest,
        "row": row,
        "events": list(events),
        **(of_match(table, match) if match is not None else NOTHING),
    }


def phase(table: Table) -> Phase:
    """The current phase."""
    if table.off_requested:
        return Phase.OFF
    if table.state.match is not None and isinstance(table.base, Play):
        return Phase.OVER if isinstance(table.state.match.prompt, OverPrompt) else Phase.PLAY
    return Phase.IDLE if isinstance(table.base, Attract) else Phase.SET_UP


def panel_lines(table: Table) -> list[str]:
    """The panel's own lines during a set-up, or while people are asked whether to resume a game."""
    if phase(table) is not Phase.SET_UP:
        return []
    return [line.rstrip() for line in table.base.view().lines]


def set_up(table: Table) -> JsonObject | None:
    """The game being set up and the players who have joined; None outside the set-up."""
    if phase(table) is not Phase.SET_UP or not isinstance(table.base, SetUp):
        return None
    game, names = GAMES.get(table.base.game), table.base.draft.names
    return {
        "title": texts.games.title(table.base.game),
        "players": texts.web.players(game.fewest_seats, game.most_seats) if game else "",
        "seats": [
            {"name": name, "place": seat, "colour": table.colours[seat]}
            for seat, name in sorted(names.items())
        ],
    }


def degraded(table: Table) -> list[JsonObject]:
    """The parts that do not work, in the panel's words and in those for guests."""
    return [
        {
            "part": texts.health.degraded(part),
            "what": degraded.what,
            "remedy": degraded.remedy,
            "guests": texts.health.GUESTS.get(part, ""),
        }
        for part, degraded in table.degraded.items()
    ]


def winners(table: Table) -> list[str]:
    """The winners, or the last winners."""
    prompt = table.state.match.prompt if table.state.match else None
    return list(prompt.winners if isinstance(prompt, OverPrompt) else table.winners)


def of_match(table: Table, match: Match) -> JsonObject:
    """The state of the match, its prompt, and what keeps it from continuing."""
    prompt = match.prompt
    asked = table.state.asked
    play = table.base if isinstance(table.base, Play) else None
    awaited = table.state.awaited
    offers = prompt.actions if isinstance(prompt, ActPrompt) else ()
    given = dict(table.state.opened.options) if table.state.opened else {}
    shown = tuple(die for dice in table.state.shown.values() for die in dice)
    seen = Seen(match.state(), asked, options.read(match.rules.options, given, match.seats), shown)
    stage = match.rules.words.staged(seen)
    return {
        "game": match.game,
        "title": texts.games.title(match.game),
        "rules": list(match.rules.words.rules),
        "asked": asked,
        "awaits": str(prompt.to_json()["kind"]),
        "todo": narration.awaited(match) if play is None or asked is None else play.headline(asked),
        "choices": [match.rules.words.action(offer) for offer in offers],
        "due": list(awaited.kinds[: awaited.counts[0]]) if awaited and len(set(awaited.kinds)) == 1 else [],
        "wrong": wrong(table, play) if play is not None and asked is not None else "",
        "rolling": table.rolling and awaited is not None,
        "happened": narration.consequences(match),
        "facts": list(match.rules.words.facts(match.state())),
        "seats": seats(table, match, asked, stage),
        "stage": stage_json(stage),
        "moments": moments(match, table.state.panel_seats, table.colours),
        "position": match.state(),
        "options": given,
        "fairness": evidence(table.state.run).to_json() if table.state.run else None,
    }


def wrong(table: Table, play: Play) -> str:
    """Why the game does not go on: what the panel asks about a throw, or what the play says."""
    return table.screen.question if isinstance(table.screen, OfThrow) else play.wrong()


def seats(table: Table, match: Match, asked: str | None, stage: Stage) -> list[JsonObject]:
    """All players, in the order of the seats."""
    table_state, state = table.state, match.state()
    won = match.prompt.winners if isinstance(match.prompt, OverPrompt) else ()
    game: Words = match.rules.words
    return [
        {
            "name": seat,
            "place": table_state.panel_seats.get(seat, 0),
            "colour": table.colours.get(table_state.panel_seats.get(seat, 0), 0),
            "score": game.score(state, display.part_of(state, seat)),
            "standing": game.standing(state, display.part_of(state, seat)),
            "asked": seat == asked,
            "away": table_state.away(seat),
            "winner": seat in won,
            "under_cup": match.cups.get(seat, 0),
            **seat_json(game, stage, state, display.part_of(state, seat)),
        }
        for seat in match.seats
    ]


def seat_json(game: Words, stage: Stage, state: JsonObject, part: JsonObject) -> JsonObject:
    """What a seat shows on the stage; `beside` is its score, without the number that it shows anyway."""
    seat, score = game.seat_stage(stage, state, part), game.score(state, part)
    (number, unit), (current, _) = parted(score), parted(game.standing(state, part))
    beside = unit if seat.number == number != current else score
    return {"number": seat.number, "beside": beside, "dice": dice_json(seat.dice), "out": seat.out}


def stage_json(stage: Stage) -> JsonObject:
    """What decides the game now."""
    return {
        "number": stage.number,
        "caption": stage.caption,
        "dice": dice_json(stage.dice),
        "slots": stage.slots,
        "tokens": stage.tokens,
        "token": stage.token,
        "beside": [{"number": number, "caption": caption} for number, caption in stage.beside],
    }


def dice_json(dice: Iterable[Die]) -> list[JsonObject]:
    """Dice as throws have them."""
    return [{"kind": kind, "value": value} for kind, value in dice]


def moments(match: Match, panel_seats: Mapping[str, int], colours: Mapping[int, int]) -> JsonObject:
    """What of the last step owns a television for a moment; `number` tells one step from the next."""
    words = match.rules.words
    shown = [
        (words.moment(event), words.event(event), str(event.get("seat", event.get("loser"))))
        for event in match.events
    ]
    return {
        "number": match.revision,
        "told": [
            {"text": text, "caption": caption, "place": place, "colour": colours.get(place, 0)}
            for text, caption, seat in shown
            if text
            for place in (panel_seats.get(seat, 0),)
        ],
    }
