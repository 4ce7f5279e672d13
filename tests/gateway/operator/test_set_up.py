"""From the camera to the first game in a browser, without a shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dicetable.config.file import load
from tests.gateway.operator.running import Desk, RunningTable
from tests.gateway.pages import CONTRAST
from tests.gateway.serving import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.slow

CAMERA = "usb:/dev/v4l/by-id/usb-Maker_Camera-video-index0"
BOARD = "serial:/dev/serial/by-id/usb-Maker_Board-if00"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningTable]:
    made = RunningTable(tmp_path_factory.mktemp("set_up"))
    yield made
    made.close()


@pytest.fixture
def desk(browser: Browser, table: RunningTable) -> Iterator[Desk]:
    made = Desk(browser, table.url)
    made.log_in()
    yield made
    assert made.faults == []
    made.close()


def test_the_steps_lead_from_the_camera_to_the_first_game(desk: Desk) -> None:
    page = desk.page
    desk.go("")
    page.wait_for_selector("#new:not([hidden])")
    page.click("#new a")
    page.wait_for_selector("body[data-shown=yes] [data-step=camera].done")
    assert page.locator("[data-step=tray].done").count() == 0
    desk.keep("set-up", CONTRAST)
    page.click("[data-step=camera] button")
    for step, heading in (
        ("camera", "Step 1 of 9: Choose the camera"),
        ("aim", "Step 2 of 9"),
        ("markers", "Step 3 of 9"),
        ("lens", "Step 4 of 9"),
        ("tray", "Step 5 of 9"),
        ("panel", "Step 6 of 9"),
        ("dice", "Step 7 of 9"),
        ("throw", "Step 8 of 9: Test throw"),
    ):
        page.wait_for_selector(f"#rail:not([hidden]) strong:text('{heading}')")
        if step == "tray":
            page.click("#look")
            page.wait_for_selector("#keep:not([disabled])")
            page.click("#keep")
            assert "Saved in" in desk.said()
        if step in ("markers", "lens"):
            desk.keep(f"set-up-{step}", CONTRAST)
        page.click("#rail button.main")
    page.wait_for_selector("#names input")
    assert page.locator("#rail").is_hidden()
    desk.go("set_up")
    page.wait_for_selector("[data-step=tray].done")
    desk.go("calibrate")
    assert page.locator("#put-back").is_hidden()
    page.click("#look")
    page.wait_for_selector("#keep:not([disabled])")
    page.click("#keep")
    page.wait_for_selector("#put-back:not([hidden])")
    calibration = Path(desk.said().removeprefix("Saved in ").removesuffix("."))
    files = [calibration / "empty.png", calibration / "empty.png.previous"]
    newer, older = times_of(files)
    desk.keep("calibrate-put-back", CONTRAST)
    for times in ([older, newer], [newer, older]):
        page.click("#put-back")
        until(lambda: times_of(files) == times)  # noqa: B023 - it is called at once
        page.wait_for_selector("#said.good:text('The previous one is back.')")


def times_of(files: list[Path]) -> list[int]:
    """When each file was written; none while two change places, and one of them is not there."""
    try:
        return [file.stat().st_mtime_ns for file in files]
    except FileNotFoundError:
        return []


def test_the_sheets_can_be_printed(desk: Desk) -> None:
    for name in ("tray-a4", "tray-letter", "lens-a4", "lens-letter"):
        told = desk.page.request.get(f"{desk.url}/operator/api/sheets/{name}.pdf")
        assert told.headers["content-type"] == "application/pdf"
        assert told.body().startswith(b"%PDF")
    assert desk.page.request.get(f"{desk.url}/operator/api/sheets/tray-a5.pdf").status == 404


def test_dice_are_chosen_and_used_after_a_restart(desk: Desk, table: RunningTable) -> None:
    page = desk.page
    desk.go("devices")
    page.wait_for_selector("body[data-loaded=yes]")
    assert "The config has: simulated" in page.inner_text("#camera-now")
    assert page.is_disabled("#use-dice")
    page.check("#dice input[value=own]")
    page.click("#use-dice")
    page.wait_for_selector("#after:not([hidden]) #restart button")
    assert load(table.config).eye.dice == table.ledger / "dice.npz"
    assert "# the regulars" in table.config.read_text()
    page.check("#dice input[value=any]")
    page.click("#use-dice")
    until(lambda: load(table.config).eye.dice is None)


def test_a_page_asks_again_until_there_is_an_answer(desk: Desk) -> None:
    page, why = desk.page, "It took too long."
    for name in ("devices", "settings"):
        page.route(
            f"**/operator/api/{name}", lambda route: route.fulfill(status=503, json={"error": why}), times=1
        )
        desk.go(name)
        page.wait_for_selector(f"#said.bad:text('{why}')")
        page.wait_for_selector("body[data-loaded=yes]")
        assert page.locator("#said").is_hidden()


def test_a_camera_is_seen_and_a_board_tried_before_they_are_saved(desk: Desk) -> None:
    """The browser's part; this machine has no devices, so their list and their answers are given here."""
    page = desk.page
    saved: list[dict[str, Any]] = []
    looks = iter(["preview", "refused"])

    def listed(route: Route) -> None:
        told = route.fetch().json()
        told["camera"]["choices"] = [
            {"name": CAMERA, "label": "Maker Camera", "detail": CAMERA[4:], "chosen": False},
            {"name": "pi:0", "label": "Raspberry Pi camera 0", "detail": "imx708", "chosen": False},
        ]
        told["panel"]["choices"].append(
            {"name": BOARD, "label": "Maker <b>Board</b>", "detail": BOARD[7:], "chosen": False}
        )
        route.fulfill(json=told)

    def seen(route: Route) -> None:
        assert json.loads(route.request.post_data or "")["name"] in (CAMERA, "pi:0")
        if next(looks) == "preview":
            picture = page.request.get(f"{desk.url}/operator/api/eye/view?grid=0").json()["picture"]
            route.fulfill(json={"width": 1280, "height": 720, "picture": picture})
        else:
            route.fulfill(status=409, json={"error": "Pi camera 0 gives no frames: check its ribbon"})

    def save(route: Route) -> None:
        saved.append(json.loads(route.request.post_data or ""))
        route.fulfill(json={"saved": True, "mistakes": [], "diff": []})

    page.route("**/operator/api/devices", listed)
    page.route("**/operator/api/devices/preview", seen)
    page.route(
        "**/operator/api/devices/try", lambda route: route.fulfill(json={"ok": True, "text": "a board"})
    )
    page.route("**/operator/api/settings/save", save)
    desk.go("devices")
    page.check(f"#camera input[value='{CAMERA}']")
    page.wait_for_selector("#preview-text:text('Maker Camera: 1280 × 720 pixels')")
    until(lambda: page.evaluate("document.getElementById('preview').naturalWidth >= 640"))
    page.check(f"#panel input[value='{BOARD}']")
    assert page.inner_text(f"#panel li:has(input[value='{BOARD}']) strong") == "Maker <b>Board</b>"
    page.click("#try")
    page.wait_for_selector("#panel-text:text('It answers: a board')")
    desk.keep("devices", CONTRAST)
    page.click("#use-camera")
    page.wait_for_selector("#after:not([hidden]) button")
    assert [each["chosen"] for each in saved] == [{"camera": CAMERA}]
    page.check("#camera input[value='pi:0']")
    page.wait_for_selector("#preview-text:text('check its ribbon')")
    page.unroute_all(behavior="ignoreErrors")


def test_the_lens_page_says_when_the_sheet_is_not_seen(desk: Desk) -> None:
    page = desk.page
    desk.go("lens")
    begun = page.locator("#count:text('0 of 14 views')")
    for _ in range(10):  # a busy table may not answer in time
        page.click("#begin")
        begun.or_(page.locator("#said.bad")).first.wait_for()
        if begun.is_visible():
            break
    assert page.inner_text("#verdict") == "The camera can't see the sheet: show all of it, in good light."
    assert page.is_disabled("#keep")
