"""Facts about dice that every part shares: kinds, faces, solids. Pure data, no randomness."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

Kind = Literal["d4", "d6", "d8", "d10", "d12", "d20", "d100"]

KINDS: tuple[Kind, ...] = ("d4", "d6", "d8", "d10", "d12", "d20")
"""The kinds that differ in shape. A percentile die is none of them: it is a d10 with two digits on a face."""

EVERY_KIND: tuple[Kind, ...] = (*KINDS, "d100")

FACES: dict[Kind, int] = {"d4": 4, "d6": 6, "d8": 8, "d10": 10, "d12": 12, "d20": 20, "d100": 10}
"""Number of faces of each kind."""

VALUES: dict[Kind, tuple[int, ...]] = {
    **{kind: tuple(range(1, FACES[kind] + 1)) for kind in KINDS},
    "d100": tuple(range(0, 100, 10)),
}
"""What the faces of each kind show, ascending. The face marked 0 on a d10 is 10, and 00 on a d100 is 0."""

ALIKE: dict[Kind, Kind] = {"d10": "d100", "d100": "d10"}
"""The kinds of one shape, which differ in their numerals alone, each with the other one."""

Die = tuple[Kind, int]
"""A die as it lies: its kind and the face that counts."""


def place_of(die: Die) -> int:
    """The place of the die's value among those of its kind, from 1."""
    kind, value = die
    return VALUES[kind].index(value) + 1


def every_face(kinds: Sequence[Kind]) -> list[Die]:
    """All faces of dice of these kinds."""
    return [(kind, value) for kind in kinds for value in VALUES[kind]]


Point = tuple[float, float, float]
"""A position (millimetres from the die's centre) or a direction (unit length)."""

PIPS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((-1, 1), (1, -1)),
    3: ((-1, 1), (0, 0), (1, -1)),
    4: ((-1, 1), (1, 1), (-1, -1), (1, -1)),
    5: ((-1, 1), (1, 1), (0, 0), (-1, -1), (1, -1)),
    6: ((-1, 1), (-1, 0), (-1, -1), (1, 1), (1, 0), (1, -1)),
}
"""Positions of pips on a d6 face, as (right, up) relative to the symbol's `up`, in units of the outer pips'
offset."""


@dataclass(frozen=True)
class FaceSymbol:
    """One numeral (or set of pips) on a face: its value, its centre and its upward direction."""

    value: int
    centre: Point
    up: Point


@dataclass(frozen=True)
class Face:
    """One flat face.

    `corners` index the solid's vertices, counter-clockwise seen from outside; `normal` points outward.
    `value` is the value marked on the face. A d4's face has three symbols, and its `value` is the one that is
    read when the die lies on it.
    """

    corners: tuple[int, ...]
    normal: Point
    value: int
    symbols: tuple[FaceSymbol, ...]


@dataclass(frozen=True)
class Solid:
    """A die as a convex body with sharp edges, centred at the origin, with the size of a common 16 mm set.

    `layout` names the numbering, which differs between makers.
    """

    kind: Kind
    layout: str
    vertices_mm: tuple[Point, ...]
    faces: tuple[Face, ...]

    @property
    def height_mm(self) -> float:
        """The direction from the table to the top face, or to the top corner of a d4."""
        down = self.faces[0].normal
        along = [dot(vertex, down) for vertex in self.vertices_mm]
        return max(along) - min(along)

    def opposite(self, face: int) -> int | None:
        """The parallel face on the opposite side; a d4 has none."""
        normal = self.faces[face].normal
        opposite = [i for i, face in enumerate(self.faces) if dot(face.normal, normal) < -1 + 1e-9]
        return opposite[0] if opposite else None

    def value_on_table(self, face: int) -> int:
        """The value that is read while `face` lies on the table."""
        top = self.opposite(face)
        return self.faces[face if top is None else top].value


def dot(a: Point, b: Point) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Point, b: Point) -> Point:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a: Point) -> Point:
    return scaled(a, 1 / math.sqrt(dot(a, a)))


def scaled(a: Point, by: float) -> Point:
    return (a[0] * by, a[1] * by, a[2] * by)


def middle(points: Sequence[Point]) -> Point:
    x, y, z = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    return (x, y, z)


def _between(start: Point, end: Point) -> Point:
    return unit((end[0] - start[0], end[1] - start[1], end[2] - start[2]))


