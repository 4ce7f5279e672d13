"""A host session and a board on a fake clock, with a serial line of 115200 baud between them that may be bad.

The world keeps what every boot of the board was told to report, and judges each event that the host gives out
against it: in order, once, and nothing missing that was not reported as lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from firmware_bridge.host_session import HostEvent, HostSession, InputChanged, InputsReported, Linked
from firmware_bridge.messages import TEXT_COLUMNS, TEXT_LINES, BoardLamp, ExpectedBoard, ResetCause, Version
from tests.firmware_bridge import damage
from tests.firmware_bridge.board_session import BoardEvent, BoardIdentity, BoardSession, LampsSet, LineSet

BYTE_S = 10 / 115200
LATENCY_S = 0.001
INPUTS = 25
LAMPS = 9
EXPECTED = ExpectedBoard("dicetable-25x9", INPUTS, LAMPS)
SOFTWARE = Version(0, 1, 0)


class Board(Protocol):
    """A board's session, in Python or in C."""

    @property
    def due(self) -> float: ...
    def change(self, which: int, now: float, *, pressed: bool) -> None: ...
    def receive(self, data: bytes, now: float) -> list[BoardEvent]: ...
    def advance(self, now: float) -> list[BoardEvent]: ...
    def outgoing(self, now: float) -> bytes: ...


def python_board(boot_id: int, now: float) -> Board:
    about = ("dicetable-25x9", Version(1, 0, 0), INPUTS, LAMPS)
    return BoardSession(BoardIdentity(*about, boot_id, ResetCause.POWER), now)


class Direction:
    """One wire of the line: bytes leave at line rate, arrive later, and may be damaged on the way."""

    def __init__(self) -> None:
        self.damage: Callable[[bytes], bytes] = damage.none
        self.bytes_sent = 0
        self._free_at = 0.0
        self._queue: deque[tuple[float, bytes]] = deque()

    @property
    def due(self) -> float:
        return self._queue[0][0] if self._queue else float("inf")

    def send(self, data: bytes, now: float) -> None:
        if data:
            self.bytes_sent += len(data)
            self._free_at = max(self._free_at, now) + len(data) * BYTE_S
            self._queue.append((self._free_at + LATENCY_S, self.damage(data)))

    def take(self, now: float) -> bytes:
        data = b""
        while self._queue and self._queue[0][0] <= now:
            data += self._queue.popleft()[1]
        return data

    def cut(self) -> None:
        self._queue.clear()


