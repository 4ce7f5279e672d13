"""A bench for each panel driver that can run here: the driver with simulated fingers, eyes and a plug."""

from __future__ import annotations

import asyncio
import io
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from firmware_bridge.messages import BoardLampMode
from hardware.conformance import PanelBench
from hardware.gpio_panel import PinPanel
from hardware.gpio_pins import PinSetup, RpiPins
from hardware.ports import CONTROLS, LAMPS, LINES, SEATS, WHOLE_BOARD, LampMode, SystemClock, Wiring
from hardware.screen_panel import ScreenPanel
from hardware.serial_panel import SerialPanel
from hardware.simulated.panel import SimulatedPanel
from hardware.terminal_panel import TerminalPanel
from hardware.terminal_view import TerminalView
from hardware.web_panel import ALL, Gesture, SeatClaims, WebPanel
from tests.firmware_bridge.pty_board import PtyBoard
from tests.hardware.fake_rpi import FakeRpi
from tests.hardware.screen import SIZE, Screen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardware.ports import Panel

TWO_SEATS = Wiring(
    {name: number for number, name in enumerate((*CONTROLS[:6], "table.menu"), start=5)},
    {"seat1": 20, "seat2": 21, "table": 22},
)

PUSHED = PinSetup(TWO_SEATS)
PULLED = PinSetup(TWO_SEATS, buttons_to_ground=False, lamps_lit_high=False)


class SerialBench:
    """A board behind a pseudo-terminal."""

    controls: Sequence[str] = CONTROLS
    lamps: Sequence[str] = LAMPS

    def __init__(self, folder: Path) -> None:
        self.path = folder / "panel"
        self.panel = SerialPanel(self.path)
        self.board = PtyBoard(self.path)
        self.plugged = True

    def start(self) -> None:
        self.panel.start(lambda: None)

    def stop(self) -> None:
        self.panel.stop()

    def close(self) -> None:
        self.panel.stop()
        if self.plugged:
            self.board.hang_up()

    def press(self, control: str, *, down: bool) -> None:
        self.board.press(WHOLE_BOARD.controls[control], pressed=down)

    def lit(self) -> set[str]:
        lamps = self.board.lamps or ()
        return {name for name, lamp in zip(LAMPS, lamps, strict=False) if lamp.mode is not BoardLampMode.OFF}

    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.board.lines]

    def unplug(self) -> None:
        self.board.unplug()
        self.plugged = False

    def plug(self) -> None:
        self.board.plug()
        self.plugged = True


class PinBench:
    """Pins of a fake RPi.GPIO."""

    controls: Sequence[str] = tuple(TWO_SEATS.controls)
    lamps: Sequence[str] = tuple(TWO_SEATS.lamps)

    def __init__(self, setup: PinSetup) -> None:
        self.gpio = FakeRpi()
        self.setup = setup
        self.panel = PinPanel(RpiPins(setup, lambda: self.gpio))
        self.news = 0

    def start(self) -> None:
        self.panel.start(self._count)

    def _count(self) -> None:
        self.news += 1

    def stop(self) -> None:
        self.panel.stop()

    def press(self, control: str, *, down: bool) -> None:
        """With a bounce or two."""
        level = int(down != self.setup.buttons_to_ground)
        for bounce in (level, 1 - level, level):
            self.gpio.drive(self.setup.wiring.controls[control], bounce)

    def close(self) -> None:
        self.panel.stop()

    def lit(self) -> set[str]:
        pins = self.setup.wiring.lamps
        high = {name for name, pin in pins.items() if self.gpio.levels.get(pin)}
        return high if self.setup.lamps_lit_high else set(pins) - high

    def lines(self) -> None:
        return None

    def unplug(self) -> None:
        self.gpio.gone = True

    def plug(self) -> None:
        self.gpio.gone = False


class AnyBench(PanelBench, Protocol):
    def close(self) -> None: ...


class ScreenBench:
    """Any panel, and beside it a terminal whose screen is seen: both have to show the same."""

    def __init__(self, bench: AnyBench, *, only_display: bool) -> None:
        self.bench = bench
        self.controls: Sequence[str] = bench.controls
        self.lamps: Sequence[str] = bench.lamps
        self.eyes, self.terminal = os.openpty()
        os.set_blocking(self.eyes, False)
        self.panel = ScreenPanel(bench.panel, Path(os.ttyname(self.terminal)), only_display=only_display)
        self.screen = Screen()

    def start(self) -> None:
        self.panel.start(lambda: None)

    def stop(self) -> None:
        self.panel.stop()

    def press(self, control: str, *, down: bool) -> None:
        self.bench.press(control, down=down)

    def lit(self) -> set[str] | None:
        return self.bench.lit()

    def lines(self) -> Sequence[str]:
        with suppress(BlockingIOError):
            while True:
                self.screen.write(os.read(self.eyes, 4096).decode())
        mirrored = [*self.screen.lines(), "", "", "", ""][:LINES]
        own = self.bench.lines()
        return mirrored if own is None or list(own) == mirrored else ["(they differ)", *own]

    def unplug(self) -> None:
        self.bench.unplug()

    def plug(self) -> None:
        self.bench.plug()

    def close(self) -> None:
        self.panel.stop()
        self.bench.close()
        os.close(self.eyes)
        os.close(self.terminal)


