"""Says in words for the person at the table why nothing can be written."""

from __future__ import annotations

import errno
import os
import sqlite3
from typing import TYPE_CHECKING, Final

from dicetable import texts
from dicetable.ledger.database import NewerSchemaError, NotAFileError
from dicetable.ledger.entries import JournalError
from dicetable.ledger.rows import DamageError

if TYPE_CHECKING:
    from pathlib import Path

DAMAGE: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
FULL: Final = {sqlite3.SQLITE_FULL}
READ_ONLY: Final = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
BUSY: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def primary(error: BaseException) -> int:
    """SQLite's primary result code; 0 if the error is none of SQLite's own."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def is_damage(error: BaseException) -> bool:
    """Whether what is stored is broken, so that it must be set aside; not so if it only cannot be reached."""
    if isinstance(error, DamageError):
        return True
    if isinstance(error, sqlite3.DataError):  # a value longer than any that was written
        return True
    if isinstance(error, sqlite3.OperationalError) and primary(error) == sqlite3.SQLITE_ERROR:
        return True  # a table or column is missing
    return isinstance(error, sqlite3.Error) and primary(error) in DAMAGE


def error(path: Path, error: BaseException) -> JournalError:
    """The cause in one sentence, and what helps."""
    if isinstance(error, NewerSchemaError):
        return JournalError(texts.ledger.NEWER, texts.ledger.newer_remedy(str(error)))
    if isinstance(error, NotAFileError):
        return JournalError(texts.ledger.not_a_file(str(error)), texts.ledger.NOT_A_FILE_REMEDY)
    number = error.errno if isinstance(error, OSError) else 0
    code = primary(error)
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or code in FULL:
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
    return JournalError(texts.ledger.failed(str(error)), texts.ledger.failed_remedy(str(path)))


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
