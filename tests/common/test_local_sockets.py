"""Which sockets of this machine count: an attack by another user, with real accounts."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import textwrap
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from common import local_sockets
from common.local_sockets import ForeignSocketError
from dicetable.commands import gateway
from dicetable.commands.usage import CommandError
from dicetable.service.doctor_machine import damaged_frames
from gateway.displays import serve_machine
from gateway.requests import ask_helper

if TYPE_CHECKING:
    from collections.abc import Iterator

STRANGER = 65534
HANGING_S = 300.0
EVIL = "http://evil.example:8080/operator#1"
ROOT = Path(__file__).resolve().parents[2]
LISTEN = textwrap.dedent("""
    import os, socket, sys
    os.setgroups([]), os.setgid(int(sys.argv[2])), os.setuid(int(sys.argv[2]))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    os.chmod(sys.argv[1], 0o777)
    listener.listen(8)
    print("listens", flush=True)
    while True:
        connection, _ = listener.accept()
        print("asked", flush=True)
        connection.settimeout(1)
        try:
            connection.recv(200)
            connection.sendall(sys.argv[3].encode() + b"\\n")
        except OSError:
            pass
        connection.close()
""")

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="other users' sockets need root")


@contextmanager
def listening(path: Path, user: int, answer: str = EVIL) -> Iterator[subprocess.Popen[str]]:
    """A process of this user that answers everybody on a socket of its own."""
    command = [sys.executable, "-c", LISTEN, str(path), str(user), answer]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd="/")
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "listens\n"
        yield process
    finally:
        process.kill()
        process.wait(HANGING_S)
        process.stdout.close()


@pytest.fixture
def public(tmp_path: Path) -> Path:
    """A folder such as /tmp, which all users can reach and write in."""
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    folder = tmp_path / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


@pytest.fixture
def planted(public: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of our own gateway, made by a stranger before us; there is no installed one."""
    folder = public / f"dicetable-{os.getuid()}"
    folder.mkdir()
    os.chown(folder, STRANGER, STRANGER)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(public))
    monkeypatch.setattr(gateway, "GATEWAY_FOLDER", public / "absent")
    monkeypatch.setattr(gateway, "STARTING_S", 0.0)
    return folder


@needs_root
def test_root_s_invitation_is_not_asked_of_a_stranger(
    planted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with listening(planted / "gateway.sock", STRANGER):
        with pytest.raises(CommandError, match=f"{planted}.* remove it"):
            gateway.invite(None)
        with pytest.raises(CommandError, match=f"{planted}.* remove it"):
            gateway.pair("123456")
    assert "evil" not in capsys.readouterr().out


@needs_root
def test_the_installed_gateway_is_asked_before_one_s_own(
    planted: Path, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = public / "dicetable-web"
    installed.mkdir(mode=0o700)
    os.chown(planted, os.getuid(), os.getgid())
    monkeypatch.setattr(gateway, "GATEWAY_FOLDER", installed)
    with (
        listening(installed / "gateway.sock", 0, "http://installed"),
        listening(planted / "gateway.sock", 0, "http://own"),
    ):
        assert list(gateway.answers({"invite": ""})) == ["http://installed", "http://own"]


@needs_root
def test_the_doctor_and_the_gateway_follow_no_stranger_s_table(planted: Path) -> None:
    with listening(planted / "table.sock", STRANGER, '{"id":1}') as stranger:
        assert damaged_frames(planted / "table.sock") == 0
        with pytest.raises(ForeignSocketError):
            asyncio.run(ask_helper(planted / "table.sock"))
        stranger.kill()
        assert stranger.stdout is not None
        assert stranger.stdout.read() == ""  # it was not even connected to


@needs_root
def test_a_stranger_who_listens_in_our_own_folder_is_found_out(tmp_path: Path, public: Path) -> None:
    path = public / "door.sock"
    with listening(path, STRANGER):
        own = tmp_path / "own"
        own.mkdir(mode=0o700)
        path.rename(own / "door.sock")
        with pytest.raises(ForeignSocketError):
            local_sockets.connect(own / "door.sock", HANGING_S)
        with pytest.raises(ForeignSocketError):
            asyncio.run(local_sockets.open_connection(own / "door.sock", 100))


@needs_root
def test_the_service_s_users_count_below_run_and_nowhere_else(
    tmp_path: Path, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "run"
    installed.mkdir()
    os.chown(installed, STRANGER, STRANGER)
    monkeypatch.setattr(local_sockets, "GATEWAY_FOLDER", installed)
    monkeypatch.setattr(local_sockets, "SERVICE_USERS", ("absent-user", "nobody"))
    with listening(installed / "gateway.sock", STRANGER):
        local_sockets.connect(installed / "gateway.sock", HANGING_S).close()
    monkeypatch.setattr(local_sockets, "GATEWAY_FOLDER", public)
    with pytest.raises(ForeignSocketError):
        local_sockets.check_folder(installed)


IN_NAMESPACE = """
import sys
from pathlib import Path
from common import local_sockets
installed, other = map(Path, sys.argv[1:])
local_sockets.TABLE_FOLDER = installed
for folder in (installed, other):
    try:
        local_sockets.connect(folder / "table.sock", 30.0).close()
        print("ours")
    except local_sockets.ForeignSocketError:
        print("foreign")
"""


@needs_root
def test_the_gateway_whose_namespace_hides_the_table_s_user_reaches_the_table(tmp_path: Path) -> None:
    for name in ("installed", "other"):
        (tmp_path / name).mkdir(mode=0o700)
        os.chown(tmp_path / name, 1234, 1234)
    with ExitStack() as stack:
        for name in ("installed", "other"):
            for folder in (tmp_path, *tmp_path.parents[:3]):
                folder.chmod(0o755)
            stack.enter_context(listening(tmp_path / name / "table.sock", 1234))
            os.chown(tmp_path / name, 0, 0)
        done = subprocess.run(
            ["unshare", "--user", "--map-root-user", sys.executable, "-c", IN_NAMESPACE]
            + [str(tmp_path / name) for name in ("installed", "other")],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=HANGING_S,
            check=False,
        )
    assert done.stdout.split() == ["ours", "foreign"], done.stderr


@needs_root
def test_a_link_to_a_folder_of_ours_is_no_folder_of_ours(tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    ours.mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(ours)
    with pytest.raises(ForeignSocketError):
        local_sockets.check_folder(tmp_path / "link")


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
def test_a_folder_in_which_others_can_write_does_not_count(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(ForeignSocketError):
        local_sockets.check_folder(folder)


@needs_root
def test_the_gateway_puts_its_door_in_no_stranger_s_folder(planted: Path) -> None:
    assert asyncio.run(serve_machine(planted / "gateway.sock", {})) is None
    assert list(planted.iterdir()) == []


def test_one_s_own_socket_counts(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "own.sock"))
        listener.listen()
        local_sockets.connect(tmp_path / "own.sock", HANGING_S).close()


CONNECTS = ("open_unix_connection", "socket.AF_UNIX")
ALONE = {
    "common/local_sockets.py",
    "dicetable/service/sockets.py",  # it listens, and looks whether a table does, in its own folder
    "dicetable/service/systemd.py",  # systemd names its socket
    "dicetable/service/doctor_bench.py",  # it listens, for the table that it starts
}


def test_every_client_connects_in_one_place() -> None:
    clients = {
        str(path.relative_to(ROOT))
        for package in ("common", "dicetable", "gateway")
        for path in (ROOT / package).rglob("*.py")
        if any(word in path.read_text(encoding="utf-8") for word in CONNECTS)
    }
    assert clients == ALONE
