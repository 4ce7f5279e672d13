"""The requests of the operator page and for records, and the parts of the table that answer them."""

import asyncio
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from common import texts
from common.messages import MOST_BYTES, Answer
from common.programs import TooMuchOutputError, run_program
from dicetable.eye.process import ProcessEye
from dicetable.service import game_requests
from dicetable.service.game_requests import LOOK_S
from dicetable.service.loop import Service
from dicetable.service.server import LOOKS, Nothing, Pace, Payload, RequestKind, accepted, refused
from dicetable.table.table import Table

AT_ONCE: Final = 2
MOST_WAITING: Final = 2
"""Programs that wait until another has ended. More: requests of phones may be refused; less: an operator who
opens one page after another is told that the table is busy."""
LONGEST_S: Final = 120.0
NICE: Final = 10
LEAST_UP_S: Final = 10.0
"""Once started, the table runs for at least so long before it is restarted: its paces begin anew with it."""
EYE_S: Final = 60.0
"""How long to wait for an answer of the eye; calibrating waits for the tray to come to rest."""
EYE_LOOKS: Final = ("view", "explain", "previous")
"""Questions to the eye that change neither the dice it knows nor the rig."""
EXPORTED_BYTES: Final = 300_000
LOGIN: Final = "operator"
PICTURES: Final = Pace(10, 0.2)
"""The pace of the live picture, and of a wizard's steps."""
PIECES: Final = Pace(200, 0.5)
"""The pace of an export's pieces: a ledger of years takes some hundred."""
RECORDS: Final = Pace(4, 15.0)
"""The pace of records of players and of dice; the gateway keeps both for a while."""
OFF: Final = "off"
DEVICES: Final = "dicetable.service.devices"
QUERIES: Final = "dicetable.service.ledger_queries"


class ShownCode(Payload):
    """A code to show on the panel."""

    code: Annotated[str, Field(pattern=r"^[0-9 ]{4,12}$")]
    lives_s: Annotated[int, Field(ge=1, le=600)]


class Ask(Payload):
    """A question to the eye."""

    what: Annotated[str, Field(pattern=r"^[a-z_]{1,20}$")]
    payload: Annotated[dict[str, str | int | bool], Field(max_length=8)] = Field(default={})


class Device(Payload):
    """A device that is attached, by its name in the list of the choices."""

    name: Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^-\x00-\x1f][^\x00-\x1f]*$")]


class Search(Payload):
    """A search in the ledger: words, the newest match to look at, or one whole match."""

    words: Annotated[str, Field(max_length=100)] = ""
    before: Annotated[int, Field(ge=0)] = 0
    match: Annotated[int, Field(ge=0)] = 0


class Export(Payload):
    """Entries of the ledger from a row on."""

    start: Annotated[int, Field(ge=1)] = 1
    match: Annotated[int, Field(ge=0)] = 0


class Records(Payload):
    """What the ledger says of the players or of the dice."""

    what: Literal["players", "dice"]


class Programs:
    """Runs long work in processes of a low priority, whose output becomes the body of the answer.

    This way neither a search in a ledger of years nor the doctor delays a throw. The processes are few, and
    are killed when they take too long or the client has gone. A few more wait for them.
    """

    def __init__(self) -> None:
        self.slots = asyncio.Semaphore(AT_ONCE)
        self.pending = 0

    async def run(self, module: str, *arguments: str) -> Answer:
        """The output of a module of this program, or a refusal."""
        if self.pending >= AT_ONCE + MOST_WAITING:
            return refused(texts.gateway.TABLE_BUSY)
        self.pending += 1
        try:
            async with self.slots:
                return await self.output(module, *arguments)
        finally:
            self.pending -= 1

    async def output(self, module: str, *arguments: str) -> Answer:
        """The output of a module that is run now, or a refusal."""
        command = ("nice", "-n", str(NICE), sys.executable, "-P", "-m", module, *arguments)
        try:
            code, output = await run_program(command, b"", LONGEST_S, MOST_BYTES)
        except TimeoutError:
            return refused(texts.operator.TOO_SLOW)
        except TooMuchOutputError:
            return refused(texts.operator.TOO_MUCH)
        except OSError as error:
            return refused(texts.operator.eye_failed(error.strerror or str(error)))
        # Exit code 1: it found something wrong, and says what.
        return accepted(body=output) if code in (0, 1) else refused(texts.operator.FAILED)


