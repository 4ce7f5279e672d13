"""Publishes what guests may see of the table, and answers what the gateway wants to read of it.

The state is one JSON object, complete after each change, and never more than the panel shows or has shown;
docs/screen.md describes every field. Fields may be added to version 1; existing fields keep their names and
meanings. Pictures, their marks, older throws, rows for the league and what the table has counted are answers
to requests; the throws of a page are read a few rows at a time.
"""

import asyncio
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any, Final

from pydantic import Field

from common import texts
from common.messages import HIGHEST, STATE, Answer, Event
from common.snapshot import (
    Contents,
    CountedDie,
    LoggedStep,
    Moments,
    OfferedGame,
    Phase,
    Podium,
    Rematch,
    SetUpGame,
    ShownDie,
    ShownMatch,
    ShownSeat,
    ShownStage,
    Snapshot,
    StageOfSeat,
    TableEvent,
)
from dicetable.service.podium import podium
from dicetable.service.questions import WAITING_FROM, guide, question, waiting_evidence, waiting_marks
from dicetable.service.server import Nothing, Pace, Payload, RequestKind, TableServer, accepted
from dicetable.service.throws import (
    EVENING_S,
    Archive,
    Board,
    ListedThrow,
    RecentThrows,
    film_marks,
    news,
    older,
)
from dicetable.table import display
from dicetable.table.bias import evidence
from dicetable.table.confirm_throw import OfThrow
from dicetable.table.game_over import GameOver
from dicetable.table.pages import Attract
from dicetable.table.play import Play
from dicetable.table.set_up import ChooseGame, SetUp, WhoPlays
from dicetable.table.table import Table
from dicetable.table.table_state import Awaited
from games.dice import Die, Kind
from games.match import Match
from games.prompts import ActPrompt, OverPrompt
from games.registry import GAMES
from games.requests import JsonObject
from games.words import Count, Stage, Words, parted

