"""Simulated people around the table: they see what real ones see, think, throw and press buttons."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from common import texts
from dicetable.config.games import HouseRules
from dicetable.simulated.cheats import Cheats
from dicetable.simulated.hands import Finger, Hands
from dicetable.simulated.judge import Honest, reading_of
from dicetable.table.confirm_throw import ConfirmReading, OfThrow
from dicetable.table.dice_entry import DiceForm
from dicetable.table.game_list import OfferedGame
from dicetable.table.play import Play, numbers
from dicetable.table.set_up import ChooseGame
from dicetable.table.table import Table
from dicetable.table.table_menu import TableMenu
from dicetable.table.table_state import Awaited, TableState
from games.dice import Die, Kind
from games.game import Player, PlayerView, menu_options
from games.house import House
from games.match import Match
from games.prompts import ActPrompt, OverPrompt, ThrowPrompt
from games.registry import find
from games.requests import JsonObject
from hardware.simulated.die import Lying

TRIES = 3
"""After this number of throws that were not accepted, the dice are entered by hand."""
PATIENCE_S = 2.5
"""How long people wait for a throw that lies still to be accepted."""
MOST_LEFT = 6
"""The most dice that a throw leaves lying."""
KNOWN_BY = 15
"""How many characters of a panel's line identify a sentence."""


@dataclass
class WantedGame:
    """The game that people want: its seats by name, after how many rounds they end it, and house rules.

    The house plays at the last `house` of the seats.
    """

    game: str
    seats: tuple[str, ...]
    rounds: int | None = None
    house_rules: HouseRules | None = None
    house: int = 0


@dataclass
class Attempt:
    """What people did so far about the dice that are due; `key` identifies these dice.

    `aside` are the numbers of the dice that counted as they lay when it began; a die thrown since is never
    one of them, whatever it shows.
    """

    key: tuple[int, int] = (-1, -1)
    throws: int = 0
    waits_until_s: float | None = None
    dice: list[Die] = field(default_factory=list)
    aside: frozenset[int] | None = None


class Deciders:
    """People who only decide, by the panel's menu; call `step` whenever time has gone by."""

    def __init__(self, table: Table, finger: Finger, players: Mapping[str, Player]) -> None:
        self.table = table
        self.finger = finger
        self.players = players
        self.match: Match | None = None
        self.action: JsonObject | None = None

    def step(self, now_s: float) -> None:
        state = self.table.state
        if state.match is not self.match:
            self.follow(state.match)
        if now_s >= self.finger.free_s and state.match and isinstance(state.match.prompt, ActPrompt):
            self.decide(state, state.match.prompt)

    def follow(self, match: Match | None) -> None:
        """Follows the game to its next state."""
        self.match, self.action = match, None

    def faces(self, seat: str) -> tuple[int, ...]:  # noqa: ARG002 - no seat has a cup here
        return ()

    def player(self, seat: str) -> Player:
        return self.players[seat]

    def view(self, match: Match, seat: str) -> PlayerView:
        return PlayerView(match.game, seat, match.prompt, match.current, self.faces(seat))

    def in_menu(self, seat: int, item: str) -> None:
        """Presses once towards an item of the table's menu."""
        finger = self.finger
        screen = self.table.screen
        if isinstance(screen, TableMenu) and not screen.owner:
            finger.tap(seat, "plus")
        elif isinstance(screen, TableMenu):
            finger.toward(seat, list(texts.panel.MENU_ITEMS.values()), item)
        else:
            finger.tap(0, "menu")

    def decide(self, state: TableState, prompt: ActPrompt) -> None:
        match, seat = state.match, state.panel_seats[prompt.seat]
        if match is None or prompt.seat in state.house:
            return
        if self.action is None:
            self.action = self.player(prompt.seat).act(self.view(match, prompt.seat))
        kind = self.action["type"]
        offer = next(offer for offer in prompt.actions if offer.type == kind)
        words = match.rules.words
        labels = [words.action(offered) for offered in prompt.actions]
        if self.finger.toward(seat, labels, words.action(offer)):
            return
        chosen: list[int] = []
        for name in offer.fields:
            labels = [words.action(offer, [*chosen, n]) for n in numbers(offer, chosen)]
            chosen.append(self.action[name])
            if self.finger.toward(seat, labels, words.action(offer, chosen)):
                return
        if self.finger.choice:
            self.finger.hold(seat, "ok")


