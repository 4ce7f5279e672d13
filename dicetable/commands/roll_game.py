"""Rolls at a terminal or as JSON: what becomes of each throw, on the table that plays every game."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, TextIO

from common import texts
from dicetable.commands.terminal_game import (
    CameraGame,
    PhotographGame,
    SimulatedTableGame,
    TerminalGame,
)
from dicetable.commands.umpire import Word, arrivals, judged
from dicetable.commands.usage import complain
from dicetable.eye.in_process import InProcessEye
from dicetable.eye.messages import EyeMessage
from dicetable.ledger.entries import Entry, Journal, Thrown
from dicetable.service.healing_ledger import HealingLedger
from dicetable.table.acceptance import NeedsConfirmation, Outcome, Rejected, Throw, Void
from dicetable.table.confirm_throw import Vouch
from dicetable.table.table import Table
from games.formula import parse, sum_of
from games.game import MOST
from games.requests import JsonObject
from hardware.photograph import FolderCamera
from hardware.ports import Degraded, Frame, Pixels
from hardware.recordings import Recording
from vision.observer import Observer
from vision.reading import Arrival, DieReading, Settled
from vision.recognition.enrolled import EnrolledDice

VERSION: Final = 1
GAME: Final = "rolls"


@dataclass(frozen=True, slots=True)
class RolledDie:
    """One die of a throw as it is told; `box` is None for a die that was entered by hand."""

    kind: str | None
    value: int | None
    sure: bool
    doubt: str | None
    arrival: str
    box: list[int] | None
    counts: bool = True

    @property
    def shown(self) -> str:
        """The value for people, with a question mark if the camera was not sure of it."""
        return f"{'' if self.value is None else self.value}{'' if self.sure else '?'}" or "?"

    def to_json(self) -> JsonObject:
        return {
            "kind": self.kind,
            "value": self.value,
            "sure": self.sure,
            "doubt": self.doubt,
            "arrival": self.arrival,
            "box": self.box,
        }


@dataclass(frozen=True, slots=True)
class RollLine:
    """One line about a throw.

    Attributes:
        throw: its number; a throw that waited for people has a second line with the same number.
        total: what its dice add up to, `result` what the formula makes of them; None if it does not count.
        natural: 20 or 1 if the only d20 that counts shows it.
    """

    throw: int
    word: Word
    reason: str | None
    dice: tuple[RolledDie, ...]
    total: int | None = None
    formula: str | None = None
    result: int | None = None
    natural: int | None = None

    def to_json(self, accepted: datetime) -> JsonObject:
        return {
            "v": VERSION,
            "throw": self.throw,
            "at": accepted.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "verdict": self.word,
            "reason": self.reason,
            "dice": [die.to_json() for die in self.dice],
            "total": self.total,
            "formula": self.formula,
            "result": self.result,
        }

    def for_people(self) -> str:
        """A line such as `d20 17 + d6 4 = 21`."""
        dice = [(die.kind or "?", die.shown, die.counts) for die in self.dice]
        if self.total is None:
            return f"{texts.rolls.dice_line(dice)}: {self.reason}" if dice else str(self.reason)
        line = texts.rolls.sum_line(dice, self.total)
        if self.formula is not None and self.result is not None:
            line = texts.rolls.result_line(dice, self.formula, self.result)
        return f"{line}, {texts.rolls.natural(self.natural)}" if self.natural else line


class Teller:
    """Makes the lines of a table's outcomes, in order; `tell` gets each."""

    def __init__(self, tell: Callable[[RollLine], None], formula: str | None) -> None:
        self.tell = tell
        self.formula = formula
        self.number = 0
        self.throw: Throw | None = None
        self.rejected: object = None
        self.totals: list[int] = []
        self.scale = 1
        self.dice = 0

    def judge(self, outcome: Outcome, settled: Settled | None) -> None:
        """Tells what the table says of a throw that does not count yet, or never will."""
        word, reason = judged(outcome)
        if isinstance(outcome, Throw):
            self.number += 1
            self.throw = outcome
            if isinstance(outcome, NeedsConfirmation):
                faces = [(die.kind, die.value) for die in outcome.dice]
                dice = self.as_read(outcome.settled, outcome.numbers, faces)
                self.tell(RollLine(self.number, word, reason, dice, formula=self.formula))
            return
        if not isinstance(outcome, Void | Rejected) or reason == texts.throws.NO_NEW_DICE:
            return
        lying = tuple((die.kind, die.value, die.box) for die in outcome.reading.dice)
        if not lying or (isinstance(outcome, Rejected) and self.rejected == (reason, lying)):
            return
        self.rejected = (reason, lying)
        if isinstance(outcome, Rejected) and any(die.doubt for die in outcome.reading.dice):
            word = Word.UNREAD
        was_asked = (
            isinstance(self.throw, NeedsConfirmation) and self.throw.settled.reading is outcome.reading
        )
        self.number += not was_asked
        self.throw = None
        numbers = outcome.fresh if isinstance(outcome, Void) else tuple(range(len(lying)))
        told: tuple[RolledDie, ...] = ()
        if settled is not None and settled.reading is outcome.reading:
            told = self.as_read(settled, numbers)
        self.tell(RollLine(self.number, word, reason, told, formula=self.formula))

    def count(self, entry: Thrown, throw: Throw | None, rolled: JsonObject) -> None:
        """Tells a throw that counts: the entry of the ledger, and the event of the game."""
        if throw is None or self.throw is None:
            self.number += 1
        self.throw = self.rejected = None
        if throw is None:
            dice = tuple(
                RolledDie(kind, value, sure=True, doubt=None, arrival=Arrival.UNSEEN, box=None)
                for kind, value in entry.dice
            )
        else:
            dice = self.as_read(throw.settled, throw.numbers, entry.dice, rolled["kept"])
        total = sum_of(entry.dice).total
        result = rolled["total"] if self.formula else None
        self.totals.append(rolled["total"])
        self.dice += len(dice)
        self.tell(
            RollLine(
                self.number, Word.COUNTS, None, dice, total, self.formula, result, natural=rolled["natural"]
            )
        )

    def as_read(
        self,
        settled: Settled,
        numbers: Sequence[int],
        decided: Sequence[tuple[str, int | None]] = (),
        counted: Sequence[bool] | None = None,
    ) -> tuple[RolledDie, ...]:
        """The dice with these numbers in the reading, with the values that were decided for them."""
        how = arrivals(settled)
        dice: list[DieReading] = [settled.reading.dice[number] for number in numbers]
        values: Sequence[tuple[str | None, int | None]] = decided or [(die.kind, die.value) for die in dice]
        return tuple(
            RolledDie(
                kind,
                value,
                die.sure,
                die.doubt,
                how[number],
                [side * self.scale for side in die.box],
                counted is None or counted[place],
            )
            for place, (number, die, (kind, value)) in enumerate(zip(numbers, dice, values, strict=True))
        )

    def summary(self) -> str:
        if not self.totals:
            return texts.rolls.NO_ROLLS
        mean = sum(self.totals) / len(self.totals)
        missed = self.number - len(self.totals)
        return texts.rolls.summary(len(self.totals), self.dice, max(self.totals), mean, missed)


