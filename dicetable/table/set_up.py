"""The steps that set up a game: which one, who plays, options, names; and the opening of it."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from types import MappingProxyType
from typing import Any, Final

from common import texts
from common.texts.plain import fold_name
from dicetable.config.games import HouseRules
from dicetable.config.sections import LONGEST_NAME
from dicetable.ledger.entries import Opened, Sitting
from dicetable.table import display
from dicetable.table.game_list import OfferedGame
from dicetable.table.keys import Key, Means
from dicetable.table.pages import Attract
from dicetable.table.screen import DEGRADED, THERE, YOURS, Choice, PhoneView, Screen, TableControl, Walk, lamp
from games.errors import BadOption, RuleError
from games.game import menu_options, read_options
from games.house import SLIPS, Strength
from games.match import Match
from games.registry import GAMES, find
from hardware.ports import PanelView

LARGEST_OPTION = 999
"""The largest number that can be set at the panel."""
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-"


@dataclass
class Draft:
    """A game that is being set up: the names by seat, and what differs from the game's own options.

    `chosen` are the house rules that were chosen; once their options are changed, it is another game.
    `house` are the seats at which the house plays, with its strength; they have names too. A `guided` game
    explains itself as it goes.
    """

    host: int
    game: str
    names: dict[int, str]
    options: dict[str, Any] = field(default_factory=dict)
    chosen: HouseRules | None = None
    house: dict[int, Strength] = field(default_factory=dict)
    guided: bool = False

    @property
    def house_rules(self) -> HouseRules | None:
        """The house rules by which it will be played."""
        return self.chosen if self.chosen is not None and self.chosen.govern(self.options) else None

    @property
    def offered(self) -> OfferedGame:
        return OfferedGame(self.game, self.house_rules)

    def seat_house(self, seat: int, strength: Strength | None) -> None:
        """Lets the house play at a seat where no person is, or no longer."""
        if strength is None:
            del self.names[seat], self.house[seat]
            return
        self.house[seat] = strength
        taken = {fold_name(name) for taken_seat, name in self.names.items() if taken_seat != seat}
        names = (texts.panel.house(number) for number in count(1))
        self.names[seat] = next(name for name in names if fold_name(name) not in taken)

    def seat_person(self, seat: int, name: str) -> None:
        """Lets a person play at a seat, in the place of the house if need be."""
        self.house.pop(seat, None)
        self.names[seat] = name


FIRST_GAME: Final[tuple[str, dict[str, Any]]] = ("ship_captain_crew", {"rounds": 1})
"""What people play who are here for the first time: a round of open throws and easy decisions."""


class SetUp(Screen):
    """A step of the set-up; `refusal` is why its last answer was not taken."""

    idle_s = 120.0

    def __init__(self, table: TableControl, draft: Draft) -> None:
        super().__init__(table)
        self.draft = draft
        self.refusal = ""

    @property
    def game(self) -> str:
        return self.draft.game

    def left_idle(self) -> None:
        self.table.show(Attract(self.table))

    @property
    def trouble(self) -> str:
        """Why the last answer was not taken, or what does not work; empty if all is well."""
        return self.refusal or (self.table.explained("journal") if "journal" in self.table.degraded else "")

    def four(self, lines: Sequence[str]) -> PanelView:
        """Shows four lines; trouble takes the place of all but the first."""
        lamps = {lamp(seat): THERE for seat in self.draft.names} | {lamp(self.draft.host): YOURS}
        if self.trouble:
            return self.lines([lines[0], *self.sentences(self.trouble, 3)], {**lamps, "table": DEGRADED})
        return self.lines(lines, lamps)


class HostStep(SetUp):
    """A step that belongs to the host, who walks, takes and goes back; keys of other seats do not count."""

    def __init__(self, table: TableControl, draft: Draft, walk: Walk[Any]) -> None:
        super().__init__(table, draft)
        self.walk = walk

    @property
    @abstractmethod
    def heading(self) -> str:
        """What the host chooses, at most fourteen characters."""

    @property
    def title(self) -> str:
        """The heading where there is room."""
        return self.heading

    @property
    def note(self) -> str:
        return ""

    @abstractmethod
    def take(self) -> None:
        """Takes the item that is shown."""

    @abstractmethod
    def back(self) -> None:
        """Goes a step back."""

    def label(self, item: Any) -> str:
        return str(item)

    def key(self, key: Key) -> None:
        if key.seat != self.draft.host:
            return
        self.refusal = ""
        if key.means is Means.STEP:
            self.walk.step(key.by)
        elif key.means is Means.BACK:
            self.back()
        else:
            self.take()

    def phone(self, seat: int) -> PhoneView:
        if seat != self.draft.host:
            return PhoneView(texts.phones.sets_up(self.table.name(self.draft.host)))
        return PhoneView(f"{self.title}\n{self.trouble}".strip(), [*self.buttons(), self.back_button(seat)])

    def buttons(self) -> Sequence[Choice]:
        return [
            Choice(self.label(item), partial(self.pick, place)) for place, item in enumerate(self.walk.items)
        ]

    def pick(self, place: int) -> None:
        self.refusal = ""
        self.walk.at = place
        self.take()

    def view(self) -> PanelView:
        label = display.choice(self.label(self.walk.current))
        return self.menu(*self.page(label, 1), *self.page(display.wrapped(self.note), 1))

    def menu(self, first: str, second: str) -> PanelView:
        """Shows these lines between the heading with its position and the hint about the keys."""
        return self.four([display.beside(self.heading, self.walk.position), first, second, self.keys_hint])


class ChooseGame(HostStep):
    """Asks the host for the game; those that the seats can't play come last."""

    heading = texts.panel.CHOOSE_GAME
    walk: Walk[OfferedGame]

    def __init__(self, table: TableControl, draft: Draft) -> None:
        offered = table.games.offered(len({*draft.names, *table.seated}))
        super().__init__(table, draft, Walk(offered, offered.index(draft.offered)))

    @property
    def game(self) -> str:
        return self.walk.current.game

    def label(self, item: OfferedGame) -> str:
        return item.title

    def take(self) -> None:
        offered = self.walk.current
        if offered.choice != self.draft.offered.choice:  # another game has other options
            options, rules = offered.options, offered.house_rules
            self.draft = replace(self.draft, game=offered.game, options=options, chosen=rules)
        self.table.show(WhoPlays(self.table, self.draft))

    def back(self) -> None:
        self.table.show(Attract(self.table))

    @property
    def fitting(self) -> list[bool]:
        """Whether the seats that are known can play each of the games."""
        seats = len({*self.draft.names, *self.table.seated})
        return [offered.fits(seats) for offered in self.walk.items]

    def buttons(self) -> Sequence[Choice]:
        return [
            Choice(offered.title, partial(self.pick, place), small=not fits, note="\n".join(offered.facts))
            for place, (offered, fits) in enumerate(zip(self.walk.items, self.fitting, strict=True))
        ]

    def view(self) -> PanelView:
        label = display.choice(self.walk.current.title)
        facts = [line for fact in self.walk.current.facts for line in display.wrapped(fact)]
        return self.menu(*self.page(label, 1), *self.page(facts, 1))


