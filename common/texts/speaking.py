"""Chooses the language of this process and of those that it starts.

Texts are looked up once, when their module is loaded, so a program chooses its language before it loads
anything else: `table.language` of its config, else the variable DICETABLE_LANGUAGE, else English.
"""

from __future__ import annotations

import os
from contextlib import suppress

from common.texts.language import ENGLISH, LANGUAGES, VARIABLE, spoken

TYPE_CHECKING = False  # as in typing, which takes a tenth of the time of `dicetable --help`
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Final

MOST_BYTES: Final = 100_000
"""A larger config is refused anyway."""


def speak() -> None:
    """Gives the games the language of this process, before any of them is loaded."""
    if spoken() != ENGLISH:
        from common.texts import catalogue  # noqa: F401 - it hands the games their words as it is loaded


def speak_as_configured(arguments: Sequence[str]) -> None:
    """Chooses the language that the config among the arguments names, if there is a config, and speaks it."""
    file = config_in(arguments)
    if file is not None:
        from pathlib import Path  # as slow as typing

        os.environ[VARIABLE] = language_in(Path(file))
    speak()


def config_in(arguments: Sequence[str]) -> str | None:
    for place, argument in enumerate(arguments):
        if argument == "--config" and place + 1 < len(arguments):
            return arguments[place + 1]
        if argument.startswith("--config="):
            return argument.partition("=")[2]
    return None


def language_in(file: Path) -> str:
    """The language in a config; English if it names none. Its mistakes are found later."""
    import tomllib  # as slow as an eighth of `dicetable --help`, which reads no config

    language = None
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        if file.is_file() and file.stat().st_size <= MOST_BYTES:
            language = tomllib.loads(file.read_text(encoding="utf-8"))["table"]["language"]
    return language if language in LANGUAGES else ENGLISH
