"""Phones in a real browser: a game without buttons, and what a guest may not do."""

from __future__ import annotations

import json
import os
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest
from playwright.sync_api import Error

from common import texts
from dicetable.config.file import load
from dicetable.service.publisher import snapshot
from dicetable.service.sockets import settings_of
from dicetable.table.acceptance import Acceptance
from dicetable.table.confirm_throw import ConfirmReading, Vouch
from games.registry import GAMES
from gateway.languages import translations
from gateway.odds import odds_in
from gateway.settings import NO_SIGNALS
from hardware.ports import Colour
from hardware.simulated.faults import parse
from hardware.web_panel import ALL
from tests.dicetable.service.evenings import Evening
from tests.extent import usually
from tests.gateway.bar import (
    PHONE,
    SHORT,
    TELEVISION,
    Bar,
    choose_one,
    chosen,
    decide,
    keep,
)
from tests.gateway.pages import SCREENSHOTS, barriers
from tests.gateway.serving import PretendTable, Served, Stream
from tests.gateway.states import IDLE
from vision.reading import Arrival, Doubt, Flight, Reading, Reason, Settled, Unsettled

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

    from dicetable.eye.messages import EyeMessage


pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cheap_throws")]

NAMES = {*("seat", "leader", "loser", "winners", "name", "names"), *("first", "others", "host", "active")}


BROKEN_NAMES = """() => {
    document.documentElement.style.fontSize = "200%";
    const names = [...document.querySelectorAll(".seat .who, #seats .name")];
    const broken = names.filter((each) => each.getBoundingClientRect().right > innerWidth
        || each.scrollWidth > each.clientWidth + 1);
    document.documentElement.style.fontSize = "";
    return broken.map((each) => each.textContent);
}"""
"""Names that are cut off once a guest has doubled the text's size."""


def sit_down(bar: Bar) -> list[Page]:
    phones = [bar.phone() for _ in range(3)]
    for seat, phone in enumerate(phones, 1):
        bar.claim(phone, seat)
    return phones


def set_up(bar: Bar, phones: list[Page], game: str) -> None:
    """A short game of all phones, by taps alone: the first phone is the host's."""
    bar.tap(phones[0], "Start a game")
    bar.tap(phones[0], GAMES[game].title)
    for phone in phones[1:]:
        bar.tap(phone, "I'm in")
    bar.tap(phones[0], "Everyone's in")
    if game in SHORT:
        bar.tap(phones[0], SHORT[game])
        choose_one(bar, phones[0], SHORT[game])
    bar.tap(phones[0], "START")


