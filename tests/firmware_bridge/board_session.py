"""The board's end of panel link v1, for simulated boards and as the model of the firmware's session.c.

Call ``change`` for inputs, ``receive`` for bytes, ``advance`` at ``due``, and write what ``outgoing``
returns. No I/O, no clock, no randomness; times are seconds of one monotonic clock. It does not animate or
display.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from firmware_bridge.errors import MessageError
from firmware_bridge.messages import (
    AGE_UNIT_S,
    MAX_AGE,
    NO_BOOT_ID,
    BoardHello,
    BoardLamp,
    BoardPing,
    Event,
    EventAck,
    HostHello,
    HostPing,
    Inputs,
    Lamps,
    LampsAck,
    Message,
    ResetCause,
    Stay,
    Text,
    TextAck,
    UpMessage,
    Version,
    from_body,
    session_key,
    to_body,
)
from firmware_bridge.protocol import (
    BEACON_S,
    DELIMITER,
    EVENT_NUMBERS,
    EVENT_RING,
    EVENT_WINDOW,
    LOSS_S,
    MOST_LOST,
    NEWEST_VERSION,
    OLDEST_VERSION,
    PING_S,
    FrameDecoder,
    ResendTimer,
    common_version,
    encode_frame,
    is_older,
)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of an input, with its time."""

    input: int
    pressed: bool
    at: float


@dataclass(frozen=True, slots=True)
class Report:
    """The inputs held after ``lost`` changes were dropped."""

    kind: Literal["restart", "overflow"]
    lost: int
    held: frozenset[int]


class EventRing:
    """Numbers changes of inputs from 1 and stores the unacknowledged ones, at most ``EVENT_RING``.

    Go-back-N: events are sent in order, at most a window ahead of the acknowledgement. Without an
    acknowledgement in time, all unacknowledged events are sent again.
    """

    def __init__(self) -> None:
        self.held: frozenset[int] = frozenset()
        self._entries: deque[Change | Report] = deque()
        self._oldest = 1
        self._sent = 0
        self._lost = 0
        self._timer = ResendTimer()

    @property
    def due(self) -> float:
        """When ``next`` may next have something to send if nothing else happens."""
        return float("-inf") if self._sent < min(len(self._entries), EVENT_WINDOW) else self._timer.due

    def push(self, which: int, now: float, *, pressed: bool) -> None:
        """Records a change of an input; while the ring is full it is dropped and counted."""
        self.held = self.held | {which} if pressed else self.held - {which}
        if self._lost or len(self._entries) >= EVENT_RING:
            self._lose(1)
        else:
            self._entries.append(Change(which, pressed, now))

    def restart(self) -> None:
        """Restarts for another host, or one that forgot: drops the stored events and reports their number."""
        self._oldest = (self._oldest + len(self._entries)) % EVENT_NUMBERS
        self._lose(len(self._entries))
        self._entries.clear()
        self._entries.append(Report("restart", self._lost, self.held))
        self._lost = 0
        self.resend()

    def resend(self) -> None:
        """The link was interrupted: events in flight must be sent again."""
        self._sent = 0
        self._timer.stop()

    def acknowledge(self, number: int, now: float) -> None:
        """The host has all events up to this number."""
        done = (number - self._oldest + 1) % EVENT_NUMBERS
        if not 1 <= done <= len(self._entries):
            return
        for _ in range(done):
            self._entries.popleft()
        self._oldest = (self._oldest + done) % EVENT_NUMBERS
        self._sent = max(0, self._sent - done)
        self._timer.stop()
        if self._sent:
            self._timer.start(now)
        if self._lost:
            self._entries.append(Report("overflow", self._lost, self.held))
            self._lost = 0

    def next(self, now: float) -> Event | Inputs | None:
        """The event to send now; None if there is none."""
        if now >= self._timer.due:
            self._timer.expire()
            self._sent = 0
        if self._sent >= min(len(self._entries), EVENT_WINDOW):
            return None
        entry = self._entries[self._sent]
        number = (self._oldest + self._sent) % EVENT_NUMBERS
        self._sent += 1
        self._timer.start(now)
        if isinstance(entry, Report):
            return Inputs(number, entry.kind == "restart", entry.lost, entry.held)
        age = min(MAX_AGE, int((now - entry.at) / AGE_UNIT_S))
        return Event(number, age, entry.input, entry.pressed)

    def _lose(self, count: int) -> None:
        self._lost = min(MOST_LOST, self._lost + count)


@dataclass(frozen=True, slots=True)
class HostFound:
    """A host is there: remove "host lost" and show its views."""


@dataclass(frozen=True, slots=True)
class HostLost:
    """Nothing valid arrived from the host for 1.5 s: say so on the display."""


@dataclass(frozen=True, slots=True)
class HostLeft:
    """The host has gone as announced: lamps off, but its text stays on the display."""


@dataclass(frozen=True, slots=True)
class HostRefused:
    """A host is there, but there is no protocol version that both speak."""

    oldest: int
    newest: int


@dataclass(frozen=True, slots=True)
class LampsSet:
    """All lamps have a new state."""

    lamps: tuple[BoardLamp, ...]


@dataclass(frozen=True, slots=True)
class LineSet:
    """A line of the display has new text."""

    line: int
    text: str


BoardEvent = HostFound | HostLost | HostLeft | HostRefused | LampsSet | LineSet


@dataclass(frozen=True, slots=True)
class BoardIdentity:
    """The board's identity; ``boot_id`` must differ at each reset and is never 0."""

    board_id: str
    firmware: Version
    inputs: int
    lamps: int
    boot_id: int
    reset_cause: ResetCause = ResetCause.UNKNOWN


