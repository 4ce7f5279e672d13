"""The gateway's ends of the table's sockets: how many questions may wait, and how long one may be."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from unittest.mock import create_autospec

import pytest

from common import messages
from common.messages import Answer, Answered
from gateway.link import BusyError, TableLink


def test_no_kind_of_question_keeps_the_others_out() -> None:
    async def scenario() -> None:
        link = TableLink(Path("unused"))
        link.writer = create_autospec(asyncio.StreamWriter, instance=True)
        asked = [asyncio.ensure_future(link.read(messages.THROWS, number)) for number in range(8)]
        await asyncio.sleep(0.01)
        with pytest.raises(BusyError):
            await link.read(messages.THROWS, 1000)
        picture = asyncio.ensure_future(link.picture(1))
        same = asyncio.ensure_future(link.read(messages.THROWS, 0))
        await asyncio.sleep(0.01)
        assert len(link.waiting) == 9
        link.take(Answered(9, Answer(accepted=True, body=b"a picture")))
        link.take(Answered(1, Answer(accepted=True, body=b"[]")))
        assert (await picture, await same, await asked[0]) == (b"a picture", b"[]", b"[]")
        link.lost()
        lost = await asyncio.gather(*asked[1:], return_exceptions=True)
        assert {type(each) for each in lost} == {BusyError}

    asyncio.run(scenario())


def test_a_request_too_long_for_the_table_is_not_sent_and_costs_no_connection() -> None:
    async def scenario() -> None:
        link = TableLink(Path("unused"))
        link.writer = writer = create_autospec(asyncio.StreamWriter, instance=True)
        with pytest.raises(BusyError):
            await link.ask("league_news", {"contests": "x" * 131_072})
        writer.write.assert_not_called()
        assert link.writer is writer
        assert not link.waiting

    asyncio.run(scenario())


def test_the_longest_news_of_a_league_fits() -> None:
    players = [{"player": "0" * 16, "name": "Ж" * 18}] * 64
    contest = {"contest": 10**6, "name": "Ж" * 40, "game": "six_shooter"}
    full = [{**contest, "waiting": players, "called": players[:8]}] * 8
    line = json.dumps({"id": 10**6, "kind": "league_news", "payload": {"contests": full}})
    assert len(line) < messages.LONGEST_LINE_BYTES
