"""The steps that set up a game: which one, who plays, options, names; and the opening of it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from dicetable import texts
from dicetable.config.table import LONGEST_NAME
from dicetable.ledger.entries import Opened, Sitting
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screens.idle import Attract
from dicetable.table.screens.screen import DEGRADED, THERE, YOURS, Choice, PhoneView, Screen, Walk, lamp
from games.errors import RuleError
from games.match import Match
from games.options import read
from games.registry import GAMES, find

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dicetable.table.screens.screen import TableControl
    from hardware.ports import PanelView

LARGEST_OPTION = 999
"""The largest number that can be set at the panel."""
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-"


@dataclass
class Draft:
    """A game that is being set up: the names by seat, and what differs from the game's own options."""

    host: int
    game: str
    names: dict[int, str]
    options: dict[str, Any] = field(default_factory=dict)


class SetUp(Screen):
    """A step of the set-up."""

    idle_s = 120.0

    def __init__(self, table: TableControl, draft: Draft) -> None:
        super().__init__(table)
        self.draft = draft
        self.said = ""

    @property
    def game(self) -> str:
        """The game that is set up."""
        return self.draft.game

    def left_idle(self) -> None:
        """Nobody sets up anything any more."""
        self.table.show(Attract(self.table))

    @property
    def trouble(self) -> str:
        """Why the last answer was not taken, or what does not work; empty if all is well."""
        return self.said or (self.table.explained("journal") if "journal" in self.table.degraded else "")

    def four(self, lines: Sequence[str]) -> PanelView:
        """Three lines and a hint; a sentence takes the place of all but the first."""
        lamps = {lamp(seat): THERE for seat in self.draft.names} | {lamp(self.draft.host): YOURS}
        if self.trouble:
            return self.lines(
                [lines[0], *self.sentences(self.trouble, 3)],
                {**lamps, "table": DEGRADED},
            )
        return self.lines(lines, lamps)


class HostStep(SetUp):
    """A step that is the host's alone, who walks, takes and goes back; other seats' keys do not count."""

    def __init__(self, table: TableControl, draft: Draft, walk: Walk[Any]) -> None:
        super().__init__(table, draft)
        self.walk = walk

    def key(self, key: Key) -> None:
        """The host's − and + walk, OK takes, OK held goes back."""
        if key.seat != self.draft.host:
            return
        self.said = ""
        if key.means is Means.STEP:
            self.walk.step(key.by)
        elif key.means is Means.BACK:
            self.back()
        else:
            self.take()

    @property
    @abstractmethod
    def heading(self) -> str:
        """What the host chooses, at most fourteen characters."""

    @abstractmethod
    def label(self, item: Any) -> str:
        """An item of the walk for people."""

    def phone(self, seat: int) -> PhoneView:
        """A button for each item on the host's phone; the others see who chooses."""
        if seat != self.draft.host:
            return PhoneView(texts.phones.sets_up(self.table.name(self.draft.host)))
        return PhoneView(f"{self.heading}\n{self.trouble}".strip(), [*self.buttons(), self.back_button(seat)])

    def buttons(self) -> Sequence[Choice]:
        """The items as buttons."""
        return [Choice(self.label(item), partial(self.pick, at)) for at, item in enumerate(self.walk.items)]

    def back_button(self, seat: int) -> Choice:
        """The button that goes a step back."""
        return Choice(texts.menu.CLOSE, self.keyed(seat, Means.BACK), small=True)

    def pick(self, at: int) -> None:
        """Takes an item."""
        self.said = ""
        self.walk.at = at
        self.take()

    def menu(self, lines: Sequence[str]) -> PanelView:
        """The heading with where in the walk it is, and three lines."""
        return self.four([display.beside(self.heading, self.walk.position), *lines])

    @abstractmethod
    def take(self) -> None:
        """Takes where the walk stands."""

    @abstractmethod
    def back(self) -> None:
        """Goes a step back."""


