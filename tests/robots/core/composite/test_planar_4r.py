"""The worked example of [GASTEBOIS17] chapter 3: a planar 4R made of two planar 2R.

Formulas are the printed ones where they are right; where they are not (sources.md), the corrected
one must hold and the printed one must not.
"""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.composite.coupling import MountedRobot, base_distal_change, chain, split
from robots.core.composite.sub_model import SubModel, sub_model
from robots.core.model import Model
from robots.library import load

EXACT = 1e-13  # entries near one; a handful of roundings
g = 9.81
l1, l2, l3, l4 = 0.4, 0.4, 0.3, 0.3
k1, k2, k3, k4 = 0.2, 0.2, 0.15, 0.15  # l1cdg … l4cdg
m1, m2, m3, m4 = 4.0, 3.0, 2.0, 1.0
Q = np.array([0.37, -0.81, 1.13, 0.55])
# c(2, 4) is c_234, the cosine of q2 + q3 + q4.
GRAVITY = np.array([0.0, -g, 0.0])


def c(first: int, last: int) -> float:
    return float(np.cos(Q[first - 1 : last].sum()))


def s(first: int, last: int) -> float:
    return float(np.sin(Q[first - 1 : last].sum()))


@pytest.fixture(scope="module")
def parts() -> tuple[SubModel, SubModel]:
    """The two planar 2R; the second on its own base, at its own q."""
    cut = split(load("planar-4r"), "q3")
    return sub_model(Model(cut.carrier), Q[:2]), sub_model(Model(cut.carried), Q[2:])


@pytest.fixture(scope="module")
def whole(parts: tuple[SubModel, SubModel]) -> SubModel:
    return chain(parts[0], MountedRobot(robot=parts[1], link="q2"))


def test_jacobian_at_a_point_eq_125(whole: SubModel) -> None:
    J = whole.jacobian("q4", (k4, 0, 0))
    x = np.cumsum([c(1, 4) * k4, c(1, 3) * l3, c(1, 2) * l2, c(1, 1) * l1])[::-1]
    y = np.cumsum([s(1, 4) * k4, s(1, 3) * l3, s(1, 2) * l2, s(1, 1) * l1])[::-1]
    assert pytest.approx(np.array([-y, x]), abs=EXACT) == J[:2]
    assert pytest.approx(np.array([[0.0] * 4] * 3 + [[1.0] * 4]), abs=EXACT) == J[2:]


def test_composite_jacobian_eq_161(whole: SubModel) -> None:
    J = whole.jacobian("q4", (l4, 0, 0))
    assert J[0, 0] == pytest.approx(
        -(s(1, 1) * l1 + s(1, 2) * l2 + s(1, 3) * l3 + s(1, 4) * l4), abs=EXACT
    )
    assert J[1, 2] == pytest.approx(c(1, 3) * l3 + c(1, 4) * l4, abs=EXACT)


def test_inertia_of_body_4_eq_175_corrected(whole: SubModel) -> None:
    J = whole.jacobian("q4", (k4, 0, 0))[:3]
    a = J.T @ J
    both = 2 * l2 * (c(3, 3) * l3 + c(3, 4) * k4) + 2 * l3 * c(4, 4) * k4
    far = c(2, 2) * l2 + c(2, 3) * l3 + c(2, 4) * k4
    assert a[0, 0] == pytest.approx(l1**2 + l2**2 + l3**2 + k4**2 + 2 * l1 * far + both, abs=EXACT)
    assert a[1, 0] == pytest.approx(l2**2 + l3**2 + k4**2 + l1 * far + both, abs=EXACT)
    right = k4**2 + l1 * c(2, 4) * k4 + l2 * c(3, 4) * k4 + l3 * c(4, 4) * k4
    printed = k4**2 + l1 * c(2, 4) * k4 + l2 * (c(3, 3) * l3 + c(3, 4) * k4) + l3 * c(4, 4) * k4
    assert a[3, 0] == pytest.approx(right, abs=EXACT)
    assert abs(a[3, 0] - printed) > 0.01
    right = k4**2 + l2 * c(3, 4) * k4 + l3 * c(4, 4) * k4
    printed = k4**2 + l2 * c(3, 3) * l3 * k4 + l3 * c(4, 4) * k4
    assert a[3, 1] == pytest.approx(right, abs=EXACT)
    assert abs(a[3, 1] - printed) > 1e-3


