"""The library's robots against the closed forms of their sources, in corrected form."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.language import internal_tables, parse, to_phrase
from robots.core.model import Model
from robots.library import load, maker_of, names

ANGLE = st.floats(-math.pi, math.pi)
CLOSE = 1e-14  # a few products of entries up to two


def cs(*angles):
    return [(math.cos(a), math.sin(a)) for a in angles]


def test_the_measuring_arm_is_that_of_the_tables():
    """[LAMMARI12] tables VI.2 and VI.3."""
    arm = load("measuring-arm")
    assert np.rad2deg(arm.q_max) == pytest.approx([180, 90, 110, 350, 105], abs=1e-12)
    assert np.array_equal(arm.q_min, -arm.q_max)
    assert arm.max_speed.tolist() == [1.75, 1.75, 1.75, 1.0, 1.0]
    assert arm.max_acceleration.tolist() == [28.0, 28.0, 28.0, 25.0, 25.0]
    assert [joint.body.mass for joint in arm.joints] == [20.0, 17.4, 4.8, 0.82, 0.34]
    assert arm.joints[4].body.inertia[2, 2] == 0.00004


@given(q=st.tuples(ANGLE, ANGLE, ANGLE, ANGLE, ANGLE))
def test_the_measuring_arm_has_the_published_direct_model(q):
    """[LAMMARI12] §VI.5.4, all twelve entries of frame 5; the tool is turned from there."""
    (c1, s1), (_, s2), (c2, _), (c4, s4), (c5, s5) = cs(q[0], q[1], q[1], q[3], q[4])
    (c23, s23) = cs(q[1] + q[2])[0]
    r1, d3, r4 = 0.40982, 1.0, 1.5139
    reach, up = c4 * c5 * c23 - s5 * s23, -c4 * s5 * c23 - c5 * s23
    printed = [
        [c1 * reach + s1 * s4 * c5, c1 * up - s1 * s4 * s5, -c1 * s4 * c23 + s1 * c4],
        [s1 * reach - c1 * s4 * c5, s1 * up + c1 * s4 * s5, -s1 * s4 * c23 - c1 * c4],
        [c4 * c5 * s23 + s5 * c23, -c4 * s5 * s23 + c5 * c23, -s4 * s23],
    ]
    p = [c1 * (r4 * s23 + d3 * c2), s1 * (r4 * s23 + d3 * c2), -r4 * c23 + d3 * s2 + r1]
    model = Model(load("measuring-arm"))
    frame5, tool = model.transforms(np.array(q))[4], model.forward(np.array(q))
    assert np.abs(frame5[:3, :3] - printed).max() < CLOSE
    assert np.abs(frame5[:3, 3] - p).max() < CLOSE
    assert np.abs(tool[:3, 3] - frame5[:3, 3]).max() < CLOSE  # two kernels round differently


def test_the_stylus_points_along_minus_y5_with_exact_entries():
    """[LAMMARI12] §VI.5.5: Y5 is the normal out of the material, so the stylus lies along -Y5."""
    tool = load("measuring-arm").tool
    assert tool.tolist() == [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]


def test_the_stylus_meets_the_published_plane_against_its_normal():
    """[LAMMARI12] §VI.5.5: at the wrist angles of (VI.9)-(VI.11) for n, z_tool is -n."""
    n = np.array([0.1, 0.25, 1.0]) / math.sqrt(0.1**2 + 0.25**2 + 1.0)
    q1, q2, q3 = 1.2, 0.4, 0.3
    (c1, s1), (c23, s23) = cs(q1, q2 + q3)
    side, along = n[1] * c1 - n[0] * s1, -n[0] * c1 - n[1] * s1
    # From (VI.9)-(VI.11) with the erratum corrected: s4 s5, c4 s5 and c5.
    c4s5, c5 = along * c23 - n[2] * s23, along * s23 + n[2] * c23
    q4, q5 = math.atan2(side, c4s5), math.atan2(math.hypot(side, c4s5), c5)
    tool = Model(load("measuring-arm")).forward(np.array([q1, q2, q3, q4, q5]))
    assert np.abs(tool[:3, 2] + n).max() < CLOSE


def test_the_two_readings_of_the_arm_differ_in_the_tensors_only():
    arm, other = load("measuring-arm"), load("measuring-arm-com-reading")
    for a, b in zip(arm.joints, other.joints, strict=True):
        assert np.array_equal(a.placement, b.placement)
        assert np.array_equal(a.body.inertia, b.body.inertia)
        assert (a.body.at, b.body.at) == ("origin", "com")
        assert (a.body.mass, a.q_max, a.max_speed) == (b.body.mass, b.q_max, b.max_speed)


def test_the_arm_warns_of_the_bodies_that_cannot_be():
    warned = [warning.split("'")[1] for warning in load("measuring-arm").warnings()]
    assert warned == ["q1", "q3"]


@given(q=st.tuples(ANGLE, ANGLE, ANGLE))
def test_the_planar_arm_of_the_course(q):
    """[COURSE-JAC] planar arm: p3 and the whole Jacobian."""
    a = (0.5, 0.4, 0.3)
    (c1, s1), (c12, s12), (c123, s123) = cs(q[0], q[0] + q[1], sum(q))
    x = [a[0] * c1, a[1] * c12, a[2] * c123]
    y = [a[0] * s1, a[1] * s12, a[2] * s123]
    J = np.zeros((6, 3))
    for k in range(3):
        J[:, k] = [-sum(y[k:]), sum(x[k:]), 0, 0, 0, 1]
    model = Model(load("planar-3r"))
    assert np.abs(model.forward(np.array(q))[:3, 3] - [sum(x), sum(y), 0]).max() < CLOSE
    assert np.abs(model.jacobian(np.array(q)) - J).max() < CLOSE


@given(q=st.tuples(ANGLE, ANGLE, ANGLE))
def test_the_anthropomorphic_arm_of_the_course(q):
    """[COURSE-JAC] anthropomorphic arm: p3 and the whole Jacobian."""
    a2, a3 = 0.5, 0.4
    (c1, s1), (c2, s2), (c23, s23) = cs(q[0], q[1], q[1] + q[2])
    reach, up = a2 * c2 + a3 * c23, a2 * s2 + a3 * s23
    J = [
        [-s1 * reach, -c1 * up, -a3 * c1 * s23],
        [c1 * reach, -s1 * up, -a3 * s1 * s23],
        [0, reach, a3 * c23],
        [0, s1, s1],
        [0, -c1, -c1],
        [1, 0, 0],
    ]
    model = Model(load("anthropomorphic"))
    assert np.abs(model.forward(np.array(q))[:3, 3] - [c1 * reach, s1 * reach, up]).max() < CLOSE
    assert np.abs(model.jacobian(np.array(q)) - J).max() < CLOSE


@given(q=st.tuples(ANGLE, ANGLE, st.floats(0.1, 1.0), ANGLE, ANGLE, ANGLE))
def test_the_stanford_arm_of_the_course_with_corrected_signs(q):
    """[COURSE-JAC] Stanford arm: p3, p6 and z0..z5; α1, α4 have lost their minus signs in print."""
    d2, d6, d3 = 0.15367, 0.26289, q[2]
    (c1, s1), (c2, s2), (c4, s4), (c5, s5) = cs(q[0], q[1], q[3], q[4])
    p3 = np.array([d3 * c1 * s2 - d2 * s1, d3 * s1 * s2 + d2 * c1, d3 * c2])
    z2 = [c1 * s2, s1 * s2, c2]
    z4 = [-c1 * c2 * s4 - s1 * c4, -s1 * c2 * s4 + c1 * c4, s2 * s4]
    z5 = [
        c1 * (c2 * c4 * s5 + s2 * c5) - s1 * s4 * s5,
        s1 * (c2 * c4 * s5 + s2 * c5) + c1 * s4 * s5,
        -s2 * c4 * s5 + c2 * c5,
    ]
    axes = [[0, 0, 1], [-s1, c1, 0], z2, z2, z4, z5]
    model = Model(load("stanford"))
    frames = model.transforms(np.array(q))
    for frame, axis in zip(frames, axes, strict=True):
        assert np.abs(frame[:3, 2] - axis).max() < CLOSE
    for index in (2, 3, 4):
        assert np.abs(frames[index][:3, 3] - p3).max() < CLOSE
    assert np.abs(model.forward(np.array(q))[:3, 3] - (p3 + d6 * np.array(z5))).max() < CLOSE


@given(q=st.tuples(ANGLE, ANGLE, ANGLE, ANGLE))
def test_the_planar_4r_of_the_thesis(q):
    """[GASTEBOIS17] eqs. (82) and (246): direct model and gravity torques."""
    lengths, masses = (0.4, 0.4, 0.3, 0.3), (4.0, 3.0, 2.0, 1.0)
    c, s = zip(*cs(*np.cumsum(q)), strict=True)
    model = Model(load("planar-4r"))
    end = model.forward(np.array(q))[:3, 3]
    expected = [np.dot(c, lengths), np.dot(s, lengths), 0]
    assert np.abs(end - expected).max() < CLOSE
    G = np.zeros(4)
    for k in range(4):
        # x of the centre of mass of segment k, seen from joint i.
        x = [*(lengths[j] * c[j] for j in range(k)), 0.5 * lengths[k] * c[k]]
        for i in range(k + 1):
            G[i] += 9.81 * masses[k] * sum(x[i:])
    assert np.abs(model.gravity_torques(np.array(q)) - G).max() < 1e-12


def test_the_robot_of_the_report_keeps_its_tables():
    """[LIEGEOIS80] §4.2, from the library's file by way of the mechanism."""
    tables = internal_tables(parse(to_phrase(load("liegeois-6r"))))
    groups = [max(segment.rotation) for segment in tables.segments]
    assert groups == ["1", "2", "23", "234", "5", "6"]


