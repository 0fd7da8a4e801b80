"""Theorems 2 to 13 of [GASTEBOIS17] as printed, corrected, and as computed here.

The truth is the robot rebuilt with the other end as its base (rerooted), in its monolithic model,
on a chain of four revolute joints with random axes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from robots.core.composite.coupling import MountedRobot, base_distal_change, chain, split
from robots.core.composite.sub_model import inertia_rate, sub_model
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.rerooted import reroot

Make = Callable[..., Mechanism]
Q = np.array([0.4, -1.1, 0.7, 1.9])
LAST = 3
EXACT = 1e-11  # entries up to some tens
WRONG = 1e-2  # a wrong formula is farther off than this


def differs(found: np.ndarray, truth: np.ndarray) -> bool:
    return bool(np.abs(found - truth).max() > WRONG)


def agrees(found: np.ndarray, truth: np.ndarray) -> bool:
    return bool(np.abs(found - truth).max() < EXACT)


def seen_from_end(mechanism: Mechanism) -> tuple[Mechanism, np.ndarray]:
    """The rebuilt robot, and the places of our variables in its q."""
    new = reroot(mechanism, mechanism.joints[-1].name)
    return new.mechanism, np.argsort(new.order)


def angular_rates(mechanism: Mechanism, link: int) -> np.ndarray:
    """J_ω of a link (-1: the base) seen from the end, by central differences. # (3, n)."""
    new = reroot(mechanism, mechanism.joints[-1].name)
    model, h = Model(new.mechanism, "numpy"), 1e-6

    def R(q: np.ndarray) -> np.ndarray:
        return np.asarray(new.old_links(model.transforms(new.variables(q)))[link, :3, :3])

    columns = []
    for step in h * np.eye(4):
        W = (R(Q + step) - R(Q - step)) / (2 * h) @ R(Q).T
        columns.append([W[2, 1], W[0, 2], W[1, 0]])
    return np.array(columns).T


def test_theorem_2_first_column_turns_about_the_first_axis(spatial: Make, sums: Any) -> None:
    mechanism = spatial(1)
    x = sums(mechanism, Q)
    truth = Model(mechanism, "numpy").jacobian(Q)[3:]
    printed = truth.copy()
    printed[:, 0] = x.R[1] @ [0, 0, 1]  # R_0→i, with i the carrier's last joint
    assert agrees(sub_model(Model(mechanism, "numpy"), Q).jacobian("q4")[3:], truth)
    assert differs(printed, truth)


def test_theorem_3_gradient_of_position_gives_linear_rows_only(spatial: Make, sums: Any) -> None:
    mechanism = spatial(2)
    x, parts = sums(mechanism, Q), split(mechanism, "q3")
    robot = chain(
        sub_model(Model(parts.carrier, "numpy"), Q[:2]),
        MountedRobot(robot=sub_model(Model(parts.carried, "numpy"), Q[2:]), link="q2"),
    )
    J = robot.jacobian("q4", mechanism.joints[3].body.com)
    gradient = x.Jv_cdg(3)
    assert agrees(J[:3], gradient)
    assert agrees(J[3:], x.Jw[3])
    assert differs(J[3:], gradient)


def test_theorem_4_the_former_base_turns_backwards(spatial: Make, sums: Any) -> None:
    mechanism = spatial(3)
    x, truth = sums(mechanism, Q), angular_rates(mechanism, -1)
    printed = x.R[LAST].T @ x.Jw[LAST]
    # Central differences with h = 1e-6 are good to 1e-9.
    assert pytest.approx(truth, abs=1e-8) == -printed
    assert differs(printed, truth)
    J = base_distal_change(sub_model(Model(mechanism, "numpy"), Q), "q4").jacobian("former base")
    assert agrees(J[3:], -printed)
    # The linear part is right as printed: -R·J_v_0i - Ṙ_i0⊙t_0i, with (289) for Ṙ_i0.
    back = -np.einsum("ji,jka,lk->ila", x.R[LAST], x.Rd(LAST), x.R[LAST])
    t = x.t[LAST]
    linear = -x.R[LAST].T @ x.Jv(LAST, t) - np.einsum("ija,j->ia", back, t)
    assert agrees(J[:3], linear)


def test_theorem_5_links_turn_relative_to_the_new_base(spatial: Make, sums: Any) -> None:
    mechanism = spatial(3)
    x, truth = sums(mechanism, Q), angular_rates(mechanism, 1)
    R = x.R[LAST].T
    assert differs(R @ x.Jw[1], truth)
    corrected = R @ (x.Jw[1] - x.Jw[LAST])
    assert pytest.approx(truth, abs=1e-8) == corrected
    robot = base_distal_change(sub_model(Model(mechanism, "numpy"), Q), "q4")
    assert agrees(robot.jacobian("q2", mechanism.joints[1].body.com)[3:], corrected)


