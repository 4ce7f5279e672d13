"""Worlds with a Python or a C board, and the tools to build the firmware; tests are skipped without them."""

from __future__ import annotations

import ctypes
import subprocess
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.firmware_bridge.firmware.c_board import CBoard
from tests.firmware_bridge.firmware.simulation import SimulatedPanel
from tests.firmware_bridge.programs import needed
from tests.firmware_bridge.world import NewWorld, World

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
FIRMWARE = ROOT / "firmware_bridge" / "firmware"
HERE = Path(__file__).resolve().parent / "firmware"
PORTABLE = ("frame", "check", "events", "session", "debounce", "lamps", "screen", "boot_id")
STRICT = ("-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-O2")
UNDEFINED = ("-fsanitize=undefined", "-fno-sanitize-recover=all")  # undefined behaviour ends the test run


@pytest.fixture(scope="session")
def portable(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The firmware's portable parts, built for this machine."""
    library = tmp_path_factory.mktemp("firmware") / "portable.so"
    sources = [FIRMWARE / f"{name}.c" for name in PORTABLE] + [HERE / "notes.c"]
    command = [
        needed("cc", "gcc"),
        *STRICT,
        *UNDEFINED,
        "-fPIC",
        "-shared",
        f"-I{FIRMWARE}",
        "-o",
        str(library),
        *map(str, sources),
    ]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


@pytest.fixture(params=["python", "c"])
def new_world(request: pytest.FixtureRequest) -> NewWorld:
    """Makes worlds whose board is Python's session or the firmware's, which must not differ."""
    if request.param == "python":
        return World
    portable: ctypes.CDLL = request.getfixturevalue("portable")
    return partial(World, partial(CBoard, portable))


@pytest.fixture(scope="session")
def panel_elf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The firmware for the ATmega328P, built as `make firmware` builds it."""
    needed("avr-gcc", "gcc-avr avr-libc")
    build = tmp_path_factory.mktemp("avr")
    subprocess.run([needed("make", "make"), "-s", "-C", str(FIRMWARE), f"BUILD={build}"], check=True)
    return build / "panel.elf"


@pytest.fixture(scope="session")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that runs the firmware on libsimavr."""
    program = tmp_path_factory.mktemp("simulator") / "simulated_board"
    header = Path("/usr/include/simavr/sim_avr.h")
    if not header.exists():
        pytest.skip("no libsimavr here (Debian: apt-get install libsimavr-dev libelf-dev)")
    command = [needed("cc", "gcc"), "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(program)]
    libraries = ["-lsimavr", "-lelf", "-lutil", "-lm"]
    sources = [str(HERE / "simulated_board.c"), str(HERE / "simulated_parts.c")]
    subprocess.run([*command, *sources, *libraries], check=True)
    return program


@pytest.fixture
def panel(simulator: Path, panel_elf: Path) -> Iterator[SimulatedPanel]:
    """A panel that has just been switched on."""
    simulated = SimulatedPanel(simulator, panel_elf)
    yield simulated
    simulated.close()
