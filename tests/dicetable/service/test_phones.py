"""Phones as the panel: what they are sent, and what they never get."""

from __future__ import annotations

import asyncio
import pty
import socket
from contextlib import ExitStack
from dataclasses import replace
from os import close, ttyname
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from common import texts
from common.messages import SOCKET
from dicetable.config.drivers import PHONES, web_panel_of
from dicetable.service import game_requests
from dicetable.service.game_requests import Start
from dicetable.service.operator_requests import Ask, OperatorRequests
from dicetable.service.phones import Called, Coloured, Phones
from dicetable.service.server import Nothing, Request
from hardware.screen_panel import ScreenPanel
from hardware.simulated import clock
from hardware.web_panel import NEXT, SeatClaims, WebPanel
from tests.dicetable.service.evenings import Evening

if TYPE_CHECKING:
    from common.messages import Answer

CODE = "123 456"


def ask_for_a_code(evening: Evening) -> Answer:
    kind = OperatorRequests(evening.service, None, Path()).kinds()["operator_code"]
    payload = {"code": CODE, "lives_s": 60}
    asked = Request(id=1, kind="operator_code", payload=payload)
    reply = kind.begin(asked, evening.table)
    evening.turns(3)
    return reply  # type: ignore[return-value]


def call(evening: Evening, token: str, seat: int, name: str) -> str:
    asked = Called(token=token, seat=seat, name=name)
    return Phones(evening.service.parts.panel).name(asked, evening.table).sentence  # type: ignore[arg-type]


def test_no_phone_takes_a_name_that_looks_like_another_seat_s(tmp_path: Path) -> None:
    evening = Evening(tmp_path, "six_shooter", phones=True, screens=False)
    claims = evening.claims
    first, second = (claims.claim(claims.codes(0.0)[seat], "", 0.0)[0] for seat in (1, 2))
    assert call(evening, first, 1, "Ann") == ""
    for name in ("Ann", "ANN", "Ánn", "ann"):
        assert call(evening, second, 2, name) == texts.phones.NAME_TAKEN
    assert call(evening, first, 1, "ANN") == "", "one's own name may change its case"
    assert call(evening, second, 2, "Anna") == ""
    evening.close()


def test_names_and_colours_of_phones_outlive_a_restart(tmp_path: Path) -> None:
    evening = Evening(tmp_path, "six_shooter", phones=True, screens=False)
    kept: list[bytes] = []
    claims = evening.claims
    claims.keep = kept.append
    token, _ = claims.claim(claims.codes(0.0)[2], "", 0.0)
    phones = Phones(evening.service.parts.panel)  # type: ignore[arg-type]
    assert call(evening, token, 2, "Zoë") == ""
    assert phones.colour(Coloured(token=token, seat=2, colour=5), evening.table).accepted
    evening.close()
    (tmp_path / "again").mkdir()
    again = Evening(tmp_path / "again", "six_shooter", phones=True, screens=False)
    claims = SeatClaims(3, kept[-1])
    assert claims.heard(token, 0.0) == {2}
    Phones(WebPanel(again.clock, claims)).restore(again.table)
    assert again.table.called_or_name(2) == "Zoë"
    assert again.table.colours[2] == 5
    again.close()


def test_a_new_guest_is_not_called_by_the_last_one_s_name(tmp_path: Path) -> None:
    evening = Evening(tmp_path, "six_shooter", phones=True, screens=False)
    claims, table = evening.claims, evening.table
    token, _ = claims.claim(claims.codes(0.0)[2], "", 0.0)
    usual = table.called_or_name(2)
    assert call(evening, token, 2, "Maximilian") == ""
    claims.leave(token)
    phones = Phones(evening.service.parts.panel)  # type: ignore[arg-type]
    server: Any = SimpleNamespace(clients=(), publish=lambda _: None)
    phones.publish(server, table, 1.0)
    assert table.called_or_name(2) == "Maximilian"
    phones.publish(server, table, 601.0)
    assert table.called_or_name(2) == usual
    evening.close()


@pytest.mark.parametrize("kept", [b'{"1": "0', b"", b"[" * 65_537])
def test_damaged_seats_of_phones_are_kept_and_logged(
    kept: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / PHONES).write_bytes(kept)
    panel = web_panel_of(clock.VirtualClock(), 3, tmp_path)
    assert panel.claims.holders == {}
    assert (tmp_path / f"damaged-{PHONES}").read_bytes() == kept
    assert "phones=damaged" in caplog.text


def test_the_panel_says_that_seats_were_damaged_until_a_phone_sits_down(tmp_path: Path) -> None:
    evening = Evening(tmp_path, "six_shooter", phones=True, screens=False)
    claims, table = SeatClaims(3, b""), evening.table
    phones = Phones(WebPanel(evening.clock, claims))
    server: Any = SimpleNamespace(clients=(), publish=lambda _: None)
    phones.publish(server, table, 0.0)
    assert table.explained("phones") == (
        "The phones' seats were damaged and are all free: scan the table's code again"
    )
    claims.claim(claims.codes(0.0)[NEXT], "", 0.0)
    phones.publish(server, table, 1.0)
    assert "phones" not in table.degraded
    evening.close()


