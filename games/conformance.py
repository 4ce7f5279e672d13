"""Whether a game keeps what the engine protocol promises: plays it at random, and reports the first fault.

It is for games from outside this project; nothing in it knows the rules of any game. The random players
answer each prompt with any legal request, so that a few hundred games reach the corners of most rules.
"""

from __future__ import annotations

import re
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

from games.dice import EVERY_KIND, VALUES
from games.errors import RuleError
from games.game import LONGEST_NAME, Event, Game
from games.match import Match, load
from games.players import RandomPlayer, some_of
from games.prompts import (
    ActPrompt,
    AnyDicePrompt,
    BetOffer,
    BidOffer,
    CallOffer,
    Offer,
    OverPrompt,
    PickOffer,
    Plain,
    Prompt,
    RecastOffer,
    RevealPrompt,
    ThrowPrompt,
)
from games.requests import GREATEST_WHOLE, Act, Dice, JsonObject, Request, encode
from games.words import Stage, TableView

SEATS = ("ann", "bob", "cleo", "dan", "eve", "finn", "gus", "hal")
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
LONGEST_TITLE = 14
MOST_REQUESTS = 10_000
"""A random game with more requests counts as one without an end. More: a check of a game that never ends
takes longer. Fewer: games that end late under random play are refused."""
MOST_DICE = 48
"""The most dice of one throw or reveal, as many as the table can read at once."""
OFFERS = (Plain, BetOffer, BidOffer, CallOffer, RecastOffer, PickOffer)


class BrokenPromiseError(Exception):
    """A game does not do what the engine protocol promises; the text says what, in one sentence."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The first promise that a game broke: in the game of this seed, answering request number `request`."""

    seed: int
    request: int
    sentence: str

    def __str__(self) -> str:
        return f"seed {self.seed}, request {self.request}: {self.sentence}"


def fault_of(game: Game[Any, Any], seeds: Sequence[int], begun: Callable[[int], object]) -> Fault | None:
    """The first promise broken in the random games of these seeds; None if all are kept.

    The game must be in the registry. `begun` is called with each seed before its game begins.
    """
    for seed in seeds:
        begun(seed)
        random_game = RandomGame(game, seed)
        try:
            random_game.play()
        except BrokenPromiseError as error:
            return Fault(seed, random_game.requests, str(error))
    return None


@contextmanager
def rule(name: str) -> Iterator[None]:
    """Reports whatever the rule of this name raises as a broken promise."""
    try:
        yield
    except BrokenPromiseError:
        raise
    except RuleError as error:
        raise BrokenPromiseError(f"{name} refuses what the prompt offers: {error}") from error
    except Exception as error:
        raise BrokenPromiseError(f"{name} fails: {raised(error)}") from error


