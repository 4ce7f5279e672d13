"""The operator's passphrase as it stands in the config: salted and hashed by scrypt."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import Final

COST: Final = 2**14
BLOCK: Final = 8
PARALLEL: Final = 1
MOST_MEMORY_BYTES: Final = 64 * 2**20
"""What a line of the config may make the gateway use."""
SALT_BYTES: Final = 16
KEY_BYTES: Final = 32
LONGEST: Final = 200
SHORTEST: Final = 8


def hashed(passphrase: str) -> str:
    """What to write into the config."""
    salt = secrets.token_bytes(SALT_BYTES)
    key = derived(passphrase, salt, COST, BLOCK, PARALLEL)
    return f"scrypt${COST}${BLOCK}${PARALLEL}${packed(salt)}${packed(key)}"


def matches(passphrase: str, stored: str) -> bool:
    """Whether the passphrase is the one that was hashed; False where the stored line cannot be used."""
    if len(passphrase) > LONGEST:
        return False
    try:
        name, cost, block, parallel, salt, key = stored.split("$")
        wanted = unpacked(key)
        found = derived(passphrase, unpacked(salt), int(cost), int(block), int(parallel), len(wanted))
    except (ValueError, MemoryError, OverflowError):
        return False
    return name == "scrypt" and hmac.compare_digest(found, wanted)


def derived(
    passphrase: str, salt: bytes, cost: int, block: int, parallel: int, length: int = KEY_BYTES
) -> bytes:
    """The key; ValueError for parameters that cannot be or take too much memory."""
    return hashlib.scrypt(
        passphrase.encode(), salt=salt, n=cost, r=block, p=parallel, maxmem=MOST_MEMORY_BYTES, dklen=length
    )


def packed(data: bytes) -> str:
    """As text without padding."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def unpacked(text: str) -> bytes:
    """The bytes again; ValueError if the text holds none."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
