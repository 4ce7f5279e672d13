"""`dicetable run` as a process."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
from pathlib import Path

import pytest

from dicetable.__main__ import main
from dicetable.commands import run
from dicetable.config.file import load
from dicetable.config.games import GamesSection, HouseRules
from dicetable.config.mistakes import ConfigError
from dicetable.config.sections import EyeSection
from dicetable.eye.child import EyeSettings
from dicetable.service import start
from dicetable.service.loop import Service
from tests.dicetable.service.program import Program, config, entries, until


@pytest.mark.slow
def test_it_plays_survives_a_kill_and_ends_cleanly(tmp_path: Path) -> None:
    with Program(tmp_path) as program:
        program.hear(b"READY=1")
        until(lambda: entries(tmp_path) >= 2)
        program.end(signal.SIGKILL)
    before = entries(tmp_path)
    with Program(tmp_path) as program:
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


def test_a_socket_in_use_is_named_without_the_number_of_the_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def taken(*_arguments: object, **_options: object) -> int:
        raise OSError(errno.EADDRINUSE, "another table uses it: stop that one first", "/run/table.sock")

    monkeypatch.setattr(run, "start", taken)
    assert main(["run", "--config", "table.toml"]) == 1
    assert (
        capsys.readouterr().err
        == "dicetable run: /run/table.sock: another table uses it: stop that one first\n"
    )


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
    told = start.eye_settings(load(config(tmp_path)), Path("/proc/1/fd/3"))
    settings = EyeSettings.model_validate(json.loads(told))
    assert settings.camera.driver == "simulated"
    assert settings.frames == Path("/proc/1/fd/3")
    assert settings.dice is None
    assert settings.models is None
    eye = EyeSection(dice=Path("/own.npz"), models=Path("/models"))
    own = load(config(tmp_path)).model_copy(update={"eye": eye})
    settings = EyeSettings.model_validate(json.loads(start.eye_settings(own, None)))
    assert (settings.dice, settings.models) == (Path("/own.npz"), Path("/models"))


def test_in_safe_mode_a_wrong_config_keeps_what_is_right(tmp_path: Path) -> None:
    path = config(tmp_path)
    own = tmp_path / "games"
    own.mkdir()
    path.write_text(path.read_text().replace("seats = 3", "seats = 99") + f'[games]\nfolder = "{own}"\n')
    good = tmp_path / "good"
    with pytest.raises(ConfigError):
        start.load_or_rescue(path, good, safe=False)
    rescued, degraded = start.load_or_rescue(path, good, safe=True)
    assert rescued.ledger.folder == tmp_path / "state"
    assert rescued.table.seats == 4
    assert start.in_safe_mode(rescued).games.folder == own
    assert degraded is not None
    assert degraded.what.startswith("The config is wrong: table.seats ")
    path.write_text(path.read_text().replace(f'"{own}"', "7"))
    assert start.load_or_rescue(path, good, safe=True)[0].games.folder is None


def test_the_copy_of_a_config_is_for_the_table_alone(tmp_path: Path) -> None:
    """A config may hold webhooks, whose URL is a secret."""
    path, good = config(tmp_path), tmp_path / "good"
    path.chmod(0o600)
    start.load_or_rescue(path, good, safe=False)
    assert (good.read_text(), good.stat().st_mode & 0o777) == (path.read_text(), 0o600)


def test_in_safe_mode_a_config_that_is_no_toml_leaves_the_last_good_panel(tmp_path: Path) -> None:
    path, good = config(tmp_path), tmp_path / "good"
    assert start.load_or_rescue(path, good, safe=False)[1] is None
    path.write_text(path.read_text().replace("seats = 3", "seats = "))
    with pytest.raises(ConfigError):
        start.load_or_rescue(path, good, safe=False)
    rescued, degraded = start.load_or_rescue(path, good, safe=True)
    assert rescued.ledger.folder == tmp_path / "state"
    assert degraded is not None
    assert "is not TOML" in degraded.what
    good.unlink()
    with pytest.raises(ConfigError, match="is not TOML"):
        start.load_or_rescue(path, good, safe=True)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Service]:
    """The services that were made; none of them serves."""
    made: list[Service] = []

    async def serve(service: Service) -> bool:
        made.append(service)
        service.parts.starts.stopped()
        service.parts.ledger.close()
        return False

    monkeypatch.setattr(Service, "serve", serve)
    return made


def test_a_file_in_place_of_the_ledger_s_folder_is_said_on_the_panel(
    tmp_path: Path, served: list[Service]
) -> None:
    path = config(tmp_path)
    (tmp_path / "state").write_bytes(b"a file")
    assert start.start(path, {}) == 0
    degraded = served[0].parts.ledger.degraded
    assert degraded is not None
    assert degraded.what == f"{tmp_path}/state is not a folder: the game waits."


def test_pipes_in_place_of_its_own_files_hold_up_no_start(tmp_path: Path, served: list[Service]) -> None:
    path = config(tmp_path)
    (tmp_path / "state").mkdir()
    for name in (start.STARTS, start.GOOD_CONFIG):
        os.mkfifo(tmp_path / "state" / name)
    assert start.start(path, {"STATE_DIRECTORY": str(tmp_path / "state")}) == 0
    assert served[0].parts.ledger.degraded is None


def test_the_fourth_start_with_a_config_that_is_no_toml_is_safe_and_says_why(
    tmp_path: Path, served: list[Service]
) -> None:
    path = config(tmp_path)
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
    assert "SAFE MODE: I crashed three times. The config is not TOML: Expected ']' at the end" in " ".join(
        line for at, line in enumerate(shown) if line and line not in shown[:at]
    )


def test_systemd_hears_why_the_config_can_t_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.toml"
    path.write_text("[web]\n[web]\n")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(300)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        assert main(["run", "--config", str(path)]) == 1
        words = f"{path}: has the section [web] twice, again in line 2: keep one of them"
        assert listening.recv(1000).decode() == f"STATUS={words}"[:207]


def test_house_rules_of_a_game_that_is_missing_are_left_out_and_said() -> None:
    rules = [
        HouseRules(name="Ours", game="ten_thousand", options={"target": 5000}),
        HouseRules(name="Pigs", game="pig", options={"target": 50}),
    ]
    usable, wrong = start.usable_rules(GamesSection(house_rules=rules, favourites=["pig", "pigs", "ours"]))
    assert usable.house_rules == rules[:1]
    assert usable.favourites == ["pigs", "ours"]
    assert [why.partition(" is left out")[0] for why in wrong] == ["Pigs", "pig"]
    degraded = start.missing([], wrong)
    assert degraded is not None
    assert "games.house_rules.1.game: there is no game 'pig'" in degraded.what
    assert degraded.remedy.startswith("correct the house rules")
    assert start.missing([], []) is None
