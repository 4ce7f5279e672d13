"""The health page: the doctor's findings, logs, the serial line, and a zip of it all to send to a helper."""

from __future__ import annotations

import io
import json
import shutil
import sys
import time
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from common import texts
from gateway.link import BusyError, TableLink
from gateway.requests import (
    RequestRefusedError,
    accepted,
    answer,
    ask_helper,
    parse_object,
    run_module,
    run_program,
)
from gateway.sessions import OperatorSession
from gateway.settings import GatewaySettings

UNITS: Final = ("dicetable.service", "dicetable-gateway.service")
LINES: Final = 400
DOCTOR_S: Final = 130.0
MOST_PICTURES: Final = 10


class HealthPages:
    """Shows the state of the table's parts."""

    def __init__(self, settings: GatewaySettings, link: TableLink) -> None:
        self.settings = settings
        self.table = link

    async def doctor(self, _: Request, session: OperatorSession) -> Response:
        """What the doctor finds now, as `dicetable doctor --json` prints it."""
        return answer(await self.findings(), session)

    async def findings(self) -> dict[str, Any]:
        return parse_object(accepted(await self.table.ask("operator_health", {}, DOCTOR_S)).body)

    async def serial(self, _: Request, __: OperatorSession) -> Response:
        """What goes over the panel's serial line: the result of `operator_link`."""
        return answer(await self.serial_line())

    async def logs(self, _: Request, __: OperatorSession) -> Response:
        """The last lines of both services, as one `text`."""
        return answer({"text": await self.journal()})

    async def journal(self) -> str:
        """The last lines of both services, from the helper or on a laptop from systemd; else why not."""
        helper = Path(self.settings.socket).with_name("journal.sock")
        try:
            lines = await ask_helper(helper) if helper.exists() else await own_journal()
        except OSError:
            lines = b""
        except RequestRefusedError as error:
            return error.sentence
        return lines.decode("utf-8", "replace") or texts.operator.NO_JOURNAL

    async def bundle(self, _: Request, session: OperatorSession, body: dict[str, Any]) -> Response:
        """What a helper needs, in one zip; no secrets, and pictures only if `pictures`."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            about = {
                "dicetable": version("dicetable"),
                "python": sys.version,
                "at_utc": time.strftime("%FT%TZ", time.gmtime()),
            }
            archive.writestr("about.json", as_json(about))
            archive.writestr("doctor.json", as_json(await attempt(self.findings())))
            archive.writestr("log.txt", await self.journal())
            if self.settings.config:
                shown = await attempt(run_module("dicetable.config.form", "plain", self.settings.config))
                archive.writestr("table.json", as_json(shown))
            archive.writestr("state.json", self.table.state or b"null")
            archive.writestr("link.json", as_json(await attempt(self.serial_line())))
            if body.get("pictures") is True:
                for number, jpeg in (await self.pictures()).items():
                    archive.writestr(f"throws/{number}.jpg", jpeg)
        name = time.strftime("dicetable-%Y%m%d-%H%M%S.zip", time.gmtime())
        headers = {
            "cache-control": "no-store",
            "content-disposition": f'attachment; filename="{name}"',
            "x-operator-token": session.token(),
        }
        return Response(packed.getvalue(), 200, headers, "application/zip")

    async def serial_line(self) -> dict[str, Any]:
        return dict(accepted(await self.table.ask("operator_link", {})).result)

    async def pictures(self) -> dict[int, bytes]:
        """The pictures of the last throws, as guests may see them."""
        pictures: dict[int, bytes] = {}
        snapshot = self.table.snapshot()
        for throw in snapshot["throws"][:MOST_PICTURES] if snapshot is not None else ():
            if throw["picture"]:
                try:
                    pictures[throw["number"]] = await self.table.picture(throw["number"])
                except BusyError:
                    break
        return pictures


async def attempt(pending: Any) -> Any:
    """The answer, or why there is none: a bundle is needed most when something does not work."""
    try:
        return await pending
    except RequestRefusedError as error:
        return {"error": error.sentence}
    except BusyError:
        return {"error": texts.operator.TABLE_AWAY}


async def own_journal() -> bytes:
    """The last lines of both services as this user may read them. Raises RequestRefusedError."""
    program = shutil.which("journalctl")
    if program is None:
        return b""
    units = [f"--unit={unit}" for unit in UNITS]
    command = [program, *units, f"--lines={LINES}", "--output=short-iso", "--no-pager", "--quiet"]
    return await run_program(command)


def as_json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)
