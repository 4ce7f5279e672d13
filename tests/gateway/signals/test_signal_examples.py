"""The examples of docs/signals.md do what they say."""

from __future__ import annotations

import asyncio
import http.client
import json
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from dicetable.config.file import load
from dicetable.service.sockets import signals_of
from gateway.settings import Signals, Webhook, Webhooks
from gateway.signals import webhooks
from tests.gateway.serving import HANGING_S, PretendTable, free_port, until
from tests.gateway.signals.broker import soon
from tests.gateway.signals.signalling import event, signalling, told
from tests.gateway.signals.targets import target

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "signals"
SECRET = "a secret of some length"


@pytest.fixture
def table(table: PretendTable) -> PretendTable:
    table.state = told()
    return table


@pytest.fixture
def secret_file(tmp_path: Path) -> str:
    (tmp_path / "secret").write_text(SECRET)
    return str(tmp_path / "secret")


def test_the_lamp_of_the_config_calls_its_presets(table: PretendTable, secret_file: str) -> None:
    example = signals_of(load(EXAMPLES / "wled.toml")).webhooks
    assert example is not None

    async def scenario() -> None:
        async with target() as wled:
            host = f"127.0.0.1:{wled.port}"
            hooks = [
                Webhook(hook.url.replace("wled.local", host), hook.events, hook.body) for hook in example.to
            ]
            settings = Signals(webhooks=Webhooks((host,), secret_file, tuple(hooks)))
            async with signalling(table.path, settings) as made:
                await soon(lambda: made.link.state is not None)
                table.tell(told(row=1, events=[event(1, "turn"), event(1)]))
                await soon(lambda: len(wled.bodies) == 1)
                table.tell(told(row=2, events=[event(1), event(2, "bust")]))
                await soon(lambda: len(wled.bodies) == 2)
            assert [json.loads(body)["ps"] for body in wled.bodies] == [2, 3]
            assert set(wled.paths) == {"POST /json/state"}

    asyncio.run(scenario())


def test_discord_gets_a_message_for_each_throw(table: PretendTable, secret_file: str) -> None:
    example = signals_of(load(EXAMPLES / "discord.toml")).webhooks
    assert example is not None

    async def scenario() -> None:
        async with target() as discord:
            host = f"127.0.0.1:{discord.port}"
            (hook,) = example.to
            own = Webhook(hook.url.replace("https://discord.com", f"http://{host}"), hook.events, hook.body)
            async with signalling(
                table.path, Signals(webhooks=Webhooks((host,), secret_file, (own,)))
            ) as made:
                await soon(lambda: made.link.state is not None)
                thrown = event(1, "throw", dice=[{"kind": "d20", "value": 17}], total=17)
                roll = {"seat": "@everyone", "formula": "d20+5", "result": 22}
                table.tell(told(row=1, events=[thrown | roll, event(1, "turn")]))
                await soon(lambda: len(discord.bodies) == 1)
                table.tell(told(row=2, events=[thrown | {"row": 2, "seat": "Ann"}]))
                await soon(lambda: len(discord.bodies) == 2)
            first, second = (json.loads(body) for body in discord.bodies)
            assert first == {
                "content": "@everyone: **22** (d20 17) d20+5",
                "allowed_mentions": {"parse": []},
            }
            assert second["content"] == "Ann: **17** (d20 17) "  # Discord trims it

    asyncio.run(scenario())


def test_the_receiver_takes_what_is_signed_and_nothing_else(table: PretendTable, secret_file: str) -> None:
    port = free_port()

    async def scenario() -> None:
        async with target() as wled:
            command = [
                sys.executable,
                str(EXAMPLES / "receiver.py"),
                secret_file,
                f"http://127.0.0.1:{wled.port}",
            ]
            process = subprocess.Popen([*command, str(port)], stderr=subprocess.DEVNULL)
            try:
                await asyncio.to_thread(until, lambda: status(port, b"{}", {}) == 401)
                await refused()
                assert wled.bodies == []
                hook = Webhook(f"http://127.0.0.1:{port}/", ("turn", "rack"))
                settings = Signals(webhooks=Webhooks((f"127.0.0.1:{port}",), secret_file, (hook,)))
                async with signalling(table.path, settings) as made:
                    await soon(lambda: made.link.state is not None)
                    table.tell(told(row=1, events=[event(1, "turn"), event(1)]))
                    await soon(lambda: len(wled.bodies) == 2)
                assert [json.loads(body)["seg"][0]["fx"] for body in wled.bodies] == [0, 9]
            finally:
                process.kill()
                process.wait(HANGING_S)

    async def refused() -> None:
        now_s = int(time.time())
        body = b'{"type": "rack", "data": {}}'
        right = webhooks.signed_headers(SECRET.encode(), "msg_1", now_s, body)
        old = webhooks.signed_headers(SECRET.encode(), "msg_1", now_s - 1000, body)
        other = webhooks.signed_headers(b"another secret", "msg_1", now_s, body)
        for headers, sent in ((old, body), (other, body), (right, body + b" "), ({}, body)):
            assert await asyncio.to_thread(status, port, sent, headers) == 401

    asyncio.run(scenario())


def status(port: int, body: bytes, headers: dict[str, str]) -> int:
    """What the receiver answers; 0 if nobody listens yet."""
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=HANGING_S)) as connection:
            connection.request("POST", "/", body, headers)
            return connection.getresponse().status
    except ConnectionError:
        return 0
