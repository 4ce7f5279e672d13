"""MQTT with a real Mosquitto that is killed, closed, encrypted or silent; and Home Assistant's rules."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import signal
import socket
import ssl
import threading
from contextlib import closing, suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiomqtt
import pytest

from dicetable.service.game_requests import KINDS as REQUESTS
from gateway.settings import GatewaySettings, Mqtt, Signals
from gateway.signals import home_assistant
from gateway.signals import mqtt as mqtt_
from gateway.signals.events import EVENT_KINDS
from gateway.signals.home_assistant import discovery_message, state_payload
from gateway.signals.mqtt import MqttClient, MqttPublisher, client
from hardware.simulated import physics
from tests.dicetable.service.evenings import Evening
from tests.extent import extent
from tests.gateway.serving import ROOT, PretendTable, Served
from tests.gateway.signals.broker import (
    PASSWORD,
    USER,
    Broker,
    Home,
    at_home,
    closed_broker,
    open_broker,
    soon,
    tls_broker,
)
from tests.gateway.signals.home_assistant import mistakes, states
from tests.gateway.signals.signalling import event, signalling, told
from tests.gateway.states import IDLE
from tests.zygote import Forked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gateway.signals.signalling import Signalling

KILLS = extent(25, 100)
SEATS = 3
STATE, AVAILABILITY = home_assistant.state_topic("dicetable"), home_assistant.availability_topic("dicetable")
DEVICE = home_assistant.device_topic("homeassistant", "dicetable")


def mqtt(port: int, **changes: Any) -> Mqtt:
    return replace(Mqtt("127.0.0.1", port, "dicetable", "homeassistant", SEATS), **changes)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt_, "FIRST_RETRY_S", 0.02)
    monkeypatch.setattr(mqtt_, "LAST_RETRY_S", 0.1)
    monkeypatch.setattr(physics, "available", lambda: False)


@pytest.fixture
def table(table: PretendTable) -> PretendTable:
    table.state = told()
    return table


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    made = open_broker(tmp_path)
    made.start()
    yield made
    made.kill()


def publisher_of(made: Signalling) -> MqttPublisher:
    (found,) = made.listeners
    assert isinstance(found, MqttPublisher)
    return found


@pytest.mark.parametrize("commands", [False, True])
def test_home_assistant_takes_the_discovery_message(commands: bool) -> None:
    message = json.loads(json.dumps(discovery_message(mqtt(1, commands=commands), "1.2.3")))
    assert mistakes(DEVICE, message) == []
    platforms = [component["platform"] for component in message["components"].values()]
    assert platforms.count("event") == len(EVENT_KINDS)
    assert ("switch" in platforms) == ("notify" in platforms) == commands
    assert any("command_topic" in component for component in message["components"].values()) == commands


def test_the_validator_finds_what_is_wrong() -> None:
    right = discovery_message(mqtt(1, commands=True), "1")
    phase = right["components"]["phase"]
    wrong = (
        {key: value for key, value in right.items() if key != "origin"},
        {**right, "colour": "red"},
        {**right, "device": {"name": "Dice"}},
        {**right, "components": {"a": {**phase, "platform": "dice"}}},
        {**right, "components": {"a": phase, "b": phase}},
        {**right, "components": {"a": {**phase, "device_class": "problem"}}},
        {**right, "components": {"a": {**phase, "value_templat": "x"}}},
        {**right, "components": {"a": {**right["components"]["event_rack"], "event_types": []}}},
        {**right, "components": {"a": {**right["components"]["pause"], "command_topic": "a/#"}}},
    )
    for message in wrong:
        assert mistakes(DEVICE, message)
    assert mistakes("homeassistant/sensor/x/config", right)


def test_every_entity_shows_what_the_table_does() -> None:
    seats: Any = [
        {"name": "Ann", "place": 1, "score": "12", "standing": ""},
        {"name": "Bob", "place": 3, "score": "7 chips", "standing": ""},
    ]
    state: Any = {
        **IDLE,
        "phase": "play",
        "title": "Six By 6",
        "asked": "Ann",
        "todo": "Ann, throw 6 dice.",
        "throws": [{"seat": "Bob", "dice": [{"kind": "d6", "value": 6}, {"kind": "d6", "value": 1}]}],
        "seats": seats,
        "troubles": [{"part": "camera", "what": "It is dark", "remedy": "switch the light on"}],
    }
    message = discovery_message(mqtt(1, commands=True), "1")
    assert states(message, state_payload(state, SEATS, 48.25)) == {
        "phase": "play",
        "game": "Six By 6",
        "turn": "Ann",
        "todo": "Ann, throw 6 dice.",
        "last_throw": "6 1",
        "winners": None,
        "score_1": "12",
        "score_2": None,
        "score_3": "7 chips",
        "paused": "OFF",
        "pause": "OFF",
        "trouble": "ON",
        "trouble_text": "camera: It is dark",
        "temperature": "48.2",
    }
    idle = states(message, state_payload(IDLE, SEATS, None))
    assert idle["phase"] == "idle"
    assert idle["trouble"] == idle["paused"] == "OFF"
    assert {name for name, shown in idle.items() if shown is not None} == {
        "phase",
        "paused",
        "pause",
        "trouble",
    }
    long = states(message, state_payload(state | {"todo": "x" * 999, "winners": ["y" * 400]}, SEATS, None))
    assert len(long["todo"] or "") == len(long["winners"] or "") == 255


def test_what_is_retained_and_what_is_not(table: PretendTable, broker: Broker) -> None:
    async def scenario() -> None:
        async with signalling(table.path, Signals(mqtt(broker.port))) as made:
            await soon(lambda: publisher_of(made).connected and made.link.state is not None)
            async with at_home(broker.port) as home:
                await soon(lambda: {DEVICE, STATE, AVAILABILITY} <= home.retained.keys())
                table.tell(told(phase="play", row=5, events=[event(5, "throw", dice=[]), event(5)]))
                await soon(lambda: len(home.heard) >= 3)
                assert home.retained.keys() == {DEVICE, STATE, AVAILABILITY}
                assert home.retained[AVAILABILITY] == "online"
                assert [topic for topic, _ in home.heard] == [
                    STATE,
                    "dicetable/event/throw",
                    "dicetable/event/rack",
                ]
                assert json.loads(home.heard[0][1])["phase"] == "play"
                rack = json.loads(home.heard[2][1])
                assert rack == {"event_type": "rack", "row": 5, "game": "six_by_6", "seat": "Ann"}
            async with at_home(broker.port) as late:
                await soon(lambda: len(late.retained) == 3)
                await asyncio.sleep(0.05)
                assert late.heard == []
                assert json.loads(late.retained[STATE])["phase"] == "play"

    asyncio.run(scenario())


@pytest.mark.parametrize("topic", [DEVICE, STATE, AVAILABILITY])
@pytest.mark.parametrize("text", ["", "offline"])
def test_what_is_deleted_or_overwritten_at_the_broker_comes_back(
    table: PretendTable, broker: Broker, topic: str, text: str
) -> None:
    async def scenario() -> None:
        async with signalling(table.path, Signals(mqtt(broker.port))) as made, at_home(broker.port) as home:
            await soon(lambda: publisher_of(made).connected and home.newest(AVAILABILITY) == "online")
            await soon(lambda: home.newest(STATE) is not None)
            right = home.newest(topic)
            async with aiomqtt.Client("127.0.0.1", broker.port) as other:
                for _ in range(3):
                    home.heard.clear()
                    await other.publish(topic, text, qos=1, retain=True)
                    await soon(lambda: home.heard == [(topic, text), (topic, right)])
            await asyncio.sleep(0.05)
            assert len(home.heard) == 2, "it publishes each once, not without end"
            async with at_home(broker.port) as late:
                await soon(lambda: len(late.retained) == 3)
                assert late.retained[topic] == right
            assert publisher_of(made).connections == 1

    asyncio.run(scenario())


def test_everything_is_published_again_when_home_assistant_starts(
    table: PretendTable, broker: Broker
) -> None:
    async def scenario() -> None:
        async with signalling(table.path, Signals(mqtt(broker.port))) as made, at_home(broker.port) as home:
            await soon(lambda: publisher_of(made).connected and home.newest(AVAILABILITY) == "online")
            await soon(lambda: None not in map(home.newest, (DEVICE, STATE, AVAILABILITY)))
            before = len(home.heard)
            async with aiomqtt.Client("127.0.0.1", broker.port) as other:
                await other.publish("homeassistant/status", "offline", qos=1)
                await other.publish("homeassistant/status", "online", qos=1, retain=True)
            await soon(lambda: len(home.heard) >= before + 5)
            assert [topic for topic, _ in home.heard[before + 2 :]] == [DEVICE, STATE, AVAILABILITY]

    asyncio.run(scenario())


def test_what_happened_before_is_not_told_again(table: PretendTable, broker: Broker) -> None:
    async def scenario() -> None:
        table.state = told(row=7, events=[event(7)])
        async with signalling(table.path, Signals(mqtt(broker.port))) as made, at_home(broker.port) as home:
            await soon(lambda: made.link.state is not None and publisher_of(made).connected)
            table.tell(told(row=8, events=[event(7), event(8, "bust")]))
            await soon(lambda: any("event" in topic for topic, _ in home.heard))
            table.hang_up()
            await soon(lambda: made.link.state is None)
            await soon(lambda: made.link.state is not None)
            table.tell(told(row=3, events=[event(3)]))
            await soon(lambda: made.new.row == 3)
            table.tell(told(row=4, events=[event(3), event(4, "turn")]))
            await soon(lambda: sum("event" in topic for topic, _ in home.heard) == 2)
            assert [topic for topic, _ in home.heard if "event" in topic] == [
                "dicetable/event/bust",
                "dicetable/event/turn",
            ]

    asyncio.run(scenario())


def test_it_is_offline_without_the_table_and_without_the_gateway(table: PretendTable, broker: Broker) -> None:
    async def scenario() -> None:
        async with at_home(broker.port) as home:
            async with signalling(table.path, Signals(mqtt(broker.port))) as made:
                await soon(lambda: home.newest(AVAILABILITY) == "online")
                table.state = told(phase="set_up")
                table.hang_up()
                await soon(lambda: home.newest(AVAILABILITY) == "offline")
                await soon(lambda: home.newest(AVAILABILITY) == "online")
                assert json.loads(home.newest(STATE) or "")["phase"] == "set_up"
                assert publisher_of(made).connections == 1
            await soon(lambda: home.newest(AVAILABILITY) == "offline")

    asyncio.run(scenario())


def test_the_broker_says_offline_when_the_gateway_is_killed(table: PretendTable, broker: Broker) -> None:
    served = Served(table.path, signals=Signals(mqtt(broker.port)))

    async def scenario() -> None:
        async with at_home(broker.port) as home:
            await asyncio.to_thread(served.start)
            await soon(lambda: home.newest(AVAILABILITY) == "online")
            served.kill()
            await soon(lambda: home.newest(AVAILABILITY) == "offline")

    try:
        asyncio.run(scenario())
    finally:
        served.kill()


def test_without_pages_it_serves_the_broker_until_it_is_stopped(table: PretendTable, broker: Broker) -> None:
    settings = GatewaySettings("", 0, str(table.path), signals=Signals(mqtt(broker.port)))

    async def scenario() -> None:
        async with at_home(broker.port) as home:
            with settings.file() as file:
                process = Forked("-m", "gateway", cwd=ROOT, stdin=file)
            try:
                await soon(lambda: home.newest(AVAILABILITY) == "online")
                process.send_signal(signal.SIGTERM)
                await soon(lambda: home.newest(AVAILABILITY) == "offline")
                await soon(lambda: process.poll() == 0)
            finally:
                process.kill()

    asyncio.run(scenario())


def descriptors() -> int:
    """How many files and sockets this process has open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.slow