def pins_and_screen() -> ScreenBench:
    """Pins, which have no display of their own."""
    return ScreenBench(PinBench(PUSHED), only_display=True)


class TypedBench:
    """A keyboard that is a pipe: a key is a press and a release, so letting go types nothing."""

    controls: Sequence[str] = CONTROLS
    lamps: Sequence[str] = LAMPS
    ok = ""
    """What is typed for OK."""
    end = ""
    """What is typed after each key."""
    panel: Panel

    def __init__(self) -> None:
        self.keyboard, self.typing = os.pipe()

    def close(self) -> None:
        os.close(self.keyboard)
        os.close(self.typing)

    def start(self) -> None:
        self.panel.start(lambda: None)

    def stop(self) -> None:
        self.panel.stop()

    def press(self, control: str, *, down: bool) -> None:
        seat, _, key = control.partition(".")
        keys = {"ok": self.ok, "plus": "+", "minus": "-"}
        typed = "m" if control == "table.menu" else seat.removeprefix("seat") + keys[key]
        if down:
            os.write(self.typing, (typed + self.end).encode())

    def unplug(self) -> None:
        raise AssertionError("a keyboard that is gone does not come back")

    plug = unplug


class TerminalBench(TypedBench):
    """Lines are typed, and the screen is kept."""

    end = "\n"

    def __init__(self, _folder: Path) -> None:
        super().__init__()
        self.screen = io.StringIO()
        self.panel = TerminalPanel(self.keyboard, self.screen, SystemClock())

    def lit(self) -> set[str]:
        return {name.strip("()") for name in self.screen.getvalue().rpartition("+\n")[2].split()}

    def lines(self) -> list[str]:
        below = self.screen.getvalue().rpartition("+\n")[0].rpartition("+\n")[2]
        lines = [line.strip("|").strip() for line in below.splitlines() if line.startswith("| ")]
        return [*lines, "", "", "", ""][:4]


class TerminalViewBench(TypedBench):
    """The terminal that shows everything."""

    ok = "\r"

    def __init__(self, _folder: Path) -> None:
        super().__init__()
        self.seen = Screen()
        self.panel = TerminalView(self.keyboard, self.seen, SystemClock(), lambda: SIZE)

    def lit(self) -> set[str]:
        found = re.findall(r"[●◐◉◍] (\w+)", "\n".join(self.seen.lines()))
        return {f"seat{name}" if name.isdigit() else name for name in found}

    def lines(self) -> list[str]:
        shown = [line.strip("|").strip() for line in self.seen.lines() if line.startswith("| ")]
        return [*shown, "", "", "", ""][:4]


class LoopClock:
    """The running loop's time."""

    def now_s(self) -> float:
        return asyncio.get_running_loop().time()

    def sleep(self, seconds: float) -> None:
        raise AssertionError(f"nothing may sleep {seconds} s on the loop")


class SimulatedBench:
    """The panel of the simulated table, whose fingers let go by themselves."""

    controls: Sequence[str] = CONTROLS
    lamps: Sequence[str] = LAMPS

    def __init__(self, _folder: Path) -> None:
        self.panel = SimulatedPanel(LoopClock())

    def start(self) -> None:
        self.panel.start(lambda: None)

    def stop(self) -> None:
        self.panel.stop()

    close = stop

    def press(self, control: str, *, down: bool) -> None:
        if down:
            self.panel.press(control, hold_s=0.03)

    def lit(self) -> set[str]:
        return {name for name, lamp in self.panel.shown.lamps.items() if lamp.mode is not LampMode.OFF}

    def lines(self) -> list[str]:
        return [*self.panel.shown.lines, "", "", "", ""][:4]

    def unplug(self) -> None:
        raise AssertionError("this panel has no plug")

    plug = unplug


class WebBench:
    """Phones: one tablet with all seats, whose gateway can go."""

    controls: Sequence[str] = CONTROLS
    lamps: Sequence[str] = LAMPS

    def __init__(self, _folder: Path) -> None:
        self.claims = SeatClaims(SEATS)
        self.panel = WebPanel(SystemClock(), self.claims)
        self.panel.reach(True)  # noqa: FBT003 - as its name says
        now_s = SystemClock().now_s()
        self.token, _ = self.claims.claim(self.claims.codes(now_s)[ALL], "", now_s)

    def start(self) -> None:
        self.panel.start(lambda: None)

    def stop(self) -> None:
        self.panel.stop()

    close = stop

    def press(self, control: str, *, down: bool) -> None:
        self.panel.press(self.token, control, Gesture.DOWN if down else Gesture.UP)

    def lit(self) -> set[str]:
        return {name for name, lamp in self.panel.view.lamps.items() if lamp.mode is not LampMode.OFF}

    def lines(self) -> list[str]:
        return [*self.panel.view.lines, "", "", "", ""][:4]

    def unplug(self) -> None:
        self.panel.reach(False)  # noqa: FBT003 - as its name says

    def plug(self) -> None:
        self.panel.reach(True)  # noqa: FBT003 - as its name says
