"""A match of any game: the fold of an append-only log. Nothing here knows a rule of any one game."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from games import log, options, registry, requests
from games.checks import check
from games.errors import BadCorrection, BadLog, RuleError, Stale
from games.log import Correction, Opening, Record
from games.requests import Dice, JsonObject, Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from games.game import Event, Game, Pick
    from games.prompts import Prompt

# Append-only lists that share their beginnings, newest entry first: (what was before, entry).
Records = tuple["Records", Record] | None
InForce = tuple["InForce", int, Request] | None


@dataclass(frozen=True, slots=True)
class Stopped:
    """Where a correction stopped a match: the request behind `revision` no longer fits, and why."""

    revision: int
    code: str
    message: str


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """One match at one revision. `apply` and `correct` return the next one and leave this one as it is.

    `prompt` is what is awaited, `events` what the last accepted request brought about, `revision` the
    number of records after the opening. `stopped` is set by a correction that later requests do not fit:
    the match stands before the first of them, and they no longer count.
    """

    rules: Game[Any, Any]
    opening: Opening
    current: Any
    prompt: Prompt
    revision: int
    events: tuple[Event, ...]
    records: Records
    in_force: InForce
    stopped: Stopped | None

    @classmethod
    def new(
        cls, game: str, seats: Sequence[str], options: Mapping[str, Any] | None = None, *, seed: int
    ) -> Match:
        """A new match; every random choice of the rules comes from `seed`.

        Raises BadRequest (types), UnknownGame or BadOption, in this order.
        """
        given = {} if options is None else options
        requests.check_new(game, seats, given, seed)
        chance = Random(seed)  # noqa: S311 - a game, and it must be repeatable
        draws: list[int] = []

        def pick(count: int) -> int:
            draws.append(chance.randrange(count))
            return draws[-1]

        return open_match(game, tuple(seats), dict(given), seed, pick, draws)

    @classmethod
    def replay(cls, records: Iterable[object]) -> Match:
        """The match that these records of a log lead to; BadLog names the first that does not fit."""
        number = 0
        try:
            source = iter(records)
            match = reopen(log.read_opening(next(source, None)))
            for number, entry in enumerate(source, 1):  # noqa: B007 - named in the error
                record = log.read_record(entry)
                if isinstance(record, Correction):
                    match = match.correct(record.throw, record.dice)
                else:
                    match = match.apply(record)
        except RuleError as error:
            raise BadLog(f"record {number}: {error}") from error
        return match

    @classmethod
    def resume(cls, text: bytes) -> Match:
        """The match whose log is in these JSON lines; a torn last line is as if it had not been written."""
        return cls.replay(log.load(text))

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.opening.game

    @property
    def seats(self) -> tuple[str, ...]:
        """The seats, clockwise."""
        return self.opening.seats

    @property
    def log(self) -> tuple[JsonObject, ...]:
        """Every record: the opening with its seed and draws, accepted requests and corrections."""
        entries = [record.to_json() for record in newest_first(self.records)]
        return (self.opening.to_json(), *reversed(entries))

    def state(self) -> JsonObject:
        """The public state as a new JSON object. It holds nothing that is under a cup."""
        return self.rules.to_json(self.current)

    def apply(self, request: Request, revision: int | None = None) -> Match:
        """The match after the request; raises a RuleError if it is refused.

        `revision` is the one that the request answers; Stale if the match has gone on since.
        """
        if revision is not None and revision != self.revision:
            raise Stale(f"the match is at revision {self.revision}, not {revision}")
        check(self.prompt, request)
        state, events = self.rules.apply(self.current, request)
        after = self.revision + 1
        return Match(
            self.rules,
            self.opening,
            state,
            self.rules.prompt(state),
            after,
            tuple(events),
            (self.records, request),
            (self.in_force, after, request),
            None,
        )

    def correct(self, throw: int, dice: Dice, revision: int | None = None) -> Match:
        """The match as it would be had the throw that led to revision `throw` shown `dice`.

        Appends a record and folds again what is in force. If a later request no longer fits, the match stops
        before it and `stopped` says which. Raises Stale, BadCorrection (there is no such throw in force) or
        WrongDice.
        """
        if revision is not None and revision != self.revision:
            raise Stale(f"the match is at revision {self.revision}, not {revision}")
        history = in_order(self.in_force)
        if not any(at == throw and isinstance(request, Dice) for at, request in history):
            raise BadCorrection(f"revision {throw} is not a throw that counts")
        match = reopen(self.opening)
        in_force: InForce = None
        stopped = None
        for at, recorded in history:
            request = dice if at == throw else recorded
            try:
                match = match.apply(request)
            except RuleError as error:
                if at == throw:
                    raise
                stopped = Stopped(at, error.code, str(error))
                break
            in_force = (in_force, at, request)
        events: list[Event] = [{"event": "corrected", "throw": throw, "dice": dice.to_json()["dice"]}]
        if stopped is not None:
            events.append({"event": "stopped", "revision": stopped.revision, "code": stopped.code})
        return Match(
            self.rules,
            self.opening,
            match.current,
            match.prompt,
            self.revision + 1,
            tuple(events),
            (self.records, Correction(throw, dice)),
            in_force,
            stopped,
        )


def open_match(
    name: str, seats: tuple[str, ...], given: dict[str, Any], seed: int, pick: Pick, draws: Sequence[int]
) -> Match:
    """A match at revision 0; `draws` holds, once `pick` has been used, what it gave."""
    rules = registry.find(name)
    options.check_seats(seats, rules.fewest_seats, rules.most_seats)
    state, events = rules.start(seats, options.read(rules.options, given, seats), pick)
    opening = Opening(name, seats, given, seed, tuple(draws))
    return Match(rules, opening, state, rules.prompt(state), 0, tuple(events), None, None, None)


def reopen(opening: Opening) -> Match:
    """The match of a recorded opening, with its draws as they were."""
    left = list(opening.draws)

    def pick(count: int) -> int:
        if not left or not 0 <= left[0] < count:
            raise BadLog("the draws are not those of this opening")
        return left.pop(0)

    match = open_match(opening.game, opening.seats, opening.options, opening.seed, pick, opening.draws)
    if left:
        raise BadLog("more draws than the opening makes")
    return match


def newest_first(records: Records) -> Iterator[Record]:
    """The entries of an append-only list, back from its end."""
    while records is not None:
        records, record = records
        yield record


def in_order(in_force: InForce) -> list[tuple[int, Request]]:
    """The requests that count, each with the revision that it led to, oldest first."""
    entries = []
    while in_force is not None:
        in_force, revision, request = in_force
        entries.append((revision, request))
    return entries[::-1]
