"""The stage of each game on a television: eight players with long names fit, and all of it can be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from common import messages
from common.snapshot import Contents, ShownStage
from dicetable.ledger.entries import MemoryJournal
from dicetable.service.healing_ledger import MemoryArchive
from dicetable.service.publisher import dice_json, snapshot, stage_json
from dicetable.service.throws import RecentThrows
from dicetable.table.table import Table
from games.registry import GAMES
from games.words import TableView
from gateway.settings import Look
from tests.extent import extent
from tests.gateway.pages import SCREENSHOTS, barriers
from tests.gateway.serving import PretendTable, Served
from tests.gateway.stages import (
    DIGITS,
    NAMES,
    OFF_THE_SCREEN,
    evening,
    faults,
    states,
)
from tests.gateway.states import IDLE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

SIZES = ((1920, 1080), (1280, 720))
MOMENT_MS = 2000
LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 60"><circle cx="40" cy="30" r="28"/></svg>'
LATE = 400
LOOKED_AT = 4
"""Every so many steps there is a screenshot: one takes longer than all that is measured."""
SHAPES = """() => [...document.querySelectorAll("#seats .shape")].map((each) =>
    getComputedStyle(each, "::before").clipPath)"""
"""How each seat is told from others, without its colour."""


def opened(browser: Browser, served: Served, size: tuple[int, int], **options: Any) -> Page:
    """A page whose timers stand still until a test runs them."""
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", **options
    )
    page.clock.install(time=0)
    page.clock.pause_at(1)
    page.goto(f"http://127.0.0.1:{served.port}/")
    page.wait_for_selector("link[href='/static/moments.css']", state="attached")
    return page


@pytest.mark.parametrize("game", GAMES)
def test_eight_long_names_fit_and_all_can_be_read(
    browser: Browser, table: PretendTable, served: Served, game: str
) -> None:
    told = list(states(game))[:: extent(3, 1)]
    table.state = json.dumps(told[0]).encode()
    served.start()
    pages = [opened(browser, served, size) for size in SIZES]
    shown = 0
    for step, state in enumerate(told):
        table.tell(json.dumps(state).encode())
        shown += bool(state["stage"]["number"] or state["stage"]["caption"])
        for page in pages:
            page.wait_for_selector(f"body[data-revision='{state['revision']}']")
            page.clock.run_for(5 * MOMENT_MS)
            assert page.locator("#moment").is_hidden()
            name = f"{game}-{state['revision']:02}-{page.viewport_size['height']}"  # type: ignore[index]
            found = faults(page)
            if found or step % LOOKED_AT == 0:
                page.screenshot(path=SCREENSHOTS / f"stage-{name}.png")
            assert found == {}, name
            assert page.locator("#seats .name").all_text_contents() == list(NAMES)
            assert len(set(page.evaluate(SHAPES))) == len(NAMES)
            assert page.evaluate(DIGITS, "#number") >= 0.15
            caption = page.locator("#last-who").inner_text()
            assert caption
            cups_down = state["awaits"] != "reveal" and any(seat["under_cup"] for seat in state["seats"])
            assert ("before this round" in caption) == (cups_down and bool(state["throws"]))
    assert shown > 0
    for page in pages:
        page.close()


def late(game: str) -> Contents:
    """The snapshot of a game after LATE entries; most games are over by then."""
    journal = MemoryJournal()
    journal.entries = evening(game, most=LATE)
    recent = RecentThrows(MemoryArchive(journal))
    recent.step(LATE)
    table = Table(journal, lambda: 1, entries=journal.entries, names=NAMES)
    return snapshot(table, recent.throws, len(journal.entries), of_game=recent.match.listed())


def counted(shown: int) -> ShownStage:
    """The stage of Liar's Dice after `shown` dice were revealed that all count."""
    state = {"round": 1, "bid": {"quantity": 46, "face": 4, "seat": NAMES[6]}, "on_table": 48, "seats": []}
    stage = GAMES["liars_dice"].words.staged(TableView(state, NAMES[0], None, (("d6", 4),) * shown))
    return stage_json(stage, 0)