@pytest.mark.parametrize(
    "chosen", ['{"2": ["x", 99]}', '{"2": [3, 1]}', '{"9": ["x", 1]}', '{"2": ["\\u0007", 0]}']
)
def test_damaged_choices_of_phones_do_no_harm(chosen: str, tmp_path: Path) -> None:
    evening = Evening(tmp_path, "six_shooter", phones=True)
    claims = SeatClaims(3, f'{{"chosen": {chosen}}}'.encode())
    Phones(WebPanel(evening.clock, claims)).restore(evening.table)
    assert evening.table.colours == {seat: seat for seat in range(1, 9)}
    evening.close()


TEACHING = (
    "keep_dice", "background", "keep_lens", "keep_rig", "face", "throw", "name", "lens", "rig",
    "put_back_dice", "put_back_lens", "put_back_rig",
)  # fmt: skip


@pytest.mark.parametrize("what", TEACHING)
def test_the_eye_learns_nothing_new_while_a_game_is_played(what: str, tmp_path: Path) -> None:
    evening = Evening(tmp_path, "six_by_6", screens=False)
    requests = OperatorRequests(evening.service, None, tmp_path)
    before = asyncio.run(requests.eye(Ask(what=what), evening.table))
    assert before.sentence == texts.operator.NO_EYE, "between games it is asked"
    assert start(evening, "Ann", "Bob") == ""
    assert asyncio.run(requests.eye(Ask(what=what), evening.table)).sentence == texts.operator.GAME_RUNS
    assert asyncio.run(requests.eye(Ask(what="view"), evening.table)).sentence == texts.operator.NO_EYE
    evening.close()


def start(evening: Evening, *names: str) -> str:
    asked = Start(game="six_by_6", names={str(seat): name for seat, name in enumerate(names, 1)})
    return game_requests.start(asked, evening.table).sentence


def test_the_operator_starts_no_game_with_names_that_look_alike(tmp_path: Path) -> None:
    evening = Evening(tmp_path, "six_by_6", screens=False)
    assert start(evening, "Ann", "Ánn") == texts.panel.SAME_NAME
    assert start(evening, "Ann", "Anna") == ""
    evening.close()


def test_the_operator_seats_the_house_beside_people(tmp_path: Path) -> None:
    evening = Evening(tmp_path, "six_by_6", screens=False)
    asked = Start(game="mia", names={"1": "Ann"}, house={"2": "hard", "3": "easy"})
    assert game_requests.start(asked, evening.table).sentence == ""
    assert evening.table.state.house == {"House": "hard", "House 2": "easy"}
    game_requests.end(Nothing(), evening.table)
    both = Start(game="mia", names={"1": "Ann"}, house={"1": "hard"})
    assert game_requests.start(both, evening.table).sentence == texts.operator.NO_SUCH_GAME
    alone = Start(game="mia", names={}, house={"1": "hard", "2": "easy"})
    assert "needs a player" in game_requests.start(alone, evening.table).sentence
    evening.close()


def sent(evening: Evening) -> str:
    return "".join(data.decode() for _, data in evening.server.events.values())


def test_a_login_code_reaches_no_phone(tmp_path: Path) -> None:
    evening = Evening(tmp_path, "six_shooter", phones=True)
    gateway = socket.socket(socket.AF_UNIX)
    gateway.connect(str(tmp_path / SOCKET))
    evening.claims.claim(evening.claims.codes(0.0)[1], "", 0.0)
    evening.turns(3)
    assert texts.phones.NEW_GAME in sent(evening)
    reply = ask_for_a_code(evening)
    assert CODE not in sent(evening)
    assert "Operator" not in sent(evening)
    assert evening.service.parts.panel.degraded is None
    assert reply.result == {"panel": False}, "no display at the table shows it"
    gateway.close()
    evening.close()


def test_a_text_screen_beside_the_phones_shows_the_code_and_they_do_not(tmp_path: Path) -> None:
    async def story() -> None:
        evening = Evening(tmp_path, "six_shooter", phones=True)
        phones = evening.service.parts.panel
        with ExitStack() as stack:
            master, slave = pty.openpty()
            for each in (master, slave):
                stack.callback(close, each)
            panel = ScreenPanel(phones, Path(ttyname(slave)), only_display=False)
            evening.service.parts = replace(evening.service.parts, panel=panel)
            gateway = stack.enter_context(socket.socket(socket.AF_UNIX))
            gateway.connect(str(tmp_path / SOCKET))
            panel.start(lambda: None)
            evening.turns(3)
            assert ask_for_a_code(evening).result == {"panel": True}
            assert any(CODE in line for line in panel._view.lines)
            assert CODE not in sent(evening)
            panel.stop()
        evening.close()

    clock.run(story())
