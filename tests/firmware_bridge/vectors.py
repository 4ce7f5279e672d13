"""Reads golden_vectors.txt, which the C tests read too."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).with_name("golden_vectors.txt")


def rows(kind: str) -> list[list[str]]:
    """The fields after the kind of every row of that kind; the first is the row's name."""
    lines = [line.split() for line in FILE.read_text(encoding="ascii").splitlines()]
    return [fields[1:] for fields in lines if fields and fields[0] == kind]


def unhex(text: str) -> bytes:
    return b"" if text == "-" else bytes.fromhex(text)