@pytest.mark.parametrize("game", GAMES)
def test_the_end_of_a_game_and_a_long_count_fit(
    browser: Browser, table: PretendTable, served: Served, game: str
) -> None:
    end = late(game)
    told = [end, end | {"seats": end["seats"][:3]}]
    if game == "liars_dice":
        told += [end | {"stage": counted(shown) | {"colour": 7}} for shown in (1, 6, 20, 46)]
    table.state = json.dumps(end | {"revision": 1}).encode()
    served.start()
    for size in SIZES:
        page = opened(browser, served, size)
        for number, state in enumerate(told, 2 + 100 * size[0]):
            table.tell(json.dumps(state | {"revision": number}).encode())
            page.wait_for_selector(f"body[data-revision='{number}']")
            page.clock.run_for(5 * MOMENT_MS)
            page.screenshot(path=SCREENSHOTS / f"stage-{game}-late-{number % 100}-{size[1]}.png")
            assert faults(page) == {}, (state["stage"], size)
            assert page.evaluate(DIGITS, "#number") >= 0.15
        page.close()


LARGEST = """() => [...document.querySelectorAll("body *")].filter((each) => each.checkVisibility()
    && [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()))
    .map((each) => [each.textContent, getComputedStyle(each)])
    .map(([text, { fontSize, color }]) => [parseFloat(fontSize), text, color])
    .sort(([one], [other]) => other - one)[0]"""
"""The largest text of a page, with its size in pixels and its colour."""
BLUE = "rgb(143, 193, 255)"
"""The colour of the second seat."""


def test_the_end_is_the_winner_s_and_the_rematch_asks_softly(
    browser: Browser, table: PretendTable, served: Served
) -> None:
    end = late("shut_the_box")
    assert end["winners"] == [NAMES[1]]
    table.state = json.dumps(end | {"revision": 2}).encode()
    served.start()
    television, phone = (
        opened(browser, served, SIZES[0]),
        browser.new_page(viewport={"width": 360, "height": 640}),
    )
    phone.goto(f"http://127.0.0.1:{served.port}/phone")
    for page in (television, phone):
        page.wait_for_selector("body[data-revision='2']")
        page.wait_for_selector("#champion span")
        size, text, colour = page.evaluate(LARGEST)
        assert (text, colour) == (NAMES[1], BLUE)
        small = page.evaluate(
            "parseFloat(getComputedStyle(document.querySelector('#rematch span')).fontSize)"
        )
        assert small <= size / 2
        tops = [page.locator(each).bounding_box() for each in ("#champion", "#last", "#rematch span")]
        places = [box["y"] for box in tops if box is not None]
        assert places == sorted(places)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.close()


def test_nobody_stands_higher_than_others_who_share_the_place(
    browser: Browser, table: PretendTable, served: Served
) -> None:
    end = late("six_shooter")
    table.state = json.dumps(end | {"revision": 1}).encode()
    served.start()
    page = opened(browser, served, SIZES[0])
    cases = (((1, 2, 3, 4), 3), ((1, 2, 2, 2, 2), 1), ((1, 2, 3, 3), 2), ((1, 1, 1, 1), 3))
    for number, (ranks, steps) in enumerate(cases, 2):
        places = [{"name": name, "rank": rank} for name, rank in zip(NAMES, ranks, strict=False)]
        podium = {**(end["podium"] or {}), "places": places}
        table.tell(json.dumps(end | {"podium": podium, "revision": number}).encode())
        page.wait_for_selector(f"body[data-revision='{number}']")
        assert page.locator("#places .name").all_inner_texts() == list(NAMES[:steps])
    page.close()


