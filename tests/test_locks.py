"""The locks agree: an installed table runs what the tests ran, and what CI runs is pinned."""

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


def test_every_run_time_dependency_ends_before_its_next_major() -> None:
    """A new major may have another API, as aiomqtt 3 does; the locked versions lie within the bounds."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    dev = locked("requirements-dev.lock")
    for requirement in [
        *project["dependencies"],
        *(each for name in ("gateway", "league", "sim", "stats") for each in extras[name]),
    ]:
        bounds = re.fullmatch(r"([a-z0-9-]+)(?:\[[a-z,]+\])?>=[\d.]+,<([\d.]+)", requirement)
        assert bounds is not None, f"{requirement} has no upper bound"
        version = dev[bounds[1]].partition("==")[2].split()[0]
        assert [int(part) for part in version.split(".")] < [int(part) for part in bounds[2].split(".")]


def test_workflows_run_actions_by_the_hash_of_a_commit() -> None:
    """A tag can be moved to other code."""
    uses = [
        line
        for path in (ROOT / ".github" / "workflows").glob("*.yml")
        for line in path.read_text().splitlines()
        if "uses:" in line
    ]
    assert uses
    for line in uses:
        assert re.search(r"uses: [a-z-]+/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line