def test_a_broker_killed_again_and_again_misses_no_more_than_may_be_lost(tmp_path: Path) -> None:
    broker = open_broker(tmp_path)
    evening = Evening(tmp_path, "six_shooter", seats=SEATS)

    async def scenario() -> None:
        heard = 0
        async with signalling(evening.path, Signals(mqtt(broker.port))) as made:
            for kill in range(KILLS):
                broker.start()
                heard += await one_life(made, kill)
                broker.kill()
            assert len(publisher_of(made).events) <= mqtt_.MOST_EVENTS
        assert heard > KILLS / 3

    async def one_life(made: Signalling, kill: int) -> int:
        """Plays on until the broker knows all; how many events it heard meanwhile."""
        async with at_home(broker.port) as home:
            await soon(lambda: publisher_of(made).connections == kill + 1, evening.turn)
            for _ in range(20):
                evening.turn()
                await asyncio.sleep(0)
            await soon(lambda: is_up_to_date(home, made.link.state), evening.service.turn)
            message = json.loads(home.newest(DEVICE) or "")
            assert mistakes(DEVICE, message) == []
            assert message["availability_topic"] == AVAILABILITY
            return sum("/event/" in topic for topic, _ in home.heard)

    def is_up_to_date(home: Home, state: bytes | None) -> bool:
        if state is None or home.newest(AVAILABILITY) != "online" or home.newest(STATE) is None:
            return False
        now = json.loads(home.newest(STATE) or "")
        due = json.loads(state_payload(json.loads(state), SEATS, now["temperature"]))
        return bool(now == due)

    try:
        asyncio.run(scenario())
    finally:
        broker.kill()
        evening.close()


