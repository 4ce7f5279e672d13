"""The options that say where the ledger is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

DEFAULT_FOLDER = "/var/lib/dicetable"
DEMO_FOLDER = "~/.local/share/dicetable"
"""Where examples/laptop.toml keeps its ledger."""


def add_arguments(group: argparse._MutuallyExclusiveGroup) -> None:
    """Adds the two options to a mutually exclusive group."""
    text = f"the ledger's folder; default {DEFAULT_FOLDER}, or {DEMO_FOLDER} where only that exists"
    group.add_argument("--folder", metavar="DIR", help=text)
    group.add_argument("--config", metavar="FILE", help="the config file that names the ledger's folder")


def folder(args: argparse.Namespace) -> Path:
    """The ledger's folder. Raises `dicetable.config.mistakes.ConfigError`."""
    if args.config is not None:
        from dicetable.config.file import load

        return load(Path(args.config)).ledger.folder
    if args.folder:
        return Path(args.folder)
    default, demo = Path(DEFAULT_FOLDER), Path(DEMO_FOLDER).expanduser()
    return demo if not default.is_dir() and demo.is_dir() else default
