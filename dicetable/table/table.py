"""The table as one machine: presses, messages of the eye and time come in, the panel's view comes out.

It has no input or output of its own. Whatever changes the game is in the journal before it counts.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.config.table import LONGEST_NAME
from dicetable.eye.messages import Blind, EyeMessage, Settled, Why
from dicetable.ledger.entries import Closed, DieDetails, JournalError, Opened, Revealed, Thrown
from dicetable.table import display, narration
from dicetable.table.keys import Key, Keys, Means
from dicetable.table.learning import MOST_LESSONS, lesson_of, retractions
from dicetable.table.meters import Meters
from dicetable.table.missing_seats import beyond, go_on_without
from dicetable.table.notices import Notices
from dicetable.table.pairings import Pairings
from dicetable.table.screens.attract import Attract
from dicetable.table.screens.confirm_reading import ConfirmReading
from dicetable.table.screens.fairness import Fairness
from dicetable.table.screens.of_throw import OfThrow
from dicetable.table.screens.play import Play
from dicetable.table.screens.safe import Safe
from dicetable.table.screens.screen import Choice, PhoneView, coloured
from dicetable.table.screens.set_up import ChooseGame, OptionsMenu, draft_for
from dicetable.table.screens.set_up_step import SetUp
from dicetable.table.screens.table_menu import Paused, TableMenu
from dicetable.table.screens.vouch import Vouch
from dicetable.table.table_state import Recorded, TableState, fold
from dicetable.throws.acceptance import Acceptance
from dicetable.throws.baseline import remembered
from dicetable.throws.outcomes import Accepted, NeedsConfirmation, Rejected, Void, Waiting
from games import words
from games.errors import RuleError
from games.prompts import OverPrompt
from games.registry import FAIRNESS
from hardware.ports import SEATS, Degraded, PanelView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dicetable.eye.lessons import Said
    from dicetable.ledger.entries import DiceInTray, Entry, Journal
    from dicetable.table.screens.screen import Screen
    from dicetable.throws.outcomes import Outcome, ReadFrom
    from hardware.ports import Press

NEWS_S = 1.6
"""How long each line of the news is shown."""
CALL_S = 60.0
"""How long a player who is called for has to press a button."""


@dataclass(frozen=True, slots=True)
class SeatCall:
    """The seat is called for: without a press until then it sits out."""

    seat: int
    until_s: float


class Table:
    """From power-on to the winners.

    Feed it `press`, `eye`, `tick` and `report` in the order of time; then show `view`. It asks to be
    switched off by `off_requested`. All times are in seconds on the one clock that all parts share.

    Args:
        journal: where entries go before they count.
        draw_seed: gives a fresh seed for each game.
        entries: what the journal holds from before, at least from the last `Opened` on.
        safe: do not go on with the old game until somebody says so.
        seats: how many seats the panel has.
        names: of the seats in order; seats can also choose among them.
        strict: dice that a hand set down make a throw void, and another seat vouches for dice that were not
            seen to roll.

    `colours` has the number of each seat's colour, from 1 to 8; `coloured` are the seats that chose theirs.
    `oks` counts the OKs of all seats, also those that answer nothing: one ends a moment on a screen.
    `recorded` is called with each entry once it counts; it must not raise.
    `lessons` is what the eye has to be told about its readings, oldest first; whoever hands one over takes it
    out.
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
        self.called: dict[int, str] = {}
        self.colours = {seat: seat for seat in range(1, SEATS + 1)}
        self.coloured: set[int] = set()
        self.state = TableState()
        self.acceptance = Acceptance(strict=strict)
        self.outcome: Outcome | None = None
        self.keys = Keys()
        self.oks = 0
        self.off_requested = False
        self.notices = Notices()
        self.degraded: dict[str, Degraded] = {}
        self.sentence = ""
        self.hindrance = ""
        self.hindered_s = 0.0
        self.unsettled: Why | None = None
        self.meters = Meters()
        self.recorded: Callable[[Recorded], None] | None = None
        self.pairings = Pairings()
        self.call: SeatCall | None = None
        self.winners: tuple[str, ...] = ()
        self.news_lines: Sequence[str] = ()
        self.news_since_s = self.now_s = self.question_s = self.touched_s = 0.0
        self.failed_s = float("-inf")
        self.lessons: deque[Said] = deque(maxlen=MOST_LESSONS)
        self.base: Screen = Attract(self)
        self.above: list[Screen] = []
        self.begin(list(entries), safe=safe)

    def begin(self, entries: Sequence[Entry], *, safe: bool) -> None:
        """Comes back to where the entries end, or says why not."""
        self.lessons.extend(retractions(entries))
        state, damage = fold(entries) if not safe else (TableState(), "")
        if safe:
            self.base = Safe(self, texts.health.SAFE_TEXT, lambda: self.begin(entries, safe=False))
        elif damage:
            self.state = TableState(opened=state.opened, roster=state.roster)
            self.base = Safe(self, texts.health.DAMAGED, None)
        elif beyond(state, self.seats):
            go_on_without(self, state)
        else:
            self.go_on(state)
        self.ask()

    def go_on(self, state: TableState) -> None:
        """Goes on from a table state."""
        self.state = state
        self.acceptance.set_baseline(state.baseline)
        self.acceptance.lose_sight()
        self.base = self.home()
        self.carry_out(self.acceptance.prompt(state.awaited, self.now_s))

    # What comes in.

    def press(self, press: Press) -> None:
        """A control of the panel went down or up."""
        self.now_s = max(self.now_s, press.time_s)
        for key in self.keys.press(press):
            self.key(key)

    def eye(self, message: EyeMessage) -> None:
        """The eye has something to say."""
        self.now_s = max(self.now_s, message.time_s)
        self.hindrance, self.unsettled = "", None
        if isinstance(message, Blind):
            self.acceptance.blind()
            self.degraded["camera"] = message.degraded
            return
        self.degraded.pop("camera", None)
        if isinstance(message, Settled):
            self.carry_out(self.acceptance.settled(message, self.now_s))
            return
        self.sentence = ""
        self.acceptance.unsettled()
        self.unsettled = message.why
        if message.why is Why.CAMERA_MOVED:
            self.acceptance.lose_sight()
        if message.why is not Why.MOVING:
            self.hindrance = texts.health.EYE[message.why]
            self.hindered_s = self.now_s

    def report(self, part: str, degraded: Degraded | None) -> None:
        """A part (`panel`, `camera`, `journal` or another) works no more, or again; may be said twice."""
        if degraded == self.degraded.get(part):
            return
        if degraded is None:
            self.degraded.pop(part, None)
        else:
            self.degraded[part] = degraded
        if part == "panel":
            self.keys.let_go()
            self.ask()
            self.hold()

    def tick(self, now_s: float) -> None:
        """Time goes by; to be called at least ten times a second while anything moves."""
        self.now_s = max(self.now_s, now_s)
        for key in self.keys.tick(self.now_s):
            self.key(key)
        self.carry_out(self.acceptance.tick(self.now_s))
        if not self.off_requested:
            self.screen.tick()

    # What goes out.

    @property
    def view(self) -> PanelView:
        """What the panel is to show now."""
        if self.off_requested:
            return display.view(texts.menu.GOOD_NIGHT, {})
        return self.notices.over(coloured(self.screen.view(), self.colours), self.now_s)

    @property
    def rolling(self) -> bool:
        """Whether something moves in the tray."""
        return self.unsettled is Why.MOVING

    @property
    def throw_under_way(self) -> bool:
        """Whether the dice that are awaited may be rolling, perhaps below a hand."""
        return self.unsettled in (Why.MOVING, Why.HAND) and self.state.awaited is not None

    @property
    def news(self) -> str:
        """The line of news to show now, or how long a called player has left."""
        line = int((self.now_s - self.news_since_s) / NEWS_S)
        if line < len(self.news_lines):
            return self.news_lines[line]
        return texts.menu.countdown(int(self.call.until_s - self.now_s) + 1) if self.call else ""

    def explained(self, part: str) -> str:
        """What is wrong with a part, and what would help."""
        degraded = self.degraded[part]
        return f"{degraded.what.rstrip('.')}: {degraded.remedy}"

    def name(self, seat: int) -> str:
        """Who sits there."""
        sat = self.state.roster.get(seat)
        given = self.called.get(seat) or dict(enumerate(self.names, 1)).get(seat)
        return sat.name if sat else given or texts.set_up.seat_name(seat)

    def called_or_name(self, seat: int) -> str:
        """The name of a seat from the next game on."""
        return self.called.get(seat) or self.name(seat)

    def call_seat(self, seat: int, name: str) -> bool:
        """Calls the player at a seat by a name from the next game on; False if another seat has it."""
        if any(self.called_or_name(other) == name for other in range(1, self.seats + 1) if other != seat):
            return False
        draft = self.base.draft.names if isinstance(self.base, SetUp) else {}
        if name in (draft[other] for other in draft if other != seat):
            return False
        self.called[seat] = name
        if seat in draft:
            draft[seat] = name
        return True

    def colour_seat(self, seat: int, colour: int) -> None:
        """Gives a seat a colour; the seat that had it gets this one's."""
        other = next(each for each, its in self.colours.items() if its == colour)
        self.colours[other], self.colours[seat] = self.colours[seat], colour
        self.coloured.add(seat)

    # Keys and screens.

    @property
    def screen(self) -> Screen:
        """The screen that has the keys."""
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
        if self.call is not None and seat == self.call.seat:
            self.call = None

    @property
    def over_the_game(self) -> list[Screen]:
        """The menu and what it opened, which any press of the menu button closes."""
        return [screen for screen in self.above if not isinstance(screen, Paused | OfThrow)]

    # Phones.

    def phone(self, seat: int) -> PhoneView:
        """What the phone of a seat shows, and what it may do."""
        if self.off_requested:
            return PhoneView(texts.web.PAGE["off_heading"])
        view = self.screen.phone(seat)
        over = self.over_the_game
        if not over:
            menu = Choice(texts.phones.MENU, lambda: self.open(TableMenu(self, seat)), small=True)
        elif any(choice.small for choice in view.choices):
            return view
        else:
            menu = Choice(texts.phones.CLOSE_MENU, lambda: self.close(over[0]), small=True)
        return PhoneView(view.text, [*view.choices, menu])

    def choose(self, seat: int, label: str, numbers: tuple[int, ...]) -> bool:
        """A phone chooses for a seat; False if the seat may not do that now."""
        found = next((each for each in self.phone(seat).choices if each.label == label), None)
        if found is None or not found.allows(numbers):
            return False
        self.touched_by(seat)
        found.do(*numbers)
        return True

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
        self.hold()

    def close(self, screen: Screen, then: Callable[[], object] | None = None) -> None:
        """The screen goes away, with all that lies over it; `then` is done before the game goes on."""
        if screen in self.above:
            del self.above[self.above.index(screen) :]
        self.ask()
        if then:
            then()
        self.hold()

    def home(self) -> Screen:
        """The screen at the bottom that suits how things stand."""
        match = self.state.match
        if match is None:
            return Attract(self)
        return Fairness(self, match) if match.game == FAIRNESS.name else Play(self, match)

    def set_up(self, host: int) -> None:
        """Begins to set up a game."""
        self.show(ChooseGame(self, draft_for(self, host)))

    def play_again(self, host: int) -> None:
        """Offers the last game once more."""
        self.show(OptionsMenu(self, draft_for(self, host)))

    def call_for(self, seat: int) -> None:
        """The seat has a while to press a button, or sits out."""
        if seat:
            self.call = SeatCall(seat, self.now_s + CALL_S)

    def missed_call(self) -> int | None:
        """The seat that was called for and did not answer in time, once; None if there is none."""
        call = self.call
        if call is None or self.now_s < call.until_s:
            return None
        self.call = None
        return call.seat

    def switch_off(self) -> None:
        """The service is to switch the table off."""
        self.off_requested = True

    # The game.

    def write(self, entry: Entry, evidence: bytes = b"", read_from: ReadFrom | None = None) -> bool:
        """Makes the entry durable, then lets it count; False if it does not fit or could not be saved.

        `read_from` says where the dice of a throw stand in the reading that they were taken from.
        """
        before = self.state
        try:
            after = before.after(entry)
            row = self.journal.append(entry, evidence)
        except RuleError as error:
            self.sentence = f"{error}."
            return False
        except JournalError as degraded:
            self.degraded["journal"] = Degraded(degraded.what, degraded.remedy)
            self.failed_s = self.now_s
            return False
        self.degraded.pop("journal", None)
        self.state = after
        if self.recorded is not None:
            self.recorded(Recorded(row, entry, before, after))
        if (lesson := lesson_of(entry, after, row, read_from)) is not None:
            self.lessons.append(lesson)
        self.counted(entry, before)
        return True

    def counted(self, entry: Entry, before: TableState) -> None:
        """What follows beyond the game: the next screen, and what lies in the tray from before."""
        state = self.state
        self.sentence = ""
        if isinstance(entry, Opened | Thrown | Revealed):
            self.acceptance.set_baseline(state.baseline)
        if isinstance(entry, Thrown | Revealed):
            self.meters.accepted(entry)
        if isinstance(entry, Closed):
            ended = before.match.prompt if before.match else None
            self.winners = ended.winners if isinstance(ended, OverPrompt) else ()
        if state.match is before.match and state.shown == before.shown:
            return
        self.call = None
        self.announce(entry, before)
        self.base = self.home()
        self.ask()
        self.carry_out(self.acceptance.prompt(state.awaited, self.now_s))

    def announce(self, entry: Entry, before: TableState) -> None:
        """Puts what just happened into the news, line after line."""
        match = self.state.match
        dice = []
        if isinstance(entry, Thrown | Revealed):
            seat = entry.seat if isinstance(entry, Revealed) else before.asked
            dice = [texts.turns.threw(seat or "", words.dice(entry.dice))]
        consequences = [] if match is None or match is before.match else narration.consequences(match)
        self.news_lines = [line for text in (*dice, *consequences) for line in display.wrapped(text)]
        self.news_since_s = self.now_s

    def in_tray(self) -> DiceInTray:
        """All dice that lie in the tray, as far as anybody can see now."""
        seen = self.acceptance.seen
        return remembered(seen.reading.dice) if seen else None

    def thrower_and_witnesses(self) -> tuple[int, list[int]]:
        """The seat that throws, and those of the others that can say what lies there."""
        state = self.state
        asked, panel_seats = state.asked or "", state.panel_seats
        others = [panel_seats[seat] for seat in panel_seats if seat != asked and not state.away(seat)]
        return panel_seats[asked], others

    def hold(self) -> None:
        """Dice are accepted while the game is what the panel shows, and a panel is there to show it."""
        held = bool(self.above) or "panel" in self.degraded
        self.carry_out(self.acceptance.hold(self.now_s, held=held))

    def carry_out(self, outcome: Outcome | None) -> None:
        """Does what follows from what has become of the dice in the tray."""
        if outcome is None:
            return
        self.outcome = outcome
        self.sentence = outcome.text if isinstance(outcome, Waiting | Rejected | Void) else ""
        if isinstance(outcome, Rejected | Void):
            self.meters.rejected(outcome)
        elif isinstance(outcome, NeedsConfirmation):
            self.ask_about(outcome)
        elif isinstance(outcome, Accepted):
            self.accept(outcome)

    def ask_about(self, throw: NeedsConfirmation) -> None:
        """Asks another seat about a throw; where there is none, unseen dice count and are marked."""
        thrower, witnesses = self.thrower_and_witnesses()
        if throw.unsure:
            self.open(ConfirmReading(self, thrower, witnesses, throw))
        elif witnesses:
            self.open(Vouch(self, thrower, witnesses, throw))
        else:
            self.accept(
                Accepted(
                    throw.read, throw.baseline, throw.evidence, throw.read_from, throw.unseen, throw.die_ids
                )
            )

    def accept(self, throw: Accepted) -> None:
        """Writes down the throw, or the part of a reveal that one seat shows; later, if that fails."""
        state, awaited = self.state, self.state.awaited
        details = tuple(
            DieDetails(die_id=each, vouched_by="nobody" if number in throw.unseen else None)
            for number, each in enumerate(throw.die_ids or (None,) * len(throw.dice))
        )
        if not (throw.unseen or any(throw.die_ids)):
            details = ()
        entry: Thrown | Revealed = Thrown(throw.dice, throw.baseline, details=details)
        if awaited is not None and awaited.reveal and len(throw.dice) < len(awaited.kinds):
            entry = Revealed(state.asked or "", throw.dice, throw.baseline, details)
        if not self.write(entry, throw.evidence, throw.read_from) and "journal" in self.degraded:
            self.acceptance.not_saved(self.now_s)