VERSION: Final = 1
NOTHING: Final[ShownMatch] = {
    "game": None,
    "title": "",
    "house_rules": "",
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
"""The fields of a match between games."""
ROWS: Final = 5
"""Rows of the ledger that are read at once."""
READ_S: Final = 0.02
"""The pause between two such readings for a page of throws; only one page is read at a time."""
POSTER_RULES: Final = 3
"""Rules on the poster of a game that is being set up: the first say what it is about."""
LOOK_S: Final = 0.1
"""How often the state is compared; after an entry of the ledger this happens at once."""
PAUSE_S: Final = 5.0
"""The pause after a fault in this part, which never affects the game."""
READS: Final = Pace(100, 0.02)
"""The gateway keeps pictures, so that a hundred screens cost the table one request."""
BATCHES: Final = Pace(10, 0.2)
"""A gateway that catches up takes four batches of rows a second."""

log = logging.getLogger(__name__)


def snapshot(
    table: Table,
    throws: Sequence[ListedThrow],
    row: int = 0,
    events: Iterable[TableEvent] = (),
    board: Board | None = None,
    of_game: Sequence[ListedThrow] = (),
    log: Iterable[LoggedStep] = (),
    lasted: Mapping[str, int] = MappingProxyType({}),
) -> Contents:
    """The state without its revision; `throws` and `events` are the latest, oldest first.

    `of_game` are all throws of the match, `log` and `lasted` are those of `MatchThrows`.
    """
    match = None if table.off_requested else table.state.match
    phase, base = phase_of(table), table.base
    prompt = table.state.match.prompt if table.state.match else None
    set_up = set_up_json(table, base) if phase is Phase.SET_UP and isinstance(base, SetUp) else None
    return {
        "v": VERSION,
        "phase": phase,
        "paused": table.paused,
        "paused_by": table.paused_by,
        "phones": table.on_phones,
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
        "log": list(log) if match is not None else [],
        "guide": guide(table),
        "events": list(events),
        "question": None if table.off_requested else question(table, throws),
        "podium": ended(match, of_game, lasted) if match is not None and phase is Phase.OVER else None,
        "rematch": rematch_json(table, base) if isinstance(base, GameOver) else None,
        **(of_match(table, match) if match is not None else NOTHING),
    }


def rematch_json(table: Table, over: GameOver) -> Rematch:
    """Who could play the same game again, and who is in."""
    return {
        "text": over.vote,
        "seats": [
            {
                "name": table.called_or_name(seat),
                "place": seat,
                "colour": table.colours[seat],
                "wants": seat in over.rematch,
            }
            for seat in over.present
        ],
    }


def ended(match: Match, throws: Sequence[ListedThrow], lasted: Mapping[str, int]) -> Podium | None:
    """The podium of a finished game; None without a winner."""
    winners = match.prompt.winners if isinstance(match.prompt, OverPrompt) else ()
    if not winners:
        return None
    state, score = match.state(), match.rules.words.score
    scores = {seat: score(state, display.part_of(state, seat)) for seat in match.seats}
    return podium(match, winners, scores, throws, lasted)


def set_up_json(table: Table, step: SetUp) -> SetUpGame:
    """The game that is set up, and who is in; while it is being chosen, the list of games."""
    # A game that the host only looks at in the list is no news for the room.
    choosing = step if isinstance(step, ChooseGame) else None
    game = None if choosing else GAMES.get(step.game)
    draft = step.draft
    return {
        "game": step.game if game else "",
        "title": texts.games.title(step.game) if game else "",
        "house_rules": draft.house_rules.name if game and draft.house_rules else "",
        "players": texts.gateway.players(game.fewest_seats, game.most_seats) if game else "",
        "dice": draft.offered.dice if game else "",
        "poster": dice_json(game.words.poster) if game else [],
        "rules": list(game.words.rules[:POSTER_RULES]) if game else [],
        "host": draft.names.get(draft.host, ""),
        "ready": ready(table, step) if game else "",
        "seats": [
            {
                "name": name,
                "place": seat,
                "colour": table.colours[seat],
                "house": draft.house.get(seat, ""),
            }
            for seat, name in sorted(draft.names.items())
        ],
        "games": list_json(choosing) if choosing else [],
    }


def ready(table: Table, step: SetUp) -> str:
    """Whether the game can begin, and who begins it."""
    names, fewest = step.draft.names, GAMES[step.game].fewest_seats
    if len(names) < fewest:
        return texts.gateway.too_few(len(names), fewest)
    button = texts.panel.START
    if isinstance(step, WhoPlays):
        button = texts.phones.GO_ON if table.on_phones else "OK"
    return texts.gateway.ready(len(names), names.get(step.draft.host, ""), button)


def list_json(step: ChooseGame) -> list[OfferedGame]:
    """The list of games as the host sees it; `shown` is the one that the panel shows."""
    return [
        {
            "game": offered.game,
            "title": texts.games.title(offered.game),
            "house_rules": offered.house_rules.name if offered.house_rules else "",
            "players": offered.players,
            "dice": offered.dice,
            "fits": fits,
            "shown": offered is step.walk.current,
        }
        for offered, fits in zip(step.walk.items, step.fitting, strict=True)
    ]


def phase_of(table: Table) -> Phase:
    if table.off_requested:
        return Phase.OFF
    if table.state.match is not None and isinstance(table.base, Play):
        return Phase.OVER if isinstance(table.state.match.prompt, OverPrompt) else Phase.PLAY
    return Phase.IDLE if isinstance(table.base, Attract) else Phase.SET_UP


def of_match(table: Table, match: Match) -> ShownMatch:
    prompt = match.prompt
    to_act = table.state.to_act
    play = table.base if isinstance(table.base, Play) else None
    awaited = table.state.awaited
    offers = prompt.actions if isinstance(prompt, ActPrompt) else ()
    options = dict(table.state.opened.options) if table.state.opened else {}
    wrong = ""
    if play is not None and to_act is not None:
        wrong = table.screen.question if isinstance(table.screen, OfThrow) else play.wrong()
    stage = match.rules.words.staged(table.state.view(match))
    if isinstance(prompt, OverPrompt):
        stage = final(match, prompt.winners, stage)
    return {
        "game": match.game,
        "title": match.rules.title,
        "house_rules": (table.state.opened.house_rules if table.state.opened else None) or "",
        "rules": list(match.rules.words.rules),
        "asked": to_act,
        "awaits": str(prompt.to_json()["kind"]),
        "todo": display.awaited_line(match) if play is None or to_act is None else play.headline(to_act),
        "choices": [match.rules.words.action(offer) for offer in offers],
        "due": due(awaited) if awaited else [],
        "wrong": wrong,
        "rolling": table.rolling and awaited is not None,
        "happened": news(match),
        "facts": [*(play.of_cup if play else ()), *match.rules.words.facts(match.state())],
        "seats": seats(table, match, to_act, stage),
        "stage": stage_json(stage, colour_of(table, stage.owner)),
        "moments": moments(match, table.state.panel_seats, table.colours),
        "position": match.state(),
        "options": options,
        "fairness": evidence(table.state.run).to_json() if table.state.run else None,
    }


def due(awaited: Awaited) -> list[Kind]:
    """The dice to throw, if there is no choice between kinds."""
    count = awaited.counts[0]
    return list(awaited.kinds[:count]) if len(set(awaited.kinds)) == 1 or len(awaited.kinds) == count else []


def final(match: Match, winners: Sequence[str], stage: Stage) -> Stage:
    """The stage of a game that is over: what won it."""
    if not winners:
        return replace(stage, number="", caption="")
    score = match.rules.words.score(match.state(), display.part_of(match.state(), winners[0]))
    return Stage(*parted(score), owner=winners[0] if len(winners) == 1 else "", seats=stage.seats)


def colour_of(table: Table, seat: str) -> int:
    """A seat's colour; 0 if it has none."""
    return table.colours.get(table.state.panel_seats.get(seat, 0), 0)


def seats(table: Table, match: Match, to_act: str | None, stage: Stage) -> list[ShownSeat]:
    table_state, state = table.state, match.state()
    won = match.prompt.winners if isinstance(match.prompt, OverPrompt) else ()
    game: Words = match.rules.words
    return [
        {
            "name": seat,
            "place": table_state.panel_seats.get(seat, 0),
            "colour": colour_of(table, seat),
            "score": game.score(state, display.part_of(state, seat)),
            "standing": game.standing(state, display.part_of(state, seat)),
            "asked": seat == to_act,
            "away": table_state.away(seat),
            "house": table_state.house.get(seat, ""),
            "winner": seat in won,
            "under_cup": match.cups.get(seat, 0),
            **seat_json(game, stage, state, display.part_of(state, seat)),
        }
        for seat in match.seats
    ]


def seat_json(game: Words, stage: Stage, state: JsonObject, part: JsonObject) -> StageOfSeat:
    """What a seat shows on the stage; `beside` is its score, without the number that it shows anyway."""
    seat, score = game.seat_stage(stage, state, part), game.score(state, part)
    (number, unit), (current, _) = parted(score), parted(game.standing(state, part))
    beside = unit if seat.number == number != current else score
    note = game.standing(state, part) if seat.note is None else seat.note
    return {
        "number": seat.number,
        "beside": beside,
        "dice": dice_json(seat.dice),
        "out": seat.out,
        "note": note,
    }


def stage_json(stage: Stage, colour: int) -> ShownStage:
    return {
        "number": stage.number,
        "caption": stage.caption,
        "dice": dice_json(stage.dice),
        "slots": stage.slots,
        "tokens": stage.tokens,
        "token": stage.token,
        "beside": [{"number": number, "caption": caption} for number, caption in stage.beside],
        "tiles": [{"number": number, "open": stands} for number, stands in stage.tiles],
        "colour": colour,
    }


def dice_json(dice: Iterable[Die]) -> list[ShownDie]:
    return [{"kind": kind, "value": value} for kind, value in dice]


def count_json(count: Count) -> list[CountedDie]:
    return [
        {"kind": kind, "value": value, "counts": counts}
        for (kind, value), counts in zip(count.dice, count.counts, strict=True)
    ]


def moments(match: Match, panel_seats: Mapping[str, int], colours: Mapping[int, int]) -> Moments:
    """What of the last step owns a television for a moment; each step has its own `number`."""
    words = match.rules.words
    shown = [
        (
            words.moment(event, match.log),
            words.event(event),
            count.seat if count else str(event.get("loser", event.get("seat"))),
            event["event"],
            count,
        )
        for event in match.events
        for count in (words.count(event, match.log),)
    ]
    return {
        "number": match.revision,
        "told": [
            {
                "text": text,
                "caption": caption,
                "place": place,
                "colour": colours.get(place, 0),
                "best": text in words.best,
                "event": name,
                "dice": count_json(count) if count else [],
                "of": count.of if count else "",
            }
            for text, caption, seat, name, count in shown
            if text
            for place in (panel_seats.get(seat, 0),)
        ],
    }


class RowNumber(Payload):
    """What to read: a row of the ledger, or the row that older throws lie below."""

    number: Annotated[int, Field(ge=0, le=HIGHEST)]


class Publisher:
    """Publishes the state of a table; `turn` does a bounded amount of work."""

    def __init__(self, server: TableServer) -> None:
        self.server = server
        self.archive: Archive | None = None
        self.table: Table | None = None
        self.throws: RecentThrows | None = None
        self.known: Contents | None = None
        self.revision = self.row = 0
        self.looked_s = self.paused_s = float("-inf")
        self.written_s = 0.0
        self.searching = asyncio.Lock()

    def turn(self, now_s: float, table: Table, archive: Archive) -> None:
        """Publishes what is new; never raises."""
        if now_s < self.paused_s:
            return
        try:
            self.publish(now_s, table, archive)
        except Exception:  # a fault here must cost the screens, not the game
            log.exception("state=failed pause_s=%g", PAUSE_S)
            self.paused_s = now_s + PAUSE_S
            self.table = self.throws = None
            table.recorded = None
            self.server.disconnect()

    def publish(self, now_s: float, table: Table, archive: Archive) -> None:
        """Follows the table, and publishes a new revision if anything has changed."""
        if self.table is not table or self.throws is None:
            self.table, self.archive, self.throws = table, archive, RecentThrows(archive)
            table.recorded = self.throws.recorded.append
            self.looked_s, self.written_s, self.row = float("-inf"), now_s, 0
        throws = self.throws
        throws.step(ROWS)
        if throws.number != self.row:
            self.row, self.written_s, self.looked_s = throws.number, now_s, float("-inf")
        elif now_s - self.written_s >= EVENING_S:
            throws.board = Board()
        if not self.server.clients:
            self.known = None
            self.server.events.pop(STATE, None)  # a new client gets no old state
        elif throws.up_to_date and now_s >= self.looked_s + LOOK_S:
            self.looked_s = now_s
            of_game = throws.match.listed()
            state = snapshot(
                table,
                throws.throws,
                throws.number,
                throws.events,
                throws.board,
                of_game,
                throws.match.log,
                throws.match.lasted,
            )
            if state != self.known:
                self.known = state
                self.revision += 1
                body = as_json(Snapshot(**state, revision=self.revision))
                self.server.publish(Event(STATE, body=body))

    def kinds(self) -> dict[str, RequestKind[Any]]:
        return {
            "picture": RequestKind(RowNumber, self.read_picture, READS),
            "motion": RequestKind(RowNumber, self.read_motion, READS),
            "marks": RequestKind(RowNumber, self.read_marks, READS),
            "film": RequestKind(RowNumber, self.read_film, READS),
            "throws": RequestKind(RowNumber, self.read_throws, READS),
            "rows": RequestKind(RowNumber, self.read_rows, BATCHES),
            "meters": RequestKind(Nothing, self.read_meters, BATCHES),
        }

    def evidence(self, number: int, table: Table) -> tuple[bytes, bytes]:
        if self.throws is None:
            return b"", b""
        if number >= WAITING_FROM:
            return waiting_evidence(table, self.throws, number)
        return self.throws.evidence(number)

    def read_picture(self, request: RowNumber, table: Table) -> Answer:
        """The picture of a throw, JPEG; an empty body if there is none to show."""
        return accepted(body=self.evidence(request.number, table)[0])

    def read_motion(self, request: RowNumber, table: Table) -> Answer:
        """The strip of a throw's motion, JPEG; as for pictures."""
        return accepted(body=self.evidence(request.number, table)[1])

    def read_marks(self, request: RowNumber, table: Table) -> Answer:
        """Where the dice of a throw are in its picture and the frames in its strip, JSON; as for pictures."""
        marks = None
        if self.throws is not None and request.number >= WAITING_FROM:
            marks = waiting_marks(table, self.throws, request.number)
        elif self.throws is not None:
            marks = self.throws.marks(request.number)
            film, throw = self.film(request.number, table), self.throws.listed(request.number)
            if marks is not None and throw is not None and film:
                marks |= film_marks(throw.boxes, film, adds_up=throw.adds_up)
        return accepted(body=as_json(marks) if marks is not None else b"")

    def film(self, number: int, table: Table) -> bytes:
        shows = self.throws is not None and self.throws.shows(number)
        return table.films.get(number, b"") if shows else b""

    def read_film(self, request: RowNumber, table: Table) -> Answer:
        """The film of one of the newest throws, JPEG; an empty body if there is none to show."""
        return accepted(body=self.film(request.number, table))

    async def read_throws(self, request: RowNumber, _: Table) -> Answer:
        """A JSON list of the newest throws below a row, newest first."""
        if self.archive is None:
            return accepted(body=b"[]")
        async with self.searching:
            page = None
            for count, page in enumerate(older(self.archive, request.number), 1):
                if page is None and count % ROWS == 0:
                    await asyncio.sleep(READ_S)
        listed = [throw.to_json() for throw in page or ()]
        for listed_throw in listed:
            listed_throw["picture"] &= self.throws is not None and self.throws.shows(listed_throw["number"])
        return accepted(body=as_json(listed))

    def read_rows(self, request: RowNumber, _: Table) -> Answer:
        """The id of the table and signed rows for the league from a row on; empty if it is in none."""
        return accepted(body=self.archive.outgoing(request.number) if self.archive is not None else b"")

    def read_meters(self, _: Nothing, table: Table) -> Answer:
        """What the table has counted and timed since it started, JSON."""
        return accepted(body=as_json(table.meters.to_json()))


def as_json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
