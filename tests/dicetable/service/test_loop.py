"""The service's turns, on the fake clock."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from common import messages, texts
from dicetable.eye.messages import Blind, Retraction
from dicetable.ledger.entries import Closed, Ending, Opened
from dicetable.ledger.store import Ledger
from dicetable.service import loop
from dicetable.service.server import Nothing, RequestKind, accepted
from dicetable.service.sockets import Sockets
from dicetable.table.table_menu import TableMenu
from games.match import Match
from hardware.ports import Degraded, Press, SystemClock
from hardware.simulated.clock import VirtualClock
from tests.dicetable.service.evenings import listening
from tests.dicetable.service.fakes import Bench, FakeEye, FakeNotifier, FakePanel, service
from tests.firmware_bridge.pty_board import until
from tests.hardware.panels import SerialBench
from vision.reading import Reading, Reason, Settled, Unsettled

if TYPE_CHECKING:
    from pathlib import Path

    from common.messages import Answer
    from dicetable.eye.messages import EyeMessage, Teaching
    from dicetable.service.loop import Service
    from dicetable.table.table import Table
    from hardware.ports import PanelView

DRAWS = Match.new("six_by_6", ("ann", "bob"), {}, seed=1).opening.draws
OPENED = Opened("six_by_6", ("ann", "bob"), {}, 1, DRAWS, (1, 2), ())


def test_a_view_is_sent_when_it_changes_and_not_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.wait(0.1)
    assert len(bench.panel.shown) == 1
    bench.tap("seat1.ok")
    assert len(bench.panel.shown) > 1
    bench.close()


def test_the_table_goes_on_from_the_ledger(tmp_path: Path) -> None:
    before = Ledger(tmp_path)
    before.append(OPENED)
    before.close()
    bench = Bench(tmp_path)
    bench.wait(0.1)
    assert bench.service.table.state.match is not None
    assert bench.lines[0].startswith("ann")
    bench.close()


def test_a_ledger_that_opens_late_brings_its_game(tmp_path: Path) -> None:
    other = Ledger(tmp_path)
    other.append(OPENED)
    bench = Bench(tmp_path)
    bench.wait(0.1)
    assert bench.service.table.state.match is None
    assert bench.service.table.degraded["journal"].what == "Another program uses the ledger."
    other.close()
    bench.wait(5.1)
    assert bench.service.table.state.match is not None
    assert bench.service.table.degraded == {}
    bench.close()


def test_a_repaired_ledger_is_told_of_until_play_goes_on(tmp_path: Path) -> None:
    before = Ledger(tmp_path)
    before.append(OPENED)
    before.close()
    with before.path.open("r+b") as file:
        file.write(bytes(50))
    bench = Bench(tmp_path)
    bench.wait(0.1)
    assert "damaged" in bench.service.table.degraded["ledger"].what
    assert bench.service.table.state.match is not None
    bench.service.table.write(Closed(Ending.ENDED))
    bench.wait(0.1)
    assert bench.service.table.degraded == {}
    bench.close()


def test_degraded_panels_and_cameras_reach_table_log_and_systemd(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    bench = Bench(tmp_path)
    bench.panel.degraded = Degraded("the panel is gone", "plug it in")
    bench.eye.next = [Blind(Degraded("the camera is gone", "plug it in too"), bench.clock.now_s())]
    bench.wait(1.0)
    assert set(bench.service.table.degraded) == {"panel", "camera"}
    assert bench.told[-1] != "STATUS=ready"
    said = [record.getMessage() for record in caplog.records if "part=" in record.getMessage()]
    assert said == [
        "part=panel what='the panel is gone' remedy='plug it in'",
        "part=camera what='the camera is gone' remedy='plug it in too'",
    ]
    bench.panel.degraded = None
    bench.wait(0.1)
    assert set(bench.service.table.degraded) == {"camera"}
    bench.close()


class Pupil(FakeEye):
    """An eye that learns, unless it is busy."""

    def __init__(self) -> None:
        super().__init__()
        self.busy = True
        self.learned: list[Teaching] = []
        self.dice_degraded: Degraded | None = None

    def teach(self, lesson: Teaching) -> bool:
        if not self.busy:
            self.learned.append(lesson)
        return not self.busy


def test_the_eye_gets_each_lesson_once_as_soon_as_it_takes_it(tmp_path: Path) -> None:
    eye = Pupil()
    made = service(tmp_path, VirtualClock(), FakePanel(), eye)
    lessons = [Retraction(7, revision) for revision in (1, 2)]
    made.table.lessons.extend(lessons)
    made.turn()
    assert eye.learned == []
    eye.busy = False
    made.turn()
    made.turn()
    assert eye.learned == lessons
    eye.dice_degraded = Degraded("No dice.", "mend it")
    made.turn()
    assert made.table.degraded["dice"] == eye.dice_degraded
    eye.dice_degraded = None
    made.turn()
    assert "dice" not in made.table.degraded
    made.parts.ledger.close()


def test_lessons_do_not_pile_up_for_an_eye_that_learns_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.service.table.lessons.append(Retraction(7, 1))
    bench.wait(0.1)
    assert not bench.service.table.lessons
    bench.close()


def test_the_watchdog_is_fed_four_times_a_period_while_turns_are_made(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.wait(10.0)
    assert bench.told.count("WATCHDOG=1") == 4
    bench.close()


def test_only_a_turn_that_comes_to_its_end_feeds_the_watchdog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path)
    fed_before: list[int] = []
    show = bench.panel.show

    def told_first(view: PanelView) -> None:
        fed_before.append(bench.told.count("WATCHDOG=1"))
        show(view)

    monkeypatch.setattr(bench.panel, "show", told_first)
    bench.service.turn()
    assert fed_before == [0]
    assert bench.told.count("WATCHDOG=1") == 1

    def fails() -> list[EyeMessage]:
        raise BrokenPipeError

    monkeypatch.setattr(bench.eye, "messages", fails)
    bench.clock.sleep(10.0)
    with pytest.raises(BrokenPipeError):
        bench.service.turn()
    assert bench.told.count("WATCHDOG=1") == 1
    bench.close()


def test_after_power_off_the_panel_says_when_it_is_safe_to_unplug(tmp_path: Path) -> None:
    """On the board's display, before the link goes, and only once the ledger is closed."""
    folder = tmp_path / "ledger"

    async def story() -> bool:
        bench = SerialBench(tmp_path)
        made = service(folder, SystemClock(), bench.panel, FakeEye())
        serving = asyncio.get_running_loop().create_task(made.serve())
        await until(lambda: bench.panel.degraded is None)
        made.table.switch_off()
        await until(lambda: bench.lines() == list(texts.panel.SAFE_TO_UNPLUG))
        assert bench.panel.degraded is None, "the link stands"
        Ledger(folder).close()  # it would be locked
        os.kill(os.getpid(), signal.SIGTERM)  # it does not wait out its time then
        off = await serving
        bench.board.hang_up()
        return off

    assert asyncio.run(story()) is True


