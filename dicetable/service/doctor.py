"""Checks of each part of a configured table: program, camera, panel, ledger, broker; and the self-test.

Each takes a bounded time; nothing is published or sent. The self-test runs the conformance rules of the tests
on the real parts; rules that need someone to press or unplug something run only with a person at the
terminal.
"""

import asyncio
import os
import platform
import shutil
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from common import texts
from common.network import allowed_as
from common.texts import doctor
from dicetable.config.file import Config
from dicetable.config.gateway import file_faults
from dicetable.service.doctor_machine import SYS, Check, voltage, why_in_memory
from dicetable.service.sockets import signals_of
from gateway.settings import Mqtt
from hardware.conformance import (
    CAMERA_RULES,
    CLOCK_RULES,
    PANEL_RULES,
    BrokenError,
    PanelBench,
    needs,
    sentence,
)
from hardware.ports import CONTROLS, LAMPS, Camera, Clock, Panel
from vision.frames import DamageWatch
from vision.reading import SLOWEST_FPS

CAMERA_S = 15.0
"""Slow cameras take some seconds to start."""
PANEL_S = 8.0
"""Enough for a bootloader that waits and for the handshake."""
RATE_S = 1.0
DARK = 25
BRIGHT = 235
LEAST_FREE_MB = 200
LIBRARIES = ("opencv-python-headless", "numpy", "pydantic", "pyserial")
OPTIONAL = ("rpi-lgpio", "RPi.GPIO", "picamera2", "mujoco")


def program() -> Check:
    def installed(names: tuple[str, ...]) -> list[str]:
        versions = []
        for name in names:
            try:
                versions.append(f"{name} {version(name)}")
            except PackageNotFoundError:
                continue
        return versions

    own = installed(("dicetable",)) or [doctor.NOT_INSTALLED]
    state = f"{own[0]}, Python {platform.python_version()}, {platform.machine()}"
    return Check("program", ok=True, state=state, notes=(", ".join(installed(LIBRARIES + OPTIONAL)),))


def clock(parts_clock: Clock) -> Check:
    for rule in CLOCK_RULES:
        try:
            rule(parts_clock)
        except BrokenError as error:
            return Check("clock", ok=False, state=str(error), remedy=doctor.RESTART)
    return Check("clock", ok=True, state=doctor.FORWARD_ONLY)


def power() -> Check:
    """Whether the power supply is strong enough, as this machine reports it."""
    return replace(voltage(SYS), part="power")


def camera(driver: str, device: Camera, parts_clock: Clock, *, strict: bool = False) -> Check:
    """Whether frames arrive, their size, their rate, and whether there is enough light.

    `strict`: the rate has to be high enough to follow throws.
    """
    part = f"camera ({driver})"
    device.start()
    try:
        frame = None
        until_s = parts_clock.now_s() + CAMERA_S
        while frame is None and parts_clock.now_s() < until_s:
            frame = device.frame(0.25)
            if frame is None and device.degraded is not None:
                break
        if frame is None:
            why = device.degraded
            state = why.what if why else doctor.no_frame(CAMERA_S)
            remedy = why.remedy if why else doctor.REPLUG
            return Check(part, ok=False, state=state, remedy=remedy)
        count, start_s, damage = 0, parts_clock.now_s(), DamageWatch()
        while parts_clock.now_s() < start_s + RATE_S:
            newer = device.frame(RATE_S)
            if newer is None:
                break
            frame, count = newer, count + 1
            damage.whole(newer.pixels, newer.time_s)
        height, width = frame.pixels.shape[:2]
        rate = count / max(parts_clock.now_s() - start_s, 1e-3)
        light = float(frame.pixels[::8, ::8].mean())
        state = doctor.frames(width, height, rate, light)
        notes = tuple(getattr(device, "notes", ()))
        if bad := getattr(device, "bad_frames", 0) + damage.found:
            notes += (doctor.bad_frames(bad),)
        if not DARK <= light <= BRIGHT:
            remedy = doctor.LIGHT_ON if light < DARK else doctor.LESS_LIGHT
            return Check(part, ok=False, state=state, remedy=remedy, notes=notes)
        if strict and rate < SLOWEST_FPS:
            return Check(part, ok=False, state=state, remedy=doctor.too_slow(SLOWEST_FPS), notes=notes)
        return Check(part, ok=True, state=state, notes=notes)
    finally:
        device.stop()


def panel(driver: str, device: Panel, note: str = "") -> Check:
    """Whether the panel starts, and what it identifies as; the note is added to the check."""
    check = asyncio.run(look_at_panel(f"panel ({driver})", device))
    return replace(check, notes=(*check.notes, note)) if note else check


