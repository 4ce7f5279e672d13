"""Sets the table up in the browser: the steps and their sheets, the camera's wizards, devices, the config.

On the table, root's helper behind `settings.sock` saves the config and checks everything again; on a laptop
the file is the user's own.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from common import texts
from games.dice import VALUES
from gateway import logo
from gateway.link import BusyError, TableLink
from gateway.logo import Logo
from gateway.requests import (
    RequestRefusedError,
    accepted,
    answer,
    ask_helper,
    body_of,
    parse_answer,
    parse_object,
    run_module,
    run_program,
    text_of,
)
from gateway.sessions import OperatorSession
from gateway.settings import GatewaySettings

SHEETS: Final = ("tray-a4", "tray-letter", "lens-a4", "lens-letter")
STATE_S: Final = 8.0
PDF: Final = b"%PDF"
LOOKS: Final = ("view", "explain", "previous")
"""Questions to the eye by GET: they change nothing."""
STEPS: Final = (
    "lens", "keep_lens", "rig", "keep_rig", "background", "face", "throw", "name", "keep_dice",
    "put_back_lens", "put_back_rig", "put_back_dice",
)  # fmt: skip
"""Questions to the eye by POST."""
EYE_S: Final = 65.0
MOST_PICTURES: Final = 12
LOOK_S: Final = 60.0
LONGEST_NAME: Final = 300
DEVICE_STEPS: Final = ("preview", "try")


class SetUpPages:
    """Answers the pages of the set-up; keeps the last dozen pictures for the browser to fetch."""

    def __init__(self, link: TableLink) -> None:
        self.table = link
        self.pictures: OrderedDict[str, bytes] = OrderedDict()

    async def state(self, _: Request, __: OperatorSession) -> Response:
        """Which steps are done, as the table knows; those that it can't know are missing."""
        snapshot = self.table.snapshot()
        if snapshot is None:
            raise BusyError
        rig = await self.table.ask("operator_eye", {"what": "rigged"}, STATE_S)
        rigged = {name: done is True for name, done in rig.result.items()} if rig.accepted else {}
        degraded = {trouble["part"] for trouble in snapshot["troubles"]}
        steps = {
            **rigged,
            "camera": rigged.get("camera", False) and texts.health.degraded("camera") not in degraded,
            "panel": texts.health.degraded("panel") not in degraded,
            "throw": bool(snapshot["throws"]),
        }
        return answer({"steps": steps})

    async def sheet(self, request: Request, _: OperatorSession) -> Response:
        """A sheet to print at true size."""
        name = request.path_params["name"]
        if name not in SHEETS:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        sheet, paper = name.split("-")
        options = ("--sheet", sheet, "--paper", paper)
        made = await run_program([sys.executable, "-P", "-m", "dicetable", "markers", "-", *options])
        if not made.startswith(PDF):
            raise RequestRefusedError(503, texts.operator.FAILED)
        headers = {
            "cache-control": "no-store",
            "content-disposition": f'inline; filename="dicetable-{name}.pdf"',
        }
        return Response(made, 200, headers, "application/pdf")

    async def look(self, request: Request, session: OperatorSession) -> Response:
        """The live picture with its meters, the newest reading explained, or the dates of replaced files.

        `what` is `view`, `explain` or `previous`; with `?grid=0` no grid is drawn. `picture` in the answer is
        the path of the picture.
        """
        view = request.path_params["what"]
        if view not in LOOKS:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        return await self.ask_eye(view, {"grid": request.query_params.get("grid") != "0"}, session)

    async def step(self, request: Request, session: OperatorSession, body: dict[str, Any]) -> Response:
        """A step of a wizard.

        `what` is `lens`, which starts anew with `begin`, `keep_lens`, `rig`, `keep_rig`, `background`, `face`
        with the `kind` and `value` of the die that lies there, `throw`, `name` with the `number`, `kind` and
        `value` of a die of the throw that was doubtful, `keep_dice`, which with `add` keeps the
        earlier ones too, or `put_back_lens`, `put_back_rig`, `put_back_dice`, which put back what was
        replaced.
        """
        step = request.path_params["what"]
        if step not in STEPS:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        payload = {
            name: body[name]
            for name in ("kind", "value", "number", "add", "begin")
            if isinstance(body.get(name), str | int)
        }
        return await self.ask_eye(step, payload, session)

    async def ask_eye(self, question: str, payload: dict[str, Any], session: OperatorSession) -> Response:
        """The eye's answer with the path of its picture, which a refusal may have too."""
        answered = await self.table.ask("operator_eye", {"what": question, "payload": payload}, EYE_S)
        result = dict(answered.result)
        if answered.body:
            result["picture"] = self.keep(answered.body)
        if "error" in result:
            return answer(result, session, 409)
        accepted(answered)
        return answer(result, session)

    def keep(self, jpeg: bytes) -> str:
        """Keeps a picture for a while and returns its path."""
        name = secrets.token_urlsafe(9)
        self.pictures[name] = jpeg
        while len(self.pictures) > MOST_PICTURES:
            self.pictures.popitem(last=False)
        return f"/operator/api/picture/{name}.jpg"

    async def picture(self, request: Request, _: OperatorSession) -> Response:
        """A picture that an earlier answer named."""
        jpeg = self.pictures.get(request.path_params["name"])
        if jpeg is None:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        return Response(jpeg, media_type="image/jpeg", headers={"cache-control": "no-store"})

    async def dice(self, _: Request, __: OperatorSession) -> Response:
        """The kinds of dice and what the `faces` of each show, for enrolling."""
        return answer({"faces": VALUES})

    async def devices(self, _: Request, __: OperatorSession) -> Response:
        """The devices that can be chosen, and those that are."""
        return answer(parse_answer(accepted(await self.table.ask("operator_devices", {}, LOOK_S)).body))

    async def try_device(self, request: Request, session: OperatorSession, body: dict[str, Any]) -> Response:
        """A picture of a camera that is not chosen yet, or whether a panel's board answers."""
        step, name = request.path_params["what"], text_of(body, "name", LONGEST_NAME)
        if step not in DEVICE_STEPS:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        shown = accepted(await self.table.ask(f"operator_{step}", {"name": name}, LOOK_S))
        line, _, jpeg = shown.body.partition(b"\n")
        result = parse_answer(line)
        if jpeg:
            result["picture"] = self.keep(jpeg)
        return answer(result, session)


