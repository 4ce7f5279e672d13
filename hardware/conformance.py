"""The rules of the ports as checks for any driver, in the tests and on real parts."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np

from hardware.ports import LAMPS, LINES, Camera, Clock, Colour, Frame, Lamp, LampMode, Panel, PanelView, Press

Check = TypeVar("Check")
LIMIT_S = 30.0
"""Time limit for real parts; it only guards against hanging and measures nothing."""
CAMERA_PARTS = ("degraded", "start", "frame", "stop")
AT_ONCE_S = 5.0
"""Upper bound for a call that does not wait, even on a busy machine."""
PANEL_PARTS = ("degraded", "start", "stop", "show", "presses")
POLL_S = 0.005
QUIET_S = 0.2


class BrokenError(Exception):
    """A driver breaks a rule of its port; the text says how."""


def require(holds: object, otherwise: str) -> None:
    """Raises BrokenError with the text unless the condition holds."""
    if not holds:
        raise BrokenError(otherwise)


def sentence(check: Callable[..., object]) -> str:
    """The sentence of a rule, for people."""
    return (check.__doc__ or check.__name__).splitlines()[0].rstrip(".")


def needing(*needs: str) -> Callable[[Check], Check]:
    """Marks a check with what it needs besides the driver.

    `fingers` to press, `contacts` that stay closed meanwhile, `eyes` to look, a `plug` to pull.
    """

    def mark(check: Check) -> Check:
        vars(check)["needs"] = frozenset(needs)
        return check

    return mark


def needs(check: Callable[..., object]) -> frozenset[str]:
    marked: frozenset[str] = vars(check).get("needs", frozenset())
    return marked


def taken(camera: Camera) -> Frame:
    frame = camera.frame(LIMIT_S)
    if frame is None:
        why = camera.degraded
        raise BrokenError(f"no frame came within {LIMIT_S:g} s" + (f": {why.what}" if why else ""))
    return frame


def camera_has_all_parts(camera: Camera, _clock: Clock) -> None:
    """It has every part of the port."""
    missing = [part for part in CAMERA_PARTS if not hasattr(camera, part)]
    require(not missing, f"it lacks {', '.join(missing)}")


def gives_bgr(camera: Camera, _clock: Clock) -> None:
    """Frames are pixels of eight bits in three channels."""
    camera.start()
    pixels = taken(camera).pixels
    require(pixels.dtype == np.uint8, f"pixels are {pixels.dtype}")
    require(pixels.ndim == 3 and pixels.shape[2] == 3, f"pixels have the shape {pixels.shape}")
    require(camera.degraded is None, f"it gives frames and is degraded: {camera.degraded}")


def time_goes_on(camera: Camera, clock: Clock) -> None:
    """Frames have the time of the common clock, and it never decreases, not even over a restart."""
    times = [clock.now_s() - AT_ONCE_S]
    for _ in range(2):
        camera.start()
        times += [taken(camera).time_s for _ in range(3)]
        camera.stop()
    require(all(b >= a for a, b in pairwise(times)), f"times go back: {times}")
    require(times[-1] <= clock.now_s(), "a frame has a time that is still to come")


def gives_no_frame_twice(camera: Camera, _clock: Clock) -> None:
    """No frame is given twice, and changing its pixels does not affect other frames."""
    camera.start()
    first, second = taken(camera), taken(camera)
    require(not np.shares_memory(first.pixels, second.pixels), "two frames share their pixels")
    first.pixels[:] = 0
    require(taken(camera).pixels.any(), "blackening a frame blackened a later one")


def gives_nothing_unstarted(camera: Camera, _clock: Clock) -> None:
    """Before the start and after the stop no frames come."""
    require(camera.frame(0) is None, "a frame came before the start")
    camera.start()
    taken(camera)
    camera.stop()
    require(camera.frame(0) is None, "a frame came after the stop")


def starts_once(camera: Camera, _clock: Clock) -> None:
    """Starting twice is starting once."""
    camera.start()
    first = taken(camera)
    camera.start()
    require(taken(camera).time_s > first.time_s, "the second start began anew")
    require(camera.degraded is None, f"the second start degraded it: {camera.degraded}")


def stops_at_any_time(camera: Camera, _clock: Clock) -> None:
    """Stopping twice, or unstarted, does nothing."""
    camera.stop()
    camera.start()
    camera.stop()
    camera.stop()
    require(camera.frame(0) is None, "a frame came after the stop")


def starts_again(camera: Camera, _clock: Clock) -> None:
    """It can be started again and again."""
    for _ in range(3):
        camera.start()
        taken(camera)
        camera.stop()


def waits_no_longer(camera: Camera, clock: Clock) -> None:
    """The camera does not wait if the timeout is zero."""
    camera.start()
    taken(camera)
    before_s = clock.now_s()
    for _ in range(3):
        camera.frame(0)
    require(clock.now_s() - before_s < AT_ONCE_S, "frame(0) waited")


CAMERA_RULES: Sequence[Callable[[Camera, Clock], None]] = (
    camera_has_all_parts,
    gives_bgr,
    time_goes_on,
    gives_no_frame_twice,
    gives_nothing_unstarted,
    starts_once,
    stops_at_any_time,
    starts_again,
    waits_no_longer,
)


def says_why_it_is_degraded(camera: Camera, clock: Clock) -> None:
    """A camera without its device is degraded, names a remedy, gives no frames and raises nothing."""
    camera.start()
    for _ in range(int(LIMIT_S)):
        if camera.degraded is not None:
            break
        require(camera.frame(1) is None, "a frame came though there is no device")
        clock.sleep(0.01)
    degraded = camera.degraded
    require(degraded is not None and degraded.what and degraded.remedy, f"it is degraded by {degraded}")
    require(camera.frame(0) is None, "a frame came though there is no device")
    camera.stop()


def never_goes_back(clock: Clock) -> None:
    """It never goes back."""
    times = [clock.now_s() for _ in range(1000)]
    require(times == sorted(times), "it went back")


def sleeps_long_enough(clock: Clock) -> None:
    """Sleeping takes at least as long as asked for."""
    for seconds in (0.0, 0.001, 0.02):
        before_s = clock.now_s()
        clock.sleep(seconds)
        slept_s = clock.now_s() - before_s
        require(slept_s >= seconds * (1 - 1e-9) - 1e-9, f"sleep({seconds}) took {slept_s} s")


CLOCK_RULES: Sequence[Callable[[Clock], None]] = (never_goes_back, sleeps_long_enough)


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

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def press(self, control: str, *, down: bool) -> None: ...

    def lit(self) -> set[str] | None:
        """The lamps that are seen to be lit; None if no person is there to look."""

    def lines(self) -> Sequence[str] | None:
        """The display without trailing spaces; None if there is none, or no person is there to look."""

    def unplug(self) -> None: ...

    def plug(self) -> None: ...


async def until(reached: Callable[[], object], otherwise: str) -> None:
    """Waits until the condition holds. Raises BrokenError with the text if it never does."""
    try:
        async with asyncio.timeout(LIMIT_S):
            while not reached():
                await asyncio.sleep(POLL_S)
    except TimeoutError:
        raise BrokenError(otherwise) from None


async def connected(bench: PanelBench) -> None:
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
    """Waits until these lamps and lines are seen, if a person is there to look."""
    whole = [*lines, "", "", "", ""][:LINES]
    await until(lambda: bench.lit() in (lamps, None), f"just these lamps should shine: {sorted(lamps)}")
    await until(lambda: bench.lines() in (whole, None), f"the display should show {whole}")


async def no_more(bench: PanelBench) -> None:
    await asyncio.sleep(QUIET_S)
    presses = bench.panel.presses()
    require(not presses, f"no button was pressed, and these came: {presses}")


async def panel_has_all_parts(bench: PanelBench) -> None:
    """It has every part of the port."""
    missing = [part for part in PANEL_PARTS if not hasattr(bench.panel, part)]
    require(not missing, f"it lacks {', '.join(missing)}")


async def comes_up(bench: PanelBench) -> None:
    """Once it is connected it is not degraded, and nothing was pressed."""
    await connected(bench)
    await no_more(bench)
    require(bench.panel.degraded is None, f"it is degraded: {bench.panel.degraded}")


async def takes_any_view(bench: PanelBench) -> None:
    """It accepts every mode and colour, from the empty view to a full one, and the same view twice."""
    await connected(bench)
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
    await connected(bench)
    presses: list[Press] = []
    number, time_s = 0, float("-inf")
    for control in bench.controls:
        bench.press(control, down=True)
        await heard_some(bench, 1, presses)
        bench.press(control, down=False)
        await heard(bench, 2, presses)
        reports = [(press.control, press.down) for press in presses]
        require(reports == [(control, True), (control, False)], f"{control} was pressed, {presses} came")
        numbers = [press.number for press in presses]
        require(numbers == [number + 1, number + 2], f"after number {number} came {numbers}")
        require(time_s <= presses[0].time_s <= presses[1].time_s, f"times go back: {presses}")
        number, time_s = numbers[1], presses[1].time_s
        presses.clear()
    await no_more(bench)


@needing("fingers", "contacts")
async def ignores_what_was_held(bench: PanelBench) -> None:
    """A control held before the panel was connected gives no press, and no release."""
    control, second = bench.controls[:2]
    bench.press(control, down=True)
    await connected(bench)
    await asyncio.sleep(QUIET_S)
    bench.press(control, down=False)
    await no_more(bench)
    bench.press(second, down=True)
    (press,) = await heard(bench, 1)
    require(press.control == second, f"{press} was held before the start")


@needing("eyes")
async def shows_whole_views(bench: PanelBench) -> None:
    """It shows the newest view completely: unnamed lamps are off, lines not given are empty."""
    await connected(bench)
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
    await connected(bench)
    await shown(bench, {bench.lamps[0]}, ["early"])


@needing("plug")
async def heals(bench: PanelBench) -> None:
    """Unplugged it is degraded; plugged in again, it shows the newest view and reports presses."""
    await connected(bench)
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
        await connected(bench)
        bench.stop()
        bench.stop()
        require(bench.panel.degraded is not None, "it was stopped, and is not degraded")


PANEL_RULES: Sequence[Callable[[PanelBench], Awaitable[None]]] = (
    panel_has_all_parts,
    comes_up,
    takes_any_view,
    hears_every_control,
    ignores_what_was_held,
    shows_whole_views,
    shows_what_came_before,
    heals,
    restarts,
)