def raised(error: BaseException) -> str:
    """An exception in one line: its place, its type and its text."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"line {frames[-1].lineno} of {frames[-1].filename.rpartition('/')[2]}, " if frames else ""
    text = " ".join(str(error).split())
    return f"{place}{type(error).__name__}{': ' if text else ''}{text}"


def promised(holds: object, sentence: str) -> None:
    """Raises BrokenPromiseError unless the promise holds; `sentence` says what breaks it."""
    if not holds:
        raise BrokenPromiseError(sentence)


def check_description(game: Game[Any, Any]) -> None:
    """Checks the name, the title, the numbers of seats and the options. Raises BrokenPromiseError."""
    promised(type(game.name) is str and NAME.fullmatch(game.name), "its name is not like six_by_6")
    promised(len(game.name) <= LONGEST_NAME, f"its name has over {LONGEST_NAME} characters")
    seats = (game.fewest_seats, game.most_seats)
    whole = all(type(count) is int for count in seats)
    promised(whole and 1 <= seats[0] <= seats[1] <= len(SEATS), "its seats are not within 1 to 8")
    fields = getattr(game.options, "__dataclass_fields__", None)
    promised(
        fields is not None and hasattr(game.options, "check"),
        "its Options has no `check`, or is no dataclass",
    )
    promised(fields and "first" in fields, "its Options has no `first`")
    for name, option in (fields or {}).items():
        default, is_text = option.default, bool(option.metadata.get("text"))
        fits = default is None or type(default) is (str if is_text else int)
        promised(fits, f"the default of its option {name} is no whole number, text or None")
    limit = game.limit
    promised(limit is None or limit in (fields or {}), f"its limit {limit!r} is none of its options")
    with rule("words"):
        promised(type(game.title) is str and 0 < len(game.title) <= LONGEST_TITLE, "its title is too long")
        for kind, face in game.words.poster:
            promised(kind in EVERY_KIND and 0 <= face <= 100, "its poster has a die that does not exist")
        for text in (game.words.pitch, *game.words.rules):
            promised(type(text) is str, "its rules in short are no texts")


class RandomGame:
    """One random game and its checks; each seed plays with another number of seats."""

    def __init__(self, game: Game[Any, Any], seed: int) -> None:
        self.game = game
        self.seed = seed
        self.chance = Random(seed)  # noqa: S311 - a simulated game, and repeatable
        self.player = RandomPlayer(seed)
        self.seats = SEATS[: game.fewest_seats + seed % (game.most_seats - game.fewest_seats + 1)]
        self.requests = 0
        self.chips: int | None = None

    def play(self) -> None:
        """Plays to the end. Raises BrokenPromiseError."""
        check_description(self.game)
        options = {self.game.limit: 2} if self.game.limit else {}
        with rule("start"):
            match = Match.new(self.game.name, self.seats, options, seed=self.seed)
        self.check(match)
        while not isinstance(match.prompt, OverPrompt):
            self.requests += 1
            promised(self.requests <= MOST_REQUESTS, f"it has no end after {MOST_REQUESTS} requests")
            match = self.step(match)
        with rule("the replay of its log"):
            again = Match.replay(load(b"".join(map(encode, match.log))))
        same = (again.state(), again.prompt, again.events) == (match.state(), match.prompt, match.events)
        promised(same, "the replay of its log ends elsewhere: only `pick` may draw")

    def step(self, before: Match) -> Match:
        """Answers the prompt of a match, and checks what comes of it."""
        request = self.answer(before.prompt)
        was = encode(before.state())
        name = "act" if isinstance(request, Act) else "dice"
        with rule(f"{name} with {encode(request.to_json()).decode().strip()}"):
            match = before.apply(request)
        promised(encode(before.state()) == was, f"{name} changes the state that it is given")
        self.check(match)
        return match

    def answer(self, prompt: Prompt) -> Request:
        """Any legal answer to the prompt."""
        if isinstance(prompt, ActPrompt):
            return Act(prompt.seat, self.player.answer(self.chance.choice(prompt.actions)))
        if isinstance(prompt, OverPrompt):
            raise BrokenPromiseError("it asks for nothing, and is not over")
        kinds = prompt.dice
        if isinstance(prompt, ThrowPrompt):
            kinds = some_of(prompt, self.chance, len(kinds))
        return Dice(tuple((kind, self.chance.choice(VALUES[kind])) for kind in kinds))

    def check(self, match: Match) -> None:
        """Checks prompt, state, events and words of a match. Raises BrokenPromiseError."""
        self.check_prompt(match)
        with rule("to_json"):
            state = match.state()
        self.check_state(state)
        self.check_events(match.events)
        promised_json(match.prompt.to_json(), "its prompt")
        with rule("the state"):
            hash(match.current)
        with rule("words"):
            self.check_words(match, state)

    def check_prompt(self, match: Match) -> None:
        prompt = match.prompt
        match prompt:
            case OverPrompt(winners=winners):
                promised(winners, "it is over without winners")
                in_order = tuple(seat for seat in self.seats if seat in winners)
                promised(winners == in_order, "its winners are not seats in seat order")
            case ActPrompt(actions=actions):
                promised(actions, "it asks for an action and offers none")
                promised(all(map(is_offer, actions)), "it offers an action of no known kind")
                types = {offer.type for offer in actions}
                promised(len(types) == len(actions), "it offers two actions of one type")
                for offer in actions:
                    check_offer(offer)
            case ThrowPrompt(count=count, dice=dice):
                most = prompt.most if isinstance(prompt, AnyDicePrompt) else count
                promised(1 <= count <= most <= len(dice), "it wants more dice than may be thrown, or none")
            case RevealPrompt(dice=dice):
                with rule("cups"):
                    cups = sum(match.cups.values())
                promised(cups == len(dice), f"{cups} dice are under cups, and {len(dice)} to be revealed")
            case _:
                raise BrokenPromiseError("its prompt is of no known kind")
        if isinstance(prompt, ActPrompt | ThrowPrompt):
            promised(prompt.seat in self.seats, f"it asks {prompt.seat!r}, which is no seat")
        if isinstance(prompt, ThrowPrompt | RevealPrompt):
            are_known = all(kind in EVERY_KIND for kind in prompt.dice)
            promised(are_known and len(prompt.dice) >= 1, "it asks for a die of no known kind, or for none")
            by_kind = tuple(sorted(prompt.dice, key=EVERY_KIND.index))
            promised(prompt.dice == by_kind, "its dice are not in the order d4 to d100")
        if isinstance(prompt, RevealPrompt):
            promised(len(prompt.dice) <= MOST_DICE, f"it reveals more than {MOST_DICE} dice")

    def check_state(self, state: JsonObject) -> None:
        promised(isinstance(state, dict), "to_json gives no object")
        promised_json(state, "its public state")
        promised(state.get("game") == self.game.name, "`game` in its public state is not its name")
        seats = state.get("seats")
        named = isinstance(seats, list) and all(isinstance(seat, dict) for seat in seats)
        names = [seat.get("seat") for seat in seats] if isinstance(seats, list) and named else []
        promised(names == list(self.seats), "`seats` in its public state is not one object for each seat")
        if isinstance(seats, list) and type(state.get("pot")) is int:
            held = [seat.get("chips") for seat in seats]
            if all(type(chips) is int for chips in held):
                chips = sum(held) + state["pot"]
                promised(self.chips in (None, chips), f"{self.chips} chips became {chips}")
                self.chips = chips

    def check_events(self, events: Sequence[Event]) -> None:
        for event in events:
            promised(type(event.get("event")) is str, "an event has no `event`")
            promised_json(event, f"its event {event['event']}")
            if event["event"] == "cast":
                cast = event.get("seat") in self.seats and type(event.get("count")) is int
                promised(cast, "its event cast has no seat and count")

    def check_words(self, match: Match, state: JsonObject) -> None:
        """Everything that panel, phones and television say of the match."""
        words, prompt = self.game.words, match.prompt
        to_act = prompt.seat if isinstance(prompt, ActPrompt | ThrowPrompt) else None
        view = TableView(state, to_act, getattr(match.current, "options", None))
        stage = words.staged(view)
        promised(isinstance(stage, Stage), "its stage is no Stage")
        texts: list[object] = [*words.facts(state), stage.number, stage.caption]
        for label, chance in words.odds(view):
            texts += [label, chance]
        for seat in state["seats"]:
            texts += [words.score(state, seat), words.standing(state, seat)]
            texts.append(words.seat_stage(stage, state, seat).number)
        for event in match.events:
            texts += [words.event(event), words.moment(event)]
        for offer in prompt.actions if isinstance(prompt, ActPrompt) else ():
            texts += [words.action(offer), words.button(offer, state, view.seat(to_act)), *words.names(offer)]
        promised(all(type(text) is str for text in texts), "one of its words is no text")
        for kind, face in match.aside:
            promised(face in VALUES.get(kind, ()), "a die that it sets aside does not exist")
        counts = self.game.cups(match.current)
        promised(all(type(count) is int and count >= 0 for count in counts), "`cups` are not counts of dice")


def is_offer(offer: object) -> bool:
    return isinstance(offer, OFFERS)


def check_offer(offer: Offer) -> None:
    """Checks that an offer can be answered. Raises BrokenPromiseError."""
    promised(type(offer.type) is str and offer.type, "an action has no type")
    match offer:
        case BetOffer() | RecastOffer():
            promised(0 <= offer.min <= offer.max, f"{offer.type} offers no number")
        case BidOffer():
            promised(any(True for _ in offer.actions()), "bid offers no bid")
        case CallOffer(calls=values) | PickOffer(values=values):
            whole = all(type(value) is int for value in values)
            promised(values and whole, f"{offer.type} offers no whole number")
            promised(len(set(values)) == len(values), f"{offer.type} offers a number twice")


def promised_json(value: object, subject: str) -> None:
    """Raises BrokenPromiseError unless the value is JSON, with whole numbers only."""
    try:
        encode(value)
    except (TypeError, ValueError) as error:
        raise BrokenPromiseError(f"{subject} is not JSON: {error}") from None
    left = [value]
    counted = Counter[str]()
    while left:
        part = left.pop()
        if isinstance(part, dict):
            promised(all(type(key) is str for key in part), f"{subject} has a key that is no text")
            left.extend(part.values())
        elif isinstance(part, list | tuple):
            left.extend(part)
        elif isinstance(part, float):
            counted["float"] += 1
        elif type(part) is int:
            counted["beyond"] += abs(part) > GREATEST_WHOLE
    promised(not counted["float"], f"{subject} has a number that is not whole")
    promised(not counted["beyond"], f"{subject} has a number beyond 2^53")