@given(q=st.tuples(*[ANGLE] * 6))
def test_the_gravity_torques_of_the_report(q):
    """[LIEGEOIS80] §4.4: Q(i), on the other side of the equation, with G = -9.81 along Y."""
    m = {1: 40.0, 2: 25.0, 3: 15.0, 6: 4.0}
    L2, L3 = 0.7, 0.6
    VY2 = 0.35 * m[2] + L2 * (m[3] + m[6])
    VZ3 = 0.3 * m[3] + L3 * m[6]
    VZ6 = 0.1 * m[6]
    _, (_, s2), (c23, _), (c234, s234), (c5, s5) = cs(
        0.0, q[1], q[1] + q[2], q[1] + q[2] + q[3], q[4]
    )
    G = -9.81
    Q4 = G * -c234 * c5 * VZ6
    Q3 = G * -c23 * VZ3 + Q4
    Q = [0.0, G * -s2 * VY2 + Q3, Q3, Q4, G * s234 * s5 * VZ6, 0.0]
    found = Model(load("liegeois-6r")).gravity_torques(np.array(q))
    # Products of four sines with torques of a few hundred newton metres.
    assert np.abs(found + Q).max() < 1e-11


def test_the_industrial_robot_has_a_spherical_wrist():
    model = Model(load("industrial-6r"))
    q = np.random.default_rng(0).uniform(-1, 1, 6)
    frames = model.transforms(q)
    assert np.abs(frames[3:, :3, 3] - frames[3, :3, 3]).max() < CLOSE


