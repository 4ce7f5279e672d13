"""Who is logged in: sessions in memory, each with tokens that allow one change each.

A session's name is in a cookie that scripts cannot read. Each request that changes anything carries a token
that was given out once and is taken back by its use: a request that is sent again changes nothing.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_SESSIONS: Final = 8
IDLE_S: Final = 30 * 60.0
LONGEST_S: Final = 12 * 3600.0
MOST_TOKENS: Final = 64
"""Tokens of one session that are out: some for each of its tabs. The oldest are void then."""


@dataclass(slots=True)
class OperatorSession:
    """One browser that is logged in."""

    began_s: float
    used_s: float
    tokens: OrderedDict[str, None] = field(default_factory=OrderedDict)

    def token(self) -> str:
        """A new token."""
        made = secrets.token_urlsafe(18)
        self.tokens[made] = None
        while len(self.tokens) > MOST_TOKENS:
            self.tokens.popitem(last=False)
        return made

    def takes(self, token: str) -> bool:
        """Whether the token is good; it is not any more then."""
        if token not in self.tokens:
            return False
        del self.tokens[token]
        return True


class Sessions:
    """All of them, by the digest of their names."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self.now_s = now_s
        self.all: OrderedDict[bytes, OperatorSession] = OrderedDict()

    def begin(self) -> str:
        """Logs a browser in; the name for its cookie. The session that began first may have to go."""
        name = secrets.token_urlsafe(32)
        now_s = self.now_s()
        self.forget_old()
        self.all[digest(name)] = OperatorSession(now_s, now_s)
        while len(self.all) > MOST_SESSIONS:
            self.all.popitem(last=False)
        return name

    def find(self, name: str | None, *, used: bool = True) -> OperatorSession | None:
        """The session of this name; None if there is none any more. With `used` it lives on."""
        self.forget_old()
        found = self.all.get(digest(name)) if name else None
        if found is not None and used:
            found.used_s = self.now_s()
        return found

    def forget_old(self) -> None:
        """Ends the sessions that nobody has used for long, or that have lasted a whole evening."""
        now_s = self.now_s()
        for name, session in list(self.all.items()):
            if now_s - session.used_s > IDLE_S or now_s - session.began_s > LONGEST_S:
                del self.all[name]

    def end(self, name: str) -> None:
        """Logs a browser out."""
        self.all.pop(digest(name), None)

    def end_all(self) -> None:
        """Logs everybody out."""
        self.all.clear()


def digest(name: str) -> bytes:
    """What is kept of a name: nobody who reads the memory's rest can log in with it."""
    return hashlib.sha256(name.encode()).digest()
