"""The table as one machine: presses, messages of the eye and time come in, the panel's view comes out.

It has no input or output of its own. Whatever changes the game is in the journal before it counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.eye.messages import Blind, EyeMessage, Settled, Why
from dicetable.ledger.entries import Closed, Decided, JournalTrouble, Opened, Revealed, Thrown
from dicetable.table import display, narration
from dicetable.table.attract import Attract
from dicetable.table.confirm_reading import ConfirmReading
from dicetable.table.keys import Key, Keys, Means
from dicetable.table.meters import Meters
from dicetable.table.missing_seats import beyond, go_on_without
from dicetable.table.notices import Notices
from dicetable.table.play import Play
from dicetable.table.safe import Safe
from dicetable.table.set_up import LONGEST_NAME, ChooseGame, OptionsMenu, draft_for
from dicetable.table.table_menu import Paused, TableMenu
from dicetable.table.table_state import TableState, fold
from dicetable.throws.acceptance import Fits, Refused, Session, Unread, as_lying
from games import words
from games.errors import RuleError
from games.prompts import OverPrompt, RevealPrompt, ThrowPrompt
from hardware.ports import SEATS, PanelView, Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dicetable.ledger.entries import Entry, Journal, Lying
    from dicetable.table.screen import Screen
    from hardware.ports import Press

NEWS_S = 1.6
"""How long each line of the news is shown."""
CALL_S = 60.0
"""How long a player who is called for has to press a button."""
RETRY_S = 2.0
"""A throw that could not be saved is offered again after this time."""
NOTHING_S = 6.0
"""How long a tray in which something moved may lie still without a new die before the panel says so."""


@dataclass(frozen=True, slots=True)
class Call:
    """The seat at `place` is called for: without a press until then it sits out."""

    place: int
    until_s: float


class Table:
    """From power-on to the winners.

    Feed it `press`, `eye`, `tick` and `trouble` in the order of time; then show `view`. It asks to be
    switched off by `off_requested`. All times are in seconds on the one clock that all parts share.

    Args:
        journal: where entries go before they count.
        draw_seed: gives a fresh seed for each game.
        entries: what the journal holds from before, at least from the last `Opened` on.
        safe: do not go on with the old game until somebody says so.
        seats: how many seats the panel has.
        names: of the seats in order; seats can also choose among them.
        strict: only dice count that were seen to be thrown.
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
    ) -> None:
        self.journal = journal
        self.draw_seed = draw_seed
        self.seats = seats
        self.names = [name[:LONGEST_NAME] for name in names]
        self.state = TableState()
        self.session = Session(None, strict=strict)
        self.keys = Keys()
        self.off_requested = False
        self.notices = Notices()
        self.troubles: dict[str, Trouble] = {}
        self.sentence = ""
        self.hindrance = ""
        self.rolling = False
        self.seen: Settled | None = None
        self.voided: Settled | None = None
        self.meters = Meters()
        self.call: Call | None = None
        self.winners: tuple[str, ...] = ()
        self.told: Sequence[str] = ()
        self.told_s = self.now_s = self.question_s = self.touched_s = self.due_s = 0.0
        self.failed_s = float("-inf")
        self.retry_s: float | None = None
        self.nothing_s: float | None = None
        self.base: Screen = Attract(self)
        self.above: list[Screen] = []
        self.begin(list(entries), safe=safe)

    def begin(self, entries: Sequence[Entry], *, safe: bool) -> None:
        """Comes back to where the entries end, or says why not."""
        state, damage = fold(entries) if not safe else (TableState(), "")
        if safe:
            self.base = Safe(self, texts.trouble.SAFE_TEXT, lambda: self.begin(entries, safe=False))
        elif damage:
            self.state = TableState(opened=state.opened, roster=state.roster)
            self.base = Safe(self, texts.trouble.DAMAGED, None)
        elif beyond(state, self.seats):
            go_on_without(self, state)
        else:
            self.go_on(state)
        self.ask()

    def go_on(self, state: TableState) -> None:
        """Goes on from a table state."""
        self.state = state
        self.session.rest(state.lying)
        self.session.doubt()
        self.base = self.home()

    # What comes in.

    def press(self, press: Press) -> None:
        """A control of the panel went down or up."""
        self.now_s = max(self.now_s, press.time_s)
        for key in self.keys.press(press):
            self.key(key)

    def eye(self, message: EyeMessage) -> None:
        """The eye has something to say."""
        self.now_s = max(self.now_s, message.time_s)
        self.hindrance, self.rolling, self.nothing_s = "", False, None
        if isinstance(message, Blind):
            self.seen = None
            self.troubles["camera"] = message.trouble
            return
        self.troubles.pop("camera", None)
        if isinstance(message, Settled):
            self.seen = message
            if message.time_s < self.due_s:
                self.not_too_early()
            else:
                self.look()
            return
        self.seen = None
        self.sentence = ""
        self.session.stir()
        self.rolling = message.why is Why.MOVING
        if message.why is Why.CAMERA_MOVED:
            self.session.doubt()
        if not self.rolling:
            self.hindrance = texts.trouble.EYE[message.why]

    def trouble(self, part: str, trouble: Trouble | None) -> None:
        """A part (`panel`, `camera`, `journal` or another) works no more, or again; may be said twice."""
        if trouble == self.troubles.get(part):
            return
        if trouble is None:
            self.troubles.pop(part, None)
        else:
            self.troubles[part] = trouble
        if part == "panel":
            self.keys.let_go()
            self.ask()
            self.look()

    def tick(self, now_s: float) -> None:
        """Time goes by; to be called at least ten times a second while anything moves."""
        self.now_s = max(self.now_s, now_s)
        for key in self.keys.tick(self.now_s):
            self.key(key)
        if self.retry_s is not None and self.now_s >= self.retry_s:
            self.retry_s = None
            self.look()
        if self.nothing_s is not None and self.now_s >= self.nothing_s and not self.above:
            self.nothing_new()
        if not self.off_requested:
            self.screen.tick()

    # What goes out.

    @property
    def view(self) -> PanelView:
        """What the panel is to show now."""
        if self.off_requested:
            return display.view(texts.menu.GOOD_NIGHT, {})
        return self.notices.over(self.screen.view(), self.now_s)

    @property
    def news(self) -> str:
        """The line of news to show now, or how long a called player has left."""
        line = int((self.now_s - self.told_s) / NEWS_S)
        if line < len(self.told):
            return self.told[line]
        return texts.menu.countdown(int(self.call.until_s - self.now_s) + 1) if self.call else ""

    def explained(self, part: str) -> str:
        """What is wrong with a part, and what would help."""
        trouble = self.troubles[part]
        return f"{trouble.what.rstrip('.')}: {trouble.remedy}"

    def name(self, place: int) -> str:
        """Who sits there."""
        sat = self.state.roster.get(place)
        return sat.name if sat else dict(enumerate(self.names, 1)).get(place, texts.set_up.seat_name(place))

    # Keys and screens.

    @property
    def screen(self) -> Screen:
        """The screen that has the keys."""
        return self.above[-1] if self.above else self.base

    def key(self, key: Key) -> None:
        """Takes a key, unless it was pressed before the question that it would answer was asked."""
        if self.off_requested or key.place > self.seats:
            return
        self.touched_s = self.now_s
        if self.call is not None and key.place == self.call.place:
            self.call = None
        if key.down_s < self.question_s or (key.means is Means.OK and key.burst_s < self.question_s):
            return
        if key.means is not Means.MENU:
            self.screen.key(key)
        elif over := [screen for screen in self.above if not isinstance(screen, Paused)]:
            self.close(over[0])
        else:
            self.open(TableMenu(self))

    @property
    def paused(self) -> bool:
        """Whether the game is paused."""
        return any(isinstance(screen, Paused) for screen in self.above)

    def ask(self) -> None:
        """A new question is on the panel: keys that went down before do not answer it."""
        self.question_s = self.now_s

    def show(self, screen: Screen) -> None:
        """The screen takes the place of the one at the bottom."""
        self.base = screen
        self.ask()

    def open(self, screen: Screen) -> None:
        """The screen lies over the others until it is closed."""
        self.above.append(screen)
        self.touched_s = self.now_s
        self.ask()

    def close(self, screen: Screen, then: Callable[[], object] | None = None) -> None:
        """The screen goes away, with all that lies over it; `then` is done before the game goes on."""
        if screen in self.above:
            del self.above[self.above.index(screen) :]
        self.ask()
        if then:
            then()
        self.look()

    def home(self) -> Screen:
        """The screen at the bottom that suits how things stand."""
        return Play(self, self.state.match) if self.state.match else Attract(self)

    def set_up(self, host: int) -> None:
        """Begins to set up a game."""
        self.show(ChooseGame(self, draft_for(self, host)))

    def play_again(self, host: int) -> None:
        """Offers the last game once more."""
        self.show(OptionsMenu(self, draft_for(self, host)))

    def call_for(self, place: int) -> None:
        """The seat has a while to press a button, or sits out."""
        if place:
            self.call = Call(place, self.now_s + CALL_S)

    def missed_call(self) -> int | None:
        """The place that was called for and did not answer in time, once; None if there is none."""
        call = self.call
        if call is None or self.now_s < call.until_s:
            return None
        self.call = None
        return call.place

    def switch_off(self) -> None:
        """The service is to switch the table off."""
        self.off_requested = True

    # The game.

    def write(self, entry: Entry, evidence: bytes = b"") -> bool:
        """Makes the entry durable, then lets it count; False if it does not fit or could not be saved."""
        before = self.state
        try:
            after = before.after(entry)
            self.journal.append(entry, evidence)
        except RuleError as error:
            self.sentence = f"{error}."
            return False
        except JournalTrouble as trouble:
            self.troubles["journal"] = Trouble(trouble.what, trouble.remedy)
            self.failed_s = self.now_s
            return False
        self.troubles.pop("journal", None)
        self.state = after
        self.counted(entry, before)
        return True

    def counted(self, entry: Entry, before: TableState) -> None:
        """What follows beyond the game: the next screen, and what lies in the tray from before."""
        state = self.state
        self.sentence, self.nothing_s = "", None
        if isinstance(entry, Opened | Thrown | Revealed):
            self.session.rest(state.lying)
        if isinstance(entry, Thrown | Revealed):
            self.meters.accepted(entry)
        if isinstance(entry, Closed):
            ended = before.match.prompt if before.match else None
            self.winners = ended.winners if isinstance(ended, OverPrompt) else ()
        if state.match is before.match and state.shown == before.shown:
            return
        self.call = None
        self.tell(entry, before)
        self.base = self.home()
        self.ask()
        self.due_s = self.now_s
        if isinstance(entry, Decided):
            self.not_too_early()

    def tell(self, entry: Entry, before: TableState) -> None:
        """Shows what just happened, line after line."""
        match = self.state.match
        dice = [words.dice(entry.dice)] if isinstance(entry, Thrown | Revealed) else []
        told = [] if match is None or match is before.match else narration.consequences(match)
        self.told = [line for text in (*dice, *told) for line in display.wrapped(text)]
        self.told_s = self.now_s

    def not_too_early(self) -> None:
        """What lay in the tray before a throw was due is no throw; what is revealed may lie there already."""
        match = self.state.match
        if match is None or not isinstance(match.prompt, ThrowPrompt):
            self.look()
        elif self.seen is not None:
            early = self.session.match(self.seen.reading, self.state.due)
            self.session.rest(as_lying(self.seen.reading.dice))
            if early is not None:
                self.sentence = texts.throws.TOO_EARLY

    def nothing_new(self) -> None:
        """Something moved in the tray, it has been still for a while, and nothing came of it."""
        self.nothing_s, due = None, self.state.due
        if due is not None and self.seen is not None:
            old = bool(self.seen.reading.dice)
            self.sentence = texts.throws.nothing_new(due.counts[0], old=old, reveal=due.reveal)

    def in_tray(self) -> Lying:
        """All dice that lie in the tray, as far as anybody can see now."""
        return as_lying(self.seen.reading.dice) if self.seen else None

    def thrower_and_witnesses(self) -> tuple[int, list[int]]:
        """The seat that throws, and those of the others that can say what lies there."""
        state = self.state
        asked = state.asked or ""
        others = [place for seat, place in state.places.items() if seat != asked and not state.away(seat)]
        return state.places[asked], others

    def make_void(self, seen: Settled, why: str) -> None:
        """What was thrown does not count: all dice that were seen lie there from before."""
        self.session.rest(as_lying(seen.reading.dice))
        self.voided, self.sentence = self.seen, why
        self.meters.refused(seen, void=True)

    def look(self) -> None:
        """Offers what lies still in the tray to the game, if it is the game's turn to be offered anything."""
        seen, state = self.seen, self.state
        if seen is None or seen is self.voided or state.match is None:
            return
        if self.above or "panel" in self.troubles:
            return
        due = state.due
        answer = self.session.see(seen.reading, due, seen.flight)
        self.sentence = answer.text if isinstance(answer, Refused) else ""
        self.voided = seen if isinstance(answer, Refused) and answer.void else None
        if isinstance(answer, Refused) and due is not None:
            self.meters.refused(seen, void=answer.void)
        awaited = answer is None and due is not None and self.session.stirred
        self.nothing_s = self.now_s + NOTHING_S if awaited else None
        if isinstance(answer, Unread):
            self.open(ConfirmReading(self, *self.thrower_and_witnesses(), answer, seen))
        if not isinstance(answer, Fits) or due is None:
            return
        part = isinstance(state.match.prompt, RevealPrompt) and len(answer.dice) < len(due.kinds)
        entry: Thrown | Revealed = (
            Revealed(state.asked or "", answer.dice, answer.lying)
            if part
            else Thrown(answer.dice, answer.lying)
        )
        if not self.write(entry, seen.evidence) and "journal" in self.troubles:
            self.retry_s = self.now_s + RETRY_S
