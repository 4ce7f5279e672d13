"""The Unix sockets of this machine, and who answers on them.

Any user can make a folder in /tmp and listen there. So a socket counts only if its folder and the process
that listens belong to this user or to root; in the folders below /run the service's own users count too.
Every client connects here.
"""

import asyncio
import os
import socket
import stat
import struct
from pathlib import Path
from typing import Final

TABLE_FOLDER: Final = Path("/run/dicetable")
"""Where systemd makes the socket of the installed table, and those of root's helpers."""
GATEWAY_FOLDER: Final = Path("/run/dicetable-web")
"""Where the installed gateway listens for the commands of this machine."""
SERVICE_USERS: Final = ("dicetable", "dicetable-web")
UNMAPPED: Final = 65534
"""The user that the kernel shows for users outside one's namespace (PrivateUsers= in systemd's units)."""
ALL_USERS: Final = ["0", "0", "4294967295"]
"""The map of a process outside such a namespace."""
CREDENTIALS: Final = struct.Struct("3i")


class ForeignSocketError(OSError):
    """A socket, or its folder, is another user's or open to them."""

    def __init__(self, place: Path, user: int) -> None:
        super().__init__(f"{place} is in the hands of another user ({name_of(user)})")
        self.place = place


def name_of(user: int) -> str:
    import pwd  # Windows has none, nor sockets of this kind, but imports this module

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def trusted_users(folder: Path) -> set[int]:
    """The users who may own the folder of a socket and listen on it."""
    import pwd

    users = {0, os.getuid()}
    if folder in (TABLE_FOLDER, GATEWAY_FOLDER):  # only root makes a folder in /run
        for name in SERVICE_USERS:
            try:
                users.add(pwd.getpwnam(name).pw_uid)
            except KeyError:
                continue
        # The gateway can't tell which user listens; but in these folders no one else can make a socket.
        if in_namespace():
            users.add(UNMAPPED)
    return users


def in_namespace() -> bool:
    """Whether this process sees only some of the machine's users."""
    return Path("/proc/self/uid_map").read_text(encoding="ascii").split() != ALL_USERS


def check_folder(folder: Path) -> None:
    """Raises ForeignSocketError if other users could have put a socket there; OSError if it is absent."""
    about = folder.lstat()
    open_to_others = not stat.S_ISDIR(about.st_mode) or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if open_to_others or about.st_uid not in trusted_users(folder):
        raise ForeignSocketError(folder, about.st_uid)


def is_trusted(folder: Path) -> bool:
    """Whether the folder exists and only trusted users can put a socket there."""
    try:
        check_folder(folder)
    except OSError:
        return False
    return True


def peer_of(connection: socket.socket) -> int:
    """The user at the other end of a connection; for a client the one who listens."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    _, user, _ = CREDENTIALS.unpack(credentials)
    return int(user)


def connect(path: Path, timeout_s: float) -> socket.socket:
    """A connection to this socket. Raises ForeignSocketError if another user's, OSError if there is none."""
    check_folder(path.parent)
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(timeout_s)
        connection.connect(str(path))
        check_peer(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


async def open_connection(path: Path, limit: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Streams to this socket, with lines of at most `limit` bytes. Raises what `connect` does."""
    check_folder(path.parent)
    reader, writer = await asyncio.open_unix_connection(str(path), limit=limit)
    try:
        check_peer(writer.get_extra_info("socket"), path)
    except ForeignSocketError:
        writer.close()
        raise
    return reader, writer


def check_peer(connection: socket.socket, path: Path) -> None:
    user = peer_of(connection)
    if user not in trusted_users(path.parent):
        raise ForeignSocketError(path, user)
