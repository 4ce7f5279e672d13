"""An invitation: a phone scans it from this machine's screen, and it is too long to guess."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from typing import Final

from gateway.sessions import digest

INVITATION_BYTES: Final = 16
"""128 bits, and short enough for a QR code that fits on a screen of 25 lines."""
INVITATION_LIVES_S: Final = 600.0
MOST_TRIES: Final = 5
"""Wrong guesses of the passphrase with an invitation; then it is void."""


class Invitation:
    """A secret that logs one browser in once, within ten minutes; a new one takes the place of the last."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self.now_s = now_s
        self.digest = b""
        self.until_s = 0.0
        self.tries = 0

    def new(self) -> str:
        text = secrets.token_urlsafe(INVITATION_BYTES)
        self.tries = 0
        self.digest, self.until_s = digest(text), self.now_s() + INVITATION_LIVES_S
        return text

    def fits(self, secret: str) -> bool:
        return self.now_s() < self.until_s and hmac.compare_digest(digest(secret), self.digest)

    def use(self, secret: str, *, passed: bool = True) -> bool:
        """Whether that is the invitation, and the passphrase `passed`.

        The invitation is void then, and after too many wrong passphrases.
        """
        if not self.fits(secret):
            return False
        self.tries += 1
        if passed or self.tries >= MOST_TRIES:
            self.until_s = 0.0
        return passed
