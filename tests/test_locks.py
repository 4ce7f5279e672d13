"""The locks agree: an installed table runs what the tests ran."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def locked(name: str) -> dict[str, str]:
    """The blocks of a lock by name of their package."""
    blocks = (ROOT / name).read_text().replace(" \\\n    ", " ").splitlines()
    return {block.partition("==")[0]: block for block in blocks if "==" in block}


def test_the_lock_of_the_extra_gateway_has_what_the_tests_have() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {requirement.partition(">=")[0] for requirement in project["optional-dependencies"]["gateway"]}
    gateway, dev = locked("requirements-gateway.lock"), locked("requirements-dev.lock")
    assert wanted <= set(gateway)
    for name, block in gateway.items():  # one may say for which Python it is
        assert block.split()[0] == dev[name].split()[0]
        assert block.partition("--hash")[2] == dev[name].partition("--hash")[2]
    assert not wanted & set(locked("requirements.lock"))
