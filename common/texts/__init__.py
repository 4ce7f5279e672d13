"""The texts that people read, except the games' own words, in one place to be changed or translated together.

Each is looked up in the catalogue by `tr`, those with a count by `ntr`; keys, formats and units are not.

Panel lines hold twenty ASCII characters. A sentence on the panel has three lines of them: keep it below
some fifty characters, with no word over twenty.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, which takes a tenth of the time of `dicetable --help`
if TYPE_CHECKING:
    from types import ModuleType

    from common.texts import (
        catalogue,
        commands,
        doctor,
        first_page,
        games,
        gateway,
        health,
        league,
        ledger,
        operator,
        own_games,
        panel,
        phone_camera,
        phones,
        rig,
        rolls,
        statistics,
        throws,
    )

__all__ = [
    "catalogue",
    "commands",
    "doctor",
    "first_page",
    "games",
    "gateway",
    "health",
    "league",
    "ledger",
    "operator",
    "own_games",
    "panel",
    "phone_camera",
    "phones",
    "rig",
    "rolls",
    "statistics",
    "throws",
]


def __getattr__(name: str) -> ModuleType:
    """Loads a module of texts when it is first used: `dicetable --help` needs no games."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