def test_sigterm_ends_it_cleanly_and_ready_waits_for_no_hardware(tmp_path: Path) -> None:
    panel, eye = FakePanel(), FakeEye()
    panel.degraded = Degraded("the panel is gone", "plug it in")
    made = service(tmp_path, SystemClock(), panel, eye)

    async def story() -> bool:
        asyncio.get_running_loop().call_later(0.05, os.kill, os.getpid(), signal.SIGTERM)
        return await made.serve()

    assert asyncio.run(asyncio.wait_for(story(), 30)) is False
    notifier = made.parts.notifier
    assert isinstance(notifier, FakeNotifier)
    assert [word for word in notifier.said if word in ("READY=1", "STOPPING=1")] == ["READY=1", "STOPPING=1"]
    assert not eye.running
    Ledger(tmp_path).close()


def test_a_request_that_ends_the_service_is_answered_before_it_ends(tmp_path: Path) -> None:
    """Also if other news come with it, so that the service's turn comes before the answer is sent."""
    eye = FakeEye()
    made = service(tmp_path / "ledger", SystemClock(), FakePanel(), eye)

    def restart(_: Nothing, __: Table) -> Answer:
        assert eye.news is not None
        eye.news()
        made.restart_requested = True
        return accepted()

    async def story() -> bytes:
        sockets = Sockets(None, {})
        sockets.listener = listening(tmp_path / messages.SOCKET)
        sockets.kinds.update({"restart": RequestKind(Nothing, restart)})
        made.parts = replace(made.parts, sockets=sockets)
        serving = asyncio.get_running_loop().create_task(made.serve())
        reader, writer = await asyncio.open_unix_connection(tmp_path / messages.SOCKET)
        writer.write(b'{"id": 7, "kind": "restart"}\n')
        heard = await reader.read()
        await serving
        writer.close()
        return heard

    assert b'"id":7,"accepted":true' in asyncio.run(asyncio.wait_for(story(), 30))


