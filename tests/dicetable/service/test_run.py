"""`dicetable run` as a program."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from dicetable.config.eye import EyeSection
from dicetable.config.file import load
from dicetable.config.mistakes import ConfigError
from dicetable.eye.child import Settings
from dicetable.ledger.reader import Reader
from dicetable.service import build, start
from dicetable.service.loop import Service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[3]
HANGING_S = 300


def config(folder: Path) -> Path:
    path = folder / "table.toml"
    path.write_text(
        '[camera]\ndriver = "simulated"\nseed = 2\n[panel]\ndriver = "simulated"\n'
        f'[table]\nseats = 3\n[ledger]\nfolder = "{folder}/state"\n'
    )
    return path


def until(what: Callable[[], bool]) -> None:
    end_s = time.monotonic() + HANGING_S
    while not what():
        assert time.monotonic() < end_s, f"waited for {HANGING_S} s"
        time.sleep(0.1)


def entries(folder: Path) -> int:
    try:
        with closing(Reader(folder / "state")) as reader:
            return sum(1 for _ in reader.lines())
    except FileNotFoundError:
        return 0


class Program:
    """The service, whose word to systemd and log are kept."""

    def __init__(self, folder: Path) -> None:
        self.said = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = folder / "notify"
        address.unlink(missing_ok=True)
        self.said.bind(str(address))
        self.said.settimeout(HANGING_S)
        self.log = (folder / "log").open("w+")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dicetable", "run", "--config", str(config(folder))],
            cwd=ROOT,
            env={**os.environ, "NOTIFY_SOCKET": str(address), "WATCHDOG_USEC": "10000000"},
            stderr=self.log,
        )

    def hear(self, word: bytes) -> None:
        while self.said.recv(1000) != word:
            pass

    def end(self, number: signal.Signals) -> str:
        self.process.send_signal(number)
        self.process.wait(HANGING_S)
        self.said.close()
        self.log.seek(0)
        with self.log:
            return self.log.read()


@pytest.fixture
def programs() -> Iterator[list[Program]]:
    """What a test starts, so that none of it outlives the test."""
    started: list[Program] = []
    yield started
    for program in started:
        program.process.kill()
        program.process.wait(HANGING_S)


@pytest.mark.slow
def test_it_plays_survives_a_kill_and_ends_cleanly(tmp_path: Path, programs: list[Program]) -> None:
    program = Program(tmp_path)
    programs.append(program)
    program.hear(b"READY=1")
    until(lambda: entries(tmp_path) >= 2)
    program.end(signal.SIGKILL)
    before = entries(tmp_path)
    program = Program(tmp_path)
    programs.append(program)
    program.hear(b"READY=1")
    program.hear(b"WATCHDOG=1")
    until(lambda: entries(tmp_path) > before)
    log = program.end(signal.SIGTERM)
    assert program.process.returncode == 0
    assert f"ledger=open folder={tmp_path}/state entries={before}" in log
    told = next(line for line in log.splitlines() if " config " in line)
    assert all(
        word in told.split()
        for word in ("camera.driver=simulated", "camera.seed=2", "panel.driver=simulated", "table.seats=3")
    )
    assert "service=stopped off=False" in log
    assert "Traceback" not in log
    assert (tmp_path / "state" / start.STARTS).read_text() == "0\n"


def test_a_config_that_is_wrong_is_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.toml"
    path.write_text('[camera]\ndriver = "psychic"\n[table]\nseats = 99\n')
    assert main(["run", "--config", str(path)]) == 1
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 3
    assert all(line.startswith(str(path)) for line in told)


@pytest.mark.parametrize(
    ("driver", "said"), [("keyboard", "b goes back"), ("simulated", "Simulated players")]
)
def test_whoever_starts_it_at_a_terminal_is_told_what_to_do(tmp_path: Path, driver: str, said: str) -> None:
    path = config(tmp_path)
    path.write_text(
        path.read_text().replace('[panel]\ndriver = "simulated"', f'[panel]\ndriver = "{driver}"')
    )
    assert said in " ".join(start.how_to_play(load(path)))


def test_the_eye_understands_what_it_is_told(tmp_path: Path) -> None:
    told = build.eye_settings(load(config(tmp_path)), Path("/proc/1/fd/3"))
    settings = Settings.model_validate(json.loads(told))
    assert settings.camera.driver == "simulated"
    assert settings.frames == Path("/proc/1/fd/3")
    assert settings.dice is None
    own = load(config(tmp_path)).model_copy(update={"eye": EyeSection(dice=Path("/own.npz"))})
    assert Settings.model_validate(json.loads(build.eye_settings(own, None))).dice == Path("/own.npz")


def test_in_safe_mode_a_wrong_config_keeps_what_is_right(tmp_path: Path) -> None:
    path = config(tmp_path)
    path.write_text(path.read_text().replace("seats = 3", "seats = 99"))
    good = tmp_path / "good"
    with pytest.raises(ConfigError):
        start.load_or_rescue(path, good, safe=False)
    rescued, trouble = start.load_or_rescue(path, good, safe=True)
    assert rescued.ledger.folder == tmp_path / "state"
    assert rescued.table.seats == 4
    assert trouble is not None
    assert trouble.what.startswith("The config is wrong: table.seats ")


def test_in_safe_mode_a_config_that_is_no_toml_leaves_the_last_good_panel(tmp_path: Path) -> None:
    path, good = config(tmp_path), tmp_path / "good"
    assert start.load_or_rescue(path, good, safe=False)[1] is None
    path.write_text(path.read_text().replace("seats = 3", "seats = "))
    with pytest.raises(ConfigError):
        start.load_or_rescue(path, good, safe=False)
    rescued, trouble = start.load_or_rescue(path, good, safe=True)
    assert rescued.ledger.folder == tmp_path / "state"
    assert trouble is not None
    assert "is no TOML" in trouble.what
    good.unlink()
    with pytest.raises(ConfigError, match="is no TOML"):
        start.load_or_rescue(path, good, safe=True)


def test_the_fourth_start_with_a_config_that_is_no_toml_is_safe_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = config(tmp_path)
    served: list[Service] = []

    async def serve(service: Service) -> bool:
        served.append(service)
        service.parts.starts.stopped()
        service.parts.record.close()
        return False

    monkeypatch.setattr(Service, "serve", serve)
    environment = {"STATE_DIRECTORY": str(tmp_path / "state")}
    assert start.start(path, environment) == 0
    path.write_text("[panel\n")
    for _ in range(3):
        with pytest.raises(ConfigError):
            start.start(path, environment)
    assert start.start(path, environment) == 0
    table = served[-1].table
    shown: list[str] = []
    for seconds in range(60):
        table.tick(float(seconds))
        shown += [line.strip() for line in table.view.lines[:2]]
    assert "SAFE MODE: I failed again and again. The config is no TOML: Expected ']' at the end" in " ".join(
        line for at, line in enumerate(shown) if line and line not in shown[:at]
    )
