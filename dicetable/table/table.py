"""The table as one machine: presses, messages of the eye and time come in, the panel's view comes out.

It has no input or output of its own. Whatever changes the game is in the journal before it counts.
"""

from collections.abc import Callable, Iterable, Sequence

from common import texts
from common.texts.plain import fold_name
from dicetable.eye.messages import Blind, EyeMessage, Retraction
from dicetable.ledger.entries import Corrected, Entry, Journal, Opened
from dicetable.table import display
from dicetable.table.acceptance import NeedsConfirmation
from dicetable.table.confirm_throw import ConfirmReading, OfThrow, Vouch
from dicetable.table.fairness import Fairness
from dicetable.table.game_list import GameList
from dicetable.table.game_over import GameOver
from dicetable.table.keys import Key, Keys, Means
from dicetable.table.pages import Attract, Safe, go_on_without, missing_players
from dicetable.table.play import Play
from dicetable.table.screen import Choice, OwnScreen, PhoneView, Screen, TableControl, coloured
from dicetable.table.set_up import FIRST_GAME, ChooseGame, SetUp, WhoPlays, draft_for
from dicetable.table.table_menu import Paused, TableMenu
from dicetable.table.table_state import TableState, fold
from games.prompts import OverPrompt
from games.registry import FAIRNESS, GAMES
from hardware.ports import SEATS, Degraded, PanelView, Press
from vision.reading import Reason, Settled


