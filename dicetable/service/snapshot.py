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
    match = None if table.off_requested else table.state.match
    phase, base = phase_of(table), table.base
    prompt = table.state.match.prompt if table.state.match else None
    set_up = None
    if phase is Phase.SET_UP and isinstance(base, SetUp):
        game = GAMES.get(base.game)
        set_up = {
            "title": texts.games.title(base.game),
            "players": texts.web.players(game.fewest_seats, game.most_seats) if game else "",
            "seats": [
                {"name": name, "place": seat, "colour": table.colours[seat]}
                for seat, name in sorted(base.draft.names.items())
            ],
        }
    return {
        "v": VERSION,
        "phase": phase,
        "paused": table.paused,
        "oks": table.oks,
        "menu": bool(table.above) and not table.paused and not isinstance(table.screen, OfThrow),
        "panel": [line.rstrip() for line in base.view().lines] if phase is Phase.SET_UP else [],
        "set_up": set_up,
        "troubles": [
            {
                "part": texts.health.degraded(part),
                "what": degraded.what,
                "remedy": degraded.remedy,
                "guests": texts.health.GUESTS.get(part, ""),
            }
            for part, degraded in table.degraded.items()
        ],
        "winners": list(prompt.winners if isinstance(prompt, OverPrompt) else table.winners),
        "tonight": board.to_json() if board is not None else None,
        "throws": [throw.to_json() for throw in reversed(throws)],
        "row": row,
        "events": list(events),
        **(of_match(table, match) if match is not None else NOTHING),
    }


def phase_of(table: Table) -> Phase:
    if table.off_requested:
        return Phase.OFF
    if table.state.match is not None and isinstance(table.base, Play):
        return Phase.OVER if isinstance(table.state.match.prompt, OverPrompt) else Phase.PLAY
    return Phase.IDLE if isinstance(table.base, Attract) else Phase.SET_UP


def of_match(table: Table, match: Match) -> JsonObject:
    """The state of the match, its prompt, and what keeps it from continuing."""
    prompt = match.prompt
    asked = table.state.asked
    play = table.base if isinstance(table.base, Play) else None
    awaited = table.state.awaited
    offers = prompt.actions if isinstance(prompt, ActPrompt) else ()
    given = dict(table.state.opened.options) if table.state.opened else {}
    wrong = ""
    if play is not None and asked is not None:
        wrong = table.screen.question if isinstance(table.screen, OfThrow) else play.wrong()
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
        "wrong": wrong,
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


def seats(table: Table, match: Match, asked: str | None, stage: Stage) -> list[JsonObject]:
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
