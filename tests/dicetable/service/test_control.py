"""Requests over the table's socket are checked, carried out once, and never affect the game."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import messages, texts
from common.messages import Answer, Event, WireError
from dicetable.service import server
from dicetable.service.server import SELDOM, Pace, Payload, RequestKind, TableServer, accepted, refused
from gateway.link import BusyError, TableLink
from hardware.simulated.clock import VirtualClock, VirtualLoop

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dicetable.table.table import Table

TABLE = cast("Table", object())
STEPS = 40


class Word(Payload):
    word: str


def say(asked: Word, _: Table) -> Answer:
    if asked.word == "fail":
        raise RuntimeError("a fault")
    return accepted({"said": asked.word}, b"body") if asked.word != "no" else refused("Not that.")


async def slowly(asked: Word, _: Table) -> Answer:
    await asyncio.sleep(0.03)
    return accepted({"said": asked.word})


OFTEN = Pace(1000, 0.001)
KINDS = {
    "say": RequestKind(Word, say, OFTEN),
    "slowly": RequestKind(Word, slowly, OFTEN),
    "large": RequestKind(Word, lambda _, __: accepted({}, bytes(524_289)), OFTEN),
    "seldom": RequestKind(Word, say),
}


class Bench:
    """The server in virtual time, and clients."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / messages.SOCKET
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.path))
        listener.listen(8)
        self.clock = VirtualClock()
        self.loop = VirtualLoop(self.clock)
        self.server = TableServer()
        self.server.kinds, self.server.table = KINDS, TABLE
        self.loop.run_until_complete(self.server.start(listener, lambda: None))
        self.clients: list[socket.socket] = []

    def connect(self) -> socket.socket:
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(self.path))
        client.settimeout(0.0)
        self.clients.append(client)
        return client

    def tell(self, event: str, **payload: Any) -> None:
        self.server.publish(Event(event, payload))

    def turn(self, count: int = 1, turn_s: float = 0.02) -> None:
        for _ in range(count):
            self.clock.sleep(turn_s)
            self.loop.run_until_complete(self.rest())

    async def rest(self) -> None:
        for _ in range(STEPS):
            await asyncio.sleep(0)

    def close(self) -> None:
        self.server.close()
        self.turn()
        self.loop.close()
        for client in self.clients:
            client.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()


ODD_NAME: dict[str, Any] = {"\udfff": 1}


def line(number: int, kind: str = "say", **payload: Any) -> bytes:
    return json.dumps({"id": number, "kind": kind, "payload": payload}).encode() + b"\n"


def heard(client: socket.socket) -> bytes:
    seen = b""
    while True:
        try:
            data = client.recv(65536)
        except BlockingIOError:
            return seen
        if not data:
            return seen + b"(ended)"
        seen += data


def answers(data: bytes) -> list[dict[str, Any]]:
    """The heads of answers that have no bodies."""
    return [json.loads(each) for each in data.splitlines()]


def test_a_request_is_carried_out_once_and_answered_with_its_body(bench: Bench) -> None:
    client = bench.connect()
    client.sendall(line(7, word="hello"))
    bench.turn()
    head, body = heard(client).split(b"\n")
    assert json.loads(head) == {
        "id": 7,
        "accepted": True,
        "sentence": "",
        "result": {"said": "hello"},
        "bytes": 4,
    }
    assert body == b"body"
    bench.turn(5)
    assert heard(client) == b""


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (line(1, word="no"), "Not that."),
        (line(1, "power_off"), texts.gateway.UNKNOWN_REQUEST),
        (line(1, word=3), "word: input should be a valid string."),
        (line(1), "word: field required."),
        (line(1, word="x", seat=1), "seat: extra inputs are not permitted."),
        (line(1, word="fail"), texts.gateway.TABLE_FAILED),
        (line(1, "large", word="x"), texts.operator.TOO_MUCH),
        (b'{"id":1}\n', "kind: field required."),
        (b'{"id":1,"kind":"Say It","payload":{}}\n', "kind: string should match pattern '^[a-z_]{1,40}$'."),
        (b'{"id":1,"kind":"say","payload":[]}\n', "payload: input should be a valid dictionary."),
        (b'{"id":1,"kind":"say","payload":{},"more":1}\n', "more: extra inputs are not permitted."),
        (line(1, word="\ud800"), texts.gateway.NOT_PLAIN),
        (line(1, **ODD_NAME), texts.gateway.NOT_PLAIN),
        (b'{"id":1,"kind":"say","payload":' + b"[" * 50 + b"]" * 50 + b"}\n", texts.gateway.NOT_PLAIN),
        (line(1, "\ud800"), texts.gateway.NOT_PLAIN),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(bench: Bench, asked: bytes, sentence: str) -> None:
    client = bench.connect()
    client.sendall(asked)
    bench.turn()
    (answer,) = answers(heard(client))
    assert (answer["accepted"], answer["sentence"]) == (False, sentence)
    client.sendall(line(2, "slowly", word="still there"))
    bench.turn(5)
    assert answers(heard(client))[0]["accepted"]


