"""The settings page: shows the config as a form, tries changes, and has them saved by whoever may.

On the table that is root's helper behind `settings.sock`, which checks everything again; on a laptop the file
is the user's own.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.gateway.operator.guard import RequestRefusedError, answer
from dicetable.gateway.operator.programs import json_of, object_in

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from dicetable.gateway.operator.entrance import Entrance

PROGRAM: Final = "dicetable.config.form"
HELPER: Final = "settings.sock"
HELPER_S: Final = 30.0
LONGEST_ANSWER: Final = 512 * 1024


class SettingsPages:
    """The config file of the table that the gateway serves."""

    def __init__(self, entrance: Entrance) -> None:
        self.entrance = entrance
        self.file = entrance.settings.config
        self.helper = Path(entrance.settings.state).with_name(HELPER)

    async def show(self, request: Request) -> Response:
        """The config as a form: each setting with its value, unit and help."""
        self.entrance.session(request)
        return answer(await json_of(PROGRAM, "show", self.checked_file()))

    async def check(self, request: Request) -> Response:
        """What would be different with these `changes` to the `version` shown, and what is wrong with it."""
        session, body = await self.entrance.change(request)
        return answer(await json_of(PROGRAM, "check", self.checked_file(), given=line_of(body)), session)

    async def save(self, request: Request) -> Response:
        """Saves these `changes` to the `version` shown, if nothing is wrong with them."""
        session, body = await self.entrance.change(request)
        if self.helper.exists():
            found = await self.asked_helper(line_of(body))
        else:
            found = await json_of(PROGRAM, "save", self.checked_file(), given=line_of(body))
        return answer(found, session)

    def checked_file(self) -> str:
        """The file; RequestRefusedError if the table runs without one."""
        if not self.file:
            raise RequestRefusedError(409, texts.operator.NO_FILE)
        return self.file

    async def asked_helper(self, line: bytes) -> dict[str, Any]:
        """The answer of root's helper; RequestRefusedError if there is none."""
        try:
            async with asyncio.timeout(HELPER_S):
                reader, writer = await asyncio.open_unix_connection(str(self.helper), limit=LONGEST_ANSWER)
                writer.write(line)
                await writer.drain()
                output = await reader.readline()
                writer.close()
        except (OSError, ValueError):  # TimeoutError is an OSError
            raise RequestRefusedError(503, texts.operator.NO_HELPER) from None
        return object_in(output)


def line_of(body: dict[str, Any]) -> bytes:
    """The changes as the program takes them."""
    told = {name: body[name] for name in ("changes", "version", "chosen") if name in body}
    return json.dumps(told).encode() + b"\n"
