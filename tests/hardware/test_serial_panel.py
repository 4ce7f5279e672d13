"""The serial panel beyond the rules of its port: wiring, colours, stale presses, what is wrong in words."""

from __future__ import annotations

import asyncio
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firmware_bridge.errors import PortFailedError
from firmware_bridge.host_session import HostState, InputChanged, InputsReported
from firmware_bridge.messages import BoardLamp, BoardLampMode, Version
from hardware.conformance import heard_some, until
from hardware.ports import WHOLE_BOARD, Colour, Degraded, Lamp, LampMode, PanelView, Press, Wiring
from hardware.serial_panel import SerialPanel, own_version
from hardware.simulated import clock
from tests.hardware.panels import SerialBench

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

ONE_SEAT = Wiring(
    {"seat1.minus": 9, "seat1.plus": 3, "seat1.ok": 5, "table.menu": 0}, {"seat1": 7, "table": 2}
)


def test_names_go_by_the_wiring(tmp_path: Path) -> None:
    async def story() -> None:
        bench = SerialBench(tmp_path)
        panel = bench.panel = SerialPanel(bench.path, ONE_SEAT)
        panel.show(PanelView({"seat1": Lamp(LampMode.PULSE, Colour.RED), "seat2": Lamp(LampMode.ON)}, []))
        panel.start(lambda: None)
        await until(lambda: panel.degraded is None, "not linked")
        await until(lambda: bench.board.lamps is not None, "no lamps")
        lamps = [BoardLamp()] * 9
        lamps[7] = BoardLamp(BoardLampMode.PULSE, 255, 0, 0)
        assert bench.board.lamps == tuple(lamps)
        for number in (9, 4):
            bench.board.press(number)
        presses: list[Press] = []
        await heard_some(bench, 1, presses)
        assert [press.control for press in presses] == ["seat1.minus"]  # input 4 has no name here
        panel.stop()
        bench.close()

    asyncio.run(story())


def test_the_log_tells_what_firmware_answered_and_why_it_had_started(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    async def story() -> None:
        bench = SerialBench(tmp_path)
        bench.start()
        await until(lambda: bench.panel.degraded is None, "not linked")
        bench.close()

    asyncio.run(story())
    assert caplog.messages == [f"board={tmp_path / 'panel'} firmware=1.0.0 started_by=unknown"]


@pytest.mark.parametrize(("written", "told"), [("1.2.3", Version(1, 2, 3)), ("1.4.0rc2", Version(1, 4, 0))])
def test_the_board_is_told_the_version_of_the_program(
    monkeypatch: pytest.MonkeyPatch, written: str, told: Version
) -> None:
    monkeypatch.setattr("hardware.serial_panel.version", lambda name: {"dicetable": written}[name])
    assert own_version() == told


def in_virtual_time(story: Callable[[SerialPanel], Coroutine[None, None, None]], path: Path) -> None:
    async def tell() -> None:
        panel = SerialPanel(path)
        panel.start(lambda: None)
        await story(panel)
        panel.stop()

    clock.run(tell())


def test_a_press_that_waited_out_an_interruption_is_dropped_with_its_release(tmp_path: Path) -> None:
    async def story(panel: SerialPanel) -> None:
        now_s = asyncio.get_running_loop().time()
        assert panel.link is not None
        for number, pressed, at in ((1, True, now_s - 1.6), (2, False, now_s), (3, True, now_s - 1.4)):
            panel._on_event(InputChanged(1, number, 2, pressed, at))
        (press,) = panel.presses()
        assert (press.control, press.down, press.time_s) == ("seat1.ok", True, now_s - 1.4)
        await asyncio.sleep(0)

    in_virtual_time(story, tmp_path / "none")


def test_what_an_overflow_swallowed_is_let_go_and_never_invented(tmp_path: Path) -> None:
    async def story(panel: SerialPanel) -> None:
        now_s = asyncio.get_running_loop().time()
        panel._on_event(InputChanged(1, 1, 2, pressed=True, time_s=now_s))
        panel._on_event(InputsReported(1, 2, frozenset({0}), 7))
        panel._on_event(InputChanged(1, 3, 0, pressed=False, time_s=now_s))
        assert [(press.control, press.down) for press in panel.presses()] == [
            ("seat1.ok", True),
            ("seat1.ok", False),
        ]
        await asyncio.sleep(0)

    in_virtual_time(story, tmp_path / "none")


def test_a_path_without_a_device(tmp_path: Path) -> None:
    async def story(panel: SerialPanel) -> None:
        assert panel.degraded == Degraded(
            f"{tmp_path}/none: no such device",
            "plug the panel in, or correct its path (ls /dev/serial/by-id)",
        )
        await asyncio.sleep(0)

    in_virtual_time(story, tmp_path / "none")


def test_a_path_to_something_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no tty")

    async def story(panel: SerialPanel) -> None:
        assert panel.degraded is not None
        assert panel.degraded.what == f"{tmp_path}/file: not a serial device"
        await asyncio.sleep(0)

    in_virtual_time(story, tmp_path / "file")


def test_a_device_where_no_board_answers() -> None:
    master, slave = os.openpty()
    name = os.ttyname(slave)

    async def story() -> None:
        panel = SerialPanel(Path(name))
        panel.start(lambda: None)
        assert panel.degraded is not None
        assert panel.degraded.what == f"{name}: no board answers"
        assert "dicetable panel flash" in panel.degraded.remedy
        panel.stop()

    asyncio.run(story())
    os.close(master)
    os.close(slave)


def test_a_board_of_another_kind_is_refused_by_name(tmp_path: Path) -> None:
    async def story() -> None:
        bench = SerialBench(tmp_path)
        panel = SerialPanel(bench.path, board_id="dicetable-9x3")
        panel.start(lambda: None)
        await until(lambda: panel.degraded and "expected is" in panel.degraded.what, "not refused")
        assert panel.degraded == Degraded(
            "the board is 'dicetable-25x9', expected is 'dicetable-9x3'", "correct config or firmware"
        )
        panel.stop()
        bench.close()

    asyncio.run(story())


def test_a_failing_device_has_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path) -> None:
        raise PortFailedError(f"{path}: [Errno 5] Input/output error")

    monkeypatch.setattr("firmware_bridge.serial_link.open_port", fail)

    async def story(panel: SerialPanel) -> None:
        assert panel.degraded is not None
        assert "Input/output error" in panel.degraded.what
        assert "plug" in panel.degraded.remedy
        await asyncio.sleep(0)

    in_virtual_time(story, tmp_path / "none")


def test_the_whole_board_is_wired_in_the_order_of_the_names() -> None:
    assert WHOLE_BOARD.controls["table.menu"] == 24
    assert WHOLE_BOARD.lamps["table"] == 8


def test_a_wiring_with_a_name_that_no_panel_has_or_a_number_twice() -> None:
    with pytest.raises(ValueError, match="no panel has seat9"):
        Wiring({}, {"seat9": 1})
    with pytest.raises(ValueError, match="one number"):
        Wiring({"seat1.ok": 1, "seat1.plus": 1}, {})


def test_the_panel_is_there_once_the_board_has_told_which_buttons_are_held(tmp_path: Path) -> None:
    async def story(panel: SerialPanel) -> None:
        assert panel.link is not None
        panel.link.session.state = HostState.LINKED
        assert panel.degraded == Degraded(f"{panel.path}: the board has just answered", "wait a moment")
        panel._on_event(InputsReported(1, 1, frozenset(), 0))
        assert panel.degraded is None
        await asyncio.sleep(0)

    in_virtual_time(story, tmp_path / "none")
