"""A game in progress: whom it waits for, and the menu of a decision."""

from collections.abc import Sequence
from functools import partial

from common import texts
from dicetable.config.sections import LONGEST_NAME
from dicetable.ledger.entries import Decided, Sat, Sitting
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screen import (
    ABSENT,
    CONFIRM,
    DEGRADED,
    YOURS,
    Choice,
    PhoneView,
    Screen,
    TableControl,
    Walk,
    lamp,
)
from dicetable.table.table_state import decided_by_house
from games.keeping import KEEP
from games.match import Match
from games.prompts import (
    ActPrompt,
    AnyDicePrompt,
    BetOffer,
    BidOffer,
    CallOffer,
    Offer,
    PickOffer,
    RecastOffer,
    RevealPrompt,
    ThrowPrompt,
)
from games.requests import JsonObject
from games.words import Words
from hardware.ports import PanelView

DECIDES_S = 2.0
"""How long the table waits before it decides for the house, or a seat that sits out: people must follow."""
CASTS_S = 8.0
"""How long the table waits before it decides for the house once its dice have to be cast under a cup.

Shorter: the house calls before its dice have been cast. Longer: the evening drags.
"""
FAILED_S = 5.0
"""How long the panel says that something could not be saved; then people may try again."""
ALARM_S = 2.0
"""How long a hand or another hindrance may last before the panel names it: every throw begins with a hand."""


def numbers(offer: Offer, chosen: Sequence[int]) -> Sequence[int]:
    """What the next number of an action may be, after those that are chosen."""
    if isinstance(offer, BetOffer | RecastOffer):
        return range(offer.min, offer.max + 1)
    if isinstance(offer, CallOffer):
        return offer.calls
    if isinstance(offer, PickOffer):
        return offer.values
    if isinstance(offer, BidOffer):
        if not chosen:
            return range(offer.min[0], offer.max[0] + 1)
        return [face for face in range(2, 7) if offer.allows(chosen[0], face)]
    raise TypeError(f"{offer} takes no numbers")


def all_numbers(offer: Offer) -> list[tuple[int, ...]]:
    """Every legal choice of an action's numbers, ascending; empty if it takes none."""
    return [tuple(action[field] for field in offer.fields) for action in offer.actions() if offer.fields]


def action_of(offer: Offer, chosen: Sequence[int]) -> JsonObject:
    return {"type": offer.type, **dict(zip(offer.fields, chosen, strict=True))}


def for_the_away(prompt: ActPrompt, first: Sequence[str]) -> JsonObject:
    """The table's action for a seat that sits out, with the smallest numbers.

    It is the first of these that is offered, or else the first offer.
    """
    offers = {offer.type: offer for offer in prompt.actions}
    offer = next((offers[kind] for kind in first if kind in offers), prompt.actions[0])
    chosen: list[int] = []
    for _ in offer.fields:
        chosen.append(numbers(offer, chosen)[0])
    return action_of(offer, chosen)


class ActionMenu:
    """The menu of a decision: first the kinds of action, then the numbers of the one that is chosen."""

    def __init__(self, prompt: ActPrompt, words: Words) -> None:
        self.words = words
        self.offers: Walk[Offer] = Walk(prompt.actions)
        self.chosen: list[int] = []
        self.number: Walk[int] | None = None
        if len(prompt.actions) == 1:
            self.enter()

    def enter(self) -> None:
        """Goes on to the next number of the action, if it takes one more."""
        offer = self.offers.current
        more = len(self.chosen) < len(offer.fields)
        self.number = Walk(numbers(offer, self.chosen)) if more else None

    @property
    def walk(self) -> Walk[int] | Walk[Offer]:
        """The numbers or the actions, among which one is shown."""
        return self.number or self.offers

    def take(self) -> JsonObject | None:
        """Takes what is shown; returns the whole action once nothing is left to choose."""
        if self.number is not None:
            self.chosen.append(self.number.current)
        self.enter()
        return None if self.number else action_of(self.offers.current, self.chosen)

    def back(self) -> None:
        if self.chosen:
            last = self.chosen.pop()
            choices = numbers(self.offers.current, self.chosen)
            self.number = Walk(choices, choices.index(last))
        elif len(self.offers.items) > 1:
            self.number = None

    @property
    def inside(self) -> bool:
        return bool(self.chosen) or (self.number is not None and len(self.offers.items) > 1)

    @property
    def label(self) -> str:
        offer = self.offers.current
        values = [*self.chosen, *([] if self.number is None else [self.number.current])]
        return self.words.action(offer, values)


