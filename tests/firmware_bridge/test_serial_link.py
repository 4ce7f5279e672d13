"""The transport over pseudo-terminals, in real time: opening, loss, another device name, named errors."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import select
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from firmware_bridge.errors import (
    PortAbsentError,
    PortBusyError,
    PortDeniedError,
    PortNotSerialError,
)
from firmware_bridge.host_session import (
    HostSession,
    HostState,
    InputChanged,
    InputsReported,
    Linked,
    LossCause,
    Lost,
    Refused,
)
from firmware_bridge.messages import BoardLamp, BoardLampMode, Version
from firmware_bridge.serial_link import LinkEvent, PortFailed, PortOpened, SerialLink, open_port, port_error
from tests.firmware_bridge.board_session import BoardIdentity, BoardSession, BoardState
from tests.firmware_bridge.pty_board import HANGING_S, LinkEvents, PtyBoard, until
from tests.firmware_bridge.world import EXPECTED, LAMPS, SOFTWARE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

TIOCGEXCL = 0x80045440  # of asm-generic/ioctls.h; the module termios lacks it
VIEW = ((BoardLamp(BoardLampMode.ON, 1, 2, 3),) * LAMPS, ("one", "two", "three", "four"))


def started_link(path: Path) -> tuple[SerialLink, LinkEvents]:
    told = LinkEvents()
    link = SerialLink(path, HostSession(1234, EXPECTED, SOFTWARE), told, Random(1))
    link.start()
    return link, told


def on_a_line(path: Path, story: Callable[[PtyBoard, SerialLink, LinkEvents], Awaitable[None]]) -> None:
    """What happens between a board and a link to it; both are closed in the end."""

    async def run() -> None:
        board = PtyBoard(path)
        link, told = started_link(path)
        try:
            await story(board, link, told)
        finally:
            link.close()
            board.hang_up()

    asyncio.run(run())


def test_a_panel_links_shows_and_reports(tmp_path: Path) -> None:
    async def story(board: PtyBoard, link: SerialLink, told: LinkEvents) -> None:
        link.show(*VIEW)
        await told.kind(PortOpened)
        await told.kind(Linked)
        await told.kind(InputsReported)
        board.press(7)
        event = await told.kind(InputChanged)
        assert isinstance(event, InputChanged)
        assert (event.input, event.pressed) == (7, True)
        await until(lambda: link.session.shown)
        assert board.lamps == VIEW[0]
        assert link.problem is None

    on_a_line(tmp_path / "panel", story)


def test_a_device_that_appears_is_opened(tmp_path: Path) -> None:
    async def run() -> None:
        link, told = started_link(tmp_path / "panel")
        assert "plug the panel in" in str(await told.error(PortAbsentError))
        assert link.problem is not None
        board = PtyBoard(tmp_path / "panel")
        await told.kind(Linked)
        assert link.problem is None
        link.close()
        board.hang_up()

    asyncio.run(run())


STATES = {
    "before it answers": HostState.SEEKING,
    "while linked": HostState.LINKED,
}


@pytest.mark.parametrize("state", STATES.values(), ids=STATES.keys())
def test_unplugged_and_replugged_it_heals_under_another_device_name(tmp_path: Path, state: HostState) -> None:
    async def run() -> None:
        board = PtyBoard(tmp_path / "panel")
        keeper = os.open(
            (tmp_path / "panel").resolve(), os.O_RDWR | os.O_NOCTTY
        )  # so that the name is not reused
        link, told = started_link(tmp_path / "panel")
        link.show(*VIEW)
        await told.kind(PortOpened)
        await until(lambda: link.session.state is state)
        old_name = (tmp_path / "panel").resolve()
        board.unplug()
        if state is HostState.LINKED:
            assert await told.kind(Lost) == Lost(LossCause.DISCONNECTED)
        await told.error(PortAbsentError)
        board.press(3)
        board.plug()
        assert (tmp_path / "panel").resolve() != old_name
        await told.kind(Linked)
        await told.until(lambda e: isinstance(e, InputChanged | InputsReported))
        await until(lambda: link.session.shown)
        link.close()
        board.hang_up()
        os.close(keeper)

    asyncio.run(run())


def test_a_path_that_leads_elsewhere_is_followed_though_the_old_device_stays(tmp_path: Path) -> None:
    async def run() -> None:
        first = PtyBoard(tmp_path / "panel", boot_id=1)
        link, told = started_link(tmp_path / "panel")
        await told.kind(Linked)
        second = PtyBoard(tmp_path / "panel", boot_id=2)
        assert await told.kind(Lost) == Lost(LossCause.DISCONNECTED)
        event = await told.kind(Linked)
        assert isinstance(event, Linked)
        assert event.board.boot_id == 2
        link.close()
        first.hang_up()
        second.hang_up()

    asyncio.run(run())


def test_a_board_that_resets_is_linked_again(tmp_path: Path) -> None:
    async def story(board: PtyBoard, link: SerialLink, told: LinkEvents) -> None:
        link.show(*VIEW)
        await told.kind(Linked)
        board.lamps = None
        board.reset(100)
        assert await told.kind(Lost) == Lost(LossCause.BOARD_RESET)
        await told.kind(Linked)
        await until(lambda: board.lamps == VIEW[0])

    on_a_line(tmp_path / "panel", story)


def test_a_board_that_stalls_is_lost_and_found(tmp_path: Path) -> None:
    """Its device stays and takes bytes until it is full; nothing comes back."""

    async def story(board: PtyBoard, _: SerialLink, told: LinkEvents) -> None:
        await told.kind(Linked)
        board.stall()
        assert await told.kind(Lost) == Lost(LossCause.SILENCE)
        board.go_on()
        await told.kind(Linked)

    on_a_line(tmp_path / "panel", story)


def test_a_board_that_hangs_has_its_device_opened_anew_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening it pulls the reset line of most boards."""
    monkeypatch.setattr("firmware_bridge.serial_link.SILENT_S", 0.2)

    async def run() -> None:
        board = PtyBoard(tmp_path / "panel")
        link, told = started_link(tmp_path / "panel")
        await told.kind(PortOpened)
        await told.kind(Linked)
        board.stall()
        assert await told.kind(Lost) == Lost(LossCause.SILENCE)
        await told.kind(PortOpened)
        await asyncio.sleep(0.5)
        assert told.events == [], "a device that does not answer is left alone"
        board.reset(2)
        board.go_on()
        await told.kind(Linked)
        link.close()
        board.hang_up()

    asyncio.run(run())


