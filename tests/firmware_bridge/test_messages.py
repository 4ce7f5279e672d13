"""Messages as bytes: golden bodies, round trips of every kind, and rejection of everything else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.errors import MessageError
from firmware_bridge.messages import (
    BY_TYPE,
    BoardHello,
    BoardLamp,
    BoardLampMode,
    BoardPing,
    Event,
    EventAck,
    HostHello,
    HostPing,
    Inputs,
    Lamps,
    LampsAck,
    Message,
    ResetCause,
    Stay,
    Text,
    TextAck,
    Version,
    from_body,
    session_key,
    to_body,
)
from firmware_bridge.protocol import MAX_BODY_BYTES
from tests.firmware_bridge.golden_messages import (
    BOARD_BOOT_ID,
    HOST_BOOT_ID,
    MESSAGES,
    REFUSED,
    VERSION,
    checked,
)
from tests.firmware_bridge.vectors import rows, unhex

BYTE, HALF, WORD = st.integers(0, 0xFF), st.integers(0, 0xFFFF), st.integers(0, 0xFFFFFFFF)
ID = st.integers(1, 0xFFFFFFFF)
RANGE = st.tuples(BYTE, BYTE).map(sorted)
VERSIONS = st.builds(Version, BYTE, BYTE, BYTE)
LAMP = st.builds(BoardLamp, st.sampled_from(BoardLampMode), BYTE, BYTE, BYTE)
PRINTABLE = st.characters(min_codepoint=0x20, max_codepoint=0x7E)


def host_hello(versions: list[int], software: Version, boot_id: int, remembers: int) -> Message:
    return HostHello(versions[0], versions[1], software, boot_id, remembers)


def board_hello(
    versions: list[int], firmware: Version, ids: tuple[int, int], facts: tuple[int, int, str], resumed: bool
) -> Message:
    (oldest, newest), (inputs, lamps, board_id) = versions, facts
    return BoardHello(oldest, newest, firmware, *ids, resumed, ResetCause.BUTTON, inputs, lamps, board_id)


MESSAGE: st.SearchStrategy[Message] = st.one_of(
    st.builds(host_hello, RANGE, VERSIONS, ID, WORD),
    st.builds(
        board_hello,
        RANGE,
        VERSIONS,
        st.tuples(ID, WORD),
        st.tuples(st.integers(1, 32), st.integers(1, 12), st.text(PRINTABLE, min_size=1, max_size=16)),
        st.booleans(),
    ),
    st.just(HostPing()),
    st.just(Stay()),
    st.builds(BoardPing, HALF, HALF),
    st.builds(Lamps, HALF, st.lists(LAMP, min_size=1, max_size=12).map(tuple)),
    st.builds(Text, HALF, st.integers(0, 3), st.text(PRINTABLE, min_size=20, max_size=20)),
    st.builds(LampsAck, HALF),
    st.builds(TextAck, HALF, st.integers(0, 3)),
    st.builds(EventAck, WORD),
    st.builds(Event, WORD, BYTE, st.integers(0, 31), st.booleans()),
    st.builds(Inputs, WORD, st.booleans(), HALF, st.frozensets(st.integers(0, 31))),
)


def test_every_golden_message_has_its_value() -> None:
    assert [name for name, _, _ in rows("message")] == list(MESSAGES)
    assert {type(message) for message in MESSAGES.values()} == set(BY_TYPE.values())


@pytest.mark.parametrize(("name", "key", "body"), rows("message"))
def test_golden_message(name: str, key: str, body: str) -> None:
    assert to_body(MESSAGES[name], int(key, 16)) == unhex(body)
    assert from_body(unhex(body), int(key, 16)) == MESSAGES[name]


def test_golden_session_key() -> None:
    (row,) = rows("key")
    assert row == ["session", f"{HOST_BOOT_ID:08x}", f"{BOARD_BOOT_ID:08x}", str(VERSION), row[-1]]
    assert session_key(HOST_BOOT_ID, BOARD_BOOT_ID, VERSION) == int(row[-1], 16)


@given(MESSAGE, WORD)
def test_round_trip_within_a_frame(message: Message, key: int) -> None:
    body = to_body(message, key)
    assert len(body) <= MAX_BODY_BYTES
    assert from_body(body, key) == message


@given(MESSAGE, WORD, WORD)
def test_another_session_is_refused_but_a_hello_is_for_all(message: Message, key: int, other: int) -> None:
    body = to_body(message, key)
    if isinstance(message, HostHello | BoardHello):
        assert from_body(body, None) == from_body(body, other) == message
        return
    with pytest.raises(MessageError):
        from_body(body, None)
    if key != other:
        with pytest.raises(MessageError):
            from_body(body, other)


@given(MESSAGE, st.data())
def test_any_changed_byte_is_refused(message: Message, data: st.DataObject) -> None:
    body = bytearray(to_body(message, 7))
    body[data.draw(st.integers(0, len(body) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(MessageError):
        from_body(bytes(body), 7)


@given(st.binary(max_size=MAX_BODY_BYTES))
def test_noise_raises_message_error_and_nothing_else(body: bytes) -> None:
    with pytest.raises(MessageError):
        from_body(body, 7)


@pytest.mark.parametrize("plain", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_message_is_refused_though_its_check_fits(plain: str) -> None:
    with pytest.raises(MessageError):
        from_body(checked(unhex(plain or "-"), 0), 0)


def test_a_hello_may_grow_in_later_versions() -> None:
    for name in ("host_hello", "board_hello_answer"):
        plain = to_body(MESSAGES[name], 0)[:-4]
        assert from_body(checked(plain + b"more", 0), None) == MESSAGES[name]


def test_an_unknown_reset_cause_is_unknown() -> None:
    plain = bytearray(to_body(MESSAGES["board_hello_alone"], 0)[:-4])
    plain[15] = 99
    hello = from_body(checked(bytes(plain), 0), None)
    assert isinstance(hello, BoardHello)
    assert hello.reset_cause is ResetCause.UNKNOWN