class WhoPlays(SetUp):
    """Everybody joins, and leaves again, by OK; − and + choose a name. The host's OK goes on.

    At a seat where no person is, − and + seat the house, by strength.
    """

    def key(self, key: Key) -> None:
        draft, seat = self.draft, key.seat
        self.refusal = ""
        if key.means is Means.STEP:
            if seat in draft.house or seat not in draft.names:
                strengths: list[Strength | None] = [None, *SLIPS]
                house = Walk(strengths, strengths.index(draft.house.get(seat)))
                house.step(key.by)
                draft.seat_house(seat, house.current)
            else:
                names = self.names_for(seat)
                walk = Walk(names, names.index(draft.names[seat]))
                walk.step(key.by)
                draft.names[seat] = walk.current
        elif seat == draft.host:
            rules = find(draft.game)
            if key.means is Means.BACK:
                self.table.show(ChooseGame(self.table, draft))
            elif rules.fewest_seats <= len(draft.names) <= rules.most_seats:
                self.table.show(OptionsMenu(self.table, draft))
            else:
                self.refusal = texts.panel.not_enough(rules.fewest_seats, rules.most_seats)
        elif seat in draft.names and seat not in draft.house:
            del draft.names[seat]
        elif key.means is Means.OK:
            draft.seat_person(seat, self.names_for(seat)[0])

    def phone(self, seat: int) -> PhoneView:
        draft = self.draft
        players = ", ".join(
            f"{name} ({texts.games.STRENGTHS[draft.house[other_seat]]})"
            if other_seat in draft.house
            else name
            for other_seat, name in sorted(draft.names.items())
        )
        offered = draft.offered
        text = "\n".join(
            filter(None, [f"{offered.title}: {offered.players}", offered.dice, players, self.trouble])
        )
        okay = self.keyed(seat, Means.OK)
        if seat not in draft.names or seat in draft.house:
            return PhoneView(text, [Choice(texts.phones.JOIN, okay)])
        names = [
            Choice(texts.phones.be(name), partial(draft.names.update, {seat: name}), small=True)
            for name in self.names_for(seat)
            if name not in (draft.names[seat], texts.panel.seat_name(seat))
        ]
        if seat == draft.host:
            go_on = Choice(texts.phones.GO_ON, okay)
            return PhoneView(text, [go_on, *self.of_house, *names, self.back_button(seat)])
        return PhoneView(text, [*names, Choice(texts.phones.NOT_ME, okay, small=True)])

    @property
    def of_house(self) -> list[Choice]:
        """The host's buttons for the house: one more seat, and for each that it has another strength."""
        draft, strengths = self.draft, list(SLIPS)
        free = [seat for seat in range(1, self.table.seats + 1) if seat not in draft.names]
        choices = []
        if free and len(draft.names) < find(draft.game).most_seats:
            add = partial(draft.seat_house, free[0], strengths[0])
            choices.append(Choice(texts.phones.ADD_HOUSE, add, small=True))
        for seat, strength in sorted(draft.house.items()):
            name = draft.names[seat]
            following = strengths[(strengths.index(strength) + 1) % len(strengths)]
            label = texts.phones.house_plays(name, texts.games.STRENGTHS[following])
            choices.append(Choice(label, partial(draft.seat_house, seat, following), small=True))
            away = partial(draft.seat_house, seat, None)
            choices.append(Choice(texts.phones.without_house(name), away, small=True))
        return choices

    def names_for(self, seat: int) -> list[str]:
        """The names that are free for a seat; first its own from before."""
        others = {fold_name(name) for taken_seat, name in self.draft.names.items() if taken_seat != seat}
        sat = self.table.state.roster.get(seat)
        before = None if sat is None or sat.name in self.table.state.house else sat
        default = dict(enumerate(self.table.names, 1)).get(seat) or texts.panel.seat_name(seat)
        called = self.table.called.get(seat, "")
        drafted = "" if seat in self.draft.house else self.draft.names.get(seat, "")
        own = [drafted, called, before.name if before else "", default]
        names = dict.fromkeys(name for name in [*own, *self.table.names] if name)
        return [name for name in names if fold_name(name) not in others] or [texts.panel.seat_name(seat)]

    def view(self) -> PanelView:
        rules = find(self.draft.game)
        draft = self.draft
        players = [
            f"{seat}:{name} {texts.games.STRENGTHS[draft.house[seat]]}"
            if seat in draft.house
            else f"{seat}:{name}"
            for seat, name in sorted(draft.names.items())
        ]
        return self.four(
            [
                texts.panel.WHO_PLAYS,
                *self.page(display.packed(players), 1),
                texts.panel.seats_needed(rules.fewest_seats, rules.most_seats, len(players)),
                *self.page([texts.panel.goes_on(draft.host), texts.panel.SEATS_HOUSE], 1),
            ]
        )


