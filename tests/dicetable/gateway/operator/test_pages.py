"""The operator's pages in a real browser, at a running simulated table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dicetable.calibration.tray_file import load_tray
from dicetable.gateway.operator.passphrase import hashed
from tests.dicetable.gateway.operator.running import Desk, RunningTable
from tests.dicetable.gateway.serving import until
from tests.dicetable.gateway.test_guest_page import CONTRAST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

PASSPHRASE = "the dog ate it"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningTable]:
    more = f'operator_passphrase = "{hashed(PASSPHRASE)}"'
    made = RunningTable(tmp_path_factory.mktemp("operator"), more=more)
    yield made
    made.close()


@pytest.fixture
def desk(browser: Browser, table: RunningTable) -> Iterator[Desk]:
    made = Desk(browser, table.url)
    made.log_in(PASSPHRASE)
    yield made
    assert made.faults == []
    made.close()


def test_the_login_wants_code_and_passphrase(browser: Browser, table: RunningTable) -> None:
    desk = Desk(browser, table.url)
    page = desk.page
    page.goto(f"{table.url}/operator/settings")
    page.click("#ask")
    page.wait_for_selector("#code:not([hidden])")
    desk.keep("login", CONTRAST)
    page.fill("#typed", page.inner_text("#code"))
    page.fill("#passphrase", "the cat ate it")
    page.click("#form button[type=submit]")
    assert "wrong" in desk.said()
    page.fill("#passphrase", PASSPHRASE)
    page.click("#form button[type=submit]")
    page.wait_for_selector("nav")
    cookie = next(each for each in desk.context.cookies() if each["name"] == "dicetable_operator")
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    page.click("#log-out")
    page.wait_for_selector("#typed")
    desk.close()


def test_the_code_is_on_the_guest_page_of_this_machine_alone(browser: Browser, table: RunningTable) -> None:
    desk, television = Desk(browser, table.url), Desk(browser, table.url)
    television.page.goto(table.url)
    desk.page.goto(f"{table.url}/operator")
    desk.page.click("#ask")
    desk.page.wait_for_selector("#code:not([hidden])")
    code = desk.page.inner_text("#code")
    television.page.wait_for_selector("#operator-notices:not([hidden])")
    assert code in television.page.inner_text("#operator-notices")
    television.page.screenshot(path=Path("build/screenshots/operator-paired-display.png"))
    state = table.state()
    assert code not in json.dumps(state)
    assert code.replace(" ", "") not in json.dumps(state)
    television.close()
    desk.close()


def test_the_camera_page_shows_the_tray_and_the_wizard_calibrates(desk: Desk, table: RunningTable) -> None:
    page = desk.page
    desk.go("camera")
    page.wait_for_selector("body[data-live=yes]")
    page.wait_for_function("document.getElementById('live').naturalWidth >= 640")
    page.wait_for_selector(".meter")
    desk.keep("camera-empty", CONTRAST)
    desk.go("calibrate")
    page.click("#look")
    page.wait_for_selector("#findings .good")
    assert page.locator("#findings .bad").count() == 0
    page.wait_for_function("!document.getElementById('keep').disabled")
    desk.keep("calibrate", CONTRAST)
    page.click("#keep")
    assert "Remembered" in desk.said()
    assert load_tray(table.ledger / "calibration") is not None


def test_a_game_is_started_and_a_throw_corrected_by_a_seat(desk: Desk, table: RunningTable) -> None:
    page = desk.page
    desk.go("")
    page.wait_for_selector("#names input")
    page.select_option("#game", "six_by_6")
    desk.keep("start", CONTRAST)
    page.click("#start-form button[type=submit]")
    assert "begun" in desk.said()

    def thrown() -> bool:
        state = table.state()
        return state is not None and bool(state["throws"])

    until(thrown, 150.0)
    page.click("#pause")
    page.wait_for_selector("#resume:not([hidden])")
    desk.keep("overview", CONTRAST)
    page.click("#resume")
    page.wait_for_selector("#pause:not([hidden])")
    desk.go("camera")
    page.click("#explain")
    page.wait_for_selector(".card")
    desk.keep("camera", CONTRAST)

    desk.go("ledger")
    page.wait_for_selector("#games button")
    desk.keep("ledger", CONTRAST)
    page.click("#games button")
    page.wait_for_selector("#entries button")
    desk.keep("game", CONTRAST)
    number = page.locator("#entries li:has(button)").last.get_attribute("data-entry")
    page.locator("#entries button").last.click()
    box = page.locator("dialog select").first
    value = int(box.input_value())
    box.select_option(str(value % 6 + 1))
    page.screenshot(path=Path("build/screenshots/operator-correct.png"))
    page.click("dialog button.main")
    page.wait_for_selector("dialog p:text('The panel asks')")

    def confirmed() -> bool:
        table.type("")
        page.wait_for_timeout(300)
        return page.locator("dialog").count() == 0

    until(confirmed)
    assert "Confirmed" in desk.said()
    page.wait_for_selector(".mark")
    told = json.loads(page.request.get(f"{table.url}/api/throws").body())["throws"]
    assert [throw["corrected"] for throw in told if str(throw["number"]) == number] == [True]
