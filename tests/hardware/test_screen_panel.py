"""The screen beside a panel of pins: what is wrong with it is named, heals, and keeps nobody from playing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from hardware.ports import Lamp, LampMode, PanelView
from hardware.screen_panel import ScreenPanel
from hardware.simulated import clock
from tests.hardware.panels import ScreenBench, pins_and_screen

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

VIEW = PanelView({"seat1": Lamp(LampMode.ON)}, ["ann", "THROW 5 dice"])


def on_the_bench(story: Callable[[ScreenBench], Awaitable[None]]) -> None:
    async def told() -> None:
        bench = pins_and_screen()
        try:
            await story(bench)
        finally:
            bench.close()

    clock.run(told())


def test_a_screen_that_is_missing_or_none_is_named_and_the_buttons_work(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    async def story(bench: ScreenBench) -> None:
        for name, said in (("gone", "No such file"), ("file", "Inappropriate ioctl")):
            panel = ScreenPanel(bench.bench.panel, tmp_path / name, only_display=True)
            panel.start(lambda: None)
            panel.show(VIEW)
            await asyncio.sleep(0.1)
            assert panel.degraded is not None
            assert str(tmp_path / name) in panel.degraded.what
            assert said in panel.degraded.what
            assert "panel.screen" in panel.degraded.remedy
            assert bench.lit() == {"seat1"}
            for down in (True, False):
                bench.press("seat1.ok", down=down)
                await asyncio.sleep(0.1)
                assert [(press.control, press.down) for press in panel.presses()] == [("seat1.ok", down)]
            panel.stop()
        assert (tmp_path / "file").read_bytes() == b""

    on_the_bench(story)


def test_a_screen_that_comes_later_is_written_by_itself(tmp_path: Path) -> None:
    async def story(bench: ScreenBench) -> None:
        there = bench.panel.screen
        news = []
        bench.panel.screen = tmp_path / "later"
        bench.panel.start(lambda: news.append(bench.panel.degraded))
        bench.panel.show(VIEW)
        await asyncio.sleep(0.1)
        assert bench.lines() == ["", "", "", ""]
        (tmp_path / "later").symlink_to(there)
        await asyncio.sleep(2.0)
        assert bench.lines() == ["ann", "THROW 5 dice", "", ""]
        assert bench.panel.degraded is None
        assert news[-1] is None

    on_the_bench(story)


def test_what_others_write_over_it_does_not_stay() -> None:
    async def story(bench: ScreenBench) -> None:
        bench.panel.start(lambda: None)
        bench.panel.show(VIEW)
        assert bench.lines()[0] == "ann"
        bench.screen.write("\033[1;1Hkernel: something")
        assert bench.lines()[0] != "ann"
        await asyncio.sleep(2.1)
        assert bench.lines()[0] == "ann"

    on_the_bench(story)


def test_a_screen_that_nobody_reads_does_not_hold_up_the_table() -> None:
    async def story(bench: ScreenBench) -> None:
        bench.panel.start(lambda: None)
        for number in range(500):
            bench.panel.show(PanelView({}, [f"line {number}"]))
        await asyncio.sleep(0.1)
        assert bench.panel.degraded is None
        bench.lines()
        await asyncio.sleep(2.0)
        assert bench.lines()[0] == "line 499"

    on_the_bench(story)


def test_when_it_stops_the_screen_is_cleared() -> None:
    async def story(bench: ScreenBench) -> None:
        bench.panel.start(lambda: None)
        bench.panel.show(VIEW)
        assert bench.lines()[1] == "THROW 5 dice"
        bench.panel.stop()
        assert bench.lines() == ["", "", "", ""]

    on_the_bench(story)


def test_last_words_stay_on_the_screen() -> None:
    async def story(bench: ScreenBench) -> None:
        bench.panel.start(lambda: None)
        bench.panel.show(PanelView({}, ["", "Safe to unplug"], stays=True))
        bench.panel.stop()
        assert bench.lines()[1] == "Safe to unplug"

    on_the_bench(story)


def test_beside_a_display_of_its_own_a_dark_screen_is_a_note(tmp_path: Path) -> None:
    async def story(bench: ScreenBench) -> None:
        panel = ScreenPanel(bench.bench.panel, tmp_path / "gone", only_display=False)
        panel.start(lambda: None)
        await asyncio.sleep(0.1)
        assert panel.degraded is None
        assert panel.notes == [
            f"the screen {tmp_path}/gone: No such file or directory: name another in panel.screen"
        ]
        panel.stop()

    on_the_bench(story)


def test_a_path_that_no_system_has_is_named() -> None:
    async def story(bench: ScreenBench) -> None:
        panel = ScreenPanel(bench.bench.panel, Path("/dev/tty\0"), only_display=True)
        panel.start(lambda: None)
        await asyncio.sleep(0.1)
        assert panel.degraded is not None
        assert "ValueError" in panel.degraded.what
        panel.stop()

    on_the_bench(story)
