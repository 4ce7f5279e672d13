"""The first operator chooses a passphrase, and from then on nobody comes in by the panel's code alone."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from gateway.displays import ask_gateway
from gateway.operator.passphrase import NAME, Passphrase, hash_passphrase
from gateway.settings import GatewaySettings
from tests.gateway.operator.running import Desk, RunningTable
from tests.gateway.pages import CONTRAST
from tests.gateway.serving import ROOT, PretendTable, Served
from tests.gateway.visitor import Visitor, patiently
from tests.zygote import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

CHOSEN = "the dog ate it"
NO_PASSPHRASE = GatewaySettings("", 80, "")


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A gateway as it comes out of the box."""
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    folder = tmp_path / "dicetable"
    folder.mkdir(mode=0o700)
    table = PretendTable(folder / "table.sock")
    with closing(table), Served(table.path, code_alone=False) as made:
        yield made


def with_a_code(served: Served, passphrase: str = "") -> tuple[int, Visitor]:
    """A browser that types the code that is shown."""
    visitor = Visitor(served.port)
    visitor.open_the_form()
    status, told = patiently(visitor, "login/code")
    assert status == 200
    return patiently(visitor, "login", {"code": told["code"], "passphrase": passphrase})[0], visitor


def test_the_first_operator_reaches_nothing_before_choosing_a_passphrase(served: Served) -> None:
    status, visitor = with_a_code(served)
    assert status == 200
    for path in ("overview", "settings", "ledger", "logs", "eye/view", "ledger.jsonl"):
        assert visitor.ask("GET", f"/operator/api/{path}")[0] == 403, path
    assert visitor.ask("GET", "/operator/api/token")[0] == 200
    assert visitor.post("do/start", {})[0] == 403
    visitor.ask("GET", "/operator/api/token")
    assert visitor.post("passphrase", {"passphrase": "7 chars"})[0] == 400
    assert visitor.post("passphrase", {"passphrase": CHOSEN})[0] == 200
    assert visitor.ask("GET", "/operator/api/logo")[0] == 200
    assert visitor.post("passphrase", {"passphrase": "another one"})[0] == 409


def test_from_then_on_the_code_alone_lets_nobody_in_even_after_a_restart(served: Served) -> None:
    _, guest = with_a_code(served)
    _, landlord = with_a_code(served)
    landlord.ask("GET", "/operator/api/token")
    assert landlord.post("passphrase", {"passphrase": CHOSEN})[0] == 200
    assert guest.ask("GET", "/operator/api/token")[0] == 401
    assert landlord.ask("GET", "/operator/api/token")[0] == 200
    served.kill()
    served.start()
    assert with_a_code(served)[0] == 403
    assert with_a_code(served, "the cat ate it")[0] == 403
    assert with_a_code(served, CHOSEN)[0] == 200


def test_an_invitation_s_phone_chooses_too(served: Served, tmp_path: Path) -> None:
    phone = Visitor(served.port)
    phone.open_the_form()
    secret = ask_gateway(tmp_path / "dicetable" / "gateway.sock", {"invite": ""}).partition("#")[2]
    assert phone.post("login", {"code": secret})[0] == 200
    assert phone.ask("GET", "/operator/api/overview")[0] == 403


def test_the_shell_has_it_forgotten_and_everybody_logged_out(served: Served, tmp_path: Path) -> None:
    _, guest = with_a_code(served)
    guest.ask("GET", "/operator/api/token")
    assert guest.post("passphrase", {"passphrase": "I was first"})[0] == 200
    environment = os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)}
    done = run("-m", "dicetable", "gateway", "passphrase", "--forget", cwd=ROOT, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "forgotten" in done.stdout
    assert guest.ask("GET", "/operator/api/token")[0] == 401
    assert with_a_code(served)[0] == 200


def test_only_its_hash_is_kept_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    made = Passphrase(NO_PASSPHRASE, tmp_path / "state")
    assert made.is_due
    made.choose(CHOSEN)
    file = tmp_path / "state" / NAME
    assert CHOSEN.encode() not in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600
    assert Passphrase(NO_PASSPHRASE, tmp_path / "state").stored == made.stored


@pytest.mark.parametrize("content", [b"", b"\xff", b"x" * 1000])
def test_a_damaged_file_has_nobody_choose_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    assert not Passphrase(NO_PASSPHRASE, tmp_path).is_due


def test_what_is_in_the_config_counts_before_what_was_chosen(tmp_path: Path) -> None:
    Passphrase(NO_PASSPHRASE, tmp_path).choose(CHOSEN)
    configured = hash_passphrase("the landlord's")
    made = Passphrase(GatewaySettings("", 80, "", passphrase=configured, code_alone=True), tmp_path)
    assert made.stored == configured
    assert not made.forget()
    alone = Passphrase(GatewaySettings("", 80, "", code_alone=True), tmp_path)
    assert (alone.stored, alone.is_due) == ("", False)


@pytest.mark.slow
def test_in_a_browser_one_page_asks_for_it_before_any_other(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    with (
        closing(RunningTable(tmp_path, code_alone=False)) as table,
        closing(Desk(browser, table.url)) as desk,
    ):
        page = desk.page
        page.goto(f"{table.url}/operator/settings")
        page.click("#ask")
        page.wait_for_selector("#code:not([hidden])")
        page.fill("#typed", page.inner_text("#code"))
        page.click("#form button[type=submit]")
        page.wait_for_selector("body[data-page=passphrase]")
        assert page.locator("nav").count() == 0
        desk.go("ledger")
        page.wait_for_selector("body[data-page=passphrase]")
        desk.keep("passphrase", CONTRAST)
        page.fill("#first", CHOSEN)
        page.fill("#again", "the cat ate it")
        page.click("#form button[type=submit]")
        assert "differ" in desk.said()
        page.fill("#again", CHOSEN)
        page.click("#form button[type=submit]")
        page.wait_for_selector("nav")
        assert page.get_attribute("body", "data-page") == "ledger"
        page.click("#log-out")
        page.wait_for_selector("#second:not([hidden])")
