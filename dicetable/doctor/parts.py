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
LASTING = "name a folder on a disk in ledger.folder, or switch the overlay off with raspi-config"
LIBRARIES = ("opencv-python-headless", "numpy", "pydantic", "pyserial")
OPTIONAL = ("gpiod", "rpi-lgpio", "RPi.GPIO", "picamera2", "mujoco")


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

    own = installed(("dicetable",)) or ["dicetable (not installed)"]
    state = f"{own[0]}, Python {platform.python_version()}, {platform.machine()}"
    return Check("program", ok=True, state=state, notes=(", ".join(installed(LIBRARIES + OPTIONAL)),))


def clock(parts_clock: Clock) -> Check:
    """Whether the common clock keeps the rules of clocks."""
    from hardware.conformance.clock import CLOCK_RULES
    from hardware.conformance.rule import BrokenError

    for rule in CLOCK_RULES:
        try:
            rule(parts_clock)
        except BrokenError as error:
            return Check("clock", ok=False, state=str(error), remedy="restart the machine")
    return Check("clock", ok=True, state="runs forward only")


def power() -> Check:
    """Whether the power supply is strong enough, as far as this machine can tell."""
    return replace(voltage(SYS), part="power")


def camera(driver: str, device: Camera, parts_clock: Clock) -> Check:
    """Whether frames arrive, their size, their rate, and whether there is enough light."""
    part = f"camera ({driver})"
    device.start()
    try:
        frame = None
        until_s = parts_clock.now_s() + CAMERA_S
        while frame is None and parts_clock.now_s() < until_s:
            frame = device.frame(0.25)
            if frame is None and device.trouble is not None:
                break
        if frame is None:
            why = device.trouble
            state = why.what if why else f"no frame came within {CAMERA_S:g} s"
            remedy = why.remedy if why else "unplug it and plug it in again"
            return Check(part, ok=False, state=state, remedy=remedy)
        count, start_s = 0, parts_clock.now_s()
        while parts_clock.now_s() < start_s + RATE_S:
            newer = device.frame(RATE_S)
            if newer is None:
                break
            frame, count = newer, count + 1
        height, width = frame.pixels.shape[:2]
        rate = count / max(parts_clock.now_s() - start_s, 1e-3)
        light = float(frame.pixels[::8, ::8].mean())
        state = f"{width} by {height} pixels, {rate:.0f} frames/s, mean brightness {light:.0f} of 255"
        notes = tuple(getattr(device, "notes", ()))
        if not DARK <= light <= BRIGHT:
            remedy = (
                "switch the light on, or raise camera.exposure_ms"
                if light < DARK
                else "reduce the light or the exposure"
            )
            return Check(part, ok=False, state=state, remedy=remedy, notes=notes)
        return Check(part, ok=True, state=state, notes=notes)
    finally:
        device.stop()


def panel(driver: str, device: Panel, note: str = "") -> Check:
    """Whether the panel starts, and what it identifies as; the note is added to the check."""
    found = asyncio.run(look_at_panel(f"panel ({driver})", device))
    return replace(found, notes=(*found.notes, note)) if note else found


async def look_at_panel(part: str, device: Panel) -> Check:
    """Starts it, waits until it has no trouble, and stops it."""
    loop = asyncio.get_running_loop()
    device.start(lambda: None)
    until_s = loop.time() + PANEL_S
    while device.trouble is not None and loop.time() < until_s:
        await asyncio.sleep(0.05)
    trouble, about, notes = device.trouble, identity(device), tuple(getattr(device, "notes", ()))
    device.stop()
    if trouble is not None:
        return Check(part, ok=False, state=trouble.what, remedy=trouble.remedy, notes=notes)
    return Check(part, ok=True, state=about or "works", notes=notes)


def identity(device: Panel) -> str:
    """The identity and health of a board on a serial line; empty for other panels."""
    link = getattr(getattr(device, "panel", device), "link", None)
    if link is None or link.session.board is None:
        return ""
    board = link.session.board
    health = link.session.board_health
    return (
        f"board {board.board_id}, firmware {board.firmware}, {board.inputs} inputs, {board.lamps} lamps, "
        f"{health.damaged_frames} damaged frames"
    )


def dice(file: Path) -> Check:
    """Whether the file of enrolled dice can be used, and what was learned of them."""
    from vision.recognition.enrolled import EnrolledDice, EnrolledDiceError
    from vision.recognition.gallery import Gallery, GalleryError, gallery_beside

    part = f"dice ({file})"
    try:
        own = EnrolledDice.load(file)
        learned = Gallery.load(gallery_beside(file)).pictures
    except GalleryError as error:
        state = f"the dice can be used, but not what was learned of them: {error}"
        return Check(part, ok=False, state=state, remedy="delete the file of what was learned")
    except EnrolledDiceError as error:
        remedy = "enrol them with `dicetable enrol`, or remove eye.dice from the config"
        return Check(part, ok=False, state=f"cannot be used: {error}", remedy=remedy)
    state = f"faces enrolled: {len(set(own.shows))}; pictures learned: {len(learned)}"
    return Check(part, ok=True, state=state)


def models(folder: Path | None) -> Check:
    """Whether the models can be used; `folder` is set if the config names its own."""
    from vision.nets import ModelError, load_nets

    part = f"models ({folder})" if folder else "models"
    try:
        load_nets(folder=folder)
    except ModelError as error:
        return Check(part, ok=False, state=error.what, remedy=error.remedy)
    return Check(part, ok=True, state="can be used" if folder else "unmodified")


def ledger(folder: Path) -> Check:
    """Whether games can be saved, and whether the ledger is sound."""
    part = f"ledger ({folder})"
    there = next((path for path in (folder, *folder.parents) if path.is_dir()), folder)
    try:
        with tempfile.TemporaryFile(dir=there) as probe:
            probe.write(b"dicetable")
            os.fsync(probe.fileno())
        free_mb = shutil.disk_usage(there).free // 1_000_000
    except OSError as error:
        remedy = f"give the folder to the user that runs the table: chown -R USER {folder}"
        return Check(part, ok=False, state=f"cannot be written: {error.strerror}", remedy=remedy)
    if free_mb < LEAST_FREE_MB:
        return Check(part, ok=False, state=f"only {free_mb} MB are free", remedy="make room on the disk")
    found = sound(part, folder, f"{free_mb} MB free")
    if found.ok and (memory := why_in_memory(there)):
        state = f"every game is lost when the machine is switched off: {memory}"
        return Check(part, ok=False, state=state, remedy=LASTING)
    return found


def sound(part: str, folder: Path, free: str) -> Check:
    """Reads the whole ledger, if there is one yet."""
    from dicetable.ledger.entries import JournalTrouble
    from dicetable.ledger.reader import Reader

    try:
        reader = Reader(folder)
    except FileNotFoundError:
        return Check(part, ok=True, state=f"no game yet, {free}")
    except JournalTrouble as trouble:
        return Check(part, ok=False, state=trouble.what, remedy=trouble.remedy)
    except (OSError, sqlite3.Error) as error:
        return Check(part, ok=False, state=f"cannot be read: {error}", remedy="see `dicetable ledger verify`")
    try:
        entries, pictures, faults = reader.verify()
    except sqlite3.Error as error:
        entries, pictures, faults = 0, 0, [str(error)]
    finally:
        reader.close()
    if faults:
        remedy = "start the table: it sets the damaged part aside and continues with the sound part"
        return Check(part, ok=False, state=faults[0], remedy=remedy, notes=tuple(faults[1:]))
    return Check(part, ok=True, state=f"{entries} entries and {pictures} pictures are sound, {free}")
