"""Messages on `state.sock`: split anywhere, too long, or invalid."""

from __future__ import annotations

import pytest

from dicetable import messages

MESSAGES = [
    messages.StateMessage(messages.STATE, 7, b'{"v":1}\n'),
    messages.StateMessage(messages.PICTURE, 41, b""),
    messages.StateMessage(messages.THROWS, messages.HIGHEST, b"[]"),
]


@pytest.mark.parametrize("step", [1, 2, 7, 1000])
def test_messages_come_through_however_they_are_cut(step: int) -> None:
    data = b"".join(message.to_bytes() for message in MESSAGES)
    reader = messages.Messages()
    found = [message for at in range(0, len(data), step) for message in reader.feed(data[at : at + step])]
    assert found == MESSAGES


@pytest.mark.parametrize(
    "line",
    [
        b"GET / HTTP/1.1\r\n",
        b"[]\n",
        b'{"is":"state","number":1}\n',
        b'{"is":"state","number":1,"bytes":-1}\n',
        b'{"is":"state","number":true,"bytes":1}\n',
        b'{"is":"state","number":1,"bytes":999999999}\n',
        b'{"is":"control","number":1,"bytes":1}\n',
        b"x" * 1000,
        b"[" * 199 + b"\n",
    ],
)
def test_what_is_no_message_ends_the_connection(line: bytes) -> None:
    with pytest.raises(messages.WireError):
        messages.Messages().feed(line)


def test_a_request_is_what_it_was() -> None:
    lines = messages.Lines()
    for asked in (messages.StateRequest(messages.PICTURE, 41), messages.StateRequest(messages.THROWS, 0)):
        for byte in asked.to_bytes():
            assert lines.next() is None
            lines.feed(bytes([byte]))
        line = lines.next()
        assert line is not None
        assert messages.request(line) == asked


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b'{"get":"state","number":1}',
        b'{"get":"picture"}',
        b'{"get":"picture","number":"1"}',
        b'{"get":"picture","number":1.0}',
        b'{"get":"picture","number":-1}',
        b'{"get":"picture","number":9007199254740992}',
        b'{"get":"picture","number":1,"path":"/etc/passwd"}',
    ],
)
def test_what_is_no_request_is_refused(line: bytes) -> None:
    with pytest.raises(messages.WireError):
        messages.request(line)


def test_a_line_without_end_is_refused() -> None:
    lines = messages.Lines()
    lines.feed(b"x" * (messages.LONGEST_LINE_BYTES + 1))
    with pytest.raises(messages.WireError):
        lines.next()
