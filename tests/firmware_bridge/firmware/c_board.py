"""The firmware's session.c behind the interface of a Python board, for tests that both must pass."""

from __future__ import annotations

import ctypes

from firmware_bridge.messages import TEXT_COLUMNS, BoardLamp, BoardLampMode
from tests.firmware_bridge.board_session import (
    BoardEvent,
    HostFound,
    HostLeft,
    HostLost,
    HostRefused,
    LampsSet,
    LineSet,
)
from tests.firmware_bridge.world import LAMPS

MAX_WIRE = 67
NOTES = 256


class Note(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint8),
        ("which", ctypes.c_uint8),
        ("bytes", ctypes.c_uint8 * (LAMPS * 4)),
    )


class Notes(ctypes.Structure):
    _fields_ = (("count", ctypes.c_uint32), ("noted", Note * NOTES))


class CBoard:
    """One boot of the firmware's session: a clock of whole milliseconds, polled as on the board."""

    def __init__(self, portable: ctypes.CDLL, boot_id: int, now: float) -> None:
        self._c = portable
        self._c.new_session.restype = ctypes.c_void_p
        self._notes = Notes.in_dll(portable, "notes")
        self._notes.count = 0
        self._started = now
        address = self._c.new_session(ctypes.c_uint32(boot_id), ctypes.c_uint8(1), self._ms(now))
        self._session = ctypes.c_void_p(address)
        self._wire = (ctypes.c_uint8 * MAX_WIRE)()
        self._polled = now

    def __del__(self) -> None:
        self._c.free_session(self._session)

    @property
    def due(self) -> float:
        return self._polled + 0.005

    def change(self, which: int, now: float, *, pressed: bool) -> None:
        self._c.session_input(self._session, ctypes.c_uint8(which), ctypes.c_bool(pressed), self._ms(now))

    def receive(self, data: bytes, now: float) -> list[BoardEvent]:
        self._c.session_feed(self._session, data, ctypes.c_uint32(len(data)), self._ms(now))
        return self._told()

    def advance(self, now: float) -> list[BoardEvent]:
        self._c.session_advance(self._session, self._ms(now))
        return self._told()

    def outgoing(self, now: float) -> bytes:
        self._polled = now
        sent = b""
        while length := self._c.session_next(self._session, self._wire, self._ms(now)):
            sent += bytes(self._wire[:length])
        return sent

    def _ms(self, now: float) -> ctypes.c_uint32:
        # Starts shortly before the clock goes round, so that every test crosses that.
        return ctypes.c_uint32(0xFFFFFFFF - 3000 + round((now - self._started) * 1000))

    def _told(self) -> list[BoardEvent]:
        told = [self._event(note) for note in self._notes.noted[: self._notes.count]]
        self._notes.count = 0
        return told

    @staticmethod
    def _event(note: Note) -> BoardEvent:
        if note.kind == 0:
            return (HostFound(), HostLost(), HostRefused(0, 0), HostLeft())[note.which]
        data = bytes(note.bytes)
        if note.kind == 1:
            each = (data[at : at + 4] for at in range(0, len(data), 4))
            return LampsSet(tuple(BoardLamp(BoardLampMode(lamp[0]), *lamp[1:]) for lamp in each))
        return LineSet(note.which, data[:TEXT_COLUMNS].decode("ascii"))
