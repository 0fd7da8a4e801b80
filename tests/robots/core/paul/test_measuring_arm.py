"""Worked example: Tableau 2 of [LAMMARI12] (nine points of the measuring arm), by Paul's types.

The arm's equations (VI.1)-(VI.8) are of type 2 for q1, 8 for (q2, q3), 4 for (q4, sin q5) and 3 for
q5. Points are the unrounded ones behind the table (sources.md, decisions 2 and 3).
"""

import numpy as np
import pytest

from robots.core.paul import solve_type_2, solve_type_3, solve_type_4, solve_type_8

R1, D3, R4 = 0.40982, 1.000, 1.5139  # table VI.2 [m]
NORMAL = np.array([0.10, 0.25, 1.0]) / np.linalg.norm([0.10, 0.25, 1.0])
TABLEAU_2 = np.array(  # [deg]
    [
        [7.5300622e1, 8.6454360e1, -1.5858521, 1.8695438, -9.9825592e1],
        [7.3977965e1, 7.7956864e1, 6.2499197, 1.5198251, -9.9203436e1],
        [7.2862224e1, 6.9265693e1, 1.5141096e1, 1.2278874, -9.9429901e1],
        [6.6734614e1, 7.1136464e1, 1.2087946e1, -3.8460870e-1, -9.8293011e1],
        [6.7335344e1, 7.9947839e1, 3.2438710, -2.2678370e-1, -9.8263511e1],
        [6.8052965e1, 8.8660045e1, -4.6144154, -3.8341430e-2, -9.9118641e1],
        [6.0537795e1, 8.9391589e1, -6.1158172, -2.0068593, -9.8215790e1],
        [6.0489319e1, 8.0581360e1, 1.7760261, -2.0150777, -9.7296751e1],
        [6.0448860e1, 7.1717099e1, 1.0621187e1, -2.0255005, -9.7276259e1],
    ]
)


def clearance_points():
    x = np.repeat([0.05, 0.25, 0.45], 3)
    y = np.array([0.05, 0.20, 0.35, 0.35, 0.20, 0.05, 0.05, 0.20, 0.35])
    z = 0.40 - 0.10 * x - 0.25 * y + 0.05
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    return c * x + s * y + 0.33, -s * x + c * y + 1.5, z + 0.84


def all_postures():
    """Angles of every branch, in degrees. # (9, 2 shoulders, 2 elbows, 2 wrists, 5)."""
    Px, Py, Pz = (p[:, None, None, None] for p in clearance_points())
    q1 = solve_type_2(Px[..., 0], -Py[..., 0], np.zeros(1)).roots[:, 0, 0][:, :, None, None, :]
    q1 = q1[..., 0]
    A, B = Px * np.cos(q1) + Py * np.sin(q1), Pz - R1 + 0 * q1
    elbow = solve_type_8(D3, R4, A[..., 0], B[..., 0]).roots  # θj = q3 - π/2
    q2, q3 = elbow[:, :, 0, :, :1], elbow[:, :, 0, :, 1:] + np.pi / 2
    n1, n2, n3 = NORMAL
    E = -n1 * np.cos(q1) - n2 * np.sin(q1)
    c23, s23 = np.cos(q2 + q3), np.sin(q2 + q3)
    wrist = solve_type_4(
        1.0, n2 * np.cos(q1) - n1 * np.sin(q1) + 0 * q2, 1.0, E * c23 - n3 * s23
    ).roots[..., 0, :, :]
    q4, sin_q5 = wrist[..., 0], wrist[..., 1]
    fifth = solve_type_3(X1=1.0, Y1=0.0, Z1=sin_q5, X2=0.0, Y2=1.0, Z2=E * s23 + n3 * c23)
    q5 = fifth.roots[..., 0, 0]
    return np.degrees(np.stack(np.broadcast_arrays(q1, q2, q3, q4, q5), axis=-1))


def test_tableau_2_is_one_of_the_eight_branches():
    turns = all_postures() - TABLEAU_2[:, None, None, None, :]
    gaps = np.abs((turns + 180.0) % 360.0 - 180.0)
    branch = gaps.max(axis=-1).reshape(9, -1).argmin(axis=-1)
    assert len(set(branch)) == 1  # the same branch for all nine points
    best = gaps.reshape(9, 8, 5)[:, branch[0]]
    # The thesis used a normal that is not a unit vector: 4.0e-3 deg in q5, 2e-5 deg in the others.
    assert best[:, :4].max() < 2e-5
    assert best[:, 4].max() < 4.1e-3


def test_every_branch_reaches_the_point_with_the_probe_along_the_normal():
    q1, q2, q3, q4, q5 = np.moveaxis(np.radians(all_postures()), -1, 0)
    reach = R4 * np.sin(q2 + q3) + D3 * np.cos(q2)
    found = np.stack(
        [np.cos(q1) * reach, np.sin(q1) * reach, R1 + D3 * np.sin(q2) - R4 * np.cos(q2 + q3)]
    )
    target = np.stack(clearance_points())[:, :, None, None, None]
    assert np.abs(found - target).max() < 1e-13  # rounding of a few metres
    radial = -np.cos(q4) * np.sin(q5) * np.cos(q2 + q3) - np.cos(q5) * np.sin(q2 + q3)
    lateral = np.sin(q4) * np.sin(q5)
    n1 = np.cos(q1) * radial - np.sin(q1) * lateral  # (VI.6)
    n2 = np.sin(q1) * radial + np.cos(q1) * lateral  # (VI.7)
    n3 = -np.cos(q4) * np.sin(q5) * np.sin(q2 + q3) + np.cos(q5) * np.cos(q2 + q3)  # (VI.8)
    for value, wanted in zip((n1, n2, n3), NORMAL, strict=True):
        assert value == pytest.approx(np.full(value.shape, wanted), abs=1e-13)