def test_the_invitation_can_be_read(
    browser: Browser, table: PretendTable, served: Served, tmp_path: Path
) -> None:
    wins = [{"name": name, "wins": 9 - at} for at, name in enumerate(NAMES[:5])]
    state = IDLE | {"winners": [NAMES[0]], "tonight": {"games": 25, "dice": 812, "wins": wins}}
    table.state = json.dumps(state).encode()
    logo = tmp_path / "logo.svg"
    logo.write_text(LOGO)
    served.operator["look"] = Look("The Golden Anchor 88", str(logo), "#7fe0c3")
    served.start()
    for size in SIZES:
        page = opened(browser, served, size)
        page.wait_for_selector("body[data-revision='1']")
        page.screenshot(path=SCREENSHOTS / f"invitation-{size[1]}.png")
        assert page.locator("#idle h1").inner_text() == page.title() == "The Golden Anchor 88"
        colour = "getComputedStyle(document.querySelector('#idle h1')).color"
        assert page.evaluate(colour) == "rgb(127, 224, 195)"
        assert page.evaluate("document.querySelector('.hero .logo').naturalWidth") > 0
        page.wait_for_selector(".hero .logo.plate")  # black on the dark ground
        best = [each.inner_text() for each in page.locator("#tonight li").all() if each.is_visible()]
        assert best == [f"{each['name']} ★{each['wins']}" for each in wins[:3]]
        assert faults(page) == {}
        code = page.locator("#join img").bounding_box()
        assert code is not None
        assert code["height"] >= 0.25 * size[1]  # a code of a foot on a television of a metre
        page.close()


@pytest.mark.parametrize("more", ['fill="#fff"', 'fill="#fff"/><circle r="9"', 'fill="#222"'])
def test_only_a_dark_logo_gets_a_light_plate(
    browser: Browser, table: PretendTable, served: Served, tmp_path: Path, more: str
) -> None:
    table.state = json.dumps(IDLE).encode()
    logo = tmp_path / "logo.svg"
    logo.write_text(LOGO.replace("/>", f" {more}/>"))
    served.operator["look"] = Look("", str(logo), "")
    served.start()
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{served.port}/")
    page.wait_for_selector(".hero .logo[data-seen='yes']")
    assert page.locator(".hero .logo.plate").count() == int("#222" in more)
    page.close()


