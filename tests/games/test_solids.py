"""The solids are like real dice: closed, convex, and numbered as makers number them."""

from __future__ import annotations

import math

import pytest

from games.dice import FACES, KINDS, SOLIDS, Point, Solid, cross, dot, middle, unit

EVERY = [pytest.param(solid, id=f"{kind}-{solid.layout}") for kind in KINDS for solid in SOLIDS[kind]]


def minus(a: Point, b: Point) -> Point:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def neighbours(solid: Solid, face: int) -> list[int]:
    """The values of the faces across each edge, counter-clockwise."""
    across = {(f.corners[i - 1], corner): f.value for f in solid.faces for i, corner in enumerate(f.corners)}
    corners = solid.faces[face].corners
    return [across[corner, corners[i - 1]] for i, corner in enumerate(corners)]


def turned_to(ring: list[int], first: int) -> list[int]:
    at = ring.index(first)
    return ring[at:] + ring[:at]


@pytest.mark.parametrize("solid", EVERY)
def test_edges_close(solid: Solid) -> None:
    edges = [(f.corners[i - 1], corner) for f in solid.faces for i, corner in enumerate(f.corners)]
    assert len(edges) == len(set(edges))
    assert {(b, a) for a, b in edges} == set(edges)
    assert len(solid.vertices_mm) - len(edges) // 2 + len(solid.faces) == 2


@pytest.mark.parametrize("solid", EVERY)
def test_faces_are_flat_outward_and_counter_clockwise(solid: Solid) -> None:
    for face in solid.faces:
        corners = [solid.vertices_mm[c] for c in face.corners]
        reach = dot(corners[0], face.normal)
        assert reach > 0
        assert all(dot(corner, face.normal) == pytest.approx(reach) for corner in corners)
        turned = cross(minus(corners[1], corners[0]), minus(corners[2], corners[1]))
        assert unit(turned) == pytest.approx(face.normal)


@pytest.mark.parametrize("solid", EVERY)
def test_convex_and_fair(solid: Solid) -> None:
    reach = {round(dot(solid.vertices_mm[f.corners[0]], f.normal), 6) for f in solid.faces}
    assert len(reach) == 1
    for face in solid.faces:
        for i, vertex in enumerate(solid.vertices_mm):
            inside = max(reach) - dot(vertex, face.normal)
            assert inside == pytest.approx(0) if i in face.corners else inside > 0.1


@pytest.mark.parametrize("solid", EVERY)
def test_every_value_once(solid: Solid) -> None:
    wanted = list(range(1, FACES[solid.kind] + 1))
    assert sorted(face.value for face in solid.faces) == wanted
    assert sorted(solid.value_on_table(i) for i in range(len(solid.faces))) == wanted


@pytest.mark.parametrize(("kind", "total"), [("d6", 7), ("d8", 9), ("d12", 13), ("d20", 21)])
def test_opposite_faces(kind: str, total: int) -> None:
    for solid in SOLIDS[next(k for k in KINDS if k == kind)]:
        for i, face in enumerate(solid.faces):
            top = solid.opposite(i)
            assert top is not None
            assert solid.faces[top].value + face.value == total
            assert solid.value_on_table(i) == total - face.value


def test_both_numberings_of_a_d10() -> None:
    nine, eleven = SOLIDS["d10"]
    for i in range(10):
        top = nine.opposite(i)
        assert top is not None
        assert nine.faces[i].value % 10 + nine.faces[top].value % 10 == 9
        assert eleven.faces[i].value + eleven.faces[top].value == 11


@pytest.mark.parametrize("solid", EVERY)
def test_marks_lie_on_their_face_and_stand_in_it(solid: Solid) -> None:
    for face in solid.faces:
        assert len(face.symbols) == (3 if solid.kind == "d4" else 1)
        edge = dot(solid.vertices_mm[face.corners[0]], face.normal)
        for symbol in face.symbols:
            assert dot(symbol.centre, face.normal) == pytest.approx(edge)
            assert dot(symbol.up, face.normal) == pytest.approx(0, abs=1e-9)
            assert math.hypot(*symbol.up) == pytest.approx(1)


@pytest.mark.parametrize("solid", [pytest.param(s, id=s.layout) for s in SOLIDS["d4"]])
def test_a_resting_d4_shows_its_value_upright_on_three_faces(solid: Solid) -> None:
    for down, bottom in enumerate(solid.faces):
        up = (-bottom.normal[0], -bottom.normal[1], -bottom.normal[2])
        read = set()
        for side in solid.faces:
            if side is not bottom:
                upright = max(side.symbols, key=lambda symbol: dot(symbol.up, up))
                assert dot(upright.up, up) > 0.8
                read.add(upright.value)
        assert read == {solid.value_on_table(down)}


def test_d4_marks_by_convention() -> None:
    top, bottom = SOLIDS["d4"]
    for solid, nearest in ((top, min), (bottom, max)):
        for face in solid.faces:
            for symbol in face.symbols:
                far = {c: math.dist(symbol.centre, solid.vertices_mm[c]) for c in face.corners}
                assert nearest(far, key=lambda c: far[c]) + 1 == symbol.value


@pytest.mark.parametrize(("layout", "wanted"), [("right", [1, 2, 3]), ("left", [1, 3, 2])])
def test_handedness_of_a_d6(layout: str, wanted: list[int]) -> None:
    solid = next(s for s in SOLIDS["d6"] if s.layout == layout)
    one, two, three = (next(f for f in solid.faces if f.value == v) for v in (1, 2, 3))
    counter_clockwise = dot(cross(one.normal, two.normal), three.normal) > 0
    assert counter_clockwise == (wanted == [1, 2, 3])


def test_real_layouts_of_d12_and_d20() -> None:
    d12, d20 = SOLIDS["d12"][0], SOLIDS["d20"][0]
    seven = next(i for i, f in enumerate(d12.faces) if f.value == 7)
    assert turned_to(neighbours(d12, seven)[::-1], 10) == [10, 9, 12, 8, 2]
    for value, clockwise in ((20, [14, 8, 2]), (1, [7, 19, 13]), (5, [13, 18, 15]), (17, [7, 3, 10])):
        i = next(i for i, f in enumerate(d20.faces) if f.value == value)
        ring = neighbours(d20, i)[::-1]
        assert set(ring) == set(clockwise)
        if value in (20, 5):
            assert turned_to(ring, clockwise[0]) == clockwise


@pytest.mark.parametrize("solid", EVERY)
def test_height_is_that_of_a_common_set(solid: Solid) -> None:
    assert 14 < solid.height_mm < 21
    assert all(abs(x) < 1e-9 for x in middle(solid.vertices_mm))
