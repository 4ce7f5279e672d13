"""Messages on the table's socket: split anywhere, too long, or invalid."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest

from common import messages
from common.messages import Answer, Answered, Event, WireError
from dicetable.service import server

MESSAGES: list[Answered | Event] = [
    Event(messages.STATE, body=b'{"v":1}\n'),
    Event("panel", {"question": 7}),
    Answered(41, Answer(accepted=True)),
    Answered(messages.HIGHEST, Answer(accepted=False, sentence="No.", result={"later": True}, body=b"[]")),
]
HEAD = {"id": 1, "accepted": True, "sentence": "", "result": {}, "bytes": 1}
WRONG: list[dict[str, Any]] = [{"id": -1}, {"id": "1"}, {"accepted": 1}, {"sentence": None}, {"result": []}]


def reader() -> asyncio.StreamReader:
    return asyncio.StreamReader(limit=131_072)


def read(data: bytes) -> Answered | Event:
    async def message() -> Answered | Event:
        made = reader()
        made.feed_data(data)
        made.feed_eof()
        return await messages.read_message(made)

    return asyncio.run(message())


@pytest.mark.parametrize("step", [1, 2, 7, 1000])
def test_messages_come_through_however_they_are_cut(step: int) -> None:
    data = b"".join(
        each.to_bytes() if isinstance(each, Event) else each.answer.to_bytes(each.number) for each in MESSAGES
    )

    async def receive() -> None:
        made = reader()
        receiving = asyncio.ensure_future(all_of(made))
        for at in range(0, len(data), step):
            made.feed_data(data[at : at + step])
            await asyncio.sleep(0)
        made.feed_eof()
        assert await receiving == MESSAGES

    async def all_of(made: asyncio.StreamReader) -> list[Answered | Event]:
        found = []
        with suppress(ConnectionResetError):
            while True:
                found.append(await messages.read_message(made))
        return found

    asyncio.run(receive())


@pytest.mark.parametrize(
    "line",
    [
        b"GET / HTTP/1.1\r\n",
        b"[]\n",
        b'{"event":"state","payload":{}}\n',
        b'{"event":"state","payload":{},"bytes":-1}\n',
        b'{"event":"state","payload":{},"bytes":true}\n',
        b'{"event":"state","payload":{},"bytes":999999999}\n',
        b'{"event":"state","payload":[],"bytes":0}\n',
        b'{"event":"state","bytes":0}\n',
        b'{"event":"state","payload":{},"bytes":0,"more":1}\n',
        *(messages.line_of({**HEAD, **wrong}, b"x") for wrong in WRONG),
        b"x" * 200_000,
        b"[" * 5000 + b"\n",
        b"\xff\xfe\n",
    ],
)
def test_what_is_no_message_ends_the_connection(line: bytes) -> None:
    with pytest.raises(WireError):
        read(line)


def test_an_end_in_the_middle_is_an_end() -> None:
    for data in (b"", b'{"event":', json.dumps(HEAD).encode() + b"\n"):
        with pytest.raises(ConnectionResetError):
            read(data)


@pytest.mark.parametrize("payload", [{"number": 41}, {}])
def test_a_request_is_what_it_was(payload: dict[str, Any]) -> None:
    line = messages.line_of({"id": 7, "kind": "picture", "payload": payload})
    assert line.endswith(b"\n")
    asked = server.parse_request(line[:-1])
    assert (asked.id, asked.kind, asked.payload) == (7, "picture", payload)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b'{"id":1}',
        b'{"kind":"picture","payload":{"number":1}}',
        b'{"id":1.0,"kind":"picture","payload":{"number":1}}',
        b'{"id":1,"kind":"picture","payload":1}',
        b'{"id":1,"kind":"picture","payload":{},"path":"/etc/passwd"}',
    ],
)
def test_what_is_no_request_is_refused(line: bytes) -> None:
    with pytest.raises((WireError, server.BadRequestError)):
        server.parse_request(line)


def test_a_line_without_end_is_refused() -> None:
    async def line() -> bytes:
        made = reader()
        made.feed_data(b"x" * 131_073)
        return await messages.read_line(made)

    with pytest.raises(WireError):
        asyncio.run(line())
