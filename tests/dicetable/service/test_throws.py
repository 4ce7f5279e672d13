"""Which pictures may be shown where rows of the ledger cannot be read."""

from __future__ import annotations

from dicetable.ledger.entries import Entry, MemoryJournal, Opened
from dicetable.service.healing_ledger import MemoryArchive
from dicetable.service.throws import Chronicle
from tests.dicetable.ledger.torture import script


class Damaged(MemoryArchive):
    """Some of its rows cannot be read."""

    def __init__(self, entries: list[Entry], gone: set[int]) -> None:
        notebook = MemoryJournal()
        notebook.entries = entries
        super().__init__(notebook)
        self.gone = gone

    def row(self, number: int) -> tuple[int, Entry] | None:
        return None if number in self.gone else super().row(number)


def evening() -> list[Entry]:
    """A game of Liar's Dice whose cups are down."""
    return script("liars_dice", 1)[:2]


def test_pictures_wait_when_the_newest_row_cannot_be_read_at_the_start() -> None:
    entries = evening()
    chronicle = Chronicle(Damaged(entries, {len(entries)}))
    chronicle.step(1000)
    assert chronicle.match.hides(len(entries))
    entries.append(next(entry for entry in script("sixes", 1) if isinstance(entry, Opened)))
    chronicle.step(1000)
    assert not chronicle.match.hides(len(entries)), "a new match is known from its first row"


def test_pictures_wait_when_a_row_that_may_have_put_cups_down_cannot_be_read() -> None:
    entries = evening()
    archive = Damaged(entries, set())
    chronicle = Chronicle(archive)
    chronicle.step(1000)
    archive.gone = {len(entries) + 1}
    entries.append(entries[-1])
    chronicle.step(1000)
    assert chronicle.match.hides(1)
