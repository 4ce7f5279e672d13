"""A match of any game, and its log: a match is the fold of its entries. It knows no rules of any game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from games import registry, requests
from games.dice import Die
from games.errors import BadCorrection, BadLog, BadRequest, RuleError, Stale
from games.game import Event, Game, Pick, check_seats, read_options
from games.prompts import Prompt, check_action, check_dice
from games.requests import Act, Dice, JsonObject, Request

InForce = tuple[tuple[int, Request], ...]
"""Requests in force, each with the revision that it led to, oldest first."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The start of a match: the `new` request, its seed and each random draw."""

    game: str
    seats: tuple[str, ...]
    options: dict[str, Any]
    seed: int
    draws: tuple[int, ...]

    def to_json(self) -> JsonObject:
        return {
            "op": "new",
            "game": self.game,
            "seats": list(self.seats),
            "options": dict(self.options),
            "seed": self.seed,
            "draws": list(self.draws),
        }


@dataclass(frozen=True, slots=True)
class Correction:
    """The dice that the request leading to revision `throw` really threw.

    `in_force` are the requests that count from here on; it is computed, not recorded.
    """

    throw: int
    dice: Dice
    in_force: InForce

    def to_json(self) -> JsonObject:
        return {"op": "correct", "throw": self.throw, "dice": self.dice.to_json()["dice"]}


LogEntry = Request | Correction


def requests_in_force(entries: Sequence[LogEntry]) -> InForce:
    """The requests in force after these entries, which follow a match's opening."""
    in_force: list[tuple[int, Request]] = []
    for revision, entry in enumerate(entries, 1):
        if isinstance(entry, Correction):
            in_force = list(entry.in_force)
        else:
            in_force.append((revision, entry))
    return tuple(in_force)


def read_opening(entry: Any) -> Opening:
    match entry:
        case {"op": "new", "options": options, "seed": seed, "draws": list(draws), **rest}:
            _, new = requests.operation({"op": "new", **rest})
            requests.check_new(new["game"], new["seats"], options, seed)
            if all(type(draw) is int for draw in draws):
                return Opening(new["game"], tuple(new["seats"]), dict(options), seed, tuple(draws))
    raise BadRequest("a log begins with a new entry that has its options, seed and draws")


def read_entry(entry: Any) -> Request | tuple[int, Dice]:
    """Parses a later entry; a correction becomes its throw and dice. Raises BadRequest if it is invalid."""
    match entry:
        case {"op": "correct", "throw": throw, "dice": dice, **rest} if type(throw) is int and not rest:
            return throw, Dice(dice)
    return requests.from_json(entry)


def dump(entries: Iterable[JsonObject]) -> bytes:
    return b"".join(map(requests.encode, entries))


def load(text: bytes) -> list[object]:
    """Parses the entries in JSON lines; the rest of a torn last line is dropped.

    A last line without a line feed counts only if it is complete. Raises BadLog for any other line that is
    not JSON.
    """
    *lines, tail = text.split(b"\n")
    entries = []
    for number, line in enumerate(lines, 1):
        try:
            entries.append(requests.decode(line))
        except BadRequest as error:
            raise BadLog(f"line {number}: {error}") from None
    if tail:
        try:
            entries.append(requests.decode(tail))
        except BadRequest:
            return entries
    return entries


# An append-only list whose copies share their beginning: (the list before, the newest entry).
LogEntries = tuple["LogEntries", LogEntry] | None


@dataclass(frozen=True, slots=True)
class Stopped:
    """The point at which a correction stopped a match: the request behind `revision` is no longer legal."""

    revision: int
    code: str
    message: str


