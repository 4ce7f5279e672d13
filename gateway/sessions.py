"""Sessions of operators, own in memory.

A session's name is in a cookie that scripts cannot read. Each request that changes anything carries a token
that is void after use: a replayed request changes nothing.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

MOST_SESSIONS: Final = 8
SESSION_IDLE_S: Final = 30 * 60.0
SESSION_LONGEST_S: Final = 12 * 3600.0
MOST_TOKENS: Final = 64
"""Valid tokens of one session, some for each of its tabs; of more, the oldest are void."""


@dataclass(slots=True)
class OperatorSession:
    """A browser that is logged in."""

    began_s: float
    used_s: float
    tokens: OrderedDict[str, None] = field(default_factory=OrderedDict)

    def token(self) -> str:
        made = secrets.token_urlsafe(18)
        self.tokens[made] = None
        while len(self.tokens) > MOST_TOKENS:
            self.tokens.popitem(last=False)
        return made

    def takes(self, token: str) -> bool:
        """Whether the token is valid; it is void from now on."""
        if token not in self.tokens:
            return False
        del self.tokens[token]
        return True


class Sessions:
    """All sessions, by the digest of the names in their cookies. Such a name is a secret."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self.now_s = now_s
        self.all: OrderedDict[bytes, OperatorSession] = OrderedDict()

    def begin(self) -> str:
        """Begins a session and returns the name for its cookie; the oldest ends if there are too many."""
        name = secrets.token_urlsafe(32)
        now_s = self.now_s()
        self.forget_old()
        self.all[digest(name)] = OperatorSession(now_s, now_s)
        while len(self.all) > MOST_SESSIONS:
            self.all.popitem(last=False)
        return name

    def find(self, name: str | None, *, used: bool = True) -> OperatorSession | None:
        """The session of this name, if it is still valid. `used` keeps it from going idle."""
        self.forget_old()
        session = self.all.get(digest(name)) if name else None
        if session is not None and used:
            session.used_s = self.now_s()
        return session

    def forget_old(self) -> None:
        now_s = self.now_s()
        for name, session in list(self.all.items()):
            if now_s - session.used_s > SESSION_IDLE_S or now_s - session.began_s > SESSION_LONGEST_S:
                del self.all[name]

    def end(self, name: str) -> None:
        self.all.pop(digest(name), None)

    def end_others(self, name: str) -> None:
        """Ends every session but this one."""
        own = digest(name)
        self.all = OrderedDict((key, session) for key, session in self.all.items() if key == own)

    def end_all(self) -> None:
        self.all.clear()


def digest(secret: str) -> bytes:
    """The hash of a secret: it is own in its place, and of no use to someone who reads the memory."""
    return hashlib.sha256(secret.encode()).digest()
