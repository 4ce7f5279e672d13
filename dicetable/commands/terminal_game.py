"""A game at a terminal, whose keyboard is the panel; without a terminal simulated people press."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from common import texts
from common.texts.odds import odds_of
from common.texts.plain import plain
from dicetable.config.games import HouseRules
from dicetable.eye.in_process import InProcessEye
from dicetable.eye.messages import Eye, EyeMessage
from dicetable.eye.stills import look
from dicetable.ledger.entries import Journal, MemoryJournal, Thrown
from dicetable.ledger.reader import sentence
from dicetable.service.healing_ledger import HealingLedger, MemoryArchive
from dicetable.service.sockets import NO_SOCKETS
from dicetable.service.throws import Archive
from dicetable.simulated.eye import SimulatedEye, step
from dicetable.simulated.hands import Finger, Hands
from dicetable.simulated.people import Attempt, Deciders, People, WantedGame
from dicetable.table import display
from dicetable.table.confirm_throw import OfThrow
from dicetable.table.display import narrated
from dicetable.table.set_up import Draft, open_game
from dicetable.table.table import Table
from games.house import Strength
from games.match import Match
from games.players import LEVELS, RandomPlayer
from games.prompts import ActPrompt, OverPrompt
from hardware.photograph import FolderCamera
from hardware.ports import Clock, SystemClock
from hardware.simulated.clock import PacedClock, VirtualClock
from hardware.simulated.panel import SimulatedPanel
from hardware.simulated.world import World, run_command
from hardware.terminal_panel import TerminalPanel
from hardware.terminal_view import TerminalView
from hardware.web_panel import SeatClaims, WebPanel
from vision.reader import DiceReader
from vision.reading import Reading, Settled
from vision.recognition.enrolled import EnrolledDice

if TYPE_CHECKING:
    from dicetable.commands.camera_check import CameraCheck

READ_S = 3.0
"""How long dice that lie still may take to be read."""
OPENS_S = 4.0
"""How long the eye may take to see that the tray is empty."""


MOST_ODDS = 3
"""Chances that a terminal shows at a time."""


class TerminalGame(ABC):
    """Opens one game and plays it to its end; subclasses bring the dice.

    `keyboard` is the descriptor to read typed keys from, None without a terminal. If the game is `viewed`,
    tray and panel fill the terminal. `strict`: dice have to be seen to roll. `house_rules`, if they are set,
    give the game its options.
    """

    house_rules: HouseRules | None = None

    dice_are_known = False
    """Whether the reading has been printed by the time it is accepted."""
    how_to_play: Sequence[str] = (texts.panel.TERMINAL_KEYS, texts.panel.ENTER_TAKES)
    """Lines printed first at a terminal."""

    def __init__(
        self,
        clock: Clock,
        eye: Eye,
        keyboard: int | None,
        screen: TextIO,
        *,
        viewed: bool = False,
        strict: bool = False,
        ledger: HealingLedger | None = None,
    ) -> None:
        self.clock = clock
        self.eye = eye
        self.screen = screen
        self.view = TerminalView(keyboard, screen, clock) if viewed and keyboard is not None else None
        self.terminal = self.view or TerminalPanel(-1 if keyboard is None else keyboard, screen, clock)
        self.viewed = False
        self.fingers = SimulatedPanel(clock)
        self.finger = Finger(self.fingers)
        self.typed = keyboard is not None
        memory = MemoryJournal()
        self.journal = memory
        self.archive: Archive = MemoryArchive(memory) if ledger is None else ledger
        self.seed = 0
        self.table = self.new_table(memory if ledger is None else ledger, strict=strict)
        self.written = 0
        self.foretold: Match | None = None
        self.sockets = NO_SOCKETS
        self.phones: WebPanel | None = None

    def new_table(self, journal: Journal, *, strict: bool) -> Table:
        return Table(journal, lambda: self.seed, strict=strict)

    def open(
        self,
        game: str,
        seats: Sequence[str],
        seed: int,
        options: Mapping[str, int | str] | None = None,
        house: Sequence[Strength] = (),
    ) -> None:
        """Opens the game; raises a RuleError if seats, options and game do not suit each other.

        The house plays at a seat beyond the others for each strength in `house`.
        """
        self.prepare()
        self.seed = seed
        draft = Draft(1, game, dict(enumerate(seats, 1)))
        for seat, strength in enumerate(house, len(seats) + 1):
            draft.seat_house(seat, strength)
        own = self.house_rules.options if self.house_rules else {}
        chosen = {**own, **(options or {})}
        open_game(self.table, game, draft.names, chosen, self.house_rules, draft.house)
        self.written = len(self.journal.entries)
        self.seat_players(game, seats, seed)

    def prepare(self) -> None:  # noqa: B027 - a camera needs nothing
        """Does what must come before the game is opened."""

    def seat_players(self, game: str, seats: Sequence[str], seed: int) -> None:  # noqa: B027 - as above
        """Lets simulated players sit down once the game is open."""

    def let_phones_play(self) -> None:
        """Lets phones take the seats of the game beside the keyboard; to be called before it is played."""
        people = set(self.table.state.panel_seats) - set(self.table.state.house)
        self.phones = WebPanel(self.clock, SeatClaims(len(people)))
        self.phones.start(lambda: None)
        self.sockets.attach_panel(self.phones)

    def hear_phones(self) -> None:
        """Passes on what was pressed on phones, and shows them the table."""
        if self.phones is not None:
            for press in self.phones.presses():
                self.table.press(press)
            self.phones.show(self.table.view)

    def play(self) -> str:
        """Plays until the game is over; returns the reason if it ends earlier, else an empty string."""
        self.eye.start()
        if self.view is None:
            return self.take_turns()
        with self.view:
            self.viewed = True
            try:
                return self.take_turns()
            finally:
                self.viewed = False

    def take_turns(self) -> str:
        """Plays as `play` does, in whatever shows the game."""
        if self.typed:
            self.say(*self.how_to_play)
        if self.house_rules and self.table.state.opened:
            self.say(sentence(self.table.state.opened))
        while True:
            now_s = step(self.clock, self.terminal if self.typed else self.fingers, self.eye, self.table)
            self.hear_phones()
            self.print_news()
            self.print_odds()
            self.sockets.turn(now_s, self.table, self.archive)
            state = self.table.state
            if state.match is None or isinstance(state.match.prompt, OverPrompt):
                return ""
            why = self.by_typing(now_s) if self.typed else self.by_itself(now_s)
            if why:
                return why

    @abstractmethod
    def by_typing(self, now_s: float) -> str:
        """Carries out what was typed; returns a reason to end, or an empty string."""

    @abstractmethod
    def by_itself(self, now_s: float) -> str:
        """Lets simulated people act; returns a reason to end, or an empty string."""

    def print_news(self) -> None:
        for entry in self.journal.entries[self.written :]:
            words = narrated(entry, self.table.state.match)[1]
            self.say(*(words[1:] if isinstance(entry, Thrown) and self.dice_are_known else words))
        self.written = len(self.journal.entries)

    def print_odds(self) -> None:
        """Prints the chances before a throw or decision of a person at the keyboard."""
        match = self.table.state.match
        if not self.typed or match is None or match is self.foretold:
            return
        self.foretold = match
        told = odds_of(match.game, self.table.state.view(match))[:MOST_ODDS]
        if told and not isinstance(match.prompt, OverPrompt):
            self.say("  " + "; ".join(f"{label}: {chance}" for label, chance in told))

    def say(self, *lines: str) -> None:
        """Shows lines below the tray; prints them where there is none."""
        for line in lines:
            if self.view is not None and self.viewed:
                self.view.say(line)
            else:
                self.screen.write(f"{plain(line)}\n")
        self.screen.flush()

    def ended(self, why: str) -> None:
        """Prints the result, or the state in which the game was left."""
        match = self.table.state.match
        if match is None:
            self.say(texts.panel.GAME_ENDED)
        elif isinstance(match.prompt, OverPrompt):
            self.say(f"{display.awaited_line(match)} ({', '.join(display.scores(match))})")
        else:
            stands = ", ".join(display.scores(match))
            self.say(f"{why}; the game stands at {stands}, awaiting: {display.awaited_line(match)}")


class Album:
    """An `Eye` that is shown one photograph after the other; between them it sees an empty tray.

    So dice that lie unmoved from one photograph to the next do not count. Whether the others were thrown only
    the photographer knows.
    """

    def __init__(self, camera: FolderCamera, clock: Clock, enrolled: EnrolledDice | None = None) -> None:
        self.camera = camera
        self.clock = clock
        self.enrolled = enrolled
        self.reader = DiceReader()
        self.waiting: list[EyeMessage] = []
        self.shown = 0

    def start(self, news: Callable[[], None] | None = None) -> None:  # noqa: ARG002 - it is asked
        self.waiting = [Settled(Reading(()), self.clock.now_s())]

    def turn(self) -> str:
        """Shows the next photograph; returns the dice in it as a line, or what is wrong with it."""
        view = look(self.camera, 1, self.reader, self.enrolled)
        if view is None:
            return f"    {self.camera.degraded.what}" if self.camera.degraded else ""
        self.shown += 1
        now_s = self.clock.now_s()
        self.waiting = [Settled(Reading(()), now_s), Settled(view.reading, now_s)]
        return f"  {view.frame.name}: {display.dice_line(view.reading.dice) or texts.panel.NO_DICE}"

    def messages(self) -> Sequence[EyeMessage]:
        messages, self.waiting = self.waiting, []
        return messages

    def stop(self) -> None:
        self.camera.stop()


class PhotographGame(TerminalGame):
    """A game whose throws are photographs; decisions are typed, or taken by chance without a terminal."""

    dice_are_known = True

    def __init__(
        self,
        camera: FolderCamera,
        keyboard: int | None,
        screen: TextIO,
        enrolled: EnrolledDice | None = None,
        ledger: HealingLedger | None = None,
    ) -> None:
        clock = SystemClock() if keyboard is not None else VirtualClock()
        self.album = Album(camera, clock, enrolled)
        super().__init__(clock, self.album, keyboard, screen, ledger=ledger)
        self.deciders = Deciders(self.table, self.finger, {})
        self.offered: Match | None = None

    def prepare(self) -> None:
        self.album.start()
        for message in self.album.messages():
            self.table.eye(message)

    def seat_players(self, game: str, seats: Sequence[str], seed: int) -> None:  # noqa: ARG002 - of any game
        self.deciders.players = {seat: RandomPlayer(seed + number) for number, seat in enumerate(seats)}

    def by_itself(self, now_s: float) -> str:
        if isinstance(self.table.state.match and self.table.state.match.prompt, ActPrompt):
            self.deciders.step(now_s)
            return ""
        return self.next_photograph()

    def by_typing(self, now_s: float) -> str:  # noqa: ARG002 - photographs need no time
        if self.terminal.degraded:
            return texts.panel.YOU_LEFT
        if self.table.above or self.table.state.awaited is None:
            return ""
        return self.next_photograph()

    def next_photograph(self) -> str:
        match, awaited = self.table.state.match, self.table.state.awaited
        if match is None or awaited is None:
            return ""
        if match is self.offered and not self.album.camera.degraded:
            self.say(f"    {self.table.sentence or texts.throws.wrong_count(0, awaited.counts[0])}")
        if not self.album.camera.left:
            return texts.panel.NO_MORE_PHOTOGRAPHS
        self.offered = match
        self.say(display.awaited_line(match), self.album.turn())
        return ""


class CameraGame(TerminalGame):
    """A game whose dice roll under a camera; the keyboard, if there is one, is the panel.

    `check` answers the first page in a browser, if there is one.
    """

    def __init__(
        self,
        eye: InProcessEye,
        keyboard: int | None,
        screen: TextIO,
        *,
        viewed: bool,
        strict: bool = True,
        ledger: HealingLedger | None = None,
    ) -> None:
        super().__init__(eye.clock, eye, keyboard, screen, viewed=viewed, strict=strict, ledger=ledger)
        self.watching = eye
        self.drawn_s = float("-inf")
        self.notes: Sequence[str] = ()
        self.check: CameraCheck | None = None

    def play(self) -> str:
        try:
            return super().play()
        finally:
            self.eye.stop()

    def by_typing(self, now_s: float) -> str:
        if self.view is not None:
            self.draw(self.view)
        return texts.panel.YOU_LEFT if self.terminal.degraded else self.by_itself(now_s)

    def by_itself(self, now_s: float) -> str:  # noqa: ARG002 - people throw when they like
        """Says what the camera refuses, which it may do only once its picture has settled."""
        if self.check is not None:
            self.check.see()
        notes = tuple(getattr(self.watching.camera, "notes", ()))
        if notes != self.notes:
            self.notes = notes
            if notes:
                self.say(texts.first_page.refuses(", ".join(notes)))
        return ""

    def draw(self, view: TerminalView) -> None:
        """Draws the newest frame, with the values of dice that lie still."""
        frame, keys_name = self.watching.newest, keys_for(self.table)
        decides = keys_name in (*texts.panel.CHOICES, *texts.panel.QUESTIONS)
        keys = texts.panel.terminal_keys(keys_name if decides else "menu")
        # Real dice are thrown by hand, and only a simulated table has faults.
        view.explain({key: text for key, text in keys.items() if key != ":"})
        view.commands()
        if frame is not None and frame.time_s != self.drawn_s:
            self.drawn_s = frame.time_s
            view.tray(frame.pixels, marks(self.table))


def marks(table: Table) -> list[tuple[int, int, str]]:
    """The middle of each die that lies still, and the value read from it."""
    settled = table.acceptance.last_settled
    return [
        (
            die.box[0] + die.box[2] // 2,
            die.box[1] + die.box[3] // 2,
            "?" if die.value is None else str(die.value),
        )
        for die in (settled.reading.dice if settled else ())
    ]


class SimulatedTableGame(TerminalGame):
    """A game whose dice are thrown on a simulated table: the thrower's OK throws them.

    Where it is viewed, faults are typed after `:`.
    """

    how_to_play: Sequence[str] = (texts.panel.TERMINAL_KEYS, texts.panel.ENTER_THROWS)

    def __init__(
        self,
        seed: int,
        keyboard: int | None,
        screen: TextIO,
        *,
        viewed: bool = False,
        strict: bool = True,
        ledger: HealingLedger | None = None,
    ) -> None:
        clock = PacedClock() if keyboard is not None else VirtualClock()
        self.world = World(seed, clock)
        eye = SimulatedEye(self.world)
        super().__init__(clock, eye, keyboard, screen, viewed=viewed, strict=strict, ledger=ledger)
        if self.view is not None:
            self.how_to_play = ()
        self.hands = Hands(self.world)
        self.people = People(self.table, self.hands, self.finger, WantedGame("", ()), {})
        self.peeked: Match | None = None
        self.thrown: tuple[Match | None, int] | None = None

    def prepare(self) -> None:
        """Waits until the eye has seen the empty tray."""
        self.eye.start()
        begun_s = self.clock.now_s()
        while self.table.acceptance.last_settled is None and self.clock.now_s() < begun_s + OPENS_S:
            step(self.clock, self.fingers, self.eye, self.table)

    def seat_players(self, game: str, seats: Sequence[str], seed: int) -> None:
        level = LEVELS["tipsy"]
        self.people.wanted = WantedGame(game, tuple(seats))
        self.people.players = {seat: level(seed + number) for number, seat in enumerate(seats)}

    def take_turns(self) -> str:
        """Plays; a viewed game gives the terminal back once a key is pressed after the end."""
        why = super().take_turns()
        if why or self.view is None:
            return why
        self.view.explain(texts.panel.terminal_keys("over"))
        while not self.view.presses() and self.view.degraded is None:
            now_s = step(self.clock, self.fingers, self.eye, self.table)
            self.view.show(self.table.view)
            self.view.tray(self.world.picture_at(now_s), marks(self.table))
            self.sockets.turn(now_s, self.table, self.archive)
        return ""

    def print_news(self) -> None:
        if not self.typed and self.written < len(self.journal.entries):
            self.terminal.show(self.table.view)
        super().print_news()

    def by_itself(self, now_s: float) -> str:
        self.people.step(now_s)
        return ""

    def rolling(self, now_s: float) -> bool:
        """Whether dice roll or lie unread: a second Enter must not reach over them."""
        still_s = self.world.settled_at_s
        unread = now_s < still_s + READ_S and not self.table.sentence
        return self.thrown == self.awaited and (now_s < still_s or unread)

    @property
    def awaited(self) -> tuple[Match | None, int]:
        """The throw, or part of a reveal, that is awaited."""
        return self.table.state.match, len(self.table.state.shown)

    def by_typing(self, now_s: float) -> str:
        state, people = self.table.state, self.people
        if self.view is not None:
            self.view.explain(texts.panel.terminal_keys(keys_for(self.table)))
            self.view.tray(self.world.picture_at(now_s), marks(self.table))
            for typed in self.view.commands():
                self.say(*run_command(self.world, typed))
        if self.terminal.degraded:
            return texts.panel.YOU_LEFT
        if state.match is not people.match:
            people.follow(state.match)
        seat = state.to_act or ""
        if (
            state.awaited is not None
            and state.panel_seats[state.hands(seat)] in self.terminal.oks
            and not self.table.above
            and not self.rolling(now_s)
        ):
            people.attempt = Attempt(people.attempt.key, aside=people.attempt.aside)
            people.bring_dice(state, now_s)
            self.thrown = self.awaited
        faces = self.hands.faces(seat)
        if faces and self.peeked is not state.match and state.match is not None:
            self.peeked = state.match
            if seat in state.house:
                self.say(f"    {texts.games.cup_of_house(state.hands(seat))}")
            elif isinstance(state.match.prompt, ActPrompt):
                self.say(texts.panel.under_cup(seat, faces))
        return ""


def keys_for(table: Table) -> str:
    """What the keys answer now, as `texts.panel.terminal_keys` calls it."""
    screen, match = table.screen, table.state.match
    if isinstance(screen, OfThrow):
        return "question" if screen.witnesses else "alone"
    return "menu" if table.above or match is None else str(match.prompt.to_json()["kind"])
