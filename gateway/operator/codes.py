"""One-time codes that an operator logs in with.

A code proves presence: only people at the table see it, and they type it into a browser. It belongs to the
browser that asked for it, so no one can use up or guess away another's, and it lives until it is used or its
time is up. Each client gets a few codes, and so do all together, which bounds how many can be guessed.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from common.network import RateLimit, is_loopback

DIGITS: Final = 8
CODE_LIVES_S: Final = 120.0
MOST_TRIES: Final = 5
"""Wrong guesses of one browser; then its code is void."""
CODES_BURST: Final = 3
CODES_EVERY_S: Final = 20.0
"""An address gets three codes at once and then one in twenty seconds."""
ALL_CODES_BURST: Final = 6
ALL_CODES_EVERY_S: Final = 5.0
"""All addresses together, without this machine, get six codes at once and then one in five seconds: a crowd
that guesses at all of them is let in once in 4,600 evenings of six hours (4,320 codes with five tries each,
of 10⁸). A shorter time lets it guess more."""


@dataclass(slots=True)
class Code:
    """A code, whose it is and how long it is valid.

    An empty `text` is the code of a browser that needs only the passphrase.
    """

    text: str
    browser: str
    client: str
    until_s: float
    tries: int = 0

    @property
    def grouped(self) -> str:
        return f"{self.text[: DIGITS // 2]} {self.text[DIGITS // 2 :]}"


class Codes:
    """The codes of one purpose."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self.now_s = now_s
        self.living: dict[str, Code] = {}
        self.asked = RateLimit(now_s, CODES_BURST, CODES_EVERY_S)
        self.asked_by_all = RateLimit(now_s, ALL_CODES_BURST, ALL_CODES_EVERY_S)

    def forget_old(self) -> None:
        now_s = self.now_s()
        self.living = {name: code for name, code in self.living.items() if code.until_s > now_s}

    def new(self, browser: str, client: str) -> Code | None:
        """A new code for a browser of this client; None if the client, or all together, asked too often."""
        self.forget_old()
        if not self.asked.allows(client):
            return None
        if not is_loopback(client) and not self.asked_by_all.allows(""):
            return None
        text = f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"
        self.living[browser] = code = Code(text, browser, client, self.now_s() + CODE_LIVES_S)
        return code

    def lives(self, browser: str) -> bool:
        self.forget_old()
        return browser in self.living

    def use(self, browser: str, typed: str, *, passed: bool = True) -> bool:
        """Whether that is the browser's code, and the passphrase `passed`.

        The code is void then, and after too many tries.
        """
        self.forget_old()
        code = self.living.get(browser)
        if code is None:
            return False
        code.tries += 1
        right = passed and hmac.compare_digest(code.text.encode(), "".join(typed.split()).encode())
        if right or code.tries >= MOST_TRIES:
            del self.living[browser]
        return right

    def find(self, typed: str) -> Code | None:
        """The valid code with this text of any browser, for the machine's own user, who may know them all."""
        self.forget_old()
        return next((code for code in self.living.values() if code.text == "".join(typed.split())), None)
