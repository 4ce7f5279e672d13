"""What an operator logs in with: one-time codes, the passphrase of the config, and sessions.

A code proves presence: only people at the table see it, and they type it into a browser. It belongs to the
browser that asked for it, so no one can use up or guess away another's, and it lives until it is used or its
time is up. Each client gets a few codes, and so do all together, which bounds how many can be guessed.
An invitation is for a phone that scans it from this machine's screen; it is too long to guess.

Sessions are kept in memory. A session's name is in a cookie that scripts cannot read. Each request that
changes anything carries a token that is void after use: a replayed request changes nothing.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from common.network import RateLimit, is_loopback

DIGITS: Final = 8
CODE_LIVES_S: Final = 120.0
MOST_TRIES: Final = 5
"""Wrong guesses of one browser, or of the passphrase with an invitation; then code or invitation is void."""
CODES_BURST: Final = 3
CODES_EVERY_S: Final = 20.0
"""An address gets three codes at once and then one in twenty seconds."""
ALL_CODES_BURST: Final = 6
ALL_CODES_EVERY_S: Final = 5.0
"""All addresses together, without this machine, get six codes at once and then one in five seconds: a crowd
that guesses at all of them is let in once in 4,600 evenings of six hours (4,320 codes with five tries each,
of 10⁸). A shorter time lets it guess more."""
INVITATION_BYTES: Final = 16
"""128 bits, and short enough for a QR code that fits on a screen of 25 lines."""
INVITATION_LIVES_S: Final = 600.0
COST: Final = 2**14
BLOCK: Final = 8
PARALLEL: Final = 1
MOST_MEMORY_BYTES: Final = 64 * 2**20
"""What a line of the config can make the gateway use at most."""
SALT_BYTES: Final = 16
KEY_BYTES: Final = 32
LONGEST_PASSPHRASE: Final = 200
SHORTEST_PASSPHRASE: Final = 8
MOST_SESSIONS: Final = 8
SESSION_IDLE_S: Final = 30 * 60.0
SESSION_LONGEST_S: Final = 12 * 3600.0
MOST_TOKENS: Final = 64
"""Valid tokens of one session, some for each of its tabs; of more, the oldest are void."""


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


def hash_passphrase(passphrase: str) -> str:
    """The line for the config: salted and hashed by scrypt."""
    salt = secrets.token_bytes(SALT_BYTES)
    key = derive_key(passphrase, salt, COST, BLOCK, PARALLEL)
    return f"scrypt${COST}${BLOCK}${PARALLEL}${encode(salt)}${encode(key)}"


def passphrase_matches(passphrase: str, stored: str) -> bool:
    """Whether it is the passphrase that was hashed; False if the stored line is malformed."""
    if len(passphrase) > LONGEST_PASSPHRASE:
        return False
    try:
        name, cost, block, parallel, salt, key = stored.split("$")
        wanted = decode(key)
        derived = derive_key(passphrase, decode(salt), int(cost), int(block), int(parallel), len(wanted))
    except (ValueError, MemoryError, OverflowError):
        return False
    return name == "scrypt" and hmac.compare_digest(derived, wanted)


def derive_key(
    passphrase: str, salt: bytes, cost: int, block: int, parallel: int, length: int = KEY_BYTES
) -> bytes:
    """The key. Raises ValueError for invalid parameters and for those that need too much memory."""
    return hashlib.scrypt(
        passphrase.encode(), salt=salt, n=cost, r=block, p=parallel, maxmem=MOST_MEMORY_BYTES, dklen=length
    )


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


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
        kept = digest(name)
        self.all = OrderedDict((key, session) for key, session in self.all.items() if key == kept)

    def end_all(self) -> None:
        self.all.clear()


def digest(secret: str) -> bytes:
    """The hash of a secret: it is kept in its place, and of no use to someone who reads the memory."""
    return hashlib.sha256(secret.encode()).digest()
