"""A table in a league: its key and registration, two files in the ledger's folder, and what it signs.

The key never leaves the folder: the table signs with it, and the gateway only carries what is signed. The
ledger is the outbox: it is sent in batches, each small enough for a turn of the table's loop. Matches that
began before the table joined are never sent.
"""

from __future__ import annotations

import http.client
import json
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from common import network, statements, strict_json, texts
from common.files import atomic_write, read_file
from common.network import RateLimit
from common.statements import Missing, Row
from dicetable.ledger import database, stored_rows, unsent
from dicetable.ledger.database import DamageError
from dicetable.ledger.entries import BadEntry, Opened, load
from dicetable.ledger.store import Ledger

if TYPE_CHECKING:
    from nacl.signing import SigningKey


KEY: Final = "league.key"
MEMBER: Final = "league.json"
LONGEST_FILE_BYTES: Final = 4096
"""The largest size of either file."""
MOST_BATCH_ROWS: Final = 100
MOST_BATCH_BYTES: Final = 160 * 1024
"""The most bytes of entries in one batch."""
NEVER: Final = 2**62
"""A number that no row has."""
OFTEN: Final = 100
"""The acknowledged row is stored on the disk after this many rows."""
WRITES: Final = (20, 5.0)
"""Writes of the acknowledged row at once, and the seconds until each further one: the loop waits
for the disk."""

log = logging.getLogger(__name__)


NO_LEAGUE: Final = "this is not a league server"
UNREADABLE_REMEDY: Final = "the file is not what was written: `dicetable league leave`, then register again"
NO_CODE: Final = "there is no such code: ask the organiser for a new one"


class MembershipError(Exception):
    """The table cannot join or leave; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Member:
    """The league that a table is in: its server, the table's id there, and the names of both.

    `after` is the last row of the ledger when the table joined; it and earlier rows are never sent.
    """

    server: str
    table: str
    name: str
    league: str
    after: int


def read_member(folder: Path) -> Member | None:
    """The table's membership; None if it is in no league."""
    try:
        member = Member(**strict_json.parse_json(read_file(folder / MEMBER, LONGEST_FILE_BYTES)))
        int(member.table, 16)
    except (OSError, ValueError, TypeError):
        return None
    texts_there = all(isinstance(text, str) for text in (member.server, member.name, member.league))
    return member if texts_there and type(member.after) is int else None


def read_key(folder: Path) -> SigningKey | None:
    from nacl.signing import SigningKey

    try:
        return SigningKey(bytes.fromhex(read_file(folder / KEY, LONGEST_FILE_BYTES).decode("ascii").strip()))
    except (OSError, ValueError):
        return None


def made_key(folder: Path) -> SigningKey:
    """The table's private key; creates one if there is none. Raises MembershipError if it is damaged."""
    from nacl.signing import SigningKey

    signing = read_key(folder)
    if signing is None and (folder / KEY).exists():
        # A new key would replace one that the league may know this table by.
        raise MembershipError(texts.league.damaged_key(str(folder / KEY)))
    if signing is None:
        signing = SigningKey.generate()
        write(folder, KEY, bytes(signing).hex().encode() + b"\n")
    return signing


def write(folder: Path, name: str, data: bytes) -> None:
    """Writes a file that only the table's user can read.

    Root writes it as that user, so that a link in the user's folder leads root to nothing of its own.
    """
    about = folder.stat()
    user, group = os.geteuid(), os.getegid()
    try:
        if user == 0:
            os.setegid(about.st_gid)
            os.seteuid(about.st_uid)
        atomic_write(folder / name, data, private=True)
    finally:
        os.seteuid(user)
        os.setegid(group)


def register(folder: Path, server: str, code: str) -> Member:
    if read_member(folder) is not None:
        raise MembershipError(texts.league.registered_already(str(folder)))
    if not folder.is_dir():
        raise MembershipError(texts.league.no_folder(str(folder)))
    if not code.isascii():
        raise MembershipError(texts.league.refused(server, NO_CODE))
    try:
        after = last_row(folder)
    except (sqlite3.Error, DamageError) as error:
        raise MembershipError(texts.league.damaged_ledger(str(folder), str(error))) from None
    signing = made_key(folder)
    public = bytes(signing.verify_key)
    signature = signing.sign(statements.registration(code, public)).signature
    request = {"v": statements.PROTOCOL, "code": code, "key": public.hex(), "signature": signature.hex()}
    answer = posted(server, "/v1/tables", json.dumps(request).encode())
    try:
        member = Member(server, str(answer["table"]), str(answer["name"]), str(answer["league"]), after)
        is_member = statements.table_name(int(member.table, 16)) == member.table
    except (KeyError, ValueError):
        is_member = False
    if (
        not is_member
        or len(data := json.dumps(asdict(member), indent=1).encode() + b"\n") > LONGEST_FILE_BYTES
    ):
        raise MembershipError(texts.league.refused(server, NO_LEAGUE))
    unsent.acknowledge(folder, member.after)
    write(folder, MEMBER, data)
    return member


