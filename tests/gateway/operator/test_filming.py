"""The operator's camera page shows the code that makes one phone the camera."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

import pytest

from gateway.pages import qr_svg
from tests.gateway.pages import CONTRAST, SCREENSHOTS, SIZES, barriers
from tests.gateway.serving import HANGING_S, PretendTable, Served, free_port
from tests.gateway.visitor import Visitor, operator

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser


def test_a_table_that_a_phone_films_shows_new_codes(folder: Path) -> None:
    table = PretendTable(folder / "table.sock")
    with closing(table), Served(table.path, camera_host="127.0.0.1", camera_port=free_port()) as served:
        visitor = operator(served, folder)
        assert visitor.ask("GET", "/operator/api/filming")[1] == {"chosen": True}
        assert visitor.ask("GET", "/operator/api/filming/code.svg")[0] == 404
        first, second = (visitor.post("filming")[1] for _ in range(2))
        assert first["address"].startswith(f"http://127.0.0.1:{served.port}/camera#")
        assert first["address"] != second["address"]
        assert first["fingerprint"] == second["fingerprint"]
        cookies = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
        asked = Request(f"{visitor.origin}/operator/api/filming/code.svg", headers={"Cookie": cookies})
        with urlopen(asked, timeout=HANGING_S) as shown:
            assert shown.read() == qr_svg(second["address"])
        assert Visitor(served.port).ask("GET", "/operator/api/filming/code.svg")[0] == 401


def test_another_table_has_no_code(folder: Path) -> None:
    table = PretendTable(folder / "table.sock")
    with closing(table), Served(table.path) as served:
        visitor = operator(served, folder)
        assert visitor.ask("GET", "/operator/api/filming")[1] == {"chosen": False}
        status, told = visitor.post("filming")
        assert status == 409
        assert 'driver = "phone"' in told["error"]


@pytest.mark.slow
def test_the_code_is_shown_in_a_browser_on_request(browser: Browser, folder: Path) -> None:
    table = PretendTable(folder / "table.sock")
    with closing(table), Served(table.path, camera_host="127.0.0.1", camera_port=free_port()) as served:
        visitor = operator(served, folder)
        context = browser.new_context()
        context.add_cookies(
            [{"name": name, "value": value, "url": visitor.origin} for name, value in visitor.cookies.items()]
        )
        page = context.new_page()
        page.goto(f"{visitor.origin}/operator/camera")
        page.wait_for_selector("#filming:not([hidden])")
        assert page.locator("#film-code").is_hidden()
        page.click("#film")
        page.wait_for_selector("#film-code:not([hidden])")
        assert page.evaluate("document.getElementById('film-qr').naturalWidth") > 0
        shown = page.inner_text("#film-address")
        assert shown == page.get_attribute("#film-address", "href")
        assert shown.startswith(f"http://127.0.0.1:{served.port}/camera#")
        assert page.inner_text("#fingerprint")
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=SCREENSHOTS / f"operator-filming-{size}.png", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(CONTRAST) == {}
            assert barriers(page) == []
        context.close()
