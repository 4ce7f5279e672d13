"""Pins the models: writes the checksums of what a stage has made into `vision/checksums.py`."""

from __future__ import annotations

import importlib
import re
from hashlib import sha256
from pathlib import Path

from vision import checksums


def pin(models: Path, module: Path = Path(checksums.__file__)) -> None:
    """Writes the SHA-256 of each model of `models` that is there into the module; the rest stay as they are.

    Readers that are made in this process from now on go by the new ones.
    """
    text = module.read_text(encoding="utf-8")
    for name in checksums.SHA256:
        if (models / name).exists():
            digest = sha256((models / name).read_bytes()).hexdigest()
            text = re.sub(rf'(?<="{re.escape(name)}": ")[0-9a-f]*', digest, text)
    module.write_text(text, encoding="utf-8")
    importlib.reload(checksums)
