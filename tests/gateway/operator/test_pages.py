"""The operator's pages in a real browser, at a running simulated table."""

from __future__ import annotations

import json
import zipfile
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dicetable.config.file import load
from dicetable.config.games import HouseRules
from dicetable.eye.rig import load_tray
from gateway.operator.passphrase import hash_passphrase
from tests.gateway.operator import laying_table
from tests.gateway.operator.running import SCREENSHOTS, Desk, RunningTable
from tests.gateway.pages import CONTRAST
from tests.gateway.serving import until
from vision.recognition.enrolled import EnrolledDice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.slow

PASSPHRASE = "the dog ate it"
BUSY_S = 600.0
"""What a table that reads its throws from pixels may take for one, on a machine busy with other tests."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningTable]:
    more = f'operator_passphrase = "{hash_passphrase(PASSPHRASE)}"'
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


def test_nothing_can_be_pressed_before_its_script_is_there(desk: Desk) -> None:
    page = desk.page
    held: list[Route] = []
    page.route("**/operator/static/common.js", lambda route: held.append(route))
    page.goto(f"{desk.url}/operator/settings", wait_until="commit")
    page.wait_for_selector("#log-out")
    until(lambda: page.evaluate("document.readyState") != "loading" and bool(held))
    assert page.is_disabled("#log-out")
    assert page.evaluate("document.querySelector('main').inert")
    held[0].continue_()
    page.unroute_all()
    page.click("#log-out")
    page.wait_for_selector("#typed")
    page.click("#ask")
    page.wait_for_selector("#code:not([hidden]), #said.bad")


def test_the_television_never_shows_a_login_code(browser: Browser, table: RunningTable) -> None:
    desk, television = Desk(browser, table.url), Desk(browser, table.url)
    television.page.goto(table.url)
    television.page.wait_for_selector("body[data-paired=yes]")
    desk.page.goto(f"{table.url}/operator")
    until(desk.code_is_shown)
    code = desk.page.inner_text("#code")
    television.page.wait_for_timeout(500)
    for shown in (television.page.content(), json.dumps(table.state())):
        assert code not in shown
        assert code.replace(" ", "") not in shown
    television.close()
    desk.close()


def test_the_camera_page_shows_the_tray_and_the_wizard_calibrates(desk: Desk, table: RunningTable) -> None:
    page = desk.page
    desk.go("camera")
    page.wait_for_selector("body[data-live=yes]")
    until(lambda: page.evaluate("document.getElementById('live').naturalWidth >= 640"))
    page.wait_for_selector(".meter")
    desk.keep("camera-empty", CONTRAST)
    desk.go("calibrate")
    page.click("#look")
    page.wait_for_selector("#findings .good")
    assert page.locator("#findings .bad").count() == 0
    page.wait_for_selector("#keep:not([disabled])")
    desk.keep("calibrate", CONTRAST)
    page.click("#keep")
    assert "Saved in" in desk.said()
    assert load_tray(table.ledger / "calibration") is not None


def test_before_the_first_picture_there_is_no_frame_for_it(desk: Desk) -> None:
    desk.page.route("**/operator/api/eye/view*", lambda route: route.abort())
    desk.page.goto(f"{desk.url}/operator/camera")
    desk.page.wait_for_selector("#rate:not(:empty)")
    assert not desk.page.is_visible("#live")
    assert "·" not in desk.page.inner_text("figure.live figcaption")
    desk.page.unroute_all()


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

    until(thrown, BUSY_S)
    page.click("#pause")
    page.wait_for_selector("#resume:not([hidden])")
    desk.keep("overview", CONTRAST)
    page.click("#resume")
    page.wait_for_selector("#pause:not([hidden])")
    assert page.is_disabled("#restart")
    assert "A game is in progress" in page.inner_text("#restart-waits")
    desk.go("camera")
    page.click("#explain")
    page.wait_for_selector(".card")
    desk.keep("camera", CONTRAST)

    held: list[Route] = []
    page.route("**/operator/api/ledger?*", lambda route: held.append(route))
    desk.go("ledger")
    page.wait_for_selector("#said:text('Searching')")
    held[0].continue_()
    page.unroute_all()
    page.wait_for_selector("#games button")
    assert not page.is_visible("#said")
    desk.keep("ledger", CONTRAST)
    page.click("#games button")
    page.wait_for_selector("#entries button")
    desk.keep("game", CONTRAST)
    entries = page.locator("#entries li").evaluate_all("found => found.map((each) => +each.dataset.entry)")
    assert entries == sorted(entries, reverse=True), "the newest entry stands first"
    number = page.locator("#entries li:has(button)").first.get_attribute("data-entry")
    page.locator("#entries button").first.click()
    box = page.locator("dialog select").first
    value = int(box.input_value())
    box.select_option(str(value % 6 + 1))
    page.screenshot(path=SCREENSHOTS / "operator-correct.png")
    page.click("dialog button.main")
    page.wait_for_selector("dialog p:text('The panel asks')")

    def confirmed() -> bool:
        table.type("")
        page.wait_for_timeout(700.0)  # a burst of OKs answers no question that came up in it
        return page.locator("dialog").count() == 0

    until(confirmed)
    assert "Confirmed" in desk.said()
    page.wait_for_selector(".mark")
    told = json.loads(page.request.get(f"{table.url}/api/throws").body())["throws"]
    assert [throw["corrected"] for throw in told if str(throw["number"]) == number] == [True]


def test_the_house_takes_a_seat_of_a_game_that_is_started(desk: Desk, table: RunningTable) -> None:
    page = desk.page
    desk.go("")
    page.wait_for_selector("#names select")
    if page.locator("#end").is_visible():
        page.click("#end")
        page.click("dialog[open] button.danger")
        until(lambda: not (table.state() or {"game": ""})["game"])
    page.select_option("#game", "six_by_6")
    seat = page.locator("[data-house='2']")
    easy = seat.locator("option").nth(1).get_attribute("value")
    seat.select_option(easy)
    assert page.locator("[data-name='2']").is_disabled()
    desk.keep("house", CONTRAST)
    seat.select_option("")
    assert page.locator("[data-name='2']").is_enabled()
    seat.select_option(easy)
    page.click("#start-form button[type=submit]")
    assert "begun" in desk.said()

    def seats() -> list[str]:
        state = table.state()
        return [each["house"] for each in state["seats"]] if state is not None else []

    until(lambda: seats() == ["", easy])


def test_house_rules_are_added_changed_and_deleted(desk: Desk, table: RunningTable) -> None:
    page = desk.page
    before = table.config.read_text()

    def save() -> None:
        page.evaluate("document.getElementById('restart').hidden = true")
        page.click("#save")
        page.wait_for_selector("#restart:not([hidden])")

    desk.go("rules")
    page.wait_for_selector("body[data-loaded=yes]")
    page.click("#add")
    page.select_option(".rules [data-at=game]", "ten_thousand")
    page.fill(".rules [data-option=target]", "5000")
    page.fill(".rules [data-at=name]", "Yacht")
    page.click("#save")
    page.wait_for_selector(".rules .at-field")
    assert page.inner_text(".rules .at-field").startswith("'Yacht' is a game's title")
    assert page.get_attribute(".rules [data-at=name]", "aria-invalid") == "true"
    desk.keep("rules", CONTRAST)
    assert table.config.read_text() == before
    page.fill(".rules [data-at=name]", "The Anchor's")
    assert page.locator(".at-field").count() == 0
    save()
    anchor = HouseRules(name="The Anchor's", game="ten_thousand", options={"target": 5000})
    assert load(table.config).games.house_rules == [anchor]
    page.fill(".rules [data-option=target]", "6000")
    page.fill(".rules [data-option=opening]", "350")
    save()
    (rules,) = load(table.config).games.house_rules
    assert rules.options == {"target": 6000, "opening": 350}
    page.click(".rules .danger")
    save()
    assert load(table.config).games.house_rules == []
    table.config.write_text(before)


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
    assert "must be at most 8, and is 9" in page.inner_text("#mistakes")
    assert "must be at most 8, and is 9" in page.inner_text("[data-key='table.seats'] .at-field")
    desk.keep("mistake", CONTRAST)
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
    page.route(lambda url: not url.endswith(("/do/restart", "/api/token")), lambda route: route.abort())
    page.click("dialog button.danger")
    page.wait_for_selector("#said:text('is restarting')")
    page.wait_for_selector("#said:text('still restarting')")
    page.wait_for_timeout(2000)
    assert page.locator("#said:text('still restarting')").is_visible()
    page.unroute_all()
    page.wait_for_selector("#typed")
    desk.log_in(PASSPHRASE)
    page.wait_for_selector("#names input[data-seat='3']", state="attached")


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


def lay(tray: Path, lines: str) -> None:
    """Lays dice into the tray of a `laying_table`, and waits until they lie still."""
    tray.write_text(lines)
    lies = tray.with_suffix(".lies")
    until(lambda: lies.exists() and lies.read_text() == lines)


@pytest.fixture
def tray(tmp_path: Path) -> Path:
    """The file that says what lies in the tray of a `laying_table`."""
    return tmp_path / "tray"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The file of the table's own dice."""
    return tmp_path / "own.npz"


