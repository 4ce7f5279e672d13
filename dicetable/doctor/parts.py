"""Checks of each part of a configured table: program, camera, panel, ledger. Each takes a bounded time."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sqlite3
import tempfile
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from dicetable.doctor.check import Check
from dicetable.doctor.sensors import SYS, voltage
from dicetable.doctor.storage import why_in_memory
from dicetable.texts import doctor
from vision.observer import DamageWatch
from vision.reading import SLOWEST_FPS

if TYPE_CHECKING:
    from pathlib import Path

    from hardware.ports import Camera, Clock, Panel

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
    """Versions of this program, of Python and of the libraries."""

    def installed(names: tuple[str, ...]) -> list[str]:
        found = []
        for name in names:
            try:
                found.append(f"{name} {version(name)}")
            except PackageNotFoundError:
                continue
        return found

    own = installed(("dicetable",)) or [doctor.NOT_INSTALLED]
    state = f"{own[0]}, Python {platform.python_version()}, {platform.machine()}"
    return Check("program", ok=True, state=state, notes=(", ".join(installed(LIBRARIES + OPTIONAL)),))


def clock(parts_clock: Clock) -> Check:
    """Whether the common clock keeps the rules of clocks."""
    from hardware.conformance import CLOCK_RULES, BrokenError

    for rule in CLOCK_RULES:
        try:
            rule(parts_clock)
        except BrokenError as error:
            return Check("clock", ok=False, state=str(error), remedy=doctor.RESTART)
    return Check("clock", ok=True, state=doctor.FORWARD_ONLY)


def power() -> Check:
    """Whether the power supply is strong enough, as far as this machine can tell."""
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
    found = asyncio.run(look_at_panel(f"panel ({driver})", device))
    return replace(found, notes=(*found.notes, note)) if note else found


async def look_at_panel(part: str, device: Panel) -> Check:
    """Starts it, waits until it is not degraded, and stops it."""
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
    """Whether the file of enrolled dice can be used, and what was learned of them."""
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


def models(folder: Path | None) -> Check:
    """Whether the models can be used; `folder` is set if the config names its own."""
    from vision.nets import ModelError, load_nets

    part = f"models ({folder})" if folder else "models"
    try:
        load_nets(folder=folder)
    except ModelError as error:
        return Check(part, ok=False, state=error.what, remedy=error.remedy)
    return Check(part, ok=True, state=doctor.MODELS_USABLE if folder else doctor.MODELS_UNMODIFIED)


def ledger(folder: Path) -> Check:
    """Whether games can be saved, and whether the ledger is sound."""
    from dicetable.ledger import database

    part = f"ledger ({folder})"
    there = next((path for path in (folder, *folder.parents) if path.is_dir()), folder)
    try:
        database.check_place(folder)
        with tempfile.TemporaryFile(dir=there) as probe:
            probe.write(b"dicetable")
            os.fsync(probe.fileno())
        free_mb = shutil.disk_usage(there).free // 1_000_000
    except (OSError, database.OnNetworkError) as error:
        degraded = database.journal_error(folder / database.NAME, error)
        return Check(part, ok=False, state=degraded.what, remedy=degraded.remedy)
    if free_mb < LEAST_FREE_MB:
        return Check(part, ok=False, state=doctor.little_free(free_mb), remedy=doctor.MAKE_ROOM)
    found = sound(part, folder, doctor.free(free_mb))
    if found.ok and (memory := why_in_memory(there)):
        return Check(part, ok=False, state=doctor.lost_at_switching_off(memory), remedy=doctor.LASTING)
    return found


def sound(part: str, folder: Path, free: str) -> Check:
    """Reads the whole ledger, if there is one yet."""
    from dicetable.ledger.entries import JournalError
    from dicetable.ledger.reader import Reader
    from dicetable.ledger.rows import DamageError

    try:
        reader = Reader(folder)
    except FileNotFoundError:
        return Check(part, ok=True, state=doctor.no_game_yet(free))
    except JournalError as degraded:
        return Check(part, ok=False, state=degraded.what, remedy=degraded.remedy)
    except (OSError, sqlite3.Error, DamageError) as error:
        return Check(part, ok=False, state=doctor.unreadable(str(error)), remedy=doctor.SEE_VERIFY)
    try:
        entries, pictures, faults = reader.verify()
    except (sqlite3.Error, DamageError) as error:
        entries, pictures, faults = 0, 0, [str(error)]
    finally:
        reader.close()
    if faults:
        return Check(part, ok=False, state=faults[0], remedy=doctor.SET_ASIDE, notes=tuple(faults[1:]))
    return Check(part, ok=True, state=doctor.sound(entries, pictures, free))