def test_a_camera_takes_a_seat_by_its_qr_code_and_the_player_gives_a_name(bar: Bar) -> None:
    row = bar.television.locator("#codes li[data-seat=next]")
    bar.until(row.is_visible)
    bar.until(lambda: row.locator("img").evaluate("each => each.complete && each.naturalWidth > 0"))
    keep(bar.television, "television-sit")
    box = row.locator("img").bounding_box()
    assert box is not None
    assert box["height"] >= 0.25 * TELEVISION["height"]
    photo = cv2.imdecode(np.frombuffer(bar.television.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    assert photo is not None
    left, top, width = round(box["x"]), round(box["y"]), round(box["width"])
    address, _, _ = cv2.QRCodeDetectorAruco().detectAndDecode(photo[top : top + width, left : left + width])
    found = urlsplit(address)
    assert found.port == bar.served.port
    phone = bar.page(f"{found.path}#{found.fragment}", PHONE)
    bar.until(lambda: phone.locator("#who").is_visible())
    assert phone.url.endswith("/phone")
    keep(phone, "phone-name")
    phone.fill("#name", "Ann")
    phone.click("#name-form button")
    bar.until(lambda: phone.locator(".seat .who").inner_text() == "Ann")
    bar.until(phone.locator("#who").is_hidden)
    bar.tap(phone, "Start a game")
    bar.tap(phone, "Liar's Dice")
    assert phone.locator(".text").inner_text().split("\n")[-1] == "Ann"
    other = bar.phone()
    bar.claim(other, 3)
    other.fill("#name", "Ann")
    other.click("#name-form button")
    refused = "document.getElementById('name').validationMessage"
    bar.until(lambda: other.evaluate(refused) == "Another player has that name.")
    other.fill("#name", "Wilhelmine-Marguerite"[:10])
    other.click("#name-form button")
    bar.tap(other, "I'm in")
    keep(bar.television, "television-set-up")
    assert {name for _, name in bar.evening.table.base.draft.names.items()} == {"Ann", "Wilhelmine"}  # type: ignore[attr-defined]


def test_a_player_s_colour_is_the_same_everywhere(bar: Bar) -> None:
    phone, other = bar.phone(), bar.phone()
    bar.claim(phone, 1)
    bar.claim(other, 2)
    bar.until(lambda: phone.locator("#colours button").count() == 8)
    assert phone.locator("#colours [aria-pressed=true]").get_attribute("aria-label") == "red"
    phone.screenshot(path=SCREENSHOTS / "phone-colours.png")
    assert barriers(phone) == []
    phone.click("#colours [aria-label=violet]")
    bar.until(lambda: phone.locator("#colours [aria-pressed=true]").get_attribute("aria-label") == "violet")
    bar.until(lambda: other.locator("#colours [aria-label=violet]").is_disabled())
    bar.tap(phone, "Start a game")
    bar.tap(phone, "Six Shooter")
    bar.tap(other, "I'm in")
    bar.until(lambda: bar.television.locator("#in li").count() == 2)
    violet, blue = "rgb(211, 179, 255)", "rgb(143, 193, 255)"
    shown = "[...document.querySelectorAll('#in li')].map((each) => getComputedStyle(each).backgroundColor)"
    assert bar.television.evaluate(shown) == [violet, blue]
    assert phone.evaluate("getComputedStyle(document.querySelector('.seat .who')).color") == violet
    assert bar.evening.table.view.lamps["seat1"].colour is Colour.VIOLET
    phone.locator(".seat .who").click()
    phone.click("#colours [aria-label=red]")
    bar.until(lambda: phone.locator("#colours [aria-pressed=true]").get_attribute("aria-label") == "red")


@pytest.mark.parametrize(  # *Just roll* offers phones no choice
    "game", usually({"liars_dice", "money_shot", "yacht"}, sorted(GAMES.keys() - {"rolls"}))
)
def test_three_phones_play_a_whole_game(bar: Bar, game: str) -> None:
    """By taps alone, and with at most two of them for a decision."""
    phones = sit_down(bar)
    keep(phones[0], "phone-seat")
    set_up(bar, phones, game)
    evening = bar.evening
    assert evening.table.state.match is not None
    assert evening.table.state.match.game == game
    kept = set()
    while not evening.over:
        asked = evening.table.state.to_act
        if evening.table.state.awaited is not None or asked is None:
            count = evening.service.parts.ledger.count
            bar.until(lambda: evening.service.parts.ledger.count > count)  # noqa: B023 - it is called at once
            continue
        seat = evening.table.state.panel_seats[asked]
        phone, *others = phones[seat - 1 :] + phones[: seat - 1]
        bar.until(lambda: all(map(bar.asks, phones)))
        first = phone.locator(".choices .choice:enabled:not(.call .faces .choice)").first
        bar.until(first.is_visible)
        label = first.inner_text() or first.get_attribute("aria-label") or ""
        if label.split()[0] not in kept:
            kept.add(label.split()[0])
            name = f"phone-{game}-{label.split()[0].lower()}"
            keep(phone, name)
            keep(others[0], f"{name}-waiting")
            phone.set_viewport_size({"width": 360, "height": 740})
            keep(phone, f"{name}-narrow")
            assert phone.evaluate(BROKEN_NAMES) == []
            phone.set_viewport_size(PHONE)  # type: ignore[arg-type]
        for other in others:
            assert bar.buttons(other) == ["Menu"]
        decide(bar, phone)
    bar.until(lambda: phones[1].locator("#seats li.winner").count() > 0)
    keep(phones[1], f"phone-{game}-over")
    winner = evening.table.winners or ()
    assert all(name in phones[1].locator("#live").inner_text() for name in winner)


def switch(bar: Bar, phone: Page, language: str) -> None:
    """The player chooses a language; the page comes again in it, with its seats."""
    with phone.expect_navigation():
        phone.select_option("#language", language)
    assert phone.evaluate("document.documentElement.lang") == language
    bar.until(lambda: phone.locator("#seat").is_visible() and bar.asks(phone))


def test_each_phone_speaks_the_language_of_its_player(bar: Bar) -> None:
    """The table is English; one phone switches to German and on to Spanish, and keeps its seat."""
    phone, other = bar.phone(), bar.phone()
    bar.claim(phone, 1)
    bar.until(phone.locator("#who").is_visible)
    switch(bar, phone, "de")
    bar.until(phone.locator("#who").is_visible)
    assert phone.locator("#who h2").inner_text() == "Wie heißt du?"
    phone.fill("#name", "Menu")
    phone.click("#name-form button")
    bar.until(lambda: phone.locator(".seat .who").inner_text() == "Menu")
    bar.claim(other, 2)
    bar.tap(phone, "Ein Spiel beginnen")
    bar.tap(phone, "Six Shooter")
    bar.until(lambda: "2 bis 8 Spieler" in phone.locator(".text").inner_text())
    bar.tap(other, "I'm in")
    bar.tap(phone, "Alle sind da")
    assert "Wer beginnt: durch Zufall" in bar.buttons(phone)
    bar.tap(phone, "START")
    assert {label for _, label, _ in chosen} == {
        *("Start a game", "Six Shooter", "I'm in", "Everyone's in", "START"),
    }
    evening = bar.evening
    bar.until(lambda: evening.table.state.match and evening.table.state.awaited is None)
    bar.until(lambda: bar.asks(phone))
    keep(phone, "phone-german")
    phone.set_viewport_size({"width": 360, "height": 740})
    keep(phone, "phone-german-narrow")
    phone.screenshot(path=SCREENSHOTS / "phone-german-narrow-top.png")
    phone.set_viewport_size(PHONE)  # type: ignore[arg-type]
    phone.screenshot(path=SCREENSHOTS / "phone-german-top.png")
    assert re.fullmatch(r"Bei \d+ bleiben, Würfel kaufen, Menü", ", ".join(bar.buttons(phone)))
    assert bar.buttons(other) == ["Menu"]
    assert phone.locator(".turn").inner_text() == "Du bist dran"
    assert "Menu" in phone.locator("#seats").inner_text()
    assert re.search(r"\d im Pott", phone.locator("#facts").inner_text())
    assert set(phone.locator("#seats .name").all_inner_texts()) == {"Menu", "Platz 2"}
    assert not any("Seat" in each for each in phone.locator("#whose option").all_inner_texts())
    switch(bar, phone, "es")
    bar.tap(phone, "Plantarse en")
    assert chosen[-1][1].startswith("Stick on")
    bar.until(lambda: re.search(r"Turno: Puesto 2", phone.locator("main").inner_text()))
    assert evening.claims.holders.keys() == {1, 2}


@pytest.mark.parametrize(("locale", "language"), [("de-CH", "de"), ("es-MX", "es")])
def test_a_phone_says_every_sentence_of_the_table_in_its_own_language(
    bar: Bar, locale: str, language: str
) -> None:
    phone = bar.page("/phone", PHONE, locale)
    assert phone.evaluate("document.documentElement.lang") == language

    def sample(text: str) -> str:
        fields = {"ending": "rd"} | dict.fromkeys(NAMES, "Ann")
        return re.sub(r"\{(\w+)\}", lambda field: fields.get(field[1], "3"), text)

    pairs = [(sample(text), sample(known)) for text, known in translations(language).items()]
    ambiguous = {"Ann has 3"}  # what was thrown, or the score
    pairs = [pair for pair in pairs if pair[0] not in ambiguous]
    said = "async (all) => { const {say} = await import('/static/language.js'); return all.map(say); }"
    phone.evaluate("async () => (await import('/static/language.js')).keepNames(['Ann', 'Bob'])")
    found = phone.evaluate(said, [text for text, _ in pairs])
    assert [pair for pair, shown in zip(pairs, found, strict=True) if shown != pair[1]] == []
    whole = [
        *("Ann and Bob win", "Ann bids 3 sixes", "Ann: RACK! 12 points", "Who goes first: by chance"),
        *("Six Shooter: 2 to 8 players", "Void: The d20 is cocked. Take all 3 dice out, throw again."),
        *(
            "Which value? d20, 2nd from left: 17? OK: one die rolled",
            "I can't read one die (d20:4?): throw again.",
        ),
    ]
    assert not set(phone.evaluate(said, whole)) & set(whole)
    strange = ["", "Ann", "Zed wins the pot and all", "<b>Void</b>", "Ann: hello there", "1 2 3"]
    assert phone.evaluate(said, strange) == strange


def test_screens_show_what_the_table_asks_with_the_dice_and_their_picture(
    bar: Bar, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A vouch, a confirmed value, hands off, a correction: on the asked phone and the television."""
    evening, television = bar.evening, bar.television
    doubtful: list[bool] = []

    def rolled_unseen(message: EyeMessage) -> EyeMessage:
        if not isinstance(message, Settled):
            return message
        reading = last_doubted(message.reading) if doubtful else message.reading
        flight = Flight((Arrival.UNSEEN,) * len(reading.dice), fps=30.0)
        return replace(message, reading=reading, flight=flight)

    def last_doubted(reading: Reading) -> Reading:
        *dice, last = reading.dice
        return Reading((*dice, replace(last, confidence=0.6, doubt=Doubt.LOW_CONFIDENCE)))

    see = evening.eye.messages
    monkeypatch.setattr(evening.eye, "messages", lambda: list(map(rolled_unseen, see())))
    evening.table.acceptance = Acceptance(strict=True)
    phones = sit_down(bar)
    set_up(bar, phones, "six_by_6")
    bar.until(lambda: isinstance(evening.table.screen, Vouch))
    asked = evening.table.screen
    assert isinstance(asked, Vouch)
    other = phones[asked.answering[0] - 1]
    bar.until(lambda: television.locator("#todo").inner_text() == asked.question)
    assert "may answer" in television.locator("#answer").inner_text()
    assert television.locator("#dice .die").count() == 6
    bar.until(lambda: television.locator("#seen").is_visible())
    bar.until(lambda: other.locator(".about .frame").count() == 6)
    keep(television, "television-vouch")
    keep(other, "phone-vouch")
    thrower = phones[asked.thrower - 1]
    keep(thrower, "phone-vouch-thrower")
    for phone in (other, thrower):
        assert phone.locator("main").inner_text().count(asked.question) == 1
    assert thrower.locator(".turn").inner_text() == ""
    bar.tap(other, "No, throw again")
    assert "refused" in evening.table.sentence
    bar.until(lambda: "refused" in television.locator("#wrong").inner_text())
    keep(television, "television-refused")
    assert television.locator("#answer").is_hidden()
    doubtful.append(True)
    bar.until(lambda: isinstance(evening.table.screen, ConfirmReading))
    confirm = evening.table.screen
    assert isinstance(confirm, ConfirmReading)
    bar.until(lambda: television.locator("#todo").inner_text() == confirm.question)
    bar.until(lambda: (television.locator("#marks").text_content() or "").count("?") == 1)
    keep(television, "television-confirm")
    keep(other, "phone-confirm")
    evening.table.eye(Unsettled(Reason.HAND, evening.clock.now_s()))
    bar.until(lambda: television.locator("#answer").inner_text() == texts.throws.HANDS_OFF)
    keep(television, "television-hands-off")
    doubtful.clear()
    evening.eye.said = None
    bar.until(lambda: "Throw again" in bar.buttons(other))
    bar.until(lambda: "a hand came over the dice" in television.locator("#todo").inner_text())
    keep(television, "television-hand-over-dice")
    bar.tap(other, "Throw again")
    bar.until(lambda: isinstance(evening.table.screen, Vouch) and evening.table.screen.lies_still)
    bar.tap(other, "Yes, it was fair")
    bar.until(lambda: evening.table.state.last_throw() is not None)
    bar.tap(phones[1], "Menu")
    bar.tap(phones[1], "Pause")
    bar.until(lambda: television.locator("#paused").inner_text() == "Seat 2 paused the game.")
    bar.until(lambda: phones[0].locator("main").inner_text().count("Seat 2 paused the game.") == 1)
    keep(television, "television-paused")
    keep(phones[0], "phone-paused")
    bar.tap(phones[0], "Play on")
    bar.until(television.locator("#paused").is_hidden)
    bar.tap(phones[0], "Menu")
    bar.tap(phones[0], "Correct last throw")
    last = evening.table.state.last_throw()
    assert last is not None
    for _, value in last[1][:-1]:
        bar.tap(phones[0], f"{value}$")
    old = last[1][-1][1]
    bar.tap(phones[0], f"{old % 6 + 1}$")
    bar.until(lambda: f"{old} is really {old % 6 + 1}" in television.locator("#todo").inner_text())
    bar.until(lambda: television.locator("#seen").is_visible())
    bar.until(lambda: phones[1].locator(".about .frame").count() == 1)
    bar.until(television.locator("#moment").is_hidden)
    keep(television, "television-correction")
    keep(phones[1], "phone-correction")


def test_a_tablet_is_every_seat(bar: Bar) -> None:
    tablet = bar.page("/phone", {"width": 1024, "height": 768})
    bar.until(lambda: tablet.locator("#claim").is_visible())
    bar.claim(tablet, ALL)
    assert tablet.locator(".seat").count() == 3
    bar.until(bar.television.locator("#sit").is_hidden)
    assert bar.television.locator(".press").inner_text() == "Start a game on your phone."
    for seat, label in ((2, "Start a game"), (2, "Six Shooter"), (1, "I'm in"), (3, "I'm in")):
        bar.tap(tablet, label, seat)
        assert chosen[-1][:2] == (seat, label)
    keep(tablet, "tablet")


def test_a_lost_phone_is_replaced_and_a_guest_never_presses(bar: Bar) -> None:
    owner = bar.phone()
    bar.claim(owner, 1)
    guest = bar.phone()
    keep(guest, "phone-guest")
    assert guest.locator("#seat").is_hidden()
    assert bar.buttons(guest) == []
    refused = guest.evaluate(
        """async () => Promise.all([1, 2, 3].map(async (seat) => {
            const body = JSON.stringify({seat, label: "Start a game", question: 0, at: performance.now()});
            const headers = {"content-type": "application/json"};
            return (await fetch("/phone/choose", {method: "POST", headers, body})).status;
        }))"""
    )
    assert set(refused) <= {403, 409}
    owner.context.set_offline(True)
    claims = bar.evening.claims
    # A busy gateway speaks for the phone for up to a minute.
    bar.until(lambda: claims.away(1, bar.evening.clock.now_s()))
    heard_s = claims.heard_s[claims.holders[1]]
    assert 60.0 <= bar.evening.clock.now_s() - heard_s < 61.0
    bar.claim(guest, 1)
    bar.tap(guest, "Start a game")
    owner.context.set_offline(False)
    bar.until(lambda: owner.locator("#claim").is_visible())
    assert len(chosen) == 1


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
    scanning = bar.page("/phone#AAAAAAAAAAAAAAAAAAAAAA", PHONE)
    said = scanning.locator("#said")
    bar.until(lambda: "no longer valid" in said.inner_text())
    bar.until(scanning.locator("#claim").is_visible)
    refusal_box, claim_box = said.bounding_box(), scanning.locator("#claim").bounding_box()
    assert refusal_box is not None
    assert claim_box is not None
    assert refusal_box["y"] + refusal_box["height"] < claim_box["y"]
    keep(scanning, "phone-refused-scan")
    bar.claim(phone, 2)
    stale = """async (age) => {
        const told = await new Promise((done) => {
            const source = new EventSource("/phone/events");
            source.addEventListener("panel", (event) => { source.close(); done(JSON.parse(event.data)); });
        });
        const question = told.panel.question - (age ? 0 : 1);
        const body = {seat: 2, label: "Start a game", question, at: told.clock - age};
        const answer = fetch("/phone/choose", {method: "POST", headers: {"content-type": "application/json"},
            body: JSON.stringify(body)});
        window.answered = null;
        answer.then((each) => each.json()).then((each) => { window.answered = each.error; });
    }"""

    def refusal(age: int) -> str:
        phone.evaluate(stale, age)
        bar.until(lambda: phone.evaluate("window.answered"))
        return str(phone.evaluate("window.answered"))

    assert "took too long" in refusal(5000)
    bar.until(lambda: "has moved on" in refusal(0))  # a busy machine may hold a press up for too long
    assert not chosen


def test_while_a_fault_holds_the_game_no_phone_asks_for_a_throw(bar: Bar) -> None:
    phones = sit_down(bar)
    set_up(bar, phones, "six_shooter")
    bar.evening.simulation.world.inject(parse("unplugged:600"))
    for phone in phones:
        bar.until(lambda: phone.locator(".seat .text").inner_text() == "The game waits.")  # noqa: B023
        assert "camera" in phone.locator("#wrong").inner_text()
        keep(phone, "phone-held")


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
    said = phone.locator("#said")
    bar.claim(phone, 1)
    phone.route("**/phone/choose", lambda route: route.abort())  # as where the Wi-Fi is poor
    bar.until(phone.locator(".choices button").is_visible)
    phone.click(".choices button")
    bar.until(lambda: "isn't answering" in said.inner_text())
    bar.until(lambda: said.inner_text() == "")
    phone.unroute("**/phone/choose")
    bar.served.kill()
    bar.until(lambda: "panel" in bar.evening.table.degraded)
    phone.click(".choices button")
    bar.until(lambda: "isn't answering" in said.inner_text())
    bar.served.start()
    bar.until(lambda: phone.evaluate("document.body.dataset.link") == "live")
    bar.until(lambda: phone.locator("#seat").is_visible())
    bar.until(lambda: "panel" not in bar.evening.table.degraded)
    bar.until(lambda: bar.asks(phone))
    assert "isn't answering" not in phone.locator("body").inner_text()
    bar.tap(phone, "Start a game")


ANOTHER_CLOCK = """
    const now = performance.now.bind(performance);
    window.ahead = 0;
    performance.now = () => now() + window.ahead;
"""


def test_a_page_left_open_follows_the_clock_of_a_machine_that_started_anew(bar: Bar) -> None:
    phone = bar.page("/phone", PHONE, script=ANOTHER_CLOCK)
    bar.until(lambda: phone.locator("#claim").is_visible())
    bar.claim(phone, 1)
    bar.served.kill()
    bar.until(lambda: phone.evaluate("document.body.dataset.link") == "stale")
    phone.evaluate("window.ahead = 3_600_000")  # to the phone, the gateway's clock starts an hour earlier
    bar.served.start()
    bar.until(lambda: phone.evaluate("document.body.dataset.link") == "live")
    bar.until(lambda: "panel" not in bar.evening.table.degraded)
    bar.tap(phone, "Start a game")


def test_a_phone_whose_clock_runs_away_is_heard_at_the_first_tap(bar: Bar) -> None:
    phone = bar.page("/phone", PHONE, script=ANOTHER_CLOCK)
    bar.until(lambda: phone.locator("#claim").is_visible())
    bar.claim(phone, 1)
    for ahead in (5_000, -5_000):
        phone.evaluate(f"window.ahead += {ahead}")
        bar.tap(phone, "Menu")
        bar.tap(phone, "Back")


COUNTED_LOCKS = """
    window.locks = 0;
    const lock = Object.assign(new EventTarget(), { release: async () => { window.locks -= 1; } });
    const request = async () => { window.locks += 1; return lock; };
    Object.defineProperty(navigator, "wakeLock", { value: { request } });
"""


def test_displays_and_phones_with_a_seat_keep_their_screens_on(bar: Bar) -> None:
    television = bar.page("/", TELEVISION, script=COUNTED_LOCKS)
    bar.until(lambda: television.evaluate("window.locks") == 1)
    phone = bar.page("/phone", PHONE, script=COUNTED_LOCKS)
    bar.until(lambda: phone.locator("#claim").is_visible())
    assert phone.evaluate("window.locks") == 0
    bar.claim(phone, 1)
    bar.until(lambda: phone.evaluate("window.locks") == 1)


def test_codes_are_for_paired_displays_alone(bar: Bar) -> None:
    served = bar.served
    bar.until(lambda: bar.television.locator("#codes li").count() == 2)
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
    bar.until(lambda: bar.television.locator("#codes li").count() == 2)
    bar.until(lambda: phone.evaluate("document.body.dataset.link") == "live")
    assert bar.streams == {bar.television: ["/display"], phone: ["/phone/events"]}


def test_a_foreign_or_malformed_post_is_refused(bar: Bar) -> None:
    own = f"http://127.0.0.1:{bar.served.port}"
    json_kind, ask = "application/json", bar.pages[0].context.request
    for path in ("claim", "here", "leave", "choose", "name", "colour"):
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
    assert not chosen


def test_a_part_of_a_page_that_the_gateway_could_not_give_comes_later(bar: Bar) -> None:
    page, asked = bar.pages[0].context.new_page(), []

    def first_refused(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            route.abort()
        else:
            route.continue_()

    page.route("**/static/clip.js", first_refused)
    page.goto(f"http://127.0.0.1:{bar.served.port}/")
    offered = """async () => {
        const { part } = await import("/static/stream.js");
        return typeof (await part(() => import("/static/clip.js"))).offerClip;
    }"""
    assert page.evaluate(offered) == "function"
    assert len(asked) == 2
    page.route(
        "**/static/faulty.js", lambda route: route.fulfill(body="null.x", content_type="text/javascript")
    )
    faulty = offered.replace("clip.js", "faulty.js")
    with pytest.raises(Error, match="null"):  # no fault of a part itself is passed over
        page.evaluate(faulty)
    page.close()


def test_no_odds_without_a_game() -> None:
    assert odds_in(None) == []


CONFIG = """
[camera]
driver = "simulated"

[panel]
driver = "simulated"

[web]
odds = {odds}
"""


SHOWN_WHOLE = """line => {
    const at = document.getElementById("chance"), shown = at.textContent;
    return line ? shown && line.startsWith(shown) && at.scrollWidth <= at.clientWidth : !shown;
}"""


def test_no_odds_where_the_config_switches_them_off(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    with closing(Evening(tmp_path / "table", "liars_dice", screens=False)) as evening:
        while not (known := odds_in(json.dumps(snapshot(evening.table, [])).encode())):
            evening.turn()
        state = snapshot(evening.table, []) | {"revision": 1}
    table = PretendTable(tmp_path / "table.sock")
    table.state = json.dumps(state).encode()
    file = tmp_path / "table.toml"
    for on in (True, False):
        file.write_text(CONFIG.format(odds=str(on).lower()))
        odds = settings_of(load(file).web, os.environ, file, NO_SIGNALS).odds
        with Served(table.path, odds=odds) as served:
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
            line = " · ".join(f"{each['what']}: {each['chance']}" for each in known[:3]) if on else ""
            assert page.locator("#chance").inner_text() == line
            page.set_viewport_size({"width": 1920, "height": 720})
            with page.expect_response("**/api/odds"):
                page.goto(f"http://127.0.0.1:{served.port}/")
            page.wait_for_function(SHOWN_WHOLE, arg=line)
            page.set_viewport_size({"width": 1000, "height": 720})  # as tall as before, with less room
            page.wait_for_function(SHOWN_WHOLE, arg=line)
            page.close()
    table.close()


CHOICES = """async (choices) => {
    const { choiceElements } = await import("/static/choices.js");
    const seat = document.getElementById("seat");
    const box = Object.assign(document.createElement("div"), { className: "choices" });
    box.append(...choices.flatMap((each) => choiceElements(each, {}, () => {})));
    const section = Object.assign(document.createElement("section"), { className: "seat seat1" });
    section.append(box);
    seat.replaceChildren(section);
    seat.hidden = false;
    return [...box.querySelectorAll("button")].map((each) => {
        const { x, y, width, height } = each.getBoundingClientRect();
        return [each.textContent, x, y, width, height];
    });
}"""
"""The buttons of choices as a seat's card shows them, and their boxes."""
CHOICE: dict[str, Any] = dict.fromkeys(("faces", "dice", "digits", "small", "gives_up"), False) | {"note": ""}


def test_many_choices_and_six_dice_fit_a_small_phone(browser: Browser, served: Served) -> None:
    served.start()
    page = browser.new_page(viewport={"width": 360, "height": 640})
    page.goto(f"http://127.0.0.1:{served.port}/phone")
    page.wait_for_selector("body[data-revision]")
    tiles = [{**CHOICE, "label": "Shut", "numbers": [[n] for n in range(6)], "names": list("abcdef")}]
    menu = [{**CHOICE, "label": f"Choice {n}", "numbers": [], "names": []} for n in range(7)]
    for choices in (tiles, menu):
        boxes = page.evaluate(CHOICES, choices)
        assert max(y + high for _, _, y, _, high in boxes) < 640 - 160, "below a question of three lines"
        assert min(high for *_, high in boxes) >= 44
    selection = {**CHOICE, "dice": True, "label": "Keep", "numbers": [[654321]], "names": ["all"]}
    *dice, keep_button = page.evaluate(CHOICES, [selection])
    assert len({y for _, _, y, _, _ in dice}) == 1
    assert min(wide for *_, wide, _ in dice) >= 40
    assert keep_button[0].startswith("Keep")
    page.close()


def test_the_dice_of_the_stage_stand_in_even_rows_and_nothing_is_a_bare_card(
    browser: Browser, table: PretendTable, served: Served
) -> None:
    dice = [{"kind": "d6", "value": value} for value in (1, 2, 3, 4, 5, 6)]
    stage = {"number": "150", "caption": "at stake", "slots": 0, "tokens": 0, "token": "", "beside": []}
    stage |= {"tiles": [], "colour": 1}
    table.state = json.dumps(IDLE).encode()
    served.start()
    page = browser.new_page(viewport={"width": 360, "height": 640})
    page.goto(f"http://127.0.0.1:{served.port}/phone")
    page.wait_for_selector("body[data-revision='1']")
    for revision, (count, rows) in enumerate({3: 1, 5: 1, 6: 2}.items(), 2):
        state = IDLE | {"revision": revision, "phase": "play", "stage": stage | {"dice": dice[:count]}}
        table.tell(json.dumps(state).encode())
        page.wait_for_selector(f"body[data-revision='{revision}']")
        boxes = [die.bounding_box() for die in page.locator("#stage-dice .die").all()]
        assert len({round(box["y"]) for box in boxes if box is not None}) == rows
        assert min(box["width"] for box in boxes if box is not None) >= 20
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("document.getElementById('now').classList.add('seated')")
    assert page.locator("#now").is_visible()
    table.tell(json.dumps(IDLE | {"revision": 9, "phase": "play"}).encode())
    page.wait_for_selector("body[data-revision='9']")
    page.evaluate("document.getElementById('now').classList.add('seated')")
    assert page.locator("#now").is_hidden()
    page.close()