PROGRAM: Final = "dicetable.config.form"


class SettingsPages:
    """Shows and changes the config file of the table."""

    def __init__(self, settings: GatewaySettings, logo: Logo) -> None:
        self.bar_logo = logo
        self.file = settings.config
        self.helper = Path(settings.socket).with_name("settings.sock")

    async def show(self, _: Request, __: OperatorSession) -> Response:
        """The config as a form: each setting with its value, unit and help."""
        return answer(await run_module(PROGRAM, "show", self.checked_file()))

    async def check(self, _: Request, session: OperatorSession, body: dict[str, Any]) -> Response:
        """What would be different with these `changes` to the `version` shown, and what is wrong with it."""
        return answer(await run_module(PROGRAM, "check", self.checked_file(), sent=line_of(body)), session)

    async def save(self, _: Request, session: OperatorSession, body: dict[str, Any]) -> Response:
        """Saves these `changes` to the `version` shown, if nothing is wrong with them."""
        if self.helper.exists():
            try:
                result = parse_object(await ask_helper(self.helper, line_of(body)))
            except OSError:
                raise RequestRefusedError(503, texts.operator.NO_HELPER) from None
        else:
            result = await run_module(PROGRAM, "save", self.checked_file(), sent=line_of(body))
        return answer(result, session)

    async def logo(self, _: Request, __: OperatorSession) -> Response:
        """Whether the pages show a logo, and whether it is one that was sent."""
        return answer({"shown": self.bar_logo.shown is not None, "sent": bool(self.bar_logo.sent)})

    async def send_logo(self, _: Request, session: OperatorSession, body: bytes) -> Response:
        """Shows the picture in the body as the bar's logo, drawn anew by a program of its own."""
        made = await run_program([sys.executable, "-P", "-m", logo.__name__], body)
        if not made.startswith(logo.MADE):
            raise RequestRefusedError(415, made.decode() or texts.operator.FAILED)
        return self.keep_logo(made, session)

    async def remove_logo(self, _: Request, session: OperatorSession, __: dict[str, Any]) -> Response:
        """Shows the logo of the config again, if it names one."""
        return self.keep_logo(b"", session)

    def keep_logo(self, picture: bytes, session: OperatorSession) -> Response:
        try:
            self.bar_logo.put(picture)
        except OSError as error:
            raise RequestRefusedError(503, texts.operator.logo_not_saved(error.strerror or "")) from None
        return answer({"shown": self.bar_logo.shown is not None, "sent": bool(picture)}, session)

    def checked_file(self) -> str:
        """The path of the file. Raises RequestRefusedError if the table runs without one."""
        if not self.file:
            raise RequestRefusedError(409, texts.operator.NO_FILE)
        return self.file


async def picture_body(request: Request) -> bytes:
    """The picture in the body of a request. Raises RequestRefusedError if it is no picture, or too large."""
    if not request.headers.get("content-type", "").startswith("image/"):
        raise RequestRefusedError(415, texts.operator.LOGO_KIND)
    return await body_of(request, logo.MOST_SENT_BYTES, texts.operator.LOGO_LARGE)


def line_of(body: dict[str, Any]) -> bytes:
    changes = {name: body[name] for name in ("changes", "version", "chosen") if name in body}
    return json.dumps(changes).encode() + b"\n"
