"""Phones, or one tablet, as the panel: a table without buttons, lamps and display of its own.

It has no network. The program that serves the phones sets with `reach` whether they can be reached, reports
their presses, and shows them `view`. Only the holder of a seat may press for it; any holder may press the
table's own button.

The table has a code that gives each phone the next free seat (`SeatClaims`). A seat without a holder, or
whose phone has been silent, has a code of its own, and one code gives a tablet all free seats. A phone gets a
token with its seat. Only the hashes of tokens are stored.
"""

import asyncio
import hashlib
import json
import re
import secrets
from collections import deque
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from hardware.ports import NOT_IN_USE, Clock, Degraded, PanelView, Press, PressLog

AWAY_S: Final = 60.0
"""Phones report every two seconds, locked ones do not. After this long a seat may be taken over."""
FORGET_S: Final = 600.0
"""A seat whose phone has been gone for so long forgets its name and colour. With a smaller value a guest who
only went out has to type again; with a larger one the next guest is called by the last one's name."""
ALL: Final = 0
"""The code of all free seats at once, in place of a seat number."""
NEXT: Final = -1
"""The code of the next free seat, in place of a seat number. It serves one phone after the other."""
NO_CLAIMS: Final = b"{}"
"""Content of the file while no seat has a holder. A file of no bytes was cut off."""
SECRET_BYTES: Final = 16
"""Size of a QR code's secret: too long to guess, so claims with it need no limit."""
CODE_S: Final = 300.0
"""How long a code is shown. With a larger value a photograph of it serves for longer."""
GRACE_S: Final = 60.0
"""How long the previous code is still valid: it was scanned, or is being typed."""
TRIES: Final = 10.0
TRIES_A_S: Final = 0.2
"""Wrong typed codes allowed at once, and per second, from all phones together. At most twenty in a million
are valid: at this rate guessing takes three days of typing without a pause, with larger values less."""
TOKEN = re.compile(r"[A-Za-z0-9_-]{20,64}")
HASH = re.compile(r"[0-9a-f]{64}")
TAP_S: Final = 0.05
"""A tap lasts this long, with a pause of the same length after it: longer than any bouncing."""
HELD_S: Final = 0.9
"""A hold lasts this long: longer than HOLD_S of dicetable.table.keys."""
LONGEST_S: Final = 10.0
"""A control that is held for longer is released, because its phone may be gone."""
MOST_WAITING: Final = 32
"""Changes of one control that may be queued; further taps are dropped."""
BLANK: Final = PanelView({}, [])
WHAT: Final = "no phone can reach the table: the gateway is not running"
NO_WEB: Final = Degraded(WHAT, "set [web] in the config and start dicetable-gateway")
OUT_OF_REACH: Final = Degraded(WHAT, "start dicetable-gateway")


class ClaimError(Exception):
    """A seat cannot be claimed; the text is the reason."""


class DamagedClaimsError(Exception):
    """The stored claims of seats cannot be read."""


def six_digits() -> str:
    return f"{secrets.randbelow(10**6):06}"


@dataclass(frozen=True, slots=True)
class Code:
    """A code to type, the secret for its QR code, and when they were drawn."""

    typed: str
    secret: str
    drawn_s: float

    def valid(self, now_s: float) -> bool:
        return now_s < self.drawn_s + CODE_S + GRACE_S


def hashed(token: str) -> str:
    """The hash of a token that is stored; empty for an invalid token."""
    return hashlib.sha256(token.encode()).hexdigest() if TOKEN.fullmatch(token) else ""


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """What the phone of a seat chose: a name, empty if none, and the number of a colour, 0 if none."""

    name: str = ""
    colour: int = 0