@pytest.mark.parametrize(
    "rude",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"[]\n",
        b'{"kind":"say"}\n',
        b'{"id":true,"kind":"say","payload":{}}\n',
        b'{"id":-1,"kind":"say","payload":{}}\n',
        b'{"id":9007199254740992,"kind":"say","payload":{}}\n',
        b'{"id":1,"kind":"say","payload":' + b"[" * 5000 + b"\n",
        b"\xff\xfe\n",
        b"x" * (141_072),
    ],
)
def test_who_sends_what_is_no_request_is_sent_away(
    bench: Bench, rude: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    client, polite = bench.connect(), bench.connect()
    bench.turn(2)
    for at in range(0, len(rude), 2048):
        try:
            client.sendall(rude[at : at + 2048])
        except BrokenPipeError:
            break
        bench.turn()
    bench.turn(3)
    assert heard(client).endswith(b"(ended)")
    assert any("client=refused" in record.getMessage() for record in caplog.records)
    polite.sendall(line(1, word="no"))
    bench.turn()
    assert answers(heard(polite))[0]["sentence"] == "Not that."


def test_long_requests_are_done_in_steps_beside_others_and_only_a_few(bench: Bench) -> None:
    client = bench.connect()
    client.sendall(line(1, "slowly", word="a") + line(2, word="no"))
    bench.turn()
    assert [answer["id"] for answer in answers(heard(client))] == [2]
    bench.turn(3)
    assert [answer["id"] for answer in answers(heard(client))] == [1]
    jobs = range(server.MOST_JOBS)
    client.sendall(b"".join(line(number, "slowly", word="a") for number in jobs))
    bench.turn()
    assert heard(client) == b""
    client.sendall(line(99, "slowly", word="one too many"))
    bench.turn(1, 0.001)
    assert texts.gateway.TABLE_BUSY in {answer["sentence"] for answer in answers(heard(client))}


def test_the_requests_of_who_hangs_up_are_dropped(bench: Bench) -> None:
    client = bench.connect()
    client.sendall(line(1, "slowly", word="a"))
    bench.turn(1, 0.001)
    (known,) = bench.server.clients
    assert known.jobs == {1}
    client.close()
    bench.turn(1, 0.001)
    assert bench.server.clients == []
    assert len(asyncio.all_tasks(bench.loop)) == 0


def test_a_flood_is_carried_out_at_a_bounded_pace(bench: Bench) -> None:
    client = bench.connect()
    bench.turn()
    done = sent = 0
    for _ in range(100):
        with suppress(BlockingIOError):
            sent += client.send(line(1, word="no") * 40)
        before = done
        bench.turn()
        done += len(answers(heard(client)))
        assert done - before <= STEPS
    assert done <= 260
    waiting = sent - done * len(line(1, word="no"))
    assert waiting < 655_360, "it is not read, nor kept"


def test_the_answers_of_who_does_not_read_them_are_few(bench: Bench) -> None:
    client = bench.connect()
    bench.turn()
    for number in range(300):
        with suppress(BlockingIOError):
            client.send(line(number, word="x" * 60_000))
        bench.turn(turn_s=0.01)
    (known,) = bench.server.clients
    assert len(known.answers) + len(known.jobs) <= server.MOST_ANSWERS
    assert len(known.answers) > 0


def test_nobody_gets_more_done_than_people_could_over_any_number_of_connections(bench: Bench) -> None:
    clients = [bench.connect() for _ in range(3)]
    bench.turn(4)
    done, begun_s = 0, bench.clock.now_s()
    for number in range(500):
        clients[number % 3].sendall(line(number, "seldom", word="x"))
        bench.turn(turn_s=0.1)
        told = b"".join(heard(client) for client in clients)
        done += told.count(b'"accepted":true')
        assert told.count(b'"accepted":true') or texts.gateway.TOO_MANY_REQUESTS.encode() in told
    assert SELDOM.burst < done <= SELDOM.burst + (bench.clock.now_s() - begun_s) / SELDOM.every_s


def test_who_reads_nothing_is_let_go_and_who_is_slow_hears_the_newest(bench: Bench) -> None:
    stuck, slow = bench.connect(), bench.connect()
    bench.turn(2)
    for number in range(200):
        bench.tell("panel", number=number, fill="x" * 100_000)
        bench.turn(turn_s=0.1)
    assert heard(stuck).endswith(b"(ended)")
    heard(slow)
    told = b""
    for number in range(3):
        slow = bench.connect()
        bench.tell("panel", number=1000 + number)
        bench.turn(2)
        told = heard(slow)
    assert answers(told) == [{"event": "panel", "payload": {"number": 1002}, "bytes": 0}]


def test_news_is_told_once(bench: Bench) -> None:
    client = bench.connect()
    for _ in range(3):
        bench.tell("panel", lines=["a"])
        bench.turn()
    assert len(answers(heard(client))) == 1


def test_a_fault_of_this_part_is_no_fault_of_the_table(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    client = bench.connect()
    bench.turn()
    monkeypatch.setattr(server, "parse_request", lambda _: 1 / 0)
    client.sendall(line(1, word="x"))
    bench.turn()
    assert heard(client) == b"(ended)"
    monkeypatch.undo()
    later = bench.connect()
    bench.turn()
    later.sendall(line(1, word="no"))
    bench.turn()
    assert answers(heard(later))[0]["sentence"] == "Not that."


@given(st.binary(max_size=200))
def test_bytes_are_a_request_or_refused(data: bytes) -> None:
    try:
        found = server.parse_request(data)
    except (WireError, server.BadRequestError):
        return
    assert found.kind


@given(st.booleans(), st.text(), st.binary(max_size=50))
def test_an_answer_is_one_line_and_its_body(yes: bool, sentence: str, body: bytes) -> None:
    data = Answer(accepted=yes, sentence=sentence, body=body).to_bytes(3)
    head, _, rest = data.partition(b"\n")
    assert rest == body
    assert json.loads(head)["bytes"] == len(body)
    assert json.loads(head)["sentence"] == sentence


def test_the_gateway_s_end_asks_and_hears_and_connects_again(tmp_path: Path) -> None:
    path = tmp_path / messages.SOCKET
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(8)

    async def talk() -> None:
        made = TableServer()
        made.kinds, made.table = KINDS, TABLE
        woken = asyncio.Event()
        await made.start(listener, woken.set)
        link = TableLink(path)
        running = asyncio.create_task(link.run())
        made.publish(Event("panel", {"lines": ["hello"]}))
        made.publish(Event(messages.STATE, body=b"{}"))
        async with asyncio.timeout(300):
            while link.state is None:
                await link.news.wait()
            while not link.payloads:
                await link.event_news.wait()
            both = await asyncio.gather(link.ask("say", {"word": "hi"}), link.ask("say", {"word": "no"}))
            assert [(each.accepted, each.sentence, each.body) for each in both] == [
                (True, "", b"body"),
                (False, "Not that.", b""),
            ]
            assert woken.is_set()
            assert (await link.ask("slowly", {"word": "hi"})).result == {"said": "hi"}
            assert (link.payloads, link.state) == ({"panel": {"lines": ["hello"]}}, b"{}")
            made.disconnect()
            while link.writer is not None:
                await asyncio.sleep(0.01)
            with pytest.raises(BusyError):
                await link.ask("say", {"word": "hi"})
            assert not link.payloads
            assert link.state is None
            while link.writer is None:
                await asyncio.sleep(0.01)
            assert (await link.ask("say", {"word": "hi"})).accepted
        running.cancel()
        made.close()
        await asyncio.sleep(0.01)

    asyncio.run(talk())
