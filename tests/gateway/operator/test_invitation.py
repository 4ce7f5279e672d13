"""`dicetable gateway invite`: the QR code that logs a phone in, once."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from dicetable.commands import gateway
from dicetable.commands.usage import CommandError
from gateway.invitation import Invitation
from gateway.operator.login import Access
from gateway.operator.passphrase import hash_passphrase
from gateway.pages import HALVES, ON_BLACK, qr_spaces, qr_text
from gateway.settings import GatewaySettings
from tests.gateway.operator.doors import GUEST, Door
from tests.gateway.serving import ROOT, PretendTable, Served
from tests.gateway.visitor import Visitor
from tests.zygote import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

LONGEST = "http://192.168.178.123:8080/operator#0123456789abcdef"
MODULE_PX = 8
SHOWN = re.compile(r"\033\[[0-9;]*m")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    folder = tmp_path / "dicetable"
    folder.mkdir(mode=0o700)
    table = PretendTable(folder / "table.sock")
    with closing(table), Served(table.path) as made:
        yield made


def invite(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"XDG_RUNTIME_DIR": str(folder), "TERM": "xterm"}
    return run("-m", "dicetable", "gateway", "invite", *options, cwd=ROOT, env=environment)


def halves(lines: list[str]) -> list[list[int]]:
    """The modules in lines of half blocks; 1 is dark."""
    both = {character: pair for pair, character in HALVES.items()}
    return [[both[character][half] for character in line] for line in lines for half in (0, 1)]


def spaces(lines: list[str]) -> list[list[int]]:
    """The modules in lines of coloured spaces; 1 is dark."""
    return [[int(colour == ON_BLACK) for colour in re.findall(r"(\033\[4\dm)  ", line)] for line in lines]


def read_code(rows: list[list[int]]) -> str:
    """What a phone reads from the modules; OpenCV's other detector misses 1 code in 160."""
    dark = np.kron(np.array(rows), np.ones((MODULE_PX, MODULE_PX)))
    text, _, _ = cv2.QRCodeDetectorAruco().detectAndDecode(np.where(dark > 0, 0, 255).astype(np.uint8))
    return text


def test_a_phone_reads_the_code_from_a_window_of_24_lines() -> None:
    lines = [SHOWN.sub("", line) for line in qr_text(LONGEST).splitlines()]
    assert read_code(halves(lines)) == LONGEST
    assert len(lines) <= 18
    assert max(map(len, lines)) <= 80


def test_a_phone_reads_the_code_from_a_console_of_any_font() -> None:
    lines = qr_spaces(LONGEST).splitlines()
    assert read_code(spaces(lines)) == LONGEST
    assert {SHOWN.sub("", line).strip() for line in lines} == {""}
    assert len(lines) <= 34
    assert max(len(SHOWN.sub("", line)) for line in lines) <= 80


def test_the_command_s_code_logs_one_phone_in_once(served: Served, tmp_path: Path) -> None:
    done = invite(tmp_path)
    assert done.returncode == 0, done.stderr
    *code, address, _, only_here = [SHOWN.sub("", line) for line in done.stdout.splitlines()]
    assert read_code(halves(code)) == address
    assert "0.0.0.0:8080" in only_here
    page, _, secret = address.partition("#")
    phone = Visitor(served.port)
    assert page == f"{phone.origin}/operator"
    assert phone.ask("GET", "/operator/api/overview")[0] == 401
    assert phone.post("login", {"code": secret})[0] == 200
    assert phone.ask("GET", "/operator/api/token")[0] == 200
    assert phone.cookies["dicetable_display"]
    assert Visitor(served.port).post("login", {"code": secret})[0] == 403


def test_on_the_linux_console_the_code_is_of_spaces(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gateway, "answers", lambda *_: iter([LONGEST]))
    monkeypatch.setenv("TERM", "linux")
    assert gateway.invite(None) == 0
    *code, address, _ = capsys.readouterr().out.splitlines()
    assert read_code(spaces(code)) == address == LONGEST


@pytest.mark.usefixtures("served")
def test_the_code_appears_on_another_screen(tmp_path: Path) -> None:
    ours, its = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as shown:
        done = invite(tmp_path, "--screen", os.ttyname(its))
        os.set_blocking(ours, False)
        lines = (shown.read() or b"").decode().split("\r\n")
    os.close(its)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    address = next(line for line in lines if line.startswith("http://"))
    assert read_code(spaces(lines[: lines.index(address)])) == address


