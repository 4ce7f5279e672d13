"""Dice as people own them: a solid with its lettering, size and material, drawn by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from games.dice import FACES, SOLIDS, Face, FaceSymbol, Kind, Solid
from training.lettering import Lettering, lettering, numeral, ornament, pip_face
from training.makers import make
from training.materials import Material, material
from training.strays import bar
from training.types import Array, Rng


@dataclass(frozen=True)
class Model:
    """One die of some set: its solid, size, lettering and material; `texts` by value, none for pips."""

    solid: Solid
    size: float
    style: Lettering
    stuff: Material
    readable: bool
    rounding: float
    ball: float
    symbol_size: float
    texts: tuple[str, ...]
    turns: int
    seed: int


SYMBOL_MM: dict[Kind, float] = {"d4": 6.0, "d6": 10.8, "d8": 10.5, "d10": 8.4, "d12": 8.2, "d20": 7.2}
"""Millimetres along a numeral's square, for a face of the common size."""

PIPS = 0.45
"""Part of the d6 that have pips."""
STRAY = 0.12
"""Part of the d6 with numerals that are drawn out to a bar: no die of ours, though it looks like one."""


def model(kind: Kind, rng: Rng, *, pips: float = PIPS, held: bool = False) -> Model:
    """A die of `kind` drawn by chance; some have symbols that nobody can read, and `readable` is False.

    `pips` is the probability that a d6 has pips; `held` draws the make from what is held out (see makers).
    """
    layouts = SOLIDS[kind]
    solid = layouts[0] if len(layouts) == 1 or rng.random() < (0.5 if kind == "d4" else 0.75) else layouts[1]
    dotted = kind == "d6" and rng.random() < pips
    style = lettering(rng, pips=dotted)
    readable = True
    if kind == "d6" and not dotted and rng.random() < STRAY:
        solid, readable = bar(solid, float(rng.uniform(1.5, 2.5))), False
    percent = kind == "d10" and rng.random() < 0.07
    symbol = not dotted and rng.random() < 0.02
    if percent or symbol:
        readable = False
    texts: list[str] = []
    if not dotted:
        letters = rng.permutation(list("ABCDEFGHJKLMNPRSTUWXYZ"))
        for value in range(1, FACES[kind] + 1):
            marked = value % 10 if kind == "d10" else value
            texts.append(str(letters[value]) if symbol else f"{marked}0" if percent else str(marked))
    solid, rounding, ball, grow = make(solid, rng, held=held)
    size = float(np.clip(rng.normal(1.0, 0.12), 0.7, 1.5))
    turns = int(rng.integers(0, 4)) if rng.random() < 0.4 else 0
    seed = int(rng.integers(2**31))
    return Model(solid, size, style, material(rng), readable, rounding, ball, grow, tuple(texts), turns, seed)


def inks(die: Model, face: Face) -> list[tuple[FaceSymbol, Array, float]]:
    """What is printed on a face: each symbol's place, its ink and the millimetres along the ink's square."""
    kind, style = die.solid.kind, die.style
    found = []
    for symbol in face.symbols:
        rng = np.random.default_rng((die.seed, symbol.value))
        place = turned(symbol, face, kind, die.turns)
        if not die.texts:
            found.append((place, pip_face(symbol.value, style, rng), 16.0))
            decoration = ornament(kind, style, rng)
        else:
            text = die.texts[symbol.value - 1]
            under = text in ("6", "9") and (kind not in ("d6", "d8") or die.seed % 2 == 0)
            found.append(
                (place, numeral(text, style, rng, mark_six_nine=under), SYMBOL_MM[kind] * die.symbol_size)
            )
            decoration = ornament(kind, style, rng) if kind != "d4" else None
        if decoration is not None:
            found.append((place, decoration, 16.0 if kind == "d6" else SYMBOL_MM[kind] * 1.3))
    return found


def turned(symbol: FaceSymbol, face: Face, kind: Kind, turns: int) -> FaceSymbol:
    """The symbol turned as other makers do: by a symmetry of the face, or a d10's upside down."""
    if kind == "d4" or not turns:
        return symbol
    angle = np.pi if kind == "d10" else 2 * np.pi * turns / len(face.corners)
    up, normal = np.array(symbol.up), np.array(face.normal)
    turned = up * np.cos(angle) + np.cross(normal, up) * np.sin(angle)
    return FaceSymbol(symbol.value, symbol.at, (float(turned[0]), float(turned[1]), float(turned[2])))


def ambiguous(die: Model, value: int) -> bool:
    """Whether neither line nor dot tells this value's 6 from a 9."""
    return die.style.six_nine == "none" and not die.style.pips and value in (6, 9)