def test_the_tiles_of_a_box_stand_or_lie(browser: Browser, table: PretendTable, served: Served) -> None:
    state = next(each for each in states("shut_the_box") if each["stage"]["number"] == "29")
    stands = [tile["open"] for tile in state["stage"]["tiles"]]
    assert any(stands)
    assert not all(stands)
    table.state = json.dumps(state | {"revision": 2}).encode()
    served.start()
    for path, size in (("", SIZES[0]), ("phone", (360, 640))):
        page = browser.new_page(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
        page.goto(f"http://127.0.0.1:{served.port}/{path}")
        page.wait_for_selector("body[data-revision='2']")
        tiles = page.locator("#tiles li")
        assert tiles.all_inner_texts() == [str(tile) for tile in range(1, 10)]
        high = [box["height"] for box in (tile.bounding_box() for tile in tiles.all()) if box is not None]
        shut = max(height for height, open_ in zip(high, stands, strict=True) if not open_)
        assert shut < 0.8 * min(height for height, open_ in zip(high, stands, strict=True) if open_)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.close()


CODES = """async ([seats, names]) => {
    const { showCodes } = await import("/static/codes.js");
    const codes = Object.fromEntries(names.slice(0, seats - 1).map((_, at) => [at + 1, "123456"]));
    const named = names.map((name, at) =>
        ({ seat: at + 1, name, colour: at + 1, state: at < 2 ? "away" : "held" }));
    showCodes({ codes: { next: "222333", ...codes, all: "654321" }, seats: named });
    const pictures = [...document.querySelectorAll("#codes img")];
    for (const picture of pictures) picture.src = "/qr.svg";
    await Promise.all(pictures.map((each) => each.decode()));
}"""
"""Shows the codes of the next seat and of lost phones, as a paired display does."""


JOIN_IN_HERO = """() => {
    const boxes = ["#join", ".hero"].map((each) => document.querySelector(each).getBoundingClientRect());
    const [join, hero] = boxes;
    return join.bottom <= hero.bottom && join.top >= hero.top && join.right <= hero.right;
}"""


SHOWN_IN_LIST = """() => {
    const [list, shown] = ["#list", "#list .shown"].map(
        (each) => document.querySelector(each).getBoundingClientRect());
    return shown.top >= list.top - 1 && shown.bottom <= list.bottom + 1;
}"""
"""Whether the game that the host looks at is in view, however long the list is."""
LIST_HEIGHT = """() => {
    const boxes = [...document.querySelectorAll("#list li")].map((each) => each.getBoundingClientRect());
    return (boxes.at(-1).bottom - boxes[0].top) / innerHeight;
}"""
"""The share of the screen's height that the list of games takes."""


def test_codes_posters_and_a_game_that_is_set_up_fit(
    browser: Browser, table: PretendTable, served: Served
) -> None:
    wins = [{"name": name, "wins": 9} for name in NAMES[:3]]
    idle = IDLE | {"tonight": {"games": 25, "dice": 812, "wins": wins}}
    seats = [{"name": name, "place": 1 + at, "colour": 1 + at} for at, name in enumerate(NAMES)]
    words = GAMES["six_shooter"].words
    set_up: dict[str, Any] = {
        "game": "six_shooter",
        "title": words.title,
        "players": "2 to 8 players",
        "rules": words.rules[:3],
        "host": NAMES[7],
    }
    set_up |= {
        "dice": "all dice",
        "poster": dice_json(words.poster),
        "ready": f"8 in: {NAMES[7]}, press Everyone's in",
    }
    house = "The Anchor's Ten Thousand"
    games = [
        {
            "game": game.name,
            "title": game.title,
            "house_rules": house if number > len(GAMES) else "",
            "players": "2 to 8 players",
            "dice": "d4 d6 d8 d10 d12 d20",
            "fits": number < len(GAMES),
            "shown": number == 16,
        }
        for number, game in enumerate([*GAMES.values(), *GAMES.values()][:17], 1)
    ]
    table.state = json.dumps(idle | {"revision": 1}).encode()
    served.operator = {"house_rules": (("ten_thousand", house), ("six_shooter", "Quick"))}
    served.start()
    for size in SIZES:
        # A page that is not paired hears no codes of the table that would end those of the test.
        page = opened(browser, served, size, extra_http_headers={"X-Forwarded-For": "192.0.2.1"})
        for free in (1, 3, 4, 8):
            draft = set_up | {"seats": seats[free - 1 :]}
            drafted = idle | {"phase": "set_up", "set_up": draft}
            listed = idle | {"phase": "set_up", "set_up": draft | {"games": games}}
            for number, state in enumerate((idle, idle | {"tonight": None}, drafted, listed)):
                revision = 100 * size[0] + 10 * free + number
                table.tell(json.dumps(state | {"revision": revision}).encode())
                page.wait_for_selector(f"body[data-revision='{revision}']")
                page.evaluate(CODES, [free, NAMES])
                if state["phase"] == "set_up":
                    page.wait_for_function(f"() => document.querySelectorAll('#in li').length === {9 - free}")
                    assert page.locator("#ready").inner_text() == set_up["ready"]
                    assert page.locator("#next-rules li").count() == 3
                    assert page.locator("#in .host").inner_text() == NAMES[7]
                page.screenshot(path=SCREENSHOTS / f"codes-{free}-{number}-{size[1]}.png")
                assert faults(page) == {}, (free, size)
                assert state["phase"] == "set_up" or page.evaluate(JOIN_IN_HERO)
                if state is listed:
                    assert page.evaluate(SHOWN_IN_LIST)
                    assert page.evaluate(LIST_HEIGHT) > 0.8
                code = page.locator("#codes li[data-seat='next'] img").bounding_box()
                assert code is not None
                assert code["height"] >= (0.3 if state["phase"] == "set_up" else 0.2) * size[1]
        page.close()


def test_choices_are_shown_whole_as_far_as_there_is_room(
    browser: Browser, table: PretendTable, served: Served
) -> None:
    told = list(states("yacht"))[3]
    table.state = json.dumps(told | {"revision": 1}).encode()
    served.start()
    page = opened(browser, served, SIZES[1])
    for number, count in enumerate((3, 40), 2):
        choices = [f"Keep the {at} of spades" for at in range(1, count + 1)]
        table.tell(json.dumps(told | {"choices": choices, "revision": number}).encode())
        page.wait_for_selector(f"body[data-revision='{number}']")
        shown = page.locator("#choices").inner_text().split(" · ")
        if count == 3:
            assert shown == choices
        else:
            assert len(shown) > 4
            assert shown == [*choices[: len(shown) - 1], "…"]
        assert faults(page) == {}
    page.close()


def test_no_stage_of_an_evening_keeps_anybody_out(
    browser: Browser, table: PretendTable, served: Served
) -> None:
    """Axe waits by the page's own clock, so it runs."""
    words = GAMES["yacht"].words
    draft: dict[str, Any] = {
        "game": "yacht",
        "title": words.title,
        "house_rules": "",
        "players": "2 to 8 players",
    }
    draft |= {"dice": "five d6", "poster": dice_json(words.poster), "rules": words.rules[:3]}
    draft |= {"host": NAMES[0], "ready": f"2 in: {NAMES[0]}, press START", "games": []}
    seats = [{"name": name, "place": at, "colour": at} for at, name in enumerate(NAMES[:2], 1)]
    game: dict[str, Any] = {"game": "mia", "title": "Mia", "house_rules": "", "players": "2 to 8 players"}
    listed = [game | {"dice": "two d6", "fits": fits, "shown": fits} for fits in (True, False)]
    set_up = IDLE | {"phase": "set_up", "set_up": draft | {"seats": seats}}
    chosen = IDLE | {"phase": "set_up", "set_up": draft | {"game": "", "seats": seats, "games": listed}}
    moment = {"number": -1, "told": [{"text": "YACHT!", "caption": "Ann", "place": 1, "colour": 1}]}
    played = list(states("yacht"))[3]
    evening = (IDLE, set_up, chosen, played, played | {"moments": moment}, late("yacht"))
    table.state = json.dumps(IDLE | {"revision": 1}).encode()
    served.operator["look"] = Look(pause=60.0)
    served.start()
    page = browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    page.goto(f"http://127.0.0.1:{served.port}/")
    page.wait_for_selector("link[href='/static/moments.css']", state="attached")
    for number, state in enumerate(evening, 2):
        table.tell(json.dumps(state | {"revision": number}).encode())
        page.wait_for_selector(f"body[data-revision='{number}']")
        if "moments" in state and state["moments"] is moment:
            page.wait_for_selector("#moment .large")
        assert barriers(page) == [], state["phase"]
        if page.locator("#moment").is_visible():
            page.click("#moment")
    page.close()


def test_a_moment_owns_the_screen_and_goes(browser: Browser, table: PretendTable, served: Served) -> None:
    told = next(iter(states("six_by_6")))
    table.state = json.dumps(told).encode()
    served.start()
    page = opened(browser, served, SIZES[0])
    page.wait_for_selector("body[data-revision='1']")
    assert page.locator("#moment").is_hidden()
    told_of = {"text": "4×⚄", "caption": "Wilhelmine bids 4 fives", "place": 2, "colour": 2, "best": False}
    moment = {"number": 9, "told": [told_of, told_of | {"text": "RACK!", "best": True}]}
    table.tell(json.dumps(told | {"revision": 2, "moments": moment}).encode())
    page.wait_for_selector("body[data-revision='2']")
    page.clock.run_for(1)
    assert not page.locator("#moment").is_hidden()
    page.screenshot(path=SCREENSHOTS / "moment.png")
    box = page.locator("#moment").bounding_box()
    ground = "getComputedStyle(document.querySelector('#moment')).backgroundColor"
    assert page.evaluate(ground) == "rgb(143, 193, 255)"
    assert box == {"x": 0, "y": 0, "width": 1920, "height": 1080}
    assert page.locator("#moment .large").inner_text() == "4×"
    assert page.locator("#moment .large .die").get_attribute("aria-label") == "5"
    assert page.evaluate("document.fonts.load('1em Anton').then((fonts) => fonts.length)") == 1
    letters = page.locator("#moment .large").bounding_box()
    assert letters is not None
    assert letters["height"] > 0.6 * 1080 or letters["width"] > 0.9 * 1920
    assert page.locator("#moment .spark").count() == 0
    page.clock.run_for(MOMENT_MS - 100)
    assert not page.locator("#moment").is_hidden()
    page.clock.run_for(200)
    assert page.locator("#moment .large").inner_text() == "RACK!"
    assert page.locator("#moment .spark").count() > 10  # the best of a game explodes,
    assert not page.locator("#moment .spark").first.is_visible()  # but not for those who want no motion
    page.emulate_media(reduced_motion="no-preference")
    assert page.locator("#moment .spark").first.is_visible()
    page.clock.run_for(MOMENT_MS)
    assert page.locator("#moment").is_hidden()
    page.close()


@pytest.mark.parametrize("size", [(1920, 1080), (820, 1180), (360, 740)])
def test_moments_with_long_names_and_many_dice_fit(
    browser: Browser, table: PretendTable, served: Served, size: tuple[int, int]
) -> None:
    told = list(states("liars_dice"))
    many = max(
        range(1, len(told)), key=lambda n: len(told[n]["throws"][0]["dice"]) if told[n]["throws"] else 0
    )
    before = told[many] | {"revision": 90, "throws": [], "moments": {"number": -1, "told": []}}
    large = {
        "number": -2,
        "told": [{"text": "+1,044", "caption": "Wilhelmine takes it", "place": 2, "colour": 2}],
    }
    shown = (told[many], told[many] | {"moments": large}, told[many] | {"throws": [], "moments": large})
    table.state = json.dumps(before).encode()
    served.start()
    page = opened(browser, served, size)
    for number, state in enumerate(shown):
        table.tell(json.dumps(before | {"revision": 100 + 2 * number}).encode())
        page.wait_for_selector(f"body[data-revision='{100 + 2 * number}']")
        page.clock.run_for(5 * MOMENT_MS)
        table.tell(json.dumps(state | {"revision": 101 + 2 * number}).encode())
        page.wait_for_selector(f"body[data-revision='{101 + 2 * number}']")
        page.clock.run_for(300)
        page.wait_for_selector("#moment .what")
        page.screenshot(path=SCREENSHOTS / f"moment-{number}-{size[0]}.png")
        assert page.evaluate(OFF_THE_SCREEN) == []
    page.close()


def test_dice_land_where_they_lie_until_somebody_presses_ok(
    browser: Browser, table: PretendTable, served: Served
) -> None:
    told = list(states("six_shooter"))
    at = next(n for n, state in enumerate(told) if n and state["throws"] != told[n - 1]["throws"])
    throw = told[at]["throws"][0] | {"picture": True}
    boxes = [[0.1, 0.2, 0.05, 0.09], [0.6, 0.7, 0.05, 0.09]]
    asked = (messages.MARKS, throw["number"])
    table.bodies[asked] = json.dumps({"boxes": boxes, "motion": None}).encode()
    table.state = json.dumps(told[at - 1]).encode()
    served.start()
    page = opened(browser, served, SIZES[0])
    page.wait_for_selector(f"body[data-revision='{told[at - 1]['revision']}']")
    table.tell(json.dumps(told[at] | {"throws": [throw]}).encode())
    page.wait_for_selector("#moment .spot")
    assert page.locator("#moment .who").inner_text() == throw["seat"]
    assert page.locator("#moment .spot .die").count() == len(throw["dice"])
    page.screenshot(path=SCREENSHOTS / "moment-throw.png")
    felt = page.locator("#moment .felt").bounding_box()
    assert felt is not None
    for box, spot in zip(boxes, page.locator("#moment .spot").all(), strict=True):
        found = spot.bounding_box()
        assert found is not None
        middle = (found["x"] + found["width"] / 2 - felt["x"]) / felt["width"]
        assert middle == pytest.approx(box[0] + box[2] / 2, abs=0.01)
    pressed = told[at] | {"throws": [throw], "revision": 998, "oks": told[at]["oks"] + 1}
    assert page.locator("#moment").is_visible()
    table.tell(json.dumps(pressed).encode())
    page.wait_for_selector("body[data-revision='998']")
    page.wait_for_selector("#moment", state="hidden")
    page.close()


def test_a_decision_ends_a_moment(browser: Browser, table: PretendTable, served: Served) -> None:
    told = list(states("six_shooter"))
    at = next(n for n, state in enumerate(told) if n and state["throws"] != told[n - 1]["throws"])
    table.state = json.dumps(told[at - 1]).encode()
    served.start()
    page = opened(browser, served, SIZES[0])
    page.wait_for_selector(f"body[data-revision='{told[at - 1]['revision']}']")
    table.tell(json.dumps(told[at]).encode())
    page.wait_for_selector("#moment .spot")
    decided = told[at] | {"revision": 999, "moments": {"number": 999, "told": []}}
    table.tell(json.dumps(decided).encode())
    page.wait_for_selector("body[data-revision='999']")
    page.wait_for_selector("#moment", state="hidden")
    page.close()