class BoardState(Enum):
    """The states of a session."""

    ALONE = "no host"
    ANSWERED = "a host said HELLO"
    LINKED = "the host has shown that it heard us"


class BoardSession:
    """One boot of a board; its state is lost at a reset."""

    def __init__(self, identity: BoardIdentity, now: float) -> None:
        self.state = BoardState.ALONE
        self._identity = identity
        self._decoder = FrameDecoder()
        self._refused_messages = 0
        self._ring = EventRing()
        self._ring_owner = NO_BOOT_ID
        self._host = NO_BOOT_ID
        self._host_resumes = False
        self._key: int | None = None
        self._heard = self._hello_due = now
        self._ping_due = float("inf")
        self._view: int | None = None
        self._acks: list[UpMessage] = []
        self._stays = False

    @property
    def due(self) -> float:
        """When ``advance`` and ``outgoing`` must be called although no bytes arrived and no input changed."""
        if self.state is BoardState.ALONE:
            return self._hello_due
        if self.state is BoardState.ANSWERED:
            return self._heard + LOSS_S
        return min(self._heard + LOSS_S, self._ping_due, self._ring.due)

    def change(self, which: int, now: float, *, pressed: bool) -> None:
        """Records a debounced press or release of an input."""
        if not 0 <= which < self._identity.inputs:
            raise ValueError(f"no input {which} of {self._identity.inputs}")
        self._ring.push(which, now, pressed=pressed)

    def receive(self, data: bytes, now: float) -> list[BoardEvent]:
        events = self.advance(now)
        for body in self._decoder.feed(data):
            try:
                message = from_body(body, self._key)
            except MessageError:
                self._refused_messages += 1
            else:
                events += self._take(message, now)
        return events

    def advance(self, now: float) -> list[BoardEvent]:
        if self.state is BoardState.ALONE or now < self._heard + LOSS_S:
            return []
        stays = self._stays
        self._go_alone(now)
        return [HostLeft() if stays else HostLost()]

    def outgoing(self, now: float) -> bytes:
        """The bytes to write now; each call returns new ones."""
        messages: list[UpMessage] = []
        hello = now >= self._hello_due
        if hello:
            self._hello_due = now + BEACON_S if self.state is BoardState.ALONE else float("inf")
            messages.append(self._hello())
        if self.state is BoardState.LINKED:
            if now >= self._ping_due:
                damaged = self._decoder.damaged + self._refused_messages
                messages.append(BoardPing(damaged % 0x10000, 0))
                self._ping_due = now + PING_S
            messages += self._acks
            while (event := self._ring.next(now)) is not None:
                messages.append(event)
        self._acks = []
        wire = b"".join(encode_frame(to_body(message, self._key or 0)) for message in messages)
        return DELIMITER + wire if hello else wire

    def _hello(self) -> BoardHello:
        me = self._identity
        resumed = self._host != NO_BOOT_ID and self._host_resumes
        about = (me.reset_cause, me.inputs, me.lamps, me.board_id)
        return BoardHello(
            OLDEST_VERSION, NEWEST_VERSION, me.firmware, me.boot_id, self._host, resumed, *about
        )

    def _go_alone(self, now: float) -> None:
        self.state, self._host, self._key = BoardState.ALONE, NO_BOOT_ID, None
        self._hello_due = now
        self._stays = False

    def _take(self, message: Message, now: float) -> list[BoardEvent]:
        if isinstance(message, HostHello):
            return self._meet(message, now)
        if not isinstance(message, HostPing | Stay | Lamps | Text | EventAck):
            return []
        self._heard = now
        events: list[BoardEvent] = []
        if self.state is BoardState.ANSWERED:
            self._link(now)
            events.append(HostFound())
        if isinstance(message, Stay):
            self._stays = True
        elif isinstance(message, EventAck):
            self._ring.acknowledge(message.number, now)
        elif isinstance(message, Lamps | Text):
            events += self._show(message)
        return events

    def _meet(self, hello: HostHello, now: float) -> list[BoardEvent]:
        self._hello_due = now
        version = common_version(hello.oldest, hello.newest)
        if version is None:
            events: list[BoardEvent] = [] if self.state is BoardState.ALONE else [HostLost()]
            self._go_alone(now)
            return [*events, HostRefused(hello.oldest, hello.newest)]
        boot_id = self._identity.boot_id
        self._host_resumes = hello.boot_id == self._ring_owner and hello.remembers == boot_id
        if self.state is BoardState.LINKED and self._host_resumes:
            return []  # this host repeats itself, or missed our answer; only its pings keep the link alive
        self.state, self._host = BoardState.ANSWERED, hello.boot_id
        self._key = session_key(hello.boot_id, boot_id, version)
        self._heard = now
        return []

    def _link(self, now: float) -> None:
        self.state, self._ping_due, self._view = BoardState.LINKED, now, None
        self._stays = False
        if self._host_resumes:
            self._ring.resend()
        else:
            self._ring.restart()
            self._ring_owner, self._host_resumes = self._host, True

    def _show(self, message: Lamps | Text) -> list[BoardEvent]:
        if self._view is not None and is_older(message.view, self._view):
            return []
        if isinstance(message, Text):
            self._view = message.view
            self._acks.append(TextAck(message.view, message.line))
            return [LineSet(message.line, message.text)]
        if len(message.lamps) != self._identity.lamps:
            return []
        self._view = message.view
        self._acks.append(LampsAck(message.view))
        return [LampsSet(message.lamps)]
