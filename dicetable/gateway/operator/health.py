"""The health page: the doctor's findings, logs, the serial line, and all of it in one zip to send on."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import sys
import time
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from dicetable import texts
from dicetable.gateway.link import BusyError
from dicetable.gateway.operator.asking import done
from dicetable.gateway.operator.guard import RequestRefusedError, answer
from dicetable.gateway.operator.programs import MOST_BYTES, json_of, object_in, output_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from dicetable.gateway.link import TableLink
    from dicetable.gateway.operator.entrance import Entrance

UNITS: Final = ("dicetable.service", "dicetable-gateway.service")
LINES: Final = 400
HELPER: Final = "journal.sock"
HELPER_S: Final = 20.0
DOCTOR_S: Final = 130.0
MOST_PICTURES: Final = 10


class HealthPages:
    """How the table is."""

    def __init__(self, entrance: Entrance, link: TableLink, table: TableLink) -> None:
        self.entrance = entrance
        self.link = link
        self.table = table

    async def doctor(self, request: Request) -> Response:
        """What the doctor finds now, as `dicetable doctor --json` prints it."""
        session = self.entrance.session(request)
        return answer(await self.findings(), session)

    async def findings(self) -> dict[str, Any]:
        """The doctor's answer; RequestRefusedError or BusyError if there is none."""
        return object_in(done(await self.table.ask("operator_health", {}, DOCTOR_S)).body)

    async def serial(self, request: Request) -> Response:
        """What goes over the panel's serial line: the result of `operator_link`."""
        self.entrance.session(request)
        return answer(done(await self.table.ask("operator_link", {})).result)

    async def logs(self, request: Request) -> Response:
        """The last lines of both services, as one `text`."""
        self.entrance.session(request)
        return answer({"text": await self.journal()})

    async def journal(self) -> str:
        """The last lines of both services: from the table's helper, or on a laptop from systemd's journal."""
        helper = Path(self.entrance.settings.state).with_name(HELPER)
        return await helped(helper) if helper.exists() else await own_journal()

    async def bundle(self, request: Request) -> Response:
        """What a helper needs, in one zip; no secrets, and pictures only if `pictures`."""
        session, body = await self.entrance.change(request)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("about.json", as_json(about()))
            archive.writestr("doctor.json", as_json(await attempt(self.findings())))
            archive.writestr("log.txt", await self.journal())
            if self.entrance.settings.config:
                shown = await attempt(
                    json_of("dicetable.config.operating", "plain", self.entrance.settings.config)
                )
                archive.writestr("table.json", as_json(shown))
            archive.writestr("state.json", self.link.state or b"null")
            link = await attempt(self.serial_line())
            archive.writestr("link.json", as_json(link))
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
        """As `serial`."""
        return dict(done(await self.table.ask("operator_link", {})).result)

    async def pictures(self) -> dict[int, bytes]:
        """The pictures of the last throws, as guests may see them."""
        found: dict[int, bytes] = {}
        state = json.loads(self.link.state or b"{}")
        for throw in state.get("throws", [])[:MOST_PICTURES]:
            if throw["picture"]:
                try:
                    found[throw["number"]] = await self.link.picture(throw["number"])
                except BusyError:
                    break
        return found


async def attempt(asked: Any) -> Any:
    """The answer, or why there is none: a bundle is most wanted when something does not work."""
    try:
        return await asked
    except RequestRefusedError as error:
        return {"error": error.sentence}
    except BusyError:
        return {"error": texts.operator.TABLE_AWAY}


async def helped(helper: Path) -> str:
    """What the helper writes; else why there is nothing."""
    found = bytearray()
    try:
        async with asyncio.timeout(HELPER_S):
            reader, writer = await asyncio.open_unix_connection(str(helper))
            while (part := await reader.read(65536)) and len(found) < MOST_BYTES:
                found += part
            writer.close()
    except OSError:  # TimeoutError is one
        return texts.operator.NO_JOURNAL
    return found.decode("utf-8", "replace") or texts.operator.NO_JOURNAL


async def own_journal() -> str:
    """The last lines of both services as this user may read them; else why there are none."""
    program = shutil.which("journalctl")
    if program is None:
        return texts.operator.NO_JOURNAL
    units = [f"--unit={unit}" for unit in UNITS]
    command = [program, *units, f"--lines={LINES}", "--output=short-iso", "--no-pager", "--quiet"]
    try:
        output = await output_of(command)
    except RequestRefusedError as error:
        return error.sentence
    return output.decode("utf-8", "replace") or texts.operator.NO_JOURNAL


def about() -> dict[str, Any]:
    """Of this program."""
    return {
        "dicetable": version("dicetable"),
        "python": sys.version,
        "at_utc": time.strftime("%FT%TZ", time.gmtime()),
    }


def as_json(value: Any) -> str:
    """For people to read."""
    return json.dumps(value, indent=1, ensure_ascii=False)
