"""Every text that people at the table read, in one place, to be changed or translated together.

Each is looked up in the catalogue by `tr`, those with a count by `ntr`; keys, formats and units are not.

Panel lines hold twenty ASCII characters. A sentence on the panel has three lines of them: keep it below
some fifty characters, with no word over twenty.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from dicetable.texts import (
        control,
        counting,
        disk,
        doctor,
        doubts,
        enrolling,
        fairness,
        games,
        health,
        league,
        ledger,
        menu,
        odds,
        operator,
        phones,
        records,
        rig,
        set_up,
        signals,
        statistics,
        terminal,
        throws,
        turns,
        web,
    )

__all__ = [
    "control",
    "counting",
    "disk",
    "doctor",
    "doubts",
    "enrolling",
    "fairness",
    "games",
    "health",
    "league",
    "ledger",
    "menu",
    "odds",
    "operator",
    "phones",
    "records",
    "rig",
    "set_up",
    "signals",
    "statistics",
    "terminal",
    "throws",
    "turns",
    "web",
]


def __getattr__(name: str) -> ModuleType:
    """The module of that name, loaded when it is first asked for: `dicetable --help` needs no games."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
