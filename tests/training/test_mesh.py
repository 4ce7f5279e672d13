"""The bodies that are path-traced: rounded dice bear their symbols where the solids have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from games.dice import KINDS, SOLIDS, Solid
from training.body import RenderLens
from training.mesh import cell, cylinder, rounded, swept
from training.pathtracer import centred, film_side, ray_map

if TYPE_CHECKING:
    from training import Array

EVERY = [solid for kind in KINDS for solid in SOLIDS[kind]]
NAMES = [f"{solid.kind} {solid.layout}" for solid in EVERY]


def volume(points: Array, triangles: Array) -> float:
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


@pytest.mark.parametrize("solid", EVERY, ids=NAMES)
def test_a_rounded_die_is_the_solid_less_its_edges(solid: Solid) -> None:
    sharp, round_ = (rounded(solid, mm, 99.0) for mm in (1e-6, 1.0))
    assert volume(round_.points, round_.triangles) < volume(sharp.points, sharp.triangles)
    normals = np.array([face.normal for face in solid.faces])
    inner = float(np.array(solid.vertices_mm[solid.faces[0].corners[0]]) @ normals[0])
    assert (round_.points @ normals.T).max() == pytest.approx(inner)
    tip = max(np.linalg.norm(np.array(solid.vertices_mm), axis=1))
    assert np.linalg.norm(round_.points, axis=1).max() == pytest.approx(tip * (1 - 1 / inner) + 1)
    assert (round_.points @ normals.T > inner - 1e-6).any(0).all()  # every face is still flat on a table
    assert ((round_.normals * round_.points).sum(1) > 0).all()


@pytest.mark.parametrize("solid", EVERY, ids=NAMES)
def test_a_mark_lies_in_the_picture_where_it_lies_on_the_die(solid: Solid) -> None:
    mesh = rounded(solid, 0.5, 99.0)
    a, b, c = (mesh.points[mesh.triangles[:, corner]] for corner in range(3))
    u, v, w = (mesh.places[mesh.triangles[:, corner]] for corner in range(3))
    outward = np.cross(b - a, c - a)
    for number, face in enumerate(solid.faces):
        own = cell(solid, number)
        for symbol in face.symbols:
            at, up = np.array(symbol.centre), np.array(symbol.up)
            for point in (at, at + 0.5 * up):
                # the triangle that the point lies in, and the point's shares of its corners
                corners = np.stack([a, b, c], 2) + 1e-9 * np.eye(3)
                shares = np.linalg.solve(corners, np.broadcast_to(point, a.shape)[..., None])[..., 0]
                hit = np.flatnonzero((shares > -1e-6).all(1) & (np.abs(shares.sum(1) - 1) < 1e-3))
                assert len(hit)
                k = hit[0]
                place = shares[k] @ np.array([u[k], v[k], w[k]])
                wanted = (own.flat(point[None])[0] / 2 + 0.5 + (own.column, own.row)) / own.across
                assert place == pytest.approx(wanted, abs=1e-3)
    flat = (v - u)[:, 0] * (w - u)[:, 1] - (v - u)[:, 1] * (w - u)[:, 0]
    size = np.linalg.norm(outward, axis=1)
    assert (flat[size > 1e-6] > 0).all()  # no numeral is mirrored


def test_a_ball_cuts_the_corners() -> None:
    ball = rounded(SOLIDS["d6"][0], 0.5, 10.4)
    assert np.linalg.norm(ball.points, axis=1).max() == pytest.approx(10.4)


def test_rims_and_rods_face_outward() -> None:
    rod = cylinder(np.zeros(3), np.array([0.0, 0.0, 5.0]), 3.0)
    assert volume(rod.points, rod.triangles) == pytest.approx(np.pi * 45, rel=0.03)
    square = np.array([[-50.0, -50.0], [50.0, -50.0], [50.0, 50.0], [-50.0, 50.0]])
    rim = swept(np.array([[5.0, 0.0], [5.0, 20.0], [0.0, 20.0], [0.0, 0.0], [5.0, 0.0]]), square)
    assert volume(rim.points, rim.triangles) == pytest.approx((110.0**2 - 100.0**2) * 20)


@pytest.mark.parametrize("bend", [-0.12, 0.0, 0.12, 0.5])
def test_every_pixel_is_traced_where_the_lens_sees_it(bend: float) -> None:
    side = 96
    lens = centred(RenderLens(np.eye(3), np.zeros(3), 90.0, (40.0, 50.0), bend), side)
    flat = ray_map(lens, side)
    assert np.abs(flat).max() < film_side(side) / 2
    rays = np.concatenate([flat / lens.focal, np.ones((side, side, 1))], 2).reshape(-1, 3)
    seen = lens.project(100 * rays).reshape(side, side, 2)
    y, x = np.mgrid[0:side, 0:side] + 0.5
    assert np.abs(seen - np.stack([x, y], 2)).max() < 0.02
