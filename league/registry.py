"""Game tables: they register a key with a one-time code of the organiser's, and sign all their requests."""

import hashlib
import secrets
import time
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from common import statements, strict_json
from league.database import Database, Refusal, Session, meta

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""No letters and digits that look alike."""
CODE_LETTERS: Final = 16
CODE_LIFE_S: Final = 24 * 3600
LONGEST_NAME: Final = 40
INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Characters that Python calls printable and that show nothing: a name with one looks like another's."""
TABLE_BITS: Final = 62
MOST_BYTES: Final = 4096
"""The longest registration."""
CLOCKS_S: Final = 600
"""How far the clocks of table and server may differ."""
KNOWN_S: Final = 5.0
"""How long a server that has just heard from a table may not notice that the organiser has removed it."""


@dataclass(frozen=True, slots=True)
class GameTable:
    """A registered table."""

    table: int
    name: str
    key: bytes


def check_name(name: str) -> str:
    """The name without blanks around it; raises ValueError if it can't be shown."""
    shown = [character for character in name.strip() if not unicodedata.category(character).startswith("M")]
    is_shown = shown and name.isprintable() and not INVISIBLE & set(name)
    if not is_shown or len(name) > LONGEST_NAME:
        raise ValueError(f"a name has 1 to {LONGEST_NAME} characters that can be shown")
    return name.strip()


def new_code(database: Database, name: str, now_s: int) -> str:
    code = new_secret()
    with database.transaction() as session:
        session.execute("DELETE FROM code WHERE expires_s < ? AND table_id IS NULL", (now_s,))
        session.insert("code", [(hashed(code), check_name(name), now_s + CODE_LIFE_S, None)])
    return grouped(code)


def new_secret(letters: int = CODE_LETTERS) -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(letters))


def grouped(code: str) -> str:
    """A code as people read it: ABCD-EFGH."""
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))


def hashed(code: str) -> bytes:
    """The digest that is stored of a code. Dashes, blanks and case make no difference."""
    plain = code.replace("-", "").replace(" ", "").upper()
    return hashlib.sha256(plain.encode()).digest()


def register(database: Database, data: bytes, now_s: int) -> dict[str, object]:
    """Registers a table with its code; the same request again gets the same answer.

    Raises Refusal (malformed, forged, version, code, conflict).
    """
    code, key = read_registration(data)
    with database.transaction() as session:
        rows = session.rows(
            f"SELECT name, expires_s, table_id FROM code WHERE hash = ?{session.locking}",  # noqa: S608 - of constants
            (hashed(code),),
        )
        if not rows:
            raise Refusal("code", "there is no such code: ask the organiser for a new one")
        ((name, expires_s, table),) = rows
        if table is not None:
            ((known_key,),) = session.rows("SELECT public_key FROM game_table WHERE table_id = ?", (table,))
            # The same key again is a table that did not hear the first answer.
            if bytes(known_key) != key:
                raise Refusal("code", "the code was already used: ask the organiser for a new one")
        else:
            if expires_s < now_s:
                raise Refusal("code", "the code is too old: ask the organiser for a new one")
            if session.rows("SELECT 1 FROM game_table WHERE public_key = ?", (key,)):
                raise Refusal("conflict", "this table is already registered")
            table = secrets.randbits(TABLE_BITS)
            session.insert("game_table", [(table, name, key, now_s)])
            session.execute("UPDATE code SET table_id = ? WHERE hash = ?", (table, hashed(code)))
        return {
            "v": statements.PROTOCOL,
            "table": statements.table_name(table),
            "name": name,
            "league": meta(session, "name"),
        }


def read_registration(data: bytes) -> tuple[str, bytes]:
    """Code and public key in a registration. Raises Refusal (malformed, forged, version)."""
    try:
        registration = strict_json.parse_json(data) if len(data) <= MOST_BYTES else None
    except ValueError:
        registration = None
    match registration:
        case {"v": version} if type(version) is not int or version != statements.PROTOCOL:
            raise Refusal("version", f"this server speaks version {statements.PROTOCOL} of the protocol")
        case {"v": _, "code": str(code), "key": key, "signature": signature, **rest} if not rest:
            public = digits(key, statements.KEY_BYTES)
            signed = digits(signature, statements.SIGNATURE_BYTES)
            check_signature(statements.registration(code, public), signed, public)
            return code, public
    raise Refusal("malformed", "a registration is an object of v, code, key and signature")


