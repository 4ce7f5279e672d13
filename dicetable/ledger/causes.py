"""Says in words for the person at the table why nothing can be written."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from dicetable import texts
from dicetable.ledger.database import NotAFileError, OnNetworkError
from dicetable.ledger.entries import JournalError
from dicetable.ledger.rows import DamageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FULL: Final = {sqlite3.SQLITE_FULL}
READ_ONLY: Final = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
BUSY: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
LEAST_ROOM_BYTES: Final = 64 * 1024
NO_DAMAGE: Final = (
    OSError,
    MemoryError,
    JournalError,
    NotAFileError,
    OnNetworkError,
    sqlite3.ProgrammingError,
)
OUT_OF_REACH: Final = {
    *FULL,
    *READ_ONLY,
    *BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOLFS,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PROTOCOL,
}


def primary(error: BaseException) -> int:
    """SQLite's primary result code; 0 if the error is none of SQLite's own."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def is_damage(error: BaseException) -> bool:
    """Whether what is stored is broken, so that it must be set aside.

    It is, unless the error says that the files only cannot be reached: a broken file can lead to any error.
    """
    if isinstance(error, NO_DAMAGE):
        return False
    return primary(error) not in OUT_OF_REACH


@contextmanager
def reading() -> Iterator[None]:
    """Raises DamageError for whatever goes wrong within, unless the files only cannot be reached."""
    try:
        yield
    except Exception as error:
        if isinstance(error, DamageError) or not is_damage(error):
            raise
        raise DamageError(said(error)) from error


def said(error: Exception) -> str:
    """What an error says; its kind too where its own words are for programmers."""
    return (
        str(error) if isinstance(error, DamageError | sqlite3.Error) else f"{type(error).__name__}: {error}"
    )


def error(path: Path, error: Exception) -> JournalError:
    """The cause in one sentence, and what helps."""
    if isinstance(error, JournalError):
        return error
    if isinstance(error, OnNetworkError):
        remedy = texts.ledger.on_network_remedy(str(path.parent))
        return JournalError(texts.ledger.on_network(str(error)), remedy)
    if isinstance(error, NotAFileError):
        return JournalError(texts.ledger.not_a_file(str(error)), texts.ledger.NOT_A_FILE_REMEDY)
    number = error.errno if isinstance(error, OSError) else 0
    code = primary(error)
    failing = number == errno.EIO or code == sqlite3.SQLITE_IOERR
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or code in FULL or (failing and is_full(path)):
        return JournalError(texts.ledger.FULL, texts.ledger.full_remedy(str(path.parent)))
    if number in (errno.EACCES, errno.EPERM) and (owner := foreign_owner(path.parent)):
        remedy = texts.ledger.foreign_remedy(str(path.parent), owner)
        return JournalError(texts.ledger.FOREIGN, remedy)
    if number in (errno.EEXIST, errno.ENOTDIR):
        return JournalError(texts.ledger.not_a_folder(str(path.parent)), texts.ledger.NOT_A_FOLDER_REMEDY)
    if number in (errno.EROFS, errno.EACCES, errno.EPERM) or code in READ_ONLY:
        return JournalError(texts.ledger.READ_ONLY, texts.ledger.read_only_remedy(str(path.parent)))
    if number in (errno.EAGAIN, errno.EWOULDBLOCK) or code in BUSY:
        return JournalError(texts.ledger.IN_USE, texts.ledger.IN_USE_REMEDY)
    if failing:
        return JournalError(texts.ledger.FAILING, texts.ledger.FAILING_REMEDY)
    return JournalError(texts.ledger.failed(said(error)), texts.ledger.failed_remedy(str(path)))


def is_full(path: Path) -> bool:
    """Whether there is too little room even for SQLite's index of the log, which it calls a failing disk."""
    try:
        room = os.statvfs(path.parent)
    except OSError:
        return False
    return room.f_bavail * room.f_frsize < LEAST_ROOM_BYTES


def foreign_owner(folder: Path) -> str:
    """Who owns the folder, or the nearest one above it that exists; empty if it is this program's user."""
    try:
        there = next((path for path in (folder, *folder.parents) if path.exists()), folder)
        user = there.stat().st_uid
    except OSError:
        return ""
    try:
        return "" if user == os.geteuid() else there.owner()
    except KeyError:
        return f"user {user}"