class SeatClaims:
    """The holders of `seats` seats. The time is passed to each call.

    `keep` stores who holds which seat, after each change; `kept` is what it was last given. `damaged` tells
    that `kept` could not be read, and that no phone has taken a seat since. `draw` generates a code.
    """

    def __init__(
        self,
        seats: int,
        stored: bytes = NO_CLAIMS,
        keep: Callable[[bytes], None] = lambda _: None,
        draw: Callable[[], str] = six_digits,
    ) -> None:
        self.seats = seats
        self.keep = keep
        self.draw = draw
        self.damaged = False
        self.holders: dict[int, str] = {}
        self.choices: dict[int, SeatChoice] = {}
        try:
            self.holders, self.choices = restored(stored, seats)
        except DamagedClaimsError:
            self.damaged = True
        self.heard_s: dict[str, float] = {}
        self.gone_s: dict[int, float] = {}
        self.tries = TRIES
        self.tried_s = 0.0
        self._codes: dict[int, list[Code]] = {}

    def seats_of(self, token: str) -> frozenset[int]:
        digest = hashed(token)
        return frozenset(seat for seat, holder in self.holders.items() if digest and holder == digest)

    def heard(self, token: str, now_s: float) -> frozenset[int]:
        """Records that the phone is there; returns its seats, none if another phone has taken them over."""
        seats = self.seats_of(token)
        if seats:
            self.heard_s[hashed(token)] = now_s
        return seats

    def away(self, seat: int, now_s: float) -> bool:
        """Whether the seat has a holder whose phone has been silent for too long."""
        holder = self.holders.get(seat)
        return holder is not None and now_s - self.heard_s.setdefault(holder, now_s) >= AWAY_S

    def free(self, now_s: float) -> list[int]:
        return [
            seat for seat in range(1, self.seats + 1) if seat not in self.holders or self.away(seat, now_s)
        ]

    def codes(self, now_s: float) -> dict[int, str]:
        """The newest codes to type, by seat; ALL is the tablet's, NEXT the table's."""
        return {seat: codes[-1].typed for seat, codes in self.valid_codes(now_s).items()}

    def secrets(self, now_s: float) -> dict[int, str]:
        """The secrets of the newest codes, by seat, for QR codes."""
        return {seat: codes[-1].secret for seat, codes in self.valid_codes(now_s).items()}

    def valid_codes(self, now_s: float) -> dict[int, list[Code]]:
        """The valid codes by seat, oldest first; new ones for seats that need one.

        A code outlives whatever happens at other seats.
        """
        free = self.free(now_s)
        wanted = [ALL, *free] if free else []
        if len(self.holders) < self.seats:
            wanted.append(NEXT)
        for seat in list(self._codes):
            codes = [code for code in self._codes.pop(seat) if code.valid(now_s)]
            if seat in wanted and codes:
                self._codes[seat] = codes
        for seat in wanted:
            codes = self._codes.setdefault(seat, [])
            if not codes or now_s >= codes[-1].drawn_s + CODE_S:
                codes.append(Code(self.unused(), secrets.token_urlsafe(SECRET_BYTES), now_s))
        return {seat: list(codes) for seat, codes in self._codes.items()}

    def unused(self) -> str:
        """A code to type that no seat has."""
        used = {code.typed for codes in self._codes.values() for code in codes}
        while (drawn := self.draw()) in used:
            pass
        return drawn

    def claim(self, code: str, token: str, now_s: float) -> tuple[str, frozenset[int]]:
        """Gives the seats of the code to a phone and returns its new token and its seats. Raises ClaimError.

        `code` is typed, or the secret of a QR code. `token` is the phone's previous token, or empty; its
        previous seats become free. A phone with a seat that asks for the next free one keeps its own.
        """
        valid = self.valid_codes(now_s)
        meant = self.meant(code, valid, now_s)
        left = self.seats_of(token)
        if meant == NEXT:
            taken = sorted(left) or [seat for seat in self.free(now_s) if seat not in self.holders][:1]
        else:
            taken = self.free(now_s) if meant == ALL else [meant]
            del self._codes[meant]
        fresh = secrets.token_urlsafe(24)
        self.holders = {seat: holder for seat, holder in self.holders.items() if seat not in left}
        self.holders.update(dict.fromkeys(taken, hashed(fresh)))
        self.heard_s = {holder: s for holder, s in self.heard_s.items() if holder in self.holders.values()}
        self.heard_s[hashed(fresh)] = now_s
        self.damaged = False
        self._store()
        return fresh, frozenset(taken)

    def meant(self, code: str, valid: dict[int, list[Code]], now_s: float) -> int:
        """The seat that a code is for. Raises ClaimError for a wrong one, or if too many were typed."""
        typed = code.encode()
        # The secret of a QR code is too long to guess, so it costs no try; a typed code does.
        for seat, codes in valid.items():
            if any(secrets.compare_digest(issued.secret.encode(), typed) for issued in codes):
                return seat
        self.tries = min(TRIES, self.tries + TRIES_A_S * (now_s - self.tried_s))
        self.tried_s = now_s
        if self.tries < 1:
            raise ClaimError("too_many")
        for seat, codes in valid.items():
            if any(secrets.compare_digest(issued.typed.encode(), typed) for issued in codes):
                return seat
        self.tries -= 1
        raise ClaimError("wrong")

    def leave(self, token: str) -> frozenset[int]:
        """The phone gives up its seats."""
        left = self.seats_of(token)
        if left:
            self.holders = {seat: holder for seat, holder in self.holders.items() if seat not in left}
            self._store()
        return left

    def choose(self, seat: int, *, name: str = "", colour: int = 0) -> None:
        """Stores the name or the colour that a seat's phone chose."""
        before = self.choices.get(seat, SeatChoice())
        self.choices[seat] = SeatChoice(name or before.name, colour or before.colour)
        self._store()

    def forget(self, now_s: float, playing: Container[int]) -> list[int]:
        """Drops what phones chose at seats that they left FORGET_S ago, and returns these seats.

        A seat that is `playing` keeps its choice, though its phone may be asleep.
        """
        forgotten = []
        for seat in list(self.choices):
            if seat in playing or (seat in self.holders and not self.away(seat, now_s)):
                self.gone_s.pop(seat, None)
            elif now_s >= self.gone_s.setdefault(seat, now_s) + FORGET_S:
                del self.choices[seat], self.gone_s[seat]
                forgotten.append(seat)
        if forgotten:
            self._store()
        return forgotten

    def _store(self) -> None:
        holders = {str(seat): holder for seat, holder in self.holders.items()}
        chosen = {str(seat): [choice.name, choice.colour] for seat, choice in self.choices.items()}
        self.keep(json.dumps({**holders, "chosen": chosen}).encode())


