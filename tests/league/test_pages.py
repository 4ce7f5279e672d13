"""The league's pages in a real browser: they follow what is played, say when they are old, and fit."""

from __future__ import annotations

from contextlib import closing
from random import Random
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

from league import contests, organiser, results
from league.database import connect, prepare
from tests.league.bars import Bar
from tests.league.sending import sent
from tests.league.serving import Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from league.database import Database

pytestmark = pytest.mark.slow

TELEVISION = (1920, 1080)
LAPTOP = (1280, 720)
PHONE = (360, 740)
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Fritz", "Gudrun-Elisabeth von Hohenstein", "<i>Hal</i>")
PATIENCE_MS = 300_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A league with a season, a bracket of eight in the middle and an arena."""
    url = f"sqlite:///{tmp_path_factory.mktemp('league') / 'league.sqlite3'}"
    league = connect(url)
    prepare(league, "Brewery <league>")
    results.add_season(league, "Winter", "", "2026-11-01", "2027-02-28")
    cup = contests.add(league, "Friday cup", "bracket", "six_by_6")
    contests.change_players(league, cup, "joined", NAMES)
    contests.add_event(league, cup, {"event": "begun"})
    chance = Random(3)
    for _ in range(9):
        called = contests.call(league, cup, 5)
        assert called is not None
        event = {"event": "decided", "match": called.name, "winners": [chance.choice(called.players)]}
        contests.add_event(league, cup, event)
    contests.call(league, cup, 5)
    arena = contests.add(league, "Open arena", "arena", "sixes", 3)
    contests.change_players(league, arena, "joined", NAMES)
    contests.call(league, arena, 5)
    league.close()
    made = Server(url)
    yield made
    made.close()


def opened(browser: Browser, server: Server, path: str, size: tuple[int, int]) -> Page:
    """The page; anything that the browser complains about fails the test."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(server.url + path)
    return page


def check_fit(page: Page, size: tuple[int, int]) -> None:
    """Nothing scrolls sideways, and axe finds nothing to say."""
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("size", [TELEVISION, PHONE], ids=["television", "phone"])
@pytest.mark.parametrize("path", ["/", "/tables", "/contests/1", "/contests/2", "/me", "/organiser"])
def test_pages_fit(browser: Browser, server: Server, path: str, size: tuple[int, int]) -> None:
    page = opened(browser, server, path, size)
    assert page.locator("header").inner_text().startswith("Brewery <league>")
    check_fit(page, size)
    if size == TELEVISION:
        assert page.evaluate("document.documentElement.scrollHeight") <= size[1]
    page.close()


def test_a_bracket_shows_everybody_by_the_name_given(browser: Browser, server: Server) -> None:
    page = opened(browser, server, "/contests/1", TELEVISION)
    text = page.locator("main").inner_text()
    assert all(name in text for name in NAMES)
    assert page.locator(".pairing.due").count() == 1
    assert page.locator(".pairing li.won").count() == 9
    page.close()


def test_the_standings_follow_what_is_played(browser: Browser, server: Server, tmp_path: Path) -> None:
    page = opened(browser, server, "/", TELEVISION)
    assert "Nothing yet." in page.locator("main").inner_text()
    league = connect(server.database)
    bar = Bar(tmp_path)
    bar.register(league)
    bar.play("six_by_6", ("Ann", "Bob"))
    sent(league, bar, bar.batch(bar.rows()))
    league.close()
    page.locator("td a").nth(1).wait_for(timeout=PATIENCE_MS)
    assert page.locator("tbody tr").count() == 2
    player = page.locator("td a").first
    player.click()
    page.locator("main", has_text="Six By 6").wait_for(timeout=PATIENCE_MS)
    bar.close()
    page.close()


def test_a_page_says_that_it_is_out_of_date_and_heals(browser: Browser, server: Server) -> None:
    page = opened(browser, server, "/contests/2", TELEVISION)
    stale = page.locator("#stale")
    assert not stale.is_visible()
    server.kill()
    stale.wait_for(state="visible", timeout=PATIENCE_MS)
    server.start()
    stale.wait_for(state="hidden", timeout=PATIENCE_MS)
    page.close()


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_the_organiser_runs_a_contest_by_taps_and_players_join_it(
    browser: Browser, tmp_path: Path, size: tuple[int, int]
) -> None:
    url = f"sqlite:///{tmp_path / 'league.sqlite3'}"
    with closing(connect(url)) as league, closing(Bar(tmp_path / "bar")) as bar:
        prepare(league, "Brewery league")
        bar.register(league)
        with closing(Server(url)) as server:
            run_a_contest(browser, server, size, league, bar)


def run_a_contest(
    browser: Browser, server: Server, size: tuple[int, int], league: Database, bar: Bar
) -> None:
    key = organiser.new_key(league)
    page = opened(browser, server, "/organiser", size)

    def fits() -> None:
        page.wait_for_load_state()
        check_fit(page, size)

    fits()
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Log in").click()
    form = page.locator("form[action='/organiser/contest']")
    form.get_by_label("Name").fill("Friday cup")
    form.get_by_label("Kind").select_option("Bracket")
    form.get_by_label("Game").select_option("Six By 6")
    form.get_by_role("button").click()
    page.get_by_text("Contest 1 is 'Friday cup'.").wait_for()
    fits()
    page.get_by_role("link", name="Friday cup").click()
    page.get_by_label("Names, one per line").fill("Ann\nGudrun-Elisabeth von Hohenstein")
    page.get_by_role("button", name="Enter players").click()
    page.get_by_text("Entered in Friday cup").wait_for()
    fits()
    guest = opened(browser, server, "/me", size)
    guest.get_by_label("Your name").fill("Sue")
    guest.get_by_label("Show my name on these pages").check()
    guest.get_by_role("button", name="Sign up").click()
    guest.get_by_role("button", name="Join").click()
    guest.get_by_role("button", name="Leave").wait_for()
    check_fit(guest, size)
    guest.goto(f"{server.url}/contests/1")
    assert "Sue" in guest.locator("main").inner_text()
    page.get_by_role("button", name="Draw the first round").click()
    page.get_by_text("The first round of Friday cup is drawn.").wait_for()
    guest.locator(".pairing").first.wait_for(timeout=PATIENCE_MS)
    assert contests.call(league, 1, bar.table) is not None
    page.goto(f"{server.url}/organiser/contests/1")
    page.get_by_role("button", name="Take the match back").click()
    page.get_by_text("Taken back: W1-").wait_for()
    page.get_by_role("link", name="Back").click()
    page.get_by_role("button", name="Log out").click()
    page.get_by_label("Key").wait_for()
    page.close()
    guest.close()
