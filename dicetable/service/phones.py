"""Phones as the panel: their choices, presses and claims over `table.sock`, and what they show.

A choice carries the number of the question that its phone showed. One for an earlier question is refused,
however late it arrives; so is a press.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from common import texts
from common.messages import Answer, Event
from dicetable.config.sections import Name
from dicetable.service.server import Pace, Payload, RequestKind, TableServer, accepted, refused
from dicetable.table.screen import PhoneView
from dicetable.table.set_up import SetUp
from dicetable.table.table import Table
from hardware.ports import CONTROLS, SEATS, Degraded
from hardware.web_panel import ALL, NEXT, ClaimError, Gesture, WebPanel

Token = Annotated[str, Field(max_length=64)]
CLAIMS: Final = Pace(40, 0.5)
"""Half of it is for secrets from QR codes (`gateway.seats.TYPED_BY_ALL`)."""
REPORTS: Final = Pace(100, 0.02)
"""A phone reports every two seconds, and those without a seat ask whether they have one."""
PRESSES: Final = Pace(80, 0.125)
"""The pace of eight people in a hurry; in an evening it is far less. Names and colours get as many."""
LOOK_S: Final = 0.05
"""How often what phones show is compared; after a new question this happens at once."""
NAME: Final[TypeAdapter[str]] = TypeAdapter(Name)
CODE_NAMES: Final = {ALL: "all", NEXT: "next"}
SEATS_DAMAGED: Final = Degraded(texts.phones.SEATS_DAMAGED, texts.phones.SEATS_DAMAGED_REMEDY)
REFUSALS: Final = {"wrong": texts.phones.WRONG_CODE, "too_many": texts.phones.TOO_MANY}


class Claim(Payload):
    """A phone enters a code, or the secret of a QR code; `token` is its earlier token."""

    code: Annotated[str, Field(max_length=64)]
    token: Token = ""


class Here(Payload):
    """A phone reports that it is there, or gives its seats back."""

    token: Token


class Pressed(Payload):
    """A press on a phone; `question` is the number of the question that the phone showed."""

    token: Token
    control: Annotated[str, Field(max_length=16)]
    how: Literal["tap", "hold", "down", "up"]
    question: int


class OfSeat(Payload):
    """What a phone wants for one of its seats."""

    token: Token
    seat: Annotated[int, Field(ge=1, le=SEATS)]


class Chosen(OfSeat):
    """A choice on a phone, by its label; `question` is the number of the question that the phone showed."""

    label: Annotated[str, Field(max_length=80)]
    numbers: Annotated[list[int], Field(max_length=4)]
    question: int


class Called(OfSeat):
    """A player gives a name at a phone."""

    name: Annotated[str, Field(max_length=40)]


class Coloured(OfSeat):
    """A player takes a colour at a phone, by its number."""

    colour: Annotated[int, Field(ge=1, le=SEATS)]


class Phones:
    """Connects a `WebPanel` to the socket."""

    def __init__(self, panel: WebPanel) -> None:
        self.panel = panel
        self.table: Table | None = None
        self.published_question: int | None = None
        self.published_s = float("-inf")

    def kinds(self) -> Mapping[str, RequestKind[Any]]:
        return {
            "claim": RequestKind(Claim, self.claim, CLAIMS),
            "here": RequestKind(Here, self.here, REPORTS),
            "leave": RequestKind(Here, self.leave, CLAIMS),
            "press": RequestKind(Pressed, self.press, PRESSES),
            "choose": RequestKind(Chosen, self.choose, PRESSES),
            "name": RequestKind(Called, self.name, PRESSES),
            "colour": RequestKind(Coloured, self.colour, PRESSES),
        }

    def claim(self, request: Claim, _: Table) -> Answer:
        """Gives a seat, or all free seats, to a phone."""
        panel = self.panel
        try:
            token, seats = panel.claims.claim(request.code, request.token, panel.clock.now_s())
        except ClaimError as error:
            return refused(REFUSALS[str(error)])
        return accepted({"token": token, "seats": sorted(seats)})

    def here(self, request: Here, _: Table) -> Answer:
        """Records that the phone is there."""
        seats = self.panel.claims.heard(request.token, self.panel.clock.now_s())
        return accepted({"seats": sorted(seats)}) if seats else refused(texts.phones.NO_SEAT)

    def leave(self, request: Here, _: Table) -> Answer:
        """Takes the seats of a phone that gives them back."""
        left = self.panel.claims.leave(request.token)
        return accepted() if left else refused(texts.phones.NO_SEAT)

    def press(self, request: Pressed, table: Table) -> Answer:
        """Presses a control, if the phone has the seat and the question has not changed."""
        if request.control not in CONTROLS:
            return refused(texts.phones.NO_CONTROL)
        if request.how != "up" and request.question != question(table):
            return refused(texts.phones.TOO_LATE)
        if not self.panel.press(request.token, request.control, Gesture(request.how)):
            return refused(texts.phones.NOT_YOURS)
        return accepted()

    def choose(self, request: Chosen, table: Table) -> Answer:
        """Does what a seat chooses, if the phone has the seat and the table still asks the same."""
        if not self.holds(request):
            return refused(texts.phones.NOT_YOURS)
        if request.question != question(table, request.seat) or not table.choose(
            request.seat, request.label, tuple(request.numbers)
        ):
            return refused(texts.phones.TOO_LATE)
        return accepted()

    def name(self, request: Called, table: Table) -> Answer:
        """Calls the player at a seat by a name, from the next game on."""
        if not self.holds(request):
            return refused(texts.phones.NOT_YOURS)
        try:
            name = NAME.validate_python(request.name)
        except ValidationError:
            return refused(texts.phones.NO_NAME)
        if not table.call_seat(request.seat, name):
            return refused(texts.phones.NAME_TAKEN)
        self.panel.claims.choose(request.seat, name=name)
        return accepted()

    def colour(self, request: Coloured, table: Table) -> Answer:
        """Gives a seat a colour at once, unless another phone chose it."""
        if not self.holds(request):
            return refused(texts.phones.NOT_YOURS)
        if request.colour in self.taken(table) and table.colours[request.seat] != request.colour:
            return refused(texts.phones.COLOUR_TAKEN)
        table.colour_seat(request.seat, request.colour)
        self.panel.claims.choose(request.seat, colour=request.colour)
        return accepted()

    def restore(self, table: Table) -> None:
        """Gives a table that has just started the names and colours that its seats chose before."""
        for seat, choice in self.panel.claims.choices.items():
            with suppress(ValidationError):
                if choice.name:
                    table.call_seat(seat, NAME.validate_python(choice.name))
            if 1 <= choice.colour <= SEATS:
                table.colour_seat(seat, choice.colour)

    def playing(self, table: Table) -> set[int]:
        """The seats of the game that is played, and of one that is being set up."""
        draft = table.base.draft.names if isinstance(table.base, SetUp) else {}
        seats = table.state.panel_seats.values() if table.state.match is not None else ()
        return {*seats, *draft}

    def taken(self, table: Table) -> list[int]:
        return sorted(table.colours[seat] for seat in table.coloured & set(self.panel.claims.holders))

    def holds(self, request: OfSeat) -> bool:
        return request.seat in self.panel.claims.heard(request.token, self.panel.clock.now_s())

    def publish(self, server: TableServer, table: Table, now_s: float) -> None:
        """Publishes what phones show, and for paired displays the valid codes."""
        claims = self.panel.claims
        self.panel.reach(bool(server.clients))
        if table is not self.table:
            self.table, table.on_phones = table, True
            self.restore(table)
        table.seated = frozenset(claims.holders)
        table.report("phones", SEATS_DAMAGED if claims.damaged else None)
        for seat in claims.forget(now_s, self.playing(table)):
            table.forget_seat(seat)
        if question(table) == self.published_question and now_s < self.published_s + LOOK_S:
            return
        self.published_question, self.published_s = question(table), now_s
        codes = claims.valid_codes(now_s)
        panel = {
            "question": question(table),
            "names": table.names,
            "colours": self.taken(table),
            "seats": [
                {
                    "seat": seat,
                    "name": table.called_or_name(seat),
                    "state": self.state(seat, now_s),
                    "colour": table.colours[seat],
                }
                for seat in range(1, claims.seats + 1)
            ],
            "views": {
                str(seat): view_json(table.phone(seat)) | {"question": question(table, seat)}
                for seat in sorted(claims.holders)
            },
        }
        server.publish(Event("panel", panel))
        newest = {CODE_NAMES.get(seat, str(seat)): valid[-1] for seat, valid in codes.items()}
        shown = {
            "codes": {name: code.typed for name, code in newest.items()},
            "secrets": {name: code.secret for name, code in newest.items()},
            "valid": sorted(code.secret for valid in codes.values() for code in valid),
        }
        server.publish(Event("codes", shown))

    def state(self, seat: int, now_s: float) -> str:
        claims = self.panel.claims
        if seat not in claims.holders:
            return "free"
        return "away" if claims.away(seat, now_s) else "held"


def view_json(view: PhoneView) -> dict[str, Any]:
    shown = ("label", "numbers", "at", "faces", "dice", "digits", "gives_up", "names", "small", "note")
    choices = [{name: getattr(choice, name) for name in shown} for choice in view.choices]
    return {"text": view.text, "choices": choices}


def question(table: Table, seat: int = 0) -> int:
    """The number of what the table asks, or of what a seat has open on its own phone."""
    own = table.own_screen(seat)
    return round(table.question_s * 1e6) if own is None else -own.number
