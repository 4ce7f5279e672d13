"""Players on their own page: a one-time code of the organiser, then a secret in the browser.

Only digests of both are kept. A code and a browser are those of the player for whom the code was printed.
Once that pseudonym is joined to another player they open nothing: no table can let anybody in as another.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, Final

from dicetable.league.players import Names, check_seen
from dicetable.league.refusals import Refusal
from dicetable.league.registry import CODE_LETTERS, CODE_LIFE_S, LETTERS, hashed

if TYPE_CHECKING:
    from dicetable.league.database import Database, Session

VISIT_S: Final = 30 * 24 * 3600
"""How long a browser stays logged in."""
TOKEN_BYTES: Final = 32


def new_code(database: Database, player: int, now_s: int) -> tuple[str, str]:
    """A code with which a player opens his page within a day, and the name of that player. UnknownPlayer."""
    code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LETTERS))
    with database.transaction() as session:
        check_seen(session, player)
        session.execute("DELETE FROM player_code WHERE expires_s < ?", (now_s,))
        names = Names(session)
        session.insert("player_code", [(hashed(code), names.main_of(player), now_s + CODE_LIFE_S)])
        shown = names.shown(player)
    return "-".join(code[at : at + 4] for at in range(0, CODE_LETTERS, 4)), shown


def enter(database: Database, code: str, now_s: int) -> str:
    """The secret for a browser, for a code that is used up by it; Refusal (code)."""
    token = secrets.token_hex(TOKEN_BYTES)
    with database.transaction() as session:
        found = session.rows(
            "DELETE FROM player_code WHERE hash = ? AND expires_s >= ? RETURNING player_id",
            (hashed(code), now_s),
        )
        if not found:
            raise Refusal("code", "there is no such code, or it is too old: ask the organiser for a new one")
        session.execute("DELETE FROM visit WHERE expires_s < ?", (now_s,))
        session.insert("visit", [(digest(token), found[0][0], now_s + VISIT_S)])
    return token


def player_of(session: Session, token: str, now_s: int) -> int | None:
    """Whose browser it is; None if it is nobody's."""
    found = session.rows(
        "SELECT player_id FROM visit WHERE hash = ? AND expires_s >= ?", (digest(token), now_s)
    )
    if not found:
        return None
    player = int(found[0][0])
    return player if Names(session).main_of(player) == player else None


def leave(database: Database, token: str) -> None:
    """The browser is nobody's any more."""
    with database.transaction() as session:
        session.execute("DELETE FROM visit WHERE hash = ?", (digest(token),))


def digest(token: str) -> bytes:
    """What is kept of a secret of 256 random bits."""
    return hashlib.sha256(token.encode()).digest()