async def in_a_throw(made: Service) -> asyncio.Task[bool]:
    """Serves until dice are seen to roll, in a game that waits for them."""
    eye = made.parts.eye
    assert isinstance(eye, FakeEye)
    serving = asyncio.get_running_loop().create_task(made.serve())
    await until(lambda: eye.news is not None)
    eye.say(Unsettled(Reason.MOVING, made.parts.clock.now_s()))
    await until(lambda: made.table.throw_under_way)
    return serving


def in_a_game(folder: Path) -> Service:
    with closing(Ledger(folder)) as before:
        before.append(OPENED)
    return service(folder, SystemClock(), FakePanel(), FakeEye())


def test_sigterm_waits_until_the_throw_under_way_is_heard(tmp_path: Path) -> None:
    made = in_a_game(tmp_path)
    eye = made.parts.eye
    assert isinstance(eye, FakeEye)

    async def story() -> bool:
        serving = await in_a_throw(made)
        os.kill(os.getpid(), signal.SIGTERM)
        await until(lambda: made.ends_s is not None)
        eye.say(Settled(Reading(()), made.parts.clock.now_s()))
        return await serving

    assert asyncio.run(asyncio.wait_for(story(), 30)) is False
    assert eye.next == [], "it was heard"
    assert not made.table.throw_under_way


@pytest.mark.parametrize("signals", [[signal.SIGINT], [signal.SIGTERM, signal.SIGTERM]])
def test_ctrl_c_and_a_second_sigterm_wait_for_no_throw(
    tmp_path: Path, signals: list[signal.Signals], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "THROW_S", 1000.0)
    made = in_a_game(tmp_path)

    async def story() -> bool:
        serving = await in_a_throw(made)
        for number in signals:
            os.kill(os.getpid(), number)
            await asyncio.sleep(0)
        return await serving

    assert asyncio.run(asyncio.wait_for(story(), 30)) is False
    assert made.table.throw_under_way


def test_a_throw_that_never_ends_does_not_keep_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "THROW_S", 0.01)
    made = in_a_game(tmp_path)

    async def story() -> bool:
        serving = await in_a_throw(made)
        os.kill(os.getpid(), signal.SIGTERM)
        return await serving

    assert asyncio.run(asyncio.wait_for(story(), 30)) is False
    assert made.table.throw_under_way


def test_news_of_panel_and_eye_end_the_wait_between_turns_and_so_does_a_held_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "TURN_S", 1000.0)
    panel, eye, clock = FakePanel(), FakeEye(), SystemClock()
    made = service(tmp_path, clock, panel, eye)

    async def story() -> bool:
        serving = asyncio.get_running_loop().create_task(made.serve())
        await until(lambda: panel.news is not None and eye.news is not None and bool(panel.shown))
        assert panel.news is not None
        assert eye.news is not None
        gone = Degraded("the camera is gone", "plug it in too")
        eye.next = [Blind(gone, clock.now_s())]
        eye.news()
        await until(lambda: made.table.degraded == {"camera": gone})
        panel.tap("table.menu", clock.now_s())
        panel.news()
        await until(lambda: bool(made.table.above))
        panel.pressed.append(Press(panel.number + 1, "seat1.ok", down=True, time_s=clock.now_s()))
        panel.news()
        await until(lambda: isinstance(menu := made.table.screen, TableMenu) and menu.owner == 1)
        os.kill(os.getpid(), signal.SIGTERM)
        return await serving

    assert asyncio.run(asyncio.wait_for(story(), 30)) is False
