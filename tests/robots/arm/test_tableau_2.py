"""[LAMMARI12] annex, Tableau 2: joints at the nine clearance points, and why they differ from ours.

The annex listing types the unit normal (0.0965609, 0.241402, 0.965609) as (…, 0.965091): two digits
exchanged and one lost, so the vector has length 0.99950. Its own formulas take q5 from an arc
cosine and q4 from an arc sine as if the length were one; with them the nine rows come out to the
last printed digit. A direction has no such freedom: with the unit normal q5 moves by up to 4.0e-3
degrees, and that, not the table, is where the probe stands along the normal.

Source: sources.md decision 3; seeds/001 annex, "Résultats du MGI" and its listing
"""

from __future__ import annotations

import numpy as np

from robots.arm.inverse import BRANCH_NAMES, ArmInverse

TABLEAU_2 = np.array(
    [
        [7.5300622e001, 8.6454360e001, -1.5858521e000, 1.8695438e000, -9.9825592e001],
        [7.3977965e001, 7.7956864e001, 6.2499197e000, 1.5198251e000, -9.9203436e001],
        [7.2862224e001, 6.9265693e001, 1.5141096e001, 1.2278874e000, -9.9429901e001],
        [6.6734614e001, 7.1136464e001, 1.2087946e001, -3.8460870e-001, -9.8293011e001],
        [6.7335344e001, 7.9947839e001, 3.2438710e000, -2.2678370e-001, -9.8263511e001],
        [6.8052965e001, 8.8660045e001, -4.6144154e000, -3.8341430e-002, -9.9118641e001],
        [6.0537795e001, 8.9391589e001, -6.1158172e000, -2.0068593e000, -9.8215790e001],
        [6.0489319e001, 8.0581360e001, 1.7760261e000, -2.0150777e000, -9.7296751e001],
        [6.0448860e001, 7.1717099e001, 1.0621187e001, -2.0255005e000, -9.7276259e001],
    ]
)  # [deg]
FAMILY = BRANCH_NAMES.index("shoulder+ elbow+ wrist-")
R1, D3, R4 = 0.40982, 1.0, 1.5139  # [m]
MISTYPED = np.array([0.0965609, 0.241402, 0.965091])
UNIT = np.array([0.1, 0.25, 1.0]) / np.linalg.norm([0.1, 0.25, 1.0])


def clearance_points():
    """Rz(-30 deg)·part + (0.33, 1.5, 0.84) and 50 mm up, unrounded; rows run to and fro. [m]"""
    there = [0.05, 0.2, 0.35]
    rows = [(0.05, there), (0.25, there[::-1]), (0.45, there)]
    part = np.array([[x, y, 0.4 - 0.1 * x - 0.25 * y] for x, ys in rows for y in ys])
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    return part @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]).T + [0.33, 1.5, 0.89]


def annex_listing(points, n):
    """The listing's formulas, its root set right: it covers the whole sum of squares. [deg]"""
    x, y, z = points.T
    h = z - R1
    q1 = np.arctan(y / x)
    q3 = np.arcsin((x**2 + y**2 + h**2 - (R4**2 + D3**2)) / (2 * R4 * D3))
    m, k = R4 * np.sin(q3) + D3, R4 * np.cos(q3)
    q2 = np.arctan(k / m) + np.arcsin(h / np.sqrt(m**2 + k**2))
    along = n[0] * np.cos(q1) + n[1] * np.sin(q1)
    q5 = -np.arccos(n[2] * np.cos(q2 + q3) - along * np.sin(q2 + q3))
    q4 = np.arcsin((n[1] * np.cos(q1) - n[0] * np.sin(q1)) / np.sin(q5))
    return np.degrees(np.stack([q1, q2, q3, q4, q5], axis=-1))


def test_the_annex_formulas_with_the_mistyped_normal_give_all_45_entries():
    found = annex_listing(clearance_points(), MISTYPED)
    # Eight printed digits of numbers below 100: half a unit of the last is 5e-7.
    np.testing.assert_allclose(found, TABLEAU_2, rtol=0, atol=1e-6)


def test_the_mistyped_normal_is_none():
    """Its length is off by 5e-4 and its direction by 0.008 deg; the true one has length 1."""
    length = np.linalg.norm(MISTYPED)
    assert abs(length - 0.99950) < 1e-5
    angle = np.degrees(np.arcsin(np.linalg.norm(np.cross(MISTYPED / length, UNIT))))
    assert 0.007 < angle < 0.008


def test_the_unit_normal_moves_q5_only(arm):
    found = ArmInverse(arm).solve(clearance_points(), -UNIT)
    assert found.solved.all()
    apart = np.abs(np.degrees(found.q[:, FAMILY]) - TABLEAU_2).max(axis=0)
    assert apart[:4].max() <= 2e-5
    assert 3.9e-3 < apart[4] <= 4.0e-3


def test_with_the_unit_normal_the_annex_formulas_are_ours(arm):
    """So the table differs by the normal alone, not by the inverse."""
    ours = np.degrees(ArmInverse(arm).solve(clearance_points(), -UNIT).q[:, FAMILY])
    # An arc cosine near 98 deg loses nothing; degrees carry 1e-14 relative.
    np.testing.assert_allclose(ours, annex_listing(clearance_points(), UNIT), rtol=0, atol=1e-11)


def test_the_normalised_mistyped_direction_is_not_the_table_either(arm):
    """Normalising what was typed does not help: its direction is wrong too."""
    found = ArmInverse(arm).solve(clearance_points(), -MISTYPED)
    q5 = np.degrees(found.q[:, FAMILY, 4])
    assert np.abs(q5 - TABLEAU_2[:, 4]).max() > 2e-3