def _corners(vertices: Sequence[Point], normal: Point) -> tuple[int, ...]:
    """The vertices farthest along `normal`, counter-clockwise when seen from its tip."""
    reach = max(dot(v, normal) for v in vertices)
    flat = [i for i, v in enumerate(vertices) if dot(v, normal) > reach - 1e-9]
    centre = middle([vertices[i] for i in flat])
    right = _between(centre, vertices[flat[0]])
    up = cross(normal, right)

    def turn(i: int) -> float:
        ray = _between(centre, vertices[i])
        return math.atan2(dot(ray, up), dot(ray, right)) % math.tau

    return tuple(sorted(flat, key=lambda i: round(turn(i), 6) % round(math.tau, 6)))


def _body(vertices: Sequence[Point], normals: Sequence[Point], inradius_mm: float) -> tuple[Point, ...]:
    """The vertices, scaled so that each face is `inradius_mm` from the centre."""
    reach = max(dot(v, unit(normals[0])) for v in vertices)
    return tuple(scaled(v, inradius_mm / reach) for v in vertices)


def _solid(
    kind: Kind,
    layout: str,
    vertices_mm: tuple[Point, ...],
    normals: Sequence[Point],
    values: Sequence[int],
    upright: Callable[[tuple[int, ...]], Point],
) -> Solid:
    """A solid with one symbol per face; `upright` gives the point that the top of the numeral points to."""
    faces = []
    for direction, value in zip(normals, values, strict=True):
        normal = unit(direction)
        corners = _corners(vertices_mm, normal)
        centre = scaled(normal, dot(vertices_mm[corners[0]], normal))
        faces.append(
            Face(corners, normal, value, (FaceSymbol(value, centre, _between(centre, upright(corners))),))
        )
    return Solid(kind, layout, vertices_mm, tuple(faces))


def _cycled(points: Sequence[Point]) -> list[Point]:
    """The points, followed by copies with their axes rotated once and twice."""
    return [(p[k], p[(k + 1) % 3], p[(k + 2) % 3]) for k in range(3) for p in points]


_SIGNS = (-1.0, 1.0)
_PHI = (1 + math.sqrt(5)) / 2
_CUBE: list[Point] = [(x, y, z) for x, y, z in product(_SIGNS, repeat=3)]
_AXES: list[Point] = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1)]
_ICOSAHEDRON = _cycled([(0.0, s, t * _PHI) for s in _SIGNS for t in _SIGNS])
_DODECAHEDRON = _CUBE + _cycled([(0.0, t * _PHI, s / _PHI) for s in _SIGNS for t in _SIGNS])


def _d4(layout: Literal["top", "bottom"]) -> Solid:
    """A d4, face i opposite vertex i.

    "top": each face has three numerals, each upright toward a corner and naming it; the top corner counts.
    "bottom": each face has three numerals, each upright from an edge and naming the face beyond it; the
    number along the table counts. Either way the three visible faces show one number upright, and that is the
    value.
    """
    ends: list[Point] = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]
    normals = [scaled(end, -1) for end in ends]
    vertices = _body(ends, normals, 3.9)
    faces = []
    for i, direction in enumerate(normals):
        normal = unit(direction)
        corners = _corners(vertices, normal)
        centre = middle([vertices[c] for c in corners])
        symbols = []
        for c in corners:
            # toward the corner that it names, or beside the opposite edge
            reach = 0.5 if layout == "top" else -0.27
            x, y, z = (m + reach * (v - m) for m, v in zip(centre, vertices[c], strict=True))
            up = _between(centre, vertices[c])
            symbols.append(FaceSymbol(c + 1, (x, y, z), up))
        faces.append(Face(corners, normal, i + 1, tuple(symbols)))
    return Solid("d4", layout, vertices, tuple(faces))


def _d6(layout: Literal["right", "left"]) -> Solid:
    """A d6 whose opposite faces add up to 7.

    Seen from their common corner, 1, 2 and 3 run counter-clockwise ("right", the western die) or clockwise.
    """
    vertices = _body(_CUBE, _AXES, 8.0)
    one_two_three = (1, 2, 3) if layout == "right" else (1, 3, 2)
    values = [*one_two_three, *(7 - value for value in one_two_three)]

    def upright(corners: tuple[int, ...]) -> Point:
        return middle([vertices[corners[0]], vertices[corners[1]]])

    return _solid("d6", layout, vertices, _AXES, values, upright)