class Table(TableControl):
    """The table from power-on to the winners.

    Feed it `press`, `eye`, `tick` and `report` in the order of time; then show `view`. It asks to be
    switched off by `off_requested`. All times are in seconds on the one clock that all parts share.

    Args:
        journal: where entries go before they count.
        draw_seed: gives a fresh seed for each game.
        entries: what the journal holds from before, at least from the last `Opened` on.
        safe: do not go on with the old game until a person chooses to.
        seats: how many seats the panel has.
        names: of the seats in order; seats can also choose among them.
        strict: dice that a hand set down make a throw void, and another seat vouches for dice that were not
            seen to roll.
        games: those to choose from; without house rules if it is left out.

    `oks` counts the OKs of all seats, also those that answer nothing: one ends a moment on a screen.
    """

    def __init__(
        self,
        journal: Journal,
        draw_seed: Callable[[], int],
        *,
        entries: Iterable[Entry] = (),
        safe: bool = False,
        seats: int = SEATS,
        names: Sequence[str] = (),
        strict: bool = False,
        games: GameList | None = None,
    ) -> None:
        games = GameList() if games is None else games
        super().__init__(journal, draw_seed, seats=seats, names=names, strict=strict, games=games)
        self.keys = Keys()
        self.oks = 0
        self.notices = display.Notices()
        self.base = Attract(self)
        self.begin(list(entries), safe=safe)

    def begin(self, entries: Sequence[Entry], *, safe: bool) -> None:
        """Comes back to where the entries end, or says why not."""
        seed = None
        for entry in entries:  # the eye may not know yet what was corrected before the table started
            if isinstance(entry, Opened):
                seed = entry.seed
            elif isinstance(entry, Corrected) and seed is not None:
                self.lessons.append(Retraction(seed, entry.revision))
        state, damage = fold(entries) if not safe else (TableState(), "")
        if safe:
            self.base = Safe(self, texts.health.SAFE_TEXT, lambda: self.begin(entries, safe=False))
        elif damage:
            self.state = TableState(opened=state.opened, roster=state.roster)
            last = next((entry.game for entry in reversed(entries) if isinstance(entry, Opened)), "")
            gone = last and last != FAIRNESS.name and last not in GAMES
            why = texts.own_games.gone(texts.games.title(last)) if gone else texts.health.DAMAGED
            self.base = Safe(self, why, None)
        elif missing_players(state, self.seats):
            go_on_without(self, state)
        else:
            self.go_on(state)
        self.begin_question()

    # What comes in.

    def advance(self, time_s: float) -> None:
        """Time goes by; what a table that has just started asks, it asks from its first moment on."""
        if not self.now_s:
            self.question_s = time_s
        self.now_s = max(self.now_s, time_s)

    def press(self, press: Press) -> None:
        self.advance(press.time_s)
        for key in self.keys.press(press):
            self.key(key)

    def eye(self, message: EyeMessage) -> None:
        self.advance(message.time_s)
        self.hindrance, self.unsettled = "", None
        if isinstance(message, Blind):
            self.acceptance.blind()
            self.degraded["camera"] = message.degraded
            return
        self.degraded.pop("camera", None)
        if isinstance(message, Settled):
            self.carry_out(self.acceptance.settled(message, self.now_s))
            if message.covered:
                self.sentence = self.sentence or texts.health.COVERED[message.covered]
            return
        self.sentence = ""
        self.acceptance.unsettled()
        self.unsettled = message.reason
        if message.reason is Reason.CAMERA_MOVED:
            self.acceptance.lose_sight()
        if message.reason is not Reason.MOVING:
            self.hindrance = texts.health.EYE[message.reason]
            self.hindered_s = self.now_s

    def report(self, part: str, degraded: Degraded | None) -> None:
        """A part (`panel`, `camera`, `journal` or another) stops working, or works again; may be repeated."""
        if degraded == self.degraded.get(part):
            return
        if degraded is None:
            self.degraded.pop(part, None)
        else:
            self.degraded[part] = degraded
        if part == "panel":
            self.keys.let_go()
            self.begin_question()
            self.interrupt()

    def tick(self, now_s: float) -> None:
        """Time goes by; to be called at least ten times a second while anything moves."""
        self.advance(now_s)
        for key in self.keys.tick(self.now_s):
            self.key(key)
        self.carry_out(self.acceptance.tick(self.now_s))
        if not self.off_requested:
            self.screen.tick()
            self.tick_own()

    def tick_own(self) -> None:
        """Closes what a seat has left open on its phone."""
        for own in list(self.own.values()):
            idle_s = own.screen.idle_s
            if idle_s is not None and self.now_s - own.since_s >= idle_s:
                self.close(own.screen)

    # What goes out.

    @property
    def view(self) -> PanelView:
        if self.off_requested:
            return display.view(texts.panel.GOOD_NIGHT, {})
        return self.notices.over(coloured(self.screen.view(), self.colours), self.now_s)

    @property
    def paused_by(self) -> str:
        """The player who paused the game; empty if no player did."""
        seats = [screen.owner for screen in self.above if isinstance(screen, Paused) and screen.owner]
        return self.name(seats[0]) if seats else ""

    @property
    def throw_under_way(self) -> bool:
        """Whether the dice that are awaited may be rolling, perhaps below a hand."""
        return self.unsettled in (Reason.MOVING, Reason.HAND) and self.state.awaited is not None

    def called_or_name(self, seat: int) -> str:
        """The name of a seat from the next game on."""
        return self.called.get(seat) or self.name(seat)

    def call_seat(self, seat: int, name: str) -> bool:
        """Calls the player at a seat by a name from the next game on; False if another has one like it."""
        draft = self.base.draft.names if isinstance(self.base, SetUp) else {}
        others = {other_seat: self.called_or_name(other_seat) for other_seat in range(1, self.seats + 1)}
        names = [*others.items(), *draft.items()]
        taken = [other_name for other_seat, other_name in names if other_seat != seat]
        if fold_name(name) in map(fold_name, taken):
            return False
        self.called[seat] = name
        if seat in draft:
            draft[seat] = name
        return True

    def forget_seat(self, seat: int) -> None:
        """Gives a seat its usual name again from the next game on, and lets others take its colour."""
        self.called.pop(seat, None)
        self.coloured.discard(seat)

    def colour_seat(self, seat: int, colour: int) -> None:
        """Gives a seat a colour; the seat that had it gets this one's."""
        holder = next(owner for owner, its_colour in self.colours.items() if its_colour == colour)
        self.colours[holder], self.colours[seat] = self.colours[seat], colour
        self.coloured.add(seat)

    # Keys and screens.

    @property
    def screen(self) -> Screen:
        return self.above[-1] if self.above else self.base

    def key(self, key: Key) -> None:
        """Takes a key, unless it was pressed before the question that it would answer was asked."""
        if self.off_requested or key.seat > self.seats:
            return
        self.touched_by(key.seat)
        self.oks += key.means is Means.OK
        if key.down_s < self.question_s or (key.means is Means.OK and key.burst_s < self.question_s):
            return
        if key.means is not Means.MENU:
            self.screen.key(key)
        elif self.over_the_game:
            self.close(self.over_the_game[0])
        else:
            self.open(TableMenu(self))

    def touched_by(self, seat: int) -> None:
        """A seat did something: it is there, and the screen is not idle."""
        self.touched_s = self.now_s
        if self.call is not None and seat == self.call[0]:
            self.call = None

    @property
    def over_the_game(self) -> list[Screen]:
        """The menu and what it opened, which any press of the menu button closes."""
        return [screen for screen in self.above if not isinstance(screen, Paused | OfThrow)]

    # Phones.

    def phone(self, seat: int) -> PhoneView:
        if self.off_requested:
            return PhoneView(texts.gateway.GUEST_PAGE["off_heading"])
        own = self.own_screen(seat)
        if own is not None:
            return own.screen.phone(seat)
        view = self.screen.phone(seat)
        over = self.over_the_game
        if not over:
            menu = TableMenu(self, seat)
            if not menu.phone_items:
                return view
            choice = Choice(texts.phones.MENU, lambda: self.open_own(seat, menu), small=True)
        elif any(choice.small for choice in view.choices):
            return view
        else:
            choice = Choice(texts.phones.CLOSE_MENU, lambda: self.close(over[0]), small=True)
        return PhoneView(view.text, [*view.choices, choice])

    def own_screen(self, seat: int) -> OwnScreen | None:
        """What a seat has open on its own phone, unless the table asks everyone something."""
        asks = self.over_the_game or isinstance(self.screen, OfThrow)
        return None if asks else self.own.get(seat)

    def choose(self, seat: int, label: str, numbers: tuple[int, ...]) -> bool:
        """A phone chooses for a seat; False if the seat may not do that now."""
        choice = next((offered for offered in self.phone(seat).choices if offered.label == label), None)
        if choice is None or not choice.allows(numbers):
            return False
        self.touched_by(seat)
        own = self.own_screen(seat)
        choice.do(*numbers)
        if own is not None and self.own.get(seat) is own:
            self.open_own(seat, own.screen)  # it asks something else now
        return True

    # What the screens ask for.

    def home(self) -> Screen:
        match = self.state.match
        if match is None:
            return Attract(self)
        if match.game == FAIRNESS.name:
            return Fairness(self, match)
        return GameOver(self, match) if isinstance(match.prompt, OverPrompt) else Play(self, match)

    def set_up(self, host: int) -> None:
        self.show(ChooseGame(self, draft_for(self, host)))

    def set_up_guided(self, host: int) -> None:
        draft = draft_for(self, host)
        draft.game, draft.options, draft.chosen, draft.guided = *FIRST_GAME, None, True
        self.show(WhoPlays(self, draft))

    def ask_about(self, throw: NeedsConfirmation) -> None:
        """Asks another seat about a throw; where there is none, unseen dice count and are marked."""
        thrower, witnesses = self.thrower_and_witnesses()
        if throw.unsure:
            self.open(ConfirmReading(self, thrower, witnesses, throw))
        elif witnesses:
            self.open(Vouch(self, thrower, witnesses, throw))
        else:
            self.accept(self.acceptance.agreed(throw, throw.dice))
