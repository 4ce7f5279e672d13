"""The gateway's end of `state.sock`: how many questions may wait."""

from __future__ import annotations

import asyncio
from pathlib import Path
from unittest.mock import create_autospec

import pytest

from dicetable.gateway.link import MOST_OF_A_KIND, BusyError, TableLink
from dicetable.state import wire


def test_no_kind_of_question_keeps_the_others_out() -> None:
    async def scenario() -> None:
        link = TableLink(Path("unused"))
        link.writer = create_autospec(asyncio.StreamWriter, instance=True)
        asked = [asyncio.ensure_future(link.throws(number)) for number in range(MOST_OF_A_KIND)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await link.throws(1000)
        picture = asyncio.ensure_future(link.picture(1))
        same = asyncio.ensure_future(link.throws(0))
        await asyncio.sleep(0)
        link.waiting[wire.Request(wire.PICTURE, 1)].set_result(b"a picture")
        link.waiting[wire.Request(wire.THROWS, 0)].set_result(b"[]")
        assert (await picture, await same, await asked[0]) == (b"a picture", b"[]", b"[]")
        link.lost()
        lost = await asyncio.gather(*asked[1:], return_exceptions=True)
        assert {type(each) for each in lost} == {BusyError}

    asyncio.run(scenario())