class OptionStep(HostStep):
    """A step below the game's title."""

    @property
    def heading(self) -> str:
        return self.draft.offered.heading

    @property
    def title(self) -> str:
        return self.draft.offered.title

    def value(self, option: str) -> Any:
        default = find(self.draft.game).options.__dataclass_fields__[option].default
        return self.draft.options.get(option, default)


class OptionsMenu(OptionStep):
    """START, the game's options, the names."""

    def __init__(self, table: TableControl, draft: Draft, item: str = "start") -> None:
        items = ["start", *menu_options(find(draft.game).options), "names"]
        super().__init__(table, draft, Walk(items, items.index(item)))

    def take(self) -> None:
        item = self.walk.current
        if item == "start":
            try:
                if open_draft(self.table, self.draft) and self.draft.guided:
                    self.table.guided = self.table.state.opened
            except RuleError as error:
                self.refusal = f"{str(error).capitalize()}."
        elif item == "names":
            self.table.show(ChooseSeat(self.table, self.draft))
        else:
            self.table.show(OptionValue(self.table, self.draft, item))

    def back(self) -> None:
        self.table.show(WhoPlays(self.table, self.draft))

    def label(self, item: str) -> str:
        fixed = {"start": texts.panel.START, "names": texts.panel.NAMES}
        return fixed.get(item) or texts.games.option(self.draft.game, item)

    @property
    def note(self) -> str:
        item = self.walk.current
        if item == "start":
            return self.title if self.title != self.heading else ""
        return "" if item == "names" else texts.panel.option_value(item, self.value(item))

    def buttons(self) -> Sequence[Choice]:
        """START, and each option with its value; names are typed on the phones themselves."""
        *options, _ = enumerate(self.walk.items)
        return [
            Choice(
                f"{self.label(item)}: {texts.panel.option_value(item, self.value(item))}"
                if place
                else self.label(item),
                partial(self.pick, place),
                small=place > 0,
            )
            for place, item in options
        ]


