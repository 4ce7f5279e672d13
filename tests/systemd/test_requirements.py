"""What an installation needs of a system is said in one line, before anything is changed; and its extra."""

from __future__ import annotations

import os
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
FACTS = "3 13 64 aarch64"
PYTHON = """#!/bin/sh
case "$2" in
    *platform*) echo "{facts}" ;;
    *ensurepip*) exit {venv} ;;
    *) echo "$*" >> "{log}"; exit 9 ;;
esac
"""


def installed(
    folder: Path, facts: str = FACTS, venv: int = 0, systemd: str = "257", destination: str = ""
) -> subprocess.CompletedProcess[str]:
    """Tries to install with an interpreter and a systemd that only say what they are."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "python3").write_text(PYTHON.format(facts=facts, venv=venv, log=folder / "log"))
    (tools / "systemctl").write_text(f"#!/bin/sh\necho 'systemd {systemd} ({systemd}.9-1~deb13u1)'\n")
    for tool in tools.iterdir():
        tool.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "SERVICE_PYTHON": str(tools / "python3"),
        "DESTDIR": destination,
    }
    command = ["sh", str(ROOT / "systemd" / "service.sh"), "install"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30, check=False)


@pytest.mark.parametrize(
    ("facts", "systemd", "said"),
    [
        ("3 9 64 aarch64", "257", "is Python 3.9, and 3.11 or newer is needed: use Raspberry Pi OS 13"),
        ("2 7 64 x86_64", "257", "is Python 2.7"),
        ("3 11 32 aarch64", "257", "this is a 32-bit system, and 64 bits are needed"),
        ("3 11 64 riscv64", "257", "no packages of OpenCV for riscv64"),
        ("3 11 64 x86_64", "247", "systemd is version 247, and 248 or newer is needed"),
    ],
)
def test_a_system_that_will_not_do_is_told_in_one_line(
    tmp_path: Path, facts: str, systemd: str, said: str
) -> None:
    done = installed(tmp_path, facts, systemd=systemd)
    (line,) = done.stderr.splitlines()
    assert said in line
    assert line.startswith("dicetable: ")
    assert done.returncode == 1
    assert not (tmp_path / "log").exists()


def test_without_venv_the_package_is_named(tmp_path: Path) -> None:
    assert "apt install python3-venv" in installed(tmp_path, venv=1).stderr


def test_without_python_the_package_is_named(tmp_path: Path) -> None:
    command = ["sh", str(ROOT / "systemd" / "service.sh"), "install"]
    environment = os.environ | {"SERVICE_PYTHON": str(tmp_path / "none"), "DESTDIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30, check=False)
    assert done.stderr == f"dicetable: there is no {tmp_path}/none: apt install python3-venv\n"


def test_a_system_that_will_do_is_gone_on_with(tmp_path: Path) -> None:
    done = installed(tmp_path, destination=str(tmp_path / "image"))
    assert done.returncode != 0
    assert "-m venv" in (tmp_path / "log").read_text()


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
