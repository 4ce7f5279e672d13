"""The languages that texts are in, and the one that this process speaks."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as in typing, which takes a tenth of the time of `dicetable --help`
if TYPE_CHECKING:
    from typing import Final

ENGLISH: Final = "en"
LANGUAGES: Final = (ENGLISH, "de", "es")
VARIABLE: Final = "DICETABLE_LANGUAGE"


def spoken() -> str:
    wanted = os.environ.get(VARIABLE, ENGLISH)
    return wanted if wanted in LANGUAGES else ENGLISH
