"""Datum systems: known poses, precedence, each system of the trade, and what holds nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from parts.alignment.alignment import move_points, pose_of
from parts.alignment.datum_system import DatumPoints, align_to_datums, common_datum
from parts.errors import AlignmentError
from parts.fits.zone import minimum_zone
from tests.cases import some

X, Y, Z = np.eye(3)
PRIMARY = [[0.1, 0.1, 0.0], [0.9, 0.2, 0.0], [0.3, 0.8, 0.0]]
SECONDARY = [[0.2, 0.0, 0.1], [0.8, 0.0, 0.3]]
TERTIARY = [[0.0, 0.4, 0.2]]
OBLIQUE, SLOPE = (Y + Z) / np.sqrt(2.0), [[0.2, 0.1, -0.1], [0.8, 0.1, -0.1], [0.5, 0, 0]]
RING = np.radians(np.arange(0.0, 360.0, 45.0))


def plane(name, normal, points, **changes):
    normal, points = np.array(normal, dtype=float), np.array(points, dtype=float)
    values = {
        "name": name,
        "kind": "plane",
        "point": points.mean(axis=0),
        "direction": normal,
        "shape": "plane",
        "measured": points,
        "normals": np.tile(normal, (len(points), 1)),
    }
    return DatumPoints(**(values | changes))


def bore(name, x, y, radius=0.01, axis=Z, sides=-1.0, heights=(-0.005, -0.02)):
    """Eight points on each of two levels; ``sides`` -1 for a hole, 1 for a shaft."""
    u = np.roll(axis, 1)
    out = np.outer(np.cos(RING), u) + np.outer(np.sin(RING), np.cross(axis, u))
    foot = np.array([x, y, 0.0])
    points = np.vstack([foot + radius * out + h * axis for h in heights])
    return DatumPoints(
        name=name, kind="axis", point=foot, direction=axis, shape="cylinder", measured=points,
        normals=sides * np.vstack([out] * len(heights)),
    )  # fmt: skip


def slot(name, x, y, width=0.008):
    """Along x: four points on each wall."""
    along = np.array([-0.006, -0.002, 0.002, 0.006])
    rows = [(x + a, y + side * width / 2, -0.005) for side in (-1, 1) for a in along]
    return DatumPoints(
        name=name, kind="slot", point=np.array([x, y, -0.005]), direction=Y, shape="plane",
        measured=np.array(rows), normals=np.array([Y] * 4 + [-Y] * 4),
    )  # fmt: skip


def ball(name, place, radius=0.0127):
    out = np.array([X, -X, Y, -Y, Z, (X + Y + Z) / np.sqrt(3.0)])
    place = np.array(place, dtype=float)
    return DatumPoints(
        name=name, kind="centre", point=place, direction=np.full(3, np.nan), shape="sphere",
        measured=place + radius * out, normals=out,
    )  # fmt: skip


def moved(datum, T, noise=0.0, seed=0):
    if datum.members:
        parts = [moved(one, T, noise, seed + k) for k, one in enumerate(datum.members)]
        return common_datum(datum.name, parts)
    rng = np.random.default_rng(seed)
    points = datum.measured + noise * rng.normal(size=datum.measured.shape)
    return replace(datum, measured=move_points(T, points))


def pose(seed, angle=0.3):
    rng = np.random.default_rng(seed)
    turn = rng.normal(size=3)
    R = Rotation.from_rotvec(angle * turn / np.linalg.norm(turn)).as_matrix()
    return pose_of(R, rng.normal(size=3))


TOP, SIDE = plane("A", Z, PRIMARY), plane("C", X, [[0.1, -0.05, 0.0], [0.1, 0.05, 0.0]])
SYSTEMS = {
    "3-2-1": [plane("A", -Z, PRIMARY), plane("B", -Y, SECONDARY), plane("C", -X, TERTIARY)],
    "oblique": [plane("A", -Z, PRIMARY), plane("B", -OBLIQUE, SLOPE), plane("C", -X, TERTIARY)],
    "plane-hole-hole": [TOP, bore("B", 0.02, 0.03), bore("C", 0.12, 0.08)],
    "plane-hole-slot": [TOP, bore("B", 0.02, 0.03), slot("C", 0.12, 0.03)],
    "plane-hole-slot across": [TOP, bore("B", 0.12, 0.1), slot("C", 0.12, 0.03)],
    "plane-slot-hole": [TOP, slot("B", 0.12, 0.03), bore("C", 0.02, 0.03)],
    "plane-shaft-plane": [TOP, bore("B", 0.0, 0.0, sides=1.0), SIDE],
    "plane-hole-point": [TOP, bore("B", 0.0, 0.0), plane("C", -Y, [[0.1, 0.0, 0.0]])],
    "axis-plane-slot": [bore("A", 0, 0, sides=1.0), plane("B", Z, PRIMARY), slot("C", 0.12, 0.0)],
    "plane-cross bore": [TOP, bore("B", 0.0, 0.0, axis=X), bore("C", 0.05, 0.1)],
    "coaxial bores-plane-slot": [
        common_datum("A-B", [bore("A", 0.0, 0.0), bore("B", 0.0, 0.0, 0.02, heights=(0.1, 0.12))]),
        plane("C", Z, PRIMARY),
        slot("D", 0.12, 0.0),
    ],
    "pads-hole-hole": [
        common_datum("A-B", [TOP, plane("B", Z, np.add(PRIMARY, [1.5, 0.0, 0.0]))]),
        bore("C", 0.02, 0.03),
        bore("D", 0.12, 0.08),
    ],
    "step-sides": [
        common_datum("A-B", [TOP, plane("B", Z, np.add(PRIMARY, [1.5, 0.0, 0.3]))]),
        common_datum("C-D", [SIDE, plane("D", X, [[0.2, 0.5, 0.0], [0.2, 0.6, 0.1]])]),
        plane("E", -Y, TERTIARY),
    ],
    "plane-pattern": [
        TOP,
        common_datum(
            "B-C-D", [bore("B", 0.02, 0.03), bore("C", 0.12, 0.08), bore("D", 0.1, -0.03, 0.007)]
        ),
    ],
    "pattern-plane": [
        common_datum("A-B", [bore("A", 0.02, 0.03, sides=1.0), bore("B", 0.12, 0.08)]),
        TOP,
    ],
    "plane and bore-bore": [common_datum("A-B", [TOP, bore("B", 0.02, 0.03)]), bore("C", 0.1, 0.1)],
    "two balls-ball": [
        common_datum("A-B", [ball("A", [0, 0, 0]), ball("B", [0.2, 0, 0])]),
        ball("C", [0.1, 0.2, 0.05]),
    ],
    "three balls": [ball("A", [0, 0, 0]), ball("B", [0.2, 0, 0]), ball("C", [0.1, 0.2, 0.05])],
}


@pytest.mark.parametrize(
    ("name", "contact"),
    some([(name, contact) for name in SYSTEMS for contact in (False, True)], gate=11),
)
def test_a_part_that_is_moved_is_found_again(name, contact):
    T = pose(len(name))
    found = align_to_datums([replace(moved(one, T), contact=contact) for one in SYSTEMS[name]])
    # arms of up to 1 m; the fits polish to 1e-12 m, inscribed features to 1e-10 of their radius
    np.testing.assert_allclose(found.alignment.T_base_part, T, atol=1e-11 if contact else 1e-12)
    assert np.abs(found.alignment.residuals).max() < 1e-11
    found.require_held(name)


@given(st.integers(0, 10_000))
def test_six_points_are_met_whatever_the_part_does(seed):
    """3 + 2 + 1 conditions for six motions: noise moves the pose, never leaves a residual."""
    T, G = pose(seed), pose(seed + 1)
    corner = [moved(one, T, 0.01, k) for k, one in enumerate(SYSTEMS["3-2-1"])]
    found = align_to_datums(corner).alignment
    assert np.abs(found.residuals).max() < 1e-14
    again = align_to_datums([moved(one, G) for one in corner]).alignment
    assert np.abs(again.T_base_part - G @ found.T_base_part).max() < 1e-12


def test_the_datums_have_an_order():
    """What is wrong with a later datum never moves what an earlier one holds."""
    rough = [moved(one, np.eye(4), 1e-4, k) for k, one in enumerate(SYSTEMS["plane-hole-hole"])]
    found = align_to_datums(rough)
    A, B, C = found.datums
    T = found.alignment.T_part_base
    assert np.mean(move_points(T, rough[0].measured)[:, 2]) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(B.measured[:2], B.point[:2], atol=1e-12)
    arm, seen = C.point - B.point, C.measured - B.measured
    assert arm[0] * seen[1] - arm[1] * seen[0] == pytest.approx(0.0, abs=1e-12)  # one direction
    assert A.kind == "plane"


def test_a_datum_hole_that_is_displaced_turns_the_part_as_computed_by_hand():
    """B at (0, 0), C 100 mm from it along x, drilled 0.3 mm too far in y: atan(0.3/100)."""
    A, B, C = plane("A", Z, PRIMARY), bore("B", 0.0, 0.0), bore("C", 0.1, 0.0)
    C = replace(C, measured=C.measured + 3e-4 * Y)
    found = align_to_datums([A, B, C])
    R = found.alignment.T_base_part[:3, :3]
    assert np.arctan2(R[1, 0], R[0, 0]) == pytest.approx(np.arctan(0.003), abs=1e-12)
    np.testing.assert_allclose(found.alignment.T_base_part[:3, 3], 0.0, atol=1e-12)
    # the distance of the holes is too long by hypot(100, 0.3) - 100 mm, and stays so
    assert found.datums[2].measured[0] == pytest.approx(np.hypot(0.1, 3e-4), abs=1e-12)
    # with a slot along x in its place, only what it is across counts: the same turn
    S = slot("C", 0.1, 0.0)
    S = replace(S, measured=S.measured + 5e-4 * X + 3e-4 * Y)
    R = align_to_datums([A, B, S]).alignment.T_base_part[:3, :3]
    assert np.arcsin(R[1, 0]) == pytest.approx(np.arctan2(3e-4, 0.1005), abs=1e-12)


def test_a_common_axis_is_the_one_of_least_squares():
    """Two bores of 20 and 40 mm, 110 mm apart, one axis: a direct search over the axis agrees.

    Distances from a line less their mean in each bore; the search knows nothing of a part.
    """
    from scipy.optimize import minimize

    A, B = bore("A", 0.0, 0.0), bore("B", 0.0, 0.0, 0.02, heights=(0.1, 0.12))
    A = replace(A, measured=A.measured + 2e-5 * X)
    rough = [moved(one, np.eye(4), 2e-6, k) for k, one in enumerate((A, B))]

    def residuals(x):
        d = np.array([x[2], x[3], 1.0]) / np.sqrt(1.0 + x[2] ** 2 + x[3] ** 2)
        for one in rough:
            away = one.measured - [1e-4 * x[0], 1e-4 * x[1], 0.0]
            lengths = np.linalg.norm(away - np.outer(away @ d, d), axis=1)
            yield lengths - lengths.mean()

    found = align_to_datums([common_datum("A-B", rough)])
    T = found.alignment.T_base_part
    axis = T[:3, 2] / T[2, 2]
    ours = np.array([*1e4 * (T[:2, 3] - T[2, 3] * axis[:2]), *axis[:2]])
    searched = minimize(
        lambda x: 1e12 * np.sum(np.concatenate(list(residuals(x))) ** 2),
        np.zeros(4),
        method="Nelder-Mead",
        options={
            "initial_simplex": 1e-3 * np.vstack([np.zeros(4), np.eye(4)]),
            "xatol": 1e-8,
            "fatol": 1e-9,
            "maxiter": 4000,
        },
    )
    # 0.1 mm in a unit of place: both to a nanometre and a hundredth of a microradian
    np.testing.assert_allclose(ours[:2], searched.x[:2], atol=1e-5)
    np.testing.assert_allclose(ours[2:], searched.x[2:], atol=1e-8)
    assert ours[2] == pytest.approx(-2e-5 / 0.1225, abs=1e-5)  # A is off by 20 µm
    assert found.datums[0].kind == "axis"


def test_a_pattern_of_bores_turns_the_part_as_computed_by_hand():
    """C of B-C 0.3 mm off in y, 100 mm from B: the middle goes half as far, the turn is the same.

    Of two bores on one arm least squares turns the arm into the line through both.
    """
    B, C = bore("B", 0.0, 0.0), bore("C", 0.1, 0.0)
    C = replace(C, measured=C.measured + 3e-4 * Y)
    found = align_to_datums([plane("A", Z, PRIMARY), common_datum("B-C", [B, C])])
    T = found.alignment.T_base_part
    assert np.arctan2(T[1, 0], T[0, 0]) == pytest.approx(np.arctan(0.003), abs=1e-12)
    np.testing.assert_allclose(move_points(T, [0.05, 0, 0]), [0.05, 1.5e-4, 0], atol=1e-12)
    found.require_held("A|B-C")


def test_what_common_datums_leave_free_is_told():
    coaxial = common_datum("A-B", [bore("A", 0, 0), bore("B", 0, 0, heights=(0.1, 0.12))])
    for datums, text in (
        ([coaxial], r"slide along \(0, 0, 1\).*; it can turn about \(0, 0, 1\) through \(0, 0"),
        ([coaxial, plane("C", Z, PRIMARY)], r"turn about \(0, 0, 1\) through \(0, 0"),
        ([common_datum("A-B", [bore("A", 0, 0), bore("B", 0.1, 0)])], r"slide along \(0, 0, 1\)"),
    ):
        with pytest.raises(AlignmentError, match=text):
            align_to_datums(datums).require_held("A-B")
    balls = common_datum("A-B", [ball("A", [0, 0, 0]), ball("B", [0, 0, 0], 0.02)])
    with pytest.raises(AlignmentError, match="'A-B' have no direction together; as a primary"):
        align_to_datums([balls])
    few = [replace(plane("A", Z, PRIMARY[:1])), plane("B", Z, [[1.0, 0.0, 0.0]])]
    with pytest.raises(AlignmentError, match="'A-B' has 2 points; its features need at least 3"):
        align_to_datums([common_datum("A-B", few)])
    line = [plane("A", Z, PRIMARY[:1]), plane("B", Z, np.multiply(PRIMARY[:1], [[2.0], [3.0]]))]
    with pytest.raises(AlignmentError, match="'A-B' do not hold it"):
        align_to_datums([common_datum("A-B", line)])


def test_contact_is_outside_the_material():
    """A plane with one high corner, a bore with a burr: what a gauge would touch."""
    square = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.5, 0.5, 0]], dtype=float)
    dish = square - [0, 0, 1e-4] * np.array([[0], [0], [0], [0], [1]])
    found = align_to_datums([plane("A", Z, dish, contact=True, point=np.zeros(3))])
    np.testing.assert_allclose(found.alignment.T_base_part[:3, 2], Z, atol=1e-12)
    assert found.datums[0].measured[2] == pytest.approx(0.0, abs=1e-12)
    mean = align_to_datums([plane("A", Z, dish, point=np.zeros(3))])
    assert mean.alignment.T_base_part[2, 3] == pytest.approx(-2e-5, abs=1e-12)

    # the plane outside all points that is nearest to the farthest: the oracle is the minimum zone
    rough = np.column_stack([square[:, :2], 1e-5 * np.random.default_rng(2).normal(size=5)])
    found = align_to_datums([plane("A", Z, rough, contact=True, point=np.zeros(3))])
    heights = move_points(found.alignment.T_part_base, rough)[:, 2]
    assert heights.max() == pytest.approx(0.0, abs=1e-14)
    assert np.ptp(heights) == pytest.approx(minimum_zone("plane", rough).width, abs=1e-13)

    A, shaft = plane("A", Z, PRIMARY), bore("B", 0.0, 0.0, sides=1.0)
    burr = shaft.measured.copy()
    burr[burr[:, 0] > 0.0099, 0] += 1e-5  # the circle about it stands on that and the far side
    held = align_to_datums([A, replace(shaft, measured=burr, contact=True)])
    assert held.datums[1].size == pytest.approx(0.02 + 1e-5, abs=1e-12)
    assert held.alignment.T_base_part[0, 3] == pytest.approx(5e-6, abs=1e-11)


def test_what_is_left_free_is_told():
    A, B, C = SYSTEMS["3-2-1"]
    hole = bore("H", 0.02, 0.03)
    for datums, text in (
        ([A], r"slide along .*; .*turn about \(0, 0, 1\)"),
        ([A, B], r"slide along \(1, 0, 0\)"),
        ([A, hole], r"turn about \(0, 0, 1\) through \(0.02, 0.03"),
        ([hole], "slide along"),
        ([A, plane("D", Z, PRIMARY), B], r"slide along \(1, 0, 0\)"),
    ):
        found = align_to_datums(datums)
        with pytest.raises(AlignmentError, match=text):
            found.require_held("A|B")
    free = align_to_datums([A, hole]).free_displacements(np.array([hole.point, [0.02, 0.13, 0.0]]))
    assert len(free) == 1
    np.testing.assert_allclose(free[0, 0], 0.0, atol=1e-12)
    np.testing.assert_allclose(free[0, 1, 1:], 0.0, atol=1e-9)
    assert abs(free[0, 1, 0]) > 0.09  # 100 mm from the bore, square to the arm
    assert not len(align_to_datums([A, B, C]).free_displacements(A.measured))


@pytest.mark.parametrize(
    ("datums", "text"),
    [
        ([plane("A", Z, np.outer([1, 2, 3], [1, 1, 0]))], "'A' are collinear"),
        ([plane("A", Z, PRIMARY[:2])], "'A' has 2 points; .* at least 3"),
        ([bore("A", 0, 0, heights=(0.0,))], "'A' cannot be taken from its 8 points"),
    ],
)
def test_points_that_hold_no_datum_are_refused(datums, text):
    with pytest.raises(AlignmentError, match=text):
        align_to_datums(datums)
