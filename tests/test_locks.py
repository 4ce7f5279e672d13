"""The locks agree: an installed table runs what the tests ran."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def locked(name: str) -> dict[str, str]:
    """The blocks of a lock by name of their package."""
    blocks = (ROOT / name).read_text().replace(" \\\n    ", " ").splitlines()
    return {block.partition("==")[0]: block for block in blocks if "==" in block}


@pytest.mark.parametrize("extra", ["gateway", "league"])
def test_the_lock_of_the_extra_gateway_has_what_the_tests_have(extra: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {re.split(r"[\[>]", requirement)[0] for requirement in project["optional-dependencies"][extra]}
    lock, dev = locked(f"requirements-{extra}.lock"), locked("requirements-dev.lock")
    assert wanted <= set(lock)
    for name, block in lock.items():  # one may say for which Python it is
        assert block.split()[0] == dev[name].split()[0]
        assert block.partition("--hash")[2] == dev[name].partition("--hash")[2]
    assert not wanted & set(locked("requirements.lock"))