class Play(Screen):
    """The game at one prompt; a new one is made for each."""

    def __init__(self, table: TableControl, match: Match) -> None:
        super().__init__(table)
        self.match = match
        self.menu = (
            ActionMenu(match.prompt, match.rules.words) if isinstance(match.prompt, ActPrompt) else None
        )

    @property
    def game(self) -> str:
        return self.match.game

    def key(self, key: Key) -> None:
        table = self.table
        sat = table.state.roster.get(key.seat)
        if key.means is Means.OK and sat is not None and sat.how is Sitting.SITS_OUT:
            table.write(Sat(sat.panel_seat, sat.name, Sitting.PLAYS))
        elif key.means is Means.OK and key.seat in self.witnesses:
            table.acceptance.consent()
            table.sentence = ""
            table.begin_question()
        elif self.menu is not None and key.seat == self.person_asked:
            self.decide(self.menu, key)

    @property
    def person_asked(self) -> int | None:
        """The seat of the panel that is to act; None while the house is."""
        state = self.table.state
        return None if state.to_act in state.house else state.panel_seats.get(state.to_act or "")

    def decide(self, menu: ActionMenu, key: Key) -> None:
        if key.means is Means.STEP:
            menu.walk.step(key.by)
            return
        self.table.begin_question()
        if key.means is Means.BACK:
            menu.back()
            return
        action, seat = menu.take(), self.table.state.to_act
        if action is not None and seat is not None and not self.table.write(Decided(seat, action)):
            menu.back()

    def phone(self, seat: int) -> PhoneView:
        table = self.table
        sat = table.state.roster.get(seat)
        okay = self.keyed(seat, Means.OK)
        if sat is not None and sat.how is Sitting.SITS_OUT:
            return PhoneView(texts.phones.SITTING_OUT, [Choice(texts.phones.COME_BACK, okay)])
        if seat in self.witnesses:
            return PhoneView(texts.phones.HAND_OVER_DICE, [Choice(texts.phones.THROW_AGAIN, okay)])
        to_act, prompt = table.state.to_act, self.match.prompt
        if isinstance(prompt, ActPrompt) and to_act and seat == self.person_asked:
            state, words = self.match.state(), self.match.rules.words
            own = display.part_of(state, to_act)
            return PhoneView(
                words.question(prompt.actions[0], state, own),
                [
                    Choice(
                        words.button(offer, state, own),
                        partial(self.take, offer),
                        all_numbers(offer),
                        faces=offer.fields[-1:] == ("face",),
                        dice=offer.type == KEEP,
                        digits=isinstance(offer, CallOffer),
                        gives_up=offer.type in words.gives_up,
                        names=words.names(offer),
                    )
                    for offer in prompt.actions
                ],
            )
        return PhoneView()

    def take(self, offer: Offer, *numbers: int) -> None:
        """Takes up an offer for the seat that is asked."""
        seat = self.table.state.to_act
        self.table.begin_question()
        if seat is not None:
            self.table.write(Decided(seat, action_of(offer, numbers)))

    @property
    def witnesses(self) -> list[int]:
        """The seats whose OK allows a new throw after a hand came over the dice; empty if none did."""
        if not self.table.acceptance.needs_consent or self.table.state.awaited is None:
            return []
        thrower, others = self.table.thrower_and_witnesses()
        return others or [thrower]

    def tick(self) -> None:
        """Decides for the house and for seats that sit out; one that misses its call then sits out."""
        super().tick()
        table = self.table
        seat = table.state.to_act
        missing = table.missed_call()
        if missing is not None:
            sat = table.state.roster.get(missing)
            if sat is not None and sat.how is Sitting.PLAYS:
                table.write(Sat(sat.panel_seat, sat.name, Sitting.SITS_OUT))
        elif (
            isinstance(self.match.prompt, ActPrompt)
            and seat is not None
            and not self.everybody_away
            and table.now_s >= table.question_s + self.pause_s
            and (action := self.of_table(self.match.prompt)) is not None
        ):
            table.begin_question()
            table.write(Decided(seat, action, by_table=True))

    @property
    def pause_s(self) -> float:
        """How long the table waits before it decides."""
        events, house = self.match.events, self.table.state.house
        cast = any(event["event"] == "cast" and event["seat"] in house for event in events)
        return CASTS_S if cast and self.table.state.to_act in house else DECIDES_S

    def of_table(self, prompt: ActPrompt) -> JsonObject | None:
        """What the table decides for the seat that is asked; None where a person does."""
        state = self.table.state
        if (strength := state.house.get(prompt.seat)) is not None:
            return decided_by_house(self.match, prompt, strength)
        return for_the_away(prompt, self.match.rules.away) if state.away(prompt.seat) else None

    @property
    def everybody_away(self) -> bool:
        """Whether all people are away: then the game waits instead of playing itself."""
        state = self.table.state
        return all(state.away(seat) for seat in self.match.seats if seat not in state.house)

    def view(self) -> PanelView:
        table = self.table
        prompt = self.match.prompt
        seat = table.state.to_act
        if seat is None:
            return self.lines([self.match.rules.title], {})
        away, house = table.state.away(seat), seat in table.state.house
        decides = table.state.awaited is None
        whose = seat if decides else table.state.hands(seat)
        lamps = {lamp(table.state.panel_seats[whose]): ABSENT if away or (house and decides) else YOURS}
        if why := self.wrong():
            return self.lines(
                [self.panel_headline(seat), *self.sentences(why, 3)],
                {**lamps, "table": DEGRADED, **{lamp(seat): CONFIRM for seat in self.witnesses}},
            )
        facts = display.packed([*self.of_cup, *display.facts(self.match, seat)])
        if isinstance(prompt, AnyDicePrompt) and not prompt.needed:
            todo, hint = texts.games.ROLL_ANY_DICE, ""
        elif isinstance(prompt, ThrowPrompt):
            todo = texts.games.throw_line(prompt.count, for_somebody=away)
            if house:
                todo = texts.games.throw_in_short(whose[:LONGEST_NAME], prompt.count)
            due = table.state.awaited.kinds if table.state.awaited else prompt.dice
            if len(set(prompt.dice)) > 1:
                facts = [" ".join(due), *facts]
            hint = ""
        elif isinstance(prompt, RevealPrompt):
            counts = table.state.awaited.counts if table.state.awaited else (0,)
            todo = texts.games.show_line(counts[0])
            facts = [texts.games.still_to_show(counts[1]), *facts] if len(counts) > 1 else facts
            hint = ""
        else:
            todo, hint = texts.games.house_acts(seat) if house else texts.games.THINKS, ""
            if self.menu is not None and not house:
                todo = todo if away else f"> {self.menu.label}"
                back = [texts.games.GO_BACK] if self.menu.inside else []
                hint = self.page([texts.games.take(self.menu.walk.position), *back], 1)[0]
        return self.lines(
            [
                display.beside(seat, display.score(self.match, seat)),
                todo,
                *self.page(facts, 1),
                table.news or (texts.health.EYE["moving"] if table.rolling and table.state.awaited else hint),
            ],
            lamps,
        )

    @property
    def of_cup(self) -> list[str]:
        """The line on who handles the house's cup, and that no one may look under it; empty without one."""
        cup = self.table.state.cup_of_house
        if cup is None:
            return []
        return [texts.games.cup_of_house(self.table.state.hands(cup))]

    def headline(self, seat: str) -> str:
        state, prompt = self.table.state, self.match.prompt
        awaited, house, hands = state.awaited, seat in state.house, state.hands(seat)
        if awaited is None:
            return texts.games.house_acts(seat) if house else texts.games.to_act(seat)
        if isinstance(prompt, AnyDicePrompt):
            return texts.games.to_roll(hands)
        if isinstance(prompt, RevealPrompt):
            count = awaited.counts[0]
            return texts.games.lift_for_house(hands, count) if house else texts.games.to_reveal(seat, count)
        if not house:
            return texts.games.to_throw(seat, awaited.counts[0])
        picked = isinstance(prompt, ThrowPrompt) and len(set(prompt.dice)) > 1
        return texts.games.throw_for_house(hands, awaited.counts[0], awaited.kinds if picked else ())

    def panel_headline(self, seat: str) -> str:
        """The headline in twenty characters."""
        awaited, name = self.table.state.awaited, self.table.state.hands(seat)[:LONGEST_NAME]
        if awaited is None:
            return display.fitting(self.headline(seat), texts.games.turn_of(name))
        if isinstance(self.match.prompt, AnyDicePrompt):
            return display.fitting(self.headline(seat), texts.games.turn_of(name))
        return display.fitting(self.headline(seat), texts.games.throw_in_short(name, awaited.counts[0]))

    def wrong(self) -> str:
        table = self.table
        if "journal" in table.degraded and table.now_s < table.failed_s + FAILED_S:
            return table.explained("journal")
        if self.everybody_away:
            return texts.games.EVERYBODY_AWAY
        if table.state.awaited is None:
            return table.sentence
        if "camera" in table.degraded:
            return table.explained("camera")
        lasts = table.now_s >= table.hindered_s + ALARM_S
        return (table.hindrance if lasts else "") or table.sentence
