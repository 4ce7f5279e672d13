"""Enrolling by throwing: takes the dice that the reader is sure of, and asks people about the others.

A value that a person names is learned if the reader's likeliest value is the same, or when it was named in
two throws whose pictures look alike. If the reader holds another for likelier than not, nothing is learned.
"""

from collections.abc import Callable, Iterator
from typing import Final

from common import texts
from dicetable.eye.enrolling import NotTakenError
from dicetable.eye.stills import frames_of, stills_after_motion
from games.dice import Die
from hardware.ports import Camera
from vision.reader import DiceReader
from vision.reading import SAME_DIE_IOU, Detection, DieReading, Doubt, Image, iou
from vision.recognition.doubts import LIKELIER
from vision.recognition.enrolled import LEAST_ALIKE, EnrolledDice, Prototype
from vision.recognition.enrolment import likest_face
from vision.tray.pose import Tray

THROWS: Final = 10
"""Throws that enrol a set of dice: each face of six d6 shows in ten of them, except for one set in 10,000."""
TOP_NOT_WHOLE: Final = (Doubt.COCKED, Doubt.CUT_BY_FRAME, Doubt.PILE)
"""Doubts of dice whose top face does not show whole."""
VALUE_OPEN: Final = (Doubt.PICTURE, Doubt.SIX_OR_NINE, Doubt.UPSIDE_DOWN)
"""Doubts that leave the value open, however likely it is by what was read."""


class ThrowTaker:
    """Takes dice that are thrown into a tray that was empty, as `background` shows.

    `dice` are those of the last throw that lie flat, from left to right, each with how its face looks, `open`
    the numbers of those that people are still to name, and `shown` the faces that are learned so far.
    """

    def __init__(self, background: Image, reader: DiceReader, tray: Tray | None = None) -> None:
        self.background = background
        self.reader = reader
        self.tray = tray
        self.lying: tuple[DieReading, ...] = ()
        self.dice: list[tuple[DieReading, Prototype]] = []
        self.open: list[int] = []
        self.shown: list[tuple[Die, Prototype]] = []
        self.named_once: list[tuple[Die, Prototype]] = []

    def take(self, frame: Image) -> None:
        """Takes the dice that did not lie so before, and learns the sure ones.

        Raises NotTakenError if there are none.
        """
        read = self.reader.read(frame, self.tray, self.background).dice
        thrown = [die for die in read if die.doubt not in TOP_NOT_WHOLE and not self.lay_before(die)]
        self.lying = read
        if not thrown:
            raise NotTakenError(texts.rig.THROW_AGAIN)
        self.dice = [
            (die, self.reader.prototype(frame, Detection(*die.box, 1.0)))
            for die in sorted(thrown, key=lambda die: die.box[0])
        ]
        self.open = [number for number, (die, _) in enumerate(self.dice) if not die.sure]
        self.shown += [(die.face, prototype) for die, prototype in self.dice if die.sure and die.face]

    def lay_before(self, die: DieReading) -> bool:
        """Whether the frame before shows the same die at the same place."""
        return any(
            iou(die.box, old.box) >= SAME_DIE_IOU and (die.kind, die.value) == (old.kind, old.value)
            for old in self.lying
        )

    def name(self, number: int, die: Die) -> None:
        """Learns an open die of the last throw by the face that a person names.

        Raises NotTakenError, with nothing learned yet, if the reader holds another face for likelier, or must
        hear the same of another throw.
        """
        self.open.remove(number)
        reading, prototype = self.dice[number]
        named = (die, prototype)
        trusted = reading.doubt not in VALUE_OPEN
        if trusted and reading.face == die:
            self.shown.append(named)
            return
        if trusted and reading.face is not None and reading.confidence >= LIKELIER:
            raise NotTakenError(texts.rig.not_learned(*reading.face))
        examples = [named, *self.named_once, *self.shown]
        likest, alike = likest_face(0, EnrolledDice.of(examples)) if len(examples) > 1 else (die, 0.0)
        if alike >= LEAST_ALIKE and likest != die:
            raise NotTakenError(texts.rig.not_learned(*likest))
        before = [example for example in self.named_once if example[0] == die]
        if alike < LEAST_ALIKE or not before:
            self.named_once.append(named)
            raise NotTakenError(texts.rig.NAMED_ONCE)
        self.shown += [*before, named]
        self.named_once = [example for example in self.named_once if example[0] != die]


def thrown(
    camera: Camera,
    reader: DiceReader,
    name: Callable[[int, int], Die | None],
    say: Callable[[str], None],
) -> Iterator[tuple[Die, Prototype]]:
    """Asks for THROWS throws under a running camera, and yields each face that is learned from them.

    `name` is asked what a doubtful die shows, by its number from the left and the number of dice; None leaves
    it out.
    """
    stills = stills_after_motion(frames_of(camera))
    say(texts.rig.SHOW_EMPTY)
    taker = ThrowTaker(next(stills), reader)
    for number in range(THROWS):
        learned = len(taker.shown)
        say(texts.rig.throw_dice(number + 1, THROWS))
        for frame in stills:
            try:
                taker.take(frame)
            except NotTakenError as why:
                say(str(why))
            else:
                break
        for place in list(taker.open):
            die = name(place + 1, len(taker.dice))
            if die is not None:
                try:
                    taker.name(place, die)
                except NotTakenError as why:
                    say(str(why))
        yield from taker.shown[learned:]
