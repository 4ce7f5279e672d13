"""Programs that tests need and a machine may not have."""

from __future__ import annotations

import shutil

import pytest


def needed(program: str, package: str) -> str:
    """The path of a program, or a skip that names Debian's package."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"no {program} here (Debian: apt-get install {package})")
    return path