def posted(server: str, path: str, data: bytes) -> dict[str, Any]:
    """The server's answer. Raises MembershipError if it refuses or does not answer."""
    try:
        response, answer = network.ask_server(server, "POST", path, data)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise MembershipError(texts.league.unreachable(server, str(error) or type(error).__name__)) from None
    reply: dict[str, Any] = answer if isinstance(answer, dict) else {}
    if response.status != 200 or not reply:
        raise MembershipError(texts.league.refused(server, str(reply.get("message", response.reason))))
    return reply


class NextMatch(NamedTuple):
    """A contest, its game, and who plays at this table now; no one if nothing is due."""

    contest: str
    game: str
    names: list[str]


def next_match(folder: Path, contest: int) -> NextMatch:
    """Asks the league who plays at this table now. Raises MembershipError.

    If players of the ledger have these names, the league gets their ids and no others.
    """
    member, signing = read_member(folder), read_key(folder)
    if member is None or signing is None:
        raise MembershipError(texts.league.NO_MEMBER)
    answer = signed(member, signing, "next", {"contest": contest})
    try:
        players = [(str(player["name"]), str(player["player"])) for player in answer["players"]]
        match = NextMatch(str(answer["contest"]), str(answer["game"]), [name for name, _ in players])
    except (KeyError, TypeError):
        raise MembershipError(texts.league.refused(member.server, NO_LEAGUE)) from None
    wanted = dict(players)
    linked = {player: wanted[name] for player, name in named_players(folder) if name in wanted}
    if linked:
        signed(member, signing, "players", {"players": linked})
    return match


def signed(member: Member, signing: SigningKey, kind: str, content: dict[str, Any]) -> dict[str, Any]:
    return posted(member.server, *signed_request(member, signing, kind, content))


def signed_request(
    member: Member, signing: SigningKey, kind: str, content: dict[str, Any]
) -> tuple[str, bytes]:
    """Path and body of a request that the table signs."""
    path = f"/v1/tables/{member.table}/{kind}"
    text = json.dumps({**content, "at": int(time.time())})
    signature = signing.sign(statements.request(int(member.table, 16), path, text)).signature
    request = {"v": statements.PROTOCOL, "asked": text, "signature": signature.hex()}
    return path, json.dumps(request).encode()


def last_row(folder: Path) -> int:
    """The number of the ledger's last row; 0 before the first. Raises sqlite3.Error, OSError, DamageError."""
    path = folder / database.NAME
    if not path.exists():
        return 0
    with database.reading(), closing(database.connect_to_read(path)) as connection:
        row = stored_rows.last(connection)
        return row.number if row else 0


def named_players(folder: Path) -> list[tuple[str, str]]:
    path = folder / database.NAME
    try:
        with database.reading(), closing(database.connect_to_read(path)) as connection:
            return connection.execute("SELECT id, name FROM player WHERE name IS NOT NULL").fetchall()
    except (OSError, sqlite3.Error, DamageError):
        return []


def leave(folder: Path) -> None:
    """Takes the table out of its league and deletes its key; it can only rejoin as another table."""
    for name in (MEMBER, KEY, unsent.ACKNOWLEDGED):
        (folder / name).unlink(missing_ok=True)


def status(folder: Path) -> dict[str, Any]:
    member = read_member(folder)
    try:
        last = last_row(folder)
    except (sqlite3.Error, DamageError):
        last = None
    return {
        "league": asdict(member) if member else None,
        "last_row": last,
        "acknowledged_row_at_least": unsent.acknowledged(folder) if member else None,
        "pruned_unsent": unsent.pruned(folder),
    }