class OperatorRequests:
    """The requests that need more than the table: its service, and the location of its files.

    `records` says whether guests may see `names` or `numbers` in the records, or nothing of them: `off`.
    The players who are `unnamed` have numbers in any case.
    """

    def __init__(
        self,
        service: Service,
        config: Path | None,
        folder: Path,
        records: str = OFF,
        unnamed: Sequence[str] = (),
    ) -> None:
        self.service = service
        self.config = config
        self.folder = folder
        self.shown = records
        self.unnamed = unnamed
        self.programs = Programs()
        self.guests_programs = Programs()  # so that guests keep none from the operator
        self.started_s = service.parts.clock.now_s()

    def kinds(self) -> dict[str, RequestKind[Any]]:
        return {
            **game_requests.KINDS,
            "operator_code": RequestKind(ShownCode, self.code, LOOKS),
            "operator_eye": RequestKind(Ask, self.eye, PICTURES),
            "operator_health": RequestKind(Nothing, self.health),
            "operator_link": RequestKind(Nothing, self.link, LOOKS),
            "operator_history": RequestKind(Nothing, self.history, LOOKS),
            "operator_devices": RequestKind(Nothing, self.devices, LOOKS),
            "operator_preview": RequestKind(Device, partial(self.device, "preview"), LOOKS),
            "operator_try": RequestKind(Device, partial(self.device, "try"), LOOKS),
            "operator_ledger": RequestKind(Search, self.search, LOOKS),
            "operator_export": RequestKind(Export, self.export, PIECES),
            "records": RequestKind(Records, self.records, RECORDS),
            "operator_restart": RequestKind(Nothing, self.restart),
            "operator_off": RequestKind(Nothing, self.off),
        }

    def code(self, request: ShownCode, table: Table) -> Answer:
        """Shows a code in the last line of the panel, if it has a display that stands at the table."""
        panel = self.service.parts.panel
        now_s = self.service.parts.clock.now_s()
        table.notices.show(LOGIN, texts.operator.on_panel(request.code), now_s + request.lives_s)
        return accepted({"panel": panel.degraded is None and getattr(panel, "at_the_table", True)})

    async def eye(self, request: Ask, table: Table) -> Answer:
        """Asks the eye, and answers with its answer; while a game is played, only for what it sees."""
        if request.what not in EYE_LOOKS and not game_requests.is_over(table):
            return refused(texts.operator.GAME_RUNS)
        eye, clock = self.service.parts.eye, self.service.parts.clock
        number = eye.ask(request.what, request.payload) if isinstance(eye, ProcessEye) else 0
        if not number or not isinstance(eye, ProcessEye):
            return refused(texts.operator.NO_EYE)
        until_s = clock.now_s() + EYE_S
        while (answer := eye.answer(number)) is None:
            if clock.now_s() > until_s:
                return refused(texts.operator.TOO_SLOW)
            await asyncio.sleep(LOOK_S)
        return accepted(answer.result, answer.picture)

    async def health(self, _: Nothing, __: Table) -> Answer:
        """The doctor's findings, and the machine's temperature."""
        config = ["--config", str(self.config)] if self.config is not None else []
        return await self.programs.run("dicetable", "doctor", "--json", *config)

    def link(self, _: Nothing, __: Table) -> Answer:
        """The traffic on the panel's serial line."""
        panel = self.service.parts.panel
        link = getattr(getattr(panel, "panel", panel), "link", None)
        if link is None:
            return accepted({"link": None})
        session = link.session
        board = session.board
        link_json = {
            "state": session.state.name.lower(),
            "board": f"{board.board_id}, firmware {board.firmware}" if board else "",
            "damaged": session.board_health.damaged_frames,
            "frames": link.recent_frames(),
        }
        return accepted({"link": link_json})

    def history(self, _: Nothing, __: Table) -> Answer:
        """How the evening went."""
        history = self.service.history.to_json(self.service.parts.clock.now_s())
        return accepted(body=json.dumps(history).encode())

    async def devices(self, _: Nothing, __: Table) -> Answer:
        """The devices that can be chosen."""
        if self.config is None:
            return refused(texts.operator.NO_FILE)
        return await self.programs.run(DEVICES, "list", str(self.config))

    async def device(self, action: str, request: Device, _: Table) -> Answer:
        """A picture of a camera that is not in use yet, or whether a panel's board answers."""
        if self.config is None:
            return refused(texts.operator.NO_FILE)
        return await self.programs.run(DEVICES, action, str(self.config), request.name)

    async def search(self, request: Search, _: Table) -> Answer:
        """Games in the ledger, or one of them."""
        query = json.dumps(request.model_dump())
        return await self.programs.run(QUERIES, str(self.folder), "search", query)

    async def export(self, request: Export, _: Table) -> Answer:
        """Answers with as many entries of the ledger as fit into one message; none after the last."""
        limits = ("--from", str(request.start), "--most-bytes", str(EXPORTED_BYTES))
        match = [str(request.match)] if request.match else []
        return await self.programs.run(
            "dicetable", "ledger", "export", "--folder", str(self.folder), *limits, *match
        )

    async def records(self, request: Records, _: Table) -> Answer:
        """What the ledger says of the players or of the dice."""
        if self.shown == OFF:
            return refused(texts.gateway.RECORDS_OFF)
        return await self.guests_programs.run(
            QUERIES, str(self.folder), request.what, self.shown, *self.unnamed
        )

    def restart(self, _: Nothing, table: Table) -> Answer:
        """Restarts the service, unless a game is in progress or it has just started."""
        if not game_requests.is_over(table):
            return refused(texts.operator.GAME_RUNS)
        if self.service.parts.clock.now_s() < self.started_s + LEAST_UP_S:
            return refused(texts.operator.JUST_STARTED)
        self.service.restart_requested = True
        return accepted()

    def off(self, _: Nothing, table: Table) -> Answer:
        """Switches the table off; the game continues when the power is back."""
        table.switch_off()
        return accepted()