def test_a_loss_is_noticed_though_nothing_can_be_written(tmp_path: Path) -> None:
    async def story(board: PtyBoard, link: SerialLink, told: LinkEvents) -> None:
        await told.kind(Linked)
        board.stall()
        fill(link)
        link.show(*VIEW)
        assert link._unwritten
        assert await told.kind(Lost) == Lost(LossCause.SILENCE)

    on_a_line(tmp_path / "panel", story)


def fill(link: SerialLink) -> None:
    """Writes until the device takes no byte more, nor after the kernel has moved on what it had queued."""
    assert link._port is not None
    port = link._port.fileno()
    while select.select([], [port], [], 0.2)[1]:
        for piece in (b"\x00" * 4096, b"\x00"):
            with suppress(BlockingIOError):
                while True:
                    os.write(port, piece)


def test_a_full_device_delays_but_breaks_nothing(tmp_path: Path) -> None:
    async def story(board: PtyBoard, link: SerialLink, told: LinkEvents) -> None:
        await told.kind(Linked)
        fill(link)
        link.show(*VIEW)
        assert link._unwritten
        await until(lambda: board.lamps == VIEW[0])
        await until(lambda: link.session.shown)
        assert not link._unwritten

    on_a_line(tmp_path / "panel", story)


def test_a_refused_board_is_the_links_problem(tmp_path: Path) -> None:
    async def story(board: PtyBoard, link: SerialLink, told: LinkEvents) -> None:
        board.session = BoardSession(BoardIdentity("toaster", Version(1, 0, 0), 25, 9, 5), 0.0)
        await told.kind(Refused)
        assert "toaster" in str(link.problem)
        assert board.session.state is not BoardState.LINKED

    on_a_line(tmp_path / "panel", story)


