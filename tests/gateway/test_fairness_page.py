"""A test of dice, followed live in a real browser, beside a whole simulated table in virtual time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dicetable.ledger.entries import Closed, Ending
from dicetable.service.publisher import LOOK_S
from dicetable.table.set_up import open_game
from hardware.simulated import physics
from tests.dicetable.service.evenings import Evening
from tests.gateway.pages import CONTRAST, LIVE_REGIONS, barriers
from tests.gateway.serving import HANGING_S, Served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

SIZES = {"guest": ("/", 1920, 1080), "phone": ("/phone", 390, 844)}
SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
CUT_OFF = """() => [...document.querySelectorAll("section, header")]
    .filter((each) => each.checkVisibility() && each.scrollHeight > each.clientHeight + 1)
    .map((each) => each.id || each.className)"""

COUNTED = "n => document.getElementById('test-count').textContent.includes(`: ${n} `)"


@pytest.fixture
def evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Evening]:
    monkeypatch.setattr(physics, "available", lambda: False)
    made = Evening(tmp_path, "six_by_6")
    while made.table.in_tray() is None:
        made.turn()
    assert open_game(made.table, "fairness", {1: "Ann"}, {"faces": 6, "dice": 3})
    yield made
    made.close()


@pytest.fixture
def pages(browser: Browser, evening: Evening) -> Iterator[dict[str, Page]]:
    with Served(evening.path) as served:
        made = {}
        for name, (path, wide, high) in SIZES.items():
            made[name] = browser.new_page(viewport={"width": wide, "height": high}, reduced_motion="reduce")
            made[name].goto(f"http://127.0.0.1:{served.port}{path}")
        yield made
        for page in made.values():
            page.close()


def told(evening: Evening) -> dict[str, Any]:
    """The newest state that the table tells."""
    evening.clock.sleep(LOOK_S)
    evening.service.turn()
    return evening.published


def wait(page: Page, evening: Evening, condition: str, argument: object = None) -> None:
    """Until it holds on the page; the table's sockets go on meanwhile."""
    for _ in range(round(HANGING_S / 0.05)):
        evening.service.turn()
        if page.evaluate(condition, argument):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never: {condition}")


def test_the_pages_follow_throw_after_throw(evening: Evening, pages: dict[str, Page]) -> None:
    for thrown in range(1, 6):
        while (evening.table.state.match is None) or evening.table.state.match.state()["throws"] < thrown:
            evening.turn()
        test = told(evening)["fairness"]
        assert test["throws"] == thrown
        assert sum(test["counts"]) == 3 * thrown
        for page in pages.values():
            wait(page, evening, COUNTED, thrown)
            bars = page.locator("#test-faces text").all_text_contents()
            assert [int(text) for text in bars[1:12:2]] == test["counts"]
            points = page.locator("#test-curve polyline").get_attribute("points") or ""
            assert len(points.split()) == len(test["curve"])
            verdict = page.locator("#test-verdict").text_content() or "missing"
            live = page.locator("#live").text_content() or ""
            assert verdict.rstrip(".") in live
            assert ".." not in live
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for name, page in pages.items():
        page.screenshot(path=SCREENSHOTS / f"fairness-{name}.png", full_page=name == "phone")
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[name][1]
        assert page.evaluate(CONTRAST) == {}
        assert barriers(page) == []
    assert pages["guest"].evaluate(LIVE_REGIONS) == ["live"]
    assert pages["guest"].evaluate(CUT_OFF) == []
    assert not pages["guest"].locator("#scores").is_visible()
    assert evening.table.write(Closed(Ending.ENDED))
    for page in pages.values():
        wait(page, evening, "() => document.getElementById('test').hidden")
