"""Seats on phones under pressure, with a table and a clock of the test's own."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import TYPE_CHECKING, Any, cast

import pytest
from starlette.requests import Request

from common.messages import Answer
from common.network import RateLimit
from dicetable.service.phones import Phones
from gateway import seats
from gateway.link import BusyError
from gateway.requests import RequestRefusedError
from gateway.seats import Seats
from hardware.web_panel import ClaimError, SeatClaims
from tests.gateway.serving import HANGING_S

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from gateway.link import TableLink
    from hardware.web_panel import WebPanel

TOKEN = "a-token-of-the-table-itself"
GREEDY = "another-token-of-the-table"


class PretendLink:
    """The table's answers: the holder of TOKEN has seat 1; others have none."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.answers: dict[str, Answer | None] = {}
        self.answering = asyncio.Event()
        self.answering.set()
        self.payloads: dict[str, Any] = {}

    async def ask(self, kind: str, payload: dict[str, Any], _: float = 0.0) -> Answer:
        self.asked.append((kind, payload["token"]))
        await self.answering.wait()
        if kind in self.answers:
            answer = self.answers[kind]
            if answer is None:
                raise BusyError
            return answer
        own = payload["token"] == TOKEN
        return Answer(own, "" if own else "No seat.", {"seats": [1]} if own else {})

    def wake(self, *, events: bool) -> None:
        """Nobody listens."""


class Desk:
    """Seats, and phones that ask."""

    def __init__(self) -> None:
        self.s = 1000.0
        self.link = PretendLink()
        self.leaving = asyncio.Event()
        self.seats = Seats(cast("TableLink", self.link), lambda: self.s)

    async def post(self, do: Any, token: str, client: str, **body: Any) -> int:
        """The status of the answer."""
        parts = [json.dumps(body).encode()]

        async def receive() -> dict[str, Any]:
            if not parts:
                await self.leaving.wait()
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": parts.pop(), "more_body": False}

        headers = {"host": "x", "origin": "http://x", "content-type": "application/json"}
        headers["cookie"] = f"dicetable_seat={token}"
        scope = {
            "type": "http", "method": "POST", "scheme": "http", "path": "/", "query_string": b"",
            "client": (client, 1), "server": ("x", 80),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }  # fmt: skip
        try:
            return int((await do(Request(scope, receive))).status_code)
        except RequestRefusedError as refused:
            return refused.status

    async def here(self, token: str = TOKEN, client: str = "192.0.2.1") -> int:
        return await self.post(self.seats.here, token, client)

    async def choose(self, token: str = TOKEN, client: str = "192.0.2.1", *, later_s: float = 0) -> int:
        """A choice of that many seconds ago, by the gateway's clock."""
        asked = {"seat": 1, "label": "Liar!", "question": 1, "at": self.seats.clock_ms() - 1000 * later_s}
        return await self.post(self.seats.choose, token, client, **asked)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_cookies_that_anyone_can_make_up_get_one_client_no_more_of_the_table(desk: Desk) -> None:
    async def story() -> None:
        assert await desk.here() == 200
        for number in range(2000):
            assert await desk.here(f"made-up-{number:020}", "203.0.113.7") in (200, 429)
            desk.s += 0.005
            if number % 200 == 0:
                assert await desk.here() == await desk.choose() == 200
        strangers = [token for _, token in desk.link.asked if token != TOKEN]
        assert 55 <= len(strangers) <= 61, "twenty at once, then four a second for ten seconds"

    asyncio.run(story())


def test_strangers_at_any_number_of_addresses_share_what_is_left(desk: Desk) -> None:
    async def story() -> None:
        assert await desk.here() == 200
        for number in range(2000):
            await desk.here(f"made-up-{number:020}", f"10.0.{number // 250}.{number % 250}")
            desk.s += 0.005
        assert 255 <= len(desk.link.asked) <= 262, "sixty at once, then twenty a second for ten seconds"
        assert await desk.here() == await desk.choose() == 200

    asyncio.run(story())