def test_the_industrial_robot_at_its_published_postures():
    """Puma560 of the toolbox, "ready" and "stretched": forearm up, forearm level."""
    model = Model(load("industrial-6r"))
    across = 0.2435 - 0.0934
    ready = model.transforms(np.array([0, -math.pi / 2, math.pi / 2, 0, 0, 0]))[5]
    assert ready[:3, 3] == pytest.approx([-0.0203, across, 0.672 + 0.4318 + 0.4331], abs=1e-12)
    stretched = model.transforms(np.array([0, 0, math.pi / 2, 0, 0, 0]))[5]
    assert stretched[:3, 3] == pytest.approx([0.4318 + 0.4331, across, 0.672 + 0.0203], abs=1e-12)


def test_the_industrial_robot_weighs_on_its_shoulder_as_published():
    """Armstrong, Khatib, Burdick 1986, table of gravity constants: g1 = -37.2, g3 = 1.02... N m.

    With the arm level (q2 = 0) and the forearm up (q3 = 0) the torque of joint 2 is g1 alone.
    """
    tau = Model(load("industrial-6r")).gravity_torques(np.zeros(6))
    # The paper prints three digits and rounds each constant.
    assert abs(tau[1]) == pytest.approx(37.2, rel=0.02)


@pytest.mark.parametrize("name", [name for name in names() if not maker_of(name)])
def test_every_robot_runs_in_the_model_core(name):
    model = Model(load(name))
    q = np.random.default_rng(0).uniform(-0.5, 0.5, model.dof)
    assert model.forward(q).shape == (4, 4)
    if model.mechanism.masses_known:
        M = model.mass_matrix(q)
        assert np.abs(M - M.T).max() <= 1e-12
