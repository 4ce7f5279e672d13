"""The rules of the port `Panel`.

A rule gets a bench: the panel, and what can be done to it and observed from outside.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from hardware.conformance.rule import LIMIT_S, BrokenError, needing, require
from hardware.ports import LAMPS, LINES, Colour, Lamp, LampMode, Panel, PanelView

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from hardware.ports import Press

PARTS = ("degraded", "start", "stop", "show", "presses")
POLL_S = 0.005
QUIET_S = 0.2


class PanelBench(Protocol):
    """A panel on a bench. A bench for real parts can press and look only if a person is there."""

    @property
    def panel(self) -> Panel:
        """The panel, not started yet."""

    @property
    def controls(self) -> Sequence[str]:
        """The controls that can be pressed, at least two."""

    @property
    def lamps(self) -> Sequence[str]:
        """The lamps, at least one."""

    def start(self) -> None:
        """Starts the panel on the running loop."""

    def stop(self) -> None:
        """Stops it."""

    def press(self, control: str, *, down: bool) -> None:
        """Presses or releases a control."""

    def lit(self) -> set[str] | None:
        """The lamps that are seen to be lit; None if nobody can look."""

    def lines(self) -> Sequence[str] | None:
        """The display without trailing spaces; None if there is none, or nobody can look."""

    def unplug(self) -> None:
        """Unplugs the device."""

    def plug(self) -> None:
        """Plugs the device in again."""


async def until(reached: Callable[[], object], otherwise: str) -> None:
    """Waits until the condition holds. Raises BrokenError with the text if it never does."""
    try:
        async with asyncio.timeout(LIMIT_S):
            while not reached():
                await asyncio.sleep(POLL_S)
    except TimeoutError:
        raise BrokenError(otherwise) from None


async def there(bench: PanelBench) -> None:
    """Starts the panel and waits until it is connected."""
    bench.start()
    try:
        await until(lambda: bench.panel.degraded is None, "it does not come up")
    except BrokenError as error:
        raise BrokenError(f"{error}: {bench.panel.degraded}") from None


async def heard(bench: PanelBench, count: int, presses: list[Press] | None = None) -> list[Press]:
    """Adds new presses to the list until there are `count`; more are an error."""
    presses = [] if presses is None else presses
    await heard_some(bench, count, presses)
    require(len(presses) == count, f"{count} presses were due, these came: {presses}")
    return presses


async def heard_some(bench: PanelBench, count: int, presses: list[Press]) -> None:
    """Adds presses until there are at least `count`."""

    def enough() -> bool:
        presses.extend(bench.panel.presses())
        return len(presses) >= count

    await until(enough, f"{count} presses were due, these came: {presses}")


async def shown(bench: PanelBench, lamps: set[str], lines: Sequence[str]) -> None:
    """Waits until these lamps and lines are seen, if anybody can look."""
    whole = [*lines, "", "", "", ""][:LINES]
    await until(lambda: bench.lit() in (lamps, None), f"just these lamps should shine: {sorted(lamps)}")
    await until(lambda: bench.lines() in (whole, None), f"the display should show {whole}")


async def no_more(bench: PanelBench) -> None:
    """Checks that nothing else was pressed."""
    await asyncio.sleep(QUIET_S)
    presses = bench.panel.presses()
    require(not presses, f"nobody pressed, and these came: {presses}")


async def has_all_parts(bench: PanelBench) -> None:
    """It has every part of the port."""
    missing = [part for part in PARTS if not hasattr(bench.panel, part)]
    require(not missing, f"it lacks {', '.join(missing)}")


async def comes_up(bench: PanelBench) -> None:
    """Once it is connected it is not degraded, and nothing was pressed."""
    await there(bench)
    await no_more(bench)
    require(bench.panel.degraded is None, f"it is degraded: {bench.panel.degraded}")


async def takes_any_view(bench: PanelBench) -> None:
    """It accepts every mode and colour, from the empty view to a full one, and the same view twice."""
    await there(bench)
    for mode in LampMode:
        for colour in Colour:
            view = PanelView(dict.fromkeys(LAMPS, Lamp(mode, colour)), ["x" * 20] * 4)
            bench.panel.show(view)
            bench.panel.show(view)
    bench.panel.show(PanelView({}, []))
    await asyncio.sleep(QUIET_S)
    require(bench.panel.degraded is None, f"showing degraded it: {bench.panel.degraded}")


@needing("fingers")
async def hears_every_control(bench: PanelBench) -> None:
    """Each control is reported down and up, once each, in order, numbered without gaps."""
    await there(bench)
    presses: list[Press] = []
    number, time_s = 0, float("-inf")
    for control in bench.controls:
        bench.press(control, down=True)
        await heard_some(bench, 1, presses)
        bench.press(control, down=False)
        await heard(bench, 2, presses)
        came = [(press.control, press.down) for press in presses]
        require(came == [(control, True), (control, False)], f"{control} was pressed, {presses} came")
        numbers = [press.number for press in presses]
        require(numbers == [number + 1, number + 2], f"after number {number} came {numbers}")
        require(time_s <= presses[0].time_s <= presses[1].time_s, f"times go back: {presses}")
        number, time_s = numbers[1], presses[1].time_s
        presses.clear()
    await no_more(bench)


@needing("fingers", "contacts")
async def ignores_what_was_held(bench: PanelBench) -> None:
    """A control held before the panel was connected gives no press, and no release."""
    control, other = bench.controls[:2]
    bench.press(control, down=True)
    await there(bench)
    await asyncio.sleep(QUIET_S)
    bench.press(control, down=False)
    await no_more(bench)
    bench.press(other, down=True)
    (press,) = await heard(bench, 1)
    require(press.control == other, f"{press} was held before the start")


@needing("eyes")
async def shows_whole_views(bench: PanelBench) -> None:
    """It shows the newest view completely: unnamed lamps are off, lines not given are empty."""
    await there(bench)
    for name in bench.lamps:
        lines = [name, "two", "three", "four"] if name != bench.lamps[-1] else ["", "second"]
        bench.panel.show(PanelView({name: Lamp(LampMode.ON)}, lines))
        await shown(bench, {name}, lines)
    bench.panel.show(PanelView({}, []))
    await shown(bench, set(), [])


@needing("eyes")
async def shows_what_came_before(bench: PanelBench) -> None:
    """A view that was given before the panel was connected is shown once it is."""
    bench.panel.show(PanelView({bench.lamps[0]: Lamp(LampMode.ON)}, ["early"]))
    await there(bench)
    await shown(bench, {bench.lamps[0]}, ["early"])


@needing("plug")
async def heals(bench: PanelBench) -> None:
    """Unplugged it is degraded; plugged in again, it shows the newest view and reports presses."""
    await there(bench)
    control, lamp = bench.controls[0], bench.lamps[0]
    bench.press(control, down=True)
    (down,) = await heard(bench, 1)
    bench.unplug()
    await until(lambda: bench.panel.degraded is not None, "its device is gone, and it is not degraded")
    degraded = bench.panel.degraded
    require(degraded is not None and degraded.what and degraded.remedy, f"it is degraded by {degraded}")
    (up,) = await heard(bench, 1)
    require((up.control, up.down) == (control, False), f"{control} should be let go when the device goes")
    bench.panel.show(PanelView({lamp: Lamp(LampMode.ON)}, ["back"]))
    bench.press(control, down=False)
    bench.plug()
    await until(lambda: bench.panel.degraded is None, "its device is back, and it stays degraded")
    await shown(bench, {lamp}, ["back"])
    bench.press(control, down=True)
    (again,) = await heard(bench, 1)
    require((again.control, again.down) == (control, True), f"{again} came")
    require([down.number, up.number, again.number] == [1, 2, 3], "the numbers do not go on")


async def restarts(bench: PanelBench) -> None:
    """It can be stopped and started again and again; stopping or starting twice has no effect."""
    for _ in range(3):
        bench.start()
        await there(bench)
        bench.stop()
        bench.stop()
        require(bench.panel.degraded is not None, "it was stopped, and is not degraded")


PANEL_RULES: Sequence[Callable[[PanelBench], Awaitable[None]]] = (
    has_all_parts,
    comes_up,
    takes_any_view,
    hears_every_control,
    ignores_what_was_held,
    shows_whole_views,
    shows_what_came_before,
    heals,
    restarts,
)