class RollTable(Table):
    """A table that reports what becomes of each throw to its teller.

    Args:
        asks: whether people are asked about doubtful dice and about dice that were not seen to roll; if not,
            such a throw does not count.
    """

    def __init__(
        self, journal: Journal, draw_seed: Callable[[], int], teller: Teller, *, asks: bool, strict: bool
    ) -> None:
        self.teller = teller
        self.asks = asks
        super().__init__(journal, draw_seed, strict=strict)

    def eye(self, message: EyeMessage) -> None:
        super().eye(message)
        if isinstance(message, Settled):
            # The only seat has no other that could agree to a new throw.
            self.acceptance.consent()

    def carry_out(self, outcome: Outcome | None) -> None:
        if outcome is not None:
            self.teller.judge(outcome, self.acceptance.last_settled)
        super().carry_out(outcome)

    def write(self, entry: Entry, throw: Throw | None = None) -> bool:
        if not super().write(entry, throw):
            return False
        match = self.state.match
        if isinstance(entry, Thrown) and match is not None:
            self.teller.count(entry, throw, match.events[-1])
        return True

    def ask_about(self, throw: NeedsConfirmation) -> None:
        if not self.asks:
            self.acceptance.nobody_agreed(throw)
        elif throw.unsure:
            super().ask_about(throw)
        else:
            thrower, witnesses = self.thrower_and_witnesses()
            self.open(Vouch(self, thrower, witnesses, throw))


class FrameClock:
    """A clock that stands still between the frames of a recording."""

    def __init__(self) -> None:
        self.time_s = 0.0

    def now_s(self) -> float:
        return self.time_s

    def sleep(self, seconds: float) -> None:
        """Returns at once: the next frame moves the clock."""