def test_geometry_term_eq_181_corrected(whole: SubModel) -> None:
    J = whole.jacobian("q4")[:3]  # at the joint: l4cdg = 0
    a = J.T @ J
    assert a[2, 1] == pytest.approx(l3**2 + l2 * c(3, 3) * l3, abs=EXACT)
    assert abs(a[2, 1] - (l2**2 + l2**2 * c(3, 3) * l3)) > 0.01
    assert a[1, 1] == pytest.approx(l2**2 + l3**2 + 2 * l2 * c(3, 3) * l3, abs=EXACT)


def test_inertia_of_the_carried_robot_eq_219_corrected(parts: tuple[SubModel, SubModel]) -> None:
    J = parts[1].jacobian("q4", (k4, 0, 0))[:3]
    a = J.T @ J
    assert a[0, 0] == pytest.approx(l3**2 + k4**2 + 2 * l3 * c(4, 4) * k4, abs=EXACT)
    assert abs(a[0, 0] - (k4**2 + 2 * l3 * c(3, 3) * k4)) > 0.01
    assert a[0, 1] == pytest.approx(k4**2 + l3 * c(4, 4) * k4, abs=EXACT)
    assert abs(a[0, 1] - (k2**2 + l3 * c(3, 3) * k4)) > 1e-3


def test_alpha_and_beta_eqs_223_226(parts: tuple[SubModel, SubModel], whole: SubModel) -> None:
    I3, I4 = m3 * l3**2 / 12, m4 * l4**2 / 12
    alpha = whole.mass_matrix[:2, :2] - parts[0].mass_matrix
    beta = whole.mass_matrix[:2, 2:]
    far3, far4 = c(2, 2) * l2 + c(2, 3) * k3, c(2, 2) * l2 + c(2, 3) * l3 + c(2, 4) * k4
    near3, near4 = 2 * l2 * c(3, 3) * k3, 2 * l2 * (c(3, 3) * l3 + c(3, 4) * k4)
    own4 = 2 * l3 * c(4, 4) * k4
    a21 = m3 * (l2**2 + k3**2 + l1 * far3 + near3)
    a21 += m4 * (l2**2 + l3**2 + k4**2 + l1 * far4 + near4 + own4)
    a22 = m3 * (l2**2 + k3**2 + near3) + m4 * (l2**2 + l3**2 + k4**2 + near4 + own4)
    assert alpha[1, 0] == pytest.approx(a21 + I3 + I4, abs=EXACT)
    assert alpha[1, 1] == pytest.approx(a22 + I3 + I4, abs=EXACT)
    b22 = m4 * (k4**2 + l2 * c(3, 4) * k4 + l3 * c(4, 4) * k4)
    b11 = m3 * (k3**2 + l1 * c(2, 3) * k3 + l2 * c(3, 3) * k3)
    b11 += m4 * (l3**2 + k4**2 + own4 + near4 / 2 + l1 * (c(2, 3) * l3 + c(2, 4) * k4))
    assert beta[1, 1] == pytest.approx(b22 + I4, abs=EXACT)
    assert beta[0, 0] == pytest.approx(b11 + I3 + I4, abs=EXACT)


