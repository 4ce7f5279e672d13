"""The host's end of panel link v1: bytes and time in, bytes and events out. No I/O, no clock, no randomness.

Call ``receive`` for bytes, ``advance`` at ``due``, and after either write what ``outgoing`` returns. Times
are seconds of one monotonic clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from firmware_bridge.errors import MessageError, RefusedError
from firmware_bridge.messages import (
    AGE_UNIT_S,
    NO_BOOT_ID,
    TEXT_COLUMNS,
    TEXT_LINES,
    BoardHello,
    BoardLamp,
    BoardPing,
    DownMessage,
    Event,
    EventAck,
    ExpectedBoard,
    HostHello,
    HostPing,
    Inputs,
    Lamps,
    LampsAck,
    Message,
    Stay,
    Text,
    TextAck,
    Version,
    from_body,
    printable,
    session_key,
    to_body,
)
from firmware_bridge.protocol import (
    DELIMITER,
    EVENT_NUMBERS,
    HELLO_S,
    LOSS_S,
    NEWEST_VERSION,
    OLDEST_VERSION,
    PING_S,
    REFUSED_HELLO_S,
    VIEW_NUMBERS,
    FrameDecoder,
    ResendTimer,
    encode_frame,
    is_older,
)

LAMPS = -1  # the slot of the lamps; a text line's slot is its number
SLOTS = (LAMPS, *range(TEXT_LINES))


class LossCause(Enum):
    """Why a link was lost."""

    SILENCE = "nothing was heard from the board for 1.5 s"
    BOARD_RESET = "the board has restarted"
    BOARD_LOST_HOST = "the board no longer hears this host"
    DISCONNECTED = "the serial device is gone"


@dataclass(frozen=True, slots=True)
class Linked:
    """The board answers and matches; with ``resumed`` no event was lost since the link was last up."""

    board: BoardHello
    version: int
    resumed: bool


@dataclass(frozen=True, slots=True)
class Lost:
    """The link is lost."""

    cause: LossCause


@dataclass(frozen=True, slots=True)
class Refused:
    """A board answers that does not match; reported once for each reason, and the reason may change."""

    reason: RefusedError


@dataclass(frozen=True, slots=True)
class InputChanged:
    """An input was pressed or released at ``time_s``; unique by boot id and number."""

    board_boot_id: int
    number: int
    input: int
    pressed: bool
    time_s: float


@dataclass(frozen=True, slots=True)
class InputsReported:
    """The inputs held at the start of a session and after an overflow; ``lost`` changes were not seen."""

    board_boot_id: int
    number: int
    held: frozenset[int]
    lost: int


HostEvent = Linked | Lost | Refused | InputChanged | InputsReported


class ViewSender:
    """Holds the view that the board should show and knows which parts of it the board has confirmed.

    Each part is a state, not a command: only its newest value is ever sent, and sending it twice does no
    harm. One frame is under way at a time and lamps go first, so a lamp never waits for more than one line
    of text.
    """

    def __init__(self) -> None:
        self._view = 0
        self._lamps: tuple[BoardLamp, ...] | None = None
        self._lines: tuple[str, ...] | None = None
        self._pending: dict[int, int] = {}  # slot to the view that changed it
        self._under_way: tuple[int, int] | None = None  # slot and view of the frame sent last
        self._timer = ResendTimer()
        self._board_lamps = 0

    @property
    def shown(self) -> bool:
        """Whether the board has confirmed all that it should show."""
        return not self._pending

    @property
    def due(self) -> float:
        """When ``next`` may have something to send though nothing else happens."""
        if self._under_way is not None:
            return self._timer.due
        return float("-inf") if self._pending else float("inf")

    def show(self, lamps: Sequence[BoardLamp], lines: Sequence[str]) -> None:
        """Sets the whole view: a lamp each, and four lines of at most twenty printable ASCII characters."""
        if not all(0 <= channel <= 255 for lamp in lamps for channel in (lamp.red, lamp.green, lamp.blue)):
            raise ValueError("a colour's channels go from 0 to 255")
        padded = tuple(line.ljust(TEXT_COLUMNS) for line in lines)
        for line in padded:
            if len(line) != TEXT_COLUMNS or not line.isascii() or not printable(line.encode("ascii")):
                raise ValueError(f"not {TEXT_COLUMNS} printable ASCII characters: {line!r}")
        if len(padded) != TEXT_LINES:
            raise ValueError(f"the display has {TEXT_LINES} lines, not {len(padded)}")
        old = self._lines or (None,) * TEXT_LINES
        changed = [slot for slot in range(TEXT_LINES) if padded[slot] != old[slot]]
        if tuple(lamps) != self._lamps:
            changed.append(LAMPS)
        if changed:
            self._view = (self._view + 1) % VIEW_NUMBERS
            self._pending |= dict.fromkeys(changed, self._view)
        self._lamps, self._lines = tuple(lamps), padded

    def restart(self, board_lamps: int) -> None:
        """A board with `board_lamps` lamps that knows nothing of the view: all of it must be sent."""
        self._board_lamps = board_lamps
        self._under_way = None
        self._timer.stop()
        if self._lamps is not None:
            self._pending = dict.fromkeys(SLOTS, self._view)

    def acknowledge(self, ack: LampsAck | TextAck) -> None:
        slot = ack.line if isinstance(ack, TextAck) else LAMPS
        if slot in self._pending and not is_older(ack.view, self._pending[slot]):
            del self._pending[slot]
        if self._under_way == (slot, ack.view):
            self._under_way = None
            self._timer.stop()

    def next(self, now: float) -> Lamps | Text | None:
        """The frame to send now, if any: lamps before text, and nothing while one is under way in time."""
        if self._under_way is not None:
            if now < self._timer.due:
                return None
            self._timer.expire()
            self._under_way = None
        if not self._pending or self._lamps is None or self._lines is None:
            return None
        slot = min(self._pending)
        self._under_way = (slot, self._view)
        self._timer.start(now)
        if slot == LAMPS:
            lamps = self._lamps[: self._board_lamps]
            return Lamps(self._view, lamps + (BoardLamp(),) * (self._board_lamps - len(lamps)))
        return Text(self._view, slot, self._lines[slot])


class EventReceiver:
    """Takes each event once and in order, by the board's boot id and the event's number."""

    def __init__(self) -> None:
        self.board_boot_id = NO_BOOT_ID
        self._last: int | None = None

    @property
    def acknowledged(self) -> int | None:
        """The number to acknowledge: that of the last event taken; None before the board's first report."""
        return self._last

    def begin(self, board_boot_id: int, *, resumed: bool) -> None:
        """Starts a session with a board; unless it is resumed, it begins with an INPUTS that restarts."""
        if not resumed or board_boot_id != self.board_boot_id:
            self._last = None
        self.board_boot_id = board_boot_id

    def take(self, event: Event | Inputs) -> bool:
        """Whether to take the event as the next one; if not, it is a repeat, or an earlier one is missing."""
        if isinstance(event, Inputs) and event.restart:
            ahead = 1 if self._last is None else (event.number - self._last) % EVENT_NUMBERS
            new = 0 < ahead < EVENT_NUMBERS // 2
        else:
            new = self._last is not None and event.number == (self._last + 1) % EVENT_NUMBERS
        if new:
            self._last = event.number
        return new