@pytest.mark.parametrize(("later_s", "status"), [(1.4, 200), (1.6, 409), (-1.4, 200), (-1.6, 409)])
def test_a_choice_that_was_held_up_or_has_another_time_is_refused(
    desk: Desk, later_s: float, status: int
) -> None:
    async def story() -> None:
        assert await desk.here() == 200
        assert await desk.choose(later_s=later_s) == status
        assert ("choose" in [kind for kind, _ in desk.link.asked]) == (status == 200)

    asyncio.run(story())


def test_of_many_phones_the_one_that_was_heard_from_first_is_forgotten(desk: Desk) -> None:
    for number in range(257):
        desk.seats.remember(f"phone-{number}", [1])
    desk.seats.remember("phone-1", [2])
    desk.seats.remember("phone-257", [1])
    assert len(desk.seats.seated) == 256
    assert [desk.seats.seats_known(f"phone-{number}") for number in (0, 1, 2, 3)] == [[], [2], [], [1]]


def test_a_stranger_s_choices_do_not_reach_the_table(desk: Desk) -> None:
    async def story() -> None:
        assert await desk.choose("made-up-00000000000000000000", "203.0.113.7") == 409
        assert await desk.choose("", "203.0.113.7") == 409
        assert [kind for kind, _ in desk.link.asked] == ["here"]

    asyncio.run(story())


def test_strangers_wait_while_the_table_is_behind(desk: Desk) -> None:
    async def story() -> None:
        assert await desk.here() == 200
        desk.link.answers["here"] = None
        assert await desk.here("made-up-00000000000000000000", "203.0.113.7") == 503
        del desk.link.answers["here"]
        before = len(desk.link.asked)
        assert await desk.here("made-up-00000000000000000001", "203.0.113.7") == 503
        assert len(desk.link.asked) == before
        assert await desk.here() == await desk.choose() == 200
        desk.s += 4.9
        assert await desk.here("made-up-00000000000000000001", "203.0.113.7") == 503
        desk.s += 5.0
        assert await desk.here("made-up-00000000000000000001", "203.0.113.7") == 200

    asyncio.run(story())


def test_strangers_that_the_table_leaves_waiting_are_few(desk: Desk) -> None:
    async def story() -> None:
        assert await desk.here() == 200
        desk.link.answering.clear()
        crowd = [asyncio.create_task(desk.here(f"made-up-{n:020}", f"10.0.0.{n}")) for n in range(50)]
        for _ in range(10):
            await asyncio.sleep(0)
        assert len([token for _, token in desk.link.asked if token != TOKEN]) == 8
        mine = asyncio.create_task(desk.choose())
        for _ in range(10):
            await asyncio.sleep(0)
        assert desk.link.asked[-1] == ("choose", TOKEN)
        desk.link.answering.set()
        assert await mine == 200
        assert sorted(await asyncio.gather(*crowd)).count(200) == 8

    asyncio.run(story())


def test_one_client_tries_few_codes_and_others_can_claim(desk: Desk) -> None:
    async def story() -> None:
        for client in ("203.0.113.7", "203.0.113.8", "2001:db8::1"):
            tried = [await desk.post(desk.seats.claim, "", client, code="000000") for _ in range(12)]
            assert tried == [403] * 5 + [429] * 7
            desk.s += 1
        assert await desk.post(desk.seats.claim, "", "2001:db8::ffff:1", code="000000") == 429
        desk.s += 60
        assert await desk.post(desk.seats.claim, "", "203.0.113.7", code="000000") == 403

    asyncio.run(story())


