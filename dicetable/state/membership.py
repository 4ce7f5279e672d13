"""A table's membership in a league: its key and its registration. Both are files in the ledger's folder.

The key never leaves the folder: the table signs with it, and the gateway only transports what is signed.
"""

from __future__ import annotations

import http.client
import json
import os
import sqlite3
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from dicetable import files, network, texts
from dicetable.ledger import database, stored_rows, unsent
from dicetable.ledger.rows import DamageError
from league import statements

if TYPE_CHECKING:
    from pathlib import Path

    from nacl.signing import SigningKey

KEY: Final = "league.key"
MEMBER: Final = "league.json"
MOST_BYTES: Final = 4096
"""The largest size of either file."""
ANSWER_S: Final = 15.0
LONGEST_ANSWER_BYTES: Final = 64 * 1024


class MembershipError(Exception):
    """The table cannot join or leave; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Member:
    """The league that a table is in.

    Attributes:
        server: its address.
        table: the id of this table in it, 16 hexadecimal digits.
        name: the table's name in the league.
        league: the league's name.
        after: the last row of the ledger when the table joined; it and earlier rows are never sent.
    """

    server: str
    table: str
    name: str
    league: str
    after: int


def member(folder: Path) -> Member | None:
    """The table's membership; None if it is in no league."""
    try:
        found = Member(**network.parse_json(files(folder / MEMBER, MOST_BYTES)))
        int(found.table, 16)
    except (OSError, ValueError, TypeError):
        return None
    return found


def key(folder: Path) -> SigningKey | None:
    """The table's private key; None if it has none."""
    from nacl.signing import SigningKey

    try:
        return SigningKey(bytes.fromhex(files(folder / KEY, MOST_BYTES).decode("ascii").strip()))
    except (OSError, ValueError):
        return None


def made_key(folder: Path) -> SigningKey:
    """The table's private key; creates one if there is none."""
    from nacl.signing import SigningKey

    found = key(folder)
    if found is None:
        found = SigningKey.generate()
        write(folder, KEY, bytes(found).hex().encode() + b"\n")
    return found


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
        files(folder / name, data, private=True)
    finally:
        os.seteuid(user)
        os.setegid(group)


def register(folder: Path, server: str, code: str) -> Member:
    """Registers the table at the league's server. Raises MembershipError."""
    if member(folder) is not None:
        raise MembershipError(texts.league.registered_already(str(folder)))
    if not folder.is_dir():
        raise MembershipError(texts.league.no_folder(str(folder)))
    signing = made_key(folder)
    public = bytes(signing.verify_key)
    signature = signing.sign(statements.registration(code, public)).signature
    request = {"v": statements.PROTOCOL, "code": code, "key": public.hex(), "signature": signature.hex()}
    answer = posted(server, "/v1/tables", json.dumps(request).encode())
    last = stored_rows.read_head(folder / stored_rows.HEAD_NAME)
    try:
        found = Member(
            server, str(answer["table"]), str(answer["name"]), str(answer["league"]), last.last if last else 0
        )
        int(found.table, 16)
    except (KeyError, ValueError):
        raise MembershipError(texts.league.refused(server, "this is no league server")) from None
    unsent.acknowledge(folder, found.after)
    write(folder, MEMBER, json.dumps(asdict(found), indent=1).encode() + b"\n")
    return found


def posted(server: str, path: str, data: bytes) -> dict[str, Any]:
    """The server's answer. Raises MembershipError if it refuses or does not answer."""
    address = urlsplit(server)
    secure = address.scheme == "https"
    made = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = made(address.hostname or "", address.port, timeout=ANSWER_S)
    try:
        connection.request(
            "POST", address.path.rstrip("/") + path, data, {"content-type": "application/json"}
        )
        response = connection.getresponse()
        answer = network.parse_json(response.read(LONGEST_ANSWER_BYTES))
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise MembershipError(texts.league.unreachable(server, str(error) or type(error).__name__)) from None
    finally:
        connection.close()
    if response.status != 200 or not isinstance(answer, dict):
        why = answer.get("message", response.reason) if isinstance(answer, dict) else response.reason
        raise MembershipError(texts.league.refused(server, str(why)))
    return answer


def next_match(folder: Path, contest: int) -> dict[str, Any]:
    """Asks the league who plays at this table now. Raises MembershipError.

    If players of the ledger have these names, the league gets their ids and no others.
    """
    found, signing = member(folder), key(folder)
    if found is None or signing is None:
        raise MembershipError(texts.league.NO_MEMBER)
    told = signed(found, signing, "next", {"contest": contest})
    wanted = {str(each["name"]): str(each["player"]) for each in told["players"]}
    known = {player: wanted[name] for player, name in named_players(folder) if name in wanted}
    if known:
        signed(found, signing, "players", {"players": known})
    return told


def signed(member: Member, signing: SigningKey, what: str, asked: dict[str, Any]) -> dict[str, Any]:
    """The server's answer to a signed request. Raises MembershipError."""
    path, data = signed_request(member, signing, what, asked)
    return posted(member.server, path, data)


def signed_request(
    member: Member, signing: SigningKey, what: str, asked: dict[str, Any]
) -> tuple[str, bytes]:
    """Path and body of a request that the table signs."""
    path = f"/v1/tables/{member.table}/{what}"
    text = json.dumps({**asked, "at": int(time.time())})
    signature = signing.sign(statements.request(int(member.table, 16), path, text)).signature
    request = {"v": statements.PROTOCOL, "asked": text, "signature": signature.hex()}
    return path, json.dumps(request).encode()


def named_players(folder: Path) -> list[tuple[str, str]]:
    """The players of the ledger who have names; none if it cannot be read."""
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
    """The output of `dicetable league status`."""
    found = member(folder)
    last = stored_rows.read_head(folder / stored_rows.HEAD_NAME)
    return {
        "league": asdict(found) if found else None,
        "last_row": last.last if last else 0,
        "acknowledged_row_at_least": unsent.acknowledged(folder) if found else None,
        "pruned_unsent": unsent.pruned(folder),
    }
