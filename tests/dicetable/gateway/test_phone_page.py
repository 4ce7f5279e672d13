"""Phones in a real browser: a game without buttons, and what a guest may not do."""

from __future__ import annotations

import json
import os
import re
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from dicetable.config.file import load
from dicetable.gateway.phone.odds import odds_of
from dicetable.gateway.phone.seats import BUSY_S, CLAIMS
from dicetable.gateway.signal_settings import NO_SIGNALS
from dicetable.service.sockets import settings_of
from dicetable.state.phones import question
from dicetable.state.snapshot import snapshot
from hardware.seat_claims import ALL, AWAY_S
from hardware.simulated import physics
from hardware.web_panel import WebPanel
from tests.dicetable.gateway.serving import HANGING_S, PretendTable, Served, Stream
from tests.dicetable.gateway.test_guest_page import CONTRAST, barriers
from tests.dicetable.state.evenings import Evening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page, Request

    from hardware.ports import Press

pytestmark = pytest.mark.slow

SCREENSHOTS = Path(__file__).resolve().parents[3] / "build" / "screenshots"
PHONE, TELEVISION = {"width": 390, "height": 844}, {"width": 1920, "height": 1080}
STEP_MS = 5


@pytest.fixture(autouse=True)
def cheap_throws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(physics, "available", lambda: False)


class Bar:
    """A table whose panel is phones, its gateway, a television on the machine itself, and phones."""

    def __init__(self, folder: Path, browser: Browser) -> None:
        self.evening = Evening(folder, "six_shooter", phones=True)
        self.evening.eye.looks = True
        self.served = Served(self.evening.path)
        self.served.start()
        self.browser = browser
        self.faults: list[str] = []
        self.pages: list[Page] = []
        self.streams: dict[Page, list[str]] = {}
        self.television = self.page("/", TELEVISION)

    def page(self, path: str, size: dict[str, int]) -> Page:
        """A browser of its own."""
        context = self.browser.new_context(
            viewport=size,  # type: ignore[arg-type]
            has_touch=size is PHONE,
            reduced_motion="reduce",  # drawn without a graphics card, motion takes all the processor has
        )
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.streams[page] = []
        page.on("request", lambda request: self.asked(page, request))
        page.goto(f"http://127.0.0.1:{self.served.port}{path}")
        self.pages.append(page)
        return page

    def asked(self, page: Page, request: Request) -> None:
        """Notes a stream that a page opens."""
        if request.resource_type == "eventsource":
            self.streams[page].append(urlsplit(request.url).path)

    def until(self, reached: Callable[[], object]) -> None:
        """The table goes on until it is so."""
        for _ in range(round(HANGING_S * 1000 / STEP_MS)):
            if reached():
                return
            self.evening.turn()
            self.pages[-1].wait_for_timeout(STEP_MS)
        pytest.fail("that never came")

    def phone(self) -> Page:
        """One more phone, that shows the page."""
        phone = self.page("/phone", PHONE)
        self.until(lambda: phone.locator("#claim").is_visible())
        return phone

    def claim(self, phone: Page, seat: int) -> None:
        """Reads the code of the seat from the television, and enters it; again if it is refused."""
        name = "All seats" if seat == ALL else f"Seat {seat}"
        row = self.television.locator("#codes li", has_text=name)
        refused = "document.getElementById('code').validity.customError"
        for _ in range(CLAIMS[0]):
            self.until(row.is_visible)
            phone.fill("#code", row.locator("strong").inner_text())
            phone.click("#claim-form button")
            self.until(lambda: phone.locator("#seat").is_visible() or phone.evaluate(refused))
            if phone.locator("#seat").is_visible():
                return
            asked_s = time.monotonic()
            self.until(lambda: time.monotonic() > asked_s + BUSY_S)  # noqa: B023 - it is called at once
        pytest.fail(phone.evaluate("document.getElementById('code').validationMessage"))

    def lines(self, phone: Page) -> list[str]:
        """What the phone shows of the panel."""
        return phone.locator("#panel").inner_text().split("\n")

    def press(self, phone: Page, key: str, seat: int | None = None) -> None:
        """A finger on a key, as slow as people are, until the table has taken it; again if the phone asks."""
        self.evening.turns(6)
        self.until(lambda: self.asks(phone))
        before = len(self.heard)
        where = f".keys[data-seat='{seat}'] " if seat else ".keys "
        while len(self.heard) <= before + 1:
            phone.click(f"{where}button.{key}")
            self.until(lambda: len(self.heard) > before + 1 or phone.locator("#said").inner_text())
        self.until(lambda: self.asks(phone))

    def asks(self, phone: Page) -> bool:
        """Whether the phone shows what the table asks now."""
        panel = self.evening.service.parts.panel
        assert isinstance(panel, WebPanel)
        shown = phone.evaluate(
            "[document.body.dataset.question, document.getElementById('panel').textContent]"
        )
        return bool(shown == [str(question(self.evening.table)), "\n".join(panel.view.lines)])

    @property
    def heard(self) -> list[Any]:
        """The presses that the table has taken."""
        return taken

    def close(self) -> None:
        for page in self.pages:
            page.context.close()
        self.served.kill()
        self.evening.close()


