"""Who may press for which seat of a panel without buttons: displayed codes, and tokens that phones keep.

A seat that nobody holds, or whose phone has been silent, has a code. Entering it gives a phone a token and
the seat. One code gives a tablet all free seats. Only the hashes of tokens are stored.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

AWAY_S: Final = 60.0
"""Phones report every two seconds, locked ones do not. After this long a seat may be taken over."""
ALL: Final = 0
"""The code of all free seats at once, in place of a seat number."""
TRIES: Final = 10.0
TRIES_A_S: Final = 0.2
"""Wrong codes allowed at once, and per second: guessing one in a million takes a month of evenings."""
TOKEN = re.compile(r"[A-Za-z0-9_-]{20,64}")
HASH = re.compile(r"[0-9a-f]{64}")


class ClaimError(Exception):
    """A seat cannot be claimed; the text is the reason."""


def six_digits() -> str:
    """A random code."""
    return f"{secrets.randbelow(10**6):06}"


def hashed(token: str) -> str:
    """The hash of a token that is stored; empty for an invalid token."""
    return hashlib.sha256(token.encode()).hexdigest() if TOKEN.fullmatch(token) else ""


class SeatClaims:
    """The holders of `seats` seats. The time is passed to each call.

    Args:
        seats: the number of seats.
        kept: what `keep` was last given; damaged data counts as none.
        keep: stores who holds which seat, after each change.
        draw: generates a code.
    """

    def __init__(
        self,
        seats: int,
        kept: bytes = b"",
        keep: Callable[[bytes], None] = lambda _: None,
        draw: Callable[[], str] = six_digits,
    ) -> None:
        self.seats = seats
        self.keep = keep
        self.draw = draw
        self.holders: dict[int, str] = restored(kept, seats)
        self.heard_s: dict[str, float] = {}
        self.tries = TRIES
        self.tried_s = 0.0
        self._codes: dict[int, str] = {}

    def held(self, token: str) -> frozenset[int]:
        """The seats of the holder of this token."""
        known = hashed(token)
        return frozenset(seat for seat, holder in self.holders.items() if known and holder == known)

    def here(self, token: str, now_s: float) -> frozenset[int]:
        """Records that the phone is there; returns its seats, none if somebody has taken them over."""
        seats = self.held(token)
        if seats:
            self.heard_s[hashed(token)] = now_s
        return seats

    def away(self, seat: int, now_s: float) -> bool:
        """Whether the seat has a holder whose phone has been silent for too long."""
        holder = self.holders.get(seat)
        return holder is not None and now_s - self.heard_s.setdefault(holder, now_s) >= AWAY_S

    def free(self, now_s: float) -> list[int]:
        """The seats that can be claimed."""
        return [
            seat for seat in range(1, self.seats + 1) if seat not in self.holders or self.away(seat, now_s)
        ]

    def codes(self, now_s: float) -> dict[int, str]:
        """The valid codes by seat; ALL is the tablet's."""
        free = self.free(now_s)
        wanted = [ALL, *free] if free else []
        self._codes = {seat: code for seat, code in self._codes.items() if seat in wanted}
        for seat in wanted:
            while self._codes.get(seat, "") in {"", *(c for s, c in self._codes.items() if s != seat)}:
                self._codes[seat] = self.draw()
        return dict(self._codes)

    def claim(self, code: str, token: str, now_s: float) -> tuple[str, frozenset[int]]:
        """Gives the seats of the code to a phone and returns its new token and its seats. Raises ClaimError.

        `token` is the phone's previous token, or empty; its previous seats become free.
        """
        self.tries = min(TRIES, self.tries + TRIES_A_S * (now_s - self.tried_s))
        self.tried_s = now_s
        if self.tries < 1:
            raise ClaimError("too_many")
        codes = self.codes(now_s)
        meant = [seat for seat, good in codes.items() if secrets.compare_digest(good.encode(), code.encode())]
        if not meant:
            self.tries -= 1
            raise ClaimError("wrong")
        taken = self.free(now_s) if meant[0] == ALL else [meant[0]]
        fresh = secrets.token_urlsafe(24)
        left = self.held(token)
        self.holders = {seat: holder for seat, holder in self.holders.items() if seat not in left}
        self.holders.update(dict.fromkeys(taken, hashed(fresh)))
        self.heard_s = {holder: s for holder, s in self.heard_s.items() if holder in self.holders.values()}
        self.heard_s[hashed(fresh)] = now_s
        self._codes.clear()
        self._store()
        return fresh, frozenset(taken)

    def leave(self, token: str) -> frozenset[int]:
        """The phone gives up its seats."""
        left = self.held(token)
        if left:
            self.holders = {seat: holder for seat, holder in self.holders.items() if seat not in left}
            self._store()
        return left

    def _store(self) -> None:
        self.keep(json.dumps({str(seat): holder for seat, holder in self.holders.items()}).encode())


def restored(kept: bytes, seats: int) -> dict[int, str]:
    """The stored holders of the seats; none if the data is damaged."""
    try:
        found = json.loads(kept or b"{}")
        return {
            int(seat): holder
            for seat, holder in found.items()
            if 1 <= int(seat) <= seats and HASH.fullmatch(holder)
        }
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}
