"""The drivers on the devices of a real Linux kernel, in a virtual machine that is booted once for all.

The tests themselves are those of tests/rig/inside; here each has its result.
"""

from __future__ import annotations

import ast
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.rig import machine

INSIDE = Path(__file__).resolve().parent / "inside"
BOOT_AND_RUN_S = 5400
"""Only against hanging: it takes some minutes, on a busy machine many times that."""
TESTS = [
    f"{path.stem}::{node.name}"
    for path in sorted(INSIDE.glob("test_*.py"))
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[ET.Element]]:
    """The results of the tests inside by name; several of one that has parameters."""
    if reason := machine.missing():
        pytest.skip(reason)
    machine.prepare()
    shared = tmp_path_factory.mktemp("rig")
    script = (
        f"$python -m pytest {INSIDE} -p no:cacheprovider --confcutdir={INSIDE} --junitxml=/rig/results.xml"
    )
    console = machine.boot(f"{script} > /rig/output.txt 2>&1", shared, BOOT_AND_RUN_S)
    output = shared / "output.txt"
    if not (shared / "results.xml").exists():
        pytest.fail(f"{console[-4000:]}\n{output.read_text() if output.exists() else ''}")
    found: dict[str, list[ET.Element]] = {}
    for case in ET.parse(shared / "results.xml").iter("testcase"):
        module = case.get("classname", "").rpartition(".")[2]
        found.setdefault(f"{module}::{case.get('name', '').partition('[')[0]}", []).append(case)
    return found


@pytest.mark.parametrize("name", TESTS)
def test_inside(name: str, results: dict[str, list[ET.Element]]) -> None:
    cases = results.get(name, [])
    assert cases, "it did not run"
    for case in cases:
        bad = [part for part in case if part.tag in ("failure", "error", "skipped")]
        assert not bad, f"{case.get('name')}: {bad[0].get('message')}\n{bad[0].text}"
