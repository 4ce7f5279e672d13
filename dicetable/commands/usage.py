"""Checks on values that a command line was given."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def require(command: str, option: str, value: int, low: int, high: int) -> None:
    """Returns if low ≤ value ≤ high, else ends the program as for any wrong usage."""
    if not low <= value <= high:
        print(f"dicetable {command}: {option} {value}: from {low} to {high} is possible", file=sys.stderr)
        raise SystemExit(2)


def named_path(text: str) -> Path:
    """What an option names; nothing names nothing."""
    if not text:
        raise argparse.ArgumentTypeError("nothing is named: leave the option out, or name a file or folder")
    return Path(text)