def test_derivative_of_the_inertia_eqs_431_436_corrected(whole: SubModel) -> None:
    d2 = whole.d_mass_matrix[:2, :2, 1]
    load3 = s(2, 2) * l2 + s(2, 3) * k3
    load4 = s(2, 2) * l2 + s(2, 3) * l3 + s(2, 4) * k4
    assert d2[0, 0] == pytest.approx(
        -2 * l1 * (m2 * s(2, 2) * k2 + m3 * load3 + m4 * load4), abs=EXACT
    )
    assert d2[1, 0] == pytest.approx(-l1 * (m2 * s(2, 2) * k2 + m3 * load3 + m4 * load4), abs=EXACT)
    printed = -(l1 * m2 * s(2, 2) * k2 + m3 * load3 + l1 * m4 * load4)  # l1 lost before m3
    assert abs(d2[1, 0] - printed) > 0.05
    d4 = whole.d_mass_matrix[:2, :2, 3]
    own = 2 * l2 * m4 * s(3, 4) * k4 + 2 * l3 * m4 * s(4, 4) * k4
    assert d4[1, 1] == pytest.approx(-own, abs=EXACT)
    assert d4[1, 0] == pytest.approx(-(l1 * m4 * s(2, 4) * k4 + own), abs=EXACT)
    assert pytest.approx(np.zeros((4, 4)), abs=EXACT) == whole.d_mass_matrix[:, :, 0]


def test_gravity_eqs_246_to_248(parts: tuple[SubModel, SubModel], whole: SubModel) -> None:
    x = [c(1, 1) * l1, c(1, 2) * l2, c(1, 3) * l3]
    G4 = g * m4 * c(1, 4) * k4
    G3 = g * m3 * c(1, 3) * k3 + g * m4 * x[2] + G4
    G2 = g * m2 * c(1, 2) * k2 + g * (m3 + m4) * x[1] + G3
    G1 = g * m1 * c(1, 1) * k1 + g * (m2 + m3 + m4) * x[0] + G2
    # Forces near 60 N m: a rounding is 1e-14.
    assert pytest.approx([G1, G2, G3, G4], abs=1e-12) == whole.gravity_torques(GRAVITY)
    turned = parts[0].pose("q2")[:3, :3].T @ GRAVITY  # g_i = R_i0·g_0
    assert pytest.approx([G3, G4], abs=1e-12) == parts[1].gravity_torques(turned)
    assert np.abs(parts[1].gravity_torques(GRAVITY) - [G3, G4]).max() > 1.0


def test_base_distal_pose_eq_295_corrected(whole: SubModel) -> None:
    end = np.eye(4)
    end[0, 3] = l4
    T = base_distal_change(whole, "q4", placement=end).pose("former base")
    assert T[0, 3] == pytest.approx(-(c(2, 4) * l1 + c(3, 4) * l2 + c(4, 4) * l3 + l4), abs=EXACT)
    right = s(2, 4) * l1 + s(3, 4) * l2 + s(4, 4) * l3
    assert T[1, 3] == pytest.approx(right, abs=EXACT)
    assert abs(T[1, 3] - (right + l4)) > 0.2
    assert pytest.approx([c(1, 4), s(1, 4), -s(1, 4), c(1, 4)], abs=EXACT) == T[:2, :2].ravel()


def test_base_distal_jacobian_eqs_296_304_corrected(whole: SubModel) -> None:
    end = np.eye(4)
    end[0, 3] = l4
    seen = base_distal_change(whole, "q4", placement=end)
    J = seen.jacobian("former base")
    steps = np.array([s(2, 4) * l1, s(3, 4) * l2, s(4, 4) * l3])
    assert pytest.approx([0, *np.cumsum(steps)], abs=EXACT) == J[0]  # eq. (303)
    assert pytest.approx([-1.0] * 4, abs=EXACT) == J[5]  # eq. (304) prints +1
    p = seen.pose("q1") @ [k1, 0, 0, 1]
    right = s(2, 4) * (l1 - k1) + s(3, 4) * l2 + s(4, 4) * l3  # eq. (310) prints + l4
    assert p[1] == pytest.approx(right, abs=EXACT)
    J1 = seen.jacobian("q1", (k1, 0, 0))
    near = np.array([s(2, 4) * (l1 - k1), s(3, 4) * l2, s(4, 4) * l3])
    assert pytest.approx([0, *np.cumsum(near)], abs=EXACT) == J1[0]  # eq. (311)
    assert (
        pytest.approx([0, -1, -1, -1], abs=EXACT) == J1[5]
    )  # theorem 5 prints R·J_ω_01: 1, 0, 0, 0