@pytest.mark.slow
def test_a_broker_that_accepts_and_never_answers(
    table: PretendTable, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("gateway.signals.mqtt.ANSWER_S", 0.1)
    caplog.set_level(logging.INFO, "gateway")

    async def scenario(port: int) -> None:
        async with signalling(table.path, Signals(mqtt(port))) as made:
            found = publisher_of(made)
            tries = 0

            async def counted() -> None:
                nonlocal tries
                tries += 1
                await connect()

            connect = found.connect
            monkeypatch.setattr(found, "connect", counted)
            await soon(lambda: made.link.state is not None)
            before = descriptors()
            for row in range(300):
                table.tell(told(row=row, events=[event(row)]))
                await asyncio.sleep(0.001)
            await soon(lambda: tries >= 20)
            assert descriptors() <= before + 3
            assert len(found.events) <= mqtt_.MOST_EVENTS
            assert len(asyncio.all_tasks()) < 12

    with closing(socket.create_server(("127.0.0.1", 0), backlog=100)) as silent:
        asyncio.run(scenario(silent.getsockname()[1]))
    told_lines = [record.getMessage() for record in caplog.records if "broker=" in record.getMessage()]
    assert len(told_lines) == 1
    assert "does not answer as a broker" in told_lines[0]


def test_a_broker_that_announces_a_huge_message_is_left_before_it_takes_memory(table: PretendTable) -> None:
    """It sends 256 MB; the gateway reads no more than what tells it how much there is."""
    connections = 0
    sent = 0

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections, sent
        connections += 1
        try:
            await reader.read(4096)
            writer.write(b"\x20\x02\x00\x00" + b"\x30\xff\xff\xff\x7f\x00\x01a")
            with suppress(OSError):
                for _ in range(64):
                    writer.write(b"x" * 2**20)
                    await writer.drain()
                    sent += 2**20
        finally:  # the scenario may end while it sends
            writer.transport.abort()

    async def scenario() -> None:
        async with await asyncio.start_server(accept, "127.0.0.1", 0) as huge:
            port = huge.sockets[0].getsockname()[1]
            async with signalling(table.path, Signals(mqtt(port))):
                await soon(lambda: connections >= 2)

    asyncio.run(scenario())
    assert sent < 32 * 2**20


@pytest.mark.parametrize("lost", ["connection", "way in"])
def test_a_gateway_that_stops_ends_though_the_broker_answers_or_fails_at_that_moment(
    monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    async def lose_cancellation(self: MqttPublisher) -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        if lost == "connection":
            raise aiomqtt.MqttError("gone")
        await self.session(MqttClient("127.0.0.1", identifier="nobody"))

    async def subscribe(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(MqttPublisher, "connect", lose_cancellation)
    monkeypatch.setattr(MqttClient, "subscribe", subscribe)

    async def scenario() -> None:
        publisher = MqttPublisher(mqtt(1), "1.2.3", lambda: None)
        running = asyncio.create_task(publisher.run())
        await asyncio.sleep(0)
        running.cancel()
        for _ in range(20):
            await asyncio.sleep(0)
        assert running.cancelled()

    asyncio.run(scenario())


def test_a_silent_broker_leaves_no_traceback(
    table: PretendTable, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("gateway.signals.mqtt.ANSWER_S", 0.05)

    async def scenario() -> None:
        connections = 0

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal connections
            connections += 1
            try:
                with suppress(OSError):
                    await reader.read()
            finally:
                writer.transport.abort()

        async with await asyncio.start_server(accept, "127.0.0.1", 0) as silent:
            port = silent.sockets[0].getsockname()[1]
            async with signalling(table.path, Signals(mqtt(port))):
                await soon(lambda: connections >= 3)

    gc.collect()  # what other tests left behind
    caplog.clear()
    asyncio.run(scenario())
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


def test_a_connection_that_is_called_off_while_it_is_made_is_closed() -> None:
    begun, goes_on = threading.Event(), threading.Event()

    async def scenario(port: int) -> MqttClient:
        made = client(mqtt(port))
        connect = made._client.connect

        def late(*where: Any, **how: Any) -> Any:
            begun.set()
            assert goes_on.wait(300)
            return connect(*where, **how)

        made._client.connect = late  # type: ignore[method-assign]
        entering = asyncio.create_task(made.__aenter__())
        await soon(begun.is_set)
        entering.cancel()
        with suppress(asyncio.CancelledError):
            await entering
        made.abandon()
        goes_on.set()
        return made

    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        assert asyncio.run(scenario(silent.getsockname()[1]))._client.socket() is None


def test_what_the_broker_asks_for_is_done_where_it_may_ask(tmp_path: Path) -> None:
    broker = open_broker(tmp_path)
    evening = Evening(tmp_path, "six_shooter", seats=SEATS)
    evening.service.parts.sockets.kinds.update(REQUESTS)
    while evening.table.state.match is None:
        evening.turn()
    broker.start()

    async def scenario(*, commands: bool) -> list[str]:
        said: list[str] = []
        signals = Signals(mqtt(broker.port, commands=commands))
        async with signalling(evening.path, signals, said) as made, at_home(broker.port) as home:
            await soon(lambda: home.newest(AVAILABILITY) == "online", evening.service.turn)
            async with aiomqtt.Client("127.0.0.1", broker.port) as remote:
                await remote.publish("dicetable/pause/set", "ON", qos=1)
                await remote.publish("dicetable/message/set", "Last\norders", qos=1)
                if commands:
                    await soon(lambda: evening.table.paused, evening.service.turn)
                    await soon(lambda: bool(json.loads(home.newest(STATE) or "")["paused"]), evening.turn)
                    await remote.publish("dicetable/pause/set", "OFF", qos=1)
                    await soon(lambda: not evening.table.paused, evening.service.turn)
                    for wrong in ("", "maybe", b"\xff"):
                        await remote.publish("dicetable/pause/set", wrong, qos=1)
                await remote.publish("dicetable/message/set", "x" * 500, qos=1)
                await soon(lambda: len(said) == 2 or not commands, evening.service.turn)
            assert publisher_of(made).connections == 1
        return said

    try:
        assert asyncio.run(scenario(commands=False)) == []
        assert not evening.table.paused
        assert asyncio.run(scenario(commands=True)) == ["Last orders", "x" * 200]
        assert not evening.table.paused
    finally:
        broker.kill()
        evening.close()


def test_events_that_waited_too_long_are_dropped(
    table: PretendTable, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        broker.kill()
        async with signalling(table.path, Signals(mqtt(broker.port))) as made:
            await soon(lambda: made.link.state is not None)
            table.tell(told(row=1, events=[event(1)]))
            await soon(lambda: len(publisher_of(made).events) == 1)
            monkeypatch.setattr(mqtt_, "STALE_S", 0.0)
            broker.start()
            async with at_home(broker.port) as home:
                await soon(lambda: home.newest(AVAILABILITY) == "online")
                await soon(lambda: publisher_of(made).dropped == 1)
                assert not [topic for topic, _ in home.heard if "event" in topic]

    asyncio.run(scenario())


def test_with_a_password_from_a_file(table: PretendTable, tmp_path: Path) -> None:
    broker = closed_broker(tmp_path)
    broker.start()
    secret = tmp_path / "secret"
    secret.write_text(f"{PASSWORD}\n")

    async def scenario() -> None:
        settings = mqtt(broker.port, username=USER, password_file=str(secret))
        async with signalling(table.path, Signals(settings)), at_home(broker.port, user=True) as home:
            await soon(lambda: home.newest(AVAILABILITY) == "online")

    try:
        asyncio.run(scenario())
    finally:
        broker.kill()


def test_with_tls(table: PretendTable, tmp_path: Path) -> None:
    broker, authority = tls_broker(tmp_path)
    broker.start()
    context = ssl.create_default_context()
    authority.configure_trust(context)

    async def scenario() -> None:
        settings = mqtt(broker.port, tls=True, ca_file=str(tmp_path / "ca.pem"))
        async with signalling(table.path, Signals(settings)), at_home(broker.port, context=context) as home:
            await soon(lambda: home.newest(AVAILABILITY) == "online")
            assert json.loads(home.newest(DEVICE) or "")["origin"]["sw_version"] == version("dicetable")

    try:
        asyncio.run(scenario())
    finally:
        broker.kill()