class ChooseGame(HostStep):
    """Which game."""

    def __init__(self, table: TableControl, draft: Draft) -> None:
        names = list(GAMES)
        super().__init__(table, draft, Walk(names, names.index(draft.game)))

    @property
    def game(self) -> str:
        """The game that is shown."""
        return str(self.walk.current)

    def take(self) -> None:
        """On to who plays; another game has other options."""
        if self.walk.current != self.draft.game:
            self.draft = Draft(self.draft.host, self.walk.current, self.draft.names)
        self.table.show(WhoPlays(self.table, self.draft))

    def back(self) -> None:
        """Nothing is set up any more."""
        self.table.show(Attract(self.table))

    heading = texts.set_up.CHOOSE_GAME

    def label(self, item: str) -> str:
        """The game's title."""
        return texts.games.title(item)

    def view(self) -> PanelView:
        """The game, and for how many it is."""
        rules = find(self.walk.current)
        return self.menu(
            [
                f"> {self.label(self.walk.current)}",
                texts.set_up.players(rules.fewest_seats, rules.most_seats),
                self.keys_hint,
            ],
        )


class WhoPlays(SetUp):
    """Everybody joins, and leaves again, by OK; − and + choose a name. The host's OK goes on."""

    def key(self, key: Key) -> None:
        """Each seat speaks for itself."""
        draft, seat = self.draft, key.seat
        self.said = ""
        if key.means is Means.STEP:
            if seat in draft.names:
                names = self.names_for(seat)
                walk = Walk(names, names.index(draft.names[seat]))
                walk.step(key.by)
                draft.names[seat] = walk.current
        elif seat == draft.host:
            self.go_on(key)
        elif seat in draft.names:
            del draft.names[seat]
        elif key.means is Means.OK:
            draft.names[seat] = self.names_for(seat)[0]

    def phone(self, seat: int) -> PhoneView:
        """Who is in; a seat joins, leaves and takes one of the names, and the host goes on."""
        draft, rules = self.draft, find(self.draft.game)
        there = ", ".join(name for _, name in sorted(draft.names.items()))
        needed = texts.set_up.players(rules.fewest_seats, rules.most_seats)
        text = "\n".join(filter(None, [f"{texts.games.title(draft.game)}: {needed}", there, self.trouble]))
        okay = self.keyed(seat, Means.OK)
        if seat not in draft.names:
            return PhoneView(text, [Choice(texts.phones.JOIN, okay)])
        names = [
            Choice(texts.phones.be(name), partial(draft.names.update, {seat: name}), small=True)
            for name in self.names_for(seat)
            if name not in (draft.names[seat], texts.set_up.seat_name(seat))
        ]
        if seat == draft.host:
            go_on = Choice(texts.phones.GO_ON, okay)
            return PhoneView(
                text, [go_on, *names, Choice(texts.menu.CLOSE, self.keyed(seat, Means.BACK), small=True)]
            )
        return PhoneView(text, [*names, Choice(texts.phones.NOT_ME, okay, small=True)])

    def go_on(self, key: Key) -> None:
        """The host goes back, or on if there are seats enough."""
        if key.means is Means.BACK:
            self.table.show(ChooseGame(self.table, self.draft))
            return
        rules = find(self.draft.game)
        if rules.fewest_seats <= len(self.draft.names) <= rules.most_seats:
            self.table.show(OptionsMenu(self.table, self.draft))
        else:
            self.said = texts.set_up.not_enough(rules.fewest_seats, rules.most_seats)

    def names_for(self, seat: int) -> list[str]:
        """The names that are free for a seat; first its own from before."""
        others = {name for other, name in self.draft.names.items() if other != seat}
        before = self.table.state.roster.get(seat)
        given = dict(enumerate(self.table.names, 1)).get(seat) or texts.set_up.seat_name(seat)
        called = self.table.called.get(seat, "")
        own = [self.draft.names.get(seat, ""), called, before.name if before else "", given]
        names = dict.fromkeys(name for name in [*own, *self.table.names] if name)
        return [name for name in names if name not in others] or [texts.set_up.seat_name(seat)]

    def view(self) -> PanelView:
        """Who is there."""
        rules = find(self.draft.game)
        there = [f"{seat}:{name}" for seat, name in sorted(self.draft.names.items())]
        return self.four(
            [
                texts.set_up.WHO_PLAYS,
                *self.page(display.packed(there), 1),
                texts.set_up.seats_needed(rules.fewest_seats, rules.most_seats, len(there)),
                texts.set_up.goes_on(self.draft.host),
            ]
        )


