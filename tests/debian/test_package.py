"""The Debian package: what it holds, what it asks for, and that it tells nothing of where it was built."""

from __future__ import annotations

import re
import subprocess
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from debian import build
from tests.debian import package
from tests.debian.package import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

slow = pytest.mark.slow


def dpkg_deb(action: str) -> bytes:
    """What dpkg-deb says of the package."""
    return subprocess.run(["dpkg-deb", action, package.built()], check=True, capture_output=True).stdout


@pytest.fixture(scope="module")
def control() -> Mapping[str, str]:
    said = subprocess.run(
        ["dpkg-deb", "--field", package.built()], check=True, capture_output=True, text=True
    )
    return dict(re.findall(r"^([A-Za-z-]+): (.+)$", said.stdout, re.MULTILINE))


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """What it lays down, by path; a link's content is where it leads."""
    tar = subprocess.run(
        ["dpkg-deb", "--fsys-tarfile", package.built()], check=True, capture_output=True
    ).stdout
    found = {}
    with tarfile.open(fileobj=BytesIO(tar)) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None or member.issym():
                found[member.name.removeprefix("./")] = (
                    content.read() if content else member.linkname.encode()
                )
            assert (member.uid, member.gid, member.mtime) == (0, 0, build.EPOCH)
            assert member.issym() or member.mode in {0o644, 0o755}, member.name
    return found


@slow
def test_it_fits_one_python_and_one_c_library(control: Mapping[str, str]) -> None:
    wanted = dict(re.findall(r"([a-z0-9]+) \(>= ([0-9.]+)", control["Depends"]))
    minor = int(wanted["python3"].partition(".")[2])
    assert f"python3 (<< 3.{minor + 1}~)" in control["Depends"]
    assert wanted["libc6"] == f"2.{build.GLIBC[3, minor]}"
    assert control["Version"].endswith(f"+py3.{minor}")


@slow
def test_it_asks_nothing_and_has_no_file_that_dpkg_would_ask_about() -> None:
    listed = subprocess.run(
        ["dpkg-deb", "--info", package.built()], check=True, capture_output=True, text=True
    ).stdout
    held = set(re.findall(r"^ +\d+ bytes, +\d+ lines +[* ]* (\w+)", listed, re.MULTILINE))
    assert held == {"control", "md5sums", "postinst", "postrm", "preinst", "prerm"}


@slow
def test_each_file_of_the_service_has_its_place(files: Mapping[str, bytes]) -> None:
    assert {file.name for file in (ROOT / "systemd").iterdir()} == set(build.PLACES)
    for name, place in build.PLACES.items():
        assert files[place] == (ROOT / "systemd" / name).read_bytes()
    assert files["usr/share/dicetable/table.toml"] == (ROOT / "examples" / "four-seats.toml").read_bytes()
    assert "usr/share/doc/dicetable/docs/trouble.md" in files
    assert files["usr/bin/dicetable"] == b"../lib/dicetable/bin/dicetable"


@slow
def test_its_environment_sees_the_system_s_packages_and_holds_what_the_locks_name(
    files: Mapping[str, bytes],
) -> None:
    assert b"include-system-site-packages = true" in files["usr/lib/dicetable/pyvenv.cfg"]
    (python,) = {path.split("/")[4] for path in files if path.startswith("usr/lib/dicetable/lib/")}
    locked = "".join(
        build.lock_for(ROOT / lock, "amd64", python.removeprefix("python")) for lock in build.LOCKS
    )
    wanted = {line.split()[0].replace("==", "-").replace("-", "_").lower() for line in locked.splitlines()}
    held = {
        path.split("/")[6].removesuffix(".dist-info").replace("-", "_").lower()
        for path in files
        if path.endswith(".dist-info/METADATA")
    }
    assert {name for name in held if not name.startswith("dicetable_")} == wanted


@slow
def test_nothing_tells_where_it_was_built(files: Mapping[str, bytes]) -> None:
    places = (str(ROOT).encode(), f"{tempfile.gettempdir()}/tmp".encode())
    own = {
        path: content
        for path, content in files.items()
        if path.startswith("usr/lib/dicetable/bin/")
        or "/dicetable-" in path
        or path.endswith((".cfg", ".json"))
    }
    assert len(own) > 5
    assert [path for path, content in own.items() if any(place in content for place in places)] == []
    assert not any("__pycache__" in path for path in files)


def test_a_lock_is_read_for_the_python_it_is_made_for() -> None:
    def numpy(python: str) -> str:
        (line,) = [
            line
            for line in build.lock_for(ROOT / "requirements.lock", "arm64", python).splitlines()
            if line.startswith("numpy==")
        ]
        assert " --hash=sha256:" in line
        assert ";" not in line
        return line.split()[0]

    assert numpy("3.11") != numpy("3.13") == numpy("3.14")


@pytest.mark.parametrize(
    ("said", "wanted"),
    [("1.0.0", "1.0.0+py3.13"), ("1.0.0rc1", "1.0.0~rc1+py3.13"), ("1.0.0.dev3", "1.0.0~dev3+py3.13")],
)
def test_a_version_before_its_release_sorts_before_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, wanted: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[project]\nversion = "{said}"\n')
    monkeypatch.setattr(build, "ROOT", tmp_path)
    assert build.version_of("3.13") == wanted
