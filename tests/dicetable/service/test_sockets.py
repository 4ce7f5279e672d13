"""The table's socket: from systemd or one's own; the commands that start and end a gateway."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from common import texts
from common.messages import SOCKET
from dicetable.__main__ import main
from dicetable.config.gateway import WebSection
from dicetable.ledger.entries import MemoryJournal
from dicetable.service import sockets
from dicetable.service.healing_ledger import MemoryArchive
from dicetable.service.sockets import Sockets
from gateway.settings import GatewaySettings
from hardware.web_panel import SeatClaims, WebPanel
from tests.dicetable.service.evenings import request
from tests.dicetable.table.hands_on import HandsOn
from tests.gateway.serving import free_port, until
from tests.hardware.fakes import FakeClock
from tests.zygote import Forked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HANGING_S = 300.0
MOMENT_S = 0.3
ROOT = Path(__file__).resolve().parents[3]
TOML = '[camera]\ndriver = "simulated"\n[panel]\ndriver = "simulated"\n'
HANDED = """
import os, sys
from dicetable.service import sockets
os.environ["LISTEN_PID"] = str(os.getpid())
found = sockets.inherited(os.environ)["table.sock"]
print(found.getsockname(), os.get_inheritable(found.fileno()), "LISTEN_FDS" in os.environ)
"""


@pytest.fixture
def made() -> Iterator[list[Sockets]]:
    opened: list[Sockets] = []
    yield opened
    for each in opened:
        each.close()


def test_without_web_and_systemd_there_is_no_socket(tmp_path: Path, made: list[Sockets]) -> None:
    made.append(Sockets(None, {"XDG_RUNTIME_DIR": str(tmp_path)}))
    assert made[0].listener is None
    assert list(tmp_path.iterdir()) == []


def test_one_s_own_socket_is_one_s_own_alone(tmp_path: Path, made: list[Sockets]) -> None:
    environment = {"XDG_RUNTIME_DIR": str(tmp_path)}
    path = tmp_path / "dicetable" / SOCKET
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(str(path))
    made.append(Sockets(WebSection(), environment))
    assert sockets.path_of(environment) == path
    assert (path.parent.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)
    with pytest.raises(OSError, match="another table uses it"):
        Sockets(WebSection(), environment, needed=True)
    made.append(Sockets(WebSection(), environment))
    assert made[1].listener is None

    async def story() -> None:
        second = made[1]
        second.start(lambda: None)
        second.retry(0.0)
        assert second.server is None
        made.pop(0).close()
        assert list(path.parent.iterdir()) == []
        second.retry(4.9)
        assert second.server is None
        second.retry(5.0)
        assert second.server is not None
        assert path.exists()
        await served(path)
        second.close()

    asyncio.run(story())


async def served(path: Path) -> None:
    """Fails unless a server answers there."""
    async with asyncio.timeout(HANGING_S):
        reader, writer = await asyncio.open_unix_connection(str(path))
        writer.write(request(1, "nonsense"))
        assert b'"accepted":false' in await reader.readline()
        writer.close()


def test_sockets_whose_names_are_gone_are_opened_again(tmp_path: Path) -> None:
    async def story() -> None:
        own = Sockets(WebSection(), {"XDG_RUNTIME_DIR": str(tmp_path)})
        own.start(lambda: None)
        table, archive = HandsOn().table, MemoryArchive(MemoryJournal())
        own.turn(0.0, table, archive)
        before = own.server
        await served(tmp_path / "dicetable" / SOCKET)
        own.turn(5.0, table, archive)
        assert own.server is before
        (tmp_path / "dicetable" / SOCKET).unlink()
        own.turn(10.0, table, archive)
        assert own.server not in (None, before)
        await served(tmp_path / "dicetable" / SOCKET)
        own.close()
        await asyncio.sleep(0)

    asyncio.run(story())


def test_a_table_that_hangs_with_many_at_its_door_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / SOCKET
    with ExitStack() as ends, socket.socket(socket.AF_UNIX) as hangs:
        hangs.bind(str(path))
        hangs.listen(0)
        for _ in range(2):
            waiting = ends.enter_context(socket.socket(socket.AF_UNIX))
            waiting.settimeout(0.0)
            waiting.connect_ex(str(path))
        found: list[bool] = []
        asking = threading.Thread(target=lambda: found.append(sockets.answers(path)), daemon=True)
        asking.start()
        asking.join(HANGING_S)
        assert found == [True]


def test_a_table_leaves_the_sockets_that_another_put_in_its_place(
    tmp_path: Path, made: list[Sockets]
) -> None:
    environment = {"XDG_RUNTIME_DIR": str(tmp_path)}
    path = tmp_path / "dicetable" / SOCKET
    first = Sockets(WebSection(), environment)
    path.unlink()
    made.append(Sockets(WebSection(), environment))
    first.retry(5.0)
    assert first.listener is None
    first.close()
    assert sockets.answers(path)


def test_one_of_several_tables_that_start_at_once_gets_the_sockets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment: dict[str, str] = {"XDG_RUNTIME_DIR": str(tmp_path)}
    answers = sockets.answers
    others: list[Future[socket.socket]] = []
    with ThreadPoolExecutor(1) as pool:

        def another_starts(path: Path) -> bool:
            """Right after this table has found that the name is free."""
            found = answers(path)
            if not others:
                others.append(pool.submit(sockets.opened, environment))
                wait(others, MOMENT_S)
            return found

        monkeypatch.setattr(sockets, "answers", another_starts)
        mine = sockets.opened(environment)
        with pytest.raises(OSError, match="another table uses it"):
            others[0].result(HANGING_S)
    mine.close()


@pytest.mark.parametrize(
    ("web", "is_installed", "remedy"),
    [
        (None, True, "set [web] in the config"),
        (WebSection(), True, "start dicetable-gateway"),
        (WebSection(), False, "install the gateway"),
    ],
)
def test_a_panel_of_phones_says_what_it_lacks(
    web: WebSection | None,
    is_installed: bool,
    remedy: str,
    tmp_path: Path,
    made: list[Sockets],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sockets, "installed", lambda: is_installed)
    made.append(Sockets(web, {"XDG_RUNTIME_DIR": str(tmp_path)}))
    panel = WebPanel(FakeClock(), SeatClaims(2))
    made[0].attach_panel(panel)
    panel.start(lambda: None)
    assert panel.degraded is not None
    assert panel.degraded.remedy.startswith(remedy)


def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dicetable").mkdir(mode=0o755)
    with pytest.raises(OSError, match="not a folder that only you can write to"):
        sockets.opened({"XDG_RUNTIME_DIR": str(tmp_path)})


def test_systemd_s_socket_is_taken_and_not_passed_on(tmp_path: Path) -> None:
    path = tmp_path / SOCKET
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()

        def as_systemd_does() -> None:
            os.dup2(listening.fileno(), 3, inheritable=True)

        done = subprocess.run(
            [sys.executable, "-c", HANDED],
            cwd=ROOT,
            env=os.environ | {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "dicetable.socket"},
            pass_fds=(3,),
            preexec_fn=as_systemd_does,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert done.stdout.split() == [str(path), "False", "False"], done.stderr


def test_another_process_s_sockets_are_left_alone() -> None:
    assert sockets.inherited({"LISTEN_PID": "1", "LISTEN_FDS": "1"}) == {}
    assert sockets.inherited({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "x"}) == {}


def test_a_gateway_that_is_started_beside_ends_with_the_table(tmp_path: Path, made: list[Sockets]) -> None:
    web = WebSection(listen=f"127.0.0.1:{free_port()}")
    environment = {"XDG_RUNTIME_DIR": str(tmp_path)}
    made.append(Sockets(web, environment, needed=True))
    made[0].start_gateway(sockets.settings_of(web, environment))
    gateway = made[0].gateway
    assert gateway is not None

    def answers() -> bool:
        assert gateway.poll() is None
        host, _, port = web.listen.partition(":")
        try:
            socket.create_connection((host, int(port)), 1.0).close()
        except OSError:
            return False
        return True

    until(answers)
    made.pop().close()
    assert gateway.returncode is not None


def test_a_config_without_web_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.toml"
    path.write_text(TOML)
    assert main(["gateway", "--config", str(path)]) == 1
    assert capsys.readouterr().err == f"{path}: {texts.gateway.NOT_CONFIGURED}\n"


@pytest.mark.parametrize("command", [["gateway"], ["run", "--web"]])
def test_without_its_libraries_it_says_how_to_install_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setattr(sockets, "LIBRARIES", ("starlette", "no_such_library"))
    path = tmp_path / "table.toml"
    path.write_text(f"{TOML}[web]\n")
    assert main([command[0], "--config", str(path), *command[1:]]) == 1
    assert capsys.readouterr().err == f"{texts.gateway.NOT_INSTALLED}\n"


STARTS_A_GATEWAY = """
import os, time
from dicetable.config.gateway import WebSection
from dicetable.service.sockets import Sockets, settings_of
web = WebSection(listen="127.0.0.1:PORT")
sockets = Sockets(web, os.environ, needed=True)
sockets.start_gateway(settings_of(web, os.environ), quiet=True)
print(sockets.gateway.pid, flush=True)
time.sleep(60)
"""


def test_a_gateway_ends_also_if_the_table_that_started_it_is_killed(tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "run").mkdir(mode=0o700)
    program = STARTS_A_GATEWAY.replace("PORT", str(port))
    told, said = os.pipe()
    environment = os.environ | {"XDG_RUNTIME_DIR": str(tmp_path / "run")}
    table = Forked("-c", program, stdout=said, cwd=ROOT, env=environment)
    os.close(said)
    with os.fdopen(told) as lines:
        gateway = int(lines.readline())
    until(lambda: serves(port))
    table.kill()
    until(lambda: not serves(port) and not runs(gateway))


def serves(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def runs(pid: int) -> bool:
    """Whether the process is there, and not only waits for its exit status to be read."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_no_list_of_processes_shows_what_the_gateway_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[tuple[Sequence[str], GatewaySettings]] = []
    monkeypatch.setattr(
        os, "execv", lambda _, arguments: called.append((arguments, GatewaySettings.received()))
    )
    (tmp_path / "table.toml").write_text(
        '[camera]\ndriver = "simulated"\n[panel]\ndriver = "simulated"\n[webhooks]\nallow = ["a"]\n'
        'secret_file = "s"\n[[webhooks.to]]\nurl = "http://a/a-token"\n'
    )
    before = os.dup(0)
    try:
        main(["gateway", "--config", str(tmp_path / "table.toml")])
        assert os.read(0, 1) == b""  # they are read once
    finally:
        os.dup2(before, 0)
        os.close(before)
    ((arguments, told),) = called
    assert "a-token" not in " ".join([*arguments, *os.environ.values()])
    assert told.signals.webhooks is not None
    assert told.signals.webhooks.to[0].url == "http://a/a-token"
    assert told.port == 0
