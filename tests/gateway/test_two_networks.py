"""The bar's Wi-Fi and the table in network namespaces of their own: what guests reach, and what nobody does.

The gateway is on the machine that both can see; the table's own process has no network, as under systemd.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dicetable.ledger.reader import Reader
from gateway.settings import PROGRAM, GatewaySettings
from tests.gateway.serving import HANGING_S, ROOT, until

if TYPE_CHECKING:
    from collections.abc import Iterator

WHY_NOT = (
    "making network namespaces needs root"
    if os.geteuid() != 0
    else "there is no ip: apt install iproute2"
    if shutil.which("ip") is None
    else None
)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))]

BAR, MACHINE, TABLE = (f"dt{os.getpid()}-{name}" for name in ("bar", "pi", "table"))
PHONE, PI = "10.77.0.2", "10.77.0.1"
PORT = 8080
CONFIG = """
[camera]
driver = "simulated"
[panel]
driver = "simulated"
[table]
seats = 2
[ledger]
folder = "{folder}/ledger"
[web]
listen = "0.0.0.0:8080"
"""
ASK = """
import http.client, json, sys
asked = json.loads(sys.argv[1])
connection = http.client.HTTPConnection(*asked["at"], timeout=5)
try:
    connection.request(asked["method"], asked["path"], asked["body"], asked["headers"])
    response = connection.getresponse()
    print(json.dumps([response.status, response.read().decode()]))
except OSError as error:
    print(json.dumps([0, type(error).__name__]))
"""
FOLLOW = """
import sys, urllib.request
with urllib.request.urlopen(sys.argv[1], timeout=300) as stream:
    for line in stream:
        if line.startswith(b"data:"):
            print(line.decode().strip(), flush=True)
"""


def ip(*arguments: str) -> str:
    return subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True, timeout=300).stdout


@pytest.fixture
def networks() -> Iterator[None]:
    """The bar and the machine with a cable between them, and the table's without any."""
    made: list[str] = []
    try:
        for name in (BAR, MACHINE, TABLE):
            ip("netns", "add", name)
            made.append(name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("-n", MACHINE, "link", "add", "wifi", "type", "veth", "peer", "name", "wifi", "netns", BAR)
        for name, address in ((MACHINE, PI), (BAR, PHONE)):
            ip("-n", name, "address", "add", f"{address}/24", "dev", "wifi")
            ip("-n", name, "link", "set", "wifi", "up")
        yield
    finally:
        for name in made:
            ip("netns", "delete", name)


def started(network: str, *command: str, **more: Any) -> subprocess.Popen[bytes]:
    """A program in one of the networks."""
    return subprocess.Popen(["ip", "netns", "exec", network, *command], cwd=ROOT, **more)


def ended(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(HANGING_S)
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def ask(
    path: str, network: str = BAR, method: str = "GET", at: tuple[str, int] = (PI, PORT), **headers: str
) -> tuple[int, str]:
    """The status of the answer, 0 if nobody answers, and its body."""
    asked = {"at": at, "method": method, "path": path, "body": "{}" if method == "POST" else None}
    told = json.dumps(asked | {"headers": headers})
    done = subprocess.run(
        ["ip", "netns", "exec", network, sys.executable, "-c", ASK, told],
        check=True, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    status, body = json.loads(done.stdout)
    return status, body


def entries(folder: Path) -> int:
    with suppress(FileNotFoundError):
        reader = Reader(folder / "ledger")
        try:
            return sum(1 for _ in reader.lines())
        finally:
            reader.close()
    return 0


@pytest.mark.usefixtures("networks")
def test_a_guest_reaches_the_screen_and_nothing_else(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(CONFIG.format(folder=tmp_path))
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    environment = os.environ | {"XDG_RUNTIME_DIR": str(runtime)}
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    run = (sys.executable, "-m", "dicetable", "run", "--config", str(config))
    gateway = GatewaySettings("0.0.0.0", PORT, str(runtime / "dicetable" / "table.sock"), ())
    with ExitStack() as stack:
        table = started(TABLE, *run, env=environment, **quiet)
        stack.callback(ended, table)
        settings = stack.enter_context(gateway.file())
        served = started(MACHINE, *PROGRAM, stdin=settings, **quiet)
        stack.callback(ended, served)
        until(lambda: ask("/health")[0] == 200)

        # The guest follows the game, and can change nothing.
        status, body = ask("/api/state")
        assert (status, json.loads(body)["v"]) == (200, 1)
        assert ask("/")[0] == ask("/phone")[0] == 200
        assert ask("/operator")[0] == 403
        assert ask("/operator/api/do/off", method="POST")[0] == 403
        assert ask("/phone/choose", method="POST")[0] in (401, 403)
        assert ask("/api/state", Host="evil.example.com")[0] == 421

        # The table's process has no network, and the bar no way to it.
        namespaces = {
            Path(f"/proc/{each}/ns/net").readlink() for each in (table.pid, served.pid, os.getpid())
        }
        assert len(namespaces) == 3
        links = json.loads(ip("-n", TABLE, "-json", "link"))
        assert [link["ifname"] for link in links] == ["lo"]
        listening = Path(f"/proc/{table.pid}/net/tcp").read_text().splitlines()
        assert len(listening) == 1  # its heading
        assert ask("/", TABLE)[0] == 0

        # The cable is pulled: the game goes on, and the phone comes back to the newest state.
        follow = started(
            BAR, sys.executable, "-c", FOLLOW, f"http://{PI}:{PORT}/events", stdout=subprocess.PIPE
        )
        stack.callback(ended, follow)
        assert follow.stdout is not None
        assert b'"v":1' in follow.stdout.readline()
        ip("-n", MACHINE, "link", "set", "wifi", "down")
        assert ask("/api/state")[0] == 0
        before = entries(tmp_path)
        until(lambda: entries(tmp_path) > before + 2)
        ip("-n", MACHINE, "link", "set", "wifi", "up")
        until(lambda: ask("/health")[0] == 200)
        row = 0
        while row <= before:
            told = follow.stdout.readline()
            assert told, "the stream ended"
            row = json.loads(told.removeprefix(b"data: ")).get("row", 0)