taken: list[Any] = []


@pytest.fixture
def bar(tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bar]:
    taken.clear()
    made = Bar(tmp_path, browser)
    press = made.evening.table.press

    def taking(each: Press) -> None:
        taken.append(each)
        press(each)

    monkeypatch.setattr(made.evening.table, "press", taking)
    yield made
    assert made.faults == []
    made.close()


def sit_down(bar: Bar) -> list[Page]:
    phones = [bar.phone() for _ in range(3)]
    for seat, phone in enumerate(phones, 1):
        bar.claim(phone, seat)
    return phones


def set_up(bar: Bar, phones: list[Page], hands: int) -> None:
    """Six Shooter with so many hands, set up by pressing."""
    first = phones[0]
    bar.press(first, "ok")
    bar.press(first, "ok")
    for phone in phones[1:]:
        bar.press(phone, "ok")
    bar.press(first, "ok")
    while "hands" not in "".join(bar.lines(first)).lower():
        bar.press(first, "plus")
    bar.press(first, "ok")
    while not re.search(rf"\b{hands}\b", "\n".join(bar.lines(first)[1:3])):
        bar.press(first, "plus")
    bar.press(first, "ok")
    while "START" not in "".join(bar.lines(first)):
        bar.press(first, "minus")
    bar.press(first, "ok")


