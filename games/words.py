"""The names of a game and its parts, in lines for a display of twenty characters.

A game brings its own `Words`; where it defines none, words are derived from the names in the rules.

    Words(title="Pig", events={"pig": lambda e: f"{e['seat']} rolled a 1"})

They are English, unless a program gives a catalogue with `use` before it loads a game. The stage is what
decides the game now, as data that a television draws large; without one of the game's own it is made of the
scores.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from gettext import NullTranslations
from typing import Any

from games.dice import Die
from games.prompts import BidOffer, Offer, PickOffer
from games.requests import JsonObject

NUMBER = re.compile(r"\d+(?:\+\d+)?")
MANY = 10
"""Most d6 that are written one by one; more are written as counts per face."""

Odds = tuple[str, str]
"""Something that may come, and its chance or mean in words."""

catalogue = NullTranslations()


def use(translations: NullTranslations) -> None:
    """Looks up all words of games loaded from now on in this catalogue."""
    global catalogue
    catalogue = translations


def tr(text: str) -> str:
    """The text in the language of this process."""
    return catalogue.gettext(text)


def ntr(singular: str, plural: str, count: int) -> str:
    """The text for this count, in the language of this process."""
    return catalogue.ngettext(singular, plural, count)


@dataclass(frozen=True, slots=True)
class TableView:
    """The material for a stage: the public state, the seat that is `to_act`, the match's options.

    `shown` are the dice that seats have shown so far, while a reveal goes on.
    """

    state: JsonObject
    to_act: str | None
    options: Any
    shown: tuple[Die, ...] = ()

    def seat(self, name: str | None) -> JsonObject:
        """The part of a seat in the public state; empty if there is none."""
        parts: list[JsonObject] = self.state.get("seats", [])
        return next((part for part in parts if part["seat"] == name), {})


@dataclass(frozen=True, slots=True)
class SeatStage:
    """One seat on the stage: its number, at most seven characters, and the open dice that made it.

    `out`: it is out of the current hand. `note`: a word on its acts in the hand; its standing if None.
    """

    number: str
    dice: tuple[Die, ...] = ()
    out: bool = False
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """What decides the game now.

    Attributes:
        number: the deciding number, at most seven characters; may be empty.
        caption: what it is, at most twenty characters.
        dice: the dice beside it.
        slots: places for dice; those without one are drawn empty.
        tokens: how many tokens lie beside the dice, and `token` what one is.
        beside: smaller numbers, each with its caption.
        tiles: a row of numbered tiles, each with whether it stands open.
        owner: the seat whose number it is; empty if it is the whole table's.
        seats: by name; a seat that is not named shows its score.
    """

    number: str = ""
    caption: str = ""
    dice: tuple[Die, ...] = ()
    slots: int = 0
    tokens: int = 0
    token: str = ""
    beside: tuple[tuple[str, str], ...] = ()
    tiles: tuple[tuple[int, bool], ...] = ()
    owner: str = ""
    seats: Mapping[str, SeatStage] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Count:
    """Dice that are counted before everyone: which of them count, what for, and whose claim it is."""

    dice: tuple[Die, ...]
    counts: tuple[bool, ...]
    of: str
    seat: str


def figure(number: int, caption: str) -> tuple[str, str]:
    """A deciding number and its caption; nothing is no number to show large."""
    return (str(number), caption) if number else ("", tr("nothing yet"))


def parted(score: str) -> tuple[str, str]:
    """A score as its number and the rest: `12 chips` becomes `12` and `chips`."""
    number = NUMBER.search(score)
    if number is None:
        return "", score
    return number[0], " ".join((score[: number.start()] + score[number.end() :]).split())


def amount(score: str) -> int:
    """What a score comes to: 12 for `12 chips`, 147 for `117+30`, 0 without a number."""
    return sum(map(int, (parted(score)[0] or "0").split("+")))


def spoken(name: str) -> str:
    """`bow_out` as `Bow out`."""
    return name.replace("_", " ").capitalize()


def titled(name: str) -> str:
    """`six_by_6` as `Six By 6`."""
    return " ".join(word.capitalize() for word in name.split("_"))


def dice_count(count: int) -> str:
    """`one die`, `6 dice`."""
    return ntr("one die", "{count} dice", count).format(count=count)


def points(count: int) -> str:
    """`1 point`, `12 points`."""
    return ntr("{count} point", "{count} points", count).format(count=count)


def die(kind: str, value: object) -> str:
    """One die: `4` if it is a d6, otherwise `d20:17`."""
    return str(value) if kind == "d6" else f"{kind}:{value}"


def dice_sign(count: int, face: int) -> str:
    """A number of d6 that show a face, as letters for a moment: `4×⚅`. Pages draw the sign as a die."""
    return f"{count}×{chr(0x267F + face)}"


def pot_sign(event: JsonObject) -> str:
    """A pot and its chips, as letters for a moment."""
    return tr("POT +{chips}").format(**event)


def chips_of(chips: int) -> str:
    return ntr("{chips} chip", "{chips} chips", chips).format(chips=chips)


def count_of(count: int, face: int) -> str:
    """A number of dice that show a face, in words: `4 threes`."""
    named = (
        ntr("{count} one", "{count} ones", count),
        ntr("{count} two", "{count} twos", count),
        ntr("{count} three", "{count} threes", count),
        ntr("{count} four", "{count} fours", count),
        ntr("{count} five", "{count} fives", count),
        ntr("{count} six", "{count} sixes", count),
    )
    return named[face - 1].format(count=count)


def dice(dice: Sequence[Die]) -> str:
    """Dice such as `6 6 1 1 2 3`, `d6:3 d12:7`, or `9 ones, 2 twos` if there are many."""
    if any(kind != "d6" for kind, _ in dice):
        return " ".join(f"{kind}:{face}" for kind, face in dice)
    return values([face for _, face in dice])


def values(faces: Sequence[int]) -> str:
    """The values of dice, such as `6 6 1 1 2 3`, or `9 ones, 2 twos` if there are many."""
    if len(faces) <= MANY:
        return " ".join(map(str, faces))
    return ", ".join(count_of(faces.count(face), face) for face in sorted(set(faces)))


def percent(chance: float | Fraction) -> str:
    """A chance for people: never 0 % or 100 % unless it is. A float counts as certain within its rounding."""
    value = float(chance) * 100
    nearest = chance * 100 if isinstance(chance, Fraction) else round(value, 9)
    if nearest in (0, 100):
        return f"{value:.0f} %"
    if value < 0.1 or value > 99.9:
        return "< 0.1 %" if value < 1 else "> 99.9 %"
    return f"{value:.1f} %"


def selection(value: int) -> str:
    """The digits of a number apart, as in `5 1 1`; `none` for 0."""
    return " ".join(str(value)) if value else tr("none")


def pairs(fields: Mapping[str, object], leave_out: Iterable[str]) -> list[str]:
    """`key value` of each field that is a number or a text, including fields of nested objects."""
    parts: list[str] = []
    for key, value in fields.items():
        if isinstance(value, dict):
            parts += pairs(value, leave_out)
        elif key not in leave_out and isinstance(value, int | str) and not isinstance(value, bool):
            parts.append(f"{key.replace('_', ' ')} {value}")
    return parts


def any_facts(state: JsonObject) -> Sequence[str]:
    return pairs(state, ("game", "seat"))


def any_score(_state: JsonObject, seat: JsonObject) -> str:
    numbers = [(key, value) for key, value in seat.items() if type(value) is int]
    return f"{numbers[0][1]} {numbers[0][0].replace('_', ' ')}" if numbers else ""


def nothing(_state: JsonObject, _seat: JsonObject) -> str:
    return ""


def no_odds(_view: TableView) -> Sequence[Odds]:
    return []


def any_event(event: JsonObject) -> str:
    seat = f"{event['seat']}: " if "seat" in event else ""
    return seat + ", ".join([event["event"].replace("_", " "), *pairs(event, ("event", "seat"))])


@dataclass(frozen=True, slots=True)
class Words:
    """A game's own words; all of them are optional.

    Attributes:
        title: at most 14 characters.
        pitch: a short sentence that makes people want to play, for a poster.
        poster: a few dice that stand for the game, at most six.
        rules: the rules in short, in sentences of at most three lines of twenty characters.
        actions: by type, at most 15 characters. Those that only need a capital letter need not be listed.
        picks: by type, what a value of a `PickOffer` is called, at most 15 characters; its number if none.
        buttons: by type, what a phone's button says, from the public state and the seat's part of it; without
            one it says the same as the panel.
        asks: by the type of the first action, the question that a phone asks, from the same arguments.
        gives_up: the types of actions that give up: a phone shows them apart.
        options: by name, at most 16 characters.
        events: by name, a line or a short sentence for each event.
        facts: the pieces of the public state that players want to see, at most twenty characters each.
        score: a seat's score, from the public state and the seat's part of it, at most 10 characters.
        standing: what the seat has in the current hand or turn, from the same arguments; may be empty.
        odds: the exact chances of what may come next, the most telling first, from what everyone can see.
        stage: what decides the game now, for a television; without it the stage is made of the scores.
        moments: by name, the few large letters of an event that own a television for a moment; may be empty.
        recalls: by name, an event whose letters need the newest decision of a kind, and the letters of both.
        counted: by name, an event that counts dice for the newest decision of a kind, and the count from
            the event, the seat that decided and the decision.
        best: the letters of the best that can happen in the game.
        more_is_better: the more the dice of a throw add up to, the better it is for the thrower.
    """

    title: str = ""
    pitch: str = ""
    poster: tuple[Die, ...] = ()
    rules: Sequence[str] = ()
    actions: Mapping[str, str] = field(default_factory=dict)
    picks: Mapping[str, Callable[[int], str]] = field(default_factory=dict)
    buttons: Mapping[str, Callable[[JsonObject, JsonObject], str]] = field(default_factory=dict)
    asks: Mapping[str, Callable[[JsonObject, JsonObject], str]] = field(default_factory=dict)
    gives_up: Collection[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    events: Mapping[str, Callable[[JsonObject], str]] = field(default_factory=dict)
    facts: Callable[[JsonObject], Sequence[str]] = any_facts
    score: Callable[[JsonObject, JsonObject], str] = any_score
    standing: Callable[[JsonObject, JsonObject], str] = nothing
    odds: Callable[[TableView], Sequence[Odds]] = no_odds
    stage: Callable[[TableView], Stage] | None = None
    moments: Mapping[str, Callable[[JsonObject], str]] = field(default_factory=dict)
    recalls: Mapping[str, tuple[str, Callable[[JsonObject, JsonObject], str]]] = field(default_factory=dict)
    counted: Mapping[str, tuple[str, Callable[[JsonObject, str, JsonObject], Count]]] = field(
        default_factory=dict
    )
    best: Collection[str] = ()
    more_is_better: bool = False

    def event(self, event: JsonObject) -> str:
        return self.events.get(event["event"], any_event)(event)

    def staged(self, view: TableView) -> Stage:
        """The game's own stage, or else the score of the seat whose turn it is."""
        if self.stage is not None:
            return self.stage(view)
        if view.to_act is None:
            return Stage()
        number, caption = parted(self.score(view.state, view.seat(view.to_act)))
        shown = figure(0, caption) if number == "0" else (number, caption)
        return Stage(*shown, owner=view.to_act)

    def seat_stage(self, stage: Stage, state: JsonObject, seat: JsonObject) -> SeatStage:
        """A seat on the stage; its score if the stage says nothing of it."""
        return stage.seats.get(seat.get("seat", "")) or SeatStage(parted(self.score(state, seat))[0])

    def count(self, event: JsonObject, log: Sequence[JsonObject]) -> Count | None:
        """The dice that the event counts; None if it counts none. `log` is that of the match."""
        kind, counted = self.counted.get(event["event"], ("", None))
        acts = (record for record in reversed(log) if record["op"] == "act")
        decided = next((record for record in acts if record["action"]["type"] == kind), None)
        return counted(event, decided["seat"], decided["action"]) if counted and decided else None

    def moment(self, event: JsonObject, log: Sequence[JsonObject] = ()) -> str:
        """The large letters of an event; empty for an event without a moment. `log` is that of the match."""
        kind, letters = self.recalls.get(event["event"], ("", None))
        actions = (record["action"] for record in reversed(log) if record["op"] == "act")
        action = next((action for action in actions if action["type"] == kind), None)
        if letters is not None and action is not None:
            return letters(event, action)
        if event["event"] in self.moments:
            return self.moments[event["event"]](event)
        if event.get("rack") is True:
            return tr("RACK!")
        return tr("BUST!") if event["event"] == "bust" else ""

    def option(self, name: str) -> str:
        return self.options.get(name) or spoken(name)

    def button(self, offer: Offer, state: JsonObject, seat: JsonObject) -> str:
        """The label of a phone's button for an action, without its numbers."""
        if offer.type in self.buttons:
            return self.buttons[offer.type](state, seat)
        return self.actions.get(offer.type) or spoken(offer.type)

    def question(self, offer: Offer, state: JsonObject, seat: JsonObject) -> str:
        """What a phone asks if this is the first of the actions."""
        return self.asks[offer.type](state, seat) if offer.type in self.asks else tr("What do you do?")

    def names(self, offer: Offer) -> list[str]:
        """What the values of an offer are called, in their order; empty if its numbers say enough."""
        if not isinstance(offer, PickOffer) or offer.type not in self.picks:
            return []
        return [self.picks[offer.type](value) for value in offer.values]

    def action(self, offer: Offer, values: Sequence[int] = ()) -> str:
        """An action with the numbers chosen so far, such as `Bet...`, `Bid 3...` or `Bid 3 fives`."""
        name = self.actions.get(offer.type) or spoken(offer.type)
        if not offer.fields:
            return name
        if not values:
            return f"{name}..."
        if offer.type in self.picks:
            return f"{name} {self.picks[offer.type](values[0])}"
        if isinstance(offer, BidOffer):
            return f"{name} {count_of(*values) if len(values) > 1 else f'{values[0]}...'}"
        return f"{name} {' '.join(map(str, values))}"


PLAIN_WORDS = Words()
"""The words of a game that defines none."""