class HostState(Enum):
    """The states of a session."""

    DISCONNECTED = "no serial device"
    SEEKING = "no board answers"
    REFUSED = "the board will not do"
    LINKED = "linked"


class HostSession:
    """One host process's side of the link, over any number of connections. ``boot_id`` is random, never 0."""

    def __init__(self, boot_id: int, expected: ExpectedBoard, software: Version) -> None:
        if not 0 < boot_id < 1 << 32:
            raise ValueError("a boot id has 32 bits and is not 0")
        self.state = HostState.DISCONNECTED
        self.refusal: RefusedError | None = None
        self.board: BoardHello | None = None
        self.board_health = BoardPing(0, 0)
        self.refused_messages = 0
        self._boot_id = boot_id
        self._expected = expected
        self._software = software
        self._decoder = FrameDecoder()
        self._events = EventReceiver()
        self._views = ViewSender()
        self._key: int | None = None
        self._heard = self._hello_due = self._ping_due = 0.0
        self._ack_due = self._stays = False

    @property
    def damaged_frames(self) -> int:
        """Frames rejected on this connection: damaged, or from another session."""
        return self._decoder.damaged + self.refused_messages

    @property
    def shown(self) -> bool:
        """Whether the board has acknowledged the whole view."""
        return self.state is HostState.LINKED and self._views.shown

    @property
    def due(self) -> float:
        """When ``advance`` and ``outgoing`` must be called although no bytes arrived."""
        if self.state is HostState.DISCONNECTED:
            return float("inf")
        if self.state is HostState.SEEKING:
            return self._hello_due
        if self.state is HostState.REFUSED:
            return min(self._heard + LOSS_S, self._hello_due)
        return min(self._heard + LOSS_S, self._ping_due, self._views.due)

    def show(self, lamps: Sequence[BoardLamp], lines: Sequence[str], *, stays: bool = False) -> None:
        """Sets what the panel shows. Raises ValueError for an impossible view. Call ``outgoing`` after it.

        Text that ``stays`` remains after the link ends; use it only for the last message before a shutdown.
        """
        self._views.show(lamps, lines)
        self._stays = stays

    def connected(self, now: float) -> None:
        self._decoder = FrameDecoder()
        self.refused_messages = 0
        self._seek(now)

    def disconnected(self) -> list[HostEvent]:
        stood = self.state is HostState.LINKED
        self.state, self._key, self.board, self.refusal = HostState.DISCONNECTED, None, None, None
        return [Lost(LossCause.DISCONNECTED)] if stood else []

    def receive(self, data: bytes, now: float) -> list[HostEvent]:
        """Processes bytes from the board; damaged frames are counted and never raise."""
        events = self.advance(now)
        for body in self._decoder.feed(data):
            try:
                message = from_body(body, self._key)
            except MessageError:
                self.refused_messages += 1
            else:
                events += self._take(message, now)
        return events

    def advance(self, now: float) -> list[HostEvent]:
        if self.state is HostState.LINKED and now >= self._heard + LOSS_S:
            return self._lose(LossCause.SILENCE, now)
        if self.state is HostState.REFUSED and now >= self._heard + LOSS_S:
            self.refusal = None
            self._seek(now)
        return []

    def outgoing(self, now: float) -> bytes:
        """The bytes to write now; each call returns new ones."""
        if self.state is HostState.DISCONNECTED:
            return b""
        if self.state is not HostState.LINKED:
            return self._hello(now)
        messages: list[DownMessage] = []
        state = self._views.next(now)
        if state is not None:
            messages.append(state)
        if self._ack_due and self._events.acknowledged is not None:
            messages.append(EventAck(self._events.acknowledged))
            self._ack_due = False
        # PING is sent regardless of other traffic: the shortest frame is the likeliest to survive a bad line.
        if now >= self._ping_due:
            messages.append(HostPing())
            if self._stays:
                messages.append(Stay())
            self._ping_due = now + PING_S
        return b"".join(self._framed(message) for message in messages)

    def _framed(self, message: DownMessage) -> bytes:
        return encode_frame(to_body(message, self._key or 0))

    def _hello(self, now: float) -> bytes:
        if now < self._hello_due:
            return b""
        self._hello_due = now + (REFUSED_HELLO_S if self.state is HostState.REFUSED else HELLO_S)
        remembered = self._events.board_boot_id
        hello = HostHello(OLDEST_VERSION, NEWEST_VERSION, self._software, self._boot_id, remembered)
        # The delimiter before it terminates any noise received so far.
        return DELIMITER + self._framed(hello)

    def _seek(self, now: float) -> None:
        self.state, self._key, self.board = HostState.SEEKING, None, None
        self._hello_due = now

    def _lose(self, cause: LossCause, now: float) -> list[HostEvent]:
        self._seek(now)
        return [Lost(cause)]

    def _take(self, message: Message, now: float) -> list[HostEvent]:
        if isinstance(message, BoardHello):
            return self._meet(message, now)
        if self.state is not HostState.LINKED:
            return []
        if isinstance(message, Event | Inputs):
            self._heard, self._ack_due = now, True
            return [self._event_of(message, now)] if self._events.take(message) else []
        if isinstance(message, LampsAck | TextAck):
            self._heard = now
            self._views.acknowledge(message)
        elif isinstance(message, BoardPing):
            self._heard = now
            self.board_health = message
        return []

    def _event_of(self, message: Event | Inputs, now: float) -> HostEvent:
        boot_id = self._events.board_boot_id
        if isinstance(message, Inputs):
            return InputsReported(boot_id, message.number, message.held, message.lost)
        at_s = now - message.age * AGE_UNIT_S
        return InputChanged(boot_id, message.number, message.input, message.pressed, at_s)

    def _meet(self, hello: BoardHello, now: float) -> list[HostEvent]:
        ours = hello.answers == self._boot_id
        events: list[HostEvent] = []
        if self.state is HostState.LINKED and self.board is not None:
            if hello.boot_id != self.board.boot_id:
                events = self._lose(LossCause.BOARD_RESET, now)
            elif not ours:
                events = self._lose(LossCause.BOARD_LOST_HOST, now)
            else:
                return []  # the answer to a HELLO that was sent twice
        try:
            version = self._expected.accept(hello)
        except RefusedError as reason:
            return events + self._refuse(reason, now)
        if self.state is HostState.REFUSED:
            self.refusal = None
            self._seek(now)
        if not ours or (hello.resumed and hello.boot_id != self._events.board_boot_id):
            self._hello_due = now
            return events
        return [*events, self._link(hello, version, now)]

    def _refuse(self, reason: RefusedError, now: float) -> list[HostEvent]:
        news = self.state is not HostState.REFUSED or str(self.refusal) != str(reason)
        if self.state is not HostState.REFUSED:
            self._hello_due = now + REFUSED_HELLO_S
        self.state, self.refusal, self._heard = HostState.REFUSED, reason, now
        return [Refused(reason)] if news else []

    def _link(self, hello: BoardHello, version: int, now: float) -> Linked:
        self.state, self.board = HostState.LINKED, hello
        self._key = session_key(self._boot_id, hello.boot_id, version)
        self._heard = self._ping_due = now
        self._ack_due = False
        self._events.begin(hello.boot_id, resumed=hello.resumed)
        self._views.restart(hello.lamps)
        return Linked(hello, version, hello.resumed)