@pytest.fixture
def laid(browser: Browser, tmp_path: Path, tray: Path, own: Path) -> Iterator[Desk]:
    program = (str(Path(laying_table.__file__)), str(tray))
    more = f'[eye]\ndice = "{own}"'
    with (
        closing(RunningTable(tmp_path, more=more, program=program)) as table,
        closing(Desk(browser, table.url)) as made,
    ):
        made.log_in()
        yield made


def test_dice_are_enrolled_face_by_face_and_known_again(laid: Desk, tray: Path, own: Path) -> None:
    desk, page = laid, laid.page
    desk.go("enrol")
    page.wait_for_selector("#kind option", state="attached")
    page.click("#begin")
    page.wait_for_selector("#faces-step:not([hidden])")
    assert page.inner_text("#lay") == "Put the d6 in the tray so that 1 counts."
    assert page.locator("#keep").is_disabled()
    page.click("#take")
    page.wait_for_selector("#said.bad")
    assert "can't see a die" in desk.said()
    for value in range(1, 7):
        lay(tray, f"0 {value}\n")
        page.click("#take")
        page.wait_for_selector(f"#faces li:nth-child({value}).taken img")
        if value == 3:
            page.click("#keep")
            page.wait_for_selector("dialog")
            assert "d6 4, d6 5, d6 6" in page.inner_text("dialog")
            page.click("dialog button:not(.danger)")
            desk.keep("enrol", CONTRAST)
    assert page.inner_text("#lay").startswith("Every face of this die is captured.")
    assert page.inner_text("#count") == "d6: 6 of 6 faces, 6 pictures"
    seen = "[...document.querySelectorAll('#faces img')].filter((each) => each.naturalWidth > 20).length"
    until(lambda: page.evaluate(seen) == 6)
    page.click("#keep")
    page.wait_for_selector("#use-step:not([hidden])")
    assert f"6 faces saved in {own}" in page.inner_text("#kept")
    assert set(EnrolledDice.load(own).shows) == {("d6", value) for value in range(1, 7)}
    assert page.locator("#unused").is_hidden()

    def explained(lines: str, heading: str) -> bool:
        """Whether a die lies there that is explained so."""
        lay(tray, "")
        lay(tray, lines)
        page.click("#explain")
        page.wait_for_selector(".card")
        return heading in page.inner_text("#dice")

    until(lambda: explained("0 4\n", "d6: 4 ✔"), BUSY_S)
    desk.keep("enrolled", CONTRAST)
    until(lambda: explained("1 4\n", "none of your dice"), BUSY_S)