class Match:
    """One match at one revision. `apply` and `correct` return the next match and leave this one unchanged.

    `prompt` is what the match waits for, `events` are the events of the last accepted request, `revision` is
    the number of entries after the opening. `stopped` is set if a correction made a later request illegal:
    the match then stands before that request, and it and those after it no longer count. Made by `new`,
    `replay`, `resume`.
    """

    __slots__ = ("current", "entries", "events", "opening", "prompt", "revision", "rules", "stopped")

    def __init__(
        self,
        rules: Game[Any, Any],
        opening: Opening,
        current: Any,
        events: Sequence[Event],
        revision: int = 0,
        entries: LogEntries = None,
        stopped: Stopped | None = None,
    ) -> None:
        self.rules: Final = rules
        self.opening: Final = opening
        self.current: Final = current
        self.prompt: Final[Prompt] = rules.prompt(current)
        self.events: Final[tuple[Event, ...]] = tuple(events)
        self.revision: Final = revision
        self.entries: Final = entries
        self.stopped: Final = stopped

    @classmethod
    def new(
        cls, game: str, seats: Sequence[str], options: Mapping[str, Any] | None = None, *, seed: int
    ) -> Match:
        """Starts a match; every random choice of the rules comes from `seed`.

        Raises BadRequest (types), UnknownGame or BadOption, in this order.
        """
        chosen = {} if options is None else options
        requests.check_new(game, seats, chosen, seed)
        draws: list[int] = []
        chance: Random | None = None

        def pick(count: int) -> int:
            nonlocal chance
            chance = chance or Random(seed)  # noqa: S311 - a game, and it must be repeatable
            draws.append(chance.randrange(count))
            return draws[-1]

        return open_match(game, tuple(seats), dict(chosen), seed, pick, draws)

    @classmethod
    def replay(cls, entries: Iterable[object]) -> Match:
        """The match after these entries of a log. Raises BadLog, which names the first invalid one."""
        number = 0
        try:
            source = iter(entries)
            match = reopen(read_opening(next(source, None)))
            for number, entry in enumerate(source, 1):  # noqa: B007 - named in the error
                read = read_entry(entry)
                match = match.correct(*read) if isinstance(read, tuple) else match.apply(read)
        except RuleError as error:
            raise BadLog(f"entry {number}: {error}") from error
        return match

    @classmethod
    def resume(cls, text: bytes) -> Match:
        """The match whose log is in these JSON lines; a torn last line is ignored."""
        return cls.replay(load(text))

    @property
    def game(self) -> str:
        return self.opening.game

    @property
    def seats(self) -> tuple[str, ...]:
        return self.opening.seats

    @property
    def log(self) -> tuple[JsonObject, ...]:
        """All entries: the opening with its seed and draws, accepted requests and corrections."""
        return (self.opening.to_json(), *[entry.to_json() for entry in in_order(self.entries)])

    @property
    def aside(self) -> tuple[Die, ...]:
        """Dice from earlier throws that count as they lie; they stay there and are not thrown again."""
        return self.rules.aside(self.current)

    @property
    def cups(self) -> dict[str, int]:
        """The number of dice under each seat's cup, in seat order; seats without any are left out."""
        counts = self.rules.cups(self.current)
        return {seat: count for seat, count in zip(self.seats, counts, strict=False) if count}

    def state(self) -> JsonObject:
        """The public state as a new JSON object. It contains nothing that is under a cup."""
        return self.rules.to_json(self.current)

    def check_revision(self, revision: int | None) -> None:
        """Raises Stale if `revision` is not the current one; None stands for the current one."""
        if revision is not None and revision != self.revision:
            raise Stale(f"the match is at revision {self.revision}, not {revision}")

    def apply(self, request: Request, revision: int | None = None) -> Match:
        """The match after the request. Raises a RuleError if it is refused.

        `revision` is the revision that the request answers. Raises Stale if the match has moved on since.
        """
        if revision is not None:
            self.check_revision(revision)
        rules = self.rules
        if isinstance(request, Act):
            check_action(self.prompt, request)
            current, events = rules.act(self.current, request.action)
        else:
            check_dice(self.prompt, request)
            current, events = rules.dice(self.current, request.dice)
        return Match(rules, self.opening, current, events, self.revision + 1, (self.entries, request))

    def correct(self, throw: int, dice: Dice, revision: int | None = None) -> Match:
        """The match as it would be if the throw that led to revision `throw` had shown `dice`.

        Appends an entry and folds the requests in force again. If a later request is no longer legal, the
        match stops before it and `stopped` says which one. Raises Stale, BadCorrection (no such throw is in
        force) or WrongDice.
        """
        self.check_revision(revision)
        in_force = requests_in_force(in_order(self.entries))
        if not any(revision == throw and isinstance(request, Dice) for revision, request in in_force):
            raise BadCorrection(f"revision {throw} is not a throw that counts")
        in_force = tuple((revision, dice if revision == throw else request) for revision, request in in_force)
        match = reopen(self.opening)
        stopped = None
        events: list[Event] = [{"event": "corrected", "throw": throw, "dice": dice.to_json()["dice"]}]
        # A corrected throw may end a turn whose later requests then fit no more.
        for place, (revision, request) in enumerate(in_force):
            try:
                match = match.apply(request)
            except RuleError as error:
                if revision == throw:
                    raise
                stopped = Stopped(revision, error.code, str(error))
                events.append({"event": "stopped", "revision": revision, "code": error.code})
                in_force = in_force[:place]
                break
        entries = (self.entries, Correction(throw, dice, in_force))
        return Match(self.rules, self.opening, match.current, events, self.revision + 1, entries, stopped)


def open_match(
    name: str, seats: tuple[str, ...], chosen: dict[str, Any], seed: int, pick: Pick, draws: Sequence[int]
) -> Match:
    rules = registry.find(name)
    check_seats(seats, rules.fewest_seats, rules.most_seats)
    current, events = rules.start(seats, read_options(rules.options, chosen, seats), pick)
    return Match(rules, Opening(name, seats, chosen, seed, tuple(draws)), current, events)


def reopen(opening: Opening) -> Match:
    """The match of a recorded opening, with its recorded draws."""
    left = list(opening.draws)

    def pick(count: int) -> int:
        if not left or not 0 <= left[0] < count:
            raise BadLog("the draws are not those of this opening")
        return left.pop(0)

    match = open_match(opening.game, opening.seats, opening.options, opening.seed, pick, opening.draws)
    if left:
        raise BadLog("more draws than the opening makes")
    return match


def in_order(entries: LogEntries) -> list[LogEntry]:
    newest_first = []
    while entries is not None:
        entries, entry = entries
        newest_first.append(entry)
    return newest_first[::-1]