class LeagueOutbox:
    """The rows that a table in a league sends; looks for its membership until there is one."""

    def __init__(self, ledger: Ledger, now_s: Callable[[], float] = time.monotonic) -> None:
        self.ledger = ledger
        self.member: Member | None = None
        self.key: SigningKey | None = None
        self.remembered = -OFTEN
        self.writes = RateLimit(now_s, *WRITES)
        self.judged = (0, False)

    def answer(self, number: int) -> bytes:
        """The table's id, a line feed, and a signed batch of the rows from `number` on, if there are any.

        Empty if the table is in no league. `number` 0 requests only the id.
        """
        self.join()
        if self.member is None or self.key is None:
            return b""
        table = self.member.table.encode() + b"\n"
        try:
            with database.reading():
                return table + (self.batch(number, self.member, self.key) if number else b"")
        except (sqlite3.Error, DamageError, OSError) as error:
            log.warning("league=later row=%d error=%r", number, str(error))
            return table

    def join(self) -> None:
        """Loads a membership that was created, or ended, while the table runs."""
        member = read_member(self.ledger.folder)
        if member != self.member:
            if member is None and (self.ledger.folder / MEMBER).exists():
                log.warning("league=forgotten file=%s remedy=%r", MEMBER, UNREADABLE_REMEDY)
            self.member = member
            self.key = read_key(self.ledger.folder) if member else None
            self.judged = (0, False)

    def batch(self, number: int, member: Member, key: SigningKey) -> bytes:
        begins = number <= member.after + 1
        number = max(number, member.after + 1)
        self.remember(number - 1)
        rows = self.rows(number, member, begins=begins)
        if not rows:
            return b""
        first, last = rows[0], rows[-1]
        missing = None
        if first.number > number and (not begins or number < self.ledger.first):
            missing = Missing(number, first.number - 1, self.why_missing(number, first.number))
        epoch = self.epoch_of(first.number)
        statement = statements.head(int(member.table, 16), epoch, missing, last.number, last.checksum)
        batch = {
            "v": statements.PROTOCOL,
            "epoch": epoch,
            "missing": missing.to_json() if missing else None,
            "rows": [columns(row) for row in rows],
            "signature": key.sign(statement).signature.hex(),
        }
        return json.dumps(batch, ensure_ascii=False, separators=(",", ":")).encode()

    def remember(self, has: int) -> None:
        has = min(has, self.ledger.last.number if self.ledger.last else 0)
        self.ledger.league_has = max(self.ledger.league_has, has)
        if not 0 <= has - self.remembered < OFTEN and self.writes.allows(""):
            unsent.acknowledge(self.ledger.folder, has)
            self.remembered = has

    def rows(self, number: int, member: Member, *, begins: bool) -> Sequence[Row]:
        """The next rows of one epoch without a gap; the first row ever sent opens a match."""
        rows: list[Row] = []
        size = 0
        while (row := self.next_row(number)) is not None:
            if not self.may_go(row, member) or (begins and not rows and not row.opens):
                if rows:
                    break
                # A match that must not go is passed over whole.
                number = self.next_opening(row.number)
                continue
            size += len(row.body)
            goes_on = not rows or (row.number == rows[-1].number + 1 and stored_rows.epoch_in(row) is None)
            if not goes_on or (rows and (len(rows) >= MOST_BATCH_ROWS or size > MOST_BATCH_BYTES)):
                break
            rows.append(row)
            number = row.number + 1
        return rows

    def next_row(self, number: int) -> Row | None:
        connection, last = self.ledger.connection, self.ledger.last
        if connection is None or last is None:
            return None
        (following,) = connection.execute(
            "SELECT min(number) FROM entry WHERE number BETWEEN ? AND ?", (number, last.number)
        ).fetchone()
        return stored_rows.row(connection, following) if following else None

    def next_opening(self, after: int) -> int:
        """The next row that opens a match or begins an epoch; NEVER if there is none."""
        if self.ledger.connection is None:
            return NEVER
        (opening,) = self.ledger.connection.execute(
            "SELECT min(number) FROM entry WHERE number > ? "
            "AND (number = match OR number IN (SELECT first FROM epoch))",
            (after,),
        ).fetchone()
        return int(opening) if opening else NEVER

    def why_missing(self, number: int, first: int) -> str:
        """Why the rows from `number` up to the one before `first` are not sent."""
        if number < self.ledger.first:
            return "pruned"
        return "private" if (row := self.next_row(number)) is not None and row.number < first else "lost"

    def may_go(self, row: Row, member: Member) -> bool:
        """Whether a row may leave the table.

        Its match began after the table joined, under the table's own eye, and people alone play it.
        """
        if stored_rows.epoch_in(row) is not None:
            return True
        if row.match != self.judged[0]:
            opening = row if row.opens else self.next_row(row.match)
            joined = opening is not None and opening.number == row.match > member.after
            self.judged = (row.match, joined and opening is not None and not self.stays(opening))
        return self.judged[1]

    def stays(self, opening: Row) -> bool:
        """Whether a match does not count in a league.

        The house played, or the pictures came through the gateway, which could have shown anything.
        """
        try:
            entry = load(self.ledger.players.to_names(opening.body))
        except BadEntry:
            return False
        return isinstance(entry, Opened) and (entry.frames_by is not None or bool(entry.house))

    def epoch_of(self, number: int) -> int:
        if self.ledger.connection is None:
            return self.ledger.epoch
        (epoch,) = self.ledger.connection.execute(
            "SELECT coalesce(max(number), 1) FROM epoch WHERE first <= ?", (number,)
        ).fetchone()
        return int(epoch)


def columns(row: Row) -> list[object]:
    return [
        row.number,
        row.match,
        row.at_utc,
        row.body.decode(),
        row.evidence_sha256.hex(),
        row.previous.hex(),
        row.checksum.hex(),
    ]