def test_dice_are_enrolled_by_throwing_them(laid: Desk, tray: Path, own: Path) -> None:
    desk, page = laid, laid.page
    desk.go("enrol")
    page.wait_for_selector("#kind option", state="attached")
    page.click("#begin")
    page.wait_for_selector("#throw-step:not([hidden])")

    def taken(count: int) -> bool:
        """Whether so many faces are taken once a throw was."""
        page.click("#throw")
        page.wait_for_selector("#throw:enabled")
        return page.inner_text("#count") == f"d6: {count} of 6 faces, {count} pictures"

    for lines, count in (("0 1\n1 2\n2 3\n", 3), ("0 4\n1 5\n2 6\n", 6)):
        lay(tray, lines)
        until(partial(taken, count), BUSY_S)
        assert page.locator("#asked article").count() == 0
    desk.keep("thrown", CONTRAST)
    page.click("#throw")
    page.wait_for_selector("#said.bad")
    assert "new dice" in desk.said()
    page.click("#keep")
    page.wait_for_selector("#use-step:not([hidden])")
    assert set(EnrolledDice.load(own).shows) == {("d6", value) for value in range(1, 7)}


EVIL = "<img src=x onerror=alert(1)>"
NAMES = ("<s>&\"'", "<img s=>")
"""As long as the panel shows them."""


