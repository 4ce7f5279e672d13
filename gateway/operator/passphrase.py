"""The passphrase that operators need beside a code, for guests can read the panel too.

It is the one in the config, or else the one that the first operator chooses in the browser. Only its hash is
kept. It can be forgotten at the machine itself alone: `dicetable gateway passphrase --forget`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import secrets
from pathlib import Path
from typing import Final

from common.files import atomic_write, read_file
from gateway.settings import GatewaySettings

NAME: Final = "operator.passphrase"
MOST_FILE_BYTES: Final = 400
DAMAGED: Final = "damaged"
"""A hash that no passphrase fits. Without it, whoever damages the file could choose the next one."""
COST: Final = 2**14
BLOCK: Final = 8
PARALLEL: Final = 1
"""The parameters of scrypt."""
MOST_MEMORY_BYTES: Final = 64 * 2**20
"""What a line of the config can make the gateway use at most."""
SALT_BYTES: Final = 16
KEY_BYTES: Final = 32
LONGEST_PASSPHRASE: Final = 200
SHORTEST_PASSPHRASE: Final = 8

log = logging.getLogger(__name__)


class Passphrase:
    """Holds the hash of the passphrase, `stored`; an empty one is not chosen yet."""

    def __init__(self, settings: GatewaySettings, folder: Path | None) -> None:
        """`folder` keeps the passphrase that is chosen; without one it goes with the gateway."""
        self.configured = settings.passphrase
        self.code_is_enough = settings.code_alone
        self.file = folder / NAME if folder is not None else None
        self.stored = self.configured or ("" if self.code_is_enough else self.from_file())

    @property
    def is_due(self) -> bool:
        """Whether the operator has to choose one before anything else."""
        return not (self.stored or self.code_is_enough)

    def from_file(self) -> str:
        """The hash in the file; empty without a file."""
        if self.file is None:
            return ""
        try:
            return read_file(self.file, MOST_FILE_BYTES).decode("ascii").strip() or DAMAGED
        except FileNotFoundError:
            return ""
        except (OSError, ValueError) as error:
            log.warning("passphrase=unreadable path=%r error=%r", str(self.file), str(error))
            return DAMAGED

    def choose(self, passphrase: str) -> None:
        """Keeps the passphrase. Raises OSError if the disk refuses; none is chosen then."""
        hashed = hash_passphrase(passphrase)
        if self.file is not None:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(self.file, hashed.encode(), private=True)
        self.stored = hashed

    def forget(self) -> bool:
        """Forgets the one that was chosen; False if the config has one. Raises OSError."""
        if self.configured:
            return False
        if self.file is not None:
            self.file.unlink(missing_ok=True)
        self.stored = ""
        return True


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
