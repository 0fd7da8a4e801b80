"""The distance field: never above the truth, its sides right, its verdicts on axes right."""

from __future__ import annotations

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from planner.clearance import distance_field as marching
from planner.clearance.distance_field import Field, field_of, march, tree_of, upper_bound
from planner.job.solids import Solid, SolidKind
from tests.cases import cases


def solid(mesh, closed=True):
    return Solid(name="s", kind=SolidKind.OBSTACLE, mesh=mesh, closed=closed)


def lower_bound(field, x):
    """What the docstring of the field states. [m]"""
    side, shape = field.frame[3], field.frame[4:7].astype(int)
    place = (x - field.frame[:3]) / side
    cell = np.clip(place.astype(int), 0, shape - 1)
    value = field.values.reshape(shape)[tuple(cell)]
    return (abs(float(value)) - np.linalg.norm(place - cell - 0.5)) * side, value


def shapes(brute):
    ball = solid(brute.sphere((0.3, -0.2, 0.4), 0.2, 0.2, 2))
    box = solid(brute.box((0.4, -0.1, 0.4), (0.3, 0.2, 0.1)))
    corners = np.array([[0.0, 0, 0], [2, 0, 0.3], [0, 1.5, 1.0], [2, 0, 0.3], [2, 0, 0.3]])
    sheet = solid(
        TriangleMesh(vertices=corners, faces=np.array([[0, 1, 2], [0, 1, 3], [0, 3, 4]])), False
    )
    rng = np.random.default_rng(8)
    places = np.repeat(rng.uniform(-0.3, 0.3, (20, 3)), 3, axis=0)
    dust = TriangleMesh(
        vertices=places + 1e-3 * rng.normal(size=(60, 3)), faces=np.arange(60).reshape(-1, 3)
    )
    return {
        "dust": [solid(dust, closed=False)],
        "ball": [ball],
        "ball and box": [ball, box],
        "sheet": [sheet],
        "all": [ball, box, sheet],
    }


NAMES = ["dust", "ball", "ball and box", "sheet", "all"]


@pytest.fixture(params=NAMES)
def scene(request, brute):
    solids = shapes(brute)[request.param]
    tree = tree_of(solids)
    return solids, tree, field_of(tree, solids)


def test_bounds_enclose_the_distance(scene, brute):
    _, tree, field = scene
    corners = tree.corners.reshape(-1, 3, 3)
    low, high = tree.bounds
    rng = np.random.default_rng(3)
    wide = rng.uniform(low - 0.4, high + 0.4, (cases(gate=30, soak=300), 3))
    near_count = cases(gate=60, soak=200)
    on = corners[rng.integers(len(corners), size=near_count)]
    near = np.einsum("ij,ijk->ik", rng.dirichlet(np.ones(3), near_count), on)
    cells = rng.integers(0, field.frame[4:7].astype(int), (cases(gate=30, soak=400), 3))
    centres = field.frame[:3] + (cells + 0.5) * field.frame[3]
    points = np.concatenate([wide, centres, near + rng.normal(scale=0.02, size=near.shape)])
    errors = []
    for x in points:
        true = brute.segment(x, x, corners)
        below, _ = lower_bound(field, x)
        above = upper_bound(Field(field.values, field.frame), tuple(x))
        assert below <= true <= above
        errors.append(above - below)
    # Two half diagonals for the cell centre, and the way to it on both sides.
    inside_grid = ((points > low - 0.1) & (points < high + 0.1)).all(axis=1)
    assert np.array(errors)[inside_grid].max() <= 4 * 0.8662 * field.frame[3]


def test_sides_are_those_of_the_solid_angles(scene, brute):
    solids, tree, field = scene
    low, high = tree.bounds
    points = np.random.default_rng(4).uniform(low - 0.1, high + 0.1, (400, 3))
    inside = np.zeros(len(points), dtype=bool)
    for s in solids:
        if s.closed:
            inside |= brute.winding(points, s.mesh.triangles) != 0
    values = np.array([lower_bound(field, x)[1] for x in points])
    sure = np.abs(values) > marching.REACH  # of one side wholly
    assert ((values < 0) == inside)[sure].all()
    assert not (values < 0)[~inside].any()
    assert sure.any()


def test_verdicts_on_axes_are_true(scene, brute):
    solids, tree, field = scene
    corners = tree.corners.reshape(-1, 3, 3)
    low, high = tree.bounds
    rng = np.random.default_rng(5)
    seen = {marching.CLEAR: 0, marching.HIT: 0, marching.INSIDE: 0, marching.DOUBT: 0}
    for trial in range(cases(gate=50, soak=500)):
        a, b = rng.uniform(low - 0.3, high + 0.3, (2, 3))
        b = a if trial % 10 == 0 else b
        need, span = rng.choice([0.0, 0.004, 0.05, 0.2, 0.6]), np.empty(4)
        verdict = march(Field(field.values, field.frame), tuple(a), tuple(b - a), need, span)
        true = brute.segment(a, b, corners)
        seen[verdict] += 1
        if verdict == marching.CLEAR:
            assert true >= span[marching.BOUND] >= need
        elif verdict == marching.HIT:
            assert true < need
        elif verdict == marching.INSIDE:
            signed = brute.axis(a, b, solids)
            assert signed <= 0.0
        else:
            start, end = (a + span[k] * (b - a) for k in (marching.FROM, marching.TO))
            part = brute.segment(start, end, corners)
            assert part == pytest.approx(true, abs=1e-12) or true >= need
        if span[marching.OUTSIDE] > 0.0 and true > 0.0:
            assert brute.axis(a, b, solids) > 0.0
    assert min(seen[marching.CLEAR], seen[marching.HIT], seen[marching.DOUBT]) > 0


def test_a_hollow_solid_has_an_outside_in_its_middle(brute):
    outer, inner = brute.sphere((0, 0, 0), 0.5), brute.sphere((0, 0, 0), 0.3)
    faces = np.concatenate([outer.faces, inner.faces[:, ::-1] + len(outer.vertices)])
    vertices = np.concatenate([outer.vertices, inner.vertices])
    shell = [solid(TriangleMesh(vertices=vertices, faces=faces))]
    field = field_of(tree_of(shell), shell)
    values = [lower_bound(field, np.array([x, 0.0, 0.0]))[1] for x in (0.0, 0.4, 0.6)]
    assert np.sign(values).tolist() == [1.0, -1.0, 1.0]


def test_the_grid_keeps_to_its_cells(brute):
    solids = [solid(brute.sphere((0, 0, 0), 1.0, 0.1, 4))]
    field = field_of(tree_of(solids), solids, cells=50_000)
    assert 30_000 < field.values.size < 60_000