def _d8() -> Solid:
    """A d8 whose opposite faces add up to 9; numerals stand toward the poles."""
    half: list[Point] = [(1, 1, 1), (-1, 1, 1), (-1, -1, 1), (1, -1, 1)]
    normals = half + [scaled(normal, -1) for normal in half]
    values = [1, 4, 6, 7, 8, 5, 3, 2]
    vertices = _body(_AXES, normals, 7.5)

    def upright(corners: tuple[int, ...]) -> Point:
        return max((vertices[c] for c in corners), key=lambda v: abs(v[2]))

    return _solid("d8", "nine", vertices, normals, values, upright)


def _d10(layout: Literal["nine", "eleven"]) -> Solid:
    """A d10, a pentagonal trapezohedron; numerals stand toward the poles; the face marked 0 is 10.

    "nine": opposite symbols add up to 9 (0 and 9, 1 and 8 …), with the even ones round one pole.
    "eleven": opposite values add up to 11 (10 and 1, 2 and 9 …).
    """
    rise = 0.105
    pole = rise * (1 + math.cos(math.pi / 5)) / (1 - math.cos(math.pi / 5))  # makes the kites flat
    belt: list[Point] = [
        (math.cos(k * math.pi / 5), math.sin(k * math.pi / 5), rise if k % 2 else -rise) for k in range(10)
    ]
    raw = [*belt, (0.0, 0.0, pole), (0.0, 0.0, -pole)]
    upper = []
    for k in range(0, 10, 2):
        right, left, top = belt[k - 1], belt[(k + 1) % 10], raw[10]
        a = (right[0] - top[0], right[1] - top[1], right[2] - top[2])
        b = (left[0] - top[0], left[1] - top[1], left[2] - top[2])
        upper.append(unit(cross(a, b)))
    normals = upper + [scaled(normal, -1) for normal in upper]
    evens = [10, 4, 6, 2, 8]
    odds = [9 - value % 10 if layout == "nine" else 11 - value for value in evens]
    vertices = _body(raw, normals, 8.0)

    def upright(corners: tuple[int, ...]) -> Point:
        return max((vertices[c] for c in corners), key=lambda v: abs(v[2]))

    solid = _solid("d10", layout, vertices, normals, evens + odds, upright)
    faces = tuple(_marked_at_middle(face, vertices) for face in solid.faces)
    return Solid("d10", layout, vertices, faces)


def _marked_at_middle(face: Face, vertices: tuple[Point, ...]) -> Face:
    """The face with its symbol moved to the mean of its corners, where a kite has the most room."""
    symbol = face.symbols[0]
    centre = middle([vertices[c] for c in face.corners])
    return Face(face.corners, face.normal, face.value, (FaceSymbol(symbol.value, centre, symbol.up),))


def _d12() -> Solid:
    """A d12 whose opposite faces add up to 13; round the 7, clockwise: 10 9 12 8 2."""
    values = [7, 11, 2, 6, 9, 1, 12, 4, 10, 8, 5, 3]
    vertices = _body(_DODECAHEDRON, _ICOSAHEDRON, 9.0)
    return _solid("d12", "thirteen", vertices, _ICOSAHEDRON, values, lambda corners: vertices[corners[0]])


def _d20() -> Solid:
    """A d20 whose opposite faces add up to 21; round the 20, clockwise: 14 8 2."""
    values = [20, 6, 18, 11, 10, 3, 15, 1, 8, 5, 16, 13, 14, 17, 4, 7, 2, 9, 12, 19]
    vertices = _body(_ICOSAHEDRON, _DODECAHEDRON, 10.0)
    return _solid("d20", "twenty-one", vertices, _DODECAHEDRON, values, lambda corners: vertices[corners[0]])


def _d100(d10: Solid) -> Solid:
    """A percentile die: a d10 whose faces bear ten times as much, and 00 in place of the 0."""

    def tens(value: int) -> int:
        return 10 * (value % 10)

    faces = tuple(
        replace(
            face,
            value=tens(face.value),
            symbols=tuple(replace(symbol, value=tens(symbol.value)) for symbol in face.symbols),
        )
        for face in d10.faces
    )
    return replace(d10, kind="d100", faces=faces)


SOLIDS: dict[Kind, tuple[Solid, ...]] = {
    "d4": (_d4("top"), _d4("bottom")),
    "d6": (_d6("right"), _d6("left")),
    "d8": (_d8(),),
    "d10": (_d10("nine"), _d10("eleven")),
    "d12": (_d12(),),
    "d20": (_d20(),),
    "d100": (_d100(_d10("nine")),),
}
"""The layouts of every kind, the most common first. Makers also differ in the orientation of numerals."""
