"""Webhooks: signed, retried, bounded; receivers that are slow, gone, redirect, or never stop sending."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import os
import ssl
import time
from pathlib import Path

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from common.network import allowed_as
from common.snapshot import TableEvent
from gateway.settings import Signals, Webhook, Webhooks, secret
from gateway.signals import webhooks as webhooks_
from gateway.signals.metrics import resident_bytes
from gateway.signals.webhooks import Delivery, NoAnswerError, WebhookOutbox, post, trusted
from tests.gateway.serving import PretendTable, free_port
from tests.gateway.signals.broker import soon
from tests.gateway.signals.signalling import event, signalling, told
from tests.gateway.signals.targets import target

SECRET = "a secret of some length"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks_, "FIRST_RETRY_S", 0.01)
    monkeypatch.setattr(webhooks_, "LAST_RETRY_S", 0.05)


@pytest.fixture
def table(table: PretendTable) -> PretendTable:
    table.state = told()
    return table


@pytest.fixture
def secret_file(tmp_path: Path) -> str:
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    return str(tmp_path / "secret")


def webhooks(
    secret_file: str, *urls: str, events: tuple[str, ...] = ("rack",), body: str | None = None
) -> Signals:
    hooks = tuple(Webhook(url, events, body) for url in urls)
    return Signals(webhooks=Webhooks(tuple(allowed_as(url) for url in urls), secret_file, hooks))


def test_the_published_vector_of_standard_webhooks() -> None:
    key = webhooks_.signing_key(b"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    found = webhooks_.signed_headers(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert found["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_what_happens_is_delivered_and_signed(table: PretendTable, secret_file: str) -> None:
    async def scenario() -> None:
        async with target() as good, signalling(table.path, webhooks(secret_file, good.url)) as made:
            await soon(lambda: made.link.state is not None)
            before_s = int(time.time())
            table.tell(told(row=3, events=[event(2, "turn"), event(3)]))
            await soon(lambda: len(good.bodies) == 1)
            assert good.paths == ["POST /hook"]
            body, headers = good.bodies[0], good.headers[0]
            sent = json.loads(body)
            assert (sent["type"], sent["data"]) == ("rack", {"row": 3, "game": "six_by_6", "seat": "Ann"})
            assert headers["content-type"] == "application/json"
            assert before_s <= int(headers["webhook-timestamp"]) <= time.time()
            signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}"
            digest = hmac.new(SECRET.encode(), signed.encode(), hashlib.sha256).digest()
            assert headers["webhook-signature"] == f"v1,{base64.b64encode(digest).decode()}"

    asyncio.run(scenario())


def test_a_body_of_the_config_is_sent_as_it_stands(table: PretendTable, secret_file: str) -> None:
    async def scenario() -> None:
        async with target() as lamp:
            settings = webhooks(secret_file, lamp.url, body='{"on": true}')
            async with signalling(table.path, settings) as made:
                await soon(lambda: made.link.state is not None)
                table.tell(told(row=1, events=[event(1)]))
                await soon(lambda: lamp.bodies == ['{"on": true}'])

    asyncio.run(scenario())


THROW: TableEvent = {
    "row": 1,
    "event": "throw",
    "game": "rolls",
    "seat": 'Ann "the\nAce"',
    "dice": [{"kind": "d20", "value": 17}, {"kind": "d6", "value": 4}],
    "total": 21,
    "formula": None,
    "result": None,
}


def test_the_fields_of_a_body_are_those_of_the_throw_escaped_for_json() -> None:
    body = '{"a": "{seat}|{dice}|{formula}|{verdict}", "n": [{total}, {result}], "{other}": {"seat": {}}}'
    assert json.loads(webhooks_.filled(body, THROW)) == {
        "a": 'Ann "the\nAce"|d20 17 + d6 4||counts',
        "n": [21, 21],
        "{other}": {"seat": {}},
    }
    roll: TableEvent = {**THROW, "formula": "d20+d6+5", "result": 26}
    assert webhooks_.filled("{formula} {result} {total}", roll) == "d20+d6+5 26 21"


def test_a_name_that_looks_like_a_field_is_a_name() -> None:
    assert webhooks_.filled("{seat} {total}", {**THROW, "seat": "{total}"}) == "{total} 21"


def test_it_is_tried_again_with_the_same_id_until_it_is_taken(table: PretendTable, secret_file: str) -> None:
    async def scenario() -> None:
        async with (
            target([500, 429, 503, 200]) as flaky,
            signalling(table.path, webhooks(secret_file, flaky.url)) as made,
        ):
            await soon(lambda: made.link.state is not None)
            table.tell(told(row=2, events=[event(1), event(2)]))
            await soon(lambda: len(flaky.bodies) == 5)
            ids = [headers["webhook-id"] for headers in flaky.headers]
            assert len(set(ids[:4])) == 1
            assert ids[4] != ids[0]
            assert [json.loads(body)["data"]["row"] for body in flaky.bodies] == [1, 1, 1, 1, 2]

    asyncio.run(scenario())


@pytest.mark.parametrize("status", [301, 302, 307, 308, 400, 401, 404, 410])
def test_what_is_refused_for_good_or_redirected_is_given_up(
    table: PretendTable, secret_file: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with target() as elsewhere, target([status]) as no:
            no.location = elsewhere.url
            async with signalling(table.path, webhooks(secret_file, no.url)) as made:
                await soon(lambda: made.link.state is not None)
                table.tell(told(row=2, events=[event(1), event(2)]))
                await soon(lambda: len(no.bodies) == 2)
                await soon(lambda: made.hooks[0].outbox.dropped == 2)
                assert elsewhere.bodies == []

    asyncio.run(scenario())
    lines = [record.getMessage() for record in caplog.records if "webhook=" in record.getMessage()]
    assert len(lines) == 1
    assert f"answers {status}" in lines[0]
    assert ("no redirect is followed" in lines[0]) == (status < 400)


def test_a_target_that_is_slow_or_gone_holds_up_no_other(table: PretendTable, secret_file: str) -> None:
    gone = f"http://127.0.0.1:{free_port()}/"

    async def scenario() -> None:
        async with target([-1]) as slow, target() as good:
            settings = webhooks(secret_file, slow.url, gone, good.url)
            async with signalling(table.path, settings) as made:
                await soon(lambda: made.link.state is not None)
                for row in range(1, 121):
                    table.tell(told(row=row, events=[event(row)]))
                    await soon(lambda row=row: len(good.bodies) == row)  # type: ignore[misc]
                hooks = made.hooks
                await soon(lambda: not hooks[2].outbox.waiting)  # the answer to the last one
                assert [len(hook.outbox.waiting) for hook in hooks] == [
                    100,
                    100,
                    0,
                ]
                assert hooks[1].outbox.dropped == 20
                assert hooks[2].outbox.delivered == 120

    asyncio.run(scenario())


def test_an_answer_of_a_gigabyte_is_not_read(table: PretendTable, secret_file: str) -> None:
    async def scenario() -> None:
        async with target() as talker, signalling(table.path, webhooks(secret_file, talker.url)) as made:
            talker.endless = True
            await soon(lambda: made.link.state is not None)
            before = resident_bytes()
            table.tell(told(row=1, events=[event(1)]))
            await soon(lambda: made.hooks[0].outbox.delivered == 1)
            assert talker.sent_bytes < 20 * 2**20
            assert resident_bytes() - before < 20 * 2**20

    asyncio.run(scenario())


async def raw(answer: bytes, *, forever: bool = False, longest_s: float = 30.0) -> int:
    """The status that is found in an answer of these bytes, again and again if it is for ever."""

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(answer)
            await writer.drain()
            while forever:
                writer.write(answer)
                await writer.drain()
                await asyncio.sleep(0)
        except ConnectionError:
            pass
        finally:
            if forever:  # the client may have gone
                writer.transport.abort()
            else:
                writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        return await post(f"http://127.0.0.1:{port}/", {}, b"{}", longest_s)
    finally:
        server.close()


@pytest.mark.parametrize(
    ("answer", "forever", "why"),
    [
        (b"", False, "connection ended|reset|closed"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", False, "."),
        (b"HTTP/1.1 100 Continue\r\n\r\n", True, "no end"),
        (b"x: y\r\n", True, "."),
        (b"a" * 1000, True, "."),
    ],
)
def test_what_is_no_answer_is_none(answer: bytes, forever: bool, why: str) -> None:
    with pytest.raises(NoAnswerError, match=why):
        asyncio.run(raw(answer, forever=forever))


def test_the_time_for_all_of_it_is_bounded() -> None:
    with pytest.raises(NoAnswerError, match=r"no answer within 0\.2 s"):
        asyncio.run(silent(0.2))


async def silent(longest_s: float) -> int:
    async with target([-1]) as slow:
        return await post(slow.url, {}, b"{}", longest_s)


def test_with_tls_and_a_certificate_that_nobody_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)

    async def scenario() -> int:
        async with target(context=context) as safe:
            return await post(safe.url.replace("http:", "https:"), {}, b"{}")

    trusted.cache_clear()
    with pytest.raises(NoAnswerError, match="its certificate is not valid"):
        asyncio.run(scenario())
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    trusted.cache_clear()
    assert asyncio.run(scenario()) == 200
    trusted.cache_clear()


def test_nothing_is_sent_to_what_is_not_on_the_list(
    table: PretendTable, secret_file: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with target() as other, target() as good:
            hooks = (Webhook(other.url, ("rack",)), Webhook(good.url, ("rack",)))
            settings = Signals(webhooks=Webhooks((allowed_as(good.url),), secret_file, hooks))
            async with signalling(table.path, settings) as made:
                await soon(lambda: made.link.state is not None)
                table.tell(told(row=1, events=[event(1)]))
                await soon(lambda: len(good.bodies) == 1)
                assert other.bodies == []

    asyncio.run(scenario())
    assert any("is not in webhooks.allow" in record.getMessage() for record in caplog.records)


def test_a_secret_that_comes_late_is_waited_for(table: PretendTable, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with target() as good:
            settings = webhooks(str(tmp_path / "late"), good.url)
            async with signalling(table.path, settings) as made:
                await soon(lambda: made.link.state is not None)
                table.tell(told(row=1, events=[event(1)]))
                await soon(lambda: "late" in made.hooks[0].logged)
                (tmp_path / "late").write_text(SECRET)
                await soon(lambda: len(good.bodies) == 1)

    asyncio.run(scenario())


@pytest.mark.parametrize("emptied", ["", "\n", "whsec_", "short"])
def test_nothing_is_signed_with_a_secret_that_was_emptied(
    table: PretendTable, secret_file: str, emptied: str
) -> None:
    async def scenario() -> None:
        async with target() as good, signalling(table.path, webhooks(secret_file, good.url)) as made:
            await soon(lambda: made.link.state is not None)
            Path(secret_file).write_text(emptied)
            table.tell(told(row=1, events=[event(1)]))
            await soon(lambda: "needs 16" in made.hooks[0].logged)
            assert good.bodies == []
            Path(secret_file).write_text(SECRET)
            await soon(lambda: len(good.bodies) == 1)

    asyncio.run(scenario())


def test_a_fault_that_nobody_foresaw_costs_one_part_a_pause(
    table: PretendTable, secret_file: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("gateway.signals.signalling.PAUSE_S", 0.01)
    calls = 0
    really = webhooks_.as_json

    def broken(told: TableEvent) -> str:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise KeyError("unforeseen")
        return really(told)

    monkeypatch.setattr(webhooks_, "as_json", broken)

    async def scenario() -> None:
        async with target() as good, signalling(table.path, webhooks(secret_file, good.url)) as made:
            await soon(lambda: made.link.state is not None)
            table.tell(told(row=1, events=[event(1)]))
            await soon(lambda: calls == 1)
            table.tell(told(row=2, events=[event(2)]))
            await soon(lambda: len(good.bodies) == 1)

    asyncio.run(scenario())
    assert any(
        "signals=failed" in record.getMessage()
        for record in caplog.records
        if record.levelno == logging.ERROR
    )


STEPS = st.lists(st.sampled_from(["put", "arrived", "refused", "failed", "wait"]), max_size=300)


@given(STEPS, st.floats(1.0, 100.0))
def test_an_outbox_is_bounded_and_loses_count_of_nothing(steps: list[str], lasts_s: float) -> None:
    box, now_s, put = WebhookOutbox(), 0.0, 0
    for step in steps:
        due = box.due(now_s)
        if step == "put":
            box.put(Delivery(str(put), b"", now_s + lasts_s))
            put += 1
        elif step == "wait":
            now_s += 7.0
        elif due is not None:
            assert due.until_s > now_s
            if step == "arrived":
                box.arrived(due)
            elif step == "refused":
                box.refused(due)
            else:
                box.failed(now_s)
                assert box.due(now_s) is None
        assert len(box.waiting) <= 100
        assert box.delivered + box.dropped + len(box.waiting) == put
        numbers = [int(delivery.id) for delivery in box.waiting]
        assert numbers == sorted(numbers)
        until_s = box.until_due_s(now_s)
        assert (until_s is None) == (not box.waiting)
        assert until_s is None or until_s <= 60.0 + 1e-9


def test_a_secret_file_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "secret")
    with pytest.raises(OSError, match="is no file"):
        secret(str(tmp_path / "secret"))
