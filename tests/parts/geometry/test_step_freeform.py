"""Free-form STEP faces: no parameters, so normals are interpolated and the notes say so."""

from __future__ import annotations

import numpy as np
import pytest


def bezier(heights, u, v):
    """Height and slopes of a bicubic sheet over the unit square."""
    basis = lambda t: np.array([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3])  # noqa: E731
    slope = lambda t: np.array(  # noqa: E731
        [-3 * (1 - t) ** 2, 3 * (1 - t) * (1 - 3 * t), 3 * t * (2 - 3 * t), 3 * t * t]
    )
    value = np.einsum("ik,ij,jk->k", basis(u), heights, basis(v))
    du = np.einsum("ik,ij,jk->k", slope(u), heights, basis(v))
    dv = np.einsum("ik,ij,jk->k", basis(u), heights, slope(v))
    return value, du, dv


def sheet(writer, heights, side):
    """An open shell of one bicubic spline face over a square. # [mm]."""
    place = np.linspace(0.0, side, 4)
    grid = [
        [writer.triple("CARTESIAN_POINT", (place[i], place[j], heights[i, j])) for j in range(4)]
        for i in range(4)
    ]
    rows = ",".join(f"({','.join(row)})" for row in grid)
    surface = writer.add(
        f"B_SPLINE_SURFACE_WITH_KNOTS('',3,3,({rows}),.UNSPECIFIED.,.F.,.F.,.F.,(4,4),(4,4),"
        "(0.,1.),(0.,1.),.UNSPECIFIED.)"
    )
    rim = [[(i, 0) for i in range(4)], [(3, j) for j in range(4)]]
    rim += [[(i, 3) for i in (3, 2, 1, 0)], [(0, j) for j in (3, 2, 1, 0)]]
    corners = [writer.add(f"VERTEX_POINT('',{grid[e[0][0]][e[0][1]]})") for e in rim]
    edges = []
    for k, edge in enumerate(rim):
        points = ",".join(grid[i][j] for i, j in edge)
        curve = writer.add(
            f"B_SPLINE_CURVE_WITH_KNOTS('',3,({points}),.UNSPECIFIED.,.F.,.F.,(4,4),(0.,1.),"
            ".UNSPECIFIED.)"
        )
        joined = f"{corners[k]},{corners[(k + 1) % 4]}"
        use = writer.add(f"EDGE_CURVE('',{joined},{curve},.T.)")
        edges.append(writer.add(f"ORIENTED_EDGE('',*,*,{use},.T.)"))
    loop = writer.add(f"EDGE_LOOP('',({','.join(edges)}))")
    bound = writer.add(f"FACE_OUTER_BOUND('',{loop},.T.)")
    face = writer.add(f"ADVANCED_FACE('blade \\X2\\00E9\\X0\\',({bound}),{surface},.T.)")
    return writer.add(f"OPEN_SHELL('',({face}))")


def test_free_form_faces_say_that_normals_are_interpolated(read, step_writer):
    heights = np.array([[0, 2, -1, 3], [1, 4, 2, 0], [0, 5, 3, 1], [2, 0, 1, 4.0]])
    text = step_writer.file([sheet(step_writer, heights, 20.0)], solid=False)
    found = read("blade.step", text)
    (face,) = found.faces
    assert (face.name, face.kind, face.surface) == ("blade é", "freeform", None)
    assert face.deflection == pytest.approx(1e-5)
    assert any("1 faces are free-form: normals are interpolated" in note for note in found.notes)
    assert not found.audit.watertight
    u, v = np.random.default_rng(4).uniform(0.05, 0.95, size=(2, 200))
    height, du, dv = bezier(heights, u, v)
    exact = np.column_stack([-du / 20, -dv / 20, np.ones(200)])
    exact /= np.linalg.norm(exact, axis=1)[:, None]
    points = np.column_stack([20 * u, 20 * v, height]) * 1e-3
    closest = found.closest(points)
    assert not closest.analytic.any()
    assert closest.distances.max() < 1e-5 + 1e-8  # the deflection asked for, and single precision
    assert np.linalg.norm(closest.normals, axis=1) == pytest.approx(1.0)
    # interpolation is at least ten times better than the 0.2 rad between facets
    assert np.arccos(np.clip((closest.normals * exact).sum(axis=1), -1, 1)).max() < 0.02
    flat = found.mesh.normals[closest.triangles]
    better = (closest.normals * exact).sum(axis=1) > (flat * exact).sum(axis=1)
    assert better.mean() > 0.9
