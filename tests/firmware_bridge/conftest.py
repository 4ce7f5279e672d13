"""Worlds with a Python or a C board, and what the firmware is built with; what is missing skips."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest

from tests.firmware_bridge.firmware.c_board import CBoard
from tests.firmware_bridge.world import NewWorld, World

ROOT = Path(__file__).resolve().parents[2]
FIRMWARE = ROOT / "firmware_bridge" / "firmware"
HERE = Path(__file__).resolve().parent / "firmware"
PORTABLE = ("frame", "check", "events", "session", "debounce", "lamps", "screen")
STRICT = ("-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-O2")


def needed(program: str, package: str) -> str:
    """The path of a program, or a skip that names Debian's package."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"no {program} here (Debian: apt-get install {package})")
    return path


@pytest.fixture(scope="session")
def portable(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The firmware's portable parts, built for this machine."""
    library = tmp_path_factory.mktemp("firmware") / "portable.so"
    sources = [FIRMWARE / f"{name}.c" for name in PORTABLE] + [HERE / "notes.c"]
    command = [
        needed("cc", "gcc"),
        *STRICT,
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
