"""The settings page: shows the config as a form, tries changes, and has them saved.

On the table, root's helper behind `settings.sock` saves them and checks everything again; on a laptop the
file is the user's own.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from dicetable import texts
from dicetable.gateway.operator.credentials import OperatorSession
from dicetable.gateway.requests import RequestRefusedError, answer, parse_object, run_module
from dicetable.gateway.settings import GatewaySettings

PROGRAM: Final = "dicetable.config.form"
HELPER_S: Final = 30.0
LONGEST_ANSWER: Final = 512 * 1024


class SettingsPages:
    """Shows and changes the config file of the table."""

    def __init__(self, settings: GatewaySettings) -> None:
        self.file = settings.config
        self.helper = Path(settings.socket).with_name("settings.sock")

    async def show(self, _: Request, __: OperatorSession) -> Response:
        """The config as a form: each setting with its value, unit and help."""
        return answer(await run_module(PROGRAM, "show", self.checked_file()))

    async def check(self, _: Request, session: OperatorSession, body: dict[str, Any]) -> Response:
        """What would be different with these `changes` to the `version` shown, and what is wrong with it."""
        return answer(await run_module(PROGRAM, "check", self.checked_file(), given=line_of(body)), session)

    async def save(self, _: Request, session: OperatorSession, body: dict[str, Any]) -> Response:
        """Saves these `changes` to the `version` shown, if nothing is wrong with them."""
        if self.helper.exists():
            found = await self.ask_helper(line_of(body))
        else:
            found = await run_module(PROGRAM, "save", self.checked_file(), given=line_of(body))
        return answer(found, session)

    def checked_file(self) -> str:
        """The path of the file. Raises RequestRefusedError if the table runs without one."""
        if not self.file:
            raise RequestRefusedError(409, texts.operator.NO_FILE)
        return self.file

    async def ask_helper(self, line: bytes) -> dict[str, Any]:
        """The answer of root's helper. Raises RequestRefusedError if there is none."""
        try:
            async with asyncio.timeout(HELPER_S):
                reader, writer = await asyncio.open_unix_connection(str(self.helper), limit=LONGEST_ANSWER)
                writer.write(line)
                await writer.drain()
                output = await reader.readline()
                writer.close()
        except (OSError, ValueError):  # TimeoutError is an OSError
            raise RequestRefusedError(503, texts.operator.NO_HELPER) from None
        return parse_object(output)


def line_of(body: dict[str, Any]) -> bytes:
    changes = {name: body[name] for name in ("changes", "version", "chosen") if name in body}
    return json.dumps(changes).encode() + b"\n"