def restored(stored: bytes, seats: int) -> tuple[dict[int, str], dict[int, SeatChoice]]:
    """The stored holders of the seats, and what their phones chose. Raises DamagedClaimsError."""
    try:
        claims = json.loads(stored)
        chosen = claims.pop("chosen", {})
        holders = {
            int(seat): holder
            for seat, holder in claims.items()
            if 1 <= int(seat) <= seats and HASH.fullmatch(holder)
        }
        choices = {
            int(seat): SeatChoice(name, colour)
            for seat, (name, colour) in chosen.items()
            if 1 <= int(seat) <= seats and isinstance(name, str) and type(colour) is int
        }
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedClaimsError(f"the seats of phones are damaged: {error}") from error
    return holders, choices


class Gesture(StrEnum):
    """A finger's action on a control."""

    TAP = "tap"
    HOLD = "hold"
    DOWN = "down"
    UP = "up"


LASTS_S: Final = {Gesture.TAP: TAP_S, Gesture.HOLD: HELD_S, Gesture.DOWN: LONGEST_S}


@dataclass(frozen=True, slots=True)
class ControlChange:
    """A change of a control at a time."""

    at_s: float
    down: bool


class WebPanel:
    """The panel of `claims.seats` seats; `view` is what phones show.

    `out_of_reach` is its degraded state while `reached` is False.
    """

    at_the_table = False
    """Whether only people at the table can read what it shows."""

    def __init__(self, clock: Clock, claims: SeatClaims) -> None:
        self.clock = clock
        self.claims = claims
        self.view = BLANK
        self.reached = False
        self.out_of_reach = OUT_OF_REACH
        self.started = False
        self._presses = PressLog()
        self._due: dict[str, deque[ControlChange]] = {}
        self._up_s: dict[str, float] = {}
        self._news: Callable[[], None] = lambda: None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def degraded(self) -> Degraded | None:
        """Why phones cannot press; None while they can."""
        if not self.started:
            return NOT_IN_USE
        return None if self.reached else self.out_of_reach

    @property
    def below(self) -> Sequence[str]:
        """Lines for a text screen beside the panel: the codes of the seats that can be claimed."""
        codes = self.claims.codes(self.clock.now_s())
        named = {ALL: "tablet", NEXT: "any seat"}
        return [f"{named.get(seat, f'seat {seat}')}: {code}" for seat, code in sorted(codes.items())]

    def start(self, news: Callable[[], None]) -> None:
        if not self.started:
            self.started, self._news = True, news
            try:
                self._loop = asyncio.get_running_loop()
            except RuntimeError:  # a table in virtual time, whose loop is driven by the caller
                self._loop = None

    def stop(self) -> None:
        """Accepts no more presses, and shows nothing unless the view stays."""
        self.started = False
        self._let_go()
        if not self.view.stays:
            self.view = BLANK

    def reach(self, reached: bool) -> None:
        """Sets whether phones can be reached; if not, all controls are released."""
        if reached != self.reached:
            self.reached = reached
            if not reached:
                self._let_go()
            self._news()

    def show(self, view: PanelView) -> None:
        """Sets the view that phones show: phones may be anywhere."""
        self.view = view if view.elsewhere is None else replace(view, lines=view.elsewhere, elsewhere=None)

    def press(self, token: str, control: str, how: Gesture) -> bool:
        """A phone presses. Returns False if it may not, or if the panel is stopped."""
        seats = self.claims.heard(token, self.clock.now_s())
        where = control.partition(".")[0]
        if self.degraded is not None or not (
            where in {f"seat{n}" for n in seats} or (where == "table" and seats)
        ):
            return False
        self._plan(control, how)
        return True

    def presses(self) -> Sequence[Press]:
        now_s = self.clock.now_s()
        due = sorted(
            (change.at_s, name) for name in self._due for change in self._due[name] if change.at_s <= now_s
        )
        for at_s, control in due:
            change = self._due[control].popleft()
            self._presses.change(control, down=change.down, time_s=at_s)
            self._up_s[control] = at_s
        return self._presses.take()

    def _plan(self, control: str, how: Gesture) -> None:
        """Queues a change of the control behind those still pending."""
        due = self._due.setdefault(control, deque())
        now_s = self.clock.now_s()
        lifts = due[-1].at_s > now_s + HELD_S if due else False
        if lifts and how is not Gesture.HOLD:  # held by a phone that is gone
            due.pop()
            due.append(ControlChange(max(now_s, due[-1].at_s + TAP_S if due else now_s), down=False))
        if how is Gesture.UP or len(due) >= MOST_WAITING:
            self._wake(due, now_s)
            return
        last_s = due[-1].at_s if due else self._up_s.get(control, float("-inf"))
        down_s = max(now_s, last_s + TAP_S)
        due.append(ControlChange(down_s, down=True))
        due.append(ControlChange(down_s + LASTS_S[how], down=False))
        self._wake(due, now_s)

    def _wake(self, due: Iterable[ControlChange], now_s: float) -> None:
        self._news()
        if self._loop is not None:
            for change in due:
                self._loop.call_later(max(change.at_s - now_s, 0.0) + 0.001, self._news)

    def _let_go(self) -> None:
        """Releases every control."""
        self._due.clear()
        self._presses.release(set(self._presses.held), self.clock.now_s())