@pytest.mark.usefixtures("served")
def test_a_screen_that_is_no_terminal_is_refused_and_no_file_is_made(tmp_path: Path) -> None:
    for name in ("missing", "/dev/null"):
        done = invite(tmp_path, "--screen", str(tmp_path / name))
        assert done.returncode == 1
        assert "name a terminal" in done.stderr
    assert not (tmp_path / "missing").exists()


def test_without_a_gateway_the_command_says_how_to_start_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(gateway, "GATEWAY_FOLDER", tmp_path)
    monkeypatch.setattr(gateway, "STARTING_S", 0.0)
    with pytest.raises(CommandError, match="systemctl start dicetable-gateway"):
        gateway.invite(None)


def test_an_invitation_counts_once_for_ten_minutes_and_the_last_one_alone() -> None:
    now_s = 1000.0
    invitation = Invitation(lambda: now_s)
    assert not invitation.use("")
    first, second = invitation.new(), invitation.new()
    assert not invitation.use(first)
    assert invitation.use(second)
    assert not invitation.use(second)
    late = invitation.new()
    now_s += 599.0
    assert invitation.fits(late)
    now_s += 1.0
    assert not invitation.use(late)


def test_an_invitation_does_not_replace_the_passphrase() -> None:
    settings = GatewaySettings("127.0.0.1", 80, "", passphrase=hash_passphrase("the dog ate it"))
    access = Access(settings, None, None)
    secret = access.invite().partition("#")[2]
    assert asyncio.run(access.log_in("", secret, "the cat ate it")) is None
    assert asyncio.run(access.log_in("", secret, "")) is None
    assert asyncio.run(access.log_in("", secret, "the dog ate it")) is not None


def test_the_passphrase_of_an_invitation_can_be_tried_five_times() -> None:
    settings = GatewaySettings("127.0.0.1", 80, "", passphrase=hash_passphrase("the dog ate it"))
    access = Access(settings, None, None)
    secret = access.invite().partition("#")[2]
    for _ in range(5):
        assert asyncio.run(access.log_in("", secret, "the cat ate it")) is None
    assert asyncio.run(access.log_in("", secret, "the dog ate it")) is None
    secret = access.invite().partition("#")[2]
    assert asyncio.run(access.log_in("", secret, "the dog ate it")) is not None


def test_the_phone_shows_the_codes_of_seats_from_then_on() -> None:
    door = Door()
    secret = door.access.invite().partition("#")[2]
    assert asyncio.run(door.post(door.login.log_in, GUEST, "", code="000000")) == 403
    assert door.access.displays.paired == []
    assert asyncio.run(door.post(door.login.log_in, GUEST, "", code=secret)) == 200
    assert len(door.access.displays.paired) == 1


@pytest.mark.parametrize(
    ("settings", "start"),
    [
        (GatewaySettings("192.0.2.7", 8080, "", plain_http=True), "http://192.0.2.7:8080/operator#"),
        (GatewaySettings("2001:db8::7", 8080, "", plain_http=True), "http://[2001:db8::7]:8080/operator#"),
        (
            GatewaySettings("0.0.0.0", 443, "", ("dice.example.org",), tls_cert="web.pem"),
            "https://dice.example.org:443/operator#",
        ),
        (GatewaySettings("127.0.0.1", 8080, ""), "http://127.0.0.1:8080/operator#"),
    ],
)
def test_the_address_is_one_that_a_phone_can_open(settings: GatewaySettings, start: str) -> None:
    assert Access(settings, None, None).invite().startswith(start)


def test_there_is_no_invitation_to_a_page_that_would_refuse_the_phone() -> None:
    assert Access(GatewaySettings("0.0.0.0", 8080, ""), None, None).invite() == ""


@pytest.mark.slow
@pytest.mark.usefixtures("served")
def test_a_browser_that_opens_the_address_is_in(tmp_path: Path, browser: Browser) -> None:
    *_, address, _, _ = invite(tmp_path).stdout.splitlines()
    page = browser.new_page()
    page.goto(address)
    page.wait_for_selector("#log-out")
    assert page.url.partition("#")[2] == ""
    page.close()
