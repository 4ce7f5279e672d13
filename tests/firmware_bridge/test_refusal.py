"""Refusals and their names: other versions, other boards, other hosts, the host's own echo."""

from __future__ import annotations

import pytest

from firmware_bridge.errors import BoardMismatchError, RefusedError, VersionMismatchError
from firmware_bridge.host_session import EventReceiver, HostSession, HostState, Linked, Refused
from firmware_bridge.messages import (
    NO_BOOT_ID,
    BoardHello,
    HostHello,
    Inputs,
    ResetCause,
    Version,
    to_body,
)
from firmware_bridge.protocol import encode_frame
from tests.firmware_bridge.board_session import BoardIdentity, BoardSession, BoardState, HostRefused
from tests.firmware_bridge.world import EXPECTED, SOFTWARE


def hello(**changed: object) -> bytes:
    facts: dict[str, object] = {
        "oldest": 1,
        "newest": 1,
        "firmware": Version(1, 0, 0),
        "boot_id": 77,
        "answers": NO_BOOT_ID,
        "resumed": False,
        "reset_cause": ResetCause.POWER,
        "inputs": EXPECTED.inputs,
        "lamps": EXPECTED.lamps,
        "board_id": EXPECTED.board_id,
    }
    return encode_frame(to_body(BoardHello(**(facts | changed)), 0))  # type: ignore[arg-type]


def seeking_host() -> HostSession:
    host = HostSession(1234, EXPECTED, SOFTWARE)
    host.connected(0.0)
    return host


def test_a_board_that_has_not_been_pinged_has_damaged_no_frame() -> None:
    assert seeking_host().board_health.damaged_frames == 0


def test_a_board_of_another_version_is_refused_by_name() -> None:
    host = seeking_host()
    (refused,) = host.receive(hello(oldest=2, newest=3), 0.1)
    assert isinstance(refused, Refused)
    assert isinstance(refused.reason, VersionMismatchError)
    assert "2 to 3" in str(refused.reason)
    assert host.state is HostState.REFUSED


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"board_id": "toaster"}, "'toaster'"),
        ({"inputs": 24}, "24 inputs"),
        ({"lamps": 8}, "8 lamps"),
    ],
)
def test_a_board_that_does_not_fit_is_refused_by_name(changed: dict[str, object], said: str) -> None:
    host = seeking_host()
    (refused,) = host.receive(hello(**changed), 0.1)
    assert isinstance(refused, Refused)
    assert isinstance(refused.reason, BoardMismatchError)
    assert said in str(refused.reason)


def test_a_refused_board_is_asked_again_and_lost_when_it_is_silent() -> None:
    host = seeking_host()
    host.receive(hello(oldest=2, newest=3), 0.1)
    assert host.due == pytest.approx(1.1)
    assert host.outgoing(1.1) != b""
    assert host.due == pytest.approx(1.6)
    assert host.advance(1.6) == []
    assert host.state is HostState.SEEKING


def test_a_refusal_is_told_once_and_heals() -> None:
    host = seeking_host()
    assert len(host.receive(hello(newest=9, oldest=9), 0.1)) == 1
    assert host.receive(hello(newest=9, oldest=9), 0.6) == []
    refusal: RefusedError | None = host.refusal
    assert refusal is not None
    assert len(host.receive(hello(board_id="toaster"), 0.7)) == 1
    assert host.receive(hello(), 1.2) == []
    assert host.state is HostState.SEEKING
    assert host.outgoing(1.2) != b""
    (linked,) = host.receive(hello(answers=1234), 1.3)
    assert isinstance(linked, Linked)


def test_a_refused_board_that_falls_silent_is_sought_again() -> None:
    host = seeking_host()
    host.receive(hello(newest=9, oldest=9), 0.1)
    host.advance(1.6)
    assert host.state is HostState.SEEKING


def test_the_board_refuses_a_host_of_another_version_and_says_who_it_is() -> None:
    board = BoardSession(BoardIdentity("dicetable-25x9", Version(1, 0, 0), 25, 9, 5), 0.0)
    board.outgoing(0.0)
    newer = HostHello(2, 4, SOFTWARE, 9, NO_BOOT_ID)
    assert board.receive(encode_frame(to_body(newer, 0)), 0.1) == [HostRefused(2, 4)]
    assert board.state is BoardState.ALONE
    assert board.outgoing(0.1) != b"", "the host must learn why"


def test_a_host_that_speaks_more_versions_is_welcome() -> None:
    host = seeking_host()
    (linked,) = host.receive(hello(newest=4, answers=1234), 0.1)
    assert isinstance(linked, Linked)
    assert linked.version == 1


def test_an_answer_to_another_host_links_nobody() -> None:
    host = seeking_host()
    assert host.receive(hello(answers=4321), 0.1) == []
    assert host.state is HostState.SEEKING


def test_a_host_does_not_hear_itself() -> None:
    """A loop-back plug in place of a board."""
    host = seeking_host()
    for step in range(100):
        assert host.receive(host.outgoing(step * 0.1), step * 0.1) == []
    assert host.state is HostState.SEEKING


@pytest.mark.parametrize("boot_id", [0, -1, 1 << 32])
def test_an_impossible_boot_id_is_refused(boot_id: int) -> None:
    with pytest.raises(ValueError, match="boot id"):
        HostSession(boot_id, EXPECTED, SOFTWARE)


def test_a_board_that_goes_on_with_events_the_host_never_had_is_asked_again() -> None:
    host = seeking_host()
    host.outgoing(0.0)
    assert host.receive(hello(answers=1234, resumed=True), 0.1) == []
    assert host.state is HostState.SEEKING
    assert host.outgoing(0.1) != b""


def test_what_no_board_says_counts_as_damage_until_the_device_is_opened_anew() -> None:
    host = seeking_host()
    assert host.receive(2 * encode_frame(b"\xff" * 8), 0.1) == []
    assert host.damaged_frames == 2
    host.disconnected()
    host.connected(1.0)
    assert host.damaged_frames == 0


def test_inputs_that_restart_are_taken_once_however_often_the_board_repeats_them() -> None:
    events = EventReceiver()
    events.begin(77, resumed=False)
    assert [
        events.take(Inputs(number, restart=True, lost=0, held=frozenset())) for number in (5, 5, 6, 6, 5)
    ] == [*(True, False, True, False, False)]