def test_theorem_7_needs_the_tensors_in_base_axes(spatial: Make, sums: Any) -> None:
    mechanism = spatial(4)
    x, truth = sums(mechanism, Q), Model(mechanism, "numpy").mass_matrix(Q)
    printed = sum(x.Jw[k].T @ x.I[k] @ x.Jw[k] for k in range(4))
    assert agrees(x.A_v + x.A_w, truth)
    assert differs(x.A_v + printed, truth)


def base_distal_terms(x: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """W = R_i0·J_v_0k and U = Ṙ_i0⊙t_0k + J_v_i0 of each body, and J_v_i0. # (n, 3, n)."""
    R, Rd = x.R[LAST].T, np.swapaxes(x.Rd(LAST), 0, 1)
    t = x.t[LAST]
    Jv_i0 = -R @ x.Jv(LAST, t) - np.einsum("ija,j->ia", Rd, t)
    W = np.array([R @ x.Jv_cdg(k) for k in range(4)])
    U = np.array([np.einsum("ija,j->ia", Rd, x.cdg[k]) + Jv_i0 for k in range(4)])
    return W, U, Jv_i0


def test_theorem_8_angular_part_changes_too(spatial: Make, sums: Any) -> None:
    mechanism = spatial(5)
    x = sums(mechanism, Q)
    new, places = seen_from_end(mechanism)
    truth = Model(new, "numpy").mass_matrix(Q[np.argsort(places)])[np.ix_(places, places)]
    W, U, _ = base_distal_terms(x)
    alpha = sum(m * U[k].T @ U[k] for k, m in enumerate(x.m))
    beta = sum(m * W[k].T @ U[k] for k, m in enumerate(x.m))
    linear = x.A_v + alpha + beta + beta.T
    D = x.Jw - x.Jw[LAST]
    angular = sum(D[k].T @ x.I0[k] @ D[k] for k in range(4))
    assert differs(linear + x.A_w, truth)
    assert agrees(linear + angular, truth)
    assert agrees(
        base_distal_change(sub_model(Model(mechanism, "numpy"), Q), "q4").mass_matrix, truth
    )


def base_distal_rate(x: Any, one_contraction: bool) -> np.ndarray:
    """∂A_v_i0/∂q of theorem 11; with one contraction, β̇1 takes Ṙ⊙J_v as α̇1 does."""
    W, U, _ = base_distal_terms(x)
    R = x.R[LAST].T
    Rd, Rdd = np.swapaxes(x.Rd(LAST), 0, 1), np.swapaxes(x.Rdd(LAST), 0, 1)
    t = x.t[LAST]
    J, Jd = x.Jv(LAST, t), x.Jvd(LAST, t)
    a_J = np.einsum("ija,jb->iab", Rd, J)  # ∂R/∂q_a·J_b
    Jd_i0 = -np.einsum("ijab,j->iab", Rdd, t) - a_J - np.swapaxes(a_J, 1, 2)
    Jd_i0 = Jd_i0 - np.einsum("ij,jab->iab", R, Jd)
    found = np.zeros((4, 4, 4))
    for k, m in enumerate(x.m):
        first = np.einsum("ija,jb->iab", Rd, x.Jv_cdg(k))
        dU = np.einsum("ijab,j->iab", Rdd, x.cdg[k]) + first + Jd_i0
        own = np.einsum("ij,jab->iab", R, x.Jvd(k, x.cdg[k]))
        dW = own + (first if one_contraction else np.swapaxes(first, 1, 2))
        alpha1 = m * np.einsum("iab,ic->acb", dU, U[k])
        beta = m * (np.einsum("iab,ic->acb", dW, U[k]) + np.einsum("ic,iab->cab", W[k], dU))
        A0 = m * np.einsum("iab,ic->acb", x.Jvd(k, x.cdg[k]), x.Jv_cdg(k))
        found += sum(part + np.swapaxes(part, 0, 1) for part in (A0, alpha1, beta))
    return found


def test_theorem_11_needs_two_contractions(spatial: Make, sums: Any) -> None:
    mechanism = spatial(6, points=True)  # point masses: the linear part is the whole
    x = sums(mechanism, Q)
    truth = end_rate(mechanism)
    assert differs(base_distal_rate(x, one_contraction=True), truth)
    assert agrees(base_distal_rate(x, one_contraction=False), truth)
    assert agrees(
        base_distal_change(sub_model(Model(mechanism, "numpy"), Q), "q4").d_mass_matrix, truth
    )


def test_theorem_11_angular_part_changes_too(spatial: Make, sums: Any) -> None:
    mechanism = spatial(6)
    x, truth = sums(mechanism, Q), end_rate(mechanism)
    known = sub_model(Model(mechanism, "numpy"), Q)
    linear_0i = sub_model(Model(spatial(6, points=True), "numpy"), Q).d_mass_matrix
    angular_0i = known.d_mass_matrix - linear_0i
    linear_i0 = base_distal_rate(x, one_contraction=False)
    assert differs(linear_i0 + angular_0i, truth)
    assert agrees(base_distal_change(known, "q4").d_mass_matrix, truth)


def end_rate(mechanism: Mechanism) -> np.ndarray:
    """∂A_i0/∂q from the trace formulas on the rebuilt robot."""
    new, places = seen_from_end(mechanism)
    found = Model(new, "numpy").lagrange(Q[np.argsort(places)])
    rate = inertia_rate(found.B, found.C)
    return np.asarray(rate[np.ix_(places, places, places)])


def test_theorem_10_needs_two_contractions(spatial: Make, sums: Any) -> None:
    mechanism = spatial(7, points=True)
    x, truth = sums(mechanism, Q), sub_model(Model(mechanism, "numpy"), Q).d_mass_matrix
    carried = sums(split(mechanism, "q3").carried, Q[2:])
    # A carried robot on q2's link: base-frame points of it are t_2 + R_2·(its own).
    R, Rd, t = x.R[1], x.Rd(1)[:, :, :2], x.t[1]
    right, printed = np.zeros((2, 2, 2)), np.zeros((2, 2, 2))
    for k in (0, 1):
        p, J = carried.cdg[k], carried.Jv_cdg(k)
        U = x.Jv(1, t)[:, :2] + np.einsum("ija,j->ia", Rd, p)
        W = R @ J
        a_J = np.einsum("ija,jb->iab", Rd, J)  # ∂R/∂q_a·J_b, eq. (415)
        dU = x.Jvd(1, t)[:, :2, :2] + np.einsum("ijab,j->iab", x.Rdd(1)[:, :, :2, :2], p)
        own = carried.m[k] * np.einsum("iab,ic->acb", dU, W)
        # Eq. (426): ∂R/∂q_b·J_a.
        right += own + carried.m[k] * np.einsum("ic,iba->cab", U, a_J)
        printed += own + carried.m[k] * np.einsum("ic,iab->cab", U, a_J)
    assert agrees(right, truth[:2, 2:, :2])  # ∂β/∂q_α
    assert differs(printed, truth[:2, 2:, :2])


def test_theorem_12_gravity_of_the_carrier(spatial: Make, sums: Any) -> None:
    mechanism = spatial(8)
    x, parts, g = sums(mechanism, Q), split(mechanism, "q3"), mechanism.gravity
    carrier = sub_model(Model(parts.carrier, "numpy"), Q[:2])
    star = sum(-(x.Jv_cdg(k)[:, :2].T) @ g * x.m[k] for k in (2, 3))
    truth = Model(mechanism, "numpy").gravity_torques(Q)
    assert agrees(carrier.gravity_torques(g) + star, truth[:2])
    turned = x.R[1].T @ g
    assert agrees(
        sub_model(Model(parts.carried, "numpy"), Q[2:]).gravity_torques(turned), truth[2:]
    )


def test_theorem_13_gravity_from_the_other_end(spatial: Make, sums: Any) -> None:
    mechanism = spatial(8)
    x, g = sums(mechanism, Q), mechanism.gravity
    turned = x.R[LAST].T @ g
    _, U, _ = base_distal_terms(x)
    printed = sum(-m * U[k].T @ turned for k, m in enumerate(x.m))
    printed = printed + Model(mechanism, "numpy").gravity_torques(Q)
    robot = base_distal_change(sub_model(Model(mechanism, "numpy"), Q), "q4")
    assert agrees(robot.gravity_torques(turned), printed)


def test_christoffel_symbols_eq_229_corrected(spatial: Make) -> None:
    mechanism = spatial(9)
    robot, truth = sub_model(Model(mechanism, "numpy"), Q), Model(mechanism, "numpy").lagrange(Q)
    d = robot.d_mass_matrix  # c_ijk = ½(∂a_kj/∂q_i + ∂a_ki/∂q_j - ∂a_ij/∂q_k)
    i, j, k = 1, 3, 2
    right = d[k, j, i] + d[k, i, j] - d[i, j, k]
    printed = d[k, j, i] + d[k, i, i] - d[i, j, k]
    assert right == pytest.approx(truth.B[k, i, j], abs=EXACT)
    assert abs(printed - truth.B[k, i, j]) > WRONG
