"""The menu behind the table's own button: pause, correct, enter by hand, come and go, end, power off."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from common import texts
from dicetable.ledger.entries import Closed, Ending, Sat, Sitting, Thrown
from dicetable.table import display, league_match
from dicetable.table.correct_throw import CorrectThrow
from dicetable.table.dice_entry import DiceEntry, DiceForm
from dicetable.table.fairness import choose_dice
from dicetable.table.keys import Key, Means
from dicetable.table.pages import Attract, Confirm, Pages, confirm_power_off, scores, sentences
from dicetable.table.screen import THERE, WAITS, YOURS, Choice, PhoneView, Screen, TableControl, Walk, lamp
from games import words
from games.dice import Die
from games.prompts import OverPrompt
from games.registry import find
from hardware.ports import COLUMNS, PanelView

NOT_ON_PHONES: Final = ("scores", "rules", "help", "new", "off")
"""Items that phones show anyway, that are about a panel's buttons, or that are no guest's business."""
SMALL: Final = ("close", "end")
"""Items with small buttons on phones: a thumb takes none of them by mistake."""


class Paused(Screen):
    """Nothing counts until a seat presses OK; what lies in the tray by then was not seen to be thrown.

    Dice of a reveal are shown, not thrown: they may be laid there during the pause too.
    """

    pauses = True

    def __init__(self, table: TableControl, owner: int = 0) -> None:
        """`owner` is the seat that paused the game; 0 if it was no seat."""
        super().__init__(table)
        self.owner = owner

    def key(self, key: Key) -> None:
        if key.means is Means.OK:
            self.play_on()

    def play_on(self) -> None:
        awaited = self.table.state.awaited
        if awaited is None or not awaited.reveal:
            self.table.acceptance.lose_sight()
        self.table.close(self)

    def phone(self, seat: int) -> PhoneView:
        text = texts.phones.paused_by(self.table.name(self.owner)) if self.owner else texts.phones.PAUSED
        return PhoneView(text, [Choice(texts.phones.PLAY_ON, self.keyed(seat, Means.OK))])

    def view(self) -> PanelView:
        match = self.table.state.match
        game = match.rules.title if match else ""
        by = texts.panel.paused_by(self.table.name(self.owner)) if self.owner else ""
        return self.lines([texts.panel.PAUSED, game, by, texts.panel.PAUSED_TEXT], {"table": WAITS})


class TableMenu(Screen):
    """Belongs to the first seat that presses anything, until it is closed; an `owner` has it on a phone."""

    idle_s = 30.0

    def __init__(self, table: TableControl, owner: int = 0) -> None:
        super().__init__(table)
        self.owner = owner
        self.on_phone = owner > 0
        self.walk: Walk[str] = Walk(self.items() if owner else ["close"])

    def key(self, key: Key) -> None:
        if not self.owner:
            self.owner = key.seat
            self.walk = Walk(self.items())
            self.table.begin_question()
        elif key.seat != self.owner:
            return
        elif key.means is Means.STEP:
            self.walk.step(key.by)
        elif key.means is Means.BACK:
            self.table.close(self)
        else:
            self.take(self.walk.current)

    def take(self, item: str) -> None:
        does: dict[str, Callable[[], object]] = {
            "close": lambda: None,
            "scores": self.scores,
            "rules": self.rules,
            "help": lambda: self.read(texts.panel.HELP, sentences(texts.panel.HELP_TEXTS)),
            "pause": lambda: self.table.open(Paused(self.table, self.owner)),
            "by_hand": self.by_hand,
            "correct": self.correct,
            "hurry": lambda: self.table.call_for(self.seat_asked),
            "test": lambda: choose_dice(self.table, self.owner),
            "sit_out": lambda: self.sit(Sitting.SITS_OUT),
            "come_back": lambda: self.sit(Sitting.PLAYS),
            "leave": lambda: self.sit(Sitting.LEAVES),
            "join": lambda: self.sit(Sitting.JOINS_NEXT),
            "end": self.end,
            "new": self.new,
            "league": self.league,
            "off": lambda: confirm_power_off(self.table, self.owner),
        }
        self.table.close(self, does[item])

    def phone(self, seat: int) -> PhoneView:
        if seat != self.owner:
            return PhoneView(texts.phones.in_menu(self.table.name(self.owner)) if self.owner else "")
        choices = [
            Choice(self.label(item), partial(self.take, item), small=item in SMALL)
            for item in [*self.phone_items, "close"]
        ]
        return PhoneView(texts.phones.MENU, choices)

    @property
    def phone_items(self) -> list[str]:
        """The items of a phone's menu as the game stands, but for the one that closes it."""
        return [item for item in self.items() if item not in (*NOT_ON_PHONES, "close")]

    def label(self, item: str) -> str:
        back = item == "close" and self.table.state.match is None
        return texts.panel.CLOSE_MENU if back else texts.panel.MENU_ITEMS[item]

    @property
    def seat_asked(self) -> int:
        """The seat of the panel that is to act, throw or reveal next; 0 if none is, or the house decides."""
        state = self.table.state
        player = state.to_act
        if player is None or (player in state.house and state.awaited is None):
            return 0
        return state.panel_seats[state.hands(player)]

    def items(self) -> list[str]:
        state = self.table.state
        about = self.table.base.game
        rules = about is not None and bool(find(about).words.rules)
        if state.match is None:
            league = ["league"] if self.table.pairings.member else []
            test = ["test"] if isinstance(self.table.base, Attract) else []
            return ["close", *league, *(["rules"] if rules else []), *test, "help", "off"]
        if state.run is not None:
            throws = ["correct"] if state.last_throw() is not None else []
            pause = [] if self.table.paused else ["pause"]
            return ["close", "rules", *throws, *pause, "end", "help", "off"]
        over = isinstance(state.match.prompt, OverPrompt)
        sat = state.roster.get(self.owner)
        how = None if sat is None or sat.name in state.house else sat.how
        could = {
            "close": True,
            "scores": True,
            "rules": rules,
            "by_hand": state.awaited is not None,
            "correct": state.last_throw() is not None,
            "pause": not over and not self.table.paused,
            "hurry": self.seat_asked not in (0, self.owner) and not state.away(state.to_act or ""),
            "sit_out": how is Sitting.PLAYS and not over,
            "come_back": how in (Sitting.SITS_OUT, Sitting.LEAVES),
            "leave": how in (Sitting.PLAYS, Sitting.SITS_OUT),
            "join": sat is None,
            "end": not over,
            "new": True,
            "league": over and self.table.pairings.member,
            "help": True,
            "off": True,
        }
        return [item for item, possible in could.items() if possible]

    def read(self, heading: str, pages: Sequence[Sequence[str]]) -> None:
        self.table.open(Pages(self.table, self.owner, heading, pages))

    def scores(self) -> None:
        match = self.table.state.match
        if match is not None:
            self.read(texts.panel.SCORES, scores(match))

    def rules(self) -> None:
        """Shows the rules of the game that is played or chosen, in short."""
        about = self.table.base.game
        if about is not None:
            game = find(about)
            self.read(game.title, sentences(game.words.rules))

    def by_hand(self) -> None:
        awaited = self.table.state.awaited
        if awaited is not None:
            form = DiceForm(awaited.kinds, awaited.counts[-1])
            match, owner = self.table.state.match, self.owner

            def ask(dice: tuple[Die, ...]) -> Confirm | None:
                def use(second: int) -> None:
                    if self.table.state.match is match:
                        by = (owner, second)
                        self.table.write(Thrown(dice, self.table.in_tray(), by_hand=True, by=by))

                if self.table.state.match is not match:
                    return None
                return Confirm(self.table, owner, texts.panel.IS_IT_RIGHT, words.dice(dice), use)

            self.enter(texts.panel.BY_HAND, form, ask)

    def correct(self) -> None:
        last = self.table.state.last_throw()
        if last is not None:
            revision, before = last
            form = DiceForm([kind for kind, _ in before], len(before), before)
            self.enter(texts.panel.CORRECT, form, partial(self.ask_to_correct, revision))

    def ask_to_correct(self, revision: int, dice: tuple[Die, ...]) -> Confirm | None:
        """The question to another seat; None if the throw shows these dice already, or no longer counts."""
        thrown = self.table.state.throw_at(revision)
        if thrown is None or Counter(thrown[1]) == Counter(dice) or len(thrown[1]) != len(dice):
            return None
        return CorrectThrow(self.table, self.owner, revision, *thrown, dice)

    def enter(
        self,
        heading: str,
        form: DiceForm,
        ask: Callable[[tuple[Die, ...]], Confirm | None],
    ) -> None:
        """Has the owner enter dice, on the phone that has the menu; then another seat is asked."""
        entry = DiceEntry(self.table, self.owner, heading, form, ask)
        if self.on_phone:
            self.table.open_own(self.owner, entry)
        else:
            self.table.open(entry)

    def sit(self, how: Sitting) -> None:
        self.table.write(Sat(self.owner, self.table.name(self.owner), how))

    def end(self) -> None:
        def yes(_second: int) -> None:
            if self.table.state.match is not None:
                self.table.write(Closed(Ending.ENDED))

        self.table.open(Confirm(self.table, self.owner, "", texts.panel.END_GAME, yes))

    def new(self) -> None:
        def yes(_second: int) -> None:
            match = self.table.state.match
            why = Ending.OVER if match and isinstance(match.prompt, OverPrompt) else Ending.ENDED
            if match is None or self.table.write(Closed(why)):
                self.table.set_up(self.owner)

        self.table.open(Confirm(self.table, self.owner, "", texts.panel.NEW_GAME, yes))

    def league(self) -> None:
        """Begins a match of the league; the game that was played is over."""
        if self.table.state.match is None or self.table.write(Closed(Ending.OVER)):
            league_match.begin(self.table, self.owner)

    def view(self) -> PanelView:
        if not self.owner:
            lamps = {lamp(seat): THERE for seat in range(1, self.table.seats + 1)}
            return self.lines(
                [texts.panel.MENU_HEADING, "", texts.panel.WHOSE_MENU, ""], {**lamps, "table": WAITS}
            )
        name = self.table.name(self.owner)
        room = COLUMNS - 1 - len(self.walk.position)
        heading = display.fitting(f"{texts.panel.MENU_HEADING}: {name}", name, room=room)
        item = f"> {self.label(self.walk.current)}"
        return self.lines(
            [display.beside(heading, self.walk.position), item, "", self.keys_hint],
            {lamp(self.owner): YOURS, "table": WAITS},
        )
