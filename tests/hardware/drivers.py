"""The drivers of hardware/, found by what they can do."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import hardware
from hardware.ports import Panel


def classes_with(*parts: str) -> set[type]:
    """Every class of hardware/ that itself has these parts."""
    root = Path(hardware.__file__).parent
    classes = set()
    for path in root.rglob("*.py"):
        name = ".".join(("hardware", *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
        members = inspect.getmembers(importlib.import_module(name), inspect.isclass)
        classes |= {
            made for _, made in members if made.__module__ == name and set(parts) <= vars(made).keys()
        }
    return classes


def panels() -> set[type]:
    """Every class of hardware/ that has the parts of a panel."""
    return classes_with("show", "presses") - {Panel}