@pytest.mark.parametrize("what", ["file", "folder", "/dev/null"])
def test_what_is_no_terminal_is_a_named_error_that_heals(tmp_path: Path, what: str) -> None:
    async def run() -> None:
        path = tmp_path / "panel"
        if what == "file":
            path.touch()
        elif what == "folder":
            path.mkdir()
        else:
            path.symlink_to(what)
        link, told = started_link(path)
        assert "not a serial device" in str(await told.error(PortNotSerialError))
        if what == "folder":
            path.rmdir()
        board = PtyBoard(path)
        await told.kind(Linked)
        link.close()
        board.hang_up()

    asyncio.run(run())


HOLDERS = {
    "only opens it": "",
    "locks it": "import fcntl; fcntl.flock(port, fcntl.LOCK_EX);",
    "claims it": "import fcntl, termios; fcntl.ioctl(port, termios.TIOCEXCL);",
}


@pytest.mark.parametrize("how", HOLDERS.values(), ids=HOLDERS.keys())
def test_a_device_of_another_program_is_a_named_error_that_heals(tmp_path: Path, how: str) -> None:
    async def run() -> None:
        board = PtyBoard(tmp_path / "panel")
        opens = "import os, sys; port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY);"
        program = f"{opens} {how} print(flush=True); input()"
        command = [sys.executable, "-c", program, str(tmp_path / "panel")]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdout is not None
            assert holder.stdin is not None
            holder.stdout.readline()
            link, told = started_link(tmp_path / "panel")
            assert f"process {holder.pid}" in str(await told.error(PortBusyError))
            holder.stdin.close()
            holder.wait(HANGING_S)
        await told.kind(Linked)
        link.close()
        board.hang_up()

    asyncio.run(run())


def test_a_lock_of_a_program_out_of_sight_is_busy_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.serial_link.holder", lambda _: None)
    master, slave = pty.openpty()
    name = Path(os.ttyname(slave))
    fcntl.flock(slave, fcntl.LOCK_EX)
    with pytest.raises(PortBusyError, match="in use by another program"):
        open_port(name)
    os.close(slave)
    os.close(master)


def test_an_open_port_is_claimed_against_others() -> None:
    master, slave = pty.openpty()
    port = open_port(Path(os.ttyname(slave)))
    with pytest.raises(BlockingIOError):
        fcntl.flock(slave, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert fcntl.ioctl(port.fileno(), TIOCGEXCL, b"\x00" * 4) != b"\x00" * 4
    port.close()
    os.close(slave)
    os.close(master)


def test_a_missing_permission_is_named_with_its_remedy() -> None:
    """Tests may run as root, to whom nothing is denied: the operating system's answer is given here."""
    error = port_error(Path("/dev/ttyACM0"), PermissionError(13, "Permission denied"))
    assert isinstance(error, PortDeniedError)
    assert "dialout" in str(error)


@pytest.mark.parametrize("on", [PortOpened, Linked, PortFailed])
def test_its_owner_may_close_it_when_told_something(tmp_path: Path, on: type[LinkEvent]) -> None:
    async def run() -> None:
        told: list[LinkEvent] = []

        def close_on(event: LinkEvent) -> None:
            told.append(event)
            if isinstance(event, on):
                link.close()

        if on is not PortFailed:
            board = PtyBoard(tmp_path / "panel")
        link = SerialLink(tmp_path / "panel", HostSession(1234, EXPECTED, SOFTWARE), close_on, Random(1))
        link.start()
        await until(lambda: any(isinstance(event, on) for event in told))
        so_far = len(told)
        if on is PortFailed:
            board = PtyBoard(tmp_path / "panel")
        await asyncio.sleep(0.3)
        assert len(told) == so_far
        board.hang_up()

    asyncio.run(run())


def test_a_closed_link_tells_nothing_and_frees_the_device(tmp_path: Path) -> None:
    async def run() -> None:
        board = PtyBoard(tmp_path / "panel")
        link, told = started_link(tmp_path / "panel")
        await told.kind(Linked)
        told.events.clear()
        link.close()
        open_port((tmp_path / "panel").resolve()).close()
        await asyncio.sleep(0.3)
        assert told.events == []
        board.hang_up()

    asyncio.run(run())