def read_request(table: GameTable, path: str, data: bytes, now_s: int) -> Mapping[str, Any]:
    """Checks signature and time of a request; returns its content.

    Raises Refusal (malformed, forged, late).
    """
    try:
        outer = strict_json.parse_json(data)
        content = strict_json.parse_json(outer["asked"])
    except (ValueError, KeyError, TypeError):
        content = outer = None
    match outer, content:
        case {"v": version, "asked": _, "signature": _}, {"at": int()} if version == statements.PROTOCOL:
            signature = digits(outer["signature"], statements.SIGNATURE_BYTES)
            check_signature(statements.request(table.table, path, outer["asked"]), signature, table.key)
            if abs(content["at"] - now_s) > CLOCKS_S:
                raise Refusal("late", "the table's clock and the server's differ: set both")
            request: Mapping[str, Any] = content
            return request
    raise Refusal("malformed", "a request is an object of v, asked and signature")


def check_signature(statement: bytes, signature: bytes, key: bytes) -> None:
    """Raises Refusal (forged) unless the key signed the statement."""
    try:
        VerifyKey(key).verify(statement, signature)
    except (BadSignatureError, ValueError):
        raise Refusal("forged", "the signature is not this table's") from None


def digits(value: object, size: int) -> bytes:
    """`size` bytes from lower-case hexadecimal digits. Raises Refusal (malformed)."""
    if type(value) is str and len(value) == 2 * size:
        try:
            data = bytes.fromhex(value)
        except ValueError:
            data = b""
        if data.hex() == value:
            return data
    raise Refusal("malformed", f"{size} bytes are not {2 * size} hexadecimal digits")


def table_of(text: str) -> int:
    """The id in 16 hexadecimal digits. Raises Refusal (unknown_table)."""
    try:
        table = int(text, 16)
    except ValueError:
        table = -1
    if not 0 <= table < 2**63 or statements.table_name(table) != text:
        raise Refusal("unknown_table", "a table has 16 hexadecimal digits")
    return table


def find(session: Session, table: int) -> GameTable:
    """A registered table. Raises Refusal (unknown_table)."""
    rows = session.rows("SELECT name, public_key FROM game_table WHERE table_id = ?", (table,))
    if not rows:
        raise Refusal("unknown_table", "no such table is registered in this league")
    return GameTable(table, str(rows[0][0]), bytes(rows[0][1]))


def remove(session: Session, table: int, now_s: int) -> None:
    find(session, table)
    session.insert("meta", [(removal_key(table), str(now_s))])


def removal_key(table: int) -> str:
    return f"removed {statements.table_name(table)}"


def removed(session: Session, table: int) -> bool:
    return bool(session.rows("SELECT 1 FROM meta WHERE key = ?", (removal_key(table),)))


def check_welcome(session: Session, table: int) -> None:
    """Raises Refusal (removed) if the organiser has removed the table."""
    if removed(session, table):
        raise Refusal("removed", "the organiser has removed this table: ask for a new code to join again")


class Tables:
    """A cache of registered tables for KNOWN_S. A key never changes; removed tables are not in it."""

    MOST: Final = 100_000

    def __init__(self, database: Database, now_s: Callable[[], float] = time.monotonic) -> None:
        self.database = database
        self.now_s = now_s
        self.known: dict[int, tuple[float, GameTable]] = {}

    def find(self, table: int) -> GameTable:
        looked_s, remembered = self.known.get(table, (float("-inf"), None))
        if remembered is not None and self.now_s() < looked_s + KNOWN_S:
            return remembered
        self.known.pop(table, None)
        with self.database.reading() as session:
            registered = find(session, table)
            check_welcome(session, table)
        if len(self.known) >= self.MOST:
            self.known.clear()
        self.known[table] = (self.now_s(), registered)
        return registered