class World:
    """The two ends, the line, the clock and the judge."""

    def __init__(self, new_board: Callable[[int, float], Board] = python_board) -> None:
        self.now = 0.0
        self.up, self.down = Direction(), Direction()
        self.host_events: list[HostEvent] = []
        self.board_events: list[BoardEvent] = []
        self.pushed: dict[int, list[tuple[int, bool]]] = {}
        self._judged: dict[int, set[int]] = {}
        self.lost_reported = 0
        self.received = 0
        self._inputs_known = False
        self._fresh_host = False
        self._view: tuple[tuple[BoardLamp, ...], tuple[str, ...]] | None = None
        self._new_board = new_board
        self._boots = 0x1000
        self.panel_lamps: tuple[BoardLamp, ...] | None = None
        self.panel_lines: list[str | None] = [None] * TEXT_LINES
        self.reboot_board()
        self.reboot_host()

    def reboot_board(self) -> None:
        self._boots += 1
        self.boot_id = self._boots
        self.swap_board()
        self.panel_lamps, self.panel_lines = None, [None] * TEXT_LINES
        self.up.cut()

    def swap_board(self) -> None:
        """Another board in the place of this one, with the current boot id."""
        self.board = self._new_board(self.boot_id, self.now)
        self.pushed[self.boot_id], self._judged[self.boot_id] = [], {0}

    def reboot_host(self) -> None:
        """A new host process; what the old one had not taken the board reports as lost to it."""
        self._boots += 1
        self._fresh_host = True
        self.host = HostSession(self._boots, EXPECTED, SOFTWARE)
        if self._view is not None:
            self.host.show(*self._view)
        self.down.cut()
        self.plug()

    def plug(self) -> None:
        self.host.connected(self.now)

    def unplug(self) -> None:
        self.up.cut()
        self.down.cut()
        self.host_events += self.host.disconnected()

    def change(self, which: int, *, pressed: bool) -> None:
        self.pushed[self.boot_id].append((which, pressed))
        self.board.change(which, self.now, pressed=pressed)
        self.exchange()

    def show(self, lamps: tuple[BoardLamp, ...], lines: tuple[str, ...]) -> None:
        self.host.show(lamps, lines)
        self._view = lamps, lines
        self.exchange()

    def exchange(self) -> None:
        """Puts on the line what either end has to say now."""
        self.down.send(self.host.outgoing(self.now), self.now)
        self.up.send(self.board.outgoing(self.now), self.now)

    def step(self, until: float) -> None:
        """On to the next thing that happens, at latest to ``until``."""
        due = min(self.host.due, self.board.due, self.up.due, self.down.due, until)
        self.now = max(self.now, due)
        arrived = self.up.take(self.now)
        told = self.host.receive(arrived, self.now) if arrived else self.host.advance(self.now)
        self.host_events += told
        for event in told:
            self._judge(event)
        arrived = self.down.take(self.now)
        shown = self.board.receive(arrived, self.now) if arrived else self.board.advance(self.now)
        self.board_events += shown
        for show in shown:
            if isinstance(show, LampsSet):
                self.panel_lamps = show.lamps
            elif isinstance(show, LineSet):
                self.panel_lines[show.line] = show.text
        self.exchange()

    def run(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            self.step(until)

    def run_until(self, reached: Callable[[], bool], at_most_s: float) -> float:
        """Runs until it is so, and fails if that takes longer; returns how long it took."""
        start = self.now
        while not reached():
            assert self.now < start + at_most_s, f"not reached within {at_most_s} s"
            self.step(start + at_most_s)
        return self.now - start

    @property
    def linked(self) -> bool:
        """Both ends know each other and the host knows which inputs are held."""
        board = self.host.board
        return board is not None and board.boot_id == self.boot_id and self._inputs_known

    @property
    def undelivered(self) -> int:
        """Events of this boot that the host neither has nor knows to be lost."""
        return len(self.pushed[self.boot_id]) - max(self._judged[self.boot_id])

    @property
    def all_told(self) -> bool:
        return self.linked and self.undelivered == 0

    def assert_panel_shows(self, lamps: tuple[BoardLamp, ...], lines: tuple[str, ...]) -> None:
        assert self.panel_lamps == lamps
        assert self.panel_lines == [line.ljust(TEXT_COLUMNS) for line in lines]

    def times(self, kind: type[HostEvent]) -> int:
        return sum(isinstance(event, kind) for event in self.host_events)

    def _judge(self, event: HostEvent) -> None:
        if isinstance(event, Linked):
            assert event.board.boot_id in self.pushed, "a board that never was"
            self._inputs_known = event.resumed
        elif isinstance(event, InputChanged):
            pushed, places = self.pushed[event.board_boot_id], self._judged[event.board_boot_id]
            after = {at + 1 for at in places if pushed[at : at + 1] == [(event.input, event.pressed)]}
            assert after, f"wrong or doubled: {event} after {places} of {pushed}"
            self._judged[event.board_boot_id] = after
            self.received += 1
        elif isinstance(event, InputsReported):
            self._judge_report(event)

    def _judge_report(self, event: InputsReported) -> None:
        """Where the host stands among what was pushed; after its reset the board knows an upper bound only.

        What an earlier host took without the board hearing of it counts as lost to the new one.
        """
        pushed, places = self.pushed[event.board_boot_id], self._judged[event.board_boot_id]
        least = 0 if self._fresh_host else event.lost
        possible = {at + lost for at in places for lost in range(least, event.lost + 1)}
        after = {at for at in possible if at <= len(pushed) and held_after(pushed[:at]) == event.held}
        assert after, "the report does not fit what was lost"
        self._judged[event.board_boot_id] = after
        self.lost_reported += event.lost
        self._inputs_known, self._fresh_host = True, False


def held_after(changes: list[tuple[int, bool]]) -> set[int]:
    last = dict(changes)
    return {which for which, pressed in last.items() if pressed}


NewWorld = Callable[[], World]
