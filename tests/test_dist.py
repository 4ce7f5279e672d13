"""Wheel and sdist: the wheel holds the six packages and their data alone, the sdist every source."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.slow

PACKAGES = ("games", "vision", "firmware_bridge", "hardware", "common", "dicetable", "gateway", "league")
DATA = (
    "vision/models/*.onnx",
    "vision/models/fitted.json",
    "vision/models/README.md",
    "firmware_bridge/panel.hex*",
    "*/py.typed",
    "gateway/static/*",
    "gateway/operator/static/*",
    "league/static/*",
    "league/templates/*",
)
MOST_BYTES = {".whl": 5_000_000, ".gz": 6_500_000}


def built(source: Path, out: Path, mask: int) -> dict[str, Path]:
    """The two files by their suffix, as somebody with this umask builds them in this folder."""
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(out)]
    subprocess.run(command, cwd=source, check=True, timeout=300, umask=mask, capture_output=True)
    return {file.suffix: file for file in out.iterdir()}


@pytest.fixture(scope="module")
def sources() -> set[str]:
    """The names of all sources; what was built or installed among them is none."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {name for name in listed.split("\0") if (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def source(sources: set[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of copies of the sources alone."""
    source = tmp_path_factory.mktemp("source")
    for name in sources:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    return source


@pytest.fixture(scope="module")
def dist(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return built(source, tmp_path_factory.mktemp("dist"), 0o022)


def test_the_wheel_holds_what_a_table_needs_and_nothing_else(dist: dict[str, Path]) -> None:
    wanted = {
        str(file.relative_to(ROOT))
        for package in PACKAGES
        for pattern in ("**/*.py", *(pattern.partition("/")[2] for pattern in DATA if fits(pattern, package)))
        for file in (ROOT / package).glob(pattern)
    }
    catalogues = (ROOT / "common").glob("texts/locale/*/LC_MESSAGES/dicetable.po")
    wanted |= {str(file.relative_to(ROOT).with_suffix(".mo")) for file in catalogues}
    with zipfile.ZipFile(dist[".whl"]) as archive:
        held = set(archive.namelist())
    about = {name for name in held if ".dist-info/" in name}
    assert held - about == wanted
    assert {Path(name).name for name in about} >= {"METADATA", "LICENSE", "entry_points.txt"}


def fits(pattern: str, package: str) -> bool:
    return pattern.partition("/")[0] in ("*", package)


def test_the_sdist_holds_every_source_and_nothing_else(sources: set[str], dist: dict[str, Path]) -> None:
    with tarfile.open(dist[".gz"]) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert held - {"PKG-INFO"} == sources
    assert "firmware_bridge/firmware/main.c" in held


def test_neither_grows_unnoticed(dist: dict[str, Path]) -> None:
    assert {suffix for suffix, file in dist.items() if file.stat().st_size > MOST_BYTES[suffix]} == set()


def test_the_same_source_gives_the_same_bytes(source: Path, dist: dict[str, Path], tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(source, elsewhere)
    for file in elsewhere.rglob("*"):
        os.utime(file, (1_000_000_000, 1_000_000_000))
    again = built(elsewhere, tmp_path / "dist", 0o077)
    assert {suffix: file.read_bytes() for suffix, file in again.items()} == {
        suffix: file.read_bytes() for suffix, file in dist.items()
    }


def test_the_metadata_says_what_strangers_ask(dist: dict[str, Path]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    with zipfile.ZipFile(dist[".whl"]) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        about = message_from_bytes(archive.read(name))
    assert about["Version"] == project["version"]
    assert about["Metadata-Version"] == "2.4"
    assert about.get_all("Project-URL") == [f"Repository, {project['urls']['Repository']}"]
    assert {"gateway", "league", "stats"} <= set(about.get_all("Provides-Extra", []))
    assert about["Description-Content-Type"] == "text/markdown"
    assert about.get_payload(decode=True) == (ROOT / "README.md").read_bytes()
