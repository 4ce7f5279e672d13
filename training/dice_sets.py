"""Dice as people own them, drawn at random: proportions, lettering, size, material."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from games.dice import FACES, SOLIDS, Face, FaceSymbol, Kind, Point, Solid, dot
from training import Array, Rng
from training.lettering import Lettering, lettering, numeral, ornament, pip_face
from training.materials import Material, material

POLE = (0.854, 1.206)
"""How much taller a d10 is than that of games.dice: its pole is then 0.85 to 1.2 of the girdle's radius."""
HELD = (0.5, 0.75)
"""Which part of each range is held out."""
ROUNDING: dict[Kind, tuple[float, float]] = {
    "d4": (0.02, 0.9), "d6": (0.05, 2.4), "d8": (0.03, 1.6), "d10": (0.03, 1.6), "d12": (0.03, 2.2),
    "d20": (0.03, 2.2),
}  # fmt: skip
"""Radius of the edges in millimetres: from razor edges to dice that are nearly balls."""
BALL: dict[Kind, tuple[float, float]] = {"d4": (2.0, 2.8), "d6": (1.25, 1.55), "d8": (1.38, 1.65)}
"""Radius of the ball that corners are cut to, in parts of how far the faces are from the middle."""
CUT: dict[Kind, float] = {"d4": 0.4, "d6": 0.45, "d8": 0.15}
"""The part of the dice whose corners are cut."""
UNCUT = 9.0
"""A ball that leaves all corners."""
GROW: dict[Kind, tuple[float, float]] = {
    "d4": (0.75, 1.3), "d6": (0.78, 1.95), "d8": (0.75, 1.4), "d10": (0.7, 1.4), "d12": (0.75, 1.55),
    "d20": (0.75, 1.3),
}  # fmt: skip
"""Size of the numerals against the usual one: they fill 40 to 95 % of what the face has room for."""


class Make(NamedTuple):
    """How one die is made: its solid, the radius of its edges, the ball it is cut to, its numerals' size."""

    solid: Solid
    rounding: float
    ball: float
    grow: float


def make(solid: Solid, rng: Rng, *, held: bool = False) -> Make:
    """A make of the solid drawn by chance."""
    kind = solid.kind
    if kind == "d10":
        solid = stretched(solid, (1.0, 1.0, within(POLE, rng, held=held)))
    ball = within(BALL[kind], rng, held=held) if rng.random() < CUT.get(kind, 0.0) else UNCUT
    return Make(solid, within(ROUNDING[kind], rng, held=held), ball, within(GROW[kind], rng, held=held))


def within(limits: tuple[float, float], rng: Rng, *, held: bool) -> float:
    """A number between the limits, held out or not."""
    low, high = HELD
    part = float(rng.uniform(low, high) if held else rng.uniform(0, 1 - (high - low)))
    if not held and part > low:
        part += high - low
    return limits[0] + part * (limits[1] - limits[0])


def stretched(solid: Solid, by: Point) -> Solid:
    """The solid drawn out along each axis, its numerals where they were on its faces, and upright."""
    scale = np.array(by)

    def point(at: Point) -> Point:
        x, y, z = (scale * at).tolist()
        return (x, y, z)

    def direction(of: Array) -> Point:
        x, y, z = (of / np.linalg.norm(of)).tolist()
        return (x, y, z)

    def face(one: Face) -> Face:
        normal = direction(np.array(one.normal) / scale)
        symbols = []
        for symbol in one.symbols:
            along = scale * symbol.up
            up = direction(along - (along @ np.array(normal)) * np.array(normal))
            symbols.append(FaceSymbol(symbol.value, point(symbol.centre), up))
        return replace(one, normal=normal, symbols=tuple(symbols))

    return replace(
        solid,
        vertices_mm=tuple(point(v) for v in solid.vertices_mm),
        faces=tuple(face(one) for one in solid.faces),
    )


def inradius(solid: Solid) -> float:
    """How far the first face is from the middle, in millimetres."""
    face = solid.faces[0]
    return float(np.array(solid.vertices_mm[face.corners[0]]) @ np.array(face.normal))


def bar(solid: Solid, longer: float) -> Solid:
    """The solid drawn out along one axis, as barrel-shaped d4 are."""
    return stretched(solid, (longer, 1.0, 1.0))


def bases(solid: Solid) -> list[int]:
    """The faces that it may come to lie on: those nearest its middle."""
    far = [dot(solid.vertices_mm[face.corners[0]], face.normal) for face in solid.faces]
    return [i for i, distance in enumerate(far) if distance < min(far) + 1e-6]


@dataclass(frozen=True)
class Model:
    """One die of some set: its solid, size, lettering and material; `texts` by value, none for pips.

    `pictures` are the ink that stands in place of some values.
    """

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
    pictures: Mapping[int, Array] = field(default_factory=dict)

    def text(self, value: int) -> str | None:
        """The text that stands for a value: nothing for pips, None for a picture."""
        if value in self.pictures:
            return None
        return self.texts[value - 1] if self.texts else ""


SYMBOL_MM: dict[Kind, float] = {"d4": 6.0, "d6": 10.8, "d8": 10.5, "d10": 8.4, "d12": 8.2, "d20": 7.2}
"""Millimetres along a numeral's square, for a face of the common size."""
PIPS = 0.45
"""Part of the d6 that have pips."""
STRAY = 0.12
"""Part of the d6 with numerals that are drawn out to a bar: no die of ours, though it looks like one."""


def model(kind: Kind, rng: Rng, *, pips: float = PIPS, held: bool = False) -> Model:
    """A die of `kind` drawn by chance; some have unreadable symbols, and `readable` is False.

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
    """The prints on a face: each symbol's place, its ink and the millimetres along the ink's square."""
    kind, style = die.solid.kind, die.style
    found = []
    for symbol in face.symbols:
        rng = np.random.default_rng((die.seed, symbol.value))
        place = turned(symbol, face, kind, die.turns)
        if symbol.value in die.pictures:
            found.append((place, die.pictures[symbol.value], SYMBOL_MM[kind] * die.symbol_size))
            decoration = None
        elif not die.texts:
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
    return FaceSymbol(symbol.value, symbol.centre, (float(turned[0]), float(turned[1]), float(turned[2])))


def ambiguous(die: Model, value: int) -> bool:
    """Whether neither line nor dot distinguishes this value's 6 from a 9."""
    return die.style.six_nine == "none" and not die.style.pips and value in (6, 9)
