"""One-time codes that prove presence: shown where only people at the table see them, typed into a browser.

A code belongs to the browser that asked for it, so that nobody can use up or guess away somebody else's. Each
client has a few places of its own, so that no guest keeps the operator out.
"""

from __future__ import annotations

import hmac
import secrets
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dicetable.network.addresses import is_here
from dicetable.network.limits import Limit

if TYPE_CHECKING:
    from collections.abc import Callable

DIGITS: Final = 6
LIVES_S: Final = 120.0
MOST_TRIES: Final = 5
"""Wrong codes of one browser, then its code is void."""
MOST_CODES: Final = 8
"""Codes that live at once; for one more, the client with the most loses its oldest, this machine last."""
MOST_OF_A_CLIENT: Final = 2
"""Those of one client; for one more, its oldest goes."""
BURST: Final = 3
EVERY_S: Final = 20.0
"""An address gets three codes at once and then one in twenty seconds."""


@dataclass(slots=True)
class Code:
    """A code, whose it is and how long it lives."""

    text: str
    browser: str
    client: str
    until_s: float
    tries: int = 0

    @property
    def grouped(self) -> str:
        """As people read it."""
        return f"{self.text[:3]} {self.text[3:]}"


class Codes:
    """The codes of one purpose."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self.now_s = now_s
        self.living: dict[str, Code] = {}
        self.asked = Limit(now_s, BURST, EVERY_S)

    def forget_old(self) -> None:
        """Lets go of codes whose time is over."""
        now_s = self.now_s()
        self.living = {name: code for name, code in self.living.items() if code.until_s > now_s}

    def new(self, browser: str, client: str) -> Code | None:
        """A fresh code for a browser of this client; None if the client has asked too often."""
        self.forget_old()
        if not self.asked.allows(client):
            return None
        self.living.pop(browser, None)
        self.make_room(client)
        text = f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"
        self.living[browser] = code = Code(text, browser, client, self.now_s() + LIVES_S)
        return code

    def make_room(self, client: str) -> None:
        """Lets go of a code where the client, or all together, have as many as they may."""
        held = Counter(code.client for code in self.living.values())
        if held[client] < MOST_OF_A_CLIENT:
            if len(self.living) < MOST_CODES:
                return
            client = max(held, key=lambda each: (not is_here(each), held[each]))
        del self.living[next(name for name, code in self.living.items() if code.client == client)]

    def shown(self) -> Code | None:
        """The newest code that lives, for the displays that may show it."""
        self.forget_old()
        return max(self.living.values(), key=lambda code: code.until_s, default=None)

    def lives(self, browser: str) -> bool:
        """Whether the browser has a code."""
        self.forget_old()
        return browser in self.living

    def use(self, browser: str, typed: str) -> bool:
        """Whether that is the browser's code; it is used up then, or after too many tries."""
        self.forget_old()
        code = self.living.get(browser)
        if code is None:
            return False
        code.tries += 1
        right = hmac.compare_digest(code.text.encode(), "".join(typed.split()).encode())
        if right or code.tries >= MOST_TRIES:
            del self.living[browser]
        return right

    def find(self, typed: str) -> Code | None:
        """The living code of this text, whosever it is: for the machine's own user, who may know them all."""
        self.forget_old()
        return next((code for code in self.living.values() if code.text == "".join(typed.split())), None)
