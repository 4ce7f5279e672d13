"""Guests who try to keep the operators from logging in, with a clock of the test's own."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from gateway.operator import login
from tests.gateway.operator.doors import GUEST, HERE, OPERATOR, Door


def test_a_guest_who_asks_for_codes_without_end_keeps_no_operator_out() -> None:
    async def story() -> None:
        door, operators, guests = Door(), Counter[int](), Counter[int]()
        for number in range(160):
            for browser in range(4):
                guests[await door.code(GUEST, f"guest {browser}")] += 1
            operator = f"198.51.100.{number % 4}"
            operators[await door.code(operator, f"operator {number}")] += 1
            code = door.shown
            for browser in range(4):
                guests[await door.code(GUEST, f"guest {browser}")] += 1
            door.shown = code
            operators[await door.enter(operator, f"operator {number}")] += 1
            door.s += 20.0
        assert operators == {200: 320}
        assert guests[200] <= 160 + 3

    asyncio.run(story())


def test_a_guest_s_flood_leaves_others_their_requests() -> None:
    async def story() -> None:
        door = Door()
        guests = [await door.enter(GUEST, "guest") for _ in range(1000)]
        assert guests.count(429) == 960
        assert await door.code(OPERATOR, "operator") == await door.enter(OPERATOR, "operator") == 200

    asyncio.run(story())


def test_a_crowd_at_many_addresses_leaves_the_machine_s_own_browser_its_requests() -> None:
    async def story() -> None:
        door = Door()
        crowd = [await door.enter(f"10.0.{n // 250}.{n % 250}", "guest") for n in range(1000)]
        assert crowd.count(429) == 880
        assert await door.code(OPERATOR, "operator") == 429
        assert await door.code(HERE, "television") == await door.enter(HERE, "television") == 200

    asyncio.run(story())


def test_a_crowd_at_many_addresses_keeps_no_invited_phone_and_no_login_in_progress_out() -> None:
    async def story() -> None:
        door = Door()
        assert await door.code(OPERATOR, "operator") == 200
        code = door.shown
        secret = door.access.invite().partition("#")[2]
        for n in range(1000):
            await door.code(f"10.0.{n // 250}.{n % 250}", f"guest {n}")
            await door.enter(f"10.0.{n // 250}.{n % 250}", f"guest {n}")
        assert await door.post(door.login.log_in, "198.51.100.2", "", code=secret) == 200
        door.shown = code
        assert await door.enter(OPERATOR, "operator") == 200

    asyncio.run(story())


def test_over_the_network_a_web_panel_and_a_television_log_no_one_in() -> None:
    async def story() -> None:
        door = Door(panel=False)
        door.access.displays.pair("television")
        assert await door.code(GUEST, "guest") == 503
        assert await door.enter(GUEST, "guest") == 403
        assert await door.code(HERE, "the first set-up") == await door.enter(HERE, "the first set-up") == 200

    asyncio.run(story())


def test_a_display_s_code_pairs_it_once() -> None:
    async def story() -> None:
        access = Door().access
        code = access.pairings.new("a display", HERE)
        assert code is not None
        assert [access.pair(code.text), access.pair(code.text)] == [True, False]

    asyncio.run(story())


def test_without_a_panel_the_passphrase_is_enough_and_is_tried_five_times_a_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(login, "passphrase_matches", lambda given, _: given == "right")

    async def story() -> None:
        door = Door("hashed", panel=False)

        async def enter(passphrase: str, browser: str, code: str = "") -> int:
            return await door.post(door.login.log_in, OPERATOR, browser, code=code, passphrase=passphrase)

        assert await enter("right", "no code") == 403
        assert await door.code(OPERATOR, "operator") == 200
        assert await enter("", "operator") == 403
        assert await enter("wrong", "operator") == 403
        assert await enter("right", "operator") == 200
        assert await enter("right", "operator") == 403
        assert await door.code(OPERATOR, "guesser") == 200
        assert [await enter("wrong", "guesser") for _ in range(5)] == [403] * 5
        assert await enter("right", "guesser") == 403

    asyncio.run(story())


def test_with_a_panel_the_passphrase_alone_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "passphrase_matches", lambda given, _: given == "right")

    async def story() -> None:
        door = Door("hashed")
        assert await door.code(OPERATOR, "operator") == 200
        assert await door.post(door.login.log_in, OPERATOR, "operator", code="", passphrase="right") == 403

    asyncio.run(story())


def test_all_guesses_of_one_network_are_counted_together() -> None:
    async def story() -> None:
        door = Door()
        guesses = [await door.enter(f"2001:db8:0:1:{n:x}::{n:x}", f"guest {n}") for n in range(735)]
        assert Counter(guesses) == {403: 40, 429: 695}
        assert await door.code("2001:db8:0:2::1", "operator") == 200
        codes = [await door.code(f"2001:db8:0:3:{n:x}::1", f"guest {n}") for n in range(30)]
        assert codes.count(200) == 3

    asyncio.run(story())


def test_a_guest_without_a_code_has_no_passphrase_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each hash takes a small machine a tenth of a second, and the operator's waits behind them."""
    hashes: list[str] = []

    def matches(given: str, _: str) -> bool:
        hashes.append(given)
        return True

    monkeypatch.setattr(login, "passphrase_matches", matches)

    async def story() -> None:
        door = Door("a hash")
        for _ in range(20):
            crowd = (door.enter(GUEST, "guest") for _ in range(50))
            assert set(await asyncio.gather(*crowd)) <= {403, 429}
            door.s += 1
        assert hashes == []
        door.s += 20
        assert await door.code(GUEST, "guest") == 200
        door.shown = "wrong"
        assert 200 not in await asyncio.gather(*(door.enter(GUEST, "guest") for _ in range(50)))
        assert len(hashes) == 5
        assert await door.code(OPERATOR, "operator") == await door.enter(OPERATOR, "operator") == 200

    asyncio.run(story())
