"""The snapshot: what guests may see of the table, as one JSON object.

The table's process makes it, and the gateway, MQTT, webhooks and pages read it. docs/screen.md says what each
field means. Fields may be added to version 1; existing fields keep their names and meanings.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Literal, NotRequired, TypedDict, cast

from games.dice import Kind
from games.requests import JsonObject

EventName = Literal["throw", "turn", "bust", "rack", "game_over"]


class Phase(StrEnum):
    """The phase of the table."""

    IDLE = "idle"
    SET_UP = "set_up"
    PLAY = "play"
    OVER = "over"
    OFF = "off"


class ShownDie(TypedDict):
    """A die as it lies."""

    kind: Kind
    value: int


class AskedDie(TypedDict):
    """A die of a question.

    `value` is None if it could not be read, `before` the value that a correction changes, or None.
    """

    kind: Kind
    value: int | None
    before: int | None
    asked: bool


class Question(TypedDict):
    """What the table asks people."""

    text: str
    answer: str
    about: Literal["throw", "value", "correction", "game"]
    seat: str
    dice: list[AskedDie]
    picture: int


class Sums(TypedDict):
    """What dice add up to, what a formula makes of them, and which of them it keeps.

    Without a formula `formula` and `result` are None. `natural` is 20 or 1 if the only d20 that counts shows
    it.
    """

    total: int
    formula: str | None
    result: int | None
    kept: list[bool]
    natural: int | None


class ShownThrow(Sums):
    """A throw or a reveal that counts."""

    number: int
    game: str
    seat: str
    dice: list[ShownDie]
    by_hand: bool
    corrected: bool
    unseen: int
    vouched: bool
    picture: bool


class TableEvent(TypedDict):
    """Something that happened, for lamps and other programs: docs/signals.md says which has what."""

    row: int
    event: EventName
    game: str
    seat: NotRequired[str]
    dice: NotRequired[list[ShownDie]]
    total: NotRequired[int]
    formula: NotRequired[str | None]
    result: NotRequired[int | None]
    winners: NotRequired[list[str]]


class LoggedStep(TypedDict):
    """What a step of the game came to."""

    number: int
    seat: str
    text: str


class Trouble(TypedDict):
    """A part that does not work."""

    part: str
    what: str
    remedy: str
    guests: str


class JoinedSeat(TypedDict):
    """A player who is in while a game is set up."""

    name: str
    place: int
    colour: int
    house: str


class OfferedGame(TypedDict):
    """A game in the list to choose from."""

    game: str
    title: str
    house_rules: str
    players: str
    dice: str
    fits: bool
    shown: bool


class SetUpGame(TypedDict):
    """The game that is set up, and who is in."""

    game: str
    title: str
    house_rules: str
    players: str
    dice: str
    poster: list[ShownDie]
    rules: list[str]
    host: str
    ready: str
    seats: list[JoinedSeat]
    games: list[OfferedGame]


class StageOfSeat(TypedDict):
    """What a seat shows on the stage."""

    number: str
    beside: str
    dice: list[ShownDie]
    out: bool
    note: str


class ShownSeat(StageOfSeat):
    """A seat of the game."""

    name: str
    place: int
    colour: int
    score: str
    standing: str
    asked: bool
    away: bool
    house: str
    winner: bool
    under_cup: int


class Figure(TypedDict):
    """A smaller number beside the deciding one."""

    number: str
    caption: str


class Tile(TypedDict):
    """A numbered tile, and whether it stands open."""

    number: int
    open: bool


class ShownStage(TypedDict):
    """The state of the game at a glance."""

    number: str
    caption: str
    dice: list[ShownDie]
    slots: int
    tokens: int
    token: str
    beside: list[Figure]
    tiles: list[Tile]
    colour: int


class CountedDie(TypedDict):
    """A die, and whether it counts."""

    kind: str
    value: int
    counts: bool


class Moment(TypedDict):
    """Words that fill the television for a moment; `event` is what the game calls what happened.

    Where it counts `dice` before everyone, `of` says what for; otherwise both are empty.
    """

    text: str
    caption: str
    place: int
    colour: int
    best: bool
    event: str
    dice: list[CountedDie]
    of: str


class Moments(TypedDict):
    """The moments of the last step; each step has its own number."""

    number: int
    told: list[Moment]


class FurtherThrows(TypedDict):
    """How many throws show a bias of this size: one face comes up this much too often."""

    throws: int
    excess_percent: int


class Fairness(TypedDict):
    """A test of dice in progress."""

    kind: Kind
    dice: int
    throws: int
    counts: list[int]
    asked: list[int]
    log10_e: float
    log10_e_without_asked: float
    accused_at: int | None
    curve: list[tuple[int, float]]
    verdict: str
    more: FurtherThrows | None


class Place(TypedDict):
    """A place on the podium."""

    name: str
    rank: int


class Podium(TypedDict):
    """The podium of a game that somebody won."""

    places: list[Place]
    best: ShownThrow | None
    chance: int
    rare: bool
    line: str


class AskedSeat(TypedDict):
    """A seat that could play the same game again."""

    name: str
    place: int
    colour: int
    wants: bool


class Rematch(TypedDict):
    """The vote on playing the same game again."""

    text: str
    seats: list[AskedSeat]


class Wins(TypedDict):
    """How many games of the evening a player has won."""

    name: str
    wins: int


class Evening(TypedDict):
    """The board since the table started."""

    games: int
    dice: int
    wins: list[Wins]


class ShownMatch(TypedDict):
    """The fields of a match; all are there, empty, between games."""

    game: str | None
    title: str
    house_rules: str
    rules: list[str]
    asked: str | None
    awaits: str | None
    todo: str
    choices: list[str]
    due: list[Kind]
    wrong: str
    rolling: bool
    happened: list[str]
    facts: list[str]
    seats: list[ShownSeat]
    stage: ShownStage | None
    moments: Moments | None
    position: JsonObject
    options: JsonObject
    fairness: Fairness | None


class Contents(ShownMatch):
    """A snapshot without its revision."""

    v: int
    phase: Phase
    paused: bool
    paused_by: str
    phones: bool
    oks: int
    menu: bool
    panel: list[str]
    set_up: SetUpGame | None
    troubles: list[Trouble]
    winners: list[str]
    tonight: Evening | None
    throws: list[ShownThrow]
    row: int
    log: list[LoggedStep]
    guide: str
    events: list[TableEvent]
    question: Question | None
    podium: Podium | None
    rematch: Rematch | None


class Snapshot(Contents):
    """The whole of it. `revision` counts up, and starts again when the table starts."""

    revision: int


def parse_snapshot(state: bytes) -> Snapshot:
    """The snapshot that the table sent as `state`; the table is trusted."""
    return cast("Snapshot", json.loads(state))
