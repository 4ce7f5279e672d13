"""Every text that people at the table read, in one place, to be changed or translated together.

Panel lines hold twenty ASCII characters. A sentence on the panel has three lines of them: keep it below
some fifty characters, with no word over twenty.
"""

from dicetable.texts import (
    control,
    counting,
    doubts,
    enrolling,
    games,
    league,
    ledger,
    menu,
    odds,
    operator,
    phones,
    rig,
    set_up,
    signals,
    statistics,
    terminal,
    throws,
    trouble,
    turns,
    web,
)

__all__ = [
    "control",
    "counting",
    "doubts",
    "enrolling",
    "games",
    "league",
    "ledger",
    "menu",
    "odds",
    "operator",
    "phones",
    "rig",
    "set_up",
    "signals",
    "statistics",
    "terminal",
    "throws",
    "trouble",
    "turns",
    "web",
]