class OptionValue(OptionStep):
    """The value of one option."""

    def __init__(self, table: TableControl, draft: Draft, option: str) -> None:
        self.option = option
        field = find(draft.game).options.__dataclass_fields__[option]
        values: Sequence[Any] = suiting(
            draft, option, range(field.metadata.get("least", 1), LARGEST_OPTION + 1)
        )
        if option == "first":
            values = [None, *(draft.names[seat] for seat in sorted(draft.names))]
        elif field.default is None:
            values = [None, *values]
        now = draft.options.get(option, field.default)
        super().__init__(table, draft, Walk(values, values.index(now) if now in values else 0))
        self.name = texts.games.option(draft.game, option)

    def take(self) -> None:
        self.draft.options[self.option] = self.walk.current
        self.back()

    def back(self) -> None:
        self.table.show(OptionsMenu(self.table, self.draft, self.option))

    def label(self, item: Any) -> str:
        return texts.panel.option_value(self.option, item)

    def buttons(self) -> Sequence[Choice]:
        """All numbers at one button, and a button for each other value."""
        numbers = [(value,) for value in self.walk.items if type(value) is int]
        others = [
            button
            for button, value in zip(super().buttons(), self.walk.items, strict=True)
            if type(value) is not int
        ]
        if not numbers:
            return others
        now = (self.walk.current,)

        def take(value: int) -> None:
            self.pick(self.walk.items.index(value))

        return [Choice(self.name, take, numbers, numbers.index(now) if now in numbers else 0), *others]

    def view(self) -> PanelView:
        return self.menu(self.name, f"> {self.label(self.walk.current)}")


class ChooseSeat(HostStep):
    """Asks whose name to spell."""

    heading = texts.panel.NAMES

    def __init__(self, table: TableControl, draft: Draft) -> None:
        super().__init__(table, draft, Walk(sorted(draft.names.keys() - draft.house.keys())))

    def take(self) -> None:
        self.table.show(Spell(self.table, self.draft, self.walk.current))

    def back(self) -> None:
        self.table.show(OptionsMenu(self.table, self.draft, "names"))

    def label(self, item: int) -> str:
        return f"{item}: {self.draft.names[item]}"