def test_markup_in_names_and_settings_is_text(browser: Browser, tmp_path: Path) -> None:
    with (
        closing(RunningTable(tmp_path, names=NAMES, ledger=EVIL)) as table,
        closing(Desk(browser, table.url)) as desk,
    ):
        desk.log_in()
        walk_past_markup(desk, table)


def walk_past_markup(desk: Desk, table: RunningTable) -> None:
    """Looks at every page that shows a name or a setting."""
    page = desk.page

    def is_text(*shown: str) -> None:
        text = page.inner_text("main")
        values = page.evaluate(
            "[...document.querySelectorAll('main input, main textarea')].map((each) => each.value)"
        )
        for each in shown:
            assert each in text or any(each in value for value in values), (each, values)
        assert page.evaluate("document.querySelectorAll('img:not([alt]), s').length") == 0
        assert desk.faults == []

    page.wait_for_selector("#names input", state="attached")
    is_text(*NAMES)
    page.select_option("#game", "six_by_6")
    page.click("#start-form button[type=submit]")
    assert "begun" in desk.said()
    page.wait_for_selector("#seats li")
    is_text(*NAMES)
    until(lambda: bool((table.state() or {}).get("throws")), BUSY_S)
    desk.go("ledger")
    page.wait_for_selector("#games button")
    is_text(*NAMES)
    page.click("#games button")
    page.wait_for_selector("#entries li:has(img)")
    is_text(NAMES[0])
    page.fill("#words", EVIL)
    page.click("#search button")
    page.wait_for_selector("#games li:text('No game')")
    desk.go("settings")
    page.wait_for_selector("body[data-loaded=yes]")
    page.click("#advanced > summary")
    is_text(*NAMES, EVIL)
    page.fill("#set-table-names", EVIL)
    page.click("#check")
    page.wait_for_selector("#mistakes li")
    is_text(EVIL)
    page.fill("#set-table-names", NAMES[1])
    page.click("#check")
    page.wait_for_selector("#change:not([hidden])")
    is_text(NAMES[1])
    desk.go("health")
    page.wait_for_selector("body[data-examined=yes]")
    is_text()


VALUES = "[...document.querySelectorAll('main input, main textarea')].map((each) => each.value)"


def test_nothing_covers_a_heading_of_the_settings_on_a_phone(desk: Desk) -> None:
    page = desk.page
    desk.go("settings")
    page.wait_for_selector("body[data-loaded=yes]")
    desk.size("phone")
    page.fill("#set-table-names", "Cleo")
    page.click("#check")
    assert desk.said() == "The changes are valid."
    for heading in page.locator("h1, h2").all():
        if heading.is_visible():
            heading.evaluate("each => each.scrollIntoView({ block: 'start' })")
            assert heading.evaluate(ON_TOP)
    said, button = (page.locator(each).bounding_box() for each in ("#said", "#save"))
    assert said is not None
    assert button is not None
    assert said["y"] + said["height"] <= button["y"]
    page.screenshot(path=SCREENSHOTS / "operator-settings-checked.png")


ON_TOP = """each => {
    const { left, top } = each.getBoundingClientRect();
    const found = document.elementFromPoint(left + 4, Math.max(top, 0) + 4);
    return each.contains(found);
}"""
"""Whether somebody sees it who has scrolled to it."""


def test_the_whole_menu_is_in_view_at_every_width(desk: Desk) -> None:
    desk.go("")
    for width in (360, 640, 660, 800, 1000, 1280):
        desk.page.set_viewport_size({"width": width, "height": 720})
        right = desk.page.evaluate("document.querySelector('#log-out').getBoundingClientRect().right")
        assert right <= width, width


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
    other.page.wait_for_selector("#typed")  # by itself: its page asks how the table is
    other.go("settings")
    other.page.wait_for_selector("#typed")
    other.close()
