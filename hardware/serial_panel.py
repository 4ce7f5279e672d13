"""The panel's board on a serial line, through firmware_bridge: eight seats, coloured lamps, a display."""

import asyncio
import logging
import re
import secrets
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from random import Random

from firmware_bridge.errors import PortFailedError
from firmware_bridge.host_session import HostSession, HostState, InputChanged, InputsReported, Linked, Lost
from firmware_bridge.messages import BoardLamp, BoardLampMode, ExpectedBoard, Version
from firmware_bridge.serial_link import LinkEvent, SerialLink
from hardware.ports import (
    LINES,
    NOT_IN_USE,
    WHOLE_BOARD,
    Colour,
    Degraded,
    Lamp,
    LampMode,
    PanelView,
    Press,
    PressLog,
    Wiring,
)

BOARD_ID = "dicetable-25x9"
STALE_S = 1.5
"""Older presses were delayed by an interruption and are ignored, because they come too late to be meant."""
RGB = {
    Colour.WHITE: (255, 255, 255),
    Colour.RED: (255, 0, 0),
    Colour.GREEN: (0, 255, 0),
    Colour.BLUE: (0, 0, 255),
    Colour.YELLOW: (255, 160, 0),
    Colour.VIOLET: (130, 0, 255),
    Colour.ORANGE: (255, 70, 0),
    Colour.CYAN: (0, 200, 255),
    Colour.PINK: (255, 0, 110),
}

log = logging.getLogger(__name__)


class SerialPanel:
    """The board at a path, preferably in /dev/serial/by-id; `wiring` has its input and lamp numbers."""

    def __init__(
        self,
        path: Path,
        wiring: Wiring = WHOLE_BOARD,
        board_id: str = BOARD_ID,
    ) -> None:
        self.path = path
        self.wiring = wiring
        self.expected = ExpectedBoard(
            board_id, 1 + max(wiring.controls.values(), default=0), 1 + max(wiring.lamps.values(), default=0)
        )
        self.view = PanelView({}, [])
        self.link: SerialLink | None = None
        self._controls = {number: name for name, number in wiring.controls.items()}
        self._presses = PressLog()
        self._inputs_known = False  # whether the board has reported which controls are held
        self._news: Callable[[], None] = lambda: None

    @property
    def degraded(self) -> Degraded | None:
        if self.link is None:
            return NOT_IN_USE
        if self.link.session.state is HostState.LINKED:
            return (
                None
                if self._inputs_known
                else Degraded(f"{self.path}: the board has just answered", "wait a moment")
            )
        problem = self.link.problem
        if problem is None:
            flash = "wait a few seconds; then write its firmware (dicetable panel flash) or correct its path"
            return Degraded(f"{self.path}: no board answers", flash)
        cause, _, remedy = str(problem).rpartition(": ")
        if isinstance(problem, PortFailedError) or not cause:
            return Degraded(str(problem), "pull the panel's plug and put it in again")
        return Degraded(cause, remedy)

    def start(self, news: Callable[[], None]) -> None:
        if self.link is not None:
            return
        self._news = news
        session = HostSession(1 + secrets.randbelow(2**32 - 1), self.expected, own_version())
        jitter = Random(secrets.randbits(32))  # noqa: S311 - for the waits between tries
        self.link = SerialLink(self.path, session, self._on_event, jitter)
        self._send()
        self.link.start()

    def stop(self) -> None:
        """Closes the serial device; the board then shows that its host is lost, unless the view stays."""
        if self.link is None:
            return
        self.link.close()
        self.link = None
        self._inputs_known = False
        self._presses.release(set(self._presses.held), asyncio.get_running_loop().time())

    def show(self, view: PanelView) -> None:
        self.view = view
        self._send()

    def presses(self) -> Sequence[Press]:
        return self._presses.take()

    def _send(self) -> None:
        if self.link is None:
            return
        lamps = [BoardLamp()] * self.expected.lamps
        for name, number in self.wiring.lamps.items():
            lamps[number] = board_lamp(self.view.lamps.get(name, Lamp()))
        lines = [*self.view.lines, *[""] * LINES][:LINES]
        self.link.show(lamps, lines, stays=self.view.stays)

    def _on_event(self, event: LinkEvent) -> None:
        now_s = asyncio.get_running_loop().time()
        if isinstance(event, InputChanged):
            self._changed(event, now_s)
        elif isinstance(event, InputsReported):
            self._inputs_known = True
            held = {self._controls[number] for number in event.held if number in self._controls}
            self._presses.release(self._presses.held - held, now_s)
        elif isinstance(event, Lost | Linked):
            if isinstance(event, Linked):
                why = event.board.reset_cause.name.lower()
                log.info("board=%s firmware=%s started_by=%s", self.path, event.board.firmware, why)
            self._inputs_known = isinstance(event, Linked) and event.resumed
            if not self._inputs_known:
                self._presses.release(set(self._presses.held), now_s)
        self._news()

    def _changed(self, event: InputChanged, now_s: float) -> None:
        control = self._controls.get(event.input)
        if control is None or (event.pressed and now_s - event.time_s > STALE_S):
            return
        self._presses.change(control, down=event.pressed, time_s=event.time_s)


def own_version() -> Version:
    """The version of this program as the board gets it: three numbers, without the mark of a pre-release."""
    major, minor, patch, *_ = map(int, re.findall(r"[0-9]+", version("dicetable")))
    return Version(major, minor, patch)


def board_lamp(lamp: Lamp) -> BoardLamp:
    if lamp.mode is LampMode.OFF:
        return BoardLamp()
    return BoardLamp(BoardLampMode[lamp.mode.name], *RGB[lamp.colour])
