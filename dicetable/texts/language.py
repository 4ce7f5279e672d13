"""The languages that texts are in, and the one that this process speaks."""

import os
from typing import Final

ENGLISH: Final = "en"
LANGUAGES: Final = (ENGLISH, "de", "es")
VARIABLE: Final = "DICETABLE_LANGUAGE"


def spoken() -> str:
    wanted = os.environ.get(VARIABLE, ENGLISH)
    return wanted if wanted in LANGUAGES else ENGLISH
