"""The operator's pages in a real browser, at a running simulated table."""

from __future__ import annotations

import json
import zipfile
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
    until(desk.code_is_shown, 120.0)
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
    until(lambda: page.evaluate("document.getElementById('live').naturalWidth >= 640"), 30.0)
    page.wait_for_selector(".meter")
    desk.keep("camera-empty", CONTRAST)
    desk.go("calibrate")
    page.click("#look")
    page.wait_for_selector("#findings .good")
    assert page.locator("#findings .bad").count() == 0
    page.wait_for_selector("#keep:not([disabled])")
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


def test_the_settings_are_checked_saved_and_count_after_a_restart(desk: Desk, table: RunningTable) -> None:
    page = desk.page
    before = table.config.read_text()
    desk.go("settings")
    page.wait_for_selector("body[data-loaded=yes]")
    assert PASSPHRASE not in page.content()
    assert "scrypt$" not in page.content()
    assert page.locator("#set-camera-driver").evaluate("each => each.tagName") == "OUTPUT"
    page.fill("#set-table-seats", "9")
    page.click("#check")
    page.wait_for_selector("#mistakes li")
    assert "must be less than or equal to 8, and is 9" in page.inner_text("#mistakes")
    page.fill("#set-table-seats", "3")
    page.select_option("#set-house-throws", '"strict"')
    page.click("#check")
    page.wait_for_selector("#change:not([hidden])")
    assert "+seats = 3" in page.inner_text("#diff")
    desk.keep("settings", CONTRAST)
    assert table.config.read_text() == before
    page.click("#save")
    page.wait_for_selector("#restart:not([hidden])")
    after = table.config.read_text()
    assert 'names = ["Ann", "Bob"]  # the regulars' in after
    assert "seats = 3" in after
    assert 'throws = "strict"' in after
    assert table.config.with_name("table.toml.bak").read_text() == before
    desk.go("")
    page.wait_for_selector("#names input", state="attached")
    if page.locator("#end").is_visible():
        page.click("#end")
        page.click("dialog button.danger")
        assert "ended" in desk.said()
    page.wait_for_selector("#restart:not([disabled])")
    page.click("#restart")
    page.click("dialog button.danger")
    page.wait_for_selector("#typed")
    desk.log_in(PASSPHRASE)
    page.wait_for_selector("#names input[data-place='3']", state="attached")


def test_the_bundle_holds_what_helps_and_no_secret(desk: Desk, table: RunningTable, tmp_path: Path) -> None:
    page = desk.page
    state = table.state()
    kept = state is not None and any(throw["picture"] for throw in state["throws"])
    desk.go("health")
    page.wait_for_selector("body[data-examined=yes]")
    desk.keep("health", CONTRAST)
    for pictures in (False, True):
        page.set_checked("#pictures", pictures)
        with page.expect_download() as coming:
            page.click("#bundle")
        file = tmp_path / f"bundle-{pictures}.zip"
        coming.value.save_as(file)
        with zipfile.ZipFile(file) as bundle:
            held = {name: bundle.read(name) for name in bundle.namelist()}
        assert {"about.json", "doctor.json", "log.txt", "table.json", "state.json"} <= held.keys()
        assert any(name.startswith("throws/") for name in held) == (pictures and kept)
        assert json.loads(held["doctor.json"])["parts"]
        assert json.loads(held["table.json"])["web"]["operator_passphrase"] == "(set)"
        for data in held.values():
            assert b"scrypt$" not in data
            assert PASSPHRASE.encode() not in data


def test_the_enrolment_wizard_says_what_to_lay_and_what_it_saw(desk: Desk) -> None:
    page = desk.page
    desk.go("enrol")
    page.wait_for_selector("#kind option", state="attached")
    page.click("#begin")
    page.wait_for_selector("#faces-step:not([hidden])")
    assert page.inner_text("#lay") == "Lay the d6 into the tray, 1 counting."
    page.click("#take")
    page.wait_for_selector("#said.bad")
    assert "No die is seen" in desk.said()
    desk.keep("enrol", CONTRAST)


def test_a_display_is_paired_at_the_machine(desk: Desk, table: RunningTable) -> None:
    page = desk.page
    page.goto(f"{table.url}/operator/pair")
    desk.keep("pair", CONTRAST)
    assert page.locator("#done").is_visible()
    assert table.command("gateway", "pair", "000000").returncode == 1
    said = page.evaluate(
        """async () => {
            const options = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
            return (await (await fetch("/operator/api/pair", options)).json()).code;
        }"""
    )
    assert table.command("gateway", "pair", said.replace(" ", "")).returncode == 0
    assert table.command("gateway", "pair", said.replace(" ", "")).returncode == 1


def test_log_out_everywhere_ends_every_session(browser: Browser, desk: Desk, table: RunningTable) -> None:
    other = Desk(browser, table.url)
    other.log_in(PASSPHRASE)
    desk.go("")
    desk.page.click("#everywhere")
    desk.page.click("dialog button.danger")
    desk.page.wait_for_selector("#typed")
    other.go("settings")
    other.page.wait_for_selector("#typed")
    other.close()