class FileCamera:
    """The frames of a recording, one each time it is asked, as fast as they are taken."""

    def __init__(self, frames: Iterator[tuple[float, Pixels]], clock: FrameClock) -> None:
        self.frames = frames
        self.clock = clock
        self.degraded: Degraded | None = None
        self.ended = False

    def start(self) -> None:
        """It is open already."""

    def frame(self, timeout_s: float) -> Frame | None:  # noqa: ARG002 - a file does not wait
        timed = next(self.frames, None)
        if timed is None:
            self.ended = True
            return None
        self.clock.time_s = max(self.clock.time_s, timed[0])
        return Frame(timed[1], timed[0])

    def stop(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class RollSettings:
    """How rolls are judged and told.

    Attributes:
        formula: the dice to throw and what they make; None for any dice.
        as_json: a line of JSON for each throw, and nothing else on standard output.
        asks: whether people are asked about doubtful dice.
        strict: whether dice have to be seen to roll.
        viewed: whether tray and panel fill the terminal.
        ledger: None if nothing is stored.
    """

    formula: str | None = None
    as_json: bool = False
    asks: bool = False
    strict: bool = True
    viewed: bool = False
    ledger: HealingLedger | None = None


class Rolling(TerminalGame):
    """What all rolls share: the table that tells them, and their lines in place of a game's narration."""

    how_to_play: Sequence[str] = (texts.rolls.HOW_TO_ROLL,)

    def set_up(self, settings: RollSettings) -> None:
        """Must come before the game itself is made, which makes the table."""
        self.settings = settings
        self.teller = Teller(self.tell, parse(settings.formula).text if settings.formula else None)
        self.trouble: Degraded | None = None

    def begin(self, seed: int) -> None:
        """Opens the rolls, in a tray whose dice the table has yet to see."""
        options: dict[str, int | str] = {"rolls": MOST}
        if self.teller.formula:
            options["formula"] = self.teller.formula
        self.open(GAME, (texts.rolls.YOU,), seed, options)
        self.table.acceptance.set_baseline(())

    def new_table(self, journal: Journal, *, strict: bool) -> Table:
        return RollTable(journal, lambda: self.seed, self.teller, asks=self.settings.asks, strict=strict)

    def ended(self, why: str) -> None:
        """Says nothing: there is no winner, and the summary comes last."""

    def print_news(self) -> None:
        """Reports a camera that fails; the teller tells the throws."""
        trouble = self.table.degraded.get("camera")
        if trouble != self.trouble:
            self.trouble = trouble
            if trouble is not None:
                complain(f"dicetable roll: {trouble.what}: {trouble.remedy}")

    def say(self, *lines: str) -> None:
        if not self.settings.as_json:
            super().say(*lines)

    def tell(self, line: RollLine) -> None:
        if self.settings.as_json:
            print(json.dumps(line.to_json(datetime.now(UTC))), flush=True)
        else:
            self.say(line.for_people())


class CameraRolls(Rolling, CameraGame):
    """Rolls under a camera."""

    def __init__(
        self, settings: RollSettings, eye: InProcessEye, keyboard: int | None, screen: TextIO
    ) -> None:
        self.set_up(settings)
        strict, viewed = settings.strict, settings.viewed
        super().__init__(eye, keyboard, screen, viewed=viewed, strict=strict, ledger=settings.ledger)


class RecordedRolls(CameraRolls):
    """Rolls in a video, as fast as this machine allows; it ends with the video."""

    how_to_play: Sequence[str] = ()

    def __init__(
        self, settings: RollSettings, recording: Recording, observer: Observer, screen: TextIO
    ) -> None:
        self.recording = recording
        clock = FrameClock()
        self.file = FileCamera(recording.frames(), clock)
        super().__init__(settings, InProcessEye(self.file, clock, observer), None, screen)

    def by_itself(self, now_s: float) -> str:  # noqa: ARG002 - the video has its own time
        return texts.rolls.VIDEO_ENDED if self.file.ended else ""


class PhotographedRolls(Rolling, PhotographGame):
    """Rolls in a folder of photographs, one in each."""

    def __init__(
        self, settings: RollSettings, camera: FolderCamera, enrolled: EnrolledDice | None, screen: TextIO
    ) -> None:
        self.set_up(settings)
        self.failed = False
        super().__init__(camera, None, screen, enrolled, settings.ledger)

    def next_photograph(self) -> str:
        if not self.album.camera.left:
            return texts.panel.NO_MORE_PHOTOGRAPHS
        self.album.turn()
        self.teller.scale = self.album.camera.scale
        degraded = self.album.camera.degraded
        if degraded is not None:
            self.failed = True
            complain(f"dicetable roll: {degraded.what}: {degraded.remedy}")
        return ""


class SimulatedRolls(Rolling, SimulatedTableGame):
    """Rolls on a simulated table: Enter throws, or simulated people do without a keyboard."""

    how_to_play: Sequence[str] = (texts.panel.ENTER_THROWS,)

    def __init__(self, settings: RollSettings, seed: int, keyboard: int | None, screen: TextIO) -> None:
        self.set_up(settings)
        strict, viewed = settings.strict, settings.viewed
        super().__init__(seed, keyboard, screen, viewed=viewed, strict=strict, ledger=settings.ledger)