class OptionsMenu(HostStep):
    """START, the game's options, the names."""

    def __init__(self, table: TableControl, draft: Draft, at: str = "start") -> None:
        items = ["start", *find(draft.game).options.__dataclass_fields__, "names"]
        super().__init__(table, draft, Walk(items, items.index(at)))

    def take(self) -> None:
        """Starts, or goes on to the option or the names."""
        item = self.walk.current
        if item == "start":
            self.start()
        elif item == "names":
            self.table.show(ChooseSeat(self.table, self.draft))
        else:
            self.table.show(OptionValue(self.table, self.draft, item))

    def back(self) -> None:
        """Back to who plays."""
        self.table.show(WhoPlays(self.table, self.draft))

    def start(self) -> None:
        """Opens the game, if the options suit each other."""
        names = self.draft.names
        options = {
            name: value
            for name, value in self.draft.options.items()
            if name != "first" or value in names.values()
        }
        try:
            open_game(self.table, self.draft.game, names, options)
        except RuleError as error:
            self.said = f"{str(error).capitalize()}."

    @property
    def heading(self) -> str:
        """The game."""
        return texts.games.title(self.draft.game)

    def label(self, item: str) -> str:
        """The item without its value."""
        fixed = {"start": texts.set_up.START, "names": texts.set_up.NAMES}
        return fixed.get(item) or texts.games.option(self.draft.game, item)

    def buttons(self) -> Sequence[Choice]:
        """START, and each option with its value; names are typed on the phones themselves."""
        said = {
            item: self.label(item) if item == "start" else f"{self.label(item)}: {self.said_value(item)}"
            for item in self.walk.items
            if item != "names"
        }
        items = self.walk.items
        return [
            Choice(label, partial(self.pick, items.index(item)), small=item != "start")
            for item, label in said.items()
        ]

    def view(self) -> PanelView:
        """The item, with its value."""
        item = self.walk.current
        value = "" if item in ("start", "names") else self.said_value(item)
        return self.menu([f"> {self.label(item)}", value, self.keys_hint])

    def said_value(self, option: str) -> str:
        """The value that the option has now, for people."""
        return texts.set_up.option_value(option, self.value(option))

    def value(self, option: str) -> Any:
        """The value that the option has now."""
        default = find(self.draft.game).options.__dataclass_fields__[option].default
        return self.draft.options.get(option, default)


class OptionValue(HostStep):
    """The value of one option."""

    def __init__(self, table: TableControl, draft: Draft, option: str) -> None:
        self.option = option
        its = find(draft.game).options.__dataclass_fields__[option]
        values: Sequence[Any] = suiting(
            draft, option, range(its.metadata.get("least", 1), LARGEST_OPTION + 1)
        )
        if option == "first":
            values = [None, *(draft.names[seat] for seat in sorted(draft.names))]
        elif its.default is None:
            values = [None, *values]
        now = draft.options.get(option, its.default)
        super().__init__(table, draft, Walk(values, values.index(now) if now in values else 0))

    def take(self) -> None:
        """The option has this value."""
        self.draft.options[self.option] = self.walk.current
        self.back()

    def back(self) -> None:
        """Back to the options; the value is as it was."""
        self.table.show(OptionsMenu(self.table, self.draft, self.option))

    @property
    def heading(self) -> str:
        """The game."""
        return texts.games.title(self.draft.game)

    @property
    def name(self) -> str:
        """The option for people."""
        return texts.games.option(self.draft.game, self.option)

    def label(self, item: Any) -> str:
        """The value for people."""
        return texts.set_up.option_value(self.option, item)

    def buttons(self) -> Sequence[Choice]:
        """All numbers at one button, and a button for each other value."""
        numbers = [(value,) for value in self.walk.items if type(value) is int]
        others = [
            each
            for each, value in zip(super().buttons(), self.walk.items, strict=True)
            if type(value) is not int
        ]
        return [*([Choice(self.name, self.set_to, numbers, self.at(numbers))] if numbers else []), *others]

    def at(self, numbers: Sequence[tuple[int, ...]]) -> int:
        """Which of the numbers the option has now."""
        now = (self.walk.current,)
        return numbers.index(now) if now in numbers else 0

    def set_to(self, value: int) -> None:
        """The option has this number."""
        self.pick(self.walk.items.index(value))

    def view(self) -> PanelView:
        """The option and the value."""
        return self.menu([self.name, f"> {self.label(self.walk.current)}", self.keys_hint])


