"""Phones as the panel: their presses and claims over `control.sock`, and what they are sent.

A press carries the number of the question that its phone showed. A press for an earlier question is refused,
however late it arrives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field

from dicetable import texts
from dicetable.state.control_wire import Payload
from dicetable.state.requests import Pace, RequestKind, accepted, refused
from hardware.ports import CONTROLS, LampMode
from hardware.seat_claims import ALL, ClaimError
from hardware.web_panel import How

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dicetable.state.control import ControlServer
    from dicetable.state.requests import Reply
    from dicetable.table.table import Table
    from hardware.web_panel import WebPanel

Token = Annotated[str, Field(max_length=64)]
CLAIMS: Final = Pace(20, 1.0)
REPORTS: Final = Pace(100, 0.02)
"""A phone reports every two seconds, and those without a seat ask whether they have one."""
PRESSES: Final = Pace(80, 0.125)
"""Of eight people who are in a hurry; in an evening it is far less."""
REFUSALS: Final = {"wrong": texts.phones.WRONG_CODE, "too_many": texts.phones.TOO_MANY}


class Claim(Payload):
    """A phone enters a code; `token` is its earlier token."""

    code: Annotated[str, Field(max_length=12)]
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


class Phones:
    """Connects a `WebPanel` to the control socket."""

    def __init__(self, panel: WebPanel) -> None:
        self.panel = panel

    def kinds(self) -> Mapping[str, RequestKind[Any]]:
        """The kinds of requests that phones may send."""
        return {
            "claim": RequestKind(Claim, self.claim, CLAIMS),
            "here": RequestKind(Here, self.here, REPORTS),
            "leave": RequestKind(Here, self.leave, CLAIMS),
            "press": RequestKind(Pressed, self.press, PRESSES),
        }

    def claim(self, asked: Claim, _: Table) -> Reply:
        """Gives a seat, or all free seats, to a phone."""
        panel = self.panel
        try:
            token, seats = panel.claims.claim(asked.code, asked.token, panel.clock.now_s())
        except ClaimError as error:
            return refused(REFUSALS[str(error)])
        return accepted({"token": token, "seats": sorted(seats)})

    def here(self, asked: Here, _: Table) -> Reply:
        """Records that the phone is there."""
        seats = self.panel.claims.here(asked.token, self.panel.clock.now_s())
        return accepted({"seats": sorted(seats)}) if seats else refused(texts.phones.NO_SEAT)

    def leave(self, asked: Here, _: Table) -> Reply:
        """Takes the seats of a phone that gives them back."""
        left = self.panel.claims.leave(asked.token)
        return accepted() if left else refused(texts.phones.NO_SEAT)

    def press(self, asked: Pressed, table: Table) -> Reply:
        """Presses a control, if the phone has the seat and the question has not changed."""
        if asked.control not in CONTROLS:
            return refused(texts.phones.NO_CONTROL)
        if asked.how != "up" and asked.question != question(table):
            return refused(texts.phones.TOO_LATE)
        if not self.panel.press(asked.token, asked.control, How(asked.how)):
            return refused(texts.phones.NOT_YOURS)
        return accepted()

    def tell(self, control: ControlServer, table: Table, now_s: float) -> None:
        """Publishes what phones show, and for paired displays the valid codes."""
        claims, view = self.panel.claims, self.panel.view
        self.panel.reach(bool(control.clients))
        codes = claims.codes(now_s)
        control.tell(
            "panel",
            {
                "lines": list(view.lines),
                "lamps": {
                    name: [lamp.mode, lamp.colour]
                    for name, lamp in view.lamps.items()
                    if lamp.mode is not LampMode.OFF
                },
                "question": question(table),
                "seats": [
                    {"seat": seat, "name": table.name(seat), "state": self.state(seat, now_s)}
                    for seat in range(1, claims.seats + 1)
                ],
            },
        )
        named = {"all" if seat == ALL else str(seat): code for seat, code in codes.items()}
        control.tell("codes", {"codes": named})

    def state(self, seat: int, now_s: float) -> str:
        """Whether the seat is free, held, or held by a phone that is away."""
        claims = self.panel.claims
        if seat not in claims.holders:
            return "free"
        return "away" if claims.away(seat, now_s) else "held"


def question(table: Table) -> int:
    """The number of the panel's current question."""
    return round(table.question_s * 1e6)
