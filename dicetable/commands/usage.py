"""Checks on values that a command line was given."""

from __future__ import annotations

import sys


def require(command: str, option: str, value: int, low: int, high: int) -> None:
    """Returns if low ≤ value ≤ high, else ends the program as for any wrong usage."""
    if not low <= value <= high:
        print(f"dicetable {command}: {option} {value}: from {low} to {high} is possible", file=sys.stderr)
        raise SystemExit(2)