async def look_at_panel(part: str, device: Panel) -> Check:
    loop = asyncio.get_running_loop()
    device.start(lambda: None)
    until_s = loop.time() + PANEL_S
    while device.degraded is not None and loop.time() < until_s:
        await asyncio.sleep(0.05)
    degraded, about, notes = device.degraded, identity(device), tuple(getattr(device, "notes", ()))
    device.stop()
    if degraded is not None:
        return Check(part, ok=False, state=degraded.what, remedy=degraded.remedy, notes=notes)
    return Check(part, ok=True, state=about or doctor.WORKS, notes=notes)


def identity(device: Panel) -> str:
    """The identity and health of a board on a serial line; empty for other panels."""
    link = getattr(getattr(device, "panel", device), "link", None)
    if link is None or link.session.board is None:
        return ""
    board = link.session.board
    health = link.session.board_health
    return doctor.board(str(board.board_id), board.firmware, board.inputs, board.lamps, health.damaged_frames)


def dice(file: Path) -> Check:
    from vision.recognition.enrolled import (
        EnrolledDice,
        EnrolledDiceError,
        Gallery,
        GalleryError,
        gallery_beside,
    )

    part = f"dice ({file})"
    try:
        own = EnrolledDice.load(file)
        learned = Gallery.load(gallery_beside(file)).pictures
    except GalleryError as error:
        state = doctor.learned_unusable(str(error))
        return Check(part, ok=False, state=state, remedy=doctor.DELETE_LEARNED)
    except EnrolledDiceError as error:
        return Check(part, ok=False, state=doctor.unusable(str(error)), remedy=doctor.ENROL)
    state = doctor.enrolled(len(set(own.shows)), len(learned))
    return Check(part, ok=True, state=state)


def games(folder: Path) -> Iterator[Check]:
    """The games in the folder that can be used, then each file that is left out."""
    from common.game_folder import add_games
    from games.registry import GAMES

    before = set(GAMES)
    left_out = add_games(folder)
    names = ", ".join(name for name in GAMES if name not in before)
    unreadable = any(out.path == folder for out in left_out)
    if not unreadable:
        state = texts.own_games.usable(names) if names else texts.own_games.NONE
        yield Check(f"games ({folder})", ok=True, state=state)
    for out in left_out:
        yield Check(f"games ({out.path})", ok=False, state=out.why, remedy=texts.own_games.REMEDY)


def models(folder: Path | None) -> Check:
    from vision.nets import ModelError, load_nets

    part = f"models ({folder})" if folder else "models"
    try:
        load_nets(folder)
    except ModelError as error:
        return Check(part, ok=False, state=error.what, remedy=error.remedy)
    return Check(part, ok=True, state=doctor.MODELS_USABLE if folder else doctor.MODELS_UNMODIFIED)


def ledger(folder: Path) -> Check:
    from dicetable.ledger import database

    part = f"ledger ({folder})"
    nearest = next((path for path in (folder, *folder.parents) if path.is_dir()), folder)
    try:
        database.check_place(folder)
        with tempfile.TemporaryFile(dir=nearest) as probe:
            probe.write(b"dicetable")
            os.fsync(probe.fileno())
        free_mb = shutil.disk_usage(nearest).free // 1_000_000
    except (OSError, database.OnNetworkError) as error:
        degraded = database.journal_error(folder / database.NAME, error)
        return Check(part, ok=False, state=degraded.what, remedy=degraded.remedy)
    if free_mb < LEAST_FREE_MB:
        return Check(part, ok=False, state=doctor.little_free(free_mb), remedy=doctor.MAKE_ROOM)
    check = sound(part, folder, doctor.free(free_mb))
    if check.ok and (memory := why_in_memory(nearest)):
        return Check(part, ok=False, state=doctor.lost_at_switching_off(memory), remedy=doctor.LASTING)
    return check


def sound(part: str, folder: Path, free: str) -> Check:
    from dicetable.ledger import database
    from dicetable.ledger.entries import JournalError
    from dicetable.ledger.reader import Reader

    try:
        reader = Reader(folder)
    except FileNotFoundError:
        return Check(part, ok=True, state=doctor.no_game_yet(free))
    except JournalError as degraded:
        return Check(part, ok=False, state=degraded.what, remedy=degraded.remedy)
    except (OSError, sqlite3.Error, database.DamageError) as error:
        return Check(part, ok=False, state=doctor.unreadable(str(error)), remedy=doctor.SEE_VERIFY)
    try:
        entries, pictures, faults = reader.verify()
    except (sqlite3.Error, database.DamageError) as error:
        if not database.is_damage(error):
            away = database.journal_error(folder / database.NAME, error)
            return Check(part, ok=False, state=away.what, remedy=away.remedy)
        entries, pictures, faults = 0, 0, [str(error)]
    finally:
        reader.close()
    if faults:
        return Check(part, ok=False, state=faults[0], remedy=doctor.SET_ASIDE, notes=tuple(faults[1:]))
    return Check(part, ok=True, state=doctor.sound(entries, pictures, free))


