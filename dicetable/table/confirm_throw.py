"""Questions about a throw that lies in the tray: another seat decides, and the thrower waits."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from common import texts
from dicetable.table import display
from dicetable.table.acceptance import NeedsConfirmation, ThrownDie, misfit
from dicetable.table.keys import Key, Means
from dicetable.table.screen import CONFIRM, YOURS, Choice, PhoneView, Screen, TableControl, lamp
from games.dice import ALIKE, EVERY_KIND, VALUES, Die, Kind
from hardware.ports import Lamp, PanelView


class OfThrow(Screen):
    """A question about a throw.

    OK of one of `witnesses` says yes, OK held by any seat makes the throw void. Without a witness the
    thrower's own OK is taken, and the ledger has "nobody" as the seat that confirmed. Nothing is accepted
    while the dice are not seen to lie still: a hand may turn one. `dice` have the values shown now.
    """

    def __init__(
        self, table: TableControl, thrower: int, witnesses: Sequence[int], throw: NeedsConfirmation
    ) -> None:
        super().__init__(table)
        self.thrower = thrower
        self.witnesses = witnesses
        self.throw = throw
        self.dice = list(throw.dice)

    @property
    @abstractmethod
    def question(self) -> str:
        """The question, as one line."""

    @abstractmethod
    def accept(self, seat: int) -> None:
        """The seat says yes."""

    @property
    def lies_still(self) -> bool:
        return self.table.acceptance.last_settled is not None

    @property
    def answering(self) -> Sequence[int]:
        return self.witnesses or [self.thrower]

    def key(self, key: Key) -> None:
        if key.means is Means.BACK:
            table = self.table
            table.close(self, lambda: table.carry_out(table.acceptance.nobody_agreed(self.throw)))
        elif key.means is Means.OK and key.seat in self.answering and self.lies_still:
            self.accept(key.seat)

    def tick(self) -> None:
        """Dice that are touched meanwhile are no longer those that were thrown; seats come and go."""
        super().tick()
        if self.table.acceptance.confirming is not self.throw:
            self.table.close(self)
        else:
            self.thrower, self.witnesses = self.table.thrower_and_witnesses()

    def phone_of(self, seat: int, answers: Sequence[Choice], void: str) -> PhoneView:
        """The question, with `void` and, while the dice lie still, the `answers` of seats that may."""
        answering = seat in self.answering
        hint = "" if answering else texts.phones.ANOTHER_PLAYER
        hint = hint if self.lies_still else texts.throws.HANDS_OFF
        no = Choice(void, self.keyed(seat, Means.BACK), small=True)
        return PhoneView(
            f"{self.question}\n{hint}".strip(), [*(answers if answering and self.lies_still else ()), no]
        )

    def count(self, seat: int) -> None:
        """The throw counts as shown; the seat also vouches for dice that were not seen to roll."""
        dice = [
            replace(die, details=replace(die.details, vouched_by=self.by(seat))) if die.unseen else die
            for die in self.dice
        ]
        # The screen closes first, so that a row that cannot be written is asked about again.
        accepted = self.table.acceptance.agreed(self.throw, dice)
        self.table.close(self, lambda: self.table.accept(accepted))

    def by(self, seat: int) -> int | Literal["nobody"]:
        """Who answered, as the ledger has it."""
        return seat if self.witnesses else "nobody"

    @property
    def lamps(self) -> Mapping[str, Lamp]:
        lamps = {lamp(seat): CONFIRM for seat in self.answering if self.lies_still}
        return {**lamps, lamp(self.thrower): YOURS} if self.witnesses else lamps


class Vouch(OfThrow):
    """Asks once whether the throw was fair, for all its dice that were not seen to roll."""

    @property
    def question(self) -> str:
        return texts.throws.fair(len(self.throw.unseen))

    def accept(self, seat: int) -> None:
        self.count(seat)

    def phone(self, seat: int) -> PhoneView:
        yes = [Choice(texts.phones.FAIR, self.keyed(seat, Means.OK))]
        return self.phone_of(seat, yes, texts.phones.NOT_FAIR)

    def view(self) -> PanelView:
        answer = texts.throws.HANDS_OFF
        if self.lies_still:
            answer = texts.panel.ANOTHER_SEAT if self.witnesses else texts.panel.SAME_SEAT
        question = self.page(display.wrapped(self.question), 2)
        return self.lines([*question, answer, texts.throws.HOLD_IS_VOID], self.lamps)


class ConfirmReading(OfThrow):
    """Goes through the dice that could not be read or may be cocked.

    `thrower` may change each proposed value, and names it where nothing was read; OK from one of `witnesses`
    accepts the value shown. The OK for the last die also vouches for the dice that were not seen to roll.
    Where a d10 and a percentile die both fit, which differ in their numerals alone, the thrower may change
    the kind as well.
    """

    def __init__(
        self, table: TableControl, thrower: int, witnesses: Sequence[int], throw: NeedsConfirmation
    ) -> None:
        super().__init__(table, thrower, witnesses, throw)
        self.left = [place for place, die in enumerate(throw.dice) if not die.reading.sure]

    @property
    def die(self) -> ThrownDie:
        """The die that people are asked about now, with the value shown."""
        return self.dice[self.left[0]]

    def change(self, kind: Kind, value: int | None) -> None:
        self.dice[self.left[0]] = replace(self.die, kind=kind, value=value)

    @property
    def which(self) -> str:
        return texts.throws.which(self.die.kind, self.throw.rank(self.die))

    @property
    def kinds(self) -> list[Kind]:
        """The kinds that the die may be: its own first, then the one that looks like it."""
        own = self.die.kind
        like, awaited = ALIKE.get(own), self.table.acceptance.awaited
        if like is None or awaited is None:
            return [own]
        thrown = [like if die is self.die else die.kind for die in self.dice]
        return [own] if misfit(thrown, awaited, 0) else [own, like]

    @property
    def vouches(self) -> str:
        """What the next OK says about dice that were not seen to roll; empty if it says nothing."""
        last = len(self.left) == 1
        return texts.throws.vouches_too(len(self.throw.unseen)) if last and self.throw.unseen else ""

    @property
    def question(self) -> str:
        value = self.die.value
        question = texts.throws.which_value(self.which, value)
        if self.die.reading.cocked and value is not None:
            question = texts.throws.is_it_flat(self.which, value)
        return " ".join(filter(None, [question, self.vouches]))

    def key(self, key: Key) -> None:
        """The thrower's − and + change the value."""
        super().key(key)
        if key.means is Means.STEP and key.seat == self.thrower:
            self.change(*self.next_face(key.by))

    def next_face(self, by: int) -> Die:
        """The face after the one shown, or before it: the lowest after the highest of all kinds."""
        kind, value = self.die.kind, self.die.value
        faces = [
            (of_kind, face)
            for of_kind in sorted(self.kinds, key=EVERY_KIND.index)
            for face in VALUES[of_kind]
        ]
        own = [place for place, (of_kind, _) in enumerate(faces) if of_kind == kind]
        place = own[0] if by > 0 else own[-1]
        if value is not None:
            place = (faces.index((kind, value)) + by) % len(faces)
        return faces[place]

    def phone(self, seat: int) -> PhoneView:
        """The thrower may change the value, or the kind; the seats that answer accept it."""
        kind, value = self.die.kind, self.die.value
        yes = []
        if value is not None:
            label = texts.phones.flat(value) if self.die.reading.cocked else texts.phones.it_shows(value)
            yes = [Choice(label, self.keyed(seat, Means.OK))]
        view = self.phone_of(seat, yes, texts.phones.THROW_AGAIN)
        if seat != self.thrower:
            return view

        values = VALUES[kind]
        place = 0 if value is None else values.index(value)
        other_value = Choice(
            texts.phones.OTHER_VALUE, partial(self.change, kind), [(face,) for face in values], place
        )
        kinds = [
            Choice(texts.phones.other_kind(like), partial(self.change, like, None), small=True)
            for like in self.kinds[1:]
        ]
        return PhoneView(view.text, [*view.choices, other_value, *kinds])

    def accept(self, seat: int) -> None:
        """The value counts, if there is one; after the last one the throw does."""
        if self.die.value is None:
            return
        place, die = self.left[0], self.die
        proposed = self.throw.dice[place].value
        details = replace(die.details, confirmed_by=self.by(seat), proposed=proposed)
        self.dice[place] = replace(die, details=details)
        del self.left[0]
        self.table.begin_question()
        if not self.left:
            self.count(seat)

    def view(self) -> PanelView:
        value = self.die.value
        number = len(self.throw.unsure) - len(self.left) + 1
        question, hold = texts.throws.WHICH_VALUE, texts.throws.HOLD_IS_VOID
        if self.die.reading.cocked:
            question, hold = texts.throws.IS_IT_FLAT, texts.throws.IF_COCKED
        accepts = texts.panel.ANOTHER_SEAT if self.witnesses else texts.panel.SAME_SEAT
        hints = [texts.throws.CHANGE_IT, accepts] if self.lies_still else [texts.throws.HANDS_OFF]
        hints += [self.vouches] if self.vouches else []
        return self.lines(
            [
                display.beside(question, f"{number}/{len(self.throw.unsure)}"),
                self.which,
                "> ?" if value is None else f"> {value}?",
                *self.page([*hints, hold], 1),
            ],
            self.lamps,
        )
