"""The settings page: shows the config as a form, tries changes, and has them saved.

On the table, root's helper behind `settings.sock` saves them and checks everything again; on a laptop the
file is the user's own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from dicetable import texts
from dicetable.gateway.operator.credentials import OperatorSession
from dicetable.gateway.requests import RequestRefusedError, answer, ask_helper, parse_object, run_module
from dicetable.gateway.settings import GatewaySettings

PROGRAM: Final = "dicetable.config.form"


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
            try:
                found = parse_object(await ask_helper(self.helper, line_of(body)))
            except OSError:
                raise RequestRefusedError(503, texts.operator.NO_HELPER) from None
        else:
            found = await run_module(PROGRAM, "save", self.checked_file(), given=line_of(body))
        return answer(found, session)

    def checked_file(self) -> str:
        """The path of the file. Raises RequestRefusedError if the table runs without one."""
        if not self.file:
            raise RequestRefusedError(409, texts.operator.NO_FILE)
        return self.file


def line_of(body: dict[str, Any]) -> bytes:
    changes = {name: body[name] for name in ("changes", "version", "chosen") if name in body}
    return json.dumps(changes).encode() + b"\n"
