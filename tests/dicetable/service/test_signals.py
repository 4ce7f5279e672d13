"""Each fault of a broker or a secret is named, with its remedy."""

from __future__ import annotations

import gc
import socket
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from dicetable.__main__ import main
from dicetable.config.file import load
from dicetable.config.gateway import WebSection
from dicetable.service.doctor import of_signals
from tests.gateway.serving import free_port
from tests.gateway.signals.broker import PASSWORD, USER, closed_broker, open_broker, tls_broker

if TYPE_CHECKING:
    from pathlib import Path

    from dicetable.service.doctor_machine import Check

TABLE = '[camera]\ndriver = "simulated"\n[panel]\ndriver = "simulated"\n'


def found(folder: Path, text: str) -> list[Check]:
    (folder / "table.toml").write_text(TABLE + text)
    return list(of_signals(load(folder / "table.toml")))


def secret(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "secret"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_nothing_is_looked_at_that_is_not_configured(tmp_path: Path) -> None:
    assert found(tmp_path, "") == []


def test_a_broker_that_takes_connections_is_well(tmp_path: Path) -> None:
    broker = open_broker(tmp_path)
    broker.start()
    try:
        (finding,) = found(tmp_path, f'[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\n')
    finally:
        broker.kill()
    assert finding.ok
    assert finding.state == f"accepts connections on port {broker.port}"


def test_wrong_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (nobody,) = found(tmp_path, f'[mqtt]\nhost = "127.0.0.1"\nport = {free_port()}\n')
    assert "refuses connections" in nobody.state
    assert "start the broker" in nobody.remedy
    (unknown,) = found(tmp_path, '[mqtt]\nhost = "no-such-machine.invalid"\n')
    assert unknown.state == "there is no machine no-such-machine.invalid"
    monkeypatch.setattr("gateway.signals.mqtt.ANSWER_S", 0.2)
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        (mute,) = found(tmp_path, f'[mqtt]\nhost = "127.0.0.1"\nport = {silent.getsockname()[1]}\n')
    assert "does not answer as a broker" in mute.state


@pytest.mark.parametrize(("word", "ok"), [(PASSWORD, True), ("wrong", False)])
def test_a_password(tmp_path: Path, word: str, ok: bool) -> None:
    broker = closed_broker(tmp_path)
    broker.start()
    file = secret(tmp_path, word)
    text = (
        f'[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\nusername = "{USER}"\npassword_file = "{file}"\n'
    )
    try:
        (finding,) = found(tmp_path, text)
    finally:
        broker.kill()
    assert finding.ok == ok
    assert ok or "does not take this user and password" in finding.state


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # paho leaves a socket to be collected
@pytest.mark.slow
def test_certificates(tmp_path: Path) -> None:
    broker, _ = tls_broker(tmp_path)
    broker.start()
    text = f'[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\ntls = true\n'
    try:
        (right,) = found(tmp_path, f'{text}ca_file = "{tmp_path / "ca.pem"}"\n')
        assert right.ok
        (stranger,) = found(tmp_path, text)
        assert "the certificate of 127.0.0.1" in stranger.state
        assert "is not valid" in stranger.state
        assert "mqtt.ca_file" in stranger.remedy
        gc.collect()  # paho's socket, while this test ignores it
        (plain,) = found(tmp_path, text.replace("tls = true", ""))
        assert not plain.ok
    finally:
        broker.kill()


@pytest.mark.parametrize(
    ("text", "mode", "says"),
    [
        ("a secret of some length", 0o644, "can be read or written by others"),
        ("short", 0o600, "has 5 bytes"),
        ("", 0o600, "has 0 bytes"),
    ],
)
def test_secrets_that_are_none(
    tmp_path: Path, text: str, mode: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = secret(tmp_path, text, mode)
    hooks = f'[webhooks]\nallow = ["a"]\nsecret_file = "{file}"\n[[webhooks.to]]\nurl = "http://a/"\n'
    (finding,) = found(tmp_path, hooks)
    assert says in finding.state
    assert finding.remedy
    assert main(["check-config", str(tmp_path / "table.toml")]) == 1
    assert says in capsys.readouterr().err
    file.unlink()
    (missing,) = found(tmp_path, hooks)
    assert "No such file" in missing.state


def test_check_config_names_a_webhook_that_is_not_on_the_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = secret(tmp_path, "a secret of some length")
    hooks = f'[webhooks]\nallow = ["a"]\nsecret_file = "{file}"\n[[webhooks.to]]\nurl = "http://b:81/x"\n'
    (tmp_path / "table.toml").write_text(TABLE + hooks)
    assert main(["check-config", str(tmp_path / "table.toml")]) == 1
    assert 'b:81 is not in allow (for example: allow = ["a", "b:81"])' in capsys.readouterr().err
    (tmp_path / "table.toml").write_text(TABLE + hooks.replace('"a"]', '"b:81"]'))
    assert main(["check-config", str(tmp_path / "table.toml")]) == 0


def test_fields_of_a_throw_are_only_for_throws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = secret(tmp_path, "a secret of some length")
    hooks = f'[webhooks]\nallow = ["a"]\nsecret_file = "{file}"\n[[webhooks.to]]\nurl = "http://a/"\n'
    config = tmp_path / "table.toml"
    config.write_text(TABLE + hooks + 'body = \'{"x": "{dice} {total}"}\'\n')
    assert main(["check-config", str(config)]) == 1
    said = capsys.readouterr().err
    assert "{dice}, {total} in `body` are those of a throw, and other events have none" in said
    assert 'events = ["throw"]' in said
    config.write_text(TABLE + hooks + 'body = \'{"x": "{dice}"}\'\nevents = ["throw"]\n')
    assert main(["check-config", str(config)]) == 0
    config.write_text(TABLE + hooks + 'body = \'{"x": "{seat}"}\'\n')
    assert main(["check-config", str(config)]) == 0


@pytest.mark.parametrize(
    ("origin", "meant"),
    [
        ("https://Dice.Example.org:443/", "https://dice.example.org"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://[::1]:80", "http://[::1]"),
    ],
)
def test_an_origin_is_written_as_browsers_do(origin: str, meant: str) -> None:
    assert WebSection(origins=[origin]).origins == [meant]


@pytest.mark.parametrize("origin", ["*", "null", "dice.example.org", "https://a/b", "ftp://a", "https://"])
def test_what_is_no_origin_is_refused(origin: str) -> None:
    with pytest.raises(ValidationError, match="must be an origin such as https"):
        WebSection(origins=[origin])