def keep(page: Page, name: str) -> None:
    """A screenshot; nothing is wider than the page, everybody can read it."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=page.viewport_size != TELEVISION)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(CONTRAST) == {}
    assert barriers(page) == []


def test_three_phones_play_a_whole_game(bar: Bar) -> None:
    phones = sit_down(bar)
    keep(phones[0], "phone-seat")
    set_up(bar, phones, hands=1)
    evening = bar.evening
    assert evening.table.state.match is not None
    kept = False
    while not evening.over:
        asked = evening.table.state.asked
        if evening.table.state.awaited is not None or asked is None:
            count = evening.service.parts.ledger.count
            bar.until(lambda: evening.service.parts.ledger.count > count)  # noqa: B023 - it is called at once
            continue
        seat = evening.table.state.panel_seats[asked]
        phone = phones[seat - 1]
        bar.until(lambda: bar.asks(phone))  # noqa: B023 - it is called at once
        if not kept:
            kept = True
            phone.click("#odds summary")
            bar.until(lambda: phone.locator("#chances dd").count() > 0)  # noqa: B023
            keep(phone, "phone-turn")
            keep(bar.television, "television-phones")
            phone.set_viewport_size(TELEVISION)  # type: ignore[arg-type]
            keep(phone, "phone-turn-wide")
            phone.set_viewport_size({"width": 360, "height": 740})
            keep(phone, "phone-turn-narrow")
            phone.set_viewport_size(PHONE)  # type: ignore[arg-type]
        bar.press(phone, "ok")
    bar.until(lambda: "★" in phones[1].locator("#seats").inner_text())
    keep(phones[1], "phone-over")
    winner = evening.table.winners or ()
    assert all(name in phones[1].locator("#live").inner_text() for name in winner)


def test_a_tablet_is_every_seat(bar: Bar) -> None:
    tablet = bar.page("/phone", {"width": 1024, "height": 768})
    bar.until(lambda: tablet.locator("#claim").is_visible())
    bar.claim(tablet, ALL)
    assert tablet.locator(".keys").count() == 3
    assert not bar.television.locator("#sit").is_visible()
    for seat in (2, 1, 3):
        bar.press(tablet, "plus", seat)
        assert bar.heard[-1].control == f"seat{seat}.plus"
    keep(tablet, "tablet")


def test_a_lost_phone_is_replaced_and_a_guest_never_presses(bar: Bar) -> None:
    owner = bar.phone()
    bar.claim(owner, 1)
    guest = bar.phone()
    keep(guest, "phone-guest")
    assert guest.locator("#seat").is_hidden()
    assert guest.locator("#panel").inner_text() == ""
    refused = guest.evaluate(
        """async () => Promise.all(["seat1.ok", "seat2.ok", "table.menu"].map(async (control) =>
            (await fetch("/phone/press", {method: "POST", headers: {"content-type": "application/json"},
                body: JSON.stringify({control, how: "tap", question: 0, at: performance.now()})})).status))"""
    )
    assert set(refused) <= {403, 409}
    owner.context.set_offline(True)
    claims = bar.evening.claims
    # A busy gateway speaks for the phone for up to a minute.
    bar.until(lambda: claims.away(1, bar.evening.clock.now_s()))
    heard_s = claims.heard_s[claims.holders[1]]
    assert AWAY_S <= bar.evening.clock.now_s() - heard_s < AWAY_S + 1.0
    bar.claim(guest, 1)
    bar.press(guest, "ok")
    owner.context.set_offline(False)
    bar.until(lambda: owner.locator("#claim").is_visible())
    assert not bar.heard[2:]


def test_a_wrong_code_and_a_late_press_are_refused_in_words(bar: Bar) -> None:
    phone = bar.phone()
    phone.evaluate(
        """() => {
            const live = document.querySelector("#live");
            window.said = [];
            new MutationObserver(() => window.said.push(live.textContent))
                .observe(live, {childList: true, characterData: true, subtree: true});
        }"""
    )
    phone.fill("#code", "000 000")
    phone.click("#claim-form button")
    bar.until(lambda: "no longer valid" in " ".join(phone.evaluate("window.said")))
    bar.claim(phone, 2)
    stale = """async (age) => {
        const told = await new Promise((done) => {
            const source = new EventSource("/phone/events");
            source.addEventListener("panel", (event) => { source.close(); done(JSON.parse(event.data)); });
        });
        const question = told.panel.question - (age ? 0 : 1);
        const body = {control: "seat2.ok", how: "tap", question, at: told.clock - age};
        const answer = fetch("/phone/press", {method: "POST", headers: {"content-type": "application/json"},
            body: JSON.stringify(body)});
        window.answered = null;
        answer.then((each) => each.json()).then((each) => { window.answered = each.error; });
    }"""

    def refusal(age: int) -> str:
        phone.evaluate(stale, age)
        bar.until(lambda: phone.evaluate("window.answered"))
        return str(phone.evaluate("window.answered"))

    assert "took too long" in refusal(5000)
    bar.until(lambda: "something else" in refusal(0))  # a busy machine may hold a press up for too long
    assert not bar.heard


def test_who_claims_again_is_heard_again(bar: Bar) -> None:
    phone = bar.phone()
    claims: list[int] = []
    phone.on("response", lambda each: claims.extend([each.status] * each.url.endswith("/claim")))
    phone.fill("#code", "000 000")
    for tries in (1, 2):
        phone.click("#claim-form button")
        bar.until(lambda: len(claims) == tries)  # noqa: B023 - it is called at once
    assert 200 not in claims


def test_phones_come_back_when_the_gateway_was_killed(bar: Bar) -> None:
    phone = bar.phone()
    bar.claim(phone, 1)
    bar.served.kill()
    bar.until(lambda: "panel" in bar.evening.table.degraded)
    bar.served.start()
    bar.until(lambda: phone.evaluate("document.body.dataset.link") == "live")
    bar.until(lambda: phone.locator("#seat").is_visible())
    bar.until(lambda: "panel" not in bar.evening.table.degraded)
    bar.until(lambda: bar.asks(phone))
    bar.press(phone, "ok")


def test_codes_are_for_paired_displays_alone(bar: Bar) -> None:
    served = bar.served
    bar.until(lambda: bar.television.locator("#codes li").count() == 4)
    state = json.dumps(served.json("/api/state"))
    codes = list(bar.evening.claims.codes(bar.evening.clock.now_s()).values())
    assert not any(code in state for code in codes)
    assert codes
    for path, headers in (
        ("/events", ()),
        ("/phone/events", ()),
        ("/display", ("Forwarded: for=192.0.2.7",)),
    ):
        stream = Stream(served.port, path, *headers)
        seen = stream.until(b"event: state")
        stream.close()
        assert not any(code.encode() in seen for code in codes)
    here = Stream(served.port, "/display")
    assert all(code.encode() in here.until(b"event: codes") for code in codes)
    here.close()


def test_a_tab_has_one_stream(bar: Bar) -> None:
    phone = bar.phone()
    bar.until(lambda: bar.television.locator("#codes li").count() == 4)
    bar.until(lambda: phone.evaluate("document.body.dataset.link") == "live")
    assert bar.streams == {bar.television: ["/display"], phone: ["/phone/events"]}


def test_a_foreign_or_malformed_post_is_refused(bar: Bar) -> None:
    own = f"http://127.0.0.1:{bar.served.port}"
    json_kind, ask = "application/json", bar.pages[0].context.request
    for path in ("claim", "here", "leave", "press"):
        for origin, kind, body, status in (
            ("https://evil.example", json_kind, "{}", 403),
            ("null", json_kind, "{}", 403),
            ("", json_kind, "{}", 403),
            (own, "text/plain", "{}", 415),
            (own, "application/x-www-form-urlencoded", "code=1", 415),
            (own, json_kind, "[" * 100, 400),
            (own, json_kind, '{"a":"' + "x" * 70_000 + '"}', 413),
        ):
            headers = {"content-type": kind} | ({"origin": origin} if origin else {})
            answer = ask.post(f"{own}/phone/{path}", data=body, headers=headers)
            assert answer.status == status, (path, origin, kind)
    assert not bar.heard


def test_no_odds_without_a_game() -> None:
    assert odds_of(None) == []


CONFIG = """
[camera]
driver = "simulated"

[panel]
driver = "simulated"

[web]
odds = {odds}
"""


def test_no_odds_where_the_config_switches_them_off(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    with closing(Evening(tmp_path / "table", "liars_dice", screens=False)) as evening:
        while not (known := odds_of(json.dumps(snapshot(evening.table, [])).encode())):
            evening.turn()
        state = snapshot(evening.table, []) | {"revision": 1}
    table = PretendTable(tmp_path / "state.sock")
    table.state = json.dumps(state).encode()
    file = tmp_path / "table.toml"
    for on in (True, False):
        file.write_text(CONFIG.format(odds=str(on).lower()))
        served = Served(table.path, odds=settings_of(load(file).web, os.environ, file, NO_SIGNALS).odds)
        served.start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{served.port}/phone")
        page.wait_for_selector("body[data-revision='1']")
        page.click("#odds summary")
        if on:
            page.wait_for_selector("#chances dd")
            assert page.locator("#chances dt").all_inner_texts() == [each["what"] for each in known]
        else:
            page.wait_for_selector("#no-odds:has-text('switched off')")
            assert page.locator("#chances dt").count() == 0
        assert served.json("/api/odds") == {"v": 1, "on": on, "odds": known if on else []}
        page.close()
        served.kill()
    table.close()
