"""Matches what the eye saw to what the game waits for. Everything that plays a game goes through here.

Takes readings, gives the dice that count or a plain sentence why none do. Changes no match: that is for
whoever asked. Knows no camera, no panel driver and no clock, and nothing of any one game.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from dicetable import texts
from dicetable.ledger.entries import LyingDie
from dicetable.throws.places import same_place
from games import words
from games.dice import KINDS
from vision.motion.flight import SLOWEST_FPS, Arrival
from vision.reading import Doubt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from games.dice import Die, Kind
    from vision.motion.flight import Flight
    from vision.reading import DieReading, Reading


@dataclass(frozen=True, slots=True)
class Due:
    """The dice that are awaited.

    Attributes:
        kinds: those that may be thrown, one entry for each die.
        counts: how many; any of these numbers fits, the one to ask for first.
        aside: dice thrown before that still count as they lie.
        reveal: they were cast before, under cups: nobody may throw them again.
    """

    kinds: tuple[Kind, ...]
    counts: tuple[int, ...]
    aside: tuple[Die, ...] = ()
    reveal: bool = False


@dataclass(frozen=True, slots=True)
class Fits:
    """A reading beyond doubt: the dice that count, in the reading's order, and all that lie in the tray."""

    dice: tuple[Die, ...]
    lying: tuple[LyingDie, ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """A fair throw of dice that lie flat, of which some could not be read for sure.

    Attributes:
        dice: those that count, with their likeliest values.
        lying: all that lie in the tray.
        unsure: the numbers of the dice that somebody has to confirm.
        ranks: of each of `dice`, which from the left it is of all in the tray, from 1.
        positions_mm: of each of `dice`, where it lies, if that is known.
    """

    dice: tuple[Die, ...]
    lying: tuple[LyingDie, ...]
    unsure: tuple[int, ...]
    ranks: tuple[int, ...]
    positions_mm: tuple[tuple[float, float] | None, ...]


NOT_FLAT: Final = frozenset(
    {Doubt.COCKED, Doubt.COVERED, Doubt.CUT_BY_FRAME, Doubt.PILE, Doubt.UNKNOWN_DIE, Doubt.PART_OF_THE_TRAY}
)
"""Why a die that was thrown is thrown again; with any other doubt it lies flat and can be confirmed."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A reading that changes nothing, and the sentence that says why and what to do.

    `void`: the dice that were thrown count as lying there from before.
    """

    text: str
    void: bool = False


Answer: TypeAlias = Fits | Unread | Refused | None
"""None: nothing was thrown."""


class Session:
    """What lies in the tray from before, so that only what was thrown since counts.

    `lying` are all dice as they lay when dice were last accepted, or None if nobody could see them: then the
    next reading only says what lies there. Dice of it that are seen to be taken up are remembered, so that
    a die which only was pushed is never taken for one that was thrown.

    Where throws are `strict`, only dice count that were seen to be thrown, and a throw that does not count is
    void: all its dice lie there from before, so that each has to leave the tray and be thrown again.
    `consent` is set where a hand came over dice before they were read: somebody else has to agree to another
    throw.
    """

    def __init__(self, lying: Sequence[LyingDie] | None = (), *, strict: bool = False) -> None:
        self.strict = strict
        self.consent = self.knocked = False
        self.lying: tuple[LyingDie, ...] = ()
        self.lifted: set[int] = set()
        self.stirred = self.known = False
        self.rest(lying)

    def rest(self, lying: Sequence[LyingDie] | None) -> None:
        """From here on these dice lie there from before; None if it has yet to be seen which do."""
        self.lying = tuple(lying or ())
        self.lifted = set()
        self.stirred = self.knocked = False
        self.known = lying is not None

    def stir(self) -> None:
        """Something moves in the tray: a reading that finds all as it was is then worth a word."""
        self.stirred = True

    def doubt(self) -> None:
        """The tray was out of sight: the next reading's dice are not to count, whatever they are."""
        self.known = False

    def see(self, reading: Reading, due: Due | None, flight: Flight | None = None) -> Answer:
        """The dice that count if they surely meet the prompt, else why not; None: nothing was thrown.

        Args:
            reading: all dice in view, lying still.
            due: what is awaited; None if no dice are.
            flight: how they came to lie there; it is needed where throws are strict.
        """
        if not self.strict or due is None or due.reveal:
            return self.match(reading, due)
        if flight is not None:
            self.knocked |= flight.knocked
            self.consent |= flight.interfered
        answer = self.match(reading, due, flight)
        if isinstance(answer, Refused) and answer.void:
            self.rest(as_lying(reading.dice))
        return answer

    def match(self, reading: Reading, due: Due | None, flight: Flight | None = None) -> Answer:
        """The answer, by this reading alone where no flight is given."""
        places = places_of(reading.dice, self.lying)
        fresh = [die for die, place in zip(reading.dice, places, strict=True) if place is None]
        left = {place for place in places if place is not None}
        gone = set(range(len(self.lying))) - self.lifted - left
        if not self.known:
            self.rest(as_lying(reading.dice))
            return Refused(texts.throws.not_seen(reveal=due.reveal)) if fresh and due else None
        if not fresh:
            self.lifted |= gone
            self.lifted -= left
            if due and self.consent and not due.reveal:
                return Refused(texts.throws.HAND_OVER_DICE)
            if due and left and not gone and self.stirred and not due.reveal:
                return Refused(texts.throws.nothing_thrown(due.counts[0]))
            return None
        if due is None:
            return None
        if self.strict and not due.reveal:
            return self.strictly(reading, places, due, flight)
        if why := doubts(fresh, reveal=due.reveal) or misfit(fresh, due, len(left) - len(due.aside)):
            return Refused(why)
        if self.pushed(fresh, gone, left, due):
            if due.reveal:
                self.lifted |= gone
            return Refused(texts.throws.old_die_moved(reveal=due.reveal))
        return Fits(tuple((d.kind, d.value) for d in fresh if d.kind and d.value), as_lying(reading.dice))

    def strictly(
        self, reading: Reading, places: Sequence[int | None], due: Due, flight: Flight | None
    ) -> Fits | Unread | Refused:
        """The answer to fresh dice, those without a place from before, where throws are strict."""
        numbers = [i for i, place in enumerate(places) if place is None]
        fresh = [reading.dice[i] for i in numbers]
        left = {place for place in places if place is not None}
        if why := self.unfair(numbers, flight):
            return Refused(why, void=True)
        hard = [die for die in fresh if die.doubt in NOT_FLAT or (die.doubt and not (die.kind and die.value))]
        if why := doubts(hard, reveal=False) or misfit(fresh, due, len(left) - len(due.aside)):
            return Refused(texts.throws.void(why, len(reading.dice) - len(due.aside)), void=True)
        dice = tuple((die.kind, die.value) for die in fresh if die.kind and die.value)
        lying = as_lying(reading.dice)
        unsure = tuple(i for i, die in enumerate(fresh) if not die.sure)
        if not unsure:
            return Fits(dice, lying)
        from_left = sorted(range(len(reading.dice)), key=lambda i: reading.dice[i].box[0])
        ranks = tuple(from_left.index(i) + 1 for i in numbers)
        return Unread(dice, lying, unsure, ranks, tuple(die.position_mm for die in fresh))

    def unfair(self, fresh: Sequence[int], flight: Flight | None) -> str | None:
        """The sentence about fresh dice (their numbers in the reading) that were not seen to be thrown."""
        if flight is None:
            return texts.throws.EMPTY_FIRST
        if not flight.followed:
            return texts.throws.too_slow(round(flight.fps), SLOWEST_FPS)
        if self.consent:
            return texts.throws.HAND_OVER_DICE
        came = Counter(flight.arrivals[i] for i in fresh)
        if came[Arrival.UNSEEN]:
            return texts.throws.not_seen(reveal=False)
        if came[Arrival.THROWN] < len(fresh):
            return texts.throws.placed(len(fresh) - came[Arrival.THROWN])
        return texts.throws.old_die_moved(reveal=False) if self.knocked else None

    def pushed(self, fresh: Sequence[DieReading], gone: set[int], left: set[int], due: Due) -> bool:
        """Whether one of the fresh dice may be an old one that was only pushed.

        It cannot be if no die left its place unseen that is of a kind with a fresh one. Otherwise all that
        was thrown must have been taken up here, and nothing that counts as it lies may be among it.
        """
        thrown = Counter(die.kind for die in fresh)
        unseen = Counter(self.lying[place].kind for place in gone)
        unknown = unseen.pop(None, 0)
        if not unknown and not any(kind in thrown for kind in unseen):
            return False
        seen = Counter(self.lying[place].kind for place in self.lifted - left)
        others = thrown - unseen
        strangers = others - seen
        if unseen - thrown or others.total() < unknown or strangers.total() > unknown + seen[None]:
            return True
        taken = Counter((self.lying[place].kind, self.lying[place].value) for place in gone)
        stay = Counter((self.lying[place].kind, self.lying[place].value) for place in gone | left)
        return any(
            stay[die] - taken[die] < min(count, stay[die]) for die, count in Counter(due.aside).items()
        )


def as_lying(dice: Iterable[DieReading]) -> tuple[LyingDie, ...]:
    """The dice as they are remembered; of one that is not sure only where it lies."""
    return tuple(
        LyingDie(die.kind if die.sure else None, die.value if die.sure else None, die.box, die.position_mm)
        for die in dice
    )


def places_of(dice: Sequence[DieReading], lying: Sequence[LyingDie]) -> list[int | None]:
    """For each die the place in `lying` of the one that it is, unmoved and showing the same; each only once.

    Of a die that was or is not sure only its place can tell.
    """
    free = set(range(len(lying)))
    found: list[int | None] = []
    for die in dice:
        same = [
            place
            for place in free
            if same_place(die, lying[place]) >= 1
            and (
                not die.sure
                or lying[place].value is None
                or (die.kind, die.value) == (lying[place].kind, lying[place].value)
            )
        ]
        best = max(same, key=lambda place: same_place(die, lying[place]), default=None)
        if best is not None:
            free.remove(best)
        found.append(best)
    return found


def doubts(dice: Sequence[DieReading], *, reveal: bool) -> str | None:
    """The sentence about dice that are not the table's, lean, or could not be read, if there are any."""
    if strangers := [die for die in dice if die.doubt is Doubt.UNKNOWN_DIE]:
        return texts.throws.strangers(len(strangers), reveal=reveal)
    if cocked := [die for die in dice if die.cocked]:
        return texts.throws.leaning(cocked[0].kind, reveal=reveal)
    if unsure := [die for die in dice if not die.sure]:
        likely = [words.die(str(die.kind), die.value) for die in unsure if die.value is not None]
        return texts.throws.unsure(len(unsure), likely, reveal=reveal)
    return None


def misfit(dice: Sequence[DieReading], due: Due, old: int) -> str | None:
    """The sentence about a wrong kind or number of dice; `old` ones to be thrown still lie unmoved."""
    allowed = Counter(due.kinds)
    for kind, count in Counter(die.kind for die in dice).items():
        if kind is None or kind not in allowed:
            return texts.throws.wrong_kind(str(kind), ordered(due.kinds))
        if count > allowed[kind] and len(dice) in due.counts:
            return texts.throws.wrong_kind(f"second {kind}", ordered(due.kinds))
    if len(dice) in due.counts:
        return None
    missing = due.counts[0] - len(dice)
    if 0 < missing <= old and not due.reveal:
        return texts.throws.left_lying(missing)
    return texts.throws.wrong_count(len(dice), due.counts[0])


def ordered(kinds: Iterable[Kind]) -> list[Kind]:
    """Each kind once, d4 first."""
    return sorted(set(kinds), key=KINDS.index)
