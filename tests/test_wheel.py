"""The wheel holds the five packages and their data, and nothing else: no training, no tests, no notes."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("games", "vision", "firmware_bridge", "hardware", "dicetable")
DATA = (
    "vision/models/*.onnx",
    "vision/models/fitted.json",
    "vision/models/README.md",
    "firmware_bridge/panel.hex*",
    "*/py.typed",
    "dicetable/gateway/static/*",
    "dicetable/gateway/operator/static/*",
    "dicetable/league/static/*",
)
MOST_BYTES = 12_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy of the sources, so that nothing built before gets into it."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in (*PACKAGES, "training", "docs", "tests", "benchmarks"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = ["pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir"]
    subprocess.run([sys.executable, "-m", *build, str(folder), str(source)], check=True, timeout=300)
    (made,) = folder.glob("*.whl")
    return made


def test_the_wheel_holds_what_a_table_needs_and_nothing_else(wheel: Path) -> None:
    wanted = {
        str(file.relative_to(ROOT))
        for package in PACKAGES
        for pattern in ("**/*.py", *(pattern.partition("/")[2] for pattern in DATA if fits(pattern, package)))
        for file in (ROOT / package).glob(pattern)
    }
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    about = {name for name in held if ".dist-info/" in name}
    assert held - about == wanted
    assert {Path(name).name for name in about} >= {"METADATA", "LICENSE", "entry_points.txt"}
    assert wheel.stat().st_size < MOST_BYTES


def fits(pattern: str, package: str) -> bool:
    return pattern.partition("/")[0] in ("*", package)
