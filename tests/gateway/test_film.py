"""The film of a throw on the television, and the clip of it that the thrower's phone shares."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from common import messages
from dicetable.eye.evidence import film
from dicetable.service.throws import film_marks
from gateway.settings import Look
from tests.dicetable.eye.rolled import EARLY, LATE, rolled
from tests.gateway.pages import SCREENSHOTS
from tests.gateway.serving import PretendTable, Served, until
from tests.gateway.stages import OFF_THE_SCREEN, states

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

CENTRE = """() => {
    const canvas = document.querySelector("#moment canvas");
    const [x, y] = [canvas.width / 2, canvas.height * 0.3];
    return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data];
}"""
"""A pixel of the tray between the dice."""


def with_film(table: PretendTable) -> tuple[dict[str, Any], dict[str, Any]]:
    """The states before and after a throw of two dice that was filmed."""
    told = list(states("six_shooter"))
    at = next(n for n, state in enumerate(told) if n and state["throws"] != told[n - 1]["throws"])
    throw = told[at]["throws"][0] | {"picture": True}
    made = film(rolled(), [EARLY, LATE], 0.6)
    marks = {"boxes": [], "motion": None, **film_marks([EARLY, LATE], made, adds_up=True)}
    table.bodies[messages.MARKS, throw["number"]] = json.dumps(marks).encode()
    table.bodies[messages.FILM, throw["number"]] = made
    table.state = json.dumps(told[at - 1]).encode()
    return told[at - 1], told[at] | {"throws": [throw, *told[at]["throws"][1:]]}


def opened(browser: Browser, served: Served, **options: Any) -> Page:
    page = browser.new_page(viewport={"width": 1920, "height": 1080}, **options)
    page.goto(f"http://127.0.0.1:{served.port}/")
    page.wait_for_selector("link[href='/static/moments.css']", state="attached")
    return page


def test_a_throw_is_replayed_full_screen_and_says_at_its_end_what_came_of_it(
    browser: Browser, table: PretendTable, served: Served
) -> None:
    before, after = with_film(table)
    served.operator["look"] = Look("The Anchor", pause=20.0)
    served.start()
    page = opened(browser, served)
    page.wait_for_selector(f"body[data-revision='{before['revision']}']")
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    table.tell(json.dumps(after).encode())
    page.wait_for_selector("#moment.film.rolls canvas")
    assert not page.locator("#moment .what").is_visible()
    page.wait_for_selector("#moment.film:not(.rolls) .what")
    box = page.locator("#moment canvas").bounding_box()
    assert box is not None
    assert box == {"x": 0, "y": 0, "width": 1920, "height": 1080}
    assert page.evaluate(CENTRE)[1] > 60, "the tray's own green"
    assert page.evaluate(OFF_THE_SCREEN) == []
    page.screenshot(path=SCREENSHOTS / "film.png")
    page.locator("#moment").click()
    page.wait_for_selector("#moment", state="hidden")
    assert sum(url.endswith(f"/throws/{after['throws'][0]['number']}.json") for url in fetched) == 1
    page.close()


def test_whoever_wants_no_motion_sees_the_dice_at_rest(
    browser: Browser, table: PretendTable, served: Served
) -> None:
    before, after = with_film(table)
    served.operator["look"] = Look("The Anchor", pause=20.0)
    served.start()
    page = opened(browser, served, reduced_motion="reduce")
    page.wait_for_selector(f"body[data-revision='{before['revision']}']")
    table.tell(json.dumps(after).encode())
    page.wait_for_selector("#moment.film canvas")
    assert page.locator("#moment.rolls").count() == 0
    assert page.locator("#moment .what").is_visible()
    page.close()


FILM = """async ([thrown, boxes]) => {
    const { loadFilm } = await import("/static/film.js");
    const { film } = await (await fetch(`/throws/${thrown.number}.json`)).json();
    return (await loadFilm(thrown, { ...film, boxes })).layout.boxes;
}"""
"""Where the values of dice that lie there stand in the film of a throw."""


def test_no_value_in_a_film_stands_below_other_words(
    browser: Browser, table: PretendTable, served: Served
) -> None:
    _, after = with_film(table)
    thrown = after["throws"][0]
    dice = [{"kind": "d6", "value": 5}, {"kind": "d6", "value": 6}]
    served.start()
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{served.port}/phone")
    low = [[0.4, 0.78, 0.1, 0.18], [0.02, 0.02, 0.1, 0.18]]
    (_, low_top, _, low_high), (left, top, _, _) = page.evaluate(FILM, [thrown | {"dice": dice}, low])
    assert low_top + low_high <= 910, "above what came of the throw"
    assert top >= 150 or left >= 480, "beside the thrower's name"
    page.close()


OFFER = """async ([thrown, own]) => {
    const { offerClip } = await import("/static/clip.js");
    document.querySelector("#last").hidden = false;
    await offerClip(thrown, own, { make_clip: "make", making_clip: "making", share_clip: "share" });
    return !document.querySelector("#share").hidden;
}"""


def test_a_phone_shares_its_own_throw_alone_as_a_clip(
    browser: Browser, table: PretendTable, served: Served
) -> None:
    _, after = with_film(table)
    thrown = after["throws"][0]
    served.start()
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"http://127.0.0.1:{served.port}/phone")
    until(lambda: page.locator("#share").count() == 1)
    assert not page.evaluate(OFFER, [thrown, False])
    page.reload()
    assert page.evaluate(OFFER, [thrown, True])
    page.locator("#share").click()
    page.wait_for_selector("#share:text-is('share')")
    with page.expect_download() as told:
        page.locator("#share").click()
    clip = told.value.path().read_bytes()
    assert clip[:4] == b"\x1aE\xdf\xa3" or clip[4:8] == b"ftyp", "a WebM or an MP4"
    assert 10_000 < len(clip) < 4_000_000
    page.close()