def test_a_few_who_guess_codes_all_evening_keep_nobody_from_a_seat(desk: Desk) -> None:
    table = SeatClaims(8)

    async def ask(kind: str, payload: dict[str, Any], _: float = 0.0) -> Answer:
        assert kind == "claim"
        try:
            token, taken = table.claim(payload["code"], "", desk.s)
        except ClaimError as error:
            return Answer(accepted=False, sentence=str(error))
        return Answer(accepted=True, sentence="", result={"token": token, "seats": sorted(taken)})

    async def story() -> None:
        desk.link.ask = ask  # type: ignore[method-assign]
        guests = []
        for second in range(900):
            for n in range(min(8, second)):
                await desk.post(desk.seats.claim, "", f"203.0.113.{n}", code="wrong")
            if second % 150 == 149:
                code = table.codes(desk.s)[1 + second // 150]
                guests.append(await desk.post(desk.seats.claim, "", f"192.0.2.{second % 250}", code=code))
            desk.s += 1
        assert guests == [200] * 6

    asyncio.run(story())


SECRET = "the-secret-of-a-QR-cod"


def test_a_crowd_that_guesses_at_many_addresses_keeps_no_phone_from_scanning(desk: Desk) -> None:
    async def story() -> None:
        desk.link.payloads["codes"] = {"valid": [SECRET]}
        desk.link.answers["claim"] = Answer(accepted=False, sentence="Wrong.")
        for second in range(60):
            for n in range(25):
                await desk.post(desk.seats.claim, "", f"203.0.{second % 8}.{n}", code="000000")
                await desk.post(desk.seats.claim, "", f"203.1.{second % 8}.{n}", code="x" * 22)
            desk.s += 1
        assert len(desk.link.asked) <= 80, "no more than half of what the table takes"
        desk.link.answers["claim"] = Answer(
            accepted=True, sentence="", result={"token": GREEDY, "seats": [2]}
        )
        scanned = [await desk.post(desk.seats.claim, "", f"192.0.2.{n}", code=SECRET) for n in range(8)]
        assert scanned == [200] * 8

    asyncio.run(story())


def test_a_secret_whose_time_is_up_does_not_reach_the_table(desk: Desk) -> None:
    async def story() -> None:
        assert await desk.post(desk.seats.claim, "", "192.0.2.1", code=SECRET) == 403
        assert desk.link.asked == []

    asyncio.run(story())


def test_a_phone_that_claims_a_seat_is_known_by_it_until_it_leaves(desk: Desk) -> None:
    async def story() -> None:
        desk.link.payloads["codes"] = {"valid": [SECRET]}
        desk.link.answers["claim"] = Answer(accepted=True, sentence="", result={"token": TOKEN, "seats": [1]})
        assert await desk.post(desk.seats.claim, "", "192.0.2.1", code=SECRET) == 200
        assert desk.seats.seats_known(TOKEN) == [1]
        assert await desk.post(desk.seats.leave, TOKEN, "192.0.2.1") == 200
        assert desk.link.asked[-1] == ("leave", TOKEN)
        assert desk.seats.seats_known(TOKEN) == []

    asyncio.run(story())


def test_one_who_scans_without_end_is_slowed_down(desk: Desk) -> None:
    async def story() -> None:
        desk.link.payloads["codes"] = {"valid": [SECRET]}
        answers = [await desk.post(desk.seats.claim, "", f"192.0.2.{n}", code=SECRET) for n in range(12)]
        assert answers.count(429) == 4

    asyncio.run(story())


def test_a_table_that_is_asked_too_often_takes_no_seat_away(desk: Desk) -> None:
    async def story() -> None:
        assert await desk.here() == 200
        desk.link.answers["here"] = Answer(accepted=False, sentence="Later.", result={"later": True})
        assert await desk.here() == 503
        assert desk.seats.seats_known(TOKEN) == [1]
        desk.link.answers["here"] = Answer(accepted=False, sentence="No seat.")
        assert await desk.here() == 200
        assert desk.seats.seats_known(TOKEN) == []

    asyncio.run(story())


class PacedLink(PretendLink):
    """A table with its own paces: the holder of TOKEN has seat 1, that of GREEDY seat 2."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__()
        kinds = Phones(cast("WebPanel", None)).kinds()
        self.limits = {
            name: RateLimit(now_s, each.pace.burst, each.pace.every_s) for name, each in kinds.items()
        }

    async def ask(self, kind: str, payload: dict[str, Any], _: float = 0.0) -> Answer:
        if not self.limits[kind].allows(""):
            return Answer(accepted=False, sentence="Later.", result={"later": True})
        seats = {TOKEN: [1], GREEDY: [2]}.get(payload["token"], [])
        if kind == "claim":
            return Answer(accepted=False, sentence="Wrong.")
        return Answer(accepted=bool(seats), result={"seats": seats})


@pytest.mark.parametrize("flooded", ["choose", "name", "colour", "here"])
def test_a_player_who_asks_without_end_leaves_the_others_theirs(desk: Desk, flooded: str) -> None:
    desk.link = PacedLink(lambda: desk.s)
    desk.seats.link = cast("TableLink", desk.link)
    asked = {"label": "Liar!", "question": 1, "name": "Ann", "colour": 3}

    def post(what: str, token: str, seat: int) -> Awaitable[int]:
        do = getattr(desk.seats, what)
        return desk.post(do, token, "192.0.2.1", seat=seat, at=desk.seats.clock_ms(), **asked)

    async def story() -> None:
        assert await desk.here() == await desk.here(GREEDY, "192.0.2.2") == 200
        mine, guests = Counter[int](), Counter[int]()
        for turn in range(60 * 50):
            desk.s += 0.02
            await post(flooded, GREEDY, 2)
            if turn % 100 == 0:
                mine.update([await post(what, TOKEN, 1) for what in ("here", "choose", "name", "colour")])
            if turn % 1000 == 0:
                guests[await desk.post(desk.seats.claim, "", f"203.0.113.{turn // 1000}", code="1")] += 1
        assert (mine, guests) == ({200: 120}, {403: 3})

    asyncio.run(story())


def test_answers_that_turn_a_crowd_away_come_late_and_others_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats, "MOST_REFUSALS_WAITING", 3)
    here = desk.seats.guarded(desk.seats.here)

    async def story() -> None:
        assert await desk.here() == 200
        crowd = [asyncio.create_task(desk.post(here, "", "203.0.113.7")) for _ in range(25)]
        await asyncio.sleep(0)
        async with asyncio.timeout(HANGING_S):
            while [each.done() for each in crowd].count(False) > 3:
                await asyncio.sleep(0)
        assert Counter(each.result() for each in crowd if each.done()) == {200: 20, 429: 2}
        assert await desk.post(here, TOKEN, "192.0.2.1") == 200
        desk.link.answers["here"] = None
        assert await desk.post(here, TOKEN, "192.0.2.1") == 503
        desk.leaving.set()
        assert [await each for each in crowd][-3:] == [429] * 3, "a client that left is not waited for"
        monkeypatch.setattr(seats, "REFUSAL_WAITS_S", 0.0)
        desk.leaving.clear()
        assert await desk.post(here, "", "203.0.113.7") == 429
        assert desk.seats.refusals_waiting == 0

    asyncio.run(story())


@pytest.mark.parametrize("busy", [True, False])
def test_the_gateway_speaks_for_a_phone_only_while_others_keep_it_busy(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, *, busy: bool
) -> None:
    async def story() -> None:
        assert await desk.here() == 200
        slept = 0.0

        async def sleep(seconds: float) -> None:
            nonlocal slept
            slept += seconds
            desk.s += seconds
            if slept > 120.0:
                raise asyncio.CancelledError
            if busy:
                for number in range(40):
                    await desk.here(f"made-up-{slept}-{number:020}", "203.0.113.7")

        monkeypatch.setattr(asyncio, "sleep", sleep)
        with pytest.raises(asyncio.CancelledError):
            await desk.seats.run()
        spoken = [token for _, token in desk.link.asked if token == TOKEN]
        assert 58 <= len(spoken) - 1 <= 60 if busy else len(spoken) == 1

    asyncio.run(story())


@pytest.mark.parametrize(("late_s", "spoken"), [(2.5, 6), (1.5, 0)])
def test_the_gateway_speaks_for_phones_once_the_machine_kept_it_from_running(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, late_s: float, spoken: int
) -> None:
    async def story() -> None:
        assert await desk.here() == 200
        waits = iter([late_s, *[1.0] * 20])

        async def sleep(_seconds: float) -> None:
            wait = next(waits, None)
            if wait is None:
                raise asyncio.CancelledError
            desk.s += wait

        monkeypatch.setattr(asyncio, "sleep", sleep)
        with pytest.raises(asyncio.CancelledError):
            await desk.seats.run()
        assert [token for _, token in desk.link.asked].count(TOKEN) - 1 == spoken

    asyncio.run(story())
