"""The question whether a throw is corrected: whose it was, what it showed, what it is to show."""

from collections import Counter
from collections.abc import Sequence

from common import texts
from dicetable.ledger.entries import Corrected
from dicetable.table.pages import Confirm
from dicetable.table.screen import TableControl
from games import words
from games.dice import Die


class CorrectThrow(Confirm):
    """Asks another seat whether the throw that led to `revision` showed `dice`, in the order of `before`."""

    def __init__(
        self,
        table: TableControl,
        asker: int,
        revision: int,
        thrower: str,
        before: Sequence[Die],
        after: Sequence[Die],
    ) -> None:
        self.revision = revision
        self.thrower = thrower
        self.before = tuple(before)
        self.dice = paired(before, after)
        self.written = False
        self.opened = table.state.opened
        changed = [place for place, die in enumerate(self.dice) if die != self.before[place]]
        body = texts.throws.corrects(
            thrower,
            words.dice([self.before[place] for place in changed]),
            words.dice([self.dice[place] for place in changed]),
        )
        super().__init__(table, asker, texts.panel.IS_IT_RIGHT, body, self.correct)

    def correct(self, seat: int) -> None:
        """Corrects the throw, if its game goes on."""
        by = (self.asker, seat) if self.asker else (seat,)
        if self.table.state.opened is self.opened and self.table.state.match is not None:
            self.written = self.table.write(Corrected(self.revision, self.dice, by))


def paired(before: Sequence[Die], after: Sequence[Die]) -> tuple[Die, ...]:
    """The dice of `after` in such an order that as many as can be stay where they are in `before`."""
    removed = Counter(before) - Counter(after)
    if sum(old != new for old, new in zip(before, after, strict=True)) == removed.total():
        return tuple(after)
    added = list((Counter(after) - Counter(before)).elements())
    dice: list[Die] = []
    for die in before:
        if removed[die]:
            removed[die] -= 1
            fresh = next(new for new in added if new[0] == die[0])
            added.remove(fresh)
            dice.append(fresh)
        else:
            dice.append(die)
    return tuple(dice)
