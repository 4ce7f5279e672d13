"""A table whose panel is phones, with a real browser for each of them and for the television."""

from __future__ import annotations

import gettext
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from common import texts
from common.texts.catalogue import DOMAIN, FOLDER
from common.texts.language import LANGUAGES
from dicetable.service.phones import question
from gateway.seats import BUSY_S, TYPED_BY_CLIENT
from tests.dicetable.service.evenings import Evening
from tests.gateway.pages import CONTRAST, SCREENSHOTS, barriers
from tests.gateway.serving import HANGING_S, Served

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page, Request

PHONE, TELEVISION = {"width": 390, "height": 844}, {"width": 1920, "height": 1080}
STEP_MS = 5
SHORT = {"six_shooter": "Hands", "liars_dice": "Dice each", "bar_dice": "Rounds to win"} | dict.fromkeys(
    (
        *("sixes", "money_shot", "ten_thousand", "yacht", "ship_captain_crew", "mexico", "mia"),
        "midnight",
    ),
    "Rounds",
)
"""The option of a game whose smallest value makes it short."""

LATE = {
    gettext.translation(DOMAIN, FOLDER, [language], fallback=True).gettext(sentence)
    for language in LANGUAGES
    for sentence in (texts.phones.HELD_UP, texts.phones.NO_TABLE)
}
"""What a phone says, in each language, of a tap that a busy machine brings to the table too late."""


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

    def page(self, path: str, size: dict[str, int], locale: str = "en-GB", script: str = "") -> Page:
        """A browser of its own, which runs the script before the page's."""
        context = self.browser.new_context(
            viewport=size,  # type: ignore[arg-type]
            has_touch=size is PHONE,
            locale=locale,
            reduced_motion="reduce",  # drawn without a graphics card, motion takes all the processor has
        )
        context.add_init_script(script)
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
        """Enters the code of the seat; again if it is refused."""
        refused = "document.getElementById('code').validity.customError"
        for _ in range(TYPED_BY_CLIENT[0]):
            phone.fill("#code", self.evening.claims.codes(self.evening.clock.now_s())[seat])
            phone.click("#claim-form button")
            self.until(lambda: phone.locator("#seat").is_visible() or phone.evaluate(refused))
            if phone.locator("#seat").is_visible():
                return
            asked_s = time.monotonic()
            self.until(lambda: time.monotonic() > asked_s + BUSY_S)  # noqa: B023 - it is called at once
        pytest.fail(phone.evaluate("document.getElementById('code').validationMessage"))

    def buttons(self, phone: Page) -> list[str]:
        """What the buttons of the phone's seats say."""
        return phone.locator(":is(.choices, .row) button").all_inner_texts()

    def tap(self, phone: Page, label: str, seat: int | None = None) -> None:
        """A finger on the button that begins with the label, until the table has taken it.

        Again where a busy machine held the tap up for so long that it is refused.
        """
        self.until(lambda: self.asks(phone))
        where = phone.locator(f".seat[data-seat='{seat}']" if seat else ".seat")
        button = where.locator(":is(.choices, .row) button", has_text=re.compile(f"^{label}")).first
        self.until(button.is_visible)
        before = len(chosen)
        button.click()
        said = phone.locator("#said")
        self.until(lambda: len(chosen) > before or said.inner_text())
        while len(chosen) == before and said.inner_text() in LATE:
            for _ in range(10):
                self.evening.turn()
            if len(chosen) == before:  # nor did it come later
                button.click()
                self.until(lambda: len(chosen) > before or said.inner_text())
        # The first tap may have been taken while the second was on its way, which is refused then.
        assert len(chosen) > before, said.inner_text()
        self.until(lambda: self.asks(phone))

    def asks(self, phone: Page) -> bool:
        """Whether the phone shows what the table asks now."""
        shown = phone.evaluate("document.body.dataset.question")
        return bool(shown == str(question(self.evening.table)))

    def close(self) -> None:
        for page in self.pages:
            page.context.close()
        self.served.kill()
        self.evening.close()


chosen: list[tuple[int, str, tuple[int, ...]]] = []
"""What the table has taken from phones: the seat, the label, the numbers."""


def choose_one(bar: Bar, phone: Page, label: str) -> None:
    """Chooses the number 1 in a grid, or with a slider where there are very many."""
    slider = phone.locator(".picker input")
    if slider.count():
        slider.press("Home")
        bar.tap(phone, f"{re.escape(label)} 1$")
    else:
        bar.tap(phone, "1$")


def keep(page: Page, name: str) -> None:
    """A screenshot; nothing is wider than the page, everybody can read it."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=page.viewport_size != TELEVISION)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(CONTRAST) == {}
    assert barriers(page) == []


ENDS_SOON = ("Stick", "Challenge", "Liar!", "Bow out", "Bank", "Stand", "Fill")
"""Buttons that bring the end of a game nearer."""


def decide(bar: Bar, phone: Page) -> None:
    """What ends a game soon, in one tap or two."""
    before = len(chosen)
    buttons = [each for each in bar.buttons(phone) if each != "Menu"]
    wanted = next((each for each in ENDS_SOON if each in " ".join(buttons)), "")
    dice = phone.locator(".choices .selection .faces .choice")
    if wanted:
        bar.tap(phone, wanted)
    else:
        bar.until(lambda: bar.asks(phone))
        choices = phone.locator(".choices .choice:enabled:not(:is(.selection, .call) .faces .choice)")
        if not choices.count():  # only dice to set aside
            for die in dice.all():
                die.click()
        choices.first.click()
        bar.until(lambda: len(chosen) > before)
    assert len(chosen) == before + 1