class Spell(HostStep):
    """Spells a name, letter by letter; OK held erases the last letter, or goes back if there is none."""

    def __init__(self, table: TableControl, draft: Draft, seat: int) -> None:
        super().__init__(table, draft, Walk([*LETTERS, texts.panel.NAME_DONE]))
        self.seat = seat
        self.name = ""

    @property
    def heading(self) -> str:
        return texts.panel.name_of(self.seat)

    def take(self) -> None:
        others = {fold_name(name) for seat, name in self.draft.names.items() if seat != self.seat}
        if self.walk.current != texts.panel.NAME_DONE:
            self.name += self.walk.current
            if len(self.name) == LONGEST_NAME:
                self.walk.at = len(self.walk.items) - 1
        elif fold_name(self.name) in others:
            self.refusal = texts.panel.SAME_NAME
        else:
            self.draft.names[self.seat] = self.name or self.draft.names[self.seat]
            self.table.show(ChooseSeat(self.table, self.draft))

    def back(self) -> None:
        if not self.name:
            self.table.show(ChooseSeat(self.table, self.draft))
        self.name = self.name[:-1]

    def view(self) -> PanelView:
        full = len(self.name) >= LONGEST_NAME
        letter = "" if self.walk.current == texts.panel.NAME_DONE or full else self.walk.current
        return self.menu(f"> {self.name}{letter or f' {texts.panel.NAME_DONE}?'}", texts.panel.LETTER)


def suiting(draft: Draft, option: str, values: Sequence[int]) -> Sequence[int]:
    """The values of an option that suit the seats and the other options; all if none does."""
    seats, rules = tuple(draft.names[seat] for seat in sorted(draft.names)), find(draft.game).options

    def suits(value: int) -> bool:
        try:
            read_options(rules, {**draft.options, option: value}, seats)
        except RuleError:
            return False
        return True

    return [value for value in values if suits(value)] or values


def open_draft(table: TableControl, draft: Draft) -> bool:
    """Opens the game of a draft; False if that could not be saved.

    Raises:
        RuleError: as `open_game` does.
    """
    names, chosen = draft.names, draft.options
    options = {name: chosen[name] for name in chosen if name != "first" or chosen[name] in names.values()}
    return open_game(table, draft.game, names, options, draft.house_rules, draft.house)


def open_game(
    table: TableControl,
    game: str,
    names: Mapping[int, str],
    options: Mapping[str, Any],
    house_rules: HouseRules | None = None,
    house: Mapping[int, Strength] = MappingProxyType({}),
) -> bool:
    """Opens a game for the names at these seats of the panel; False if that could not be saved.

    The options are those of the `house_rules`, if they have a name. `house` are those of the seats at which
    the house plays.

    Raises:
        RuleError: seats and options do not suit the game, two names look alike, or no person plays.
    """
    panel_seats = tuple(sorted(names))
    seats = tuple(names[seat] for seat in panel_seats)
    if len(set(map(fold_name, seats))) < len(seats):
        raise BadOption("two seats have names that look alike")
    if not names.keys() - house.keys():
        raise BadOption("the house needs a player who throws for it")
    opening = Match.new(game, seats, options, seed=table.draw_seed()).opening
    opened = Opened(game, seats, dict(options), opening.seed, opening.draws, panel_seats, table.in_tray())
    return table.write(
        replace(
            opened,
            frames_by="gateway" if table.filmed_by_phone else None,
            house=tuple(sorted(house.items())),
            house_rules=house_rules.name if house_rules else None,
        )
    )


def draft_for(table: TableControl, host: int) -> Draft:
    """The first offer: the last game, with the players who have not left and those who want to join."""
    state = table.state
    stay = (Sitting.PLAYS, Sitting.JOINS_NEXT)
    names = {
        seat: sat.name if sat.name in state.house else table.called.get(seat, sat.name)
        for seat, sat in state.roster.items()
        if seat <= table.seats and (sat.how in stay or seat == host)
    }
    first = table.games.offered(len({*names, host} | table.seated))[0]
    game, options, chosen = first.game, first.options, first.house_rules
    if state.opened is not None and state.opened.game in GAMES:
        game, options = state.opened.game, dict(state.opened.options)
        chosen = table.games.named(game, state.opened.house_rules)
        if chosen is not None and not chosen.govern(options):  # the house changed them
            options = dict(chosen.options)
    house = dict(state.opened.house) if state.opened is not None else {}
    stays = {seat: house[seat] for seat in names.keys() & house.keys()}
    draft = Draft(host, game, names, options, chosen, stays)
    if host in draft.house:
        draft.seat_person(host, WhoPlays(table, draft).names_for(host)[0])
    if host not in names:
        draft.names[host] = WhoPlays(table, draft).names_for(host)[0]
    return draft
