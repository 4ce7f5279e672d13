"""The words and facts about dice that every part shares: kinds, faces, solids. Pure data, no chance."""

from __future__ import annotations

from typing import Literal

Kind = Literal["d4", "d6", "d8", "d10", "d12", "d20"]

KINDS: tuple[Kind, ...] = ("d4", "d6", "d8", "d10", "d12", "d20")

FACES: dict[Kind, int] = {"d4": 4, "d6": 6, "d8": 8, "d10": 10, "d12": 12, "d20": 20}
"""Faces of each kind; a die shows 1 … FACES[kind]. The face marked 0 of a d10 is 10."""

Die = tuple[Kind, int]
"""A die as it lies: its kind and the face that counts."""