class People(Deciders):
    """People who set up one game and play it; call `step` whenever time has gone by."""

    def __init__(
        self,
        table: Table,
        hands: Hands,
        finger: Finger,
        wanted: WantedGame,
        players: Mapping[str, Player],
        cheats: Cheats | None = None,
    ) -> None:
        super().__init__(table, finger, players)
        self.hands = hands
        self.wanted = wanted
        self.attempt = Attempt()
        self.cheats = cheats
        self.honest = Honest(hands)

    def step(self, now_s: float) -> None:
        super().step(now_s)
        match = self.table.state.match
        if now_s < self.finger.free_s:
            return
        screen = self.table.screen
        if isinstance(screen, OfThrow):
            self.answer(screen)
        elif match is None:
            self.set_up()
        elif self.had_enough(match):
            self.end()
        elif not isinstance(match.prompt, ActPrompt | OverPrompt):
            self.bring_dice(self.table.state, now_s)

    def follow(self, match: Match | None) -> None:
        """Moves the cups as the game's last events say."""
        super().follow(match)
        if match is None:
            return
        if match.revision == 0:
            self.hands.cups.clear()
        for event in match.events:
            if event["event"] in ("revealed", "concede"):
                self.hands.cups.clear()
            elif event["event"] == "cast":
                seat, count = event["seat"], event["count"]
                again = count < len(self.faces(seat))
                self.hands.cast(
                    seat, count, self.player(seat).keep(self.view(match, seat), count) if again else ()
                )
            elif event["event"] == "accept":
                self.hands.pass_cup(event["seat"])

    def player(self, seat: str) -> Player:
        """The player at the seat of this name, even if lost presses gave it another name."""
        if seat in self.players:
            return self.players[seat]
        if (strength := self.table.state.house.get(seat)) is not None:
            return House(strength)
        return self.players[self.wanted.seats[self.table.state.panel_seats[seat] - 1]]

    def faces(self, seat: str) -> tuple[int, ...]:
        return self.hands.faces(seat)

    # Between games.

    def set_up(self) -> None:
        """Presses once towards the wanted game, and back from the names, where a lost press may lead."""
        finger = self.finger
        wanted = OfferedGame(self.wanted.game, self.wanted.house_rules)
        if finger.under(texts.panel.CHOOSE_GAME) and isinstance(step := self.table.base, ChooseGame):
            away = step.walk.items.index(wanted) - step.walk.at
            finger.tap(1, "plus" if away > 0 else "minus" if away else "ok")
        elif finger.under(texts.panel.WHO_PLAYS):
            absent = [
                seat
                for seat in range(1, len(self.wanted.seats) + 1)
                if f"seat{seat}" not in finger.view.lamps
            ]
            seat = absent[0] if absent else 1
            finger.tap(seat, "plus" if seat > len(self.wanted.seats) - self.wanted.house else "ok")
        elif finger.under(wanted.heading):
            self.options()
        elif finger.under(texts.panel.NAMES, *map(texts.panel.name_of, range(1, self.table.seats + 1))):
            finger.hold(1, "ok")
        else:
            finger.tap(1, "ok")

    def options(self) -> None:
        """Presses once to set the number of rounds, then to start."""
        finger = self.finger
        option = find(self.wanted.game).limit if self.wanted.rounds else None
        if option is not None and finger.reads(1, texts.games.option(self.wanted.game, option)):
            default = find(self.wanted.game).options.__dataclass_fields__[option].default
            values = [*([texts.panel.NO_LIMIT] if default is None else []), *map(str, range(1, 1000))]
            finger.toward(1, values, str(self.wanted.rounds))
            return
        fields = menu_options(find(self.wanted.game).options)
        labels = [
            texts.panel.START,
            *(texts.games.option(self.wanted.game, name) for name in fields),
            texts.panel.NAMES,
        ]
        next_item = texts.panel.START
        if option is not None:
            draft = getattr(self.table.base, "draft", None)
            if draft is None or draft.options.get(option) != self.wanted.rounds:
                next_item = texts.games.option(self.wanted.game, option)
        finger.toward(1, labels, next_item)

    # In a game.

    def had_enough(self, match: Match) -> bool:
        """Whether a game without a limit of its own has lasted as long as people want."""
        if self.wanted.rounds is None or match.rules.limit is not None:
            return False
        return int(match.state().get("round", 0)) > self.wanted.rounds

    def end(self) -> None:
        """Ends the game by the table's menu: the first seat asks for it, the second confirms."""
        if self.finger.reads(1, texts.panel.END_GAME):
            self.finger.tap(2, "ok")
        else:
            self.in_menu(1, texts.panel.MENU_ITEMS["end"])

    def bring_dice(self, state: TableState, now_s: float) -> None:
        """Throws or reveals the dice of the prompt, again if need be, and at last enters them by hand."""
        match, awaited = state.match, state.awaited
        if match is None or awaited is None:
            return
        key = (match.revision, len(state.shown))
        if self.attempt.key != key:
            self.attempt = Attempt(key)
        attempt = self.attempt
        if attempt.waits_until_s is not None and now_s < attempt.waits_until_s:
            return
        if self.cheats_on(attempt, now_s) or self.asked_for_consent():
            return
        fit = not Counter(kind for kind, _ in attempt.dice) - Counter(awaited.kinds)
        complete = fit and len(attempt.dice) == awaited.counts[-1] and all(face for _, face in attempt.dice)
        at_it = self.finger.under(texts.panel.BY_HAND, texts.panel.IS_IT_RIGHT)
        if (at_it and fit) or (complete and attempt.throws >= TRIES):
            self.by_hand(state)
            return
        crowded = self.crowded(state)
        if crowded:
            self.hands.clear(() if self.told_to_clear else self.aside(awaited))
        elif isinstance(match.prompt, ThrowPrompt):
            picked = self.player(match.prompt.seat).pick(self.view(match, match.prompt.seat), match.prompt)
            if self.throw(picked, self.aside(awaited), first=not attempt.throws):
                attempt.throws += 1
                return
            attempt.dice = [(die.kind, die.value or 0) for die in self.hands.thrown]
        elif attempt.throws:
            self.push()
        else:
            self.reveal(state)
        attempt.throws += not crowded
        attempt.waits_until_s = None if self.cheating else self.hands.world.settled_at_s + PATIENCE_S

    def aside(self, awaited: Awaited) -> list[Lying]:
        """The dice in the tray that count as they lie."""
        attempt = self.attempt
        if attempt.aside is None:
            attempt.aside = frozenset(lying.die.number for lying in self.hands.aside(awaited.aside))
        return [lying for lying in self.hands.world.lying if lying.die.number in attempt.aside]

    @property
    def cheating(self) -> bool:
        return self.cheats is not None and self.cheats.steps is not None

    def cheats_on(self, attempt: Attempt, now_s: float) -> bool:
        """Does the next step of a cheat, if one is at work."""
        if self.cheats is None or self.cheats.steps is None:
            return False
        until_s = self.cheats.goes_on()
        if until_s is None:
            self.cheats.steps = None
        attempt.waits_until_s = now_s + PATIENCE_S if until_s is None else until_s
        return True

    def asked_for_consent(self) -> bool:
        """Lets another seat agree to a new throw, if the table asks for that."""
        screen = self.table.screen
        witnesses = screen.witnesses if isinstance(screen, Play) else []
        if witnesses:
            self.finger.tap(witnesses[0], "ok")
        return bool(witnesses)

    def throw(self, kinds: Sequence[Kind], aside: Sequence[Lying], *, first: bool) -> bool:
        """Throws these dice, or begins to cheat at the first try: True if so."""
        if self.cheats is not None:
            if first and self.cheats.begins(kinds, aside):
                return True
            self.cheats.ends()
        self.hands.throw(kinds, aside)
        self.honest.begins()
        return False

    def answer(self, screen: OfThrow) -> None:
        """Refuses what a cheat led to; vouches for an honest throw, or confirms its values."""
        if self.cheats is not None and self.cheats.at_work:
            self.finger.hold(screen.answering[0], "ok")
        elif isinstance(screen, ConfirmReading):
            self.confirm(screen)
        else:
            self.finger.tap(screen.answering[0], "ok")

    def confirm(self, screen: ConfirmReading) -> None:
        """Has the thrower correct the value, then another seat accept it."""
        world, reading = self.hands.world, [screen.die.reading]
        values = [die.value for die in world.lying if reading_of(world, die, reading) is not None]
        if not values or values[0] is None:
            self.finger.hold(screen.thrower, "ok")
        elif screen.die.value != values[0]:
            self.finger.tap(screen.thrower, "plus")
        else:
            self.finger.tap(screen.answering[0], "ok")

    def crowded(self, state: TableState) -> bool:
        """Whether the tray holds dice that are neither thrown again nor count as they lie."""
        awaited, world = state.awaited, self.hands.world
        if awaited is None or awaited.reveal:
            return False
        others = len(world.lying) - len(self.aside(awaited))
        if self.told_to_clear:
            return bool(world.lying)
        alike = len(set(awaited.kinds)) == 1
        return others > 0 and not (alike and others == awaited.counts[0])

    @property
    def told_to_clear(self) -> bool:
        """Whether the panel asks people to take out dice that they had set aside."""
        left = [texts.throws.void(texts.throws.left_lying(count), count) for count in range(1, MOST_LEFT + 1)]
        requests = [texts.throws.old_die_moved(reveal=False), *left]
        return any(self.finger.reads(1, text[:KNOWN_BY]) for text in requests)

    def push(self) -> None:
        if self.cheats is not None:
            self.cheats.ends()
        self.hands.push()

    def reveal(self, state: TableState) -> None:
        """Lifts the cup of the seat that is asked, or begins to cheat."""
        seat = state.to_act or ""
        if seat not in self.hands.cups:
            self.hands.pass_cup(seat)
        if self.cheats is not None and self.cheats.lifts(self.hands.cups[seat]):
            self.hands.thrown = list(self.hands.world.lying)
        else:
            self.hands.show(seat)
        self.attempt.dice = [
            ("d6", face)
            for owner in self.hands.cups
            if owner not in state.shown
            for face in self.hands.faces(owner)
        ]

    def by_hand(self, state: TableState) -> None:
        """Has the seat that is asked enter the dice, and the next one confirm."""
        awaited, finger = state.awaited, self.finger
        seat = state.panel_seats[state.hands(state.to_act or "")]
        if awaited is None:
            return
        if finger.under(texts.panel.IS_IT_RIGHT):
            finger.tap(seat % self.table.seats + 1, "ok")
        elif not finger.under(texts.panel.BY_HAND):
            self.in_menu(seat, texts.panel.MENU_ITEMS["by_hand"])
        else:
            form = DiceForm(awaited.kinds, awaited.counts[-1])
            for choice in form.encoded(self.attempt.dice):
                field = form.field
                if field is None:
                    break
                if finger.reads(1, field.label):
                    finger.toward(seat, field.choices, field.choices[choice])
                    return
                form.chosen.append(choice)
            finger.hold(seat, "ok")  # back: another kind was taken by mistake
