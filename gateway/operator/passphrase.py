"""The passphrase that operators need beside a code, for guests can read the panel too.

It is the one in the config, or else the one that the first operator chooses in the browser. Only its hash is
kept. It can be forgotten at the machine itself alone: `dicetable gateway passphrase --forget`.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

from common.files import atomic_write, read_file
from gateway.credentials import hash_passphrase
from gateway.settings import GatewaySettings

NAME: Final = "operator.passphrase"
MOST_FILE_BYTES: Final = 400
DAMAGED: Final = "damaged"
"""A hash that no passphrase fits. Without it, whoever damages the file could choose the next one."""

log = logging.getLogger(__name__)


class Passphrase:
    """Holds the hash of the passphrase, `stored`; an empty one is not chosen yet."""

    def __init__(self, settings: GatewaySettings, folder: Path | None) -> None:
        """`folder` keeps the passphrase that is chosen; without one it goes with the gateway."""
        self.configured = settings.passphrase
        self.code_is_enough = settings.code_alone
        self.file = folder / NAME if folder is not None else None
        self.stored = self.configured or ("" if self.code_is_enough else self.kept())

    @property
    def is_due(self) -> bool:
        """Whether the operator has to choose one before anything else."""
        return not (self.stored or self.code_is_enough)

    def kept(self) -> str:
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
