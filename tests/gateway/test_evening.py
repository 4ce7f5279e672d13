"""An evening by taps alone: names, a vouch, a pause, a seat left and taken again, a correction, the end."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dicetable.table.acceptance import Acceptance
from dicetable.table.confirm_throw import Vouch
from games.registry import GAMES
from gateway.languages import translations
from tests.gateway.bar import PHONE, SHORT, Bar, choose_one, decide, keep
from vision.reading import Arrival, DieReading, Flight, Settled

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from dicetable.eye.messages import EyeMessage

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cheap_throws")]

NAMES = ("Ann", "Bob", "Zoë")


class Camera:
    """Says of dice that came how they came; those that lay there before lie on."""

    def __init__(self) -> None:
        self.how = Arrival.UNSEEN
        self.lying: tuple[DieReading, ...] = ()

    def add_flight(self, message: EyeMessage) -> EyeMessage:
        if not isinstance(message, Settled):
            return message
        before = {(die.kind, die.value, die.box) for die in self.lying}
        self.lying = message.reading.dice
        arrivals = tuple(
            Arrival.LAY if (die.kind, die.value, die.box) in before else self.how for die in self.lying
        )
        return replace(message, flight=Flight(arrivals, fps=30.0))


class Guests:
    """Three people with a phone each; everything they press is in their language."""

    def __init__(self, bar: Bar, language: str) -> None:
        self.bar = bar
        self.language = language
        self.words = translations(language) if language != "en" else {}
        self.phones: list[Page] = []

    def sit_down(self) -> None:
        for seat, name in enumerate(NAMES, 1):
            phone = self.bar.page("/phone", PHONE, self.language)
            self.bar.until(lambda: phone.locator("#claim").is_visible())  # noqa: B023 - it is called at once
            self.bar.claim(phone, seat)
            phone.fill("#name", name)
            phone.click("#name-form button")
            self.bar.until(phone.locator("#who").is_hidden)
            self.phones.append(phone)

    def tap(self, seat: int, *labels: str) -> None:
        for label in labels:
            self.bar.tap(self.phones[seat - 1], re.escape(self.words.get(label, label)))

    def set_up(self, game: str) -> None:
        self.tap(1, "Start a game", GAMES[game].title)
        self.tap(2, "I'm in")
        self.tap(3, "I'm in")
        self.tap(1, "Everyone's in")
        if game in SHORT:
            self.tap(1, SHORT[game])
            choose_one(self.bar, self.phones[0], self.words.get(SHORT[game], SHORT[game]))
        self.tap(1, "START")

    def look(self, name: str) -> None:
        keep(self.bar.television, f"evening-{self.language}-{name}-television")
        for seat, phone in enumerate(self.phones, 1):
            keep(phone, f"evening-{self.language}-{name}-{seat}")

    def vouch(self, asked: Vouch) -> None:
        self.bar.until(lambda: asked.lies_still)
        self.look("vouch")
        self.tap(asked.answering[0], "Yes, it was fair")

    def pause_leave_and_come_back(self) -> None:
        self.tap(2, "Menu", "Pause")
        self.bar.until(lambda: NAMES[1] in self.bar.television.locator("#paused").inner_text())
        self.look("paused")
        assert (
            self.phones[0].locator(".turn").inner_text() + self.phones[1].locator(".turn").inner_text() == ""
        )
        self.tap(3, "Play on")
        leaving = self.phones[1]
        leaving.click("#leave")
        leaving.click("#leave")
        self.bar.until(lambda: leaving.locator("#claim").is_visible())
        self.bar.claim(leaving, 2)
        self.bar.until(lambda: leaving.locator("#seat").is_visible())
        if leaving.locator("#who").is_visible():
            leaving.click("#name-form button")

    def correct(self, faces: list[int]) -> None:
        """Ann turns the last die of her throw by one; Bob agrees."""
        self.tap(1, "Menu", "Correct last throw")
        for face in (*faces[:-1], faces[-1] % 4 + 1):
            self.bar.tap(self.phones[0], f"{face}$")
        self.bar.until(lambda: self.phones[1].locator(".about .frame").count() >= 1)
        self.look("correction")
        self.bar.tap(self.phones[1], f"{re.escape(self.words.get('Yes', 'Yes'))}$")

    def choose(self) -> None:
        """The seat that is asked decides; if none is, something else happens first."""
        table, ledger = self.bar.evening.table, self.bar.evening.service.parts.ledger
        asked = table.state.to_act
        if table.state.awaited is not None or asked is None:
            count = ledger.count
            self.bar.until(lambda: ledger.count > count or isinstance(table.screen, Vouch))
            return
        phone = self.phones[table.state.panel_seats[asked] - 1]
        self.bar.until(lambda: self.bar.asks(phone))
        self.bar.until(phone.locator(".choices .choice:enabled").first.is_visible)
        decide(self.bar, phone)


@pytest.mark.parametrize(("language", "game"), [("en", "six_by_6"), ("de", "six_shooter")])
def test_an_evening_goes_by_taps_alone(
    bar: Bar, monkeypatch: pytest.MonkeyPatch, language: str, game: str
) -> None:
    evening, camera, guests = bar.evening, Camera(), Guests(bar, language)
    see = evening.eye.messages
    monkeypatch.setattr(evening.eye, "messages", lambda: list(map(camera.add_flight, see())))
    evening.table.acceptance = Acceptance(strict=True)
    guests.sit_down()
    guests.set_up(game)
    while not isinstance(evening.table.screen, Vouch):
        guests.choose()
    guests.vouch(evening.table.screen)
    camera.how = Arrival.THROWN
    bar.until(lambda: evening.table.state.last_throw() is not None)
    guests.pause_leave_and_come_back()
    last = evening.table.state.last_throw()
    assert last is not None
    guests.correct([face for _, face in last[1]])
    while not evening.over:
        guests.choose()
    bar.until(lambda: guests.phones[1].locator("#seats li.winner").count() > 0)
    guests.look("over")
    guests.tap(2, "Rematch")
    bar.until(lambda: bar.television.locator("#rematch li").all_inner_texts() == ["Bob"])
    guests.tap(3, "Rematch")
    bar.until(lambda: guests.phones[0].locator("#rematch .waits").all_inner_texts() == ["Ann"])
    guests.look("rematch")
    guests.tap(1, "Rematch")
    bar.until(lambda: not evening.over)
    assert evening.table.state.match is not None
    assert (evening.table.state.match.game, evening.table.state.match.seats) == (game, NAMES)
    assert {seat.name for seat in evening.table.state.roster.values()} == set(NAMES)