class ChooseSeat(HostStep):
    """Whose name to spell."""

    def __init__(self, table: TableControl, draft: Draft) -> None:
        super().__init__(table, draft, Walk(sorted(draft.names)))

    def take(self) -> None:
        """On to the name of this seat."""
        self.table.show(Spell(self.table, self.draft, self.walk.current))

    def back(self) -> None:
        """Back to the options."""
        self.table.show(OptionsMenu(self.table, self.draft, "names"))

    heading = texts.set_up.NAMES

    def label(self, item: int) -> str:
        """The seat and its name."""
        return f"{item}: {self.draft.names[item]}"

    def view(self) -> PanelView:
        """The seat and its name."""
        return self.menu([f"> {self.label(self.walk.current)}", "", self.keys_hint])


class Spell(HostStep):
    """A name, letter by letter, by the host; OK held erases the last letter."""

    def __init__(self, table: TableControl, draft: Draft, seat: int) -> None:
        super().__init__(table, draft, Walk([*LETTERS, texts.set_up.NAME_DONE]))
        self.seat = seat
        self.name = ""

    def take(self) -> None:
        """Takes a letter, or the end."""
        if self.walk.current != texts.set_up.NAME_DONE:
            self.name += self.walk.current
            if len(self.name) == LONGEST_NAME:
                self.walk.at = len(self.walk.items) - 1
        else:
            self.done()

    def back(self) -> None:
        """Erases the last letter; back to the seats if there is none."""
        if not self.name:
            self.leave()
        self.name = self.name[:-1]

    def done(self) -> None:
        """Takes the name, unless it is none or somebody else's."""
        if not self.name:
            self.leave()
        elif self.name in (name for seat, name in self.draft.names.items() if seat != self.seat):
            self.said = texts.set_up.SAME_NAME
        else:
            self.draft.names[self.seat] = self.name
            self.leave()

    def leave(self) -> None:
        """Back to the seats."""
        self.table.show(ChooseSeat(self.table, self.draft))

    @property
    def heading(self) -> str:
        """Whose name it is."""
        return texts.set_up.name_of(self.seat)

    def label(self, item: str) -> str:
        """The letter."""
        return item

    def view(self) -> PanelView:
        """What there is of the name, and the letter."""
        full = len(self.name) >= LONGEST_NAME
        letter = "" if self.walk.current == texts.set_up.NAME_DONE or full else self.walk.current
        return self.menu(
            [
                f"> {self.name}{letter or f' {texts.set_up.NAME_DONE}?'}",
                texts.set_up.LETTER,
                self.keys_hint,
            ],
        )


def suiting(draft: Draft, option: str, values: Sequence[int]) -> Sequence[int]:
    """The values of an option that suit the seats and the other options; all if none does."""
    seats, rules = tuple(draft.names[seat] for seat in sorted(draft.names)), find(draft.game).options

    def suits(value: int) -> bool:
        try:
            read(rules, {**draft.options, option: value}, seats)
        except RuleError:
            return False
        return True

    return [value for value in values if suits(value)] or values


def open_game(table: TableControl, game: str, names: Mapping[int, str], options: Mapping[str, Any]) -> bool:
    """Opens a game for the names at these seats of the panel; False if that could not be saved.

    Raises:
        RuleError: seats and options do not suit the game.
    """
    panel_seats = tuple(sorted(names))
    seats = tuple(names[seat] for seat in panel_seats)
    opening = Match.new(game, seats, options, seed=table.draw_seed()).opening
    return table.write(
        Opened(game, seats, dict(options), opening.seed, opening.draws, panel_seats, table.in_tray())
    )


def draft_for(table: TableControl, host: int) -> Draft:
    """What is offered first: the last game, with whoever has not left it and whoever wants to join."""
    state = table.state
    stay = (Sitting.PLAYS, Sitting.JOINS_NEXT)
    names = {
        seat: sat.name
        for seat, sat in state.roster.items()
        if seat <= table.seats and (sat.how in stay or seat == host)
    }
    game, options = next(iter(GAMES)), {}
    if state.opened is not None and state.opened.game in GAMES:
        game, options = state.opened.game, dict(state.opened.options)
    draft = Draft(host, game, names, options)
    if host not in names:
        draft.names[host] = WhoPlays(table, draft).names_for(host)[0]
    return draft
