"""Tables without pixels: simulated players write whole games into a real ledger, signed for a league."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass, field
from random import Random
from typing import TYPE_CHECKING

from nacl.signing import SigningKey

from common import statements
from dicetable.ledger import database, stored_rows, unsent
from dicetable.ledger.entries import Closed, Decided, Ending, Opened, Thrown
from dicetable.ledger.store import DEFAULT_BOUNDS, Bounds, Ledger
from dicetable.service import league as membership
from dicetable.service.league import Member
from games.match import Correction, Match, in_order
from games.players import LEVELS
from games.prompts import OverPrompt
from games.registry import find
from games.requests import Act
from league import registry
from tests.dicetable.ledger.books import noon
from tests.games.tabletop import Tabletop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from common.statements import Row
    from dicetable.ledger.entries import Entry
    from league.database import Database as League

NAMES = ("Ann", "Bob", "Cleo", "Dan")
GAMES = ("six_by_6", "liars_dice", "sixes")


def entries(game: str, seats: Sequence[str], seed: int, *, ended_early: bool = False) -> Iterator[Entry]:
    """What a table writes down of one match."""
    match = Match.new(game, seats, seed=seed)
    opening = match.opening
    panel_seats = tuple(range(1, len(seats) + 1))
    yield Opened(game, opening.seats, opening.options, opening.seed, opening.draws, panel_seats, None)
    table = Tabletop(match, {seat: LEVELS["tipsy"](number) for number, seat in enumerate(seats)}, seed)
    table.play(5 if ended_early else 100_000)
    for record in in_order(table.match.entries):
        assert not isinstance(record, Correction)
        yield Decided(record.seat, record.action) if isinstance(record, Act) else Thrown(record.dice, None)
    over = isinstance(table.match.prompt, OverPrompt)
    yield Closed(Ending.OVER if over else Ending.ENDED)


@dataclass
class Bar:
    """One table: a ledger in a folder, the key that it signs with, and its id in the league."""

    folder: Path
    seed: int = 1
    names: Sequence[str] = NAMES
    bounds: Bounds = DEFAULT_BOUNDS
    now: Callable[[], datetime] = noon
    key: SigningKey = field(default_factory=SigningKey.generate)
    table: int = 0
    games: int = 0

    def __post_init__(self) -> None:
        self.chance = Random(self.seed)
        self.ledger = Ledger(self.folder, self.bounds, self.now)
        self.ledger.disconnect()
        # Any thread may use it, and it waits for no disk: whether it is durable is tested elsewhere.
        self.ledger.connection = sqlite3.connect(
            self.ledger.path, isolation_level=None, check_same_thread=False
        )
        database.distrust(self.ledger.connection)
        self.ledger.connection.execute("PRAGMA synchronous = OFF")

    def register(self, league: League, now_s: int = 0) -> None:
        code = registry.new_code(league, f"table {self.seed}", now_s)
        self.table = int(str(registry.register(league, self.registration(code), now_s)["table"]), 16)

    def registration(self, code: str) -> bytes:
        public = bytes(self.key.verify_key)
        signature = self.key.sign(statements.registration(code, public)).signature
        return json.dumps({"v": 1, "code": code, "key": public.hex(), "signature": signature.hex()}).encode()

    def play(self, game: str | None = None, seats: Sequence[str] = (), *, ended_early: bool = False) -> None:
        """A whole game, by the seats of the table or by those named."""
        self.games += 1
        game = game or GAMES[self.games % len(GAMES)]
        few = find(game).fewest_seats
        seats = seats or self.chance.sample(list(self.names), self.chance.randint(few, len(self.names)))
        for entry in entries(game, seats, self.chance.randrange(2**32), ended_early=ended_early):
            self.ledger.append(entry)

    def rows(self, first: int = 1) -> list[Row]:
        """The rows from a number on."""
        return [row for row in self.ledger.rows() if row.number >= first]

    def row(self, number: int) -> Row:
        assert self.ledger.connection is not None
        found = stored_rows.row(self.ledger.connection, number)
        assert found is not None
        return found

    def batch(self, rows: Sequence[Row], epoch: int = 1, missing: statements.Missing | None = None) -> bytes:
        return batch(self.key, self.table, rows, epoch, missing)

    def close(self) -> None:
        self.ledger.close()


def join(bar: Bar, table: int) -> None:
    """Puts the table into a league, as `dicetable league register` does."""
    folder = bar.ledger.folder
    after = bar.ledger.last.number if bar.ledger.last else 0
    membership.write(folder, membership.KEY, bytes(bar.key).hex().encode())
    member = Member("http://127.0.0.1", statements.table_name(table), "Left", "League", after)
    membership.write(folder, membership.MEMBER, json.dumps(asdict(member)).encode())
    unsent.acknowledge(folder, after)


def columns(row: Row) -> list[object]:
    """A row as a batch has it."""
    return [
        row.number,
        row.match,
        row.at_utc,
        row.body.decode(),
        row.evidence_sha256.hex(),
        row.previous.hex(),
        row.checksum.hex(),
    ]


def batch(
    key: SigningKey,
    table: int,
    rows: Sequence[Row],
    epoch: int = 1,
    missing: statements.Missing | None = None,
) -> bytes:
    """A batch as a table signs it."""
    last = rows[-1]
    statement = statements.head(table, epoch, missing, last.number, last.checksum)
    found = {
        "v": 1,
        "epoch": epoch,
        "missing": missing.to_json() if missing else None,
        "rows": [columns(row) for row in rows],
        "signature": key.sign(statement).signature.hex(),
    }
    return json.dumps(found).encode()