def of_signals(config: Config) -> Iterator[Check]:
    """The files that the settings name, then the broker; nothing if nothing is configured."""
    faults = list(file_faults(config.mqtt, config.webhooks, config.screen))
    for fault in faults:
        yield Check(fault.where, ok=False, state=fault.what, remedy=fault.right)
    signals = signals_of(config)
    if signals.mqtt is not None and not any(fault.where.startswith("mqtt.") for fault in faults):
        yield broker(signals.mqtt)
    if signals.webhooks is not None and not any(fault.where.startswith("webhooks.") for fault in faults):
        hosts = ", ".join(sorted({allowed_as(hook.url) for hook in signals.webhooks.to}))
        yield Check("webhooks", ok=True, state=texts.doctor.events_go_to(hosts))


def broker(mqtt: Mqtt) -> Check:
    """Whether the broker takes a connection with these settings; takes some seconds at most."""
    part = f"broker ({mqtt.host})"
    if find_spec("aiomqtt") is None:
        return Check(part, ok=False, state=texts.doctor.BROKER_UNASKED, remedy=texts.gateway.NOT_INSTALLED)
    return asyncio.run(reach(part, mqtt))


async def reach(part: str, mqtt: Mqtt) -> Check:
    from aiomqtt import MqttError

    from gateway.signals.mqtt import broker_fault, client

    try:
        made = client(mqtt, probe=True)
        try:
            async with made:
                pass
        finally:
            with suppress(Exception):  # the fault is reported below
                made.abandon()
    except (MqttError, OSError, ValueError) as error:
        fault = broker_fault(error, mqtt)
        return Check(part, ok=False, state=fault.what, remedy=fault.remedy)
    say = texts.doctor.takes_encrypted_connections if mqtt.tls else texts.doctor.takes_connections
    return Check(part, ok=True, state=say(mqtt.port))


class PersonBench:
    """A real panel, with a person who presses and unplugs as asked."""

    def __init__(self, panel: Panel, say: Callable[[str], None]) -> None:
        self.panel = panel
        self.say = say
        wiring = getattr(panel, "wiring", None)
        self.controls: Sequence[str] = tuple(wiring.controls) if wiring is not None else CONTROLS
        self.lamps: Sequence[str] = tuple(wiring.lamps) if wiring is not None else LAMPS

    def start(self) -> None:
        self.panel.start(lambda: None)

    def stop(self) -> None:
        self.panel.stop()

    def press(self, control: str, *, down: bool) -> None:
        request = doctor.hold(control) if down else doctor.release(control)
        self.say(f"      {request}")

    def lit(self) -> None:
        return

    def lines(self) -> None:
        return

    def unplug(self) -> None:
        self.say(f"      {doctor.PULL_PLUG}")

    def plug(self) -> None:
        self.say(f"      {doctor.PLUG_AGAIN}")


def of_clock(clock: Clock) -> Iterator[Check]:
    for rule in CLOCK_RULES:
        yield judged("clock", rule, partial(rule, clock))


def of_camera(new_camera: Callable[[], Camera], clock: Clock) -> Iterator[Check]:
    for rule in CAMERA_RULES:
        device = new_camera()
        try:
            yield judged("camera", rule, partial(rule, device, clock))
        finally:
            device.stop()


def of_panel(new_panel: Callable[[], Panel], say: Callable[[str], None] | None) -> Iterator[Check]:
    """Each rule of a panel; `say` is given if a person is there to help."""
    for rule in PANEL_RULES:
        device = new_panel()
        by_hand = needs(rule) - (frozenset({"contacts"}) if say is None else {"contacts", "fingers", "plug"})
        if by_hand:
            lacks = ", ".join(sorted(doctor.BY_HAND[need] for need in by_hand))
            yield Check(f"panel: {sentence(rule)}", ok=True, state=doctor.skipped(lacks))
            continue
        bench = PersonBench(device, say or (lambda _: None))
        yield judged("panel", rule, partial(on_the_bench, rule, bench))


def on_the_bench(rule: Callable[[PanelBench], Awaitable[None]], bench: PersonBench) -> None:
    async def ask() -> None:
        try:
            await rule(bench)
        finally:
            bench.stop()

    asyncio.run(ask())


def judged(part: str, rule: Callable[..., object], ask: Callable[[], object]) -> Check:
    name = f"{part}: {sentence(rule)}"
    try:
        ask()
    except BrokenError as error:
        return Check(
            name,
            ok=False,
            state=str(error),
            remedy=doctor.REPORT,
        )
    return Check(name, ok=True, state=doctor.PASSED)
